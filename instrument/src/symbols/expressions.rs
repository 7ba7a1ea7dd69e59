//! The types of simple expressions of the source, in the scope of a program counter.
//!
//! DWARF gives types to declarations only. What an allocation is for stands in the source: `malloc(sizeof *node)`,
//! `new Node`. The words come from there; here they are looked up, in the one unit whose code they stand in, and only
//! an unambiguous answer is one.

use gimli::DebuggingInformationEntry;

use super::locals::{locals_at, unit_at};
use super::types::is_aggregate;
use super::units::{Die, value};
use super::variables::Variables;

/// Deeper nesting than this is a circle in a damaged file.
const MAX_DEPTH: usize = 64;

impl Variables {
    /// The type of this name that the unit around the program counter defines. `is_tagged` asks for a structure,
    /// union or enumeration by its tag, which C keeps apart from other names.
    pub(super) fn type_named(&self, pc: u64, name: &str, is_tagged: bool) -> Option<Die> {
        let index = unit_at(&self.units, pc)?;
        let mut entries = self.units.unit(index)?.entries_raw(None).ok()?;
        let mut entry = DebuggingInformationEntry::null();
        let mut found: Option<Die> = None;
        while !entries.is_empty() {
            let die = Die { unit: index, offset: entries.next_offset() };
            if !entries.read_entry(&mut entry).ok()? {
                continue;
            }
            let has_tag = is_aggregate(entry.tag()) || entry.tag() == gimli::DW_TAG_enumeration_type;
            let may_be =
                has_tag || (!is_tagged && matches!(entry.tag(), gimli::DW_TAG_typedef | gimli::DW_TAG_base_type));
            if !may_be
                || value(entry.attrs(), gimli::DW_AT_declaration).is_some()
                || self.units.name(index, entry.attrs()).as_deref() != Some(name)
            {
                continue;
            }
            let definition = self.definition(die)?;
            if found.replace(definition).is_some_and(|other| other != definition) {
                return None;
            }
        }
        found
    }

    /// The type of a variable in scope, or of a member of it: `list`, `list->head`, as a list of names.
    pub(super) fn type_of(&self, pc: u64, names: &[&str]) -> Option<Die> {
        let (variable, members) = names.split_first()?;
        let local = locals_at(&self.units, pc).into_iter().rev().find(|local| local.name == *variable);
        let mut here = match local {
            Some(local) => local.data_type,
            None => self.global(pc, variable)?,
        };
        for member in members {
            let aggregate = self.pointee(here).unwrap_or(self.definition(here)?);
            here = self.member_type(aggregate, member)?;
        }
        Some(here)
    }

    /// What a pointer points to, or an array consists of.
    pub(super) fn pointee(&self, data_type: Die) -> Option<Die> {
        let pointer = self.definition(data_type)?;
        let entry = self.units.entry(pointer)?;
        let leads_on = matches!(entry.tag(), gimli::DW_TAG_pointer_type | gimli::DW_TAG_array_type);
        let target = leads_on.then(|| self.units.reference(pointer.unit, entry.attrs(), gimli::DW_AT_type))??;
        self.definition(target)
    }

    /// A type without its typedefs and qualifiers.
    fn definition(&self, data_type: Die) -> Option<Die> {
        let types = self.types();
        let mut here = data_type;
        for _ in 0..MAX_DEPTH {
            let entry = self.units.entry(here)?;
            match types.underlying(here, &entry) {
                Some(underlying) => here = underlying,
                None => return Some(here),
            }
        }
        None
    }

    fn global(&self, pc: u64, name: &str) -> Option<Die> {
        let unit = unit_at(&self.units, pc)?;
        let mut types = self.variables.iter().filter(|variable| variable.name == name);
        let types = types.by_ref().filter_map(|variable| variable.data_type).filter(|data_type| data_type.unit == unit);
        let mut found = None;
        for data_type in types {
            if found.replace(data_type).is_some_and(|other| other != data_type) {
                return None;
            }
        }
        found
    }

    fn member_type(&self, aggregate: Die, name: &str) -> Option<Die> {
        let types = self.types();
        let path = format!(".{name}");
        let parts = types.parts(aggregate, 0, types.size(aggregate)?);
        parts.iter().find(|part| part.path == path).map(|part| part.data_type)
    }
}
