//! Files that are mapped for all who map them. Their bytes can be reached in more than one way: at the addresses of another
//! mapping, and by reading and writing the file. Accesses are known by their addresses, so it is not seen that these
//! are the same bytes: the report has to say so.

use super::kernel;
use crate::{arena, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::Unseen;

/// Files that are remembered.
const CAPACITY: usize = 32;

/// A file that is mapped.
#[derive(Clone, Copy)]
struct Mapped {
    device: u64,
    inode: u64,
    /// Whether somebody may write to it through a mapping.
    is_written: bool,
}

/// The mapped files of the execution, outside the snapshot as all that is known of mappings.
struct Files {
    count: Cell<usize>,
    files: [Cell<Mapped>; CAPACITY],
}

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl Sync for Files {}

static FILES: Files = Files {
    count: Cell::new(0),
    files: [const { Cell::new(Mapped { device: 0, inode: 0, is_written: false }) }; CAPACITY],
};

fn found(stat: &libc::stat) -> Option<&'static Cell<Mapped>> {
    let is_same = |file: &&Cell<Mapped>| file.get().device == stat.st_dev && file.get().inode == stat.st_ino;
    FILES.files[..FILES.count.get()].iter().find(is_same)
}

fn report() {
    arena::get().result.unseen_memory.fetch_or(Unseen::ALIASED, Relaxed);
}

/// A descriptor has been mapped for all who map it.
pub fn mapped(descriptor: i32, is_written: bool) {
    let Ok(stat) = kernel::stat(descriptor) else { return };
    if let Some(known) = found(&stat) {
        let before = known.get();
        known.set(Mapped { is_written: is_written || before.is_written, ..before });
        if known.get().is_written {
            report();
        }
        return;
    }
    match FILES.files.get(FILES.count.get()) {
        Some(free) => {
            free.set(Mapped { device: stat.st_dev, inode: stat.st_ino, is_written });
            FILES.count.set(FILES.count.get() + 1);
        }
        None => report(),
    }
}

/// Memory that is mapped for all is mapped once more.
pub fn mapped_again() {
    report();
}

/// What a descriptor stands for is about to be read, or to be written or resized. What a thread does that is alone comes
/// before or behind all that others do.
pub fn used(descriptor: i32, is_written: bool) {
    if FILES.count.get() == 0 || world::get().is_alone() {
        return;
    }
    let file = kernel::stat(descriptor).ok().and_then(|stat| found(&stat));
    if file.is_some_and(|file| is_written || file.get().is_written) {
        report();
    }
}

/// An execution has ended: its mappings are gone.
pub fn forget() {
    FILES.count.set(0);
}
