//! Thread-specific data. Each thread sees its own values only, so none of this is a scheduling point.

use super::{alias, wrap};
use crate::access::Here;
use crate::world;
use core::ffi::c_int;

/// Makes a key, or returns an error number.
pub fn create(key: *mut u32, destructor: u64) -> c_int {
    match world::get().keys.create(destructor) {
        Some(number) => {
            Here::caller().stores(key, number);
            0
        }
        None => libc::EAGAIN,
    }
}

/// The error number for an operation on a key that may not exist.
fn found(existed: bool) -> c_int {
    if existed { 0 } else { libc::EINVAL }
}

wrap! {
    /// Makes a key.
    fn pthread_key_create(key: *mut u32, destructor: u64) -> c_int {
        create(key, destructor)
    }

    /// Gives up a key.
    fn pthread_key_delete(key: u32) -> c_int {
        found(world::get().keys.delete(key))
    }

    /// Sets the value of the calling thread.
    fn pthread_setspecific(key: u32, value: u64) -> c_int {
        found(world::get().keys.set_value(key, value))
    }

    /// The value of the calling thread.
    fn pthread_getspecific(key: u32) -> u64 {
        world::get().keys.value(key)
    }
}

alias! {
    __pthread_key_create = pthread_key_create;
    __pthread_setspecific = pthread_setspecific;
    __pthread_getspecific = pthread_getspecific;
}
