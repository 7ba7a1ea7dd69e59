//! Threads: creating, joining, ending.

use super::{attributes, wrap};
use crate::access::Here;
use crate::syscalls::signals::send as signals;
use crate::{arena, buffer, cancel, control, fiber, finish, gate, keys, sched, start, tls_pool, world};
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::model::Life;
use rscale_protocol::{Action, Ending, MAX_THREADS, MemoryModel, Op, ThreadId, Variable};

/// The number for the next child of the running thread: the same in every execution for the same creation path.
fn number_of_next_child() -> ThreadId {
    let world = world::get();
    let parent = world.current.get();
    let nth = world.fiber().children.get();
    world.fiber().children.set(nth + 1);
    let path = (u64::from(parent.0) + 1) << 32 | u64::from(nth);
    let paths = &arena::get().paths;
    let known_or_free =
        |&number: &usize| matches!(paths[number].path.load(Relaxed), taken if taken == path || taken == 0);
    match (1..buffer::model().threads()).find(known_or_free) {
        Some(number) => {
            paths[number].path.store(path, Relaxed);
            if number >= control::get().pool_size.get() {
                finish::end(Ending::NeedThreads, number as u64 + 1);
            }
            ThreadId(number as u16)
        }
        None => number_of_gone_thread(),
    }
}

/// All numbers are given away: the number of a thread that has ended and can not be named any more is used again.
fn number_of_gone_thread() -> ThreadId {
    let world = world::get();
    let is_gone = |&thread: &ThreadId| {
        !world.live.get().contains(thread) && world.look(|model| model.threads.life(thread)) == Life::Gone
    };
    match (1..buffer::model().threads() as u16).map(ThreadId).find(is_gone) {
        Some(thread) => {
            world.fibers[thread.index()].reset();
            world.keys.forget(thread);
            thread
        }
        None => finish::unsupported(match buffer::model() {
            MemoryModel::Sc => b"has more than 127 threads at a time",
            MemoryModel::Tso => b"has more than 63 threads at a time, which is too many for --memory tso",
            MemoryModel::Pso => b"has more than 7 threads at a time, which is too many for --memory pso",
        }),
    }
}

/// Creates a thread, as `pthread_create` does.
pub fn create(
    handle: *mut u64,
    attributes: *const libc::pthread_attr_t,
    routine: u64,
    argument: u64,
    c11: bool,
) -> i32 {
    if !world::get().running.get() {
        finish::before_main(&gate::action(Op::ThreadCreate, Variable(0)));
    }
    if world::get().forked_child.get() {
        return libc::EAGAIN; // nobody schedules the threads of a child process
    }
    let attributes = match attributes::read(attributes) {
        Ok(attributes) => attributes,
        Err(error) => return error,
    };
    let number = number_of_next_child();
    let create =
        Action { count: u32::from(attributes.detached), ..gate::action(Op::ThreadCreate, Variable::thread(number)) };
    // As in glibc, the identifier is stored before the thread exists, whoever looks at it.
    let identifier = || control::get().pool[number.index()].get();
    let stored = identifier();
    Here::caller().stores(handle, stored);
    gate::pass_with(create, |_| {
        fiber::create(number, routine, argument, attributes.stack);
        world::get().fibers[number.index()].is_c11.set(c11);
        attributes.schedule(number);
        if identifier() != stored {
            // A kernel thread has an identifier once there is one.
            // SAFETY: the program passes where the identifier goes.
            unsafe { *handle = identifier() };
        }
    })
}

/// The thread variable of a `pthread_t`; one that names no thread gets a number that no thread has.
pub fn variable_of(handle: u64) -> Variable {
    Variable::thread(tls_pool::thread_of(handle).unwrap_or(ThreadId(MAX_THREADS as u16 - 1)))
}

/// What the thread with this handle returned.
fn result_of(handle: u64) -> u64 {
    tls_pool::thread_of(handle).map_or(0, |thread| world::get().fibers[thread.index()].result.get())
}

/// Joins a thread; `result` receives what it returned.
pub fn join(action: Action, handle: u64, result: *mut u64) -> c_int {
    let error = gate::pass(action);
    if error == 0 && !result.is_null() {
        Here::caller().stores(result, result_of(handle));
    }
    error
}

/// The body of a thread, after its first step.
pub fn run_start_routine() -> ! {
    let fiber = world::get().fiber();
    if world::get().current.get() == ThreadId::MAIN {
        start::run_main()
    }
    signals::deliver_pending(); // sent before it had begun
    gate::clear_registers();
    let result = if fiber.is_c11.get() {
        // SAFETY: the program gave the address as a C11 start routine.
        let routine: extern "C" fn(u64) -> c_int = unsafe { core::mem::transmute(fiber.routine.get() as usize) };
        routine(fiber.argument.get()) as i64 as u64
    } else {
        // SAFETY: the program gave the address as a start routine.
        let routine: extern "C" fn(u64) -> u64 = unsafe { core::mem::transmute(fiber.routine.get() as usize) };
        routine(fiber.argument.get())
    };
    fiber.result.set(result);
    end_thread()
}

/// The running thread's code is over: destructors, then its last step.
pub fn end_thread() -> ! {
    let world = world::get();
    let thread = world.current.get();
    if signals::has_handlers() {
        // What is sent to it from its last step until here, it gets; behind that it ends, and gets no more.
        gate::pass(Action::new(thread, Op::Yield, Variable(0)));
    }
    world.fiber().ending.set(true);
    run_thread_local_destructors();
    keys::run_destructors();
    // No place in the program calls for these: the start routine has returned, or the stack is unwound.
    while let Some(mutex) = world.look(|model| model.next_abandoned(thread)) {
        gate::pass(Action::new(thread, Op::MutexAbandon, mutex));
    }
    gate::pass(Action::new(thread, Op::ThreadExit, Variable::thread(thread)));
    let mut live = world.live.get();
    live.remove(thread);
    world.live.set(live);
    world.enabled.remove(thread);
    if live.is_empty() {
        // The last thread has ended with pthread_exit: the process ends as if main had returned 0.
        // Nobody is left to schedule: what the exit handlers do is done at once.
        world.uninterruptible.set(1);
        super::process::run_exit_handlers(0)
    }
    sched::hand_over()
}

/// A registered destructor of a C++ `thread_local`, newest first.
#[repr(C)]
struct Destructor {
    function: extern "C" fn(*mut c_void),
    object: *mut c_void,
    next: u64,
}

/// Destroys the C++ `thread_local` objects of the running thread, the newest first.
pub fn run_thread_local_destructors() {
    let fiber = world::get().fiber();
    while fiber.destructors.get() != 0 {
        let node = fiber.destructors.get() as *mut Destructor;
        // SAFETY: the list holds live blocks of the heap that `__cxa_thread_atexit_impl` filled in.
        unsafe {
            fiber.destructors.set((*node).next);
            let (function, object) = ((*node).function, (*node).object);
            crate::heap::free(node.cast());
            function(object);
        }
    }
}

wrap! {
    /// Creates a thread.
    fn pthread_create(handle: *mut u64, attributes: *const libc::pthread_attr_t, routine: u64, argument: u64) -> c_int {
        create(handle, attributes, routine, argument, false)
    }

    /// Waits for a thread's end.
    fn pthread_join(handle: u64, result: *mut u64) -> c_int {
        let action = gate::action(Op::ThreadJoin, variable_of(handle));
        join(Action { flags: Action::CANCELLATION_POINT, ..action }, handle, result)
    }

    /// Ends the running thread.
    fn pthread_exit(result: u64) {
        cancel::unwind(result)
    }

    /// Registers the destructor of a C++ `thread_local`.
    fn __cxa_thread_atexit_impl(function: extern "C" fn(*mut c_void), object: *mut c_void, _library: *mut c_void) -> c_int {
        let fiber = world::get().fiber();
        let node = crate::heap::allocate(size_of::<Destructor>(), 16).cast::<Destructor>();
        if node.is_null() {
            return libc::ENOMEM;
        }
        // SAFETY: a fresh block of the right size.
        unsafe { node.write(Destructor { function, object, next: fiber.destructors.get() }) };
        fiber.destructors.set(node as u64);
        0
    }
}
