//! The end of the process.

use super::wrap;
use crate::message::Message;
use crate::{arena, evaluation, gate, start, world};
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::fmt::Write;
use rscale_protocol::arena::TEXT_CAPACITY;
use rscale_protocol::{Op, Variable};

/// libc functions behind wrapped ones, found before the snapshot.
struct LibcFunctions {
    exit: Cell<usize>,
    assert_fail: Cell<usize>,
    fork: Cell<usize>,
}

// SAFETY: filled before the snapshot, read by the kernel thread that runs the program.
unsafe impl Sync for LibcFunctions {}

static LIBC: LibcFunctions = LibcFunctions { exit: Cell::new(0), assert_fail: Cell::new(0), fork: Cell::new(0) };

/// Looks up what the wrappers of this file call.
pub fn find_libc_functions() {
    LIBC.exit.set(start::libc_function(c"exit").unwrap_or(0));
    LIBC.assert_fail.set(start::libc_function(c"__assert_fail").unwrap_or(0));
    LIBC.fork.set(start::libc_function(c"fork").unwrap_or(0));
}

/// libc's fork: makes a child process, and puts libc's own state in order there.
pub fn fork() -> c_int {
    // SAFETY: the address is that of libc's function, which has this type.
    let fork: extern "C" fn() -> c_int = unsafe { core::mem::transmute(LIBC.fork.get()) };
    fork()
}

/// The running thread ends the process: a step of its own, since every other thread ends with it.
pub fn exit_process(status: c_int) -> ! {
    announce_exit();
    run_exit_handlers(status)
}

/// Waits for the turn to end the process. Once is enough where nobody else has had a turn since: exit handlers may take
/// steps, and another thread may end the process in the meantime, or behind the last of them.
pub fn announce_exit() {
    if world::get().exit_announced.get() != announcement() {
        let action = gate::action(Op::ProcessExit, Variable(0));
        evaluation::check_alone(&action);
        gate::pass(action);
        world::get().exit_announced.set(announcement());
    }
}

/// The running thread, now.
fn announcement() -> u64 {
    let world = world::get();
    (world.steps.get() << 16) + u64::from(world.current.get().0) + 1
}

/// libc's exit: runs handlers, and last of all [`last_exit_handler`].
pub fn run_exit_handlers(status: c_int) -> ! {
    world::get().exit_announced.set(announcement());
    super::thread::run_thread_local_destructors();
    // SAFETY: the address is that of libc's function, which has this type.
    let exit: extern "C" fn(c_int) -> ! = unsafe { core::mem::transmute(LIBC.exit.get()) };
    exit(status)
}

/// Has the execution end behind the last exit handler of the program. Called before any other can be registered.
pub fn register_last_exit_handler() -> bool {
    unsafe extern "C" {
        fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    // SAFETY: registers a handler that lives as long as the process.
    unsafe { on_exit(last_exit_handler, core::ptr::null_mut()) == 0 }
}

/// What is left for libc to do after the handlers is to write out buffers and to end the process. Doing both here
/// spares every execution the trap of the system call at its end.
extern "C" fn last_exit_handler(status: c_int, _argument: *mut c_void) {
    if !world::get().running.get() {
        return;
    }
    announce_exit();
    super::standard_output::hand_over();
    // SAFETY: writes out all streams, as exit does.
    unsafe { libc::fflush(core::ptr::null_mut()) };
    announce_exit();
    crate::syscalls::process::end(status)
}

type Text = Message<TEXT_CAPACITY>;

/// Adds a string of the program.
fn push(text: &mut Text, string: *const c_char) {
    if string.is_null() {
        return;
    }
    // SAFETY: the program passes terminated strings.
    for chunk in unsafe { CStr::from_ptr(string) }.to_bytes().utf8_chunks() {
        let _ = text.write_str(chunk.valid()); // writing to the buffer can not fail
    }
}

wrap! {
    /// Ends the process.
    fn exit(status: c_int) {
        exit_process(status)
    }

    /// Ends the process at once.
    fn _exit(status: c_int) {
        announce_exit();
        crate::syscalls::process::end(status)
    }

    /// Ends the process at once, by its C name.
    fn _Exit(status: c_int) {
        announce_exit();
        crate::syscalls::process::end(status)
    }

    /// An assertion failed: its text is kept for the report; then libc prints it and aborts.
    fn __assert_fail(assertion: *const c_char, file: *const c_char, line: c_uint, function: *const c_char) {
        let mut text = Text::new();
        push(&mut text, assertion);
        if let Some(arena) = arena::attached() {
            arena.store_text(text.as_bytes());
        }
        world::get().assertion_failed.set(true);
        type AssertFail = extern "C" fn(*const c_char, *const c_char, c_uint, *const c_char) -> !;
        // SAFETY: the address is that of libc's function, which has this type.
        let fail: AssertFail = unsafe { core::mem::transmute(LIBC.assert_fail.get()) };
        fail(assertion, file, line, function)
    }
}
