//! Opening, closing, duplicating and changing descriptors.

use super::{Call, aliases, descriptors, failure, kernel, report, wait};
use crate::world;
use core::ffi::{CStr, c_char};
use rscale_protocol::{Op, Variable};

/// What a descriptor refers to, as far as it matters here.
pub enum Kind {
    /// The program's output, which is kept for the scheduler process.
    Captured,
    /// A file that has no name and that this execution made: it vanishes with its descriptor.
    Anonymous,
    /// A file or directory.
    File,
    /// A device.
    Device,
    /// A pipe, socket, event counter or the like: threads wait for each other with it.
    Channel,
}

impl Kind {
    /// The kind of a descriptor, or the error.
    pub fn of(descriptor: i32) -> Result<Kind, i64> {
        if descriptors::is_hidden(descriptor) {
            return Err(failure(libc::EBADF));
        }
        let stat = kernel::stat(descriptor)?;
        Ok(match stat.st_mode & libc::S_IFMT {
            libc::S_IFREG if descriptors::is_captured(&stat) => Kind::Captured,
            libc::S_IFREG if stat.st_nlink == 0 && !descriptors::is_original_file(&stat) => Kind::Anonymous,
            libc::S_IFREG | libc::S_IFDIR | libc::S_IFLNK | libc::S_IFBLK => Kind::File,
            libc::S_IFCHR => Kind::Device,
            _ => Kind::Channel,
        })
    }
}

/// Whether nothing can be written through a descriptor.
pub fn is_read_only(descriptor: i32) -> bool {
    kernel::control(descriptor, libc::F_GETFL, 0) as i32 & libc::O_ACCMODE == libc::O_RDONLY
}

/// Remembers a new descriptor.
fn opened(result: i64) -> i64 {
    if result >= 0 {
        descriptors::changed();
        wait::descriptors().name(result as i32, result as u16);
    }
    result
}

/// Opening with these flags can change a file.
fn may_change(flags: u64) -> bool {
    let flags = flags as i32;
    let anonymous = flags & libc::O_TMPFILE == libc::O_TMPFILE;
    !anonymous && (flags & libc::O_ACCMODE != libc::O_RDONLY || flags & (libc::O_CREAT | libc::O_TRUNC) != 0)
}

/// Whether the path names a device, which has no contents that could be changed.
fn is_device(path: *const c_char) -> bool {
    // SAFETY: the program passes a terminated path; a wrong pointer faults here and is the program's crash.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    path.starts_with(b"/dev/") && !path.starts_with(b"/dev/shm/") && !path.starts_with(b"/dev/mqueue/")
}

fn open_path(call: &Call, path: u64, flags: u64) -> i64 {
    let path = path as *const c_char;
    if !path.is_null() && may_change(flags) && !is_device(path) {
        report::isolate_for_file("opens a file for writing", path);
    }
    opened(call.pass())
}

/// `open`.
pub fn open(call: &Call) -> i64 {
    open_path(call, call.arguments[0], call.arguments[1])
}

/// `creat`.
pub fn creat(call: &Call) -> i64 {
    open_path(call, call.arguments[0], libc::O_CREAT as u64)
}

/// `openat`.
pub fn openat(call: &Call) -> i64 {
    open_path(call, call.arguments[1], call.arguments[2])
}

/// `openat2`.
pub fn openat2(call: &Call) -> i64 {
    let how = call.arguments[2] as *const u64;
    if how.is_null() {
        return failure(libc::EFAULT);
    }
    // SAFETY: the program passes a `struct open_how`, whose first word are the flags.
    open_path(call, call.arguments[1], unsafe { *how })
}

/// Calls that make one new descriptor and nothing else.
pub fn create(call: &Call) -> i64 {
    opened(call.pass())
}

/// `socket`: what is behind it, nobody knows; all sockets count as one object.
pub fn socket(call: &Call) -> i64 {
    let result = opened(call.pass());
    if result >= 0 {
        wait::descriptors().name(result as i32, wait::NETWORK);
    }
    result
}

/// Calls that make two connected descriptors; `place` is where they are stored.
fn create_pair(call: &Call, place: u64) -> i64 {
    let result = call.pass();
    if result == 0 {
        // SAFETY: the kernel has stored two descriptors there.
        let [first, second] = unsafe { *(place as *const [i32; 2]) };
        let object = first.min(second) as u16;
        descriptors::changed();
        wait::descriptors().name(first, object);
        wait::descriptors().name(second, object);
    }
    result
}

/// `pipe` and `pipe2`.
pub fn pipe(call: &Call) -> i64 {
    create_pair(call, call.arguments[0])
}

/// `socketpair`.
pub fn socketpair(call: &Call) -> i64 {
    create_pair(call, call.arguments[3])
}

/// Remembers that a new descriptor is the same thing as another.
fn duplicated(from: i32, result: i64) -> i64 {
    let result = opened(result);
    if result >= 0 {
        wait::descriptors().name(result as i32, wait::descriptors().object(from));
    }
    result
}

/// `dup`.
pub fn dup(call: &Call) -> i64 {
    if descriptors::is_hidden(call.descriptor()) {
        return failure(libc::EBADF);
    }
    duplicated(call.descriptor(), call.pass())
}

/// `dup2` and `dup3`.
pub fn dup_onto(call: &Call) -> i64 {
    let (from, to) = (call.descriptor(), call.arguments[1] as i32);
    if descriptors::is_hidden(from) || descriptors::is_hidden(to) {
        return failure(libc::EBADF);
    }
    if from != to && kernel::stat(from).is_ok() {
        use_if_channel(call, to);
        descriptors::before_close(to);
        return duplicated(from, call.pass());
    }
    call.pass()
}

/// Closing an end of a channel is something that others may wait for.
fn use_if_channel(call: &Call, descriptor: i32) {
    if matches!(Kind::of(descriptor), Ok(Kind::Channel)) {
        wait::use_object(call, descriptor);
    } else {
        use_if_closed(call, descriptor);
    }
}

/// A number with nothing behind it may have been closed by another thread, a moment ago: so that it was the other way
/// round is explored, to find that out is a step.
pub fn use_if_closed(call: &Call, descriptor: i32) {
    if kernel::stat(descriptor).is_err() && wait::descriptors().is_known(descriptor) && !world::get().is_alone() {
        wait::use_object(call, descriptor);
    }
}

/// `close`.
pub fn close(call: &Call) -> i64 {
    close_one(call, call.descriptor())
}

fn close_one(call: &Call, descriptor: i32) -> i64 {
    if descriptors::is_hidden(descriptor) {
        return failure(libc::EBADF);
    }
    use_if_channel(call, descriptor);
    descriptors::before_close(descriptor);
    kernel::close(descriptor)
}

/// `close_range`.
pub fn close_range(call: &Call) -> i64 {
    let [first, last, flags, ..] = call.arguments;
    if flags != 0 {
        report::unsupported(call, "changes the flags of a range of descriptors");
    }
    if first > last {
        return failure(libc::EINVAL);
    }
    (first..=last.min(descriptors::KEPT_FROM as u64 - 1)).for_each(|descriptor| {
        if kernel::stat(descriptor as i32).is_ok() {
            close_one(call, descriptor as i32);
        }
    });
    0
}

/// `fcntl`.
pub fn fcntl(call: &Call) -> i64 {
    let descriptor = call.descriptor();
    if descriptors::is_hidden(descriptor) {
        return failure(libc::EBADF);
    }
    match call.arguments[1] as i32 {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => duplicated(descriptor, call.pass()),
        libc::F_SETFD | libc::F_SETFL => {
            descriptors::flags_changed();
            call.pass()
        }
        libc::F_GETFD | libc::F_GETFL | libc::F_GETLK | libc::F_OFD_GETLK | libc::F_GETPIPE_SZ | libc::F_GET_SEALS => {
            call.pass()
        }
        // A lock that another process holds is waited for by everybody; the watchdog sees it.
        libc::F_SETLK
        | libc::F_OFD_SETLK
        | libc::F_SETLKW
        | libc::F_OFD_SETLKW
        | libc::F_SETPIPE_SZ
        | libc::F_ADD_SEALS => {
            report::isolate(call, "locks a file, or changes what a descriptor refers to");
            call.pass()
        }
        _ => report::unsupported(call, "asks for signals or leases on a descriptor"),
    }
}

/// `flock`: locks of this process never wait for one another here.
pub fn flock(call: &Call) -> i64 {
    let mut arguments = call.arguments;
    arguments[1] |= libc::LOCK_NB as u64;
    let result = Call { arguments, ..*call }.pass();
    if result == failure(libc::EWOULDBLOCK) && call.arguments[1] & libc::LOCK_NB as u64 == 0 {
        report::unsupported(call, "waits for a lock on a file");
    }
    result
}

/// `ioctl`.
pub fn ioctl(call: &Call) -> i64 {
    if descriptors::is_hidden(call.descriptor()) {
        return failure(libc::EBADF);
    }
    match call.arguments[1] {
        libc::FIONBIO | libc::FIOCLEX | libc::FIONCLEX => descriptors::flags_changed(),
        libc::FIONREAD | libc::TCGETS | libc::TIOCGWINSZ | libc::TIOCGPGRP | libc::TIOCOUTQ => {}
        _ => report::isolate(call, "controls a device"),
    }
    call.pass()
}

/// `ftruncate` and `fallocate`.
pub fn resize(call: &Call) -> i64 {
    match Kind::of(call.descriptor()) {
        Err(error) => return error,
        Ok(Kind::Captured) => descriptors::output_written(),
        Ok(Kind::File) => report::isolate(call, "changes the length of a file"),
        Ok(Kind::Anonymous | Kind::Device | Kind::Channel) => {}
    }
    aliases::used(call.descriptor(), true);
    call.pass()
}

/// `lseek`.
pub fn lseek(call: &Call) -> i64 {
    descriptors::offset_changed();
    if matches!(Kind::of(call.descriptor()), Ok(Kind::Captured)) {
        descriptors::output_written();
    }
    call.pass()
}

/// `shutdown`, which readers and writers at the other end notice.
pub fn shutdown(call: &Call) -> i64 {
    use_if_channel(call, call.descriptor());
    call.pass()
}

/// `epoll_ctl`: from now on, who waits on the set waits on what was put into it.
pub fn epoll_ctl(call: &Call) -> i64 {
    let (set, member) = (call.descriptor(), call.arguments[2] as i32);
    let map = wait::descriptors();
    crate::gate::pass(call.action(Op::DescriptorUse, Variable::descriptor(map.object(member).into())));
    let result = call.pass();
    if result == 0 && call.arguments[1] as i32 == libc::EPOLL_CTL_ADD {
        map.merge(map.object(member), map.object(set));
    }
    result
}
