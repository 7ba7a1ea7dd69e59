//! Reading and writing.

use super::files::Kind;
use super::{Call, aliases, descriptors, failure, files, kernel, report, signals, wait};
use rscale_protocol::Action;

/// Calls that read: `read`, `readv`, `pread64` and so on.
pub fn read(call: &Call) -> i64 {
    match Kind::of(call.descriptor()) {
        Err(_) => closed(call),
        Ok(Kind::Captured) => {
            descriptors::output_written();
            call.pass()
        }
        Ok(Kind::File | Kind::Anonymous) => {
            aliases::used(call.descriptor(), false);
            descriptors::offset_changed();
            call.pass()
        }
        Ok(Kind::Device) if kernel::is_terminal(call.descriptor()) => {
            report::unsupported(call, "reads from a terminal")
        }
        Ok(Kind::Device) => call.pass(),
        Ok(Kind::Channel) => receive(call, 0),
    }
}

/// Calls that write: `write`, `writev`, `pwrite64` and so on.
pub fn write(call: &Call) -> i64 {
    match Kind::of(call.descriptor()) {
        Err(_) => closed(call),
        Ok(Kind::Captured) => {
            descriptors::output_written();
            call.pass()
        }
        Ok(Kind::File) => {
            report::isolate(call, "writes to a file");
            aliases::used(call.descriptor(), true);
            call.pass()
        }
        Ok(Kind::Anonymous) => {
            aliases::used(call.descriptor(), true);
            call.pass()
        }
        Ok(Kind::Device) => call.pass(),
        Ok(Kind::Channel) => send(call, 0),
    }
}

/// There is nothing behind the descriptor.
fn closed(call: &Call) -> i64 {
    files::use_if_closed(call, call.descriptor());
    failure(libc::EBADF)
}

/// `sendfile` and `copy_file_range`; `from` and `to` are the descriptors.
fn copy(call: &Call, from: i32, to: i32) -> i64 {
    match Kind::of(to) {
        Err(error) => return error,
        Ok(Kind::Captured) => descriptors::output_written(),
        Ok(Kind::File) => report::isolate(call, "writes to a file"),
        Ok(Kind::Channel) => report::unsupported(call, "copies from a file to a pipe or socket"),
        Ok(Kind::Anonymous | Kind::Device) => {}
    }
    if matches!(Kind::of(from), Ok(Kind::Channel)) {
        report::unsupported(call, "copies from a pipe or socket");
    }
    aliases::used(from, false);
    aliases::used(to, true);
    descriptors::offset_changed();
    call.pass()
}

/// `sendfile`.
pub fn sendfile(call: &Call) -> i64 {
    copy(call, call.arguments[1] as i32, call.descriptor())
}

/// `copy_file_range`.
pub fn copy_file_range(call: &Call) -> i64 {
    copy(call, call.descriptor(), call.arguments[2] as i32)
}

/// `recvfrom`.
pub fn recvfrom(call: &Call) -> i64 {
    receive(call, call.arguments[3] as i32)
}

/// `recvmsg`, which may bring descriptors.
pub fn recvmsg(call: &Call) -> i64 {
    descriptors::changed();
    receive(call, call.arguments[2] as i32)
}

/// `sendto`.
pub fn sendto(call: &Call) -> i64 {
    if call.arguments[4] != 0 {
        report::isolate(call, "uses a network socket");
    }
    send(call, call.arguments[3] as i32)
}

/// `sendmsg`.
pub fn sendmsg(call: &Call) -> i64 {
    let message = call.arguments[1] as *const libc::msghdr;
    // SAFETY: the program passes a header; a wrong pointer faults here and is the program's crash.
    if !message.is_null() && !unsafe { (*message).msg_name }.is_null() {
        report::isolate(call, "uses a network socket");
    }
    send(call, call.arguments[2] as i32)
}

/// `accept` and `accept4`.
pub fn accept(call: &Call) -> i64 {
    report::isolate(call, "uses a network socket");
    let result = when_ready(call, 0, libc::POLLIN);
    if result >= 0 {
        descriptors::changed();
        wait::descriptors().name(result as i32, wait::NETWORK);
    }
    result
}

/// Reads from a channel; `flags` are those of the socket calls.
fn receive(call: &Call, flags: i32) -> i64 {
    refuse_foreign(call, "reads from a pipe or socket that was open before main");
    when_ready(call, flags, libc::POLLIN)
}

/// Writes to a channel; `flags` are those of the socket calls.
fn send(call: &Call, flags: i32) -> i64 {
    refuse_foreign(call, "writes to a pipe or socket that was open before main");
    let result = if call.number == libc::SYS_write { write_all(call) } else { when_ready(call, flags, libc::POLLOUT) };
    if result == failure(libc::EPIPE) && flags & libc::MSG_NOSIGNAL == 0 {
        signals::send::raise(libc::SIGPIPE);
    }
    result
}

/// What goes through a channel to another process is gone for the next execution.
fn refuse_foreign(call: &Call, what: &str) {
    let descriptor = call.descriptor();
    let is_foreign = |stat: libc::stat| match stat.st_mode & libc::S_IFMT {
        0 => descriptors::is_original(descriptor), // event counters and the like share one inode
        _ => descriptors::is_original_file(&stat),
    };
    if report::executions_share_process() && kernel::stat(descriptor).is_ok_and(is_foreign) {
        report::unsupported(call, what);
    }
}

/// A `write` that waits goes on until everything is written, with others running in between.
fn write_all(call: &Call) -> i64 {
    let [descriptor, buffer, length, ..] = call.arguments;
    let mut written = 0;
    loop {
        let part = Call { arguments: [descriptor, buffer + written, length - written, 0, 0, 0], ..*call };
        let result = when_ready(&part, 0, libc::POLLOUT);
        if result < 0 {
            return if written > 0 { written as i64 } else { result };
        }
        written += result as u64;
        if written >= length || result == 0 || !waits(descriptor as i32) {
            return written as i64;
        }
    }
}

fn waits(descriptor: i32) -> bool {
    kernel::control(descriptor, libc::F_GETFL, 0) as i32 & libc::O_NONBLOCK == 0
}

/// Makes the call when it will not block. A descriptor that never blocks is used at once, in a step of its own.
fn when_ready(call: &Call, flags: i32, events: i16) -> i64 {
    let descriptor = call.descriptor();
    if flags & libc::MSG_DONTWAIT != 0 || !waits(descriptor) {
        wait::use_object(call, descriptor);
        return call.pass();
    }
    loop {
        let handled = signals::handlers_run();
        wait::until_ready(call, &mut [wait::one(descriptor, events)], Action::NEVER);
        let result = without_blocking(call, descriptor);
        if result != failure(libc::EAGAIN) {
            return result;
        }
        if signals::handlers_run() != handled && !signals::last_handler_restarts() {
            return failure(libc::EINTR);
        }
    }
}

/// Makes the call such that it fails where it would block: being ready for something is not being ready for all of it.
fn without_blocking(call: &Call, descriptor: i32) -> i64 {
    let flags = kernel::control(descriptor, libc::F_GETFL, 0) as u64;
    kernel::control(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK as u64);
    let result = call.pass();
    kernel::control(descriptor, libc::F_SETFL, flags);
    result
}
