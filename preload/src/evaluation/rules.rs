//! What a function may do while it is evaluated.
//!
//! The process is a fork: whatever stays inside of it is allowed. Locks that are free may be taken, and are given back
//! by the end of the process. What others would see, or would have to happen first, is refused.

use super::reads;
use crate::message::Message;
use crate::syscalls::{Call, Served};
use crate::{arena, fault, finish, sys, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::Progress;
use rscale_protocol::ending::HeapError;
use rscale_protocol::{Action, Choice, Ending, Family, Misuse, Op};

/// The function can not be evaluated: says why and ends the process.
pub fn refuse(what: &[u8]) -> ! {
    arena::get().store_text(what);
    refuse_as_said()
}

/// As [`refuse`], where the text is there already.
fn refuse_as_said() -> ! {
    arena::get().evaluation.progress.store(Progress::Refused as u32, Relaxed);
    sys::exit_group(0)
}

fn refuse_with(text: core::fmt::Arguments<'_>) -> ! {
    refuse(Message::<256>::of(text).as_bytes())
}

/// The function did what would end an execution.
pub fn refuse_end(ending: Ending, value: u64) -> ! {
    match ending {
        Ending::Exit => refuse(b"ends the process"),
        Ending::Assertion | Ending::Abort => refuse(b"aborts"),
        Ending::Crash => refuse_with(format_args!("crashes: {}", fault::signal_name(value as i32))),
        Ending::Killed => refuse(b"kills the process"),
        Ending::Memory => {
            let error = HeapError::from_code(value as u8).map_or("", HeapError::text);
            refuse_with(format_args!("misuses the heap: {error}"))
        }
        Ending::Misuse => {
            let misuse = Misuse::from_code(value as u8).map_or("", Misuse::text);
            refuse_with(format_args!("misuses the thread library: {misuse}"))
        }
        Ending::NeedIsolation | Ending::Unsupported => refuse_as_said(),
        other => refuse_with(format_args!("can not be evaluated: {}", other.text())),
    }
}

/// An operation of the thread library: takes effect at once, or is refused.
pub fn perform(mut action: Action, mut refresh: impl FnMut(&mut Action)) -> i32 {
    let world = world::get();
    loop {
        match action.op.family() {
            Family::Memory => return 0,
            Family::Mutex | Family::RwLock | Family::Spin | Family::Semaphore => {}
            Family::Process => refuse(b"ends the process"),
            Family::Thread if action.op == Op::Fork => refuse(b"starts a process"),
            _ => refuse_with(format_args!("calls a function that it must not ({})", action.op.name())),
        }
        note(&action);
        let can_proceed = world.model(|model| {
            model.announce(&action);
            model.choices(&action).proceed
        });
        if action.op.may_wait() && !can_proceed {
            refuse_with(format_args!("would have to wait ({}), which it must not", action.op.name()));
        }
        refresh(&mut action);
        let outcome = world.model(|model| model.perform(&action, Choice::Proceed));
        if let Some(misuse) = outcome.misuse {
            finish::misuse(misuse);
        }
        match outcome.next {
            Some(next) => action = next,
            None => return outcome.result,
        }
    }
}

/// What the function sees of the object decides what it returns.
fn note(action: &Action) {
    let address = action.object.0;
    match action.op {
        Op::MutexLock | Op::MutexTryLock => reads::note_mutex(address),
        Op::MutexUnlock => {}
        _ => reads::note_object(address),
    }
}

/// A system call: what stays within the process is made, output is swallowed, everything else is refused.
pub fn system_call(call: &Call) -> Served {
    const WITHIN: [i64; 14] = [
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mprotect,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_getppid,
        libc::SYS_getuid,
        libc::SYS_geteuid,
        libc::SYS_getgid,
        libc::SYS_getegid,
        libc::SYS_rt_sigprocmask,
    ];
    reads::leave_open();
    let [descriptor, buffer, count, ..] = call.arguments;
    let is_output = matches!(descriptor, 1 | 2);
    match call.number {
        libc::SYS_exit | libc::SYS_exit_group => refuse(b"ends the process"),
        libc::SYS_kill | libc::SYS_tkill | libc::SYS_tgkill if world::get().assertion_failed.get() => {
            refuse(b"fails an assertion")
        }
        libc::SYS_kill | libc::SYS_tkill | libc::SYS_tgkill => refuse(b"aborts, or sends a signal"),
        libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => refuse(b"starts a process"),
        // As if it were closed, which it is.
        libc::SYS_fstat | libc::SYS_newfstatat | libc::SYS_ioctl | libc::SYS_lseek if is_output => {
            Served::Returns(-i64::from(libc::EBADF))
        }
        libc::SYS_write if is_output => Served::Returns(count as i64),
        libc::SYS_writev if is_output => {
            let vectors = buffer as *const libc::iovec;
            // SAFETY: the vectors that the program passes; if they are not there, it is the function's crash.
            let length = |index| unsafe { (*vectors.add(index)).iov_len };
            Served::Returns((0..count as usize).map(length).sum::<usize>() as i64)
        }
        number if WITHIN.contains(&number) => crate::syscalls::serve_plainly(call),
        number => refuse_with(format_args!("makes a system call that it must not (number {number})")),
    }
}
