//! Places in memory by name, with what is needed to show the values there.

use std::path::{Path, PathBuf};

use super::types::Inside;
use super::units::Die;
use super::values::Value;
use super::{LazyModule, Symbolizer, locals};
use crate::unwind::Frame;

/// A type of one of the modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeId {
    module: usize,
    die: Die,
}

/// A range of memory that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name, down to members and array elements; within something of a type, only the path: `.next`.
    pub name: String,
    module: usize,
    inside: Inside,
}

/// A local variable that has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalPlace {
    /// The function that it belongs to.
    pub function: String,
    /// Where it is declared, as `main.c:12`.
    pub declared: Option<String>,
    /// The variable itself.
    pub place: Place,
}

impl Place {
    fn new(module: usize, mut inside: Inside) -> Place {
        Place { name: std::mem::take(&mut inside.path), module, inside }
    }

    /// Whether debug information knows what it is.
    #[must_use]
    pub fn has_type(&self) -> bool {
        self.inside.has_type
    }

    /// Whether its type makes accesses atomic: `_Atomic int`, `std::atomic<int>`, `AtomicU32`.
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        self.inside.is_atomic
    }
}

impl Symbolizer {
    /// The global or static variable at a range of addresses, like [`Symbolizer::variable`].
    #[must_use]
    pub fn place(&self, address: u64, length: u64) -> Option<Place> {
        let (index, module) = self.indexed_module_at(address)?;
        let address = address.wrapping_sub(module.module.bias);
        let contents = module.contents();
        let inside = contents.variables().and_then(|variables| variables.at(address, length));
        let inside = inside
            .or_else(|| Some(Inside { path: contents.table.variable(address)?.to_string(), ..Inside::default() }))?;
        Some(Place::new(index, inside))
    }

    /// The variable of the executable that lies there in the thread-local storage of a thread.
    #[must_use]
    pub fn thread_local(&self, executable: &Path, thread_pointer: u64, address: u64, length: u64) -> Option<Place> {
        let index = self.modules.iter().position(|lazy| lazy.module.path == executable)?;
        let contents = self.modules[index].contents();
        let size = contents.thread_local_size?;
        let offset = address.checked_sub(thread_pointer.checked_sub(size)?).filter(|&offset| offset < size)?;
        Some(Place::new(index, contents.variables()?.thread_local_at(offset, length)?))
    }

    /// The local variable of an activation that lies there. If there are several it is none: their lives do not
    /// overlap, and which of them it is, is not known.
    #[must_use]
    pub fn local(&self, frame: &Frame, address: u64, length: u64) -> Option<LocalPlace> {
        let (index, module, pc) = self.code_at(frame.lookup_address())?;
        let variables = module.contents().variables()?;
        let types = variables.types();
        let mut found: Option<LocalPlace> = None;
        for local in module.contents().locals_at(pc).iter() {
            let Some(start) = local.address(frame) else { continue };
            let Some(offset) = address.checked_sub(start) else { continue };
            if types.size(local.data_type).is_none_or(|size| offset >= size) {
                continue;
            }
            let inside = types.inside(local.data_type, offset, length);
            let inside = Inside { path: format!("{}{}", local.name, inside.path), ..inside };
            let declared = self.declaration(frame, local);
            let function = local.function.clone();
            let place = LocalPlace { function, declared, place: Place::new(index, inside) };
            if found.replace(place).is_some() {
                return None;
            }
        }
        found
    }

    fn declaration(&self, frame: &Frame, local: &locals::Local) -> Option<String> {
        let frames = self.frames(frame.lookup_address());
        // Functions of C++ have their parameters in their names here, and not there.
        let is_own = |name: &String| name.split('(').next().is_some_and(|name| name.ends_with(&local.function));
        let own = frames.iter().find(|frame| frame.function.as_ref().is_some_and(is_own))?;
        Some(format!("{}:{}", own.short_file()?, local.line?))
    }

    /// The type of this name, as the code at an address knows it; `is_tagged` for `struct node` and the like.
    #[must_use]
    pub fn type_named(&self, pc: u64, name: &str, is_tagged: bool) -> Option<TypeId> {
        let (module, lazy, pc) = self.code_at(pc)?;
        let die = lazy.contents().variables()?.type_named(pc, name, is_tagged)?;
        Some(TypeId { module, die })
    }

    /// What the variable points to, or the member of it that a list of names leads to, as the code at an address knows
    /// it.
    #[must_use]
    pub fn pointee(&self, pc: u64, names: &[&str]) -> Option<TypeId> {
        let (module, lazy, pc) = self.code_at(pc)?;
        let variables = lazy.contents().variables()?;
        let die = variables.pointee(variables.type_of(pc, names)?)?;
        Some(TypeId { module, die })
    }

    /// The size of a type in bytes.
    #[must_use]
    pub fn size_of(&self, data_type: TypeId) -> Option<u64> {
        self.modules.get(data_type.module)?.contents().variables()?.types().size(data_type.die)
    }

    /// What lies at a range within something of this type.
    #[must_use]
    pub fn inside(&self, data_type: TypeId, offset: u64, length: u64) -> Option<Place> {
        let types = self.modules.get(data_type.module)?.contents().variables()?.types();
        Some(Place::new(data_type.module, types.inside(data_type.die, offset, length)))
    }

    /// The values in the bytes of a place: one, or those of the members that it covers; none where types do not tell.
    #[must_use]
    pub fn values(&self, place: &Place, bytes: &[u8]) -> Vec<Value> {
        let variables = self.modules.get(place.module).and_then(|module| module.contents().variables());
        let Some(variables) = variables else { return Vec::new() };
        let types = variables.types();
        let values: Option<Vec<Value>> = place.inside.leaves.iter().map(|leaf| types.value(leaf, bytes)).collect();
        values.unwrap_or_default()
    }

    /// The function that begins at an address.
    #[must_use]
    pub fn function_at(&self, address: u64) -> Option<String> {
        let (_, module, start) = self.code_at(address)?;
        let found = module.contents().table.function(start).filter(|found| found.offset == 0)?;
        Some(found.name)
    }

    /// The file that the code at an address comes from.
    #[must_use]
    pub fn path_of(&self, pc: u64) -> Option<PathBuf> {
        Some(self.indexed_module_at(pc)?.1.module.path.clone())
    }

    /// The module of a program counter, and the address in the terms of its file.
    pub(super) fn code_at(&self, pc: u64) -> Option<(usize, &LazyModule, u64)> {
        let (index, module) = self.indexed_module_at(pc)?;
        Some((index, module, pc.wrapping_sub(module.module.bias)))
    }
}
