//! Access to single DWARF entries, wherever a reference to them points.
//!
//! gimli keeps offsets relative to units of different kinds. Here every entry has one name, a [`Die`], and
//! all forms of reference lead to it: within a unit, across units (link-time optimisation) and by
//! signature (type units).

use std::collections::HashMap;
use std::sync::Arc;

use gimli::{
    Attribute, AttributeValue, DW_AT_name, DebuggingInformationEntry, DwAt, Dwarf, Reader as _, Unit, UnitHeader,
    UnitOffset, UnitType,
};

use crate::image::Reader;

/// A definition may refer to its declaration in a few steps, a damaged file in a circle.
const MAX_REFERENCES: usize = 8;

/// The name of a debugging information entry within a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Die {
    /// Index of the unit.
    pub(super) unit: usize,
    /// Offset within the unit.
    pub(super) offset: UnitOffset<usize>,
}

/// All units of a module. Damaged ones are left out.
pub(super) struct Units {
    dwarf: Arc<Dwarf<Reader>>,
    /// Those of `.debug_info`, in order, then those of `.debug_types`.
    units: Vec<Unit<Reader>>,
    in_debug_info: usize,
    by_signature: HashMap<u64, Die>,
}

impl Units {
    pub(super) fn new(dwarf: Arc<Dwarf<Reader>>) -> Self {
        let mut headers = Vec::new();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            headers.push(header);
        }
        let mut all = Self { units: Vec::new(), in_debug_info: 0, by_signature: HashMap::new(), dwarf };
        all.add(headers);
        all.in_debug_info = all.units.len();
        let mut headers = Vec::new();
        let mut type_units = all.dwarf.type_units();
        while let Ok(Some(header)) = type_units.next() {
            headers.push(header);
        }
        all.add(headers);
        all
    }

    fn add(&mut self, headers: Vec<UnitHeader<Reader>>) {
        for header in headers {
            let kind = header.type_();
            let Ok(unit) = self.dwarf.unit(header) else {
                continue;
            };
            if let UnitType::Type { type_signature, type_offset } = kind {
                let die = Die { unit: self.units.len(), offset: type_offset };
                self.by_signature.insert(type_signature.0, die);
            }
            self.units.push(unit);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.units.len()
    }

    /// A unit by its index.
    pub(super) fn unit(&self, index: usize) -> Option<&Unit<Reader>> {
        self.units.get(index)
    }

    pub(super) fn dwarf(&self) -> &Dwarf<Reader> {
        &self.dwarf
    }

    /// Reads an entry.
    pub(super) fn entry(&self, die: Die) -> Option<DebuggingInformationEntry<Reader>> {
        self.unit(die.unit)?.entry(die.offset).ok()
    }

    /// Calls `visit` with each direct child of an entry.
    pub(super) fn for_each_child(
        &self,
        die: Die,
        mut visit: impl FnMut(&DebuggingInformationEntry<Reader>),
    ) -> Option<()> {
        let mut entries = self.unit(die.unit)?.entries_raw(Some(die.offset)).ok()?;
        let mut entry = DebuggingInformationEntry::null();
        entries.read_entry(&mut entry).ok()?;
        while entries.next_depth() > 0 && !entries.is_empty() {
            let is_direct_child = entries.next_depth() == 1;
            if entries.read_entry(&mut entry).ok()? && is_direct_child {
                visit(&entry);
            }
        }
        Some(())
    }

    /// The entry that an attribute of an entry in `unit` refers to.
    pub(super) fn reference(&self, unit: usize, attributes: &[Attribute<Reader>], name: DwAt) -> Option<Die> {
        match value(attributes, name)? {
            AttributeValue::UnitRef(offset) => Some(Die { unit, offset }),
            AttributeValue::DebugTypesRef(signature) => self.by_signature.get(&signature.0).copied(),
            AttributeValue::DebugInfoRef(offset) => {
                let behind =
                    self.units[..self.in_debug_info].partition_point(|unit| unit.header.offset().0 <= offset.0);
                let unit = behind.checked_sub(1)?;
                let offset = offset.to_unit_offset(&self.units[unit].header)?;
                Some(Die { unit, offset })
            }
            _ => None,
        }
    }

    /// An attribute of the entry, else of what it is an instance of.
    pub(super) fn inherited<T>(
        &self,
        unit: usize,
        entry: &DebuggingInformationEntry<Reader>,
        get: impl Fn(usize, &DebuggingInformationEntry<Reader>) -> Option<T>,
    ) -> Option<T> {
        const ORIGINS: [DwAt; 2] = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
        if let Some(own) = get(unit, entry) {
            return Some(own);
        }
        let origin = |unit: usize, entry: &DebuggingInformationEntry<Reader>| {
            ORIGINS.into_iter().find_map(|attribute| self.reference(unit, entry.attrs(), attribute))
        };
        let mut next = origin(unit, entry);
        for _ in 0..MAX_REFERENCES {
            let die = next?;
            let entry = self.entry(die)?;
            if let Some(found) = get(die.unit, &entry) {
                return Some(found);
            }
            next = origin(die.unit, &entry);
        }
        None
    }

    /// The `DW_AT_name` of an entry in `unit`.
    pub(super) fn name(&self, unit: usize, attributes: &[Attribute<Reader>]) -> Option<String> {
        self.text(unit, attributes, DW_AT_name)
    }

    /// An attribute of an entry in `unit` that is a text.
    pub(super) fn text(&self, unit: usize, attributes: &[Attribute<Reader>], which: DwAt) -> Option<String> {
        let text = self.dwarf.attr_string(self.unit(unit)?, value(attributes, which)?).ok()?;
        let text = text.to_string_lossy().ok()?;
        (!text.is_empty()).then(|| text.into_owned())
    }

    /// Whether a unit has no code, only what others refer to.
    pub(super) fn has_only_types(&self, unit: usize) -> bool {
        self.unit(unit).is_some_and(|unit| matches!(unit.header.type_(), UnitType::Type { .. } | UnitType::Partial))
    }
}

/// The value of an attribute.
pub(super) fn value(attributes: &[Attribute<Reader>], name: DwAt) -> Option<AttributeValue<Reader>> {
    attributes.iter().find(|attribute| attribute.name() == name).map(Attribute::value)
}

/// The value of an attribute that is a plain number.
pub(super) fn number(attributes: &[Attribute<Reader>], name: DwAt) -> Option<u64> {
    let attribute = attributes.iter().find(|attribute| attribute.name() == name)?;
    attribute.udata_value().or_else(|| attribute.sdata_value().map(i64::cast_unsigned))
}

/// Whether an entry only declares something that is defined elsewhere, as static members of classes are.
pub(super) fn is_declaration(attributes: &[Attribute<Reader>]) -> bool {
    [gimli::DW_AT_declaration, gimli::DW_AT_external].into_iter().any(|name| value(attributes, name).is_some())
}
