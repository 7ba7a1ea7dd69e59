//! From an offset within a variable to the member and array element that lies there.
//!
//! Types are followed until a scalar, or a type whose inside is nobody's business: a
//! `pthread_mutex_t` is a union of integers to the compiler and one thing to the reader.

use std::collections::HashSet;

use gimli::{Attribute, AttributeValue, DebuggingInformationEntry, DwTag, Operation};

use super::units::{Die, Units, is_declaration, number, value};
use crate::image::Reader;

/// Deeper nesting than this is a circle in a damaged file.
const MAX_DEPTH: usize = 64;

const POINTER_SIZE: u64 = 8;

/// The synchronisation types of C libraries, which are reported as a whole.
const OPAQUE_TYPES: [&str; 19] = [
    "pthread_mutex_t",
    "pthread_cond_t",
    "pthread_rwlock_t",
    "pthread_spinlock_t",
    "pthread_barrier_t",
    "pthread_once_t",
    "pthread_key_t",
    "pthread_attr_t",
    "pthread_mutexattr_t",
    "pthread_condattr_t",
    "pthread_rwlockattr_t",
    "pthread_barrierattr_t",
    "sem_t",
    "mtx_t",
    "cnd_t",
    "once_flag",
    "atomic_flag",
    "FILE",
    "jmp_buf",
];

/// Whether a class of a standard library is reported as a whole. `std::array` and `std::pair` are as
/// good as built in and are looked into.
pub(super) fn is_opaque_in_namespace(namespace: &str, name: &str) -> bool {
    let root = namespace.split("::").next().unwrap_or(namespace);
    matches!(root, "std" | "core" | "alloc") && !name.starts_with("array<") && !name.starts_with("pair<")
}

/// The types of one module.
pub(super) struct Types<'a> {
    pub(super) units: &'a Units,
    /// Classes that are reported as a whole.
    pub(super) opaque: &'a HashSet<Die>,
}

/// Something within a structure or array.
struct Part {
    /// How it is written behind the name of the whole: `.lock`, `[3]`.
    path: String,
    data_type: Die,
    /// Where it begins in the whole.
    offset: u64,
}

impl Types<'_> {
    /// The path from a variable of a type to what lies at an offset in it, such as `[2].lock`; with
    /// `+4` at the end if that is the inside of a scalar, or padding.
    pub(super) fn path(&self, data_type: Die, offset: u64) -> String {
        let mut path = String::new();
        let mut here = data_type;
        let mut offset = offset;
        for _ in 0..MAX_DEPTH {
            let Some(entry) = self.units.entry(here) else {
                break;
            };
            if self.is_opaque(here, &entry) {
                return path;
            }
            if let Some(underlying) = self.underlying(here, &entry) {
                here = underlying;
                continue;
            }
            let part = match entry.tag() {
                gimli::DW_TAG_array_type => self.element_at(here, &entry, offset),
                tag if is_aggregate(tag) => self.member_at(here, tag, offset),
                _ => None,
            };
            let Some(part) = part else { break };
            path.push_str(&part.path);
            offset -= part.offset;
            here = part.data_type;
        }
        if offset > 0 {
            path.push_str(&format!("+{offset}"));
        }
        path
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
            || (may_be_named
                && self.units.name(die.unit, entry.attrs()).is_some_and(|name| OPAQUE_TYPES.contains(&name.as_str())))
    }

    /// What a typedef or qualified type stands for, or where a type declared here is defined.
    fn underlying(&self, die: Die, entry: &DebuggingInformationEntry<Reader>) -> Option<Die> {
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

    /// The member at an offset: of a union the first that reaches there, of a structure the last, so
    /// that empty base classes do not hide what follows.
    fn member_at(&self, aggregate: Die, tag: DwTag, offset: u64) -> Option<Part> {
        let mut found: Option<Part> = None;
        self.units.for_each_child(aggregate, |entry| {
            let is_first_of_union = tag == gimli::DW_TAG_union_type && found.is_some();
            if is_first_of_union {
                return;
            }
            if let Some(part) = self.member(aggregate.unit, entry)
                && part.offset <= offset
                && self.size(part.data_type).is_none_or(|size| offset - part.offset < size)
            {
                found = Some(part);
            }
        })?;
        found
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
        Some(Part {
            path,
            data_type: self.units.reference(unit, attributes, gimli::DW_AT_type)?,
            offset: self.member_offset(unit, attributes)?,
        })
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

    fn element_at(&self, array: Die, entry: &DebuggingInformationEntry<Reader>, offset: u64) -> Option<Part> {
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
        Some(Part { path, data_type, offset: offset - rest })
    }

    fn element_size(&self, array: Die, entry: &DebuggingInformationEntry<Reader>, depth: usize) -> Option<u64> {
        let attributes = entry.attrs();
        number(attributes, gimli::DW_AT_byte_stride).or_else(|| {
            let element = self.units.reference(array.unit, attributes, gimli::DW_AT_type)?;
            self.size_within(element, depth)
        })
    }

    /// The number of elements in each dimension, as far as they are fixed.
    fn dimensions(&self, array: Die) -> Vec<Option<u64>> {
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

fn is_aggregate(tag: DwTag) -> bool {
    matches!(tag, gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_classes_are_opaque_but_not_arrays_and_pairs() {
        assert!(is_opaque_in_namespace("std", "mutex"));
        assert!(is_opaque_in_namespace("std::__cxx11", "basic_string<char>"));
        assert!(is_opaque_in_namespace("core::sync::atomic", "AtomicU32"));
        assert!(!is_opaque_in_namespace("std", "array<std::mutex, 4>"));
        assert!(!is_opaque_in_namespace("std", "pair<int, int>"));
        assert!(!is_opaque_in_namespace("standard", "mutex"));
        assert!(!is_opaque_in_namespace("", "mutex"));
    }
}
