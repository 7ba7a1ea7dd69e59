//! What the scheduler tells the shim once, before the program starts, and what the two settle while it does.
//!
//! It holds for all executions of the process; only where the processes run can change in between. What is new in each
//! run is a [request](super::Request).

use super::{Location, MAX_INVARIANTS};
use core::sync::atomic::{AtomicI32, AtomicU32, AtomicU64};

/// Words of a set of processors.
pub const PROCESSOR_WORDS: usize = 16;
/// A store buffer without a bound.
pub const UNBOUNDED: u32 = u32::MAX;
/// Modules that can be instrumented.
pub const MAX_REGIONS: usize = 16;

/// What the shim must know before `main`.
#[repr(C, align(64))]
pub struct Setup {
    /// Threads to prepare for, the main thread included.
    pub thread_pool: AtomicU32,
    /// Bytes of each stack.
    pub stack_size: AtomicU64,
    /// [`Isolation`].
    pub isolation: AtomicU32,
    /// [`Engine`].
    pub engine: AtomicU32,
    /// Whether system calls are watched with a filter.
    pub watch_syscalls: AtomicU32,
    /// Whether threads may be unwound (`pthread_exit`, cancellation), which needs the unwinder of libgcc.
    pub unwinder: AtomicU32,
    /// Whether threads may send each other signals: then there are steps before which a thread gets them.
    pub sends_signals: AtomicU32,
    /// Whether heap blocks that are left at the end are an error.
    pub leaks: AtomicU32,
    /// Whether to begin before the constructors of the program, not after them.
    pub before_constructors: AtomicU32,
    /// Whether threads that wait in a loop can be scheduled all the same.
    pub schedules_waiting: AtomicU32,
    /// Of which steps the log says in what local state they left their thread: [`LocalStates`](super::LocalStates).
    pub logs_local_states: AtomicU32,
    /// Whether code is instrumented: the shim waits for the regions that the scheduler plans.
    pub instrument: AtomicU32,
    /// Whether memory accesses of instrumented code can be scheduling points. If not, only evaluations look at them.
    pub watches: AtomicU32,
    /// Whether data races are looked for: then only synchronisation orders accesses.
    pub races: AtomicU32,
    /// [`MemoryModel`](crate::MemoryModel).
    pub memory: AtomicU32,
    /// Stores that a buffer has room for; [`UNBOUNDED`] for any number.
    pub buffer: AtomicU32,
    /// How many regions there are.
    pub regions: AtomicU32,
    /// Where each region lies in its file.
    pub region_places: [Location; MAX_REGIONS],
    /// Its file: a descriptor of the scheduler process, or [`Setup::OWN_FILE`] for the file of regions that the program
    /// has.
    pub region_files: [AtomicI32; MAX_REGIONS],
    /// The scheduler process.
    pub scheduler: AtomicU32,
    /// Not 0 if the shim can not open files of that process: all regions have to be in the file that it has. First
    /// [`Setup::WANTED`], then [`Setup::MADE`].
    pub wants_copies: AtomicU32,
    /// Whether functions of the program are going to be evaluated.
    pub evaluates: AtomicU32,
    /// Whether every memory access of the program's own code is seen.
    pub sees_all: AtomicU32,
    /// Processor time that the evaluation of a function may take, in milliseconds.
    pub evaluation_limit: AtomicU64,
    /// How many invariants there are.
    pub invariants: AtomicU32,
    /// Their addresses; written once the program is loaded.
    pub invariant_functions: [AtomicU64; MAX_INVARIANTS],
    /// Seed of everything random that the program asks for.
    pub seed: AtomicU64,
    /// Whether both processes share a processor: whoever waits lets the other one run.
    pub shares_processor: AtomicU32,
    /// The processors that the program would have without rscale, a bit each; none if it has them.
    pub processors: [AtomicU64; PROCESSOR_WORDS],
    /// Whether code of the program reads the time-stamp counter; written once the program is loaded.
    pub reads_time_stamps: AtomicU32,
    /// Process number of the program, written by the shim.
    pub pid: AtomicU32,
}

impl Setup {
    /// The file of regions that the program has.
    pub const OWN_FILE: i32 = -1;
    /// Copies of regions are wanted.
    pub const WANTED: u32 = 1;
    /// They were made.
    pub const MADE: u32 = 2;
}

/// How executions are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Isolation {
    /// Memory is restored in place.
    Snapshot = 0,
    /// Each execution runs in a fork of the process as it was before `main`.
    Fork = 1,
    /// Each execution runs in a fresh process.
    Exec = 2,
}

/// What a thread of the program runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Engine {
    /// Fibers on one kernel thread.
    Fibers = 0,
    /// One kernel thread each.
    Threads = 1,
}
