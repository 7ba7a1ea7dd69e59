//! Once flags: `pthread_once`.
//!
//! The routine may be left without returning: by a cancellation, by `pthread_exit`, or by a C++ exception
//! (`std::call_once` is made on this). The flag is then as if nothing had been called, and the next caller runs the
//! routine. Cancellation finds the routines that run in a list ([`abandon_below`]); an exception passes the frame that
//! calls the routine, whose personality function sees it go by. No landing pad, and nothing of Rust's, is involved.

use super::object;
use super::{alias, wrap};
use crate::{gate, world};
use core::arch::global_asm;
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use rscale_protocol::model::{ObjectState, Once};
use rscale_protocol::{Action, MAX_THREADS, Op};

pub type Handle = *mut c_int;

/// What the flag holds in memory: 0 before, then these. A 0 where the model remembers more is a flag that is new at an
/// old address.
const RUNNING: c_int = 1;
/// As in glibc.
const DONE: c_int = 2;

/// Flags and results of a personality function, as the C++ ABI numbers them.
const CLEANUP_PHASE: c_int = 2;
const FORCED: c_int = 8;
const GO_ON: c_int = 8;

global_asm!(
    ".globl rscale_run_once",
    ".hidden rscale_run_once",
    ".type rscale_run_once, @function",
    "rscale_run_once:",
    ".cfi_startproc",
    ".cfi_personality 0x1b, {personality}",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "call rdi",
    "add rsp, 8",
    ".cfi_adjust_cfa_offset -8",
    "ret",
    ".cfi_endproc",
    ".size rscale_run_once, . - rscale_run_once",
    personality = sym on_unwinding,
);

unsafe extern "C" {
    /// Calls the routine, from a frame that notices an exception.
    fn rscale_run_once(routine: u64);
}

/// Each thread's innermost routine that runs; 0 for none.
pub struct Running([Cell<u64>; MAX_THREADS]);

impl Running {
    /// None runs.
    pub const fn new() -> Running {
        Running([const { Cell::new(0) }; MAX_THREADS])
    }
}

/// A routine that runs, on the stack of its thread.
struct Frame {
    flag: Handle,
    outer: u64,
}

fn innermost() -> &'static Cell<u64> {
    let world = world::get();
    &world.library.once.0[world.current.get().index()]
}

/// Called by the unwinder when an exception passes the frame that called a routine.
extern "C" fn on_unwinding(_version: c_int, phase: c_int, _class: u64, _what: *mut c_void, _at: *mut c_void) -> c_int {
    if phase & CLEANUP_PHASE != 0 && phase & FORCED == 0 {
        abandon_innermost();
    }
    GO_ON
}

/// The stack is being left up to this address: the routines that run there have not run.
pub fn abandon_below(limit: u64) {
    while (1..limit).contains(&innermost().get()) {
        abandon_innermost();
    }
}

fn abandon_innermost() {
    let frame = innermost().get() as *const Frame;
    // SAFETY: the list holds frames of `call` that have not been left yet.
    let (flag, outer) = unsafe { ((*frame).flag, (*frame).outer) };
    innermost().set(outer);
    gate::pass(Action { flags: Action::CANCELLED, ..gate::action_at(Op::OnceLeave, flag) });
    write(flag, 0);
}

fn write(flag: Handle, value: c_int) {
    // SAFETY: the program passes a flag; a wrong pointer faults here as it would in libc.
    unsafe { *flag = value };
}

/// Forgets what was at the address before, if the flag is a fresh one.
fn adopt(flag: Handle) {
    object::check_memory(flag);
    // SAFETY: as in `write`.
    let is_fresh = unsafe { *flag } == 0;
    let is_known = world::get().look(|model| model.objects.find(flag as u64).is_some());
    if is_fresh && is_known {
        object::remember(flag as u64, ObjectState::Once(Once::Never));
    }
}

/// Calls the routine if it has not run, and returns when it has.
pub fn call(flag: Handle, routine: u64) -> c_int {
    adopt(flag);
    if gate::pass(gate::action_at(Op::OnceEnter, flag)) != Once::RUN_IT {
        return 0;
    }
    write(flag, RUNNING);
    let frame = Frame { flag, outer: innermost().get() };
    innermost().set(&raw const frame as u64);
    // SAFETY: the program passes the routine.
    unsafe { rscale_run_once(routine) };
    gate::pass(gate::action_at(Op::OnceLeave, flag));
    innermost().set(frame.outer);
    write(flag, DONE);
    0
}

wrap! {
    /// Calls a routine once.
    fn pthread_once(flag: Handle, routine: u64) -> c_int {
        call(flag, routine)
    }
}

alias! {
    __pthread_once = pthread_once;
}
