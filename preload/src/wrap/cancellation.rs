//! Cancellation: requests, how a thread takes them, and cleanup handlers.

use super::{thread, wrap};
use crate::access::Here;
use crate::cancel::{self, CleanupBuffer, RoutineBuffer};
use crate::{gate, world};
use core::ffi::c_int;
use rscale_protocol::model::Cancellation;
use rscale_protocol::{Action, Op, Variable};

/// `PTHREAD_CANCEL_ENABLE` and the other numbers of glibc's `pthread.h`.
const ENABLE: c_int = 0;
const DISABLE: c_int = 1;
const DEFERRED: c_int = 0;
const ASYNCHRONOUS: c_int = 1;

/// Reads or changes how the running thread takes requests.
fn with<R>(act: impl FnOnce(&mut Cancellation) -> R) -> R {
    let world = world::get();
    let thread = world.current.get();
    world.model(|model| act(&mut model.threads.get_mut(thread).cancellation))
}

/// A thread that takes requests at any time acts on one that is there.
fn act_at_once_if_asynchronous() {
    let acts = with(|own| {
        let acts = own.pending && own.asynchronous && !own.disabled;
        own.pending &= !acts;
        acts
    });
    if acts {
        cancel::act();
    }
}

/// Sets the type, and returns the one before.
fn set_type(kind: c_int) -> c_int {
    c_int::from(with(|own| core::mem::replace(&mut own.asynchronous, kind == ASYNCHRONOUS)))
}

fn store(place: *mut c_int, value: c_int) {
    if !place.is_null() {
        Here::caller().stores(place, value);
    }
}

wrap! {
    /// Asks a thread to cancel itself.
    fn pthread_cancel(handle: u64) -> c_int {
        let result = gate::pass(gate::action(Op::ThreadCancel, thread::variable_of(handle)));
        act_at_once_if_asynchronous();
        result
    }

    /// Offers to be cancelled here.
    fn pthread_testcancel() {
        let own = Variable::thread(world::get().current.get());
        gate::pass(Action { flags: Action::CANCELLATION_POINT, ..gate::action(Op::TestCancel, own) });
    }

    /// Says whether requests are acted on.
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int {
        if !matches!(state, ENABLE | DISABLE) {
            return libc::EINVAL;
        }
        // A thread that is ending is not cancelled any more, whatever its handlers say.
        let ending = world::get().fiber().ending.get();
        let before = with(|own| core::mem::replace(&mut own.disabled, state == DISABLE || ending));
        store(old, if before { DISABLE } else { ENABLE });
        act_at_once_if_asynchronous();
        0
    }

    /// Says whether requests are acted on at any time or at cancellation points only.
    fn pthread_setcanceltype(kind: c_int, old: *mut c_int) -> c_int {
        if !matches!(kind, DEFERRED | ASYNCHRONOUS) {
            return libc::EINVAL;
        }
        store(old, set_type(kind));
        act_at_once_if_asynchronous();
        0
    }

    /// `pthread_cleanup_push` of C.
    fn __pthread_register_cancel(buffer: *mut CleanupBuffer) {
        cancel::register(buffer)
    }

    /// `pthread_cleanup_pop` of C.
    fn __pthread_unregister_cancel(buffer: *mut CleanupBuffer) {
        cancel::unregister(buffer)
    }

    /// A cleanup handler of C has run: the unwinding goes on.
    fn __pthread_unwind_next(_buffer: *mut CleanupBuffer) {
        cancel::go_on()
    }

    /// `pthread_cleanup_push_defer_np` of C.
    fn __pthread_register_cancel_defer(buffer: *mut CleanupBuffer) {
        cancel::register(buffer);
        // SAFETY: the program passes a buffer on its stack.
        unsafe { (*buffer).kind = set_type(DEFERRED) as u64 };
    }

    /// `pthread_cleanup_pop_restore_np` of C.
    fn __pthread_unregister_cancel_restore(buffer: *mut CleanupBuffer) {
        cancel::unregister(buffer);
        // SAFETY: as above.
        set_type(unsafe { (*buffer).kind } as c_int);
        act_at_once_if_asynchronous();
    }

    /// `pthread_cleanup_push` of old programs.
    fn _pthread_cleanup_push(buffer: *mut RoutineBuffer, routine: u64, argument: u64) {
        cancel::register_routine(buffer, routine, argument, 0)
    }

    /// `pthread_cleanup_pop` of old programs.
    fn _pthread_cleanup_pop(buffer: *mut RoutineBuffer, execute: c_int) {
        cancel::unregister_routine(buffer, execute != 0);
    }

    /// `pthread_cleanup_push_defer_np` of old programs.
    fn _pthread_cleanup_push_defer(buffer: *mut RoutineBuffer, routine: u64, argument: u64) {
        cancel::register_routine(buffer, routine, argument, set_type(DEFERRED))
    }

    /// `pthread_cleanup_pop_restore_np` of old programs.
    fn _pthread_cleanup_pop_restore(buffer: *mut RoutineBuffer, execute: c_int) {
        let kind = cancel::unregister_routine(buffer, false);
        set_type(kind);
        act_at_once_if_asynchronous();
        if execute != 0 {
            cancel::call_routine(buffer);
        }
    }
}
