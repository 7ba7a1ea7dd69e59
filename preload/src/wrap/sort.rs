//! Sorting and searching: libc moves the elements, the program compares them.
//!
//! The functions that compare are the program's, instrumented like the rest of it. What libc itself does to the array
//! is made known before and after: in between, other threads may run wherever the comparison has a scheduling point.

use super::watch::watch;
use crate::access::Here;
use core::ffi::{c_int, c_void};

type Array = *mut c_void;
type Source = *const c_void;
type Compare = extern "C" fn(Source, Source) -> c_int;
type CompareWith = extern "C" fn(Source, Source, Array) -> c_int;

/// Sorts with a function of libc.
fn sort(array: Array, count: usize, size: usize, by_libc: impl FnOnce()) {
    let here = Here::caller();
    let length = count.saturating_mul(size);
    here.reads(array, length);
    here.writes(array, length);
    by_libc();
    here.resume();
    here.writes(array, length);
}

watch! {
    /// Sorts.
    fn qsort(array: Array, count: usize, size: usize, compare: Compare) {
        // SAFETY: the arguments of the program.
        sort(array, count, size, || unsafe { libc()(array, count, size, compare) });
    }

    /// Sorts, with something to compare with.
    fn qsort_r(array: Array, count: usize, size: usize, compare: CompareWith, argument: Array) {
        // SAFETY: the arguments of the program.
        sort(array, count, size, || unsafe { libc()(array, count, size, compare, argument) });
    }
}
