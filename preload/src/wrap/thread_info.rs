//! Threads: the ways to join that are glibc's own, detaching, names and attributes.

use super::thread::{join, variable_of};
use super::{mutex, wrap};
use crate::access::Here;
use crate::{fiber, gate, tls_pool, world};
use core::ffi::{CStr, c_char, c_int};
use rscale_protocol::arena::STACK_GUARD;
use rscale_protocol::{Action, Op, ThreadId};

/// The longest thread name, with its terminator (`TASK_COMM_LEN`).
const NAME_CAPACITY: usize = 16;

fn join_until(handle: u64, result: *mut u64, clock: c_int, time: *const libc::timespec) -> c_int {
    let wait = Action { flags: Action::CANCELLATION_POINT, ..gate::action(Op::ThreadJoin, variable_of(handle)) };
    let action = if time.is_null() { wait } else { mutex::timed(wait, clock, time) };
    join(action, handle, result)
}

/// Detaches a thread.
pub fn detach(handle: u64) -> c_int {
    gate::pass(gate::action(Op::ThreadDetach, variable_of(handle)))
}

/// The name of a thread; one that was not given a name has that of the program.
fn name_of(thread: ThreadId) -> [u8; NAME_CAPACITY] {
    let name = world::get().fibers[thread.index()].name.get();
    if name[0] != 0 {
        return name;
    }
    unsafe extern "C" {
        static program_invocation_short_name: *const c_char;
    }
    // SAFETY: libc sets it to a terminated string before anything else runs.
    padded(unsafe { CStr::from_ptr(program_invocation_short_name) }.to_bytes())
}

/// As much of the name as fits, with a terminator.
fn padded(name: &[u8]) -> [u8; NAME_CAPACITY] {
    let mut padded = [0; NAME_CAPACITY];
    padded.iter_mut().zip(&name[..name.len().min(NAME_CAPACITY - 1)]).for_each(|(to, from)| *to = *from);
    padded
}

/// Fills in the attributes that a thread runs with.
fn read_attributes(thread: ThreadId, attributes: *mut libc::pthread_attr_t) -> c_int {
    let world = world::get();
    let (low, high) = world.fibers[thread.index()].stack.get();
    let detached = c_int::from(world.look(|model| model.threads.get(thread).detached));
    let guard = if (low, high) == fiber::stack_of(thread) { STACK_GUARD } else { 0 };
    // SAFETY: the program passes memory for attributes; the functions fill it in and keep no state.
    unsafe {
        libc::pthread_attr_init(attributes);
        libc::pthread_attr_setdetachstate(attributes, detached);
        libc::pthread_attr_setguardsize(attributes, guard as usize);
        libc::pthread_attr_setstack(attributes, low as *mut _, (high - low) as usize)
    }
}

wrap! {
    /// Joins a thread if it has ended.
    fn pthread_tryjoin_np(handle: u64, result: *mut u64) -> c_int {
        join(gate::action(Op::ThreadTryJoin, variable_of(handle)), handle, result)
    }

    /// Joins a thread, or gives up at a time.
    fn pthread_timedjoin_np(handle: u64, result: *mut u64, time: *const libc::timespec) -> c_int {
        join_until(handle, result, libc::CLOCK_REALTIME, time)
    }

    /// Joins a thread, or gives up at a time of the given clock.
    fn pthread_clockjoin_np(handle: u64, result: *mut u64, clock: c_int, time: *const libc::timespec) -> c_int {
        if mutex::is_clock(clock) { join_until(handle, result, clock, time) } else { libc::EINVAL }
    }

    /// Gives up the right to join a thread.
    fn pthread_detach(handle: u64) -> c_int {
        detach(handle)
    }

    /// Names a thread.
    fn pthread_setname_np(handle: u64, name: *const c_char) -> c_int {
        // SAFETY: the program passes a terminated string.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        if name.len() >= NAME_CAPACITY {
            return libc::ERANGE;
        }
        let Some(thread) = tls_pool::thread_of(handle) else { return libc::ENOENT };
        world::get().fibers[thread.index()].name.set(padded(name));
        0
    }

    /// The name of a thread.
    fn pthread_getname_np(handle: u64, buffer: *mut u8, size: usize) -> c_int {
        if size < NAME_CAPACITY {
            return libc::ERANGE;
        }
        let Some(thread) = tls_pool::thread_of(handle) else { return libc::ENOENT };
        Here::caller().stores(buffer.cast::<[u8; NAME_CAPACITY]>(), name_of(thread));
        0
    }

    /// The processor that the running thread is said to be on.
    fn sched_getcpu() -> c_int {
        let world = world::get();
        world.scheduling.processor(world.current.get()) as c_int
    }

    /// The attributes of a thread.
    fn pthread_getattr_np(handle: u64, attributes: *mut libc::pthread_attr_t) -> c_int {
        tls_pool::thread_of(handle).map_or(libc::ESRCH, |thread| read_attributes(thread, attributes))
    }
}
