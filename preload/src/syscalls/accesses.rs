//! What system calls do to the program's memory, made known like the accesses of its own code.
//!
//! A call that moves bytes between a descriptor and memory works on two things at once, and steps work on one. So where
//! the memory is a communication variable, a buffer stands between: the call is a step of the descriptor's, the copy is
//! made of the memory's own steps.

use super::{Call, buffers, changes};
use crate::access::{self, Here, Kind};
use core::mem::MaybeUninit;

/// The largest transfer for which there is a buffer. Larger ones pass the points of their memory before the call.
const LARGEST: usize = 16 << 10;

/// The one buffer of a call that transfers bytes, as the arguments give it.
struct Buffer {
    kind: Kind,
    /// Which argument is its address; the length is the next one.
    argument: usize,
    address: u64,
    length: u64,
}

impl Buffer {
    fn of(call: &Call) -> Option<Buffer> {
        let (kind, argument) = match call.number {
            libc::SYS_read | libc::SYS_pread64 | libc::SYS_recvfrom => (Kind::Write, 1),
            libc::SYS_write | libc::SYS_pwrite64 | libc::SYS_sendto => (Kind::Read, 1),
            libc::SYS_getrandom => (Kind::Write, 0),
            _ => return None,
        };
        Some(Buffer { kind, argument, address: call.arguments[argument], length: call.arguments[argument + 1] })
    }
}

/// Calls `act` for each buffer that the call reads.
fn for_each_input(call: &Call, act: impl FnMut(u64, u64)) {
    let [_, b, c, ..] = call.arguments;
    match call.number {
        libc::SYS_writev | libc::SYS_pwritev | libc::SYS_pwritev2 => buffers::for_each_part(b, c, act),
        libc::SYS_sendmsg => buffers::for_each_of_message(b, act),
        _ => {}
    }
}

/// How many bytes of its outputs a call has written, by its result.
fn written(call: &Call, result: i64) -> u64 {
    let Ok(count) = u64::try_from(result) else { return 0 };
    match call.number {
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => count * buffers::EVENT,
        libc::SYS_readv
        | libc::SYS_preadv
        | libc::SYS_preadv2
        | libc::SYS_getdents
        | libc::SYS_getdents64
        | libc::SYS_getcwd
        | libc::SYS_readlink
        | libc::SYS_readlinkat
        | libc::SYS_getxattr
        | libc::SYS_lgetxattr
        | libc::SYS_fgetxattr => count,
        _ => u64::MAX,
    }
}

/// Whether the call accesses memory that is watched: then it is served on the fiber, where there can be points.
pub fn are_watched(call: &Call) -> bool {
    let mut any = Buffer::of(call).is_some();
    if access::is_watching() && !any {
        for_each_input(call, |_, _| any = true);
        buffers::for_each_output(call, |_, _| any = true);
    }
    any && access::is_watching()
}

/// Lets a call be handled, and makes its accesses known. On the fiber.
pub fn around(call: &Call, handle: fn(&Call) -> i64) -> i64 {
    if !access::is_watching() {
        return handle(call);
    }
    let here = Here::at(call.pc);
    match Buffer::of(call) {
        Some(buffer) if here.is_shared(buffer.address, buffer.length) => shared(here, call, &buffer, handle),
        Some(buffer) => {
            let result = handle(call);
            here.note(buffer.kind, buffer.address, u64::try_from(result).unwrap_or(0).min(buffer.length));
            result
        }
        None => several(here, call, handle),
    }
}

/// A transfer of memory that is a communication variable.
fn shared(here: Here, call: &Call, buffer: &Buffer, handle: fn(&Call) -> i64) -> i64 {
    if buffer.length > LARGEST as u64 {
        here.points(buffer.kind, buffer.address, buffer.length);
        here.resume();
        return handle(call);
    }
    let mut between = MaybeUninit::<[u8; LARGEST]>::uninit();
    let between = between.as_mut_ptr() as u64;
    if buffer.kind == Kind::Read {
        here.copy(between, buffer.address, buffer.length);
        here.resume();
    }
    let mut arguments = call.arguments;
    arguments[buffer.argument] = between;
    let result = handle(&Call { arguments, ..*call });
    if let (Kind::Write, Ok(length @ 1..)) = (buffer.kind, u64::try_from(result)) {
        here.copy(buffer.address, between, length.min(buffer.length));
    }
    result
}

/// A call with several buffers, or with something else than bytes in them.
fn several(here: Here, call: &Call, handle: fn(&Call) -> i64) -> i64 {
    for_each_input(call, |start, length| _ = here.range(Kind::Read, start, length));
    buffers::for_each_output(call, |start, length| _ = start != 0 && here.points(Kind::Write, start, length));
    changes::make_known(here, call);
    here.resume();
    let result = handle(call);
    let mut left = written(call, result);
    buffers::for_each_output(call, |start, length| {
        if start != 0 {
            here.note(Kind::Write, start, length.min(left));
            left -= length.min(left);
        }
    });
    result
}
