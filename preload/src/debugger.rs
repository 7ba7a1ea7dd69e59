//! Stops for a debugger.
//!
//! The program follows its schedule by itself. Where the scheduler process wants it seen, it calls [`rscale_stopped`],
//! on which the debugger has a breakpoint. At the first stop no debugger is there yet: the scheduler process is told,
//! and the thread sleeps until one holds all threads.

use crate::{arena, finish, mailbox, switch, sys, world};
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use rscale_protocol::arena::Reply;
use rscale_protocol::{Ending, ThreadId, Variable};

/// Between two stops at the end of an execution, which a debugger can not go beyond.
static PAUSE: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// Whether a debugger is going to look at the program.
pub fn is_on() -> bool {
    arena::get().debugging.is_on.load(Relaxed) != 0
}

fn is_attached() -> bool {
    arena::get().debugging.is_attached.load(Acquire) != 0
}

/// Where debuggers have their breakpoint. It must be a function that is called, whatever it does.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn rscale_stopped() {
    core::hint::black_box(());
}

/// A step is over: stops if the debugger is to see this state. The registers of the thread lie where those of the
/// others do, so that its stack can be walked.
pub fn pass() {
    let world = world::get();
    if is_on() && arena::get().debugging.stop_after.load(Relaxed) == world.steps.get() {
        arena::get().result.thread.store(world.current.get().0.into(), Relaxed);
        switch::call_saved(world.fiber().stack_pointer.as_ptr(), stop, 0);
    }
}

/// The running thread is about to make this store, which may be all that somebody wants to see.
pub fn see_store(store: Variable) {
    if arena::get().debugging.last_store.load(Relaxed) == store.0 {
        finish::end(Ending::StepBudget, world::get().steps.get());
    }
}

extern "C" fn stop(_: u64) {
    arena::get().result.ending.store(Ending::Paused as u32, Relaxed);
    finish::publish();
    if is_attached() {
        return rscale_stopped();
    }
    mailbox::reply(Reply::Done);
    world::get().logged.set(0); // the steps so far have been read
    wait_until_attached();
}

fn wait_until_attached() {
    while !is_attached() {
        sys::futex_wait(&arena::get().debugging.is_attached, 0);
    }
}

/// The execution is over, and its end has been published. Whoever goes on from here stops here again.
pub fn end() {
    if !is_on() {
        return;
    }
    wait_until_attached();
    loop {
        rscale_stopped();
        // SAFETY: the kernel only reads the time.
        unsafe { sys::call(libc::SYS_nanosleep, [&raw const PAUSE as u64, 0, 0, 0, 0, 0]) };
    }
}

/// Whether nobody reads the log any more: it begins anew where it is full.
pub fn drops_log() -> bool {
    is_on() && is_attached()
}

/// Lets a debugger attach that did not start this process, and which is told apart by names.
pub fn prepare() {
    if is_on() {
        // SAFETY: changes who may trace this process. Kernels without this rule refuse the call, and allow the tracing.
        unsafe { sys::call(libc::SYS_prctl, [libc::PR_SET_PTRACER as u64, libc::PR_SET_PTRACER_ANY, 0, 0, 0, 0]) };
    }
}

/// Names the calling kernel thread, for debuggers that know it by nothing else; None is the shim's own.
pub fn name(thread: Option<ThreadId>) {
    if !is_on() {
        return;
    }
    let name = match thread {
        Some(thread) => crate::message::Message::<16>::of(format_args!("thread {thread}\0")),
        None => crate::message::Message::<16>::of(format_args!("rscale\0")),
    };
    // SAFETY: a terminated name that outlives the call.
    unsafe { sys::call(libc::SYS_prctl, [libc::PR_SET_NAME as u64, name.as_bytes().as_ptr() as u64, 0, 0, 0, 0]) };
}
