//! The state of an execution, in memory that the snapshot restores.
//!
//! Because it is restored like the program's own memory, nothing in the shim has to be reset between executions: what
//! it was before `main`, it is again. All zeroes is the state before the program starts.

use crate::access::order::Torn;
use crate::fiber::Fiber;
use crate::{buffer, enabled, heap, keys, policy};
use core::cell::{Cell, UnsafeCell};
use rscale_protocol::arena::Policy;
use rscale_protocol::model::Model;
use rscale_protocol::{MAX_THREADS, Quiet, ThreadId, ThreadSet};

/// The state of an execution. Page-aligned: it is restored page by page, apart from the shim's other data. What every
/// execution changes comes first and lies together.
#[repr(C, align(4096))]
pub struct World {
    /// Whether fibers run; before that, the program's constructors do.
    pub running: Cell<bool>,
    /// The fiber that runs.
    pub current: Cell<ThreadId>,
    /// Threads that have been created and have not ended.
    pub live: Cell<ThreadSet>,
    /// Threads that are not scheduled for the time being.
    pub sleeping: Cell<ThreadSet>,
    /// Steps taken.
    pub steps: Cell<u64>,
    /// Entries in the current log chunk.
    pub logged: Cell<usize>,
    /// Position in the prefix.
    pub followed: Cell<usize>,
    /// Steps taken beyond the prefix.
    pub new_steps: Cell<u64>,
    /// Spurious wake-ups that happened.
    pub spurious: Cell<u64>,
    /// Steps in a row that were no more than going on to compute; more each where nobody else could run.
    pub computing: Cell<u32>,
    /// State of the random numbers that the program asks for.
    pub random: Cell<u64>,
    /// Whether the program has entered an atomic section.
    pub has_atomic_sections: Cell<bool>,
    /// How threads are chosen, once the prefix is done.
    pub policy: Cell<Policy>,
    /// Which steps are taken as soon as they can be, once the prefix is done.
    pub quiet: Cell<Quiet>,
    /// Who stood back for the thread that has just started.
    pub stood_back: Cell<Option<ThreadId>>,
    /// State of the random numbers that decide who is next.
    pub order: Cell<u64>,
    /// Nesting of sections that may not be switched out of.
    pub uninterruptible: Cell<u32>,
    /// This process is a child that the program forked: its threads are gone.
    pub forked_child: Cell<bool>,
    /// Who said last that it ends the process, and after how many steps ([`crate::wrap::process`]); 0 if nobody has.
    pub exit_announced: Cell<u64>,
    /// An assertion has failed: the abort that follows is its end.
    pub assertion_failed: Cell<bool>,
    /// Who can take a step.
    pub enabled: enabled::Enabled,
    /// The threads.
    pub fibers: [Fiber; MAX_THREADS],
    /// Threads and synchronisation objects.
    model: UnsafeCell<Model>,
    /// Heap.
    pub heap: heap::State,
    /// Thread-specific data.
    pub keys: keys::Keys,
    /// Signal dispositions, masks and pending signals as the program sees them.
    pub signals: crate::syscalls::signals::Signals,
    /// Policies, priorities and processors of the threads.
    pub scheduling: crate::syscalls::scheduling::Scheduling,
    /// What wrapped functions keep.
    pub library: crate::wrap::State,
    /// What the program's descriptors refer to.
    pub descriptors: crate::syscalls::wait::Descriptors,
    /// Stores that other threads do not see yet.
    pub buffers: buffer::Buffers,
    /// What was accessed in parts.
    pub torn: Torn,
    /// The priorities by which some policies choose.
    pub priorities: policy::Priorities,
}

// SAFETY: only the one kernel thread that runs program and shim touches it.
unsafe impl Sync for World {}

static WORLD: World = World {
    running: Cell::new(false),
    current: Cell::new(ThreadId::MAIN),
    live: Cell::new(ThreadSet::EMPTY),
    sleeping: Cell::new(ThreadSet::EMPTY),
    steps: Cell::new(0),
    logged: Cell::new(0),
    followed: Cell::new(0),
    new_steps: Cell::new(0),
    spurious: Cell::new(0),
    computing: Cell::new(0),
    random: Cell::new(0),
    has_atomic_sections: Cell::new(false),
    policy: Cell::new(Policy::Fixed),
    quiet: Cell::new(Quiet::NOTHING),
    stood_back: Cell::new(None),
    order: Cell::new(0),
    uninterruptible: Cell::new(0),
    forked_child: Cell::new(false),
    exit_announced: Cell::new(0),
    assertion_failed: Cell::new(false),
    enabled: enabled::Enabled::new(),
    priorities: policy::Priorities::new(),
    fibers: [const { Fiber::new() }; MAX_THREADS],
    heap: heap::State::new(),
    keys: keys::Keys::new(),
    signals: crate::syscalls::signals::Signals::new(),
    descriptors: crate::syscalls::wait::Descriptors::new(),
    buffers: buffer::Buffers::new(),
    torn: Torn::new(),
    scheduling: crate::syscalls::scheduling::Scheduling::new(),
    library: crate::wrap::State::new(),
    model: UnsafeCell::new(Model::new()),
};

/// The state of the execution.
pub fn get() -> &'static World {
    &WORLD
}

impl World {
    /// The fiber that runs.
    pub fn fiber(&self) -> &Fiber {
        &self.fibers[self.current.get().index()]
    }

    /// Reads or changes the model. The closure must not reach a scheduling point. Who can take a step is computed anew
    /// afterwards; [`World::look`] spares that.
    pub fn model<R>(&self, act: impl FnOnce(&mut Model) -> R) -> R {
        self.enabled.forget_all();
        self.model_in_step(act)
    }

    /// Reads the model.
    #[inline(always)]
    pub fn look<R>(&self, act: impl FnOnce(&Model) -> R) -> R {
        self.model_in_step(|model| act(model))
    }

    /// As [`World::model`], for a step that [`enabled::note_step`] is told of.
    #[inline(always)]
    pub fn model_in_step<R>(&self, act: impl FnOnce(&mut Model) -> R) -> R {
        // SAFETY: one kernel thread, and closures neither nest nor switch fibers, so this is the only reference.
        act(unsafe { &mut *self.model.get() })
    }

    /// Whether steps need no scheduling: fibers do not run yet, or only the main thread is left for certain.
    #[inline]
    pub fn is_alone(&self) -> bool {
        !self.running.get()
            || self.forked_child.get()
            || self.uninterruptible.get() > 0
            || self.look(|model| model.threads.main_is_alone())
    }

    /// The memory that the world occupies.
    pub fn memory(&self) -> (u64, u64) {
        let start = &raw const *self as u64;
        (start, start + size_of::<World>() as u64)
    }
}
