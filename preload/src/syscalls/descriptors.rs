//! File descriptors: what was open at the snapshot, and the way back to it.
//!
//! All of this lies outside the snapshot: it must survive the restore that it serves. Descriptors that an execution
//! opens are simply closed again. One that was open before and is closed or replaced is first duplicated to a high
//! number, out of the way: the program must get the same numbers in every execution, and those are the lowest free
//! ones.

use super::{kernel, report};
use crate::{control, kernel_threads};
use core::cell::Cell;

/// Descriptors that are looked at.
const TRACKED: usize = 1024;
/// Duplicates are kept at or above this number.
pub const KEPT_FROM: i32 = 512;

/// A descriptor that was open at the snapshot.
struct Original {
    open: Cell<bool>,
    descriptor_flags: Cell<i32>,
    status_flags: Cell<i32>,
    device: Cell<u64>,
    inode: Cell<u64>,
    /// Position in the file; negative for what has none.
    offset: Cell<i64>,
    /// Where it is kept since the execution closed or replaced it; 0 if it did not.
    kept: Cell<i32>,
}

/// A file that the scheduler process reads the program's output from.
struct Captured {
    device: Cell<u64>,
    inode: Cell<u64>,
    length: Cell<i64>,
    offset: Cell<i64>,
}

struct State {
    originals: [Original; TRACKED],
    /// Above the highest descriptor that was open.
    end: Cell<usize>,
    /// Behind descriptors 1 and 2.
    captured: [Captured; 2],
    /// What the execution changed so far.
    numbers_changed: Cell<bool>,
    offsets_changed: Cell<bool>,
    flags_changed: Cell<bool>,
    output_written: Cell<bool>,
}

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl Sync for State {}

static STATE: State = State {
    originals: [const {
        Original {
            open: Cell::new(false),
            descriptor_flags: Cell::new(0),
            status_flags: Cell::new(0),
            device: Cell::new(0),
            inode: Cell::new(0),
            offset: Cell::new(0),
            kept: Cell::new(0),
        }
    }; TRACKED],
    end: Cell::new(0),
    captured: [const { Captured { device: Cell::new(0), inode: Cell::new(0), length: Cell::new(0), offset: Cell::new(0) } };
        2],
    numbers_changed: Cell::new(false),
    offsets_changed: Cell::new(false),
    flags_changed: Cell::new(false),
    output_written: Cell::new(false),
};

/// Remembers what is open.
pub fn prepare() {
    for (descriptor, original) in STATE.originals.iter().enumerate() {
        let descriptor = descriptor as i32;
        let flags = kernel::control(descriptor, libc::F_GETFD, 0);
        let Ok(stat) = kernel::stat(descriptor) else { continue };
        original.open.set(true);
        STATE.end.set(descriptor as usize + 1);
        original.descriptor_flags.set(flags as i32);
        original.status_flags.set(kernel::control(descriptor, libc::F_GETFL, 0) as i32);
        original.device.set(stat.st_dev);
        original.inode.set(stat.st_ino);
        original.offset.set(kernel::seek(descriptor, 0, libc::SEEK_CUR));
    }
    for (captured, descriptor) in STATE.captured.iter().zip([1, 2]) {
        match kernel::stat(descriptor) {
            Ok(stat) if stat.st_mode & libc::S_IFMT == libc::S_IFREG => {
                captured.device.set(stat.st_dev);
                captured.inode.set(stat.st_ino);
                captured.length.set(stat.st_size);
                captured.offset.set(kernel::seek(descriptor, 0, libc::SEEK_CUR));
            }
            _ => {}
        }
    }
}

fn originals() -> &'static [Original] {
    &STATE.originals[..STATE.end.get()]
}

fn original(descriptor: i32) -> Option<&'static Original> {
    STATE.originals.get(descriptor as usize).filter(|original| original.open.get())
}

/// Whether the file was open at the snapshot, under whatever number.
pub fn is_original_file(stat: &libc::stat) -> bool {
    let same = |original: &Original| original.device.get() == stat.st_dev && original.inode.get() == stat.st_ino;
    originals().iter().any(|original| original.open.get() && same(original))
}

/// Whether the number still stands for what it stood for at the snapshot.
pub fn is_original(descriptor: i32) -> bool {
    original(descriptor).is_some_and(|original| original.kept.get() == 0)
}

/// Whether the file is one that the program's output is captured in.
pub fn is_captured(stat: &libc::stat) -> bool {
    STATE
        .captured
        .iter()
        .any(|file| file.inode.get() != 0 && file.device.get() == stat.st_dev && file.inode.get() == stat.st_ino)
}

/// Whether the standard output still goes to the file that it went to at the snapshot, and that is a captured one.
pub fn is_output_captured() -> bool {
    match kernel_threads::are_used() {
        // Nothing is kept of the descriptors then.
        true => kernel::stat(1).is_ok_and(|stat| stat.st_mode & libc::S_IFMT == libc::S_IFREG),
        false => STATE.captured[0].inode.get() != 0 && is_original(1),
    }
}

/// Whether the number is one of the shim's own.
pub fn is_hidden(descriptor: i32) -> bool {
    descriptor >= KEPT_FROM
        && (originals().iter().any(|original| original.kept.get() == descriptor)
            || super::surroundings::keeps(descriptor))
}

/// The execution is about to close or replace a descriptor.
pub fn before_close(descriptor: i32) {
    changed();
    if !report::executions_share_process() {
        return;
    }
    let Some(original) = original(descriptor).filter(|original| original.kept.get() == 0) else { return };
    let kept = kernel::control(descriptor, libc::F_DUPFD_CLOEXEC, KEPT_FROM as u64);
    if kept < 0 {
        crate::finish::need_isolation(
            b"closes a descriptor that was open before main, and no number is left to keep it",
        );
    }
    original.kept.set(kept as i32);
}

/// The execution has opened or closed something.
pub fn changed() {
    STATE.numbers_changed.set(true);
}

/// The execution moves the position in a file.
pub fn offset_changed() {
    STATE.offsets_changed.set(true);
}

/// The execution changes the flags of a descriptor.
pub fn flags_changed() {
    STATE.flags_changed.set(true);
}

/// The execution writes to a captured file.
pub fn output_written() {
    STATE.output_written.set(true);
}

/// An execution begins: its output is empty, as it was at the snapshot. That is not done at the end of the one before:
/// until now the scheduler process may have wanted to read it. A fork shares positions and flags with the forks before
/// it.
pub fn begin() {
    let is_fork = control::get().is_fork.get();
    if STATE.output_written.replace(false) || is_fork {
        clear_output();
    }
    if is_fork {
        put_back_offsets();
        put_back_flags();
    }
}

fn clear_output() {
    for (captured, descriptor) in STATE.captured.iter().zip([1, 2]) {
        if captured.inode.get() != 0 {
            kernel::truncate(descriptor, captured.length.get());
            kernel::seek(descriptor, captured.offset.get(), libc::SEEK_SET);
        }
    }
}

/// Whether there is nothing to bring back, and no output.
pub fn is_untouched() -> bool {
    let changed = [&STATE.numbers_changed, &STATE.offsets_changed, &STATE.flags_changed, &STATE.output_written];
    !changed.iter().any(|flag| flag.get())
}

/// Brings the descriptors back to what they were at the snapshot.
pub fn undo() {
    if STATE.numbers_changed.replace(false) {
        put_back_kept();
        close_new();
    }
    if STATE.offsets_changed.replace(false) {
        put_back_offsets();
    }
    if STATE.flags_changed.replace(false) {
        put_back_flags();
    }
}

/// Goes back to where each file was read at the snapshot; the output has its own time for that.
fn put_back_offsets() {
    for_originals(|descriptor, original| {
        if original.offset.get() >= 0 && descriptor != 1 && descriptor != 2 {
            kernel::seek(descriptor, original.offset.get(), libc::SEEK_SET);
        }
    });
}

fn put_back_flags() {
    for_originals(|descriptor, original| {
        kernel::control(descriptor, libc::F_SETFD, original.descriptor_flags.get() as u64);
        kernel::control(descriptor, libc::F_SETFL, original.status_flags.get() as u64);
    });
}

fn for_originals(act: impl Fn(i32, &Original)) {
    let open = originals().iter().enumerate().filter(|(_, original)| original.open.get());
    open.for_each(|(descriptor, original)| act(descriptor as i32, original));
}

fn put_back_kept() {
    for_originals(|descriptor, original| {
        let kept = original.kept.replace(0);
        if kept != 0 {
            let close_on_exec = original.descriptor_flags.get() & libc::FD_CLOEXEC != 0;
            kernel::duplicate_onto(kept, descriptor, if close_on_exec { libc::O_CLOEXEC } else { 0 });
            kernel::close(kept);
        }
    });
}

/// Closes whatever was not open at the snapshot.
fn close_new() {
    let mut first = 0;
    for (descriptor, original) in originals().iter().enumerate() {
        if original.open.get() {
            close_between(first, descriptor as u32);
            first = descriptor as u32 + 1;
        }
    }
    close_between(first, u32::MAX);
}

/// Closes everything.
pub fn close_all() {
    close_between(0, u32::MAX);
}

fn close_between(first: u32, end: u32) {
    if first < end && kernel::close_range(first, end - 1) < 0 {
        // An old kernel, or a container that forbids the call.
        (first..end.min(TRACKED as u32)).for_each(|descriptor| {
            kernel::close(descriptor as i32);
        });
    }
}
