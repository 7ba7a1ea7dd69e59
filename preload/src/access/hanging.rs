//! Where a program is that takes no step any more.
//!
//! The watchdog's signal comes at any time, and then instrumented code is most often within a hook or a stub: its stack
//! is not that of the original code. So the processor goes on step by step, and the execution ends at the next access,
//! where all that is known. A loop without accesses ends where it is: it has no hooks.

use super::clocks::{self, Own};
use super::tearing::TRAP_FLAG;
use super::{region, site, stubs};
use crate::{fault, finish};
use core::cell::Cell;
use rscale_protocol::Ending;

/// Steps to the next access, at most.
const MOST_STEPS: u32 = 4096;

static STEPS_LEFT: Own<u32> = Own(Cell::new(0));

/// An execution begins.
pub fn begin() {
    STEPS_LEFT.0.set(0);
}

/// Whether the execution is to end at the access at hand.
pub fn is_to_end() -> bool {
    STEPS_LEFT.0.get() > 0
}

/// The watchdog has interrupted the program here. True if the execution ends a little later.
pub fn interrupt(context: &mut libc::ucontext_t) -> bool {
    let pc = context.uc_mcontext.gregs[libc::REG_RIP as usize] as u64;
    if !super::is_on() || !(region::is_clone(pc, 1) || stubs::contain(pc)) {
        return false;
    }
    STEPS_LEFT.0.set(MOST_STEPS);
    clocks::let_nothing_pass();
    context.uc_mcontext.gregs[libc::REG_EFL as usize] |= TRAP_FLAG as i64;
    true
}

/// The processor has stepped. False if that has nothing to do with the watchdog.
pub fn on_step(context: &mut libc::ucontext_t) -> bool {
    let left = STEPS_LEFT.0.get();
    if left == 0 {
        return false;
    }
    let registers = &mut context.uc_mcontext.gregs;
    if registers[libc::REG_RIP as usize] as u64 == site::slow_path as *const () as u64 {
        registers[libc::REG_EFL as usize] &= !(TRAP_FLAG as i64);
        return true;
    }
    STEPS_LEFT.0.set(left - 1);
    if left == 1 {
        finish::end_at(Ending::Hang, 0, 0, &fault::registers(context));
    }
    true
}
