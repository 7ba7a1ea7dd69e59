//! The gate: every operation of the program that other threads can notice passes through here.
//!
//! A thread arrives with its next action, waits until it is scheduled, and then the action takes effect at once; the
//! code that follows runs up to the next gate without interruption. That is SCALE's thread transition (section 3.1).

use crate::syscalls::signals::send as signals;
use crate::wrap::object;
use crate::{access, arena, buffer, cancel, enabled, evaluation, finish, policy, sched, sys, world};
use core::arch::asm;
use core::cell::Cell;
use rscale_protocol::dependence;
use rscale_protocol::model::{CANCELLED, Outcome};
use rscale_protocol::{Action, Choice, Op, Variable};

/// A cell in the shim's own data, for the one kernel thread.
pub struct Own<T>(Cell<T>);

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl<T> Sync for Own<T> {}

/// Where the program called the wrapped function that runs: each wrapper notes its return address here first, and the
/// stack pointer. Functions that programs call in loops add the registers that a function has to keep.
pub static CALLER: [Own<u64>; 8] = [const { Own(Cell::new(0)) }; 8];

/// Notes where the program made the system call that is served.
pub fn set_caller(pc: u64) {
    CALLER[0].0.set(pc);
}

/// The call site of the wrapped function that runs.
pub fn caller() -> u64 {
    CALLER[0].0.get()
}

/// The stack pointer with which it was called.
pub fn caller_stack() -> u64 {
    CALLER[1].0.get()
}

/// The stack pointer, and the registers that a function has to keep, as the function that runs found them. Only those
/// defined with `wrap_in_loops!` note them.
pub fn caller_state() -> (u64, [u64; 6]) {
    (CALLER[1].0.get(), core::array::from_fn(|index| CALLER[index + 2].0.get()))
}

/// An action of the running thread on an object, called from where the program called.
pub fn action(op: Op, object: Variable) -> Action {
    Action { pc: caller(), ..Action::new(world::get().current.get(), op, object) }
}

/// An action on the object at an address.
pub fn action_at<T>(op: Op, object: *const T) -> Action {
    action(op, Variable(object as u64))
}

/// Performs an action when its time has come, and returns what the function returns: 0, an error number or a value.
/// Does not return if the thread is cancelled there.
#[inline(always)]
pub fn pass(action: Action) -> i32 {
    match pass_alone(&action) {
        Some(result) => result,
        None => pass_with(action, |_| {}),
    }
}

/// The fast path of a thread that is alone, for operations that never wait: programs prepare and clean up hundreds of
/// objects this way. Inlined, so that what depends on the operation is decided when the shim is compiled.
#[inline(always)]
fn pass_alone(action: &Action) -> Option<i32> {
    let world = world::get();
    if action.op.may_wait() || action.op == Op::ThreadCreate || !world.is_alone() || evaluation::is_under_way() {
        return None;
    }
    let outcome = world.model(|model| model.perform(action, Choice::Proceed));
    if let Some(misuse) = outcome.misuse {
        finish::misuse(misuse);
    }
    signals::deliver_pending();
    match outcome.next {
        Some(next) => Some(pass_with(next, |_| {})),
        None => Some(outcome.result),
    }
}

/// As [`pass`]; `refresh` may look at memory at the moment when the action takes effect.
pub fn pass_with(action: Action, refresh: impl FnMut(&mut Action)) -> i32 {
    match pass_or_cancel(action, refresh) {
        CANCELLED => cancel::act(),
        result => result,
    }
}

/// As [`pass_with`], but a cancellation is returned as [`CANCELLED`].
pub fn pass_or_cancel(mut action: Action, mut refresh: impl FnMut(&mut Action)) -> i32 {
    if evaluation::is_under_way() {
        return evaluation::rules::perform(action, refresh);
    }
    if buffer::must_drain(action.op) {
        fence(action.pc);
    }
    let world = world::get();
    loop {
        let outcome = if may_proceed_at_once(&action) {
            refresh(&mut action);
            world.model(|model| model.perform(&action, Choice::Proceed))
        } else {
            let choice = wait_for_turn(&action);
            action = world.look(|model| model.current(&action));
            refresh(&mut action);
            let outcome = perform(buffer::resolved(&action).as_ref().unwrap_or(&action), choice);
            object::check_used(&action);
            outcome
        };
        if let Some(misuse) = outcome.misuse {
            finish::misuse(misuse);
        }
        match outcome.next {
            Some(next) => action = next,
            None => {
                signals::deliver_pending();
                clear_registers();
                return outcome.result;
            }
        }
    }
}

/// Clears what the shim leaves in registers that a function need not keep. What it is depends on which way through the
/// shim a thread took, and not only on the schedule; and a thread that waits in a loop is recognised by its registers.
#[inline(always)]
pub fn clear_registers() {
    // SAFETY: writes registers, and says so.
    unsafe {
        asm!(
            "xor ecx, ecx", "xor edx, edx", "xor esi, esi", "xor edi, edi",
            "xor r8d, r8d", "xor r9d, r9d", "xor r10d, r10d", "xor r11d, r11d",
            "xorps xmm0, xmm0", "xorps xmm1, xmm1", "xorps xmm2, xmm2", "xorps xmm3, xmm3",
            "xorps xmm4, xmm4", "xorps xmm5, xmm5", "xorps xmm6, xmm6", "xorps xmm7, xmm7",
            "xorps xmm8, xmm8", "xorps xmm9, xmm9", "xorps xmm10, xmm10", "xorps xmm11, xmm11",
            "xorps xmm12, xmm12", "xorps xmm13, xmm13", "xorps xmm14, xmm14", "xorps xmm15, xmm15",
            out("rcx") _, out("rdx") _, out("rsi") _, out("rdi") _,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nomem, nostack)
        );
    }
}

/// The running thread waits until all its stores are visible. It has made some since it last did.
pub fn fence(pc: u64) {
    let thread = world::get().current.get();
    let action = Action { pc, ..Action::new(thread, Op::Fence, Variable(0)) };
    let choice = wait_for_turn(&action);
    perform(&action, choice);
    buffer::drained(thread);
}

/// Whether the action needs no scheduling, because no other thread can be there.
fn may_proceed_at_once(action: &Action) -> bool {
    let world = world::get();
    if !world.is_alone() || matches!(action.op, Op::ThreadCreate | Op::Choose) {
        return false;
    }
    !action.op.may_wait()
        || world.model(|model| {
            model.announce(action);
            model.choices(action).proceed
        })
}

/// Arrives at the action and comes back when the thread is scheduled to take it.
fn wait_for_turn(action: &Action) -> Choice {
    let world = world::get();
    if !world.running.get() {
        finish::before_main(action);
    }
    if world.forked_child.get() {
        return wait_alone(action);
    }
    access::spin::arrive(action.op);
    access::local::log();
    if world.model_in_step(|model| model.announce(action)) {
        enabled::note_step(action);
    }
    world.fiber().set_next(evaluation::marked(action));
    world.enabled.renew(action.thread);
    sched::wait_for_turn()
}

/// In a child process of the program: the threads that others would have to act are not there, and nobody else is
/// scheduled.
fn wait_alone(action: &Action) -> Choice {
    match action.op {
        Op::Choose => Choice::Proceed,
        _ if action.is_timed() => Choice::TimeOut,
        _ => sys::sleep_for_ever(),
    }
}

/// Lets the scheduled action take effect and logs what it returned.
fn perform(action: &Action, choice: Choice) -> Outcome {
    let world = world::get();
    let context = world.look(|model| model.context(action));
    let outcome = world.model_in_step(|model| model.perform(action, choice));
    enabled::note_step(action);
    arena::get().log.store_result(world.logged.get() - 1, outcome.result);
    access::clocks::step(action, || dependence::row(action, choice, outcome.result, context));
    access::spin::stepped(action, outcome.result);
    sched::wake_sleepers(action);
    policy::performed(action);
    if action.op.redirects_waiters() {
        redirect_waiters(action);
    }
    outcome
}

/// The step may have changed what threads that wait do next.
fn redirect_waiters(done: &Action) {
    let world = world::get();
    for thread in world.live.get() {
        let fiber = &world.fibers[thread.index()];
        let mut next = world.look(|model| model.current(fiber.next()));
        if next == *fiber.next() {
            continue;
        }
        if next.op == Op::CondRetake {
            next.count = world.steps.get() as u32;
            access::clocks::woken(thread, done.object);
        }
        fiber.set_next(evaluation::marked(&next));
        world.enabled.renew(thread);
    }
}

/// The first step of a fiber: it was scheduled before it ran for the first time.
pub fn first_step() {
    let action = *world::get().fiber().next();
    perform(&action, Choice::Proceed);
}
