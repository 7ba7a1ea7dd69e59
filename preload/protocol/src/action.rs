//! Actions: what a thread is about to do, or did, at a scheduling point (SCALE, Definition 10).

use crate::ops::{Op, Touches};
use crate::thread_set::ThreadId;
use crate::variable::{Access, AccessKind, Variable};

/// A thread's next or executed action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Action {
    /// What it does.
    pub op: Op,
    /// Bits that only the model of the family reads (a cancellation point, a wait that timed out, ...).
    pub flags: u8,
    /// Who does it.
    pub thread: ThreadId,
    /// A small number the operation needs: how many to wake, the expected value, ... For [`Op::CondRetake`]: how many
    /// steps the execution had taken when another thread's step woke this one; 0 if its own step did.
    pub count: u32,
    /// The variable it works on.
    pub object: Variable,
    /// The second variable: the mutex of a condition wait, the target of a requeue.
    pub second: Variable,
    /// Virtual time at which a timed operation gives up, in nanoseconds; [`Action::NEVER`] for those that wait for
    /// ever. For [`Op::Flush`]: an [`Origin`].
    pub deadline: u64,
    /// Where the program called: the return address of the wrapped call.
    pub pc: u64,
    /// Of an access to memory: which bytes of the variable.
    pub extent: Extent,
}

impl Action {
    /// The deadline of an operation without one.
    pub const NEVER: u64 = u64::MAX;
    /// The operation is a cancellation point (POSIX XSH 2.9.5.2).
    pub const CANCELLATION_POINT: u8 = 1;
    /// The wait that this action ends has timed out.
    pub const TIMED_OUT: u8 = 2;
    /// The wait that this action ends was cancelled.
    pub const CANCELLED: u8 = 4;
    /// The thread has come to wait: others see it. In a loop: it did the same before, and waits for a change.
    pub const WAITING: u8 = 64;
    /// The deadline is not a valid time: an error, but only if the operation has to wait.
    pub const INVALID_DEADLINE: u8 = 8;
    /// The wait that this action ends ended for no reason.
    pub const SPURIOUS: u8 = 16;
    /// The futex word did not hold the expected value when the step was taken.
    pub const STALE: u8 = 32;
    /// The action changes something that an invariant reads.
    pub const OBSERVED: u8 = 128;
    /// Of an access to memory: libc protects what it stands for with a lock of its own, as it does with streams.
    pub const PROTECTED: u8 = 1;
    /// Of an unlock: the mutex lies in static data of the program, which nobody can free.
    pub const LASTING: u8 = 32;
    /// Of a lock and an unlock: the thread looks at something under the mutex, as it did before, and changes nothing.
    pub const ONLY_LOOKS: u8 = 16;
    /// Of the begin or end of an atomic section: the program asks for it.
    pub const ANNOTATED: u8 = 1;

    /// An action on one variable, without a deadline.
    #[must_use]
    pub fn new(thread: ThreadId, op: Op, object: Variable) -> Action {
        let (second, deadline, extent) = (Variable(0), Self::NEVER, Extent::ALL);
        Action { op, flags: 0, thread, count: 0, object, second, deadline, pc: 0, extent }
    }

    /// The action with these flags, too.
    pub fn with(self, flags: u8) -> Action {
        Action { flags: self.flags | flags, ..self }
    }

    /// The action as it was before it took place.
    #[must_use]
    pub fn announced(self) -> Action {
        match self.op {
            Op::VainUpdate => Action { op: Op::AtomicUpdate, ..self },
            Op::OwnRead => Action { op: Op::Read, second: Variable(0), ..self },
            _ => self,
        }
    }

    /// What the thread was about to do when the execution had taken so many steps, given what it came to do without a
    /// step of its own in between: a thread that takes its mutex back waited before it was woken.
    #[must_use]
    pub fn as_of(self, steps: usize) -> Action {
        if self.op == Op::CondRetake && self.count as usize > steps {
            Action { op: Op::CondWake, count: 0, object: self.second, second: self.object, ..self }
        } else {
            self
        }
    }

    /// Whether the operation may give up waiting.
    #[must_use]
    #[inline(always)]
    pub fn is_timed(&self) -> bool {
        self.deadline != Self::NEVER && self.op != Op::Flush
    }

    /// Says of a flush where its store comes from.
    #[must_use]
    pub fn of_store(self, origin: Origin) -> Action {
        Action { deadline: origin.to_bits(), ..self }
    }

    /// What [`Action::of_store`] said; None where it is no flush.
    #[must_use]
    pub fn origin(&self) -> Option<Origin> {
        (self.op == Op::Flush).then(|| Origin::from_bits(self.deadline))
    }

    /// The same action as the program's code sees it, whatever the addresses of its code.
    #[must_use]
    pub fn same_effect(&self, other: &Action) -> bool {
        self.op == other.op && self.thread == other.thread && self.object == other.object && self.second == other.second
    }

    /// The variables it accesses, its objects first, then [`Variable::MEMORY`] and perhaps [`Variable::OBSERVED`].
    pub fn accesses(&self) -> impl Iterator<Item = Access> + use<> {
        let touches = self.op.touches();
        let (first, second) = match touches {
            Touches::Nothing | Touches::Everything => (None, None),
            Touches::Object | Touches::Reads | Touches::ObjectAndMemory => (Some(self.object), None),
            Touches::Both => (Some(self.object), Some(self.second)),
            Touches::ReadsSecond => (None, Some(self.second)),
        };
        let write_if = |writes| if writes { AccessKind::Write } else { AccessKind::Read };
        let kind = write_if(!matches!(touches, Touches::Reads | Touches::ReadsSecond));
        let memory_kind = write_if(matches!(touches, Touches::Everything | Touches::ObjectAndMemory));
        let memory = Access { variable: Variable::MEMORY, kind: memory_kind };
        let observed = Access { variable: Variable::OBSERVED, kind: AccessKind::Write };
        let observed = (self.flags & Action::OBSERVED != 0).then_some(observed);
        let objects = first.into_iter().chain(second);
        objects.map(move |variable| Access { variable, kind }).chain(core::iter::once(memory)).chain(observed)
    }

    /// As [`Action::accesses`], without [`Variable::OBSERVED`]: what decides which state a step leads to. An invariant
    /// is a function of that state, so who keeps every state apart need not know which of them it sees.
    #[inline]
    pub fn state_accesses(&self) -> impl Iterator<Item = Access> + use<> {
        Action { flags: self.flags & !Action::OBSERVED, ..*self }.accesses()
    }

    /// The objects it accesses.
    pub fn objects(&self) -> impl Iterator<Item = Variable> + use<> {
        self.state_accesses().map(|access| access.variable).filter(|&variable| variable != Variable::MEMORY)
    }

    /// Whether it asks something of a thread that may act on it at any of its steps: to cancel itself, or to handle a
    /// signal.
    #[must_use]
    #[inline(always)]
    pub fn is_request(&self) -> bool {
        matches!(self.op, Op::ThreadCancel | Op::ThreadKill)
    }

    /// Whether it changes what a thread does next, whatever that is.
    #[must_use]
    pub fn reaches(&self, thread: ThreadId) -> bool {
        self.is_request() && self.object.as_thread().is_none_or(|reached| reached == thread)
    }

    /// Whether the order of the two actions can matter (Definition 9).
    #[must_use]
    pub fn is_dependent(&self, other: &Action) -> bool {
        self.thread == other.thread
            || self.reaches(other.thread)
            || other.reaches(self.thread)
            || self.accesses().any(|mine| {
                other.accesses().any(|theirs| {
                    mine.variable == theirs.variable
                        && (mine.kind == AccessKind::Write || theirs.kind == AccessKind::Write)
                })
            })
    }
}

/// Which bytes of its variable an access touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Extent(u32);

impl Extent {
    /// Nothing more is known than the variable.
    pub const ALL: Extent = Extent(0);
    /// How many bits there are.
    pub const BITS: u32 = Self::OFFSET_BITS + Self::LENGTH_BITS;
    const OFFSET_BITS: u32 = 12;
    const LENGTH_BITS: u32 = 11;

    /// So many bytes from an offset on. What is too large to be told is taken for the whole variable.
    #[must_use]
    #[inline]
    pub fn new(offset: u64, length: u64) -> Extent {
        let fits = offset < 1 << Self::OFFSET_BITS && length < 1 << Self::LENGTH_BITS;
        if fits { Extent((length << Self::OFFSET_BITS | offset) as u32) } else { Extent::ALL }
    }

    /// Offset and length, unless it is the whole variable.
    #[must_use]
    pub fn bytes(self) -> Option<(u64, u64)> {
        let length = u64::from(self.0 >> Self::OFFSET_BITS);
        (length > 0).then_some((u64::from(self.0) & ((1 << Self::OFFSET_BITS) - 1), length))
    }

    /// As a number of [`Extent::BITS`] bits.
    #[must_use]
    #[inline(always)]
    pub fn to_bits(self) -> u32 {
        self.0
    }

    /// The extent with this number.
    #[must_use]
    #[inline(always)]
    pub fn from_bits(bits: u32) -> Extent {
        Extent(bits & ((1 << Self::BITS) - 1))
    }
}

/// Where a store in a buffer comes from: what its flush has to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Steps that the execution had taken when it was made.
    pub steps: u32,
    /// Queues of the same thread, as bits, whose older stores have bytes in common with it.
    pub overlaps: u16,
    /// Stores of the same thread with numbers below this have to be visible before.
    pub after: u32,
}

impl Origin {
    const STEP_BITS: u32 = 24;
    const QUEUE_BITS: u32 = 16;

    fn to_bits(self) -> u64 {
        let after = u64::from(self.after) << (Self::STEP_BITS + Self::QUEUE_BITS);
        after | u64::from(self.overlaps) << Self::STEP_BITS | u64::from(self.steps) & ((1 << Self::STEP_BITS) - 1)
    }

    fn from_bits(bits: u64) -> Origin {
        Origin {
            steps: bits as u32 & ((1 << Self::STEP_BITS) - 1),
            overlaps: (bits >> Self::STEP_BITS) as u16,
            after: (bits >> (Self::STEP_BITS + Self::QUEUE_BITS)) as u32,
        }
    }
}

/// How a scheduled thread takes its step. A trace marks all but the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Choice {
    /// The operation takes place.
    #[default]
    Proceed = 0,
    /// A timed wait gives up (`3t`).
    TimeOut = 1,
    /// A waiter wakes up although nobody woke it (`3s`).
    Spurious = 2,
}

impl Choice {
    /// The choice with this number in the log.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Choice> {
        match code {
            0 => Some(Choice::Proceed),
            1 => Some(Choice::TimeOut),
            2 => Some(Choice::Spurious),
            _ => None,
        }
    }

    /// The mark behind the thread number in a trace.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Choice::Proceed => "",
            Choice::TimeOut => "t",
            Choice::Spurious => "s",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_found_by_its_number() {
        for &op in Op::ALL {
            assert_eq!(Op::from_code(op as u8), Some(op));
        }
        assert_eq!(Op::from_code(0), None);
        assert_eq!(Op::from_code(255), None);
    }

    #[test]
    fn actions_on_different_objects_are_independent() {
        let lock = |thread, address| Action::new(ThreadId(thread), Op::MutexLock, Variable(address));
        assert!(lock(1, 64).is_dependent(&lock(2, 64)));
        assert!(!lock(1, 64).is_dependent(&lock(2, 128)));
        assert!(lock(1, 64).is_dependent(&lock(1, 128)), "program order");
        let wait = Action { second: Variable(64), ..Action::new(ThreadId(3), Op::CondWait, Variable(256)) };
        assert!(wait.is_dependent(&lock(1, 64)), "a condition wait releases its mutex");
        let exit = Action::new(ThreadId(0), Op::ProcessExit, Variable(0));
        assert!(exit.is_dependent(&lock(1, 64)), "the end of the process ends every thread");
        let cancel = Action::new(ThreadId(0), Op::ThreadCancel, Variable::thread(ThreadId(1)));
        assert!(cancel.is_dependent(&lock(1, 64)), "the thread may act on it where it locks");
        assert!(!cancel.is_dependent(&lock(2, 64)));
        let futex = Action::new(ThreadId(3), Op::FutexWait, Variable(512));
        assert!(futex.is_dependent(&lock(1, 64)), "what it compares may have been written behind any step");
        assert_eq!(futex.objects().collect::<std::vec::Vec<_>>(), [Variable(512)]);
    }

    #[test]
    fn a_thread_waits_until_it_is_woken() {
        let retake = Action::new(ThreadId(1), Op::CondRetake, Variable(64));
        let retake = Action { count: 5, second: Variable(128), ..retake };
        let wake = retake.as_of(4);
        assert_eq!((wake.op, wake.object, wake.second), (Op::CondWake, Variable(128), Variable(64)));
        assert_eq!(retake.as_of(5), retake);
        let lock = Action { op: Op::MutexLock, ..retake };
        assert_eq!(lock.as_of(0), lock);
        assert!(
            !retake.is_dependent(&Action { thread: ThreadId(2), ..wake }),
            "it is done with the condition variable"
        );
    }

    #[test]
    fn changes_that_invariants_see_are_dependent() {
        let write =
            |thread, address, flags| Action { flags, ..Action::new(ThreadId(thread), Op::Write, Variable(address)) };
        let (x, y) = (write(1, 64, Action::OBSERVED), write(2, 128, Action::OBSERVED));
        assert!(x.is_dependent(&y), "between them lies a state that an invariant can tell from others");
        assert!(!x.is_dependent(&write(2, 128, 0)));
        assert_eq!(x.objects().collect::<std::vec::Vec<_>>(), [Variable(64)]);
        assert!(x.state_accesses().all(|access| access.variable != Variable::OBSERVED));
    }

    #[test]
    fn a_flush_says_where_its_store_comes_from() {
        let origin = Origin { steps: (1 << 20) - 1, overlaps: 0x7ffe, after: 77_777 };
        let flush = Action::new(ThreadId(65), Op::Flush, Variable(64)).of_store(origin);
        assert_eq!((flush.origin(), flush.is_timed()), (Some(origin), false));
        assert_eq!(Action { op: Op::MutexLock, ..flush }.origin(), None);
        let own =
            Action { second: Variable::store(ThreadId(1), 0), ..Action::new(ThreadId(1), Op::OwnRead, Variable(64)) };
        let flush = Action { second: own.second, ..flush };
        let write = Action::new(ThreadId(2), Op::Write, Variable(64));
        assert!(own.is_dependent(&flush) && flush.is_dependent(&write) && !own.is_dependent(&write));
        assert!(own.announced().is_dependent(&write), "what it will find is not known before");
    }

    #[test]
    fn an_extent_says_which_bytes_as_far_as_it_can() {
        assert_eq!(Extent::new(4, 8).bytes(), Some((4, 8)));
        assert_eq!(Extent::from_bits(Extent::new(4095, 2047).to_bits()).bytes(), Some((4095, 2047)));
        for (offset, length) in [(0, 0), (4096, 1), (0, 2048)] {
            assert_eq!(Extent::new(offset, length).bytes(), None, "{offset} {length}");
        }
    }
}
