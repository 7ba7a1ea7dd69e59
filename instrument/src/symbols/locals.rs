//! The local variables of functions, by where the program counter is.
//!
//! A local has a name only while its scope is active, and only some of its life in memory. Both are looked up for the
//! program counter of a frame; what lies in a register has no address, and other expressions are left alone.

use gimli::{AttributeValue, DebuggingInformationEntry, EntriesTreeNode, Expression, Operation, Unit};

use super::units::{Die, Units, number, value};
use crate::image::Reader;
use crate::unwind::{Frame, Registers};

/// Scopes nested deeper than this are the work of a damaged file.
const MAX_DEPTH: usize = 64;

/// A parameter or local variable.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: String,
    /// The function it belongs to, inlined or not.
    pub(super) function: String,
    pub(super) line: Option<u64>,
    pub(super) data_type: Die,
    home: Option<Home>,
}

/// Where something lies in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// At a distance from the canonical frame address.
    Frame(i64),
    /// At a distance from what a register holds.
    Register(usize, i64),
}

impl Local {
    /// Its address in an activation of its function.
    pub(super) fn address(&self, frame: &Frame) -> Option<u64> {
        match self.home? {
            Home::Frame(offset) => (frame.cfa != 0).then(|| frame.cfa.wrapping_add_signed(offset)),
            Home::Register(number, offset) => Some(frame.registers.values.get(number)?.wrapping_add_signed(offset)),
        }
    }
}

/// The unit whose code contains an address.
pub(super) fn unit_at(units: &Units, pc: u64) -> Option<usize> {
    (0..units.count()).find(|&index| {
        let ranges = units.unit(index).and_then(|unit| units.dwarf().unit_ranges(unit).ok());
        ranges.is_some_and(|ranges| contains(ranges, pc))
    })
}

/// The locals in scope at an address of the file, those of inner scopes behind those around them.
pub(super) fn locals_at(units: &Units, pc: u64) -> Vec<Local> {
    let mut found = Vec::new();
    let scopes = unit_at(units, pc).and_then(|index| {
        let unit = units.unit(index)?;
        let function = function_at(units, unit, pc)?;
        Some(Scopes { units, unit, index, pc, base: frame_base(unit, &function), found: &mut found }.walk(&function))
    });
    // A damaged unit ends early; what was found in it until then is right.
    let _ = scopes;
    found
}

/// The function whose code contains an address.
pub(super) fn function_at(units: &Units, unit: &Unit<Reader>, pc: u64) -> Option<DebuggingInformationEntry<Reader>> {
    let mut entries = unit.entries_raw(None).ok()?;
    let mut entry = DebuggingInformationEntry::null();
    while !entries.is_empty() {
        let is_entry = entries.read_entry(&mut entry).ok()?;
        if is_entry && entry.tag() == gimli::DW_TAG_subprogram && has_code_at(units, unit, &entry, pc) {
            return Some(entry);
        }
    }
    None
}

fn has_code_at(units: &Units, unit: &Unit<Reader>, entry: &DebuggingInformationEntry<Reader>, pc: u64) -> bool {
    units.dwarf().die_ranges(unit, entry).is_ok_and(|ranges| contains(ranges, pc))
}

fn contains(mut ranges: gimli::RangeIter<Reader>, pc: u64) -> bool {
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&pc) {
            return true;
        }
    }
    false
}

/// What `DW_OP_fbreg` counts from.
fn frame_base(unit: &Unit<Reader>, function: &DebuggingInformationEntry<Reader>) -> Option<Home> {
    let AttributeValue::Exprloc(expression) = value(function.attrs(), gimli::DW_AT_frame_base)? else { return None };
    match only_operation(unit, &expression)? {
        Operation::CallFrameCFA => Some(Home::Frame(0)),
        Operation::Register { register } => kept(register, 0),
        Operation::RegisterOffset { register, offset, .. } => kept(register, offset),
        _ => None,
    }
}

/// A register that unwinding restores.
fn kept(register: gimli::Register, offset: i64) -> Option<Home> {
    let number = usize::from(register.0);
    matches!(number, Registers::RBP | Registers::RSP).then_some(Home::Register(number, offset))
}

fn only_operation(unit: &Unit<Reader>, expression: &Expression<Reader>) -> Option<Operation<Reader>> {
    let mut operations = expression.clone().operations(unit.encoding());
    let only = operations.next().ok()??;
    operations.next().ok()?.is_none().then_some(only)
}

/// A walk through the scopes of one function.
struct Scopes<'a> {
    units: &'a Units,
    unit: &'a Unit<Reader>,
    index: usize,
    pc: u64,
    base: Option<Home>,
    found: &'a mut Vec<Local>,
}

impl Scopes<'_> {
    fn walk(mut self, function: &DebuggingInformationEntry<Reader>) -> gimli::Result<()> {
        let name = self.units.inherited(self.index, function, |unit, entry| self.units.name(unit, entry.attrs()));
        let mut tree = self.unit.entries_tree(Some(function.offset()))?;
        let root = tree.root()?;
        self.visit(root, &name.unwrap_or_default(), MAX_DEPTH)
    }

    fn visit(&mut self, scope: EntriesTreeNode<'_, '_, Reader>, function: &str, depth: usize) -> gimli::Result<()> {
        let mut children = scope.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => self.add(entry, function),
                gimli::DW_TAG_lexical_block if depth > 0 && has_code_at(self.units, self.unit, entry, self.pc) => {
                    self.visit(child, function, depth - 1)?;
                }
                gimli::DW_TAG_inlined_subroutine if depth > 0 && has_code_at(self.units, self.unit, entry, self.pc) => {
                    let name =
                        self.units.inherited(self.index, entry, |unit, entry| self.units.name(unit, entry.attrs()));
                    self.visit(child, &name.unwrap_or_default(), depth - 1)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add(&mut self, entry: &DebuggingInformationEntry<Reader>, function: &str) {
        let name = self.units.inherited(self.index, entry, |unit, entry| self.units.name(unit, entry.attrs()));
        let data_type = self
            .units
            .inherited(self.index, entry, |unit, entry| self.units.reference(unit, entry.attrs(), gimli::DW_AT_type));
        let line = self.units.inherited(self.index, entry, |_, entry| number(entry.attrs(), gimli::DW_AT_decl_line));
        if let (Some(name), Some(data_type)) = (name, data_type) {
            let home = self.home(entry);
            self.found.push(Local { name, function: function.to_owned(), line, data_type, home });
        }
    }

    /// Where a variable lies at the program counter.
    fn home(&self, entry: &DebuggingInformationEntry<Reader>) -> Option<Home> {
        let location = value(entry.attrs(), gimli::DW_AT_location)?;
        let expression = match location {
            AttributeValue::Exprloc(expression) => expression,
            list => self.listed(list)?,
        };
        match only_operation(self.unit, &expression)? {
            Operation::FrameOffset { offset } => match self.base? {
                Home::Frame(base) => Some(Home::Frame(base.checked_add(offset)?)),
                Home::Register(number, base) => Some(Home::Register(number, base.checked_add(offset)?)),
            },
            Operation::RegisterOffset { register, offset, .. } => kept(register, offset),
            _ => None,
        }
    }

    /// The expression of a location list that holds at the program counter; none if there are several.
    fn listed(&self, list: AttributeValue<Reader>) -> Option<Expression<Reader>> {
        let mut entries = self.units.dwarf().attr_locations(self.unit, list).ok()??;
        let mut found = None;
        while let Some(entry) = entries.next().ok()? {
            if (entry.range.begin..entry.range.end).contains(&self.pc) && found.replace(entry.data).is_some() {
                return None;
            }
        }
        found
    }
}
