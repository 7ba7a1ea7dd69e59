//! What a function takes and returns, as far as debug information tells.
//!
//! Whoever calls a function of the program by its name needs both: one that takes arguments would find none, and of
//! what is smaller than a register the rest of the register is anything.

use gimli::{AttributeValue, DwTag};

use super::locals;
use super::units::{Die, Units, number, value};

/// Names of names, at most; a damaged file has circles.
const MAX_DEPTH: usize = 16;

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Signature {
    /// The names of its parameters.
    pub(super) parameters: Vec<String>,
    /// What it returns.
    pub(super) result: Returned,
}

/// What a function returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Returned {
    /// A whole number or a truth value.
    Number(Width),
    /// Something else, in words.
    Other(String),
}

/// How much of a register a result takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Width {
    /// Its bytes.
    pub bytes: u8,
    /// Whether it may be negative.
    pub is_signed: bool,
}

impl Width {
    /// That of `int`.
    pub const INT: Width = Width { bytes: 4, is_signed: true };
}

/// The type of the function that begins at an address.
pub(super) fn signature_at(units: &Units, address: u64) -> Option<Signature> {
    let unit = locals::unit_at(units, address)?;
    let function = locals::function_at(units, units.unit(unit)?, address)?;
    let mut parameters = Vec::new();
    units.for_each_child(Die { unit, offset: function.offset() }, |child| {
        if child.tag() == gimli::DW_TAG_formal_parameter {
            let name = units.inherited(unit, child, |unit, entry| units.name(unit, entry.attrs()));
            parameters.push(name.unwrap_or_else(|| "_".to_owned()));
        }
    })?;
    let result =
        units.inherited(unit, &function, |unit, entry| units.reference(unit, entry.attrs(), gimli::DW_AT_type));
    let nothing = || Returned::Other("nothing".into());
    Some(Signature { parameters, result: result.map_or_else(nothing, |result| returned(units, result)) })
}

fn returned(units: &Units, mut data_type: Die) -> Returned {
    let other = |what: &str| Returned::Other(what.to_owned());
    for _ in 0..MAX_DEPTH {
        let Some(entry) = units.entry(data_type) else { break };
        let bytes = number(entry.attrs(), gimli::DW_AT_byte_size).and_then(|bytes| u8::try_from(bytes).ok());
        match (entry.tag(), bytes) {
            (gimli::DW_TAG_base_type, Some(bytes)) => {
                let AttributeValue::Encoding(encoding) =
                    value(entry.attrs(), gimli::DW_AT_encoding).unwrap_or(AttributeValue::Flag(false))
                else {
                    break;
                };
                return match encoding {
                    gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => {
                        Returned::Number(Width { bytes, is_signed: true })
                    }
                    gimli::DW_ATE_boolean
                    | gimli::DW_ATE_unsigned
                    | gimli::DW_ATE_unsigned_char
                    | gimli::DW_ATE_UTF => Returned::Number(Width { bytes, is_signed: false }),
                    _ => other("a number that is not whole"),
                };
            }
            (gimli::DW_TAG_enumeration_type, Some(bytes)) => {
                return Returned::Number(Width { bytes, is_signed: false });
            }
            (tag, _) if is_alias(tag) => match units.reference(data_type.unit, entry.attrs(), gimli::DW_AT_type) {
                Some(next) => data_type = next,
                None => return other("nothing"),
            },
            (gimli::DW_TAG_pointer_type, _) => return other("a pointer"),
            _ => break,
        }
    }
    other("something else")
}

fn is_alias(tag: DwTag) -> bool {
    matches!(tag, gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type)
}
