//! Who waits for what, and for whom.

use super::moment::Moment;
use super::names::Names;
use super::objects;
use crate::backend::{RunEnd, ThreadState};
use rscale_protocol::model::Life;
use rscale_protocol::{Ending, Family, Op, ThreadId};

/// What a thread does at the end of an execution.
pub fn describe(state: &ThreadState, end: &RunEnd, moment: &Moment<'_>, names: &Names) -> String {
    let Some(next) = &state.next else {
        return match state.life {
            Life::Gone => "ended and joined or detached".into(),
            _ => "ended".into(),
        };
    };
    let is_between_steps = matches!(end.ending, Ending::Deadlock | Ending::Invariant | Ending::Paused);
    if state.id == end.thread && !is_between_steps {
        return "running".into();
    }
    if next.op == Op::Preempt {
        return "is running (a long computation without shared accesses)".into();
    }
    let variables: Vec<String> = objects(next).map(|object| names.variable(object, moment)).collect();
    let words = Words { op: next.op, variables: &variables };
    // Where others go first, in an atomic section or after a signal, a thread that need not wait is not held up by
    // anything.
    let is_free = end.ending == Ending::Paused && !next.op.may_wait() && next.op.family() != Family::Memory;
    let is_enabled = is_free || end.enabled.iter().any(|set| set.contains(state.id));
    // Of a process that is gone it is not known who could have gone on.
    let is_known = end.ending == Ending::Deadlock || end.enabled.iter().any(|set| !set.is_empty());
    match (is_enabled, is_known) {
        (true, _) => format!("about to {}", words.infinitive()),
        (false, true) => words.waiting(holder(state)),
        (false, false) => format!("had come to {}", words.infinitive()),
    }
}

/// An operation and its objects, in words.
struct Words<'a> {
    op: Op,
    variables: &'a [String],
}

impl Words<'_> {
    fn object(&self) -> &str {
        self.variables.first().map_or("", String::as_str)
    }

    /// What a thread is about to do, behind "to".
    fn infinitive(&self) -> String {
        format!("{} {}", verb(self.op), self.object()).trim_end().to_string()
    }

    /// What a thread that can not go on waits for.
    fn waiting(&self, holder: Option<ThreadId>) -> String {
        let object = self.object();
        let held = holder.map_or_else(String::new, |thread| format!(", held by thread {thread}"));
        match self.op {
            Op::CondWake => format!("waits to be woken on {object}"),
            Op::FutexResume => format!("waits to be woken on futex {object}"),
            Op::BarrierLeave => format!("waits for others at barrier {object}"),
            Op::SemWait => format!("waits for a post of semaphore {object}"),
            Op::OnceEnter => format!("waits for the end of the routine of {object}{held}"),
            Op::DescriptorWait => format!("waits for {object} to be ready"),
            Op::SignalWait => "waits for a signal".into(),
            Op::Fence => "waits for its stores to become visible".into(),
            Op::BufferRoom => "waits for room in its store buffer".into(),
            Op::Read | Op::AtomicUpdate => format!("waits in a loop for a write of {object}"),
            _ => format!("waits to {}{held}", self.infinitive()),
        }
    }
}

/// An operation as a verb, its object to follow.
pub fn verb(op: Op) -> &'static str {
    match op {
        Op::ThreadStart => "start",
        Op::ThreadCreate => "create",
        Op::ThreadExit => "end",
        Op::ThreadJoin => "join",
        Op::ThreadTryJoin => "try to join",
        Op::ThreadDetach => "detach",
        Op::ThreadCancel => "cancel",
        Op::TestCancel => "look whether it is cancelled",
        Op::Yield => "yield",
        Op::Sleep => "sleep",
        Op::ThreadKill => "send a signal to",
        Op::Preempt => "go on with a long computation",
        Op::Choose => "make a choice",
        Op::AtomicBegin => "enter an atomic section",
        Op::AtomicEnd => "leave an atomic section",
        Op::SignalWait => "get a signal",
        Op::Fork => "fork",
        Op::MutexInit => "initialise mutex",
        Op::MutexLock => "lock",
        Op::MutexTryLock => "try to lock",
        Op::MutexUnlock => "unlock",
        Op::MutexDestroy => "destroy mutex",
        Op::MutexConsistent => "declare consistent",
        Op::MutexAbandon => "abandon",
        Op::CondInit => "initialise condition variable",
        Op::CondWait => "wait on",
        Op::CondWake => "end its wait on",
        Op::CondRetake => "take back",
        Op::CondSignal => "signal",
        Op::CondBroadcast => "wake all that wait on",
        Op::CondDestroy => "destroy condition variable",
        Op::RwInit => "initialise read-write lock",
        Op::RwRead => "lock for reading",
        Op::RwWrite => "lock for writing",
        Op::RwTryRead => "try to lock for reading",
        Op::RwTryWrite => "try to lock for writing",
        Op::RwUnlock => "unlock",
        Op::RwDestroy => "destroy read-write lock",
        Op::SpinInit => "initialise spin lock",
        Op::SpinLock => "lock",
        Op::SpinTryLock => "try to lock",
        Op::SpinUnlock => "unlock",
        Op::SpinDestroy => "destroy spin lock",
        Op::BarrierInit => "initialise barrier",
        Op::BarrierArrive => "arrive at barrier",
        Op::BarrierLeave => "leave barrier",
        Op::BarrierDestroy => "destroy barrier",
        Op::SemInit => "initialise semaphore",
        Op::SemWait => "take from semaphore",
        Op::SemTryWait => "try to take from semaphore",
        Op::SemPost => "post semaphore",
        Op::SemGetValue => "read the value of semaphore",
        Op::SemDestroy => "destroy semaphore",
        Op::OnceEnter => "call the routine of",
        Op::OnceLeave => "return from the routine of",
        Op::FutexWait => "wait on futex",
        Op::FutexResume => "return from its wait on futex",
        Op::FutexWake => "wake waiters of futex",
        Op::FutexRequeue => "move waiters of futex",
        Op::DescriptorWait | Op::DescriptorUse => "use",
        Op::ProcessExit => "exit the process",
        Op::Read => "read",
        Op::Write => "write",
        Op::AtomicUpdate | Op::VainUpdate => "atomically update",
        Op::OwnRead => "read its own store to",
        Op::Flush => "make visible its store to",
        Op::Fence => "go on behind its stores",
        Op::BufferRoom => "put another store into its buffer",
    }
}

/// Whoever has to act before the thread can go on.
fn holder(state: &ThreadState) -> Option<ThreadId> {
    match state.next.as_ref()?.op {
        Op::ThreadJoin => None,
        _ => state.holder,
    }
}

/// Whom the thread waits for: the holder of a lock, or the thread that it joins.
fn waits_for(state: &ThreadState) -> Option<ThreadId> {
    let next = state.next.as_ref()?;
    if next.op == Op::ThreadJoin { next.object.as_thread() } else { state.holder }
}

/// The wait-for relation of a deadlock, and its cycle if there is one.
pub fn explain(end: &RunEnd, moment: &Moment<'_>, names: &Names) -> Vec<String> {
    let line = |state: &ThreadState| {
        let name = names.thread(state);
        let name = if name.is_empty() { name } else { format!(" ({name})") };
        format!("thread {}{name} {}", state.id, describe(state, end, moment, names))
    };
    let mut lines: Vec<String> = moment.states.iter().filter(|state| state.next.is_some()).map(line).collect();
    if let Some(cycle) = cycle(&moment.states) {
        let path: Vec<String> = cycle.iter().map(|thread| format!("thread {thread}")).collect();
        lines.push(format!("wait-for cycle: {} -> {}", path.join(" -> "), path[0]));
    } else {
        lines.push("no cycle: a wake-up, a post or another thread's arrival is missing".into());
    }
    lines
}

/// Threads that wait for each other in a ring.
fn cycle(states: &[ThreadState]) -> Option<Vec<ThreadId>> {
    let next_of = |thread: ThreadId| states.iter().find(|state| state.id == thread).and_then(waits_for);
    states.iter().find_map(|start| {
        let mut path = vec![start.id];
        while let Some(next) = next_of(*path.last()?) {
            if next == start.id {
                return Some(path);
            }
            if path.contains(&next) {
                return None;
            }
            path.push(next);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{Action, Variable};

    fn waiting(id: u16, holder: u16) -> ThreadState {
        ThreadState {
            id: ThreadId(id),
            life: Life::Live,
            next: Some(Action::new(ThreadId(id), Op::MutexLock, Variable(64))),
            stack_pointer: 0,
            holder: Some(ThreadId(holder)),
            routine: 0,
            thread_pointer: 0,
            kernel_id: 0,
            name: String::new(),
        }
    }

    #[test]
    fn finds_the_ring_and_not_its_tail() {
        let states = [waiting(0, 1), waiting(1, 2), waiting(2, 3), waiting(3, 1)];
        assert_eq!(cycle(&states), Some([1, 2, 3].map(ThreadId).to_vec()));
        assert_eq!(cycle(&states[..2]), None, "the holder of the last lock does not wait");
        let join = Action::new(ThreadId(0), Op::ThreadJoin, Variable::thread(ThreadId(1)));
        let joiner = ThreadState { next: Some(join), holder: None, ..waiting(0, 0) };
        assert_eq!(cycle(&[joiner, waiting(1, 0)]), Some([0, 1].map(ThreadId).to_vec()), "a join waits too");
    }

    #[test]
    fn every_operation_reads_as_a_sentence() {
        let variables = ["a".to_string(), "b".to_string()];
        let words = |op| Words { op, variables: &variables };
        for &op in Op::ALL {
            let infinitive = words(op).infinitive();
            assert!(infinitive.starts_with(|first: char| first.is_ascii_lowercase()), "{infinitive}");
            let waiting = words(op).waiting(None);
            assert!(!op.may_wait() || !waiting.starts_with("waits to wait"), "{waiting}");
        }
        let by = Some(ThreadId(2));
        assert_eq!(words(Op::MutexLock).waiting(by), "waits to lock a, held by thread 2");
        assert_eq!(words(Op::CondRetake).waiting(by), "waits to take back a, held by thread 2");
        assert_eq!(words(Op::CondWake).waiting(None), "waits to be woken on a");
    }
}
