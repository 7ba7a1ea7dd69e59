//! The engine `threads`: every thread of the program is a kernel thread of its own, as debuggers expect it.
//!
//! The same gate decides who runs; only the hand-over differs. Each thread sleeps on a word of its own until it is its
//! turn. The shim's own context is a kernel thread too, so that the program's main thread is the process's. There is no
//! snapshot: such a process is good for one execution.

use crate::{arena, control, debugger, fiber, finish, heap, query, start, switch, sys, world};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use rscale_protocol::arena::Engine;
use rscale_protocol::{Ending, MAX_THREADS, ThreadId};

type Routine = extern "C" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Routine, *mut c_void) -> c_int;

/// The shim's own context among [`TURNS`].
const OWN: usize = MAX_THREADS;

/// 1 where it is the thread's turn.
static TURNS: [AtomicU32; MAX_THREADS + 1] = [const { AtomicU32::new(0) }; MAX_THREADS + 1];

/// The kernel's numbers of the threads; futexes on which their creators wait.
static IDS: [AtomicU32; MAX_THREADS] = [const { AtomicU32::new(0) }; MAX_THREADS];

/// Whether this engine was asked for.
pub fn are_used() -> bool {
    arena::attached().is_some_and(|arena| arena.setup.engine.load(Relaxed) == Engine::Threads as u32)
}

fn give_turn(to: usize) {
    TURNS[to].store(1, Release);
    sys::futex_wake(&TURNS[to]);
}

fn wait_for_turn(of: usize) {
    while TURNS[of].swap(0, Acquire) == 0 {
        sys::futex_wait(&TURNS[of], 0);
    }
}

/// Hands over from one thread to another, and waits for the next turn. The registers are left where a debugger or the
/// scheduler process finds them, as those of a fiber are.
pub fn switch(from: ThreadId, to: ThreadId) {
    let saved = world::get().fibers[from.index()].stack_pointer.as_ptr();
    switch::call_saved(saved, hand_over, (from.index() << 16 | to.index()) as u64);
}

/// Hands over to the shim's own context; returns if the thread is resumed.
pub fn leave(from: ThreadId, saved: *mut u64) {
    switch::call_saved(saved, hand_over, (from.index() << 16 | OWN) as u64);
}

extern "C" fn hand_over(both: u64) {
    give_turn(both as usize & 0xffff);
    wait_for_turn(both as usize >> 16);
}

/// Lets a thread run, from the shim's own context, until it leaves.
pub fn enter(thread: ThreadId) {
    give_turn(thread.index());
    wait_for_turn(OWN);
}

/// The kernel's number of a thread; 0 if it is no kernel thread.
pub fn id(thread: ThreadId) -> u32 {
    IDS[thread.index()].load(Relaxed)
}

/// Sends a signal of the process on to the thread that runs. False if that is the calling one.
pub fn pass_on(signal: c_int) -> bool {
    let running = id(world::get().current.get());
    // SAFETY: has no effect but its result.
    let own = unsafe { sys::call(libc::SYS_gettid, [0; 6]) } as u32;
    if !are_used() || running == own {
        return false;
    }
    // SAFETY: signals a thread of this process, which handles it.
    unsafe { sys::call(libc::SYS_tgkill, [control::get().pid.get() as u64, running.into(), signal as u64, 0, 0, 0]) };
    true
}

/// The calling kernel thread is this thread.
fn introduce(thread: ThreadId) {
    debugger::name(Some(thread));
    // SAFETY: has no effect but its result.
    let id = unsafe { sys::call(libc::SYS_gettid, [0; 6]) } as u32;
    IDS[thread.index()].store(id, Release);
    sys::futex_wake(&IDS[thread.index()]);
}

/// Makes a kernel thread that waits for its first turn.
pub fn create(thread: ThreadId) {
    let id = &IDS[thread.index()];
    id.store(0, Relaxed);
    let created = start_thread(body, thread.index() as *mut c_void);
    match created {
        Some(handle) => control::get().pool[thread.index()].set(handle),
        None => finish::internal(b"could not create a kernel thread"),
    }
    while id.load(Acquire) == 0 {
        sys::futex_wait(id, 0);
    }
}

fn start_thread(routine: Routine, argument: *mut c_void) -> Option<u64> {
    let real = control::get().real_create.get();
    // SAFETY: the address is that of glibc's function, which has this type.
    let real: Create = unsafe { core::mem::transmute(real) };
    let mut handle = 0;
    // SAFETY: the handle outlives the call; the routines do not use the argument as a pointer.
    let error = heap::apart(|| unsafe { real(&raw mut handle, core::ptr::null(), routine, argument) });
    (error == 0).then_some(handle)
}

extern "C" fn body(index: *mut c_void) -> *mut c_void {
    let index = index as usize;
    introduce(ThreadId(index as u16));
    wait_for_turn(index);
    begin(ThreadId(index as u16))
}

/// Begins with a thread of the program, on the stack that it has as a fiber: what lies there has the same address.
fn begin(thread: ThreadId) -> ! {
    let (_, top) = world::get().fibers[thread.index()].stack.get();
    let mut unused = 0;
    // SAFETY: the stack is that of this thread alone, and fresh. The one of this call is left for good.
    unsafe { switch::switch(&raw mut unused, switch::prepare(top, fiber::entry)) };
    finish::internal(b"a thread came back from its end")
}

/// Starts the shim's own context and makes this thread the main thread of the program.
pub fn run_program() -> ! {
    if start_thread(serve, core::ptr::null_mut()).is_none() {
        finish::end_with(Ending::Internal, 0, b"could not create the thread of the shim");
    }
    give_turn(OWN);
    debugger::prepare();
    introduce(ThreadId::MAIN);
    control::get().pool[0].set(crate::fs_base::get());
    control::get().pool_size.set(MAX_THREADS);
    wait_for_turn(ThreadId::MAIN.index());
    begin(ThreadId::MAIN)
}

extern "C" fn serve(_: *mut c_void) -> *mut c_void {
    // Nothing of the world is to be looked at while the thread that creates this one is busy with that.
    wait_for_turn(OWN);
    debugger::name(None);
    query::serve()
}

/// Finds what must be known before threads are created.
pub fn prepare() {
    control::get().real_create.set(start::libc_function(c"pthread_create").unwrap_or(0));
}
