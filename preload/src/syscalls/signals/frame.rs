//! Faults that the program handles itself.
//!
//! The shim's handler has the fault. If the program installed one of its own, the shim does what the kernel would have
//! done: it puts a signal frame on the stack of the fiber and lets the handler run there. The handler may jump away,
//! or change the context and return: the frame is one that `rt_sigreturn` understands.
//!
//! The handler finds the original instruction in the context, not the clone. Where it returns to original code, that
//! goes on in the clone, at the hook: an instruction that begins anew has its scheduling points anew.

use super::{Disposition, bit, signals};
use crate::access::{region, tearing};
use crate::world;
use core::arch::global_asm;

/// How often the same fault may come in a row before it is a crash.
const PATIENCE: u32 = 1_000;
const RED_ZONE: u64 = 128;
/// Sizes of the kernel's `struct ucontext` and `siginfo_t`; before them comes the return address.
const CONTEXT: u64 = 304;
const INFORMATION: u64 = 128;
/// Where the saved vector state says how large it is, if it says so.
const EXTENDED_MAGIC: u32 = 0x4650_5853;
const MAGIC_OFFSET: u64 = 464;
const PLAIN_STATE: u64 = 512;
/// Direction and trap flag.
const CLEARED_FLAGS: i64 = 0x500;
const RESTORER: i32 = 0x0400_0000;

// Where a handler returns to. Unwinders find in the context, at the stack pointer, what was interrupted: each rule is the
// number of a register and its offset there, in two bytes.
global_asm!(
    ".globl rscale_leave_handler",
    ".hidden rscale_leave_handler",
    ".cfi_startproc",
    ".cfi_signal_frame",
    ".cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 0x06",
    ".cfi_escape 0x10, 8, 3, 0x77, 0xa8, 0",
    ".cfi_escape 0x10, 9, 3, 0x77, 0xb0, 0",
    ".cfi_escape 0x10, 10, 3, 0x77, 0xb8, 0",
    ".cfi_escape 0x10, 11, 3, 0x77, 0xc0, 0",
    ".cfi_escape 0x10, 12, 3, 0x77, 0xc8, 0",
    ".cfi_escape 0x10, 13, 3, 0x77, 0xd0, 0",
    ".cfi_escape 0x10, 14, 3, 0x77, 0xd8, 0",
    ".cfi_escape 0x10, 15, 3, 0x77, 0xe0, 0",
    ".cfi_escape 0x10, 5, 3, 0x77, 0xe8, 0",
    ".cfi_escape 0x10, 4, 3, 0x77, 0xf0, 0",
    ".cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0",
    ".cfi_escape 0x10, 3, 3, 0x77, 0x80, 1",
    ".cfi_escape 0x10, 1, 3, 0x77, 0x88, 1",
    ".cfi_escape 0x10, 0, 3, 0x77, 0x90, 1",
    ".cfi_escape 0x10, 2, 3, 0x77, 0x98, 1",
    ".cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1",
    // A return address belongs to the instruction before it.
    "nop",
    "rscale_leave_handler:",
    "mov rdi, rsp",
    "call {go_on_in_clone}",
    "mov eax, 15",
    "syscall",
    ".cfi_endproc",
    go_on_in_clone = sym go_on_in_clone,
);

unsafe extern "C" {
    static rscale_leave_handler: u8;
}

/// A handler returns: the interrupted code goes on in its clone, if it has one.
extern "C" fn go_on_in_clone(context: &mut libc::ucontext_t) {
    let pc = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
    if let Some(clone) = region::clone_of(*pc as u64) {
        *pc = clone as i64;
    }
}

/// Redirects a fault of the program to its own handler. False if it has none: then it is a crash.
pub fn handle_fault(signal: i32, info: &libc::siginfo_t, context: &mut libc::ucontext_t) -> bool {
    let signals = signals();
    if signals.writing_frame.replace(false) {
        return false;
    }
    let thread = world::get().current.get();
    let disposition = signals.disposition(signal);
    let usable = disposition.is_handler() && disposition.has(RESTORER);
    if !usable || signals.mask(thread) & bit(signal) != 0 || is_endless(info, context) {
        return false;
    }
    let Some(frame) = place(&disposition, context) else { return false };
    tearing::give_up(context);
    if disposition.has(libc::SA_RESETHAND) {
        signals.set_disposition(signal, Disposition::DEFAULT);
    }
    signals.writing_frame.set(true);
    // SAFETY: the frame lies below everything that the interrupted code uses, on its stack or on the one that the program
    // gave for this. A page that is still protected faults and is made writable; another fault ends in a crash.
    unsafe { frame.write(info, context) };
    signals.writing_frame.set(false);
    frame.enter(signal, disposition.handler, context);
    true
}

/// Whether the same instruction faults over and over, because the handler returns without a remedy.
fn is_endless(info: &libc::siginfo_t, context: &libc::ucontext_t) -> bool {
    let signals = signals();
    let registers = &context.uc_mcontext.gregs;
    // SAFETY: the signals of a fault carry an address.
    let address = unsafe { info.si_addr() } as u64;
    let fault = [registers[libc::REG_RIP as usize] as u64, address, registers[libc::REG_RSP as usize] as u64];
    let repeated = if signals.last_fault.replace(fault) == fault { signals.repeated.get() + 1 } else { 0 };
    signals.repeated.set(repeated);
    repeated > PATIENCE
}

/// Where a signal frame goes.
struct Frame {
    /// The return address, with context and information above it.
    start: u64,
    /// The vector state.
    state: u64,
    state_size: u64,
}

/// Finds room for a frame. None if the stack of the fiber is used up.
fn place(disposition: &Disposition, context: &libc::ucontext_t) -> Option<Frame> {
    let world = world::get();
    let pointer = context.uc_mcontext.gregs[libc::REG_RSP as usize] as u64;
    let (start, size) = signals().stacks[world.current.get().index()].get();
    let on_alternate = (start..start + size).contains(&pointer);
    let switches = disposition.has(libc::SA_ONSTACK) && size != 0 && !on_alternate;
    let top = if switches { start + size } else { pointer - RED_ZONE };
    let state_size = state_size(context.uc_mcontext.fpregs as u64);
    let state = (top - state_size) & !63;
    let frame = ((state - CONTEXT - INFORMATION - 8) & !15) - 8;
    let own = world.fiber();
    let overflows = !switches && own.owns_stack_address(top) && !own.owns_stack_address(frame);
    let is_exhausted = !switches && !on_alternate && !own.owns_stack_address(pointer) && pointer < own.stack.get().0;
    (!overflows && !is_exhausted).then_some(Frame { start: frame, state, state_size })
}

fn state_size(state: u64) -> u64 {
    if state == 0 {
        return 0;
    }
    // SAFETY: the kernel saved at least 512 bytes there; the last 48 of them are for it to describe the rest.
    let [magic, size] = unsafe { *((state + MAGIC_OFFSET) as *const [u32; 2]) };
    if magic == EXTENDED_MAGIC { size.into() } else { PLAIN_STATE }
}

impl Frame {
    fn context(&self) -> u64 {
        self.start + 8
    }

    fn information(&self) -> u64 {
        self.context() + CONTEXT
    }

    /// # Safety
    /// The frame must be unused stack.
    unsafe fn write(&self, info: &libc::siginfo_t, context: &libc::ucontext_t) {
        let copy = |from: u64, to: u64, length: u64| {
            // SAFETY: the sources are what the kernel passed to the fault handler, of these sizes; the targets lie in the
            // frame.
            unsafe { core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, length as usize) };
        };
        let saved = context.uc_mcontext.fpregs as u64;
        let original = region::original_of(context.uc_mcontext.gregs[libc::REG_RIP as usize] as u64);
        copy(&raw const *context as u64, self.context(), CONTEXT);
        copy(&raw const *info as u64, self.information(), INFORMATION);
        copy(saved, self.state, self.state_size);
        // SAFETY: as above; the fields lie in the copied part.
        unsafe {
            *(self.start as *mut u64) = &raw const rscale_leave_handler as u64;
            let machine = &mut (*(self.context() as *mut libc::ucontext_t)).uc_mcontext;
            if saved != 0 {
                machine.fpregs = self.state as *mut _;
            }
            if let Some(original) = original {
                machine.gregs[libc::REG_RIP as usize] = original as i64;
            }
        }
    }

    /// Makes the interrupted code go on in the handler.
    fn enter(&self, signal: i32, handler: u64, context: &mut libc::ucontext_t) {
        let registers = &mut context.uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] = handler as i64;
        registers[libc::REG_RSP as usize] = self.start as i64;
        registers[libc::REG_RDI as usize] = signal.into();
        registers[libc::REG_RSI as usize] = self.information() as i64;
        registers[libc::REG_RDX as usize] = self.context() as i64;
        registers[libc::REG_RAX as usize] = 0;
        registers[libc::REG_EFL as usize] &= !CLEARED_FLAGS;
    }
}
