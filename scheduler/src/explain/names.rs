//! Names: of threads, of variables, of places, of errors.

use super::heap;
use crate::backend::{Memory, Target, ThreadState};
use nix::errno::Errno;
use rscale_instrument::maps::{self, Module};
use rscale_instrument::symbols::Symbolizer;
use rscale_instrument::unwind::Frame;
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Family, Op, ThreadId, Variable};
use std::path::{Path, PathBuf};

/// How the loader names the shim, which it maps from a file without a name.
const SHIM: &str = "/memfd:rscale-shim";

/// The names of one program.
pub struct Names {
    symbols: Symbolizer,
    memory: Memory,
}

/// What is mapped into the process of the target, the shim by a path that this process can read.
pub fn modules_of(target: &Target) -> Vec<Module> {
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", target.memory().pid())).unwrap_or_default();
    let mut mappings = maps::parse(&maps);
    let shim = PathBuf::from(target.shim_path());
    for mapping in &mut mappings {
        if mapping.path.as_ref().is_some_and(|path| path.to_string_lossy().starts_with(SHIM)) {
            mapping.path = Some(shim.clone());
        }
    }
    maps::modules(&mappings, &|path: &Path| std::fs::read(path).ok())
}

impl Names {
    /// Names from what is mapped into the process, and from its memory as it is now.
    pub fn new(modules: Vec<Module>, memory: Memory) -> Names {
        Names { symbols: Symbolizer::new(modules), memory }
    }

    /// `file.c:12` of the call whose return address this is.
    pub fn location(&self, return_address: u64) -> String {
        let frames = self.symbols.frames_of_return_address(return_address);
        frames.first().map_or_else(String::new, |frame| frame.location())
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
        let frames = self.symbols.frames(state.routine);
        frames.first().and_then(|frame| frame.function.clone()).unwrap_or_default()
    }

    /// The name of a communication variable.
    pub fn variable(&self, variable: Variable, threads: &[ThreadState]) -> String {
        if let Some(thread) = variable.as_thread() {
            let name = threads.iter().find(|state| state.id == thread).map(|state| self.thread(state));
            return match name.filter(|name| !name.is_empty()) {
                Some(name) => format!("thread {thread} ({name})"),
                None => format!("thread {thread}"),
            };
        }
        if let Some(descriptor) = variable.as_descriptor() {
            return format!("descriptor {descriptor}");
        }
        self.symbols.variable(variable.0).unwrap_or_else(|| self.unnamed(variable.0))
    }

    /// Something that has no name of its own: a part of a block of the heap, by where it was allocated.
    fn unnamed(&self, address: u64) -> String {
        if !heap::contains(address) {
            return format!("{address:#x}");
        }
        match heap::block_around(&self.memory, address) {
            Some(block) if block.site != 0 && !heap::contains(block.site) => {
                let offset = address - block.data;
                let behind = if offset == 0 { String::new() } else { format!(" + {offset}") };
                format!("*heap object from {}{behind}", self.location(block.site))
            }
            _ => {
                let (thread, offset) = heap::place(address);
                format!("heap block of thread {thread} at +{offset:#x}")
            }
        }
    }
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
        1 if step.action.op == Op::OnceEnter => "runs the routine".into(),
        -1 if step.action.op.family() == Family::Barrier => "PTHREAD_BARRIER_SERIAL_THREAD".into(),
        error => format!("{:?}", Errno::from_raw(error.abs())),
    }
}
