//! Memory of the program that the kernel writes to.
//!
//! On a page that the snapshot still protects, a call fails, or stops in the middle with a short count, where the program
//! would simply fault and go on. So the pages are touched first, by the shim: that faults, and makes them writable.

use super::Call;
use crate::snapshot::{self, PAGE};

/// Longest buffer that is touched as a whole.
const LONGEST: u64 = 1 << 30;
/// Bytes of a `struct sockaddr_storage`, of `struct stat`, `struct statx` and `struct msghdr`.
const ADDRESS: u64 = 128;
const STAT: u64 = 144;
const STATX: u64 = 256;
const MESSAGE: u64 = 56;
/// Bytes of the kernel's `struct epoll_event`.
const EVENT: u64 = 12;

/// Makes a buffer writable, as far as the snapshot covers it.
pub fn touch(address: u64, length: u64) {
    if address == 0 || length == 0 {
        return;
    }
    let mut page = address & !(PAGE - 1);
    while page < address.saturating_add(length.min(LONGEST)) {
        if snapshot::covers(page) {
            let byte = page as *mut u8;
            // SAFETY: the page was writable before the snapshot, and is mapped: if it is protected, the write faults and
            // the fault handler makes it writable. The value stays the same.
            unsafe { byte.write_volatile(byte.read_volatile()) };
        }
        page += PAGE;
    }
}

/// Makes the buffers writable that the call fills in, where it is known to fill in some.
pub fn touch_outputs(call: &Call) {
    let [a, b, c, d, e, f] = call.arguments;
    match call.number {
        libc::SYS_read | libc::SYS_pread64 | libc::SYS_getdents | libc::SYS_getdents64 | libc::SYS_readlink => {
            touch(b, c)
        }
        libc::SYS_readv | libc::SYS_preadv | libc::SYS_preadv2 => touch_vector(b, c),
        libc::SYS_recvfrom => {
            touch(b, c);
            touch(e, ADDRESS);
            touch(f, 4);
        }
        libc::SYS_recvmsg => touch_message(b),
        libc::SYS_accept | libc::SYS_accept4 => {
            touch(b, ADDRESS);
            touch(c, 4);
        }
        libc::SYS_getcwd => touch(a, b),
        libc::SYS_readlinkat | libc::SYS_getxattr | libc::SYS_lgetxattr | libc::SYS_fgetxattr => touch(c, d),
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_fstat => touch(b, STAT),
        libc::SYS_newfstatat => touch(c, STAT),
        libc::SYS_statx => touch(e, STATX),
        libc::SYS_pipe | libc::SYS_pipe2 => touch(a, 8),
        libc::SYS_socketpair => touch(d, 8),
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => touch(b, c.saturating_mul(EVENT)),
        libc::SYS_sched_getaffinity => touch(c, b),
        _ => {}
    }
}

/// Makes what the arguments point to writable, for a call that failed. False if there was nothing of that kind.
pub fn touch_arguments(call: &Call) -> bool {
    let mut any = false;
    for &argument in &call.arguments {
        if snapshot::covers(argument & !(PAGE - 1)) {
            touch(argument, PAGE);
            any = true;
        }
    }
    any
}

/// The buffers of a `struct iovec` array.
fn touch_vector(vector: u64, count: u64) {
    if vector == 0 || count > libc::UIO_MAXIOV as u64 {
        return;
    }
    for index in 0..count {
        // SAFETY: the program passes an array of this length; a wrong pointer faults here and is the program's crash.
        let part = unsafe { *(vector as *const libc::iovec).add(index as usize) };
        touch(part.iov_base as u64, part.iov_len as u64);
    }
}

/// The buffers of a `struct msghdr`.
fn touch_message(header: u64) {
    if header == 0 {
        return;
    }
    touch(header, MESSAGE);
    // SAFETY: the program passes a header; a wrong pointer faults here and is the program's crash.
    let message = unsafe { &*(header as *const libc::msghdr) };
    touch(message.msg_name as u64, message.msg_namelen.into());
    touch(message.msg_control as u64, message.msg_controllen as u64);
    touch_vector(message.msg_iov as u64, message.msg_iovlen as u64);
}
