//! Walks the stack of a stopped thread.
//!
//! The target is usually built without frame pointers, and asking it to unwind itself would change
//! it. So its stack is read from outside, by the `.eh_frame` tables that every x86-64 program carries for
//! exceptions, and by the frame pointer where those are missing.
//!
//! Memory and tables are untrusted: a walk ends at the first thing that makes no sense, after at most
//! the asked number of frames.

mod landing;
mod rules;
pub(crate) mod tables;

use std::sync::OnceLock;

use gimli::UnwindContext;

use crate::image::Image;
use crate::maps::Module;
use rules::Caller;
use tables::UnwindTables;

/// The general registers and the program counter of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// By DWARF number: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.
    pub values: [u64; Self::COUNT],
}

impl Registers {
    /// How many registers there are.
    pub const COUNT: usize = 17;
    /// The frame pointer's DWARF number.
    pub const RBP: usize = 6;
    /// The stack pointer's DWARF number.
    pub const RSP: usize = 7;
    /// The program counter's DWARF number (the return address column).
    pub const RIP: usize = 16;

    fn pc(&self) -> u64 {
        self.values[Self::RIP]
    }

    fn stack_pointer(&self) -> u64 {
        self.values[Self::RSP]
    }
}

/// One function activation on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where the function goes on.
    pub pc: u64,
    /// The canonical frame address: the stack pointer before the call. It tells activations of one
    /// function apart. Zero if it could not be found out, which only the last frame can have.
    pub cfa: u64,
    /// Whether `pc` is behind a call, so that the source line is that of `pc - 1`. False for the innermost
    /// frame and for one that a signal interrupted.
    pub is_return_address: bool,
    /// The registers while the function is active, as far as the unwind tables keep them: those that functions save for
    /// their callers, the stack pointer and the program counter.
    pub registers: Registers,
}

impl Frame {
    /// The address to look up: within the call instruction rather than behind it.
    #[must_use]
    pub fn lookup_address(&self) -> u64 {
        self.pc.saturating_sub(u64::from(self.is_return_address))
    }
}

/// Reads eight bytes of the target's memory, little endian, at any alignment.
pub type ReadMemory<'a> = &'a dyn Fn(u64) -> Option<u64>;

/// Unwinds the stacks of one process.
pub struct Unwinder {
    modules: Vec<(Module, OnceLock<Option<UnwindTables>>)>,
}

impl Unwinder {
    /// Prepares to unwind through these modules. Their files are read when first needed.
    #[must_use]
    pub fn new(mut modules: Vec<Module>) -> Self {
        modules.sort_by_key(|module| module.start);
        Self { modules: modules.into_iter().map(|module| (module, OnceLock::new())).collect() }
    }

    /// The frames of a thread that stopped with these registers, innermost first, at most `limit`.
    #[must_use]
    pub fn unwind(&self, registers: Registers, read: ReadMemory<'_>, limit: usize) -> Vec<Frame> {
        self.unwind_clones(registers, read, limit, &|_| None)
    }

    /// The same where code runs as a copy that no table knows: frames have the program counter of the original, which
    /// the function tells, and whose stack is the same.
    #[must_use]
    pub fn unwind_clones(
        &self,
        registers: Registers,
        read: ReadMemory<'_>,
        limit: usize,
        original_of: &dyn Fn(u64) -> Option<u64>,
    ) -> Vec<Frame> {
        let in_original = |mut registers: Registers| {
            let pc = &mut registers.values[Registers::RIP];
            *pc = original_of(*pc).unwrap_or(*pc);
            registers
        };
        let mut frames = Vec::new();
        let mut context = UnwindContext::new();
        let mut registers = in_original(registers);
        let mut is_return_address = false;
        let mut lowest_cfa = registers.stack_pointer();
        while frames.len() < limit {
            let mut frame = Frame { pc: registers.pc(), cfa: 0, is_return_address, registers };
            let caller = self
                .caller(&registers, &frame, read, &mut context)
                .filter(|caller| caller.is_signal_frame || caller.cfa > lowest_cfa);
            let Some(caller) = caller else {
                frames.push(frame);
                break;
            };
            frame.cfa = caller.cfa;
            frames.push(frame);
            registers = in_original(caller.registers);
            // A signal may have interrupted a jump to nowhere; nobody returns there.
            if !caller.is_signal_frame && self.module_at(registers.pc()).is_none() {
                break;
            }
            is_return_address = !caller.is_signal_frame;
            lowest_cfa = match caller.is_signal_frame {
                // The handler may have run on a stack of its own.
                true => registers.stack_pointer(),
                false => caller.cfa,
            };
        }
        frames
    }

    /// The state in the calling function, by the best means available at this program counter.
    fn caller(
        &self,
        registers: &Registers,
        frame: &Frame,
        read: ReadMemory<'_>,
        context: &mut UnwindContext<usize>,
    ) -> Option<Caller> {
        let Some((module, tables)) = self.module_at(frame.pc) else {
            return self.caller_of_wild_jump(registers, read).or_else(|| self.caller_by_frame_pointer(registers, read));
        };
        let address = frame.lookup_address().wrapping_sub(module.bias);
        let tables = tables.get_or_init(|| Image::read(&module.path).and_then(|file| UnwindTables::new(&file)));
        match tables.as_ref().and_then(|tables| tables.entry(address)) {
            Some(entry) => rules::apply(&entry, address, registers, read, context),
            None => self.caller_by_frame_pointer(registers, read),
        }
    }

    /// A call through a bad function pointer has just pushed its return address.
    fn caller_of_wild_jump(&self, registers: &Registers, read: ReadMemory<'_>) -> Option<Caller> {
        let stack_pointer = registers.stack_pointer();
        let return_address = read(stack_pointer)?;
        self.module_at(return_address)?;
        let cfa = stack_pointer.checked_add(8)?;
        Some(Caller::returning(registers, cfa, return_address))
    }

    /// The old convention: rbp points to the caller's rbp, below the return address.
    fn caller_by_frame_pointer(&self, registers: &Registers, read: ReadMemory<'_>) -> Option<Caller> {
        let frame_pointer = registers.values[Registers::RBP];
        if !frame_pointer.is_multiple_of(8) || frame_pointer < registers.stack_pointer() {
            return None;
        }
        let return_address = read(frame_pointer.checked_add(8)?)?;
        self.module_at(return_address)?;
        let cfa = frame_pointer.checked_add(16)?;
        let mut caller = Caller::returning(registers, cfa, return_address);
        caller.registers.values[Registers::RBP] = read(frame_pointer)?;
        Some(caller)
    }

    fn module_at(&self, address: u64) -> Option<&(Module, OnceLock<Option<UnwindTables>>)> {
        let behind = self.modules.partition_point(|(module, _)| module.start <= address);
        self.modules[..behind].last().filter(|(module, _)| module.contains(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module without a file, so that only the frame pointer is left to unwind by.
    fn unwinder_without_tables() -> Unwinder {
        Unwinder::new(vec![Module { path: "/nonexistent".into(), bias: 0x1000, start: 0x1000, end: 0x2000 }])
    }

    fn registers(rip: u64, rsp: u64, rbp: u64) -> Registers {
        let mut registers = Registers::default();
        registers.values[Registers::RIP] = rip;
        registers.values[Registers::RSP] = rsp;
        registers.values[Registers::RBP] = rbp;
        registers
    }

    fn pcs(frames: &[Frame]) -> Vec<u64> {
        frames.iter().map(|frame| frame.pc).collect()
    }

    #[test]
    fn follows_frame_pointers_and_stops_outside_modules() {
        let stack = |address| match address {
            0x8010 => Some(0x8040),
            0x8018 => Some(0x1234),
            0x8040 => Some(0),
            0x8048 => Some(0x9999),
            _ => None,
        };
        let frames = unwinder_without_tables().unwind(registers(0x1100, 0x8000, 0x8010), &stack, 10);
        assert_eq!(pcs(&frames), [0x1100, 0x1234]);
        assert_eq!(frames[0].cfa, 0x8020);
        assert!(!frames[0].is_return_address);
        assert!(frames[1].is_return_address);
        assert_eq!(frames[1].lookup_address(), 0x1233);
    }

    #[test]
    fn a_call_to_address_zero_shows_its_caller() {
        let stack = |address| (address == 0x8000).then_some(0x1500);
        let frames = unwinder_without_tables().unwind(registers(0, 0x8000, 0), &stack, 10);
        assert_eq!(pcs(&frames), [0, 0x1500]);
        assert_eq!(frames[0].cfa, 0x8008);
    }

    #[test]
    fn a_stack_that_points_to_itself_ends() {
        let stack = |address: u64| Some(if address.is_multiple_of(16) { 0x8010 } else { 0x1234 });
        let frames = unwinder_without_tables().unwind(registers(0x1100, 0x8000, 0x8010), &stack, 1000);
        assert_eq!(frames.len(), 2, "the second frame would not grow the stack");
    }

    #[test]
    fn can_be_shared_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Unwinder>();
    }

    #[test]
    fn extreme_values_and_limits_are_harmless() {
        let unwinder = unwinder_without_tables();
        for value in [0, 1, 7, 8, u64::MAX, u64::MAX - 7, u64::MAX - 15, 0x1800] {
            for memory in [None, Some(0), Some(0x1100), Some(u64::MAX)] {
                let state = Registers { values: [value; Registers::COUNT] };
                assert!(unwinder.unwind(state, &|_| memory, 50).len() <= 50);
            }
        }
        let state = registers(0x1100, 0x8000, 0x8010);
        assert!(unwinder.unwind(state, &|_| Some(0x1100), 0).is_empty());
    }
}
