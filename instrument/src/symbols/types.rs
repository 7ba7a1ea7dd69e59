//! From an offset within a variable to the member and array element that lies there.
//!
//! Types are followed until a scalar, or a type that is [one thing](super::opaque) to the reader.

use std::collections::HashSet;
use std::ops::Range;

use gimli::{Attribute, AttributeValue, DebuggingInformationEntry, DwTag, Operation};

use super::opaque::{is_atomic_class, is_opaque_type};
use super::units::{Die, Units, is_declaration, number, value};
use crate::image::Reader;

/// Deeper nesting than this is a circle in a damaged file.
const MAX_DEPTH: usize = 64;

const POINTER_SIZE: u64 = 8;

/// Members that are named where a range covers several.
const LISTED: usize = 3;

/// The types of one module.
pub(super) struct Types<'a> {
    pub(super) units: &'a Units,
    /// Classes that are reported as a whole.
    pub(super) opaque: &'a HashSet<Die>,
}

/// Something within a structure or array.
pub(super) struct Part {
    /// How it is written behind the name of the whole: `.lock`, `[3]`.
    pub(super) path: String,
    pub(super) data_type: Die,
    /// Where it begins in the whole.
    pub(super) offset: u64,
    /// Of a bit-field, its bits in the whole.
    pub(super) bits: Option<Range<u64>>,
    is_base_class: bool,
}

/// A range within something of a known type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inside {
    /// How it is written behind the name of the whole: `[2].lock`.
    pub(super) path: String,
    /// What it consists of, as far as that has values of its own.
    pub(super) leaves: Vec<Leaf>,
    /// Whether it is, or lies in, something whose type makes accesses atomic.
    pub(super) is_atomic: bool,
    /// Whether there is a type at all.
    pub(super) has_type: bool,
}

/// A scalar in a range, or a bit-field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) data_type: Die,
    /// Its bits within the range.
    pub(super) bits: Range<u64>,
}

/// How far a range could be followed into a type.
enum Step {
    /// It lies in this part as a whole.
    Into(Part),
    /// It is this.
    Is(Inside),
    /// Nothing more is known.
    Unknown,
}

impl Types<'_> {
    /// The path from a variable of a type to what lies at a range in it, such as `[2].lock`; with `+4` at the end if
    /// that is the inside of a scalar, or padding. Without a length it is the largest thing that begins there.
    pub(super) fn inside(&self, data_type: Die, offset: u64, length: u64) -> Inside {
        let mut path = String::new();
        let mut here = data_type;
        let mut offset = offset;
        let mut is_atomic = false;
        let (wants_largest, length) = (length == 0, length.max(1));
        for _ in 0..MAX_DEPTH {
            if wants_largest && offset == 0 {
                break;
            }
            let Some(entry) = self.units.entry(here) else {
                break;
            };
            is_atomic |= entry.tag() == gimli::DW_TAG_atomic_type;
            if self.is_opaque(here, &entry) {
                is_atomic |= self.units.name(here.unit, entry.attrs()).is_some_and(|name| is_atomic_class(&name));
                return Inside { path, leaves: self.leaf(here, offset, length), is_atomic, has_type: true };
            }
            if let Some(underlying) = self.underlying(here, &entry) {
                here = underlying;
                continue;
            }
            let step = match entry.tag() {
                gimli::DW_TAG_array_type => self.element_at(here, &entry, offset, length),
                tag if is_aggregate(tag) => self.member_at(here, tag, offset, length),
                _ => Step::Unknown,
            };
            match step {
                Step::Into(part) => {
                    path.push_str(&part.path);
                    offset -= part.offset;
                    here = part.data_type;
                }
                Step::Is(found) => {
                    return Inside { path: path + &found.path, leaves: found.leaves, is_atomic, has_type: true };
                }
                Step::Unknown => break,
            }
        }
        if offset > 0 {
            path.push_str(&format!("+{offset}"));
        }
        Inside { path, leaves: self.leaf(here, offset, length), is_atomic, has_type: true }
    }

    /// A range that is all of something, as a scalar.
    fn leaf(&self, data_type: Die, offset: u64, length: u64) -> Vec<Leaf> {
        let is_whole = offset == 0 && self.size(data_type) == Some(length);
        is_whole.then_some(Leaf { data_type, bits: 0..length * 8 }).into_iter().collect()
    }

    /// The size of a type in bytes, if it has a fixed one.
    pub(super) fn size(&self, data_type: Die) -> Option<u64> {
        self.size_within(data_type, MAX_DEPTH)
    }

    fn size_within(&self, data_type: Die, depth: usize) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let entry = self.units.entry(data_type)?;
        if let Some(size) = number(entry.attrs(), gimli::DW_AT_byte_size) {
            return Some(size);
        }
        if let Some(underlying) = self.underlying(data_type, &entry) {
            return self.size_within(underlying, depth);
        }
        match entry.tag() {
            gimli::DW_TAG_array_type => {
                let element = self.element_size(data_type, &entry, depth)?;
                self.dimensions(data_type).into_iter().try_fold(element, |size, count| size.checked_mul(count?))
            }
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                Some(POINTER_SIZE)
            }
            _ => None,
        }
    }

    fn is_opaque(&self, die: Die, entry: &DebuggingInformationEntry<Reader>) -> bool {
        let may_be_named = entry.tag() == gimli::DW_TAG_typedef || is_aggregate(entry.tag());
        self.opaque.contains(&die)
            || (may_be_named && self.units.name(die.unit, entry.attrs()).is_some_and(|name| is_opaque_type(&name)))
    }

    /// What a typedef or qualified type stands for, or where a type declared here is defined.
    pub(super) fn underlying(&self, die: Die, entry: &DebuggingInformationEntry<Reader>) -> Option<Die> {
        let attribute = match entry.tag() {
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => gimli::DW_AT_type,
            tag if is_aggregate(tag) => gimli::DW_AT_signature,
            _ => return None,
        };
        self.units.reference(die.unit, entry.attrs(), attribute)
    }

    /// The members in a range: of a union the first that reaches there.
    fn member_at(&self, aggregate: Die, tag: DwTag, offset: u64, length: u64) -> Step {
        let end = offset.saturating_add(length);
        let is_whole = offset == 0 && self.size(aggregate).is_none_or(|size| end >= size);
        let mut parts = self.parts(aggregate, offset, end);
        if tag == gimli::DW_TAG_union_type {
            parts.retain(|part| part.offset <= offset && self.end_of(part) >= end);
            parts.truncate(1);
        }
        // An empty base class has a size, but nothing lies there.
        if parts.len() > 1 {
            parts.retain(|part| !(part.is_base_class && self.size(part.data_type) == Some(1)));
        }
        match &parts[..] {
            [] => Step::Unknown,
            [part] if part.bits.is_none() && part.offset <= offset && self.end_of(part) >= end => {
                parts.pop().map_or(Step::Unknown, Step::Into)
            }
            [part] => {
                let leaves = self.leaves(&parts, offset, end);
                Step::Is(Inside { path: part.path.clone(), leaves, ..Inside::default() })
            }
            _ => {
                let path = if is_whole { String::new() } else { list(&parts) };
                Step::Is(Inside { path, leaves: self.leaves(&parts, offset, end), ..Inside::default() })
            }
        }
    }

    /// The members and base classes that overlap a range.
    pub(super) fn parts(&self, aggregate: Die, start: u64, end: u64) -> Vec<Part> {
        let mut parts = Vec::new();
        let _ = self.units.for_each_child(aggregate, |entry| {
            if let Some(part) = self.member(aggregate.unit, entry) {
                let overlaps = match &part.bits {
                    Some(bits) => bits.start < end.saturating_mul(8) && bits.end > start.saturating_mul(8),
                    None => part.offset < end && self.end_of(&part) > start,
                };
                if overlaps {
                    parts.push(part);
                }
            }
        });
        parts
    }

    /// Where a part ends; one without a fixed size, such as a flexible array, reaches as far as anybody asks.
    fn end_of(&self, part: &Part) -> u64 {
        self.size(part.data_type).map_or(u64::MAX, |size| part.offset.saturating_add(size))
    }

    /// Those parts that lie in a range as a whole; none if one does not.
    fn leaves(&self, parts: &[Part], start: u64, end: u64) -> Vec<Leaf> {
        let leaf = |part: &Part| {
            let bits = match &part.bits {
                Some(bits) => bits.clone(),
                None => part.offset * 8..self.end_of(part).checked_mul(8)?,
            };
            let is_inside = bits.start >= start * 8 && bits.end <= end * 8;
            is_inside.then(|| Leaf { data_type: part.data_type, bits: bits.start - start * 8..bits.end - start * 8 })
        };
        parts.iter().map(leaf).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// A member or base class. Unnamed ones, and the element store of `std::array`, add nothing to the path.
    fn member(&self, unit: usize, entry: &DebuggingInformationEntry<Reader>) -> Option<Part> {
        let attributes = entry.attrs();
        if !matches!(entry.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance) || is_declaration(attributes) {
            return None;
        }
        let path = match self.units.name(unit, attributes) {
            Some(name) if name != "_M_elems" && name != "__elems_" => format!(".{name}"),
            _ => String::new(),
        };
        let data_type = self.units.reference(unit, attributes, gimli::DW_AT_type)?;
        let offset = self.member_offset(unit, attributes)?;
        let bits = self.bits(attributes, data_type, offset);
        let is_base_class = entry.tag() == gimli::DW_TAG_inheritance;
        Some(Part { path, data_type, offset, bits, is_base_class })
    }

    /// The bits of a bit-field, from the start of the aggregate.
    fn bits(&self, attributes: &[Attribute<Reader>], data_type: Die, offset: u64) -> Option<Range<u64>> {
        let size = number(attributes, gimli::DW_AT_bit_size)?;
        let start = match number(attributes, gimli::DW_AT_data_bit_offset) {
            Some(start) => start,
            // Old DWARF counts from the most significant bit of the storage.
            None => {
                let storage = number(attributes, gimli::DW_AT_byte_size).or_else(|| self.size(data_type))?;
                let from_top = number(attributes, gimli::DW_AT_bit_offset)?;
                (offset * 8 + storage * 8).checked_sub(from_top.checked_add(size)?)?
            }
        };
        Some(start..start.checked_add(size)?)
    }

    fn member_offset(&self, unit: usize, attributes: &[Attribute<Reader>]) -> Option<u64> {
        if let Some(bits) = number(attributes, gimli::DW_AT_data_bit_offset) {
            return Some(bits / 8);
        }
        match value(attributes, gimli::DW_AT_data_member_location) {
            None => Some(0),
            Some(AttributeValue::Exprloc(expression)) => {
                let encoding = self.units.unit(unit)?.encoding();
                match expression.operations(encoding).next().ok()?? {
                    Operation::PlusConstant { value } => Some(value),
                    _ => None,
                }
            }
            Some(_) => number(attributes, gimli::DW_AT_data_member_location),
        }
    }

    fn element_at(&self, array: Die, entry: &DebuggingInformationEntry<Reader>, offset: u64, length: u64) -> Step {
        let found = self.element(array, entry, offset);
        let last = self.element(array, entry, offset.saturating_add(length.saturating_sub(1)));
        match (found, last) {
            (Some(first), Some(last)) if first.offset == last.offset => Step::Into(first),
            (Some(first), Some(last)) => {
                let size = self.size(array);
                let is_whole = offset == 0 && size == Some(length);
                let path = match (first.path.strip_suffix(']'), last.path.rsplit_once('[')) {
                    (Some(start), Some((_, end))) if !is_whole => format!("{start}-{end}"),
                    _ => String::new(),
                };
                Step::Is(Inside { path, leaves: Vec::new(), ..Inside::default() })
            }
            _ => Step::Unknown,
        }
    }

    fn element(&self, array: Die, entry: &DebuggingInformationEntry<Reader>, offset: u64) -> Option<Part> {
        let data_type = self.units.reference(array.unit, entry.attrs(), gimli::DW_AT_type)?;
        let element = self.element_size(array, entry, MAX_DEPTH)?;
        let mut path = String::new();
        let mut rest = offset;
        let dimensions = self.dimensions(array);
        for (position, count) in dimensions.iter().enumerate() {
            let stride =
                dimensions[position + 1..].iter().try_fold(element, |size, count| size.checked_mul((*count)?))?;
            let index = rest.checked_div(stride)?;
            if count.is_some_and(|count| index >= count) {
                return None;
            }
            rest %= stride;
            path.push_str(&format!("[{index}]"));
        }
        Some(Part { path, data_type, offset: offset - rest, bits: None, is_base_class: false })
    }

    fn element_size(&self, array: Die, entry: &DebuggingInformationEntry<Reader>, depth: usize) -> Option<u64> {
        let attributes = entry.attrs();
        number(attributes, gimli::DW_AT_byte_stride).or_else(|| {
            let element = self.units.reference(array.unit, attributes, gimli::DW_AT_type)?;
            self.size_within(element, depth)
        })
    }

    /// The number of elements in each dimension, as far as they are fixed.
    pub(super) fn dimensions(&self, array: Die) -> Vec<Option<u64>> {
        let mut dimensions = Vec::new();
        let _ = self.units.for_each_child(array, |entry| {
            if entry.tag() == gimli::DW_TAG_subrange_type {
                let attributes = entry.attrs();
                let upper_bound = number(attributes, gimli::DW_AT_upper_bound);
                dimensions.push(
                    number(attributes, gimli::DW_AT_count).or_else(|| upper_bound.map(|bound| bound.wrapping_add(1))),
                );
            }
        });
        dimensions
    }
}

/// Several members: `.{low,high}`, and of many the first and the last.
fn list(parts: &[Part]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.path.trim_start_matches('.')).collect();
    match &names[..] {
        [first, .., last] if names.len() > LISTED => format!(".{{{first}..{last}}}"),
        names => format!(".{{{}}}", names.join(",")),
    }
}

pub(super) fn is_aggregate(tag: DwTag) -> bool {
    matches!(tag, gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type)
}
