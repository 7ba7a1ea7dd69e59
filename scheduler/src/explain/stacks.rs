//! Walking the stacks of the program's threads while an execution is halted.

use crate::backend::{Target, ThreadState};
use rscale_instrument::maps::Module;
use rscale_instrument::unwind::{Frame, Registers, Unwinder};
use std::sync::atomic::Ordering::Relaxed;

/// Most frames that are shown.
const LIMIT: usize = 64;

/// Walks stacks.
pub struct Stacks {
    unwinder: Unwinder,
    shim: Option<Module>,
}

impl Stacks {
    /// For a process with these modules.
    pub fn new(modules: Vec<Module>) -> Stacks {
        let shim = modules.iter().find(|module| module.path.starts_with("/proc/self/fd")).cloned();
        Stacks { unwinder: Unwinder::new(modules), shim }
    }

    /// The frames of a thread, innermost first, without those of the shim.
    pub fn walk(&self, target: &Target, state: &ThreadState, ended_it: bool) -> Vec<Frame> {
        let Some(registers) = registers(target, state, ended_it) else { return Vec::new() };
        let memory = target.memory();
        let read = |address| memory.word(address);
        // Code that is instrumented runs as a clone; its stack is that of the original.
        let frames = self.unwinder.unwind_clones(registers, &read, LIMIT, &|pc| target.regions().original_of(pc));
        let is_program = |frame: &Frame| !self.shim.as_ref().is_some_and(|shim| shim.contains(frame.pc));
        frames.into_iter().filter(is_program).collect()
    }
}

/// The registers of a thread: where it was switched out, or where it crashed.
fn registers(target: &Target, state: &ThreadState, ended_it: bool) -> Option<Registers> {
    if state.stack_pointer != 0 {
        return saved_registers(target, state.stack_pointer);
    }
    ended_it.then(|| {
        let words = &target.arena().result.registers;
        Registers { values: std::array::from_fn(|index| words[index].load(Relaxed)) }
    })
}

/// What the shim's switch leaves at the stack pointer: control words, r15, r14, r13, r12, rbx, rbp, return address.
fn saved_registers(target: &Target, stack_pointer: u64) -> Option<Registers> {
    const RBX: usize = 3;
    const R12: usize = 12;
    let memory = target.memory();
    let word = |index: u64| memory.word(stack_pointer + index * 8);
    let mut values = [0; Registers::COUNT];
    for (index, register) in [R12 + 3, R12 + 2, R12 + 1, R12, RBX, Registers::RBP].into_iter().enumerate() {
        values[register] = word(index as u64 + 1)?;
    }
    values[Registers::RIP] = word(7)?;
    values[Registers::RSP] = stack_pointer + 8 * 8;
    Some(Registers { values })
}
