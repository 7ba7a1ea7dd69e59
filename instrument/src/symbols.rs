//! Turns addresses of the running target into functions, lines and variable names.
//!
//! A report that names `queue.lock` and `main.c:12` is understood at once; one of numbers is not. DWARF
//! is read where there is some, then the symbol table, and `a.out+0x1139` is what remains. Files are
//! opened when an address in them is first asked for, since most libraries of a program never are.

mod declared;
mod expressions;
mod frame;
mod lines;
mod locals;
mod lookup;
mod opaque;
mod places;
mod signature;
mod table;
mod types;
mod units;
mod values;
mod variables;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use gimli::{Dwarf, LittleEndian, SectionId};

use crate::image::{Image, Reader};
use crate::maps::Module;
pub use declared::{Declared, Dialect, Level, Word};
pub use frame::SourceFrame;
use lines::Lines;
use locals::Local;
pub use lookup::{FunctionSymbol, LookupError, find_function};
pub use places::{LocalPlace, Place, TypeId};
use signature::Signature;
pub use signature::Width;
use table::SymbolTable;
pub use values::Value;
use variables::Variables;

/// Answers kept per kind of question. A program that touches more addresses starts over.
const CACHE_LIMIT: usize = 1 << 16;

/// Answers questions about the addresses of one process.
///
/// It may move between threads but not be shared by them: the caches are not synchronised.
pub struct Symbolizer {
    modules: Vec<LazyModule>,
    frames: Cache<Vec<SourceFrame>>,
    variables: Cache<Option<String>>,
}

impl Symbolizer {
    /// Prepares to answer for these modules; opens no file yet.
    #[must_use]
    pub fn new(mut modules: Vec<Module>) -> Self {
        modules.sort_by_key(|module| module.start);
        Self {
            modules: modules.into_iter().map(LazyModule::new).collect(),
            frames: Cache::default(),
            variables: Cache::default(),
        }
    }

    /// The source positions of a program counter: the innermost inlined function first, the function
    /// that the code really belongs to last. There is always at least one.
    #[must_use]
    pub fn frames(&self, pc: u64) -> Vec<SourceFrame> {
        self.frames.get_or_insert_with(pc, || {
            self.module_at(pc).map_or_else(|| vec![SourceFrame::unknown(pc)], |module| module.frames(pc))
        })
    }

    /// The source positions of the call before a return address.
    #[must_use]
    pub fn frames_of_return_address(&self, pc: u64) -> Vec<SourceFrame> {
        self.frames(pc.saturating_sub(1))
    }

    /// Where a program counter is, in short: `main.c:12`, else `a.out+0x1139`.
    #[must_use]
    pub fn location(&self, pc: u64) -> String {
        self.frames(pc).first().map_or_else(|| format!("{pc:#x}"), SourceFrame::location)
    }

    /// The global or static variable at an address, down to the member and the array element:
    /// `queue.lock`, `table[2].lock`. Without debug information `queue` or `queue+8`.
    #[must_use]
    pub fn variable(&self, address: u64) -> Option<String> {
        let module = self.module_at(address)?;
        self.variables.get_or_insert_with(address, || module.variable(address))
    }

    /// What the function that begins at an address takes and returns.
    fn signature(&self, address: u64) -> Option<Signature> {
        let module = self.module_at(address)?;
        let units = &module.contents().variables()?.units;
        signature::signature_at(units, address.wrapping_sub(module.module.bias))
    }

    fn module_at(&self, address: u64) -> Option<&LazyModule> {
        self.indexed_module_at(address).map(|(_, module)| module)
    }

    fn indexed_module_at(&self, address: u64) -> Option<(usize, &LazyModule)> {
        let index = self.modules.partition_point(|lazy| lazy.module.start <= address).checked_sub(1)?;
        let module = &self.modules[index];
        module.module.contains(address).then_some((index, module))
    }
}

/// A module and what was read of its file so far.
struct LazyModule {
    module: Module,
    contents: OnceCell<Contents>,
}

/// What a module's file tells. Everything stays empty if it can not be read.
#[derive(Default)]
struct Contents {
    dwarf: Option<Arc<Dwarf<Reader>>>,
    lines: Option<Lines>,
    table: SymbolTable,
    variables: OnceCell<Option<Variables>>,
    /// Locals by program counter: whoever follows an execution asks for the same ones again and again.
    locals: Cache<Arc<[Local]>>,
    /// How far before the thread pointer an executable's thread-local storage begins.
    thread_local_size: Option<u64>,
}

impl LazyModule {
    fn new(module: Module) -> Self {
        Self { module, contents: OnceCell::new() }
    }

    fn contents(&self) -> &Contents {
        self.contents.get_or_init(|| {
            Image::read(&self.module.path).map_or_else(Contents::default, |image| Contents::new(&image))
        })
    }

    fn frames(&self, pc: u64) -> Vec<SourceFrame> {
        let address = pc.wrapping_sub(self.module.bias);
        let contents = self.contents();
        let mut frames = contents.lines.as_ref().map_or_else(Vec::new, |lines| lines.frames(address));
        if frames.is_empty() {
            frames.push(SourceFrame::unknown(address));
        }
        let name = self.module.name();
        for frame in &mut frames {
            frame.module = Some(name.clone());
            frame.address = address;
        }
        if let Some(outermost) = frames.last_mut().filter(|frame| frame.function.is_none())
            && let Some(found) = contents.table.function(address)
        {
            outermost.function = Some(found.name);
            outermost.function_offset = Some(found.offset);
        }
        frames
    }

    fn variable(&self, address: u64) -> Option<String> {
        let address = address.wrapping_sub(self.module.bias);
        let contents = self.contents();
        contents
            .variables()
            .and_then(|variables| Some(variables.at(address, 1)?.path))
            .or_else(|| Some(contents.table.variable(address)?.to_string()))
    }
}

impl Contents {
    fn new(image: &Image) -> Self {
        let dwarf = load_dwarf(image).map(Arc::new);
        Self {
            lines: dwarf.clone().and_then(Lines::new),
            dwarf,
            table: SymbolTable::new(image.symbols()),
            variables: OnceCell::new(),
            locals: Cache::default(),
            thread_local_size: image.thread_local_size(),
        }
    }

    fn variables(&self) -> Option<&Variables> {
        self.variables.get_or_init(|| self.dwarf.clone().map(Variables::new)).as_ref()
    }

    /// The locals in scope at an address of the file.
    fn locals_at(&self, pc: u64) -> Arc<[Local]> {
        self.locals.get_or_insert_with(pc, || match self.variables() {
            Some(variables) => locals::locals_at(&variables.units, pc).into(),
            None => Arc::default(),
        })
    }
}

/// `None` for a file without debug information.
fn load_dwarf(image: &Image) -> Option<Dwarf<Reader>> {
    image.section(SectionId::DebugInfo.name())?;
    let section = |id: SectionId| -> Result<Reader, gimli::Error> {
        Ok(image.section(id.name()).map_or_else(|| Reader::new(Arc::from([]), LittleEndian), |area| area.data))
    };
    Dwarf::load(section).ok()
}

/// Remembered answers by address.
struct Cache<T>(RefCell<HashMap<u64, T>>);

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> Cache<T> {
    fn get_or_insert_with(&self, key: u64, answer: impl FnOnce() -> T) -> T {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let answer = answer();
        let mut answers = self.0.borrow_mut();
        if answers.len() >= CACHE_LIMIT {
            answers.clear();
        }
        answers.insert(key, answer.clone());
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_modules_give_module_and_offset() {
        let symbolizer = Symbolizer::new(vec![Module {
            path: "/nonexistent/a.out".into(),
            bias: 0x1000,
            start: 0x1000,
            end: 0x2000,
        }]);
        assert_eq!(symbolizer.location(0x1139), "a.out+0x139");
        assert_eq!(symbolizer.location(0x2000), "0x2000");
        assert_eq!(symbolizer.frames(0x1139).len(), 1);
        assert_eq!(symbolizer.variable(0x1139), None);
        assert_eq!(symbolizer.frames_of_return_address(0).len(), 1);
    }

    #[test]
    fn can_move_between_threads() {
        fn check<T: Send>() {}
        check::<Symbolizer>();
    }

    #[test]
    fn the_cache_stays_bounded() {
        let cache = Cache::default();
        for key in 0..CACHE_LIMIT as u64 + 10 {
            assert_eq!(cache.get_or_insert_with(key, || key), key);
        }
        assert!(cache.0.borrow().len() <= CACHE_LIMIT);
        assert_eq!(cache.get_or_insert_with(CACHE_LIMIT as u64 + 9, || 0), 65545);
    }
}
