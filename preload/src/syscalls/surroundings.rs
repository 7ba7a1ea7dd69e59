//! Where a process stands in the file system: its directory and its file mode mask.

use super::{Call, descriptors, kernel, report};
use core::cell::Cell;

/// What has to be put back, outside the snapshot.
struct Changed {
    /// The directory at the snapshot, once the execution has left it; 0 before.
    directory: Cell<i32>,
    /// The mask at the snapshot, plus one, once the execution has changed it; 0 before.
    umask: Cell<i64>,
}

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl Sync for Changed {}

static CHANGED: Changed = Changed { directory: Cell::new(0), umask: Cell::new(0) };

/// Whether the descriptor is the one that the directory is kept in.
pub fn keeps(descriptor: i32) -> bool {
    CHANGED.directory.get() == descriptor
}

/// `chdir` and `fchdir`.
pub fn change_directory(call: &Call) -> i64 {
    if CHANGED.directory.get() == 0 {
        let kept = kernel::current_directory(descriptors::KEPT_FROM);
        if kept < 0 {
            report::isolate(call, "leaves a directory that can not be opened");
            return call.pass();
        }
        CHANGED.directory.set(kept as i32);
    }
    call.pass()
}

/// `umask`.
pub fn umask(call: &Call) -> i64 {
    let old = call.pass();
    if CHANGED.umask.get() == 0 {
        CHANGED.umask.set(old + 1);
    }
    old
}

/// Whether there is nothing to go back to.
pub fn is_untouched() -> bool {
    CHANGED.directory.get() == 0 && CHANGED.umask.get() == 0
}

/// Goes back.
pub fn undo() {
    let directory = CHANGED.directory.replace(0);
    if directory != 0 {
        kernel::change_directory(directory);
        kernel::close(directory);
    }
    let umask = CHANGED.umask.replace(0);
    if umask != 0 {
        kernel::set_umask(umask - 1);
    }
}
