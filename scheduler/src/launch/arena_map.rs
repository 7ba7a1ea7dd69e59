//! The scheduler's mapping of the arena. The one place of this process that turns bytes into an [`Arena`].
#![allow(unsafe_code)]

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use nix::unistd::ftruncate;
use rscale_protocol::arena::{Arena, BUILD_ID, MAGIC};
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

/// An arena in memory that a child can share.
pub struct ArenaMap {
    descriptor: OwnedFd,
    address: NonNull<Arena>,
}

// SAFETY: the arena consists of atomics, and the mapping lives as long as the value.
unsafe impl Send for ArenaMap {}

impl ArenaMap {
    /// A fresh arena. Its memory is used as it is touched; a name in the file system never exists.
    ///
    /// # Errors
    /// Where the kernel has no memory or descriptors left.
    pub fn new() -> io::Result<ArenaMap> {
        let descriptor = memfd_create(c"rscale-arena", MFdFlags::MFD_CLOEXEC)?;
        ftruncate(&descriptor, size_of::<Arena>() as i64)?;
        let length = NonZeroUsize::new(size_of::<Arena>()).ok_or(io::ErrorKind::InvalidInput)?;
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new shared mapping of a file of this length; nothing else refers to it.
        let address = unsafe { mmap(None, length, protection, MapFlags::MAP_SHARED, &descriptor, 0)? };
        let map = ArenaMap { descriptor, address: address.cast() };
        map.sign();
        Ok(map)
    }

    /// Writes what the shim recognises it by. A program that went wrong may have written something else there.
    pub fn sign(&self) {
        self.magic.store(MAGIC, Relaxed);
        self.build_id.store(BUILD_ID, Relaxed);
    }

    /// The descriptor to pass to the program.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl std::ops::Deref for ArenaMap {
    type Target = Arena;
    fn deref(&self) -> &Arena {
        // SAFETY: mapped with the size and alignment of an arena for as long as `self` lives; every bit pattern of its
        // atomics is valid, whatever the other process writes.
        unsafe { self.address.as_ref() }
    }
}

impl Drop for ArenaMap {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new` with this length, and no reference outlives `self`.
        let _ = unsafe { munmap(self.address.cast(), size_of::<Arena>()) };
    }
}
