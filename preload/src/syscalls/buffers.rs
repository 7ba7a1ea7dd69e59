//! Memory of the program that the kernel writes to.
//!
//! On a page that the snapshot still protects, a call fails, or stops in the middle with a short count, where the
//! program would simply fault and go on. So the pages are touched first, by the shim: that faults, and makes them
//! writable.

use super::Call;
use crate::snapshot::{self, PAGE};

/// Longest buffer that is touched as a whole.
const LONGEST: u64 = 1 << 30;
/// Bytes of a `struct sockaddr_storage`, of `struct stat`, `struct statx` and `struct msghdr`.
const ADDRESS: u64 = 128;
const STAT: u64 = 144;
const STATX: u64 = 256;
const MESSAGE: u64 = 56;
/// Groups that a process can be in.
const MOST_GROUPS: u64 = 65536;
/// Bytes of the kernel's `struct epoll_event`.
pub const EVENT: u64 = 12;

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
    for_each_output(call, touch);
}

/// Calls `act` with address and length of each buffer that the call fills in, where it is known to fill in some.
pub fn for_each_output(call: &Call, mut act: impl FnMut(u64, u64)) {
    let [a, b, c, d, e, f] = call.arguments;
    match call.number {
        libc::SYS_read | libc::SYS_pread64 | libc::SYS_getdents | libc::SYS_getdents64 | libc::SYS_readlink => {
            act(b, c)
        }
        libc::SYS_readv | libc::SYS_preadv | libc::SYS_preadv2 => for_each_part(b, c, act),
        libc::SYS_recvfrom => {
            act(b, c);
            act(e, ADDRESS);
            act(f, 4);
        }
        libc::SYS_recvmsg => for_each_of_message(b, act),
        libc::SYS_accept | libc::SYS_accept4 => {
            act(b, ADDRESS);
            act(c, 4);
        }
        libc::SYS_getcwd => act(a, b),
        libc::SYS_readlinkat | libc::SYS_getxattr | libc::SYS_lgetxattr | libc::SYS_fgetxattr => act(c, d),
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_fstat => act(b, STAT),
        libc::SYS_newfstatat => act(c, STAT),
        libc::SYS_statx => act(e, STATX),
        libc::SYS_pipe | libc::SYS_pipe2 => act(a, 8),
        libc::SYS_socketpair => act(d, 8),
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => act(b, c.saturating_mul(EVENT)),
        libc::SYS_sched_getaffinity => act(c, b),
        libc::SYS_uname => act(a, size_of::<libc::utsname>() as u64),
        libc::SYS_sysinfo => act(a, size_of::<libc::sysinfo>() as u64),
        libc::SYS_times => act(a, size_of::<libc::tms>() as u64),
        libc::SYS_getrusage => act(b, size_of::<libc::rusage>() as u64),
        libc::SYS_getrlimit => act(b, size_of::<libc::rlimit>() as u64),
        libc::SYS_prlimit64 => act(d, size_of::<libc::rlimit>() as u64),
        libc::SYS_statfs | libc::SYS_fstatfs => act(b, size_of::<libc::statfs>() as u64),
        libc::SYS_getgroups => act(b, a.min(MOST_GROUPS) * size_of::<libc::gid_t>() as u64),
        libc::SYS_getresuid | libc::SYS_getresgid => {
            [a, b, c].into_iter().for_each(|number| act(number, size_of::<libc::uid_t>() as u64))
        }
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
pub fn for_each_part(vector: u64, count: u64, mut act: impl FnMut(u64, u64)) {
    if vector == 0 || count > libc::UIO_MAXIOV as u64 {
        return;
    }
    for index in 0..count {
        // SAFETY: the program passes an array of this length; a wrong pointer faults here and is the program's crash.
        let part = unsafe { *(vector as *const libc::iovec).add(index as usize) };
        act(part.iov_base as u64, part.iov_len as u64);
    }
}

/// The buffers of a `struct msghdr`, those of the data last.
pub fn for_each_of_message(header: u64, mut act: impl FnMut(u64, u64)) {
    if header == 0 {
        return;
    }
    act(header, MESSAGE);
    // SAFETY: the program passes a header; a wrong pointer faults here and is the program's crash.
    let message = unsafe { &*(header as *const libc::msghdr) };
    act(message.msg_name as u64, message.msg_namelen.into());
    act(message.msg_control as u64, message.msg_controllen as u64);
    for_each_part(message.msg_iov as u64, message.msg_iovlen as u64, act);
}
