//! The dependence relation: what each operation touches, and why.
//!
//! Two steps of different threads are independent if they can be swapped where they are adjacent: both orders are
//! possible and lead to the same state. That may depend on what came of them: a compare-and-exchange that failed is a
//! read.
//!
//! | operation | touches | reason |
//! | --- | --- | --- |
//! | read, update in vain | R location | reads commute |
//! | read of an own store | R store | finds what the thread has in its buffer, whatever others do |
//! | flush | W location, W store | the write that others see; own reads find the store in the buffer before it |
//! | fence, room in the buffer | nothing | follow the flushes that they waited for |
//! | write, atomic update | W location | also a write of the same value: an order is an order |
//! | lock, unlock, retake, abandon | W mutex | who comes first decides; a lock behind an unlock can not be swapped with it |
//! | trylock in vain, timed out | R mutex | sees that it is held, changes nothing |
//! | rdlock, its unlock | R lock | readers do not mind each other |
//! | wrlock, its unlock | W lock | excludes all others; in vain too, since it sees who reads |
//! | cond wait | W condition, W mutex | becomes a waiter, and gives the mutex back |
//! | signal, broadcast | W condition | changes who waits |
//! | signal to nobody | R condition | sees that nobody waits; such signals commute |
//! | woken, timed out | W condition | is a waiter no more |
//! | sem post | A semaphore | posts commute; what a wait finds depends on them |
//! | sem wait | W semaphore | two of them may compete for one post |
//! | sem wait in vain, getvalue | R semaphore | |
//! | barrier arrive | A barrier | who is the last is told, and nothing else; so arrivals commute, but for the last two |
//! | barrier arrive, the last | W barrier | it opens the barrier for all others |
//! | barrier leave | nothing | follows what opened it, and nobody sees it |
//! | once | W flag | who runs it; R where it has run already |
//! | create, join, detach, exit | W life of the thread | |
//! | tryjoin in vain, timed out | R life of the thread | |
//! | thread start | nothing | follows the creation |
//! | cancel, kill | W life, all steps of the thread | where the thread is decides what it does |
//! | futex wake, resume | W word | |
//! | futex wait and requeue, wait for a signal | all | compares memory that unseen code may write |
//! | descriptor | W descriptor | what is in it, and the order of output |
//! | yield, sleep, choose, go on computing | nothing | |
//! | fork | all | the child has locks and memory as they are then |
//! | exit, atomic begin and end on their own | all | |
//!
//! A step that changes something that an invariant reads also writes one more variable
//! ([`Variable::OBSERVED`](crate::Variable::OBSERVED)).
//!
//! The scheduler's partial order reductions explore the orders that this table makes a difference between, and the shim
//! takes accesses for ordered only if it orders them: what neither orders nor explores would be lost.

use crate::action::{Action, Choice};
use crate::model::Once;
use crate::model::errno::EOWNERDEAD;
use crate::ops::Op;

/// How a step touches a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Sees it.
    Read,
    /// Changes it without looking, in a way that does not depend on the order of such changes: a post.
    Add,
    /// Sees and changes it.
    Write,
}

impl Mode {
    /// Whether the order of two touches matters.
    #[must_use]
    pub fn conflicts(self, other: Mode) -> bool {
        self != other || self == Mode::Write
    }
}

/// What a step does to a lock or a semaphore, beyond touching it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Neither of the others.
    None,
    /// Takes it: others may have to wait.
    Take,
    /// Gives it back.
    Give,
    /// Says that it is about to be taken: others may have to wait already. At a barrier: leaves one place, so that who
    /// comes next is the last, and the two can not be swapped.
    Claim,
}

/// What a step touches: its first object, its second, and whether it acts on everyone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The object of the action.
    pub first: Option<(Mode, Role)>,
    /// The second object of the action.
    pub second: Option<(Mode, Role)>,
    /// Whether it depends on everything.
    pub everyone: bool,
}

impl Row {
    /// Nothing at all.
    pub const NOTHING: Row = Row { first: None, second: None, everyone: false };
    const EVERYONE: Row = Row { everyone: true, ..Row::NOTHING };
    const READ: Row = Row::on(Mode::Read, Role::None);
    const WRITE: Row = Row::on(Mode::Write, Role::None);

    const fn on(mode: Mode, role: Role) -> Row {
        Row { first: Some((mode, role)), second: None, everyone: false }
    }
}

/// What else decides about a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Context {
    /// Whether anybody waits on the condition variable.
    pub has_waiters: bool,
    /// Whether the thread holds the read-write lock for reading.
    pub reads: bool,
}

/// What a step touches that was taken in this way, with this result.
#[must_use]
#[inline]
pub fn row(action: &Action, choice: Choice, result: i32, context: Context) -> Row {
    let failed = choice == Choice::TimeOut || !is_done(result);
    match action.op {
        Op::ThreadStart | Op::TestCancel | Op::Yield | Op::Sleep | Op::Preempt | Op::Choose | Op::BarrierLeave => {
            Row::NOTHING
        }
        Op::Fence | Op::BufferRoom => Row::NOTHING,
        Op::OwnRead => Row { second: Some((Mode::Read, Role::None)), ..Row::NOTHING },
        Op::AtomicBegin | Op::AtomicEnd | Op::SignalWait | Op::FutexWait | Op::FutexRequeue => Row::EVERYONE,
        Op::Fork | Op::ProcessExit => Row::EVERYONE,
        Op::Read | Op::VainUpdate | Op::SemGetValue => Row::READ,
        Op::ThreadJoin | Op::ThreadTryJoin if failed => Row::READ,
        Op::MutexLock | Op::MutexTryLock | Op::SpinLock | Op::SpinTryLock => taking(failed, Mode::Write),
        Op::SemWait | Op::SemTryWait => taking(failed, Mode::Write),
        Op::RwRead | Op::RwTryRead => taking(failed, Mode::Read),
        Op::RwWrite | Op::RwTryWrite if !failed => taking(failed, Mode::Write),
        Op::MutexUnlock | Op::MutexAbandon | Op::SpinUnlock | Op::OnceLeave if !failed => {
            Row::on(Mode::Write, Role::Give)
        }
        Op::RwUnlock if !failed => Row::on(if context.reads { Mode::Read } else { Mode::Write }, Role::Give),
        Op::OnceEnter => taking(result != Once::RUN_IT, Mode::Write),
        Op::CondWait if !failed => Row { second: Some((Mode::Write, Role::Give)), ..Row::WRITE },
        Op::CondRetake => taking(false, Mode::Write),
        Op::CondSignal | Op::CondBroadcast if !context.has_waiters => Row::READ,
        Op::SemPost => Row::on(Mode::Add, Role::Give),
        Op::BarrierArrive if result == 1 => Row::on(Mode::Add, Role::Claim),
        Op::BarrierArrive if result > 1 => Row::on(Mode::Add, Role::None),
        Op::Flush => Row { second: Some((Mode::Write, Role::None)), ..Row::WRITE },
        _ => Row::WRITE,
    }
}

/// Whether an operation that only reads its object here may change it elsewhere.
#[must_use]
pub fn may_change(op: Op) -> bool {
    use Op::{AtomicUpdate, CondBroadcast, CondSignal, OnceEnter, ThreadTryJoin, VainUpdate};
    op.is_attempt() || matches!(op, AtomicUpdate | VainUpdate | CondSignal | CondBroadcast | OnceEnter | ThreadTryJoin)
}

/// Whether an operation with this result did what it is for. A mutex whose owner died is taken all the same.
pub(crate) fn is_done(result: i32) -> bool {
    result == 0 || result == EOWNERDEAD
}

/// A step that takes something, or sees that it can not.
fn taking(failed: bool, mode: Mode) -> Row {
    if failed { Row::READ } else { Row::on(mode, Role::Take) }
}
