//! Steps that nobody notices: what a thread does without any other being able to tell when.
//!
//! A thread that starts or ends, creates another or joins one that has ended, touches nothing but the life of a thread,
//! of which others wait for the end at most. A thread that gives a mutex back lets others take it, and they could only
//! have waited until then. So whatever else can happen can happen behind such a step as well, and a search that does
//! not tell every state apart takes it as soon as it can be taken. That is wrong in programs in which threads look at
//! each other's lives, or at locks that they do not have: the scheduler notices, and says which kinds are quiet. See
//! its `explore/quiet.rs` for the reasons.

use crate::action::Action;
use crate::ops::Op;

/// Kinds of steps that are taken at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Quiet(u32);

impl Quiet {
    /// None.
    pub const NOTHING: Quiet = Quiet(0);
    /// Starts and ends of threads, their creation, and joins of those that have ended.
    pub const LIVES: Quiet = Quiet(1);
    /// Unlocking of mutexes in static data: others may be freed by somebody who takes no lock for that.
    pub const LOCKS: Quiet = Quiet(2);
    /// All of these.
    pub const ALL: Quiet = Quiet(3);
    /// Starts of threads alone, behind which whoever created the thread goes on: an order like any other.
    pub const STARTS: Quiet = Quiet(4);

    /// The kinds with this number in a request.
    #[must_use]
    #[inline(always)]
    pub fn from_code(code: u32) -> Quiet {
        Quiet(code & (Self::ALL.0 | Self::STARTS.0))
    }

    /// The number that stands in a request.
    #[must_use]
    pub fn to_code(self) -> u32 {
        self.0
    }

    /// The kind of the action, if it is one of them.
    #[must_use]
    #[inline(always)]
    pub fn of(action: &Action) -> Quiet {
        match action.op {
            Op::ThreadStart => Quiet(Self::LIVES.0 | Self::STARTS.0),
            Op::ThreadExit | Op::ThreadCreate => Quiet::LIVES,
            Op::ThreadJoin if !action.is_timed() => Quiet::LIVES,
            Op::MutexUnlock if action.flags & Action::LASTING != 0 => Quiet::LOCKS,
            _ => Quiet::NOTHING,
        }
    }

    /// Whether the action is of one of these kinds.
    #[must_use]
    #[inline(always)]
    pub fn includes(self, action: &Action) -> bool {
        self.0 & Quiet::of(action).0 != 0
    }

    /// Whether there are none.
    #[must_use]
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// These and the others.
    #[must_use]
    pub fn and(self, others: Quiet) -> Quiet {
        Quiet(self.0 | others.0)
    }

    /// These without the others.
    #[must_use]
    pub fn without(self, others: Quiet) -> Quiet {
        Quiet(self.0 & !others.0)
    }

    /// Those that are among the others, too.
    #[must_use]
    pub fn among(self, others: Quiet) -> Quiet {
        Quiet(self.0 & others.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ThreadId, Variable};

    #[test]
    fn kinds_are_told_apart() {
        let on_heap = Action::new(ThreadId(1), Op::MutexUnlock, Variable(64));
        let unlock = Action { flags: Action::LASTING, ..on_heap };
        let join = Action::new(ThreadId(1), Op::ThreadJoin, Variable::thread(ThreadId(2)));
        assert!(Quiet::ALL.includes(&unlock) && Quiet::LOCKS.includes(&unlock) && !Quiet::LIVES.includes(&unlock));
        assert!(Quiet::LIVES.includes(&join) && !Quiet::LIVES.includes(&Action { deadline: 5, ..join }));
        let [start, exit] = [Op::ThreadStart, Op::ThreadExit].map(|op| Action::new(ThreadId(1), op, Variable(64)));
        assert!([Quiet::STARTS, Quiet::LIVES, Quiet::ALL].iter().all(|kinds| kinds.includes(&start)));
        assert!(Quiet::LIVES.includes(&exit) && !Quiet::STARTS.includes(&exit) && !Quiet::STARTS.includes(&join));
        assert_eq!(Quiet::from_code(Quiet::STARTS.to_code()), Quiet::STARTS);
        assert!(!Quiet::ALL.includes(&on_heap));
        assert!(!Quiet::ALL.includes(&Action { op: Op::MutexLock, ..unlock }));
        assert_eq!(Quiet::ALL.without(Quiet::LOCKS), Quiet::LIVES);
        assert_eq!(Quiet::from_code(Quiet::LOCKS.to_code()), Quiet::LOCKS);
        assert_eq!(Quiet::LIVES.and(Quiet::LOCKS), Quiet::ALL);
        assert!(Quiet::NOTHING.is_empty() && Quiet::LIVES.among(Quiet::LOCKS).is_empty());
    }
}
