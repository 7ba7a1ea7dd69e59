//! Values as their types mean them: numbers with their sign, characters, enumerators, pointers.
//!
//! Bytes come from the memory of the tested program. What the type does not explain has no value here, and is left to
//! whoever asked to show as bytes.

use gimli::DebuggingInformationEntry;

use super::types::{Leaf, Types, is_aggregate};
use super::units::{Die, number};
use crate::image::Reader;

/// Deeper nesting than this is a circle in a damaged file.
const MAX_DEPTH: usize = 64;

/// The value of a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// As the program would write it.
    Text(String),
    /// An address, to be named by who knows what lies there.
    Pointer(u64),
}

impl Types<'_> {
    /// The value of a scalar or bit-field within the bytes of a range.
    pub(super) fn value(&self, leaf: &Leaf, bytes: &[u8]) -> Option<Value> {
        let width = leaf.bits.end.checked_sub(leaf.bits.start).filter(|width| (1..=64).contains(width))?;
        let raw = extract(bytes, leaf.bits.start, width)?;
        let (scalar, entry) = self.scalar(leaf.data_type)?;
        match entry.tag() {
            gimli::DW_TAG_base_type => base_value(&entry, raw, width).map(Value::Text),
            gimli::DW_TAG_enumeration_type => Some(Value::Text(self.enumerator(scalar, raw, width))),
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                (width == 64).then_some(Value::Pointer(raw))
            }
            _ => None,
        }
    }

    /// The type behind typedefs and qualifiers. A class around a single value, such as `std::atomic<int>`, is that
    /// value.
    fn scalar(&self, data_type: Die) -> Option<(Die, DebuggingInformationEntry<Reader>)> {
        let mut here = data_type;
        for _ in 0..MAX_DEPTH {
            let entry = self.units.entry(here)?;
            if let Some(underlying) = self.underlying(here, &entry) {
                here = underlying;
            } else if is_aggregate(entry.tag()) {
                let size = self.size(here)?;
                let mut parts = self.parts(here, 0, size);
                parts.retain(|part| self.size(part.data_type) == Some(size) && part.bits.is_none());
                let [part] = &parts[..] else { return None };
                here = part.data_type;
            } else {
                return Some((here, entry));
            }
        }
        None
    }

    /// The name of a value of an enumeration, else its number.
    fn enumerator(&self, enumeration: Die, raw: u64, width: u64) -> String {
        let mut name = None;
        let _ = self.units.for_each_child(enumeration, |entry| {
            if entry.tag() == gimli::DW_TAG_enumerator
                && number(entry.attrs(), gimli::DW_AT_const_value).is_some_and(|value| lowest(value, width) == raw)
                && name.is_none()
            {
                name = self.units.name(enumeration.unit, entry.attrs());
            }
        });
        name.unwrap_or_else(|| sign_extend(raw, width).to_string())
    }
}

fn base_value(entry: &DebuggingInformationEntry<Reader>, raw: u64, width: u64) -> Option<String> {
    let encoding = number(entry.attrs(), gimli::DW_AT_encoding)?;
    match gimli::DwAte(u8::try_from(encoding).ok()?) {
        gimli::DW_ATE_boolean => Some(match raw {
            0 => "false".to_owned(),
            1 => "true".to_owned(),
            other => other.to_string(),
        }),
        gimli::DW_ATE_float => match width {
            32 => Some(format!("{:?}", f32::from_bits(raw as u32))),
            64 => Some(format!("{:?}", f64::from_bits(raw))),
            _ => None,
        },
        gimli::DW_ATE_signed => Some(sign_extend(raw, width).to_string()),
        gimli::DW_ATE_unsigned => Some(raw.to_string()),
        gimli::DW_ATE_signed_char => Some(character(sign_extend(raw, width), raw)),
        gimli::DW_ATE_unsigned_char | gimli::DW_ATE_UTF => Some(character(raw.cast_signed(), raw)),
        _ => None,
    }
}

/// A small number that may be a character: `97 'a'`.
fn character(number: i64, raw: u64) -> String {
    match u8::try_from(raw) {
        Ok(byte) if byte.is_ascii_graphic() || byte == b' ' => format!("{number} '{}'", char::from(byte)),
        _ => number.to_string(),
    }
}

/// Bits of little-endian bytes.
fn extract(bytes: &[u8], start: u64, width: u64) -> Option<u64> {
    let first = usize::try_from(start / 8).ok()?;
    let last = usize::try_from((start + width).div_ceil(8)).ok()?;
    let bytes = bytes.get(first..last)?;
    let whole = bytes.iter().rev().fold(0u128, |whole, &byte| whole << 8 | u128::from(byte));
    Some(lowest((whole >> (start % 8)) as u64, width))
}

fn lowest(value: u64, width: u64) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

fn sign_extend(raw: u64, width: u64) -> i64 {
    let unused = 64 - width.min(64);
    (raw << unused).cast_signed() >> unused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_taken_from_little_endian_bytes() {
        assert_eq!(extract(&[0x34, 0x12], 0, 16), Some(0x1234));
        assert_eq!(extract(&[0b1010_1100], 2, 3), Some(0b011));
        assert_eq!(extract(&[0x80, 0x01], 7, 2), Some(0b11));
        assert_eq!(extract(&[0; 4], 0, 64), None, "not all of it is there");
        assert_eq!(extract(&[0xff; 9], 4, 64), Some(u64::MAX));
    }

    #[test]
    fn signs_and_characters() {
        assert_eq!(sign_extend(0b111, 3), -1);
        assert_eq!(sign_extend(0b011, 3), 3);
        assert_eq!(sign_extend(u64::MAX, 64), -1);
        assert_eq!(character(97, 97), "97 'a'");
        assert_eq!([character(-1, 0xff), character(7, 7)], ["-1", "7"]);
    }
}
