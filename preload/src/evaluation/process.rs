//! The process in which a function is evaluated: a fork that lives for one call.

use super::{UNDER_WAY, reads, rules};
use crate::access::clocks;
use crate::{arena, control, fs_base, kernel_threads, switch, sys, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::Progress;
use rscale_protocol::{Callee, MAX_THREADS, ThreadId};

/// The stack of the function, and what lies below it that must not be touched.
const STACK: u64 = 1 << 20;
const GUARD: u64 = 64 << 10;

/// Calls a function of the program, given by its [code](Callee). None if it did what it must not: the text of the arena
/// says what.
pub fn evaluate(function: u64) -> Option<i32> {
    let report = &arena::get().evaluation;
    report.begin();
    // SAFETY: a plain fork, which ends without a signal; the child never returns from here.
    let child = unsafe { sys::call(libc::SYS_clone, [0; 6]) };
    match child {
        0 => call(function),
        1.. => {
            report.process.store(child as u32, Relaxed);
            let status = wait_for(child);
            report.process.store(0, Relaxed);
            read_report(status)
        }
        _ => {
            arena::get().store_text(b"could not be evaluated: there is no memory for another process");
            None
        }
    }
}

fn wait_for(child: i64) -> i32 {
    let mut status = 0i32;
    let arguments = [child as u64, &raw mut status as u64, libc::__WALL as u64, 0, 0, 0];
    loop {
        // SAFETY: writes the status to the variable.
        let waited = unsafe { sys::call(libc::SYS_wait4, arguments) };
        if waited != -i64::from(libc::EINTR) {
            return status;
        }
    }
}

fn read_report(status: i32) -> Option<i32> {
    let report = &arena::get().evaluation;
    let progress = report.progress.load(Relaxed);
    if progress == Progress::Returned as u32 {
        return Some(report.value.load(Relaxed) as i32);
    }
    if progress == Progress::Begun as u32 {
        let ran_out = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGPROF;
        let what: &[u8] = if ran_out { b"does not end" } else { b"ends the process that evaluates it" };
        arena::get().store_text(what);
    }
    None
}

/// In the new process: calls the function and says what it returned.
fn call(function: u64) -> ! {
    UNDER_WAY.0.set(true);
    cut_off();
    let Some(stack) = sys::map(0, STACK, libc::PROT_READ | libc::PROT_WRITE) else {
        rules::refuse(b"could not be evaluated: there is no memory for its stack");
    };
    // SAFETY: the low end of the fresh mapping.
    unsafe { sys::mprotect(stack, GUARD, libc::PROT_NONE) };
    let is_own_thread = become_thread(stack);
    reads::begin((stack, stack + STACK), is_own_thread);
    clocks::let_nothing_pass(); // what it accesses is noted
    arena::get().request.function.store(function, Relaxed);
    let mut unused = 0;
    // SAFETY: the stack is fresh; the one of this call is left for good.
    unsafe { switch::switch(&raw mut unused, switch::prepare(stack + STACK, call_on_own_stack)) };
    sys::exit_group(125)
}

extern "C" fn call_on_own_stack() -> ! {
    let callee = Callee::from_code(arena::get().request.function.load(Relaxed));
    // SAFETY: the scheduler process gives the address of a function of the program that takes nothing and returns a number
    // in a register, of which more than the number is not looked at.
    let function: extern "C" fn() -> u64 = unsafe { core::mem::transmute(callee.address as usize) };
    let value = callee.result(function());
    let report = &arena::get().evaluation;
    report.value.store(value as u32, Relaxed);
    report.progress.store(Progress::Returned as u32, Relaxed);
    sys::exit_group(0)
}

/// Has the kernel end this process if it computes too long or is left alone, and closes the way to the output.
fn cut_off() {
    const OUTPUT: [u64; 2] = [1, 2];
    let milliseconds = arena::get().setup.evaluation_limit.load(Relaxed);
    let limit = [0, 0, milliseconds / 1000, milliseconds % 1000 * 1000];
    // SAFETY: the process's own timer, signals and descriptors; the kernel reads the limit.
    unsafe {
        sys::call(libc::SYS_setitimer, [libc::ITIMER_PROF as u64, limit.as_ptr() as u64, 0, 0, 0, 0]);
        sys::call(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as u64, libc::SIGKILL as u64, 0, 0, 0, 0]);
        OUTPUT.iter().for_each(|&descriptor| {
            sys::call(libc::SYS_close, [descriptor, 0, 0, 0, 0, 0]);
        });
    }
}

/// The function runs as a thread that nobody has seen, so that it does not matter which thread has just taken a step:
/// it holds no locks, and its thread-local variables are as they were at the start. False where that can not be had.
fn become_thread(stack: u64) -> bool {
    let world = world::get();
    let number = world.look(|model| model.threads.count());
    let storage = control::get().evaluator_fs.get();
    if kernel_threads::are_used() || number >= MAX_THREADS || storage == 0 {
        return false;
    }
    let fiber = &world.fibers[number];
    fiber.reset();
    fiber.fs.set(storage);
    fiber.stack.set((stack + GUARD, stack + STACK));
    world.current.set(ThreadId(number as u16));
    // SAFETY: the thread-local storage of a parked thread that no fiber uses.
    unsafe { fs_base::set(storage) };
    true
}
