//! Every operation a thread can perform at a scheduling point, in one table.
//!
//! A row gives the number that stands in the log, the name that stands in reports, the family of objects it works on
//! and what it touches. To add an operation: one row here, and its effect in the model of its family.

use crate::dependence::is_done;

/// The kind of object an operation works on; each family is one file of the [model](crate::model).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// Threads: creation, joining, ending, sleeping.
    Thread,
    /// `pthread_mutex_t` and `mtx_t`.
    Mutex,
    /// `pthread_cond_t` and `cnd_t`.
    Condition,
    /// `pthread_rwlock_t`.
    RwLock,
    /// `pthread_spinlock_t`.
    Spin,
    /// `pthread_barrier_t`.
    Barrier,
    /// `sem_t`.
    Semaphore,
    /// `pthread_once_t` and `once_flag`.
    Once,
    /// A word that threads wait on with `SYS_futex`.
    Futex,
    /// A file descriptor that threads wait on.
    Descriptor,
    /// The process as a whole.
    Process,
    /// Plain memory that threads share without the protection of anything above.
    Memory,
}

/// Which communication variables an operation accesses (SCALE, Definition 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touches {
    /// Nothing that another thread can see.
    Nothing,
    /// The object of the action.
    Object,
    /// The object of the action, which it does not change.
    Reads,
    /// The object and the second object of the action.
    Both,
    /// The second object of the action, which it does not change.
    ReadsSecond,
    /// The object, and memory that any thread may have written since.
    ObjectAndMemory,
    /// The whole program: dependent with everything.
    Everything,
}

macro_rules! operations {
    ($($(#[$doc:meta])* $code:literal $variant:ident $name:literal $family:ident $touches:ident;)*) => {
        /// What a thread does at a scheduling point.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $variant = $code,)* }

        impl Op {
            /// Every operation.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];

            /// The operation with this number in the log.
            #[must_use]
            pub fn from_code(code: u8) -> Option<Op> {
                match code { $($code => Some(Op::$variant),)* _ => None }
            }

            /// The name in reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }

            /// The kind of object it works on.
            #[must_use]
            #[inline(always)]
            pub fn family(self) -> Family {
                match self { $(Op::$variant => Family::$family,)* }
            }

            /// What it accesses.
            #[must_use]
            #[inline(always)]
            pub fn touches(self) -> Touches {
                match self { $(Op::$variant => Touches::$touches,)* }
            }
        }
    };
}

impl Op {
    /// Whether the operation may have to wait, or be announced before its turn comes.
    #[must_use]
    #[inline(always)]
    pub fn may_wait(self) -> bool {
        use Op::{
            BarrierLeave, BufferRoom, Choose, CondRetake, CondWake, DescriptorWait, Fence, Flush, FutexResume,
            MutexLock, OnceEnter, RwRead, RwWrite, SemWait, SignalWait, SpinLock, ThreadJoin,
        };
        matches!(
            self,
            ThreadJoin
                | MutexLock
                | CondWake
                | CondRetake
                | RwRead
                | RwWrite
                | SpinLock
                | BarrierLeave
                | SemWait
                | OnceEnter
                | FutexResume
                | DescriptorWait
                | Choose
                | SignalWait
                | Flush
                | Fence
                | BufferRoom
        )
    }
}

impl Op {
    /// Whether the operation may change what threads that wait do next; see
    /// [`Model::current`](crate::model::Model::current).
    #[must_use]
    #[inline(always)]
    pub fn redirects_waiters(self) -> bool {
        matches!(self, Op::CondSignal | Op::CondBroadcast | Op::FutexRequeue)
    }

    /// Whether a thread at this operation says itself that others should run.
    #[must_use]
    #[inline(always)]
    pub fn lets_others_run(self) -> bool {
        matches!(self, Op::Yield | Op::Sleep | Op::Preempt)
    }

    /// Whether the operation can take place while stores of its thread are not visible yet. All others wait for that,
    /// as locked instructions, system calls and the thread library do.
    #[must_use]
    #[inline(always)]
    pub fn leaves_stores_buffered(self) -> bool {
        use Op::{BufferRoom, Choose, Flush, OwnRead, Preempt, Read};
        matches!(self, Read | OwnRead | Flush | BufferRoom | Preempt | Choose)
    }

    /// Whether a thread at this operation waits for nothing but its own stores, which become visible by themselves.
    #[must_use]
    #[inline(always)]
    pub fn waits_for_own_stores(self) -> bool {
        matches!(self, Op::Fence | Op::BufferRoom)
    }

    /// Whether the operation changes no variable at all.
    #[must_use]
    #[inline(always)]
    pub fn changes_nothing(self) -> bool {
        use Op::{BufferRoom, Fence, OwnRead, Preempt, Read, Sleep, VainUpdate, Yield};
        matches!(self, Read | VainUpdate | OwnRead | Fence | BufferRoom | Yield | Sleep | Preempt)
    }

    /// Whether the operation changed no variable, given what it returned.
    #[must_use]
    #[inline(always)]
    pub fn changed_nothing(self, result: i32) -> bool {
        self.changes_nothing() || self.is_attempt() && !is_done(result)
    }

    /// Whether the operation changes something only if it succeeds, that is, [`is_done`] with it.
    #[must_use]
    #[inline(always)]
    pub fn is_attempt(self) -> bool {
        use Op::{MutexTryLock, RwTryRead, RwTryWrite, SemTryWait, SpinTryLock};
        matches!(self, MutexTryLock | RwTryRead | RwTryWrite | SemTryWait | SpinTryLock)
    }
}

operations! {
    /// First step of a thread.
    1 ThreadStart "thread start" Thread Object;
    /// Creates the thread that is its object.
    2 ThreadCreate "create" Thread Object;
    /// Last step of a thread.
    3 ThreadExit "thread exit" Thread Object;
    /// Waits for a thread's end.
    4 ThreadJoin "join" Thread Object;
    /// Joins a thread if it has ended.
    5 ThreadTryJoin "tryjoin" Thread Object;
    /// Gives up the right to join a thread.
    6 ThreadDetach "detach" Thread Object;
    /// Asks a thread to cancel itself.
    7 ThreadCancel "cancel" Thread Object;
    /// Offers to be cancelled here.
    8 TestCancel "testcancel" Thread Object;
    /// Lets others run.
    9 Yield "yield" Thread Nothing;
    /// Lets virtual time pass.
    10 Sleep "sleep" Thread Nothing;
    /// Sends a signal to a thread.
    11 ThreadKill "kill" Thread Object;

    /// Has run for very long without another step: lets others run.
    12 Preempt "go on computing" Thread Nothing;
    /// Asks rscale to decide between two ways on.
    13 Choose "choose" Thread Nothing;
    /// Enters a section in which no other thread runs.
    14 AtomicBegin "atomic begin" Thread Everything;
    /// Leaves it.
    15 AtomicEnd "atomic end" Thread Everything;
    /// Waits for a signal, which may have been sent behind any step of another thread.
    16 SignalWait "wait for a signal" Thread ObjectAndMemory;
    /// Makes a child process, which finds everything as it is at this moment.
    17 Fork "fork" Thread Everything;

    /// Makes a mutex.
    20 MutexInit "mutex init" Mutex Object;
    /// Waits for a mutex and takes it.
    21 MutexLock "lock" Mutex Object;
    /// Takes a mutex if it is free.
    22 MutexTryLock "trylock" Mutex Object;
    /// Releases a mutex.
    23 MutexUnlock "unlock" Mutex Object;
    /// Ends the life of a mutex.
    24 MutexDestroy "mutex destroy" Mutex Object;
    /// Declares the state behind a robust mutex repaired.
    25 MutexConsistent "mutex consistent" Mutex Object;
    /// Leaves a robust mutex behind: its owner ends while it holds it.
    26 MutexAbandon "mutex abandoned" Mutex Object;

    /// Makes a condition variable.
    30 CondInit "cond init" Condition Object;
    /// Releases the mutex (second object) and begins to wait.
    31 CondWait "cond wait" Condition Both;
    /// Stops to wait: a signal has picked this waiter among several, or nobody has woken it and it does so all the
    /// same.
    32 CondWake "cond wake" Condition Object;
    /// Wakes one waiter.
    33 CondSignal "signal" Condition Object;
    /// Wakes all waiters.
    34 CondBroadcast "broadcast" Condition Object;
    /// Ends the life of a condition variable.
    35 CondDestroy "cond destroy" Condition Object;
    /// Waits no more: takes the mutex back, which is its object. The second object is the condition variable.
    36 CondRetake "cond retake" Condition Object;

    /// Makes a read-write lock.
    40 RwInit "rwlock init" RwLock Object;
    /// Waits to read.
    41 RwRead "rdlock" RwLock Object;
    /// Waits to write.
    42 RwWrite "wrlock" RwLock Object;
    /// Reads if possible at once.
    43 RwTryRead "tryrdlock" RwLock Object;
    /// Writes if possible at once.
    44 RwTryWrite "trywrlock" RwLock Object;
    /// Releases a read-write lock.
    45 RwUnlock "rwlock unlock" RwLock Object;
    /// Ends the life of a read-write lock.
    46 RwDestroy "rwlock destroy" RwLock Object;

    /// Makes a spin lock.
    50 SpinInit "spin init" Spin Object;
    /// Waits for a spin lock and takes it.
    51 SpinLock "spin lock" Spin Object;
    /// Takes a spin lock if it is free.
    52 SpinTryLock "spin trylock" Spin Object;
    /// Releases a spin lock.
    53 SpinUnlock "spin unlock" Spin Object;
    /// Ends the life of a spin lock.
    54 SpinDestroy "spin destroy" Spin Object;

    /// Makes a barrier.
    60 BarrierInit "barrier init" Barrier Object;
    /// Arrives at a barrier.
    61 BarrierArrive "barrier arrive" Barrier Object;
    /// Goes on once all have arrived.
    62 BarrierLeave "barrier leave" Barrier Object;
    /// Ends the life of a barrier.
    63 BarrierDestroy "barrier destroy" Barrier Object;

    /// Makes a semaphore.
    70 SemInit "sem init" Semaphore Object;
    /// Waits until the value is positive and lowers it.
    71 SemWait "sem wait" Semaphore Object;
    /// Lowers the value if it is positive.
    72 SemTryWait "sem trywait" Semaphore Object;
    /// Raises the value.
    73 SemPost "sem post" Semaphore Object;
    /// Reads the value.
    74 SemGetValue "sem getvalue" Semaphore Object;
    /// Ends the life of a semaphore.
    75 SemDestroy "sem destroy" Semaphore Object;

    /// Waits until nobody runs the routine, then runs it or not.
    80 OnceEnter "once" Once Object;
    /// The routine has run.
    81 OnceLeave "once done" Once Object;

    /// Compares the word and begins to wait.
    90 FutexWait "futex wait" Futex ObjectAndMemory;
    /// Woken or timed out: goes on.
    91 FutexResume "futex resume" Futex Object;
    /// Wakes waiters.
    92 FutexWake "futex wake" Futex Object;
    /// Wakes waiters and moves others to the second word.
    93 FutexRequeue "futex requeue" Futex Both;

    /// Waits until the descriptor is ready, then uses it.
    100 DescriptorWait "wait for" Descriptor Object;
    /// Uses a descriptor in a way that others may wait for.
    101 DescriptorUse "use" Descriptor Object;

    /// Ends the process.
    110 ProcessExit "exit" Process Everything;

    /// Reads a location.
    120 Read "read" Memory Reads;
    /// Writes a location.
    121 Write "write" Memory Object;
    /// Reads and writes a location in one step.
    122 AtomicUpdate "atomic update" Memory Object;
    /// An atomic update that has turned out to change nothing: no more than a read. Only a log has it.
    123 VainUpdate "atomic update in vain" Memory Reads;
    /// A read that found what the thread has stored itself and nobody else has seen yet. Only a log has it.
    124 OwnRead "read own buffered store" Memory ReadsSecond;
    /// A store becomes visible: a step of a [shadow](crate::memory). The second object is the store.
    125 Flush "store becomes visible:" Memory Both;
    /// Waits until all stores of the thread are visible.
    126 Fence "wait for own stores" Memory Nothing;
    /// Waits until there is room in the store buffer. The second object is the life of the shadow that makes it.
    127 BufferRoom "wait for room in the store buffer" Memory Nothing;
}
