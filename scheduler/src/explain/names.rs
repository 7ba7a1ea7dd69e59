//! Names: of threads, of variables, of places, of errors.

use super::allocation::{self, Hint};
use super::heap::{self, Block};
use super::moment::Moment;
use crate::backend::{Target, ThreadState};
use nix::errno::Errno;
use rscale_instrument::maps::{self, Module};
use rscale_instrument::symbols::{Dialect, Place, SourceFrame, Symbolizer, TypeId, Value, Word};
use rscale_instrument::unwind::Frame;
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Family, Op, ThreadId, Variable};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// How the loader names the shim, which it maps from a file without a name.
const SHIM: &str = "/memfd:rscale-shim";

/// The names of one program.
pub struct Names {
    symbols: Symbolizer,
    blocks: heap::Finder,
    /// What is allocated at a call site, as far as it is known.
    allocated: RefCell<HashMap<u64, Option<TypeId>>>,
}

/// Something in memory, by its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The name.
    pub name: String,
    /// What is known of its type.
    pub place: Option<Place>,
}

/// What is mapped into the process of the target, the shim by a path that this process can read.
pub fn modules_of(target: &Target) -> Vec<Module> {
    let mut mappings = maps::parse(&target.mapped());
    let shim = PathBuf::from(target.shim_path());
    let file = target.launch().debugger.as_ref();
    for mapping in &mut mappings {
        let is_shim = |path: &PathBuf| path.to_string_lossy().starts_with(SHIM) || Some(path) == file;
        if mapping.path.as_ref().is_some_and(is_shim) {
            mapping.path = Some(shim.clone());
        }
    }
    maps::modules(&mappings, &maps::start_of_file)
}

impl Names {
    /// Names from what is mapped into the process.
    pub fn new(modules: Vec<Module>) -> Names {
        Names { symbols: Symbolizer::new(modules), blocks: heap::Finder::new(), allocated: RefCell::default() }
    }

    /// What follows is about another execution: heap blocks may be looked for again.
    pub fn begin_report(&self) {
        self.blocks.begin_report();
    }

    /// `file.c:12` of the call whose return address this is.
    pub fn location(&self, return_address: u64) -> String {
        let frames = self.symbols.frames_of_return_address(return_address);
        frames.first().map_or_else(String::new, |frame| frame.location())
    }

    /// The source positions of the instruction before an address, the innermost function first.
    pub fn frames_of_call(&self, return_address: u64) -> Vec<SourceFrame> {
        self.symbols.frames_of_return_address(return_address)
    }

    /// The file that the code at an address comes from.
    pub fn module_of(&self, pc: u64) -> Option<PathBuf> {
        self.symbols.path_of(pc)
    }

    /// What is known of the unit that the instruction before an address belongs to.
    pub fn dialect_of_call(&self, return_address: u64) -> Option<Dialect> {
        self.symbols.dialect(return_address.checked_sub(1)?)
    }

    /// What words may mean in the code before an address.
    pub fn words_at_call(&self, return_address: u64, words: &[&str]) -> Option<Vec<Word>> {
        self.symbols.words(return_address.checked_sub(1)?, words)
    }

    /// The variable with a fixed address that lies there.
    pub fn fixed(&self, address: u64, length: u64) -> Option<Place> {
        self.symbols.place(address, length)
    }

    /// A frame of a stack, with what was inlined into it.
    pub fn frame(&self, frame: &Frame) -> String {
        let frames = self.symbols.frames(frame.lookup_address());
        frames.iter().map(ToString::to_string).collect::<Vec<_>>().join(", inlined into ")
    }

    /// What the program called the thread, or else its start routine.
    pub fn thread(&self, state: &ThreadState) -> String {
        if !state.name.is_empty() {
            return state.name.clone();
        }
        if state.id == ThreadId::MAIN {
            return "main".into();
        }
        // What is inlined at its very start comes before it.
        let frames = self.symbols.frames(state.routine);
        frames.last().and_then(|frame| frame.function.clone()).unwrap_or_default()
    }

    /// The name of a communication variable.
    pub fn variable(&self, variable: Variable, moment: &Moment<'_>) -> String {
        self.named(variable, 1, moment).name
    }

    /// The name of a communication variable of a length in memory; without one, of the largest thing that begins there.
    pub fn named(&self, variable: Variable, length: u64, moment: &Moment<'_>) -> Named {
        let plain = |name| Named { name, place: None };
        if let Some(thread) = variable.as_thread() {
            let name = moment.states.iter().find(|state| state.id == thread).map(|state| self.thread(state));
            return plain(match name.filter(|name| !name.is_empty()) {
                Some(name) => format!("thread {thread} ({name})"),
                None => format!("thread {thread}"),
            });
        }
        if let Some(descriptor) = variable.as_descriptor() {
            return plain(format!("descriptor {descriptor}"));
        }
        let address = variable.0;
        if let Some(place) = self.symbols.place(address, length) {
            return Named { name: place.name.clone(), place: Some(place) };
        }
        if heap::contains(address) {
            return self.in_heap(address, length, moment);
        }
        let found = self.thread_local(address, length, moment).or_else(|| self.local(address, length, moment));
        found.unwrap_or_else(|| plain(self.on_stack(address, moment)))
    }

    /// A part of a block of the heap, by where it was allocated.
    fn in_heap(&self, address: u64, length: u64, moment: &Moment<'_>) -> Named {
        let block = self.blocks.block_around(&moment.target.memory(), address);
        let Some(block) = block.filter(|block| block.site != 0 && !heap::contains(block.site)) else {
            let (thread, offset) = heap::place(address);
            return Named { name: format!("heap block of thread {thread} at +{offset:#x}"), place: None };
        };
        let offset = address - block.data;
        let freed = if block.is_live { "" } else { "freed " };
        let behind = if offset == 0 { String::new() } else { format!(" + {offset}") };
        let name = format!("*{freed}heap object from {}{behind}", self.allocation_place(block.site));
        match self.in_object(&block, offset, length) {
            Some((path, place)) => Named { name: format!("{name}{path}"), place: Some(place) },
            None => Named { name, place: None },
        }
    }

    /// The member of a heap object, or the element of an array there, if the type of the object is certain.
    fn in_object(&self, block: &Block, offset: u64, length: u64) -> Option<(String, Place)> {
        let data_type = self.allocated_at(block.site)?;
        let size = self.symbols.size_of(data_type).filter(|&size| size > 0)?;
        if block.size == 0 || !block.size.is_multiple_of(size) || offset % size + length > size {
            return None;
        }
        let place = self.symbols.inside(data_type, offset % size, length)?;
        let path = match (block.size / size, place.name.strip_prefix('.')) {
            (1, Some(field)) => format!(" (field {field})"),
            (1, None) => String::new(),
            _ if length == 0 && offset == 0 => String::new(),
            _ => format!(" ([{}]{})", offset / size, place.name),
        };
        Some((path, place))
    }

    /// Where the program allocates, given the call of the allocator: not in a header of the system that was inlined.
    fn allocation(&self, site: u64) -> Option<SourceFrame> {
        let frames = self.symbols.frames_of_return_address(site);
        let own = frames.iter().position(|frame| !frame.is_of_system());
        frames.into_iter().nth(own.unwrap_or(0))
    }

    /// That place as `file.cpp:12`.
    pub fn allocation_place(&self, site: u64) -> String {
        self.allocation(site).map_or_else(String::new, |frame| frame.location())
    }

    fn allocated_at(&self, site: u64) -> Option<TypeId> {
        if let Some(known) = self.allocated.borrow().get(&site) {
            return *known;
        }
        let found = self.type_allocated_at(site);
        self.allocated.borrow_mut().insert(site, found);
        found
    }

    /// What the statement at a call site allocates: all its words must mean the same type. It is the statement that has
    /// the call, in a header perhaps that was inlined: what else stands where the program uses that is of other objects.
    fn type_allocated_at(&self, site: u64) -> Option<TypeId> {
        let frame = self.symbols.frames_of_return_address(site).into_iter().next()?;
        let source = unchanged_source(&frame, &self.symbols.path_of(site)?)?;
        let hints = allocation::hints(&source, frame.line? as usize)?;
        let pc = site.checked_sub(1)?;
        let resolve = |hint: &Hint| match hint {
            Hint::Type { name, is_tagged } => self.symbols.type_named(pc, name, *is_tagged),
            Hint::Pointee(names) => self.symbols.pointee(pc, &names.iter().map(String::as_str).collect::<Vec<_>>()),
        };
        let types: Vec<TypeId> = hints.iter().map(resolve).collect::<Option<_>>()?;
        let first = *types.first()?;
        types.iter().all(|&other| other == first).then_some(first)
    }

    fn thread_local(&self, address: u64, length: u64, moment: &Moment<'_>) -> Option<Named> {
        let executable = moment.target.launch().executable.canonicalize().ok()?;
        moment.states.iter().find_map(|state| {
            let place = self.symbols.thread_local(&executable, state.thread_pointer, address, length)?;
            Some(Named { name: format!("thread {}'s thread-local {}", state.id, place.name), place: Some(place) })
        })
    }

    /// A local variable of a function that is active.
    fn local(&self, address: u64, length: u64, moment: &Moment<'_>) -> Option<Named> {
        moment.frames().find_map(|(state, frames)| {
            let local = frames.iter().find_map(|frame| self.symbols.local(frame, address, length))?;
            let declared = local.declared.map_or_else(String::new, |declared| format!(" ({declared})"));
            let thread = if state.id == ThreadId::MAIN { String::new() } else { format!(" of thread {}", state.id) };
            let name = format!("{}'s local {}{declared}{thread}", local.function, local.place.name);
            Some(Named { name, place: Some(local.place) })
        })
    }

    /// An address without a name; on a stack, with the function that it belongs to.
    fn on_stack(&self, address: u64, moment: &Moment<'_>) -> String {
        let inside = moment.frames().find_map(|(state, frames)| {
            let mut below = frames.first()?.registers.values[rscale_instrument::unwind::Registers::RSP];
            frames.iter().find_map(|frame| {
                let is_inside = (below..frame.cfa).contains(&address);
                below = frame.cfa;
                let function = self.symbols.frames(frame.lookup_address()).pop()?.function?;
                is_inside.then(|| format!("{address:#x} (stack of thread {}, in {function})", state.id))
            })
        });
        inside.unwrap_or_else(|| self.symbols.location(address))
    }

    /// The values in the bytes of a place.
    pub fn values(&self, place: &Place, bytes: &[u8]) -> Vec<Value> {
        self.symbols.values(place, bytes)
    }

    /// An address that a variable holds, by what lies there.
    pub fn pointer(&self, address: u64, moment: &Moment<'_>) -> String {
        if address == 0 {
            return "NULL".into();
        }
        if let Some(function) = self.symbols.function_at(address) {
            return function;
        }
        let name = self.named(Variable(address), 0, moment).name;
        match name.strip_prefix('*') {
            _ if Variable(address).as_address().is_none() => format!("{address:#x}"),
            Some(object) => object.to_owned(),
            None if name.starts_with("0x") || name.starts_with("heap block") => format!("{address:#x}"),
            None => format!("&{name}"),
        }
    }
}

/// The source file of a frame, unless it is newer than the program that was made from it.
pub fn unchanged_source(frame: &SourceFrame, module: &Path) -> Option<String> {
    let path = Path::new(frame.file.as_deref()?);
    let changed = |path: &Path| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    (changed(path)? <= changed(module)?).then(|| std::fs::read_to_string(path).ok())?
}

/// The operation in words; a timed one is called so.
pub fn operation(action: &Action) -> String {
    let is_wait = !matches!(action.op, Op::Sleep | Op::FutexRequeue);
    if action.is_timed() && is_wait { format!("timed {}", action.op.name()) } else { action.op.name().to_string() }
}

/// What a step returned: nothing for success, the name of an error, or a number.
pub fn result(step: &Step) -> String {
    let is_count = matches!(step.action.op, Op::SemGetValue | Op::FutexWake | Op::FutexRequeue | Op::Choose);
    match step.result {
        0 => String::new(),
        rscale_protocol::model::CANCELLED => "cancelled".into(),
        count if is_count => count.to_string(),
        1.. if step.action.op == Op::BarrierArrive => String::new(), // how many are missing
        1 if step.action.op == Op::OnceEnter => "runs the routine".into(),
        -1 if step.action.op.family() == Family::Barrier => "PTHREAD_BARRIER_SERIAL_THREAD".into(),
        error => format!("{:?}", Errno::from_raw(error.abs())),
    }
}
