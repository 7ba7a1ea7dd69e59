//! Types whose inside is nobody's business, known by their names.
//!
//! A `pthread_mutex_t` is a union of integers to the compiler and one thing to the reader: a report that names one of
//! these integers would tell of the library, not of the program.

/// The synchronisation types of C libraries, which are reported as a whole.
const OPAQUE_TYPES: [&str; 19] = [
    "pthread_mutex_t",
    "pthread_cond_t",
    "pthread_rwlock_t",
    "pthread_spinlock_t",
    "pthread_barrier_t",
    "pthread_once_t",
    "pthread_key_t",
    "pthread_attr_t",
    "pthread_mutexattr_t",
    "pthread_condattr_t",
    "pthread_rwlockattr_t",
    "pthread_barrierattr_t",
    "sem_t",
    "mtx_t",
    "cnd_t",
    "once_flag",
    "atomic_flag",
    "FILE",
    "jmp_buf",
];

/// Whether a type of a C library, by its own name, is reported as a whole.
pub(super) fn is_opaque_type(name: &str) -> bool {
    OPAQUE_TYPES.contains(&name)
}

/// Whether a class of a standard library is reported as a whole. `std::array` and `std::pair` are as
/// good as built in and are looked into.
pub(super) fn is_opaque_in_namespace(namespace: &str, name: &str) -> bool {
    let root = namespace.split("::").next().unwrap_or(namespace);
    matches!(root, "std" | "core" | "alloc") && !name.starts_with("array<") && !name.starts_with("pair<")
}

/// Whether a class of a standard library, by its own name, is an atomic type: `atomic<int>`, `atomic_flag`,
/// `AtomicU32`.
pub(super) fn is_atomic_class(name: &str) -> bool {
    ["atomic<", "atomic_", "__atomic_", "Atomic"].iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_c_libraries_are_known_by_their_names() {
        assert!(["pthread_mutex_t", "sem_t", "mtx_t", "FILE"].iter().all(|name| is_opaque_type(name)));
        assert!(!["pthread_t", "mutex", "int", ""].iter().any(|name| is_opaque_type(name)));
    }

    #[test]
    fn atomic_classes_are_known_by_their_names() {
        let atomic = ["atomic<int>", "atomic_flag", "__atomic_base<int>", "AtomicU32", "Atomic<u32>"];
        assert!(atomic.iter().all(|name| is_atomic_class(name)));
        assert!(!["mutex", "basic_string<char>", "once_flag"].iter().any(|name| is_atomic_class(name)));
    }

    #[test]
    fn standard_classes_are_opaque_but_not_arrays_and_pairs() {
        assert!(is_opaque_in_namespace("std", "mutex"));
        assert!(is_opaque_in_namespace("std::__cxx11", "basic_string<char>"));
        assert!(is_opaque_in_namespace("core::sync::atomic", "AtomicU32"));
        assert!(!is_opaque_in_namespace("std", "array<std::mutex, 4>"));
        assert!(!is_opaque_in_namespace("std", "pair<int, int>"));
        assert!(!is_opaque_in_namespace("standard", "mutex"));
        assert!(!is_opaque_in_namespace("", "mutex"));
    }
}
