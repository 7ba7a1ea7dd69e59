//! The shim's view of the arena: mapped once, at start-up.

use crate::control;
use rscale_protocol::arena::Arena;

/// The arena, where the program runs under rscale.
pub fn attached() -> Option<&'static Arena> {
    control::get().arena.get()
}

/// The arena. Only code that runs after [`attach`] may ask.
pub fn get() -> &'static Arena {
    match attached() {
        Some(arena) => arena,
        None => crate::sys::exit_group(127),
    }
}

/// Maps the arena behind a descriptor, if it is one of the right layout.
pub fn attach(descriptor: i32) -> bool {
    // SAFETY: maps a file of the right size into fresh memory.
    let address = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            size_of::<Arena>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            descriptor,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return false;
    }
    // SAFETY: the mapping is as large as an arena, page-aligned, lives for ever, and all of it are atomics.
    let arena: &'static Arena = unsafe { &*address.cast::<Arena>() };
    if !arena.is_compatible() {
        return false;
    }
    control::get().arena.set(Some(arena));
    true
}
