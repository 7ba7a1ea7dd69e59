//! What survives an execution: the shim's own state outside the snapshot.

use crate::forks::ready::Ready;
use core::cell::Cell;
use rscale_protocol::MAX_THREADS;
use rscale_protocol::arena::Arena;

/// A value that all code of the shim may use. There is one kernel thread that runs program and shim; the parked threads
/// of the pool touch nothing but their own entry of [`Control::pool`].
pub struct Control {
    /// The shared memory.
    pub arena: Cell<Option<&'static Arena>>,
    /// Whether `rdfsbase` and `wrfsbase` work.
    pub fsgsbase: Cell<bool>,
    /// The FS base and the saved stack pointer of the shim's own context.
    pub own_fs: Cell<u64>,
    /// See `own_fs`.
    pub own_stack_pointer: Cell<u64>,
    /// FS bases of the prepared threads; entry 0 is the main thread.
    pub pool: [Cell<u64>; MAX_THREADS],
    /// How many entries of the pool are filled.
    pub pool_size: Cell<usize>,
    /// The FS base for evaluations of functions of the program; 0 if there is none.
    pub evaluator_fs: Cell<u64>,
    /// glibc's `pthread_create`.
    pub real_create: Cell<usize>,
    /// Where the stacks of the fibers begin, and end.
    pub stacks: Cell<u64>,
    /// See `stacks`.
    pub stacks_end: Cell<u64>,
    /// Pages that forks have ready before their turn.
    pub ready_pages: Cell<Option<&'static Ready>>,
    /// How large each of them is, its guard included.
    pub stack_size: Cell<u64>,
    /// The function of libc that allocates the buffers of streams.
    pub stream_allocator: Cell<u64>,
    /// Most bytes that the heap may have.
    pub heap_limit: Cell<u64>,
    /// Where each thread's part of the heap ended when `main` began.
    pub heap_floors: [Cell<u64>; MAX_THREADS],
    /// Where it ended when the snapshot was taken.
    pub fresh_floors: [Cell<u64>; MAX_THREADS],
    /// Whether an execution has come to its first decision, and whether executions begin there.
    pub prologue_ended: Cell<bool>,
    /// See `prologue_ended`.
    pub is_behind_prologue: Cell<bool>,
    /// Whether the snapshot has been taken.
    pub armed: Cell<bool>,
    /// Whether an execution has run since the last restore.
    pub dirty: Cell<bool>,
    /// Whether the paused execution was given up for another one.
    pub abandoned: Cell<bool>,
    /// Whether this process is a fork that runs one execution.
    pub is_fork: Cell<bool>,
    /// Whether the time-stamp counter faults.
    pub traps_time_stamps: Cell<bool>,
    /// Process number as the kernel knows it.
    pub pid: Cell<i32>,
    /// Arguments of the program.
    pub program: Program,
}

/// The program's entry point and arguments.
#[derive(Default)]
pub struct Program {
    /// `main`.
    pub main: Cell<u64>,
    /// glibc's `__libc_start_main` and what the start code passed it, for executions that begin before the
    /// constructors.
    pub start: Cell<[u64; 5]>,
    /// `argc`.
    pub argument_count: Cell<i32>,
    /// `argv`.
    pub arguments: Cell<u64>,
    /// `envp`.
    pub environment: Cell<u64>,
}

// SAFETY: see the type; accesses never overlap in time.
unsafe impl Sync for Control {}

static CONTROL: Control = Control {
    arena: Cell::new(None),
    fsgsbase: Cell::new(false),
    own_fs: Cell::new(0),
    own_stack_pointer: Cell::new(0),
    pool: [const { Cell::new(0) }; MAX_THREADS],
    pool_size: Cell::new(0),
    evaluator_fs: Cell::new(0),
    real_create: Cell::new(0),
    stacks: Cell::new(0),
    stacks_end: Cell::new(0),
    ready_pages: Cell::new(None),
    stack_size: Cell::new(0),
    stream_allocator: Cell::new(0),
    heap_limit: Cell::new(0),
    heap_floors: [const { Cell::new(0) }; MAX_THREADS],
    fresh_floors: [const { Cell::new(0) }; MAX_THREADS],
    prologue_ended: Cell::new(false),
    is_behind_prologue: Cell::new(false),
    armed: Cell::new(false),
    dirty: Cell::new(false),
    abandoned: Cell::new(false),
    is_fork: Cell::new(false),
    traps_time_stamps: Cell::new(false),
    pid: Cell::new(0),
    program: Program {
        main: Cell::new(0),
        start: Cell::new([0; 5]),
        argument_count: Cell::new(0),
        arguments: Cell::new(0),
        environment: Cell::new(0),
    },
};

/// The state outside the snapshot.
pub fn get() -> &'static Control {
    &CONTROL
}
