//! `malloc` and its family, on the shim's own heap.

use super::{fail, object, wrap};
use crate::access::{self, Here};
use crate::heap;
use core::ffi::{c_int, c_void};

const DEFAULT: usize = 16;

fn allocate(size: usize, alignment: usize) -> *mut c_void {
    let pointer = heap::allocate(size, alignment);
    if pointer.is_null() {
        fail(libc::ENOMEM);
    }
    pointer.cast()
}

/// The program gives up a block: to others that use it in no particular order this is a write.
fn give_up(pointer: *mut c_void) {
    object::give_up(pointer as u64, heap::size_of_block(pointer.cast()) as u64);
    if access::is_watching() {
        let here = Here::caller();
        here.frees(pointer, heap::size_of_block(pointer.cast()));
        here.resume();
    }
}

/// Changes the size of a block: what it holds is read, and the block is given up.
fn reallocate(pointer: *mut c_void, size: usize) -> *mut c_void {
    if access::is_watching() {
        let here = Here::caller();
        here.reads(pointer, heap::size_of_block(pointer.cast()).min(size));
        here.resume();
        give_up(pointer);
    }
    heap::reallocate(pointer.cast(), size).cast()
}

wrap! {
    /// Allocates.
    fn malloc(size: usize) -> *mut c_void {
        allocate(size, DEFAULT)
    }

    /// Allocates zeroed memory.
    fn calloc(count: usize, size: usize) -> *mut c_void {
        let Some(length) = count.checked_mul(size) else {
            fail(libc::ENOMEM);
            return core::ptr::null_mut();
        };
        let pointer = allocate(length, DEFAULT);
        if !pointer.is_null() {
            // SAFETY: a fresh block of this length. Blocks that are used again hold old data.
            unsafe { core::ptr::write_bytes(pointer.cast::<u8>(), 0, length) };
        }
        pointer
    }

    /// Changes the size of a block.
    fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
        if size == 0 && !pointer.is_null() {
            give_up(pointer);
            heap::free(pointer.cast());
            return core::ptr::null_mut();
        }
        let moved = reallocate(pointer, size);
        if moved.is_null() {
            fail(libc::ENOMEM);
        }
        moved
    }

    /// Changes the size of an array.
    fn reallocarray(pointer: *mut c_void, count: usize, size: usize) -> *mut c_void {
        match count.checked_mul(size).map(|length| reallocate(pointer, length)) {
            Some(moved) if !moved.is_null() => moved,
            _ => {
                fail(libc::ENOMEM);
                core::ptr::null_mut()
            }
        }
    }

    /// Frees.
    fn free(pointer: *mut c_void) {
        give_up(pointer);
        heap::free(pointer.cast())
    }

    /// Frees, by an old name.
    fn cfree(pointer: *mut c_void) {
        give_up(pointer);
        heap::free(pointer.cast())
    }

    /// Allocates with an alignment.
    fn memalign(alignment: usize, size: usize) -> *mut c_void {
        allocate(size, alignment.next_power_of_two())
    }

    /// Allocates with an alignment, as C11 has it.
    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
        if !alignment.is_power_of_two() {
            fail(libc::EINVAL);
            return core::ptr::null_mut();
        }
        allocate(size, alignment)
    }

    /// Allocates with an alignment, as POSIX has it.
    fn posix_memalign(result: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
        if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
            return libc::EINVAL;
        }
        let pointer = heap::allocate(size, alignment);
        if pointer.is_null() {
            return libc::ENOMEM;
        }
        Here::caller().stores(result, pointer.cast());
        0
    }

    /// Allocates whole pages.
    fn valloc(size: usize) -> *mut c_void {
        allocate(size, 4096)
    }

    /// Allocates whole pages, of whole length.
    fn pvalloc(size: usize) -> *mut c_void {
        allocate(size.next_multiple_of(4096), 4096)
    }

    /// The usable size of a block.
    fn malloc_usable_size(pointer: *mut c_void) -> usize {
        heap::size_of_block(pointer.cast())
    }
}
