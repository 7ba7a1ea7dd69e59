//! How the two processes hand over to each other, and by what the scheduler sees that the program is alive.

use core::sync::atomic::{AtomicU32, AtomicU64};

/// Hand-over. Each side counts its word up and wakes the other; both words are futexes.
#[repr(C, align(64))]
pub struct Mailbox {
    /// Commands given so far.
    pub commands: AtomicU32,
    /// Whether the shim sleeps on `commands`.
    pub shim_sleeps: AtomicU32,
    /// Replies given so far, on a cache line of their own.
    pub replies: Line<AtomicU32>,
    /// Whether the scheduler sleeps on `replies`.
    pub scheduler_sleeps: AtomicU32,
    /// Whether others want the processors: who lets them run while it waits is not back soon.
    pub is_crowded: AtomicU32,
    /// The kind of the last reply.
    pub reply: AtomicU32,
    /// Counts every step that is taken: the watchdog sees that the program moves.
    pub heartbeat: AtomicU64,
    /// What the program takes of the heap is a sign of life, too.
    pub heap: HeapUse,
    /// Which of the shim's forks serves the scheduler; a futex on which the next one sleeps.
    pub turn: Line<AtomicU32>,
}

/// How much of the heap an execution has used. It ends somewhere, so that what goes on taking memory does not hang.
#[repr(C, align(64))]
pub struct HeapUse {
    /// Whole mebibytes so far.
    pub mebibytes: AtomicU64,
    /// The most that there is, if an execution has asked for more; else 0.
    pub refused_beyond: AtomicU64,
}

/// A value on a cache line of its own.
#[repr(C, align(64))]
pub struct Line<T>(pub T);
