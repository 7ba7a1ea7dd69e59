//! What a unit declares under the names that its source uses, as far as atomic types go.
//!
//! Where nothing says what lies at an address, the source says what the code there takes it for: `message->ready`.
//! Whose `ready` that is would take a compiler to know. So all that have the name are given, and if they agree there
//! is nothing to know.

use gimli::{AttributeValue, DebuggingInformationEntry, DwTag};

use super::Symbolizer;
use super::locals::unit_at;
use super::units::{Die, value};
use super::variables::Variables;

/// Deeper nesting than this is a circle in a damaged file.
const MAX_LEVELS: usize = 16;

/// The languages in which an object can be atomic without any function that says so.
const WITH_ATOMIC_OBJECTS: [gimli::DwLang; 5] =
    [gimli::DW_LANG_C, gimli::DW_LANG_C89, gimli::DW_LANG_C99, gimli::DW_LANG_C11, gimli::DW_LANG_C17];

/// The unit around an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Whether it is in C, where a variable can be declared atomic and then be read like any other, and has such types.
    pub has_atomic_objects: bool,
    /// Whether clang made it.
    pub is_by_clang: bool,
}

/// What a word of the source may mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The variables, parameters and members of this name.
    pub declared: Vec<Declared>,
    /// Whether it is the name of anything.
    pub is_known: bool,
}

/// A variable, a parameter or a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Whether it is a member of a structure.
    pub is_member: bool,
    /// Its type, and what each `[]` or `*` leads to from there.
    pub levels: Vec<Level>,
}

/// A type on the way through arrays and pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Whether it is atomic itself.
    pub is_atomic: bool,
    /// Whether it is an array, so that nothing is read on the way to its elements.
    pub is_array: bool,
    /// Its size in bytes, if that is fixed.
    pub size: Option<u64>,
}

impl Symbolizer {
    /// What is known of the unit that the code at an address belongs to.
    #[must_use]
    pub fn dialect(&self, pc: u64) -> Option<Dialect> {
        let (_, module, pc) = self.code_at(pc)?;
        module.contents().variables()?.dialect(pc)
    }

    /// What words may mean in the code at an address.
    #[must_use]
    pub fn words(&self, pc: u64, words: &[&str]) -> Option<Vec<Word>> {
        let (_, module, pc) = self.code_at(pc)?;
        module.contents().variables()?.words(pc, words)
    }
}

impl Variables {
    fn dialect(&self, pc: u64) -> Option<Dialect> {
        let unit = unit_at(&self.units, pc)?;
        let mut entries = self.units.unit(unit)?.entries_raw(None).ok()?;
        let mut entry = DebuggingInformationEntry::null();
        entries.read_entry(&mut entry).ok()?;
        let language = match value(entry.attrs(), gimli::DW_AT_language) {
            Some(AttributeValue::Language(language)) => Some(language),
            _ => None,
        };
        let producer = self.units.text(unit, entry.attrs(), gimli::DW_AT_producer);
        let is_c = language.is_some_and(|language| WITH_ATOMIC_OBJECTS.contains(&language));
        Some(Dialect {
            has_atomic_objects: is_c && self.units_for(unit).any(|unit| self.has_atomic_types(unit).unwrap_or(true)),
            is_by_clang: producer.is_some_and(|producer| producer.contains("clang version")),
        })
    }

    /// A unit, and those that only have types for others.
    fn units_for(&self, own: usize) -> impl Iterator<Item = usize> {
        (0..self.units.count()).filter(move |&unit| unit == own || self.units.has_only_types(unit))
    }

    fn has_atomic_types(&self, unit: usize) -> Option<bool> {
        let mut entries = self.units.unit(unit)?.entries_raw(None).ok()?;
        while !entries.is_empty() {
            let Some(abbreviation) = entries.read_abbreviation().ok()? else { continue };
            if abbreviation.tag() == gimli::DW_TAG_atomic_type {
                return Some(true);
            }
            entries.skip_attributes(abbreviation.attributes()).ok()?;
        }
        Some(false)
    }

    fn words(&self, pc: u64, words: &[&str]) -> Option<Vec<Word>> {
        let mut found = vec![Word::default(); words.len()];
        for unit in self.units_for(unit_at(&self.units, pc)?) {
            self.add_words(unit, words, &mut found)?;
        }
        Some(found)
    }

    fn add_words(&self, unit: usize, words: &[&str], found: &mut [Word]) -> Option<()> {
        let mut entries = self.units.unit(unit)?.entries_raw(None).ok()?;
        let mut entry = DebuggingInformationEntry::null();
        while !entries.is_empty() {
            if !entries.read_entry(&mut entry).ok()? {
                continue;
            }
            let Some(name) = self.units.name(unit, entry.attrs()) else { continue };
            for (_, word) in words.iter().zip(&mut *found).filter(|(word, _)| **word == name) {
                word.is_known = true;
                if may_be_accessed(entry.tag()) {
                    let data_type = self.units.inherited(unit, &entry, |unit, entry| {
                        self.units.reference(unit, entry.attrs(), gimli::DW_AT_type)
                    });
                    let is_member = entry.tag() == gimli::DW_TAG_member;
                    word.declared
                        .push(Declared { is_member, levels: data_type.map_or_else(Vec::new, |of| self.levels(of)) });
                }
            }
        }
        Some(())
    }

    fn levels(&self, data_type: Die) -> Vec<Level> {
        let types = self.types();
        let mut levels = Vec::new();
        let mut next = Some(data_type);
        while let Some(mut here) = next.take()
            && levels.len() < MAX_LEVELS
        {
            let size = types.size(here);
            let mut is_atomic = false;
            let mut entry = self.units.entry(here);
            for _ in 0..MAX_LEVELS {
                let Some(outer) = &entry else { break };
                is_atomic |= outer.tag() == gimli::DW_TAG_atomic_type;
                let Some(inner) = types.underlying(here, outer) else { break };
                (here, entry) = (inner, self.units.entry(inner));
            }
            let Some(entry) = entry else { break };
            let is_array = entry.tag() == gimli::DW_TAG_array_type;
            let dimensions = if is_array { types.dimensions(here).len().max(1) } else { 1 };
            levels.extend(std::iter::repeat_n(Level { is_atomic, is_array, size }, dimensions));
            if is_array || entry.tag() == gimli::DW_TAG_pointer_type {
                next = self.units.reference(here.unit, entry.attrs(), gimli::DW_AT_type);
            }
        }
        levels
    }
}

fn may_be_accessed(tag: DwTag) -> bool {
    matches!(tag, gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter | gimli::DW_TAG_member)
}
