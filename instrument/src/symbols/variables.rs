//! The variables with a fixed address: globals, file statics, function statics, class statics.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gimli::{Attribute, AttributeValue, DwTag, Dwarf, Operation};

use super::opaque::is_opaque_in_namespace;
use super::types::{Inside, Types};
use super::units::{Die, Units, is_declaration, value};
use crate::image::Reader;

/// Variables may overlap (unions of the linker's making); this many starts are tried per address.
const MAX_CANDIDATES: usize = 8;

/// A definition may refer to its declaration in a few steps, a damaged file in a circle.
const MAX_REFERENCES: usize = 8;

/// The variables of one module, sorted by address.
pub(super) struct Variables {
    pub(super) units: Units,
    pub(super) variables: Vec<Variable>,
    /// Those of which every thread has its own, by their offset in its storage.
    thread_locals: Vec<Variable>,
    opaque_types: HashSet<Die>,
}

/// A variable that lives as long as the program, or its thread.
pub(super) struct Variable {
    address: u64,
    pub(super) name: String,
    pub(super) data_type: Option<Die>,
}

/// Where a variable lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Address(u64),
    /// At an offset in the thread-local storage of the module.
    ThreadLocal(u64),
}

impl Variables {
    /// Collects the variables from all units.
    pub(super) fn new(dwarf: Arc<Dwarf<Reader>>) -> Self {
        let units = Units::new(dwarf);
        let mut collector = Collector::new(&units);
        for unit in 0..units.count() {
            // A damaged unit ends early; what was found in it until then is kept.
            let _ = collector.collect(unit);
        }
        let (mut variables, mut thread_locals) = collector.finish();
        for list in [&mut variables, &mut thread_locals] {
            list.sort_by_key(|variable| (variable.address, variable.data_type.is_some()));
        }
        Self { variables, thread_locals, opaque_types: collector.opaque_types, units }
    }

    /// The types of the module.
    pub(super) fn types(&self) -> Types<'_> {
        Types { units: &self.units, opaque: &self.opaque_types }
    }

    /// What lies at a range of addresses, with members and array indices.
    pub(super) fn at(&self, address: u64, length: u64) -> Option<Inside> {
        self.find(&self.variables, address, length)
    }

    /// What lies at a range of offsets in a thread's storage.
    pub(super) fn thread_local_at(&self, offset: u64, length: u64) -> Option<Inside> {
        self.find(&self.thread_locals, offset, length)
    }

    fn find(&self, variables: &[Variable], address: u64, length: u64) -> Option<Inside> {
        let types = self.types();
        let behind = variables.partition_point(|variable| variable.address <= address);
        variables[..behind].iter().rev().take(MAX_CANDIDATES).find_map(|variable| {
            let data_type = variable.data_type?;
            let offset = address - variable.address;
            // clang leaves out the definitions of classes that it takes to be described elsewhere.
            let is_inside = types.size(data_type).map_or(offset == 0, |size| offset < size);
            let inside = is_inside.then(|| types.inside(data_type, offset, length))?;
            Some(Inside { path: format!("{}{}", variable.name, inside.path), ..inside })
        })
    }
}

/// The state of one pass over all units.
struct Collector<'a> {
    units: &'a Units,
    definitions: Vec<Definition>,
    /// Names with namespaces of what is declared in one place and defined in another.
    declared: HashMap<Die, String>,
    opaque_types: HashSet<Die>,
}

/// A variable with an address, before its declaration is looked up.
struct Definition {
    die: Die,
    home: Home,
    name: Option<String>,
}

/// A namespace, class or function around the entries that follow.
struct Scope {
    depth: isize,
    /// With everything around it; empty inside functions, whose statics go by their own name.
    name: String,
}

impl<'a> Collector<'a> {
    fn new(units: &'a Units) -> Self {
        Self { units, definitions: Vec::new(), declared: HashMap::new(), opaque_types: HashSet::new() }
    }

    fn collect(&mut self, index: usize) -> gimli::Result<()> {
        let Some(unit) = self.units.unit(index) else {
            return Ok(());
        };
        let mut entries = unit.entries_raw(None)?;
        let mut attributes = Vec::new();
        let mut scopes: Vec<Scope> = Vec::new();
        while !entries.is_empty() {
            let depth = entries.next_depth();
            let die = Die { unit: index, offset: entries.next_offset() };
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            while scopes.last().is_some_and(|scope| scope.depth >= depth) {
                scopes.pop();
            }
            let tag = abbreviation.tag();
            if !is_of_interest(tag) {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            entries.read_attributes(abbreviation.attributes(), &mut attributes)?;
            let around = scopes.last().map_or("", |scope| &scope.name);
            match tag {
                gimli::DW_TAG_variable | gimli::DW_TAG_member => self.add_variable(die, tag, &attributes, around),
                _ => {
                    let name = self.scope_name(die, tag, &attributes, around);
                    scopes.push(Scope { depth, name });
                }
            }
        }
        Ok(())
    }

    fn scope_name(&mut self, die: Die, tag: DwTag, attributes: &[Attribute<Reader>], around: &str) -> String {
        if tag == gimli::DW_TAG_subprogram {
            return String::new();
        }
        if tag == gimli::DW_TAG_namespace {
            let name = self.units.name(die.unit, attributes);
            return qualified(around, name.as_deref().unwrap_or("(anonymous namespace)"));
        }
        self.class_name(die, attributes, around)
    }

    /// A class may be declared inside its namespace and defined outside, with a reference to the declaration.
    fn class_name(&mut self, die: Die, attributes: &[Attribute<Reader>], around: &str) -> String {
        let declaration = self.units.reference(die.unit, attributes, gimli::DW_AT_specification);
        if let Some(declaration) = declaration
            && let Some(name) = self.declared.get(&declaration)
        {
            if self.opaque_types.contains(&declaration) {
                self.opaque_types.insert(die);
            }
            return name.clone();
        }
        // Where types have units of their own, clang leaves the name to them.
        let defined = || {
            let die = self.units.reference(die.unit, attributes, gimli::DW_AT_signature)?;
            self.units.name(die.unit, self.units.entry(die)?.attrs())
        };
        let Some(name) = self.units.name(die.unit, attributes).or_else(defined) else {
            return around.to_owned();
        };
        if is_opaque_in_namespace(around, &name) {
            self.opaque_types.insert(die);
        }
        let name = qualified(around, &name);
        if is_declaration(attributes) {
            self.declared.insert(die, name.clone());
        }
        name
    }

    fn add_variable(&mut self, die: Die, tag: DwTag, attributes: &[Attribute<Reader>], around: &str) {
        let name = || self.units.name(die.unit, attributes).map(|name| qualified(around, &name));
        if let Some(home) = self.fixed_home(die.unit, attributes) {
            let name = name();
            self.definitions.push(Definition { die, home, name });
            return;
        }
        let may_be_static = tag == gimli::DW_TAG_variable || is_declaration(attributes);
        if may_be_static
            && !around.is_empty()
            && let Some(name) = name()
        {
            self.declared.insert(die, name);
        }
    }

    /// The place of a variable that has the same one for its whole life.
    fn fixed_home(&self, index: usize, attributes: &[Attribute<Reader>]) -> Option<Home> {
        let AttributeValue::Exprloc(expression) = value(attributes, gimli::DW_AT_location)? else {
            return None;
        };
        let unit = self.units.unit(index)?;
        let mut operations = expression.operations(unit.encoding());
        let start = match operations.next().ok()?? {
            Operation::Address { address } => address,
            Operation::AddressIndex { index } => self.units.dwarf().address(unit, index).ok()?,
            Operation::UnsignedConstant { value } => {
                let is_offset = operations.next().ok()? == Some(Operation::TLS) && operations.next().ok()?.is_none();
                return is_offset.then_some(Home::ThreadLocal(value));
            }
            _ => return None,
        };
        let address = match operations.next().ok()? {
            None => start,
            Some(Operation::PlusConstant { value }) => start.checked_add(value)?,
            Some(_) => return None,
        };
        // The linker leaves 0 for variables that it removed.
        (address != 0 && operations.next().ok()?.is_none()).then_some(Home::Address(address))
    }

    /// The variables of all threads, and those of each.
    fn finish(&mut self) -> (Vec<Variable>, Vec<Variable>) {
        let definitions = std::mem::take(&mut self.definitions);
        let (shared, own): (Vec<_>, Vec<_>) =
            definitions.into_iter().partition(|definition| matches!(definition.home, Home::Address(_)));
        let complete = |list: Vec<Definition>| list.into_iter().filter_map(|one| self.complete(one)).collect();
        (complete(shared), complete(own))
    }

    /// Takes name and type from the declaration where the definition has none.
    fn complete(&self, definition: Definition) -> Option<Variable> {
        let mut name = definition.name;
        let mut data_type = None;
        let mut here = Some(definition.die);
        for _ in 0..MAX_REFERENCES {
            let Some(die) = here else { break };
            let entry = self.units.entry(die)?;
            let attributes = entry.attrs();
            name = name.or_else(|| self.declared.get(&die).cloned()).or_else(|| self.units.name(die.unit, attributes));
            data_type = data_type.or_else(|| self.units.reference(die.unit, attributes, gimli::DW_AT_type));
            if name.is_some() && data_type.is_some() {
                break;
            }
            here = [gimli::DW_AT_specification, gimli::DW_AT_abstract_origin]
                .into_iter()
                .find_map(|attribute| self.units.reference(die.unit, attributes, attribute));
        }
        let (Home::Address(address) | Home::ThreadLocal(address)) = definition.home;
        Some(Variable { address, name: name?, data_type })
    }
}

fn is_of_interest(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_variable
            | gimli::DW_TAG_member
            | gimli::DW_TAG_namespace
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_subprogram
    )
}

fn qualified(around: &str, name: &str) -> String {
    match around {
        "" => name.to_owned(),
        _ => format!("{around}::{name}"),
    }
}
