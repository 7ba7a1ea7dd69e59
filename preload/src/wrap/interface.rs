//! What `<rscale.h>` offers: the functions with which a program talks to rscale.

use super::{wrap, wrap_in_loops};
use crate::access::local;
use crate::{arena, finish, gate, section, world};
use core::ffi::{c_int, c_uint};
use rscale_protocol::{Action, Ending, Op, Variable};

/// Whether there is somebody to talk to.
fn is_running() -> bool {
    arena::attached().is_some() && world::get().running.get()
}

fn begin_atomic() {
    if is_running() {
        section::begin(gate::caller(), Action::ANNOTATED);
    }
}

fn end_atomic() {
    if is_running() {
        section::end(gate::caller(), Action::ANNOTATED);
    }
}

wrap_in_loops! {
    /// Lets others run.
    fn rscale_yield() {
        if is_running() {
            local::pass_in_loop(gate::action(Op::Yield, Variable(0)));
        }
    }
}

wrap! {
    /// No other thread runs from here to the end of the section.
    fn rscale_atomic_begin() {
        begin_atomic()
    }

    /// The end of the section.
    fn rscale_atomic_end() {
        end_atomic()
    }

    /// As `rscale_atomic_begin`, by the name of SV-COMP.
    fn __VERIFIER_atomic_begin() {
        begin_atomic()
    }

    /// As `rscale_atomic_end`, by the name of SV-COMP.
    fn __VERIFIER_atomic_end() {
        end_atomic()
    }

    /// Executions in which this does not hold are of no interest.
    fn rscale_assume(holds: c_int) {
        if is_running() && holds == 0 {
            finish::end(Ending::Assumption, 0)
        }
    }

    /// This must hold.
    fn rscale_assert(holds: c_int) {
        if is_running() && holds == 0 {
            finish::end_with(Ending::Assertion, 0, b"rscale_assert")
        }
    }

    /// A number below the limit, each of which is tried: one decision after the other whether to go on to the next one.
    fn rscale_choose(limit: c_uint) -> c_uint {
        let goes_on = |_: &c_uint| is_running() && gate::pass(gate::action(Op::Choose, Variable(0))) != 0;
        (1..limit).take_while(goes_on).last().unwrap_or(0)
    }
}
