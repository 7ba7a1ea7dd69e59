//! System calls of the program: every one is known by its number, and one table says what becomes of it.
//!
//! What the kernel keeps for a process is not in its memory: a restore has to undo it ([`undo`]). So each call is
//! passed, tracked such that it can be undone, served here in a deterministic way, or it ends the execution with a
//! message that says what the program did. A call that nobody thought of is never passed by accident.

mod accesses;
mod aliases;
mod buffers;
pub mod caller;
mod changes;
mod descriptors;
pub mod files;
pub mod filter;
pub mod futex;
mod kernel;
mod memory;
mod poll;
pub mod process;
mod ranges;
mod report;
pub mod scheduling;
pub mod signals;
mod surroundings;
mod table;
mod time;
pub mod time_stamps;
mod transfer;
pub mod trap;
pub mod wait;

use crate::{arena, buffer, evaluation, gate, sys, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::{Action, Op, Variable};
use table::Handling;

/// A system call that the program made.
pub struct Call {
    /// Its number.
    pub number: i64,
    /// Its arguments.
    pub arguments: [u64; 6],
    /// Where the program's own code made it, as far as that is known.
    pub pc: u64,
}

impl Call {
    /// Lets the kernel do it. Buffers that the kernel writes are made writable first: it does not fault on a protected
    /// page as the program would, it fails, or stops in the middle.
    pub fn pass(&self) -> i64 {
        buffers::touch_outputs(self);
        let result = self.make();
        if result == failure(libc::EFAULT) && buffers::touch_arguments(self) {
            return self.make();
        }
        result
    }

    fn make(&self) -> i64 {
        // SAFETY: the program's own call, with its own arguments.
        unsafe { sys::call(self.number, self.arguments) }
    }

    /// The first argument as a file descriptor.
    fn descriptor(&self) -> i32 {
        self.arguments[0] as i32
    }

    /// An action of the running thread, taken where the program made the call.
    fn action(&self, op: Op, object: Variable) -> Action {
        Action { pc: self.pc, ..gate::action(op, object) }
    }
}

/// What a call returns that fails with this error.
const fn failure(error: i32) -> i64 {
    -(error as i64)
}

/// How a call was served by the trap handler.
pub enum Served {
    /// It is done and returns this.
    Returns(i64),
    /// It has to run on the stack of the fiber.
    OnFiber,
}

/// Calls that POSIX makes cancellation points and that are not served as such by the functions behind their rows.
const CANCELLATION_POINTS: [i64; 14] = [
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_creat,
    libc::SYS_close,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_msync,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_write,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
];

/// Calls that only tell who asks. Others make the kernel take locks, which wait until the thread's stores are visible;
/// to enter the kernel is not enough for that.
const ORDER_NOTHING: [i64; 7] = [
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
];

/// Whether the running thread has stores that have to be visible before the call. That an assertion failed is printed
/// at once: nothing that others do could make it hold.
fn must_drain(call: &Call) -> bool {
    buffer::must_drain(Op::DescriptorUse)
        && !ORDER_NOTHING.contains(&call.number)
        && !world::get().assertion_failed.get()
}

/// Whether the call is where the running thread acts on a request to cancel it.
fn is_cancelled(call: &Call) -> bool {
    CANCELLATION_POINTS.contains(&call.number)
        && world::get().look(|model| model.threads.acts_on_cancellation(&cancellation_point(call)))
}

fn cancellation_point(call: &Call) -> Action {
    let thread = world::get().current.get();
    let action = call.action(Op::TestCancel, Variable::thread(thread));
    Action { flags: Action::CANCELLATION_POINT, ..action }
}

/// Serves a call on the stack of the trap handler, if it can neither reach a scheduling point nor end the execution.
pub fn serve(call: &Call) -> Served {
    if evaluation::is_under_way() {
        return evaluation::rules::system_call(call);
    }
    if must_drain(call) || is_cancelled(call) || accesses::are_watched(call) {
        return Served::OnFiber;
    }
    serve_plainly(call)
}

/// As [`serve`], where it is no matter what the call accesses.
pub fn serve_plainly(call: &Call) -> Served {
    match table::handling(call.number) {
        Some(Handling::Pass) => Served::Returns(call.pass()),
        Some(Handling::Track(serve)) => Served::Returns(serve(call)),
        _ => Served::OnFiber,
    }
}

/// Serves a call on the stack of the fiber.
pub fn serve_on_fiber(call: &Call) -> i64 {
    gate::set_caller(call.pc);
    if must_drain(call) {
        gate::fence(call.pc);
    }
    if is_cancelled(call) {
        gate::pass(cancellation_point(call));
    }
    accesses::around(call, handle)
}

fn handle(call: &Call) -> i64 {
    match table::handling(call.number) {
        Some(Handling::Pass) => call.pass(),
        Some(Handling::Track(serve) | Handling::OnFiber(serve)) => serve(call),
        Some(Handling::Isolate(what)) => {
            report::isolate(call, what);
            call.pass()
        }
        Some(Handling::Child) => report::child_process(),
        Some(Handling::Unsupported(what)) => report::unsupported(call, what),
        None => report::unknown(call),
    }
}

/// Remembers what the kernel holds for the program at the snapshot. Called before the filter is installed.
pub fn prepare() {
    descriptors::prepare();
    signals::prepare();
}

/// An execution begins.
pub fn begin() {
    time_stamps::begin();
    descriptors::begin();
}

/// Closes every descriptor of a process that is about to end.
pub fn close_all() {
    descriptors::close_all();
}

/// Whether the standard output is still what it was at the snapshot: a file that the scheduler process reads.
pub fn is_output_captured() -> bool {
    descriptors::is_output_captured()
}

/// Whether it makes no difference if the scheduler process gets what this call would write to the standard output in
/// another way: nothing has been written before, or done to descriptors, and the call would neither wait nor be seen.
pub fn may_be_kept_in_memory(write: &Call) -> bool {
    let is_plain = !must_drain(write) && !is_cancelled(write) && !accesses::are_watched(write);
    let is_known = arena::get().setup.watch_syscalls.load(Relaxed) != 0 && !world::get().forked_child.get();
    is_plain && is_known && descriptors::is_output_captured() && descriptors::is_untouched()
}

/// Whether the execution has not done anything yet that [`undo`] would undo.
pub fn is_untouched() -> bool {
    surroundings::is_untouched() && descriptors::is_untouched() && memory::is_untouched()
}

/// Undoes what the execution did to the kernel's state of the process.
pub fn undo() {
    surroundings::undo();
    descriptors::undo();
    memory::undo();
}
