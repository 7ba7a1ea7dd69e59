//! Who waits for what, and for whom.

use super::names::Names;
use crate::backend::{RunEnd, ThreadState};
use rscale_protocol::model::Life;
use rscale_protocol::{Action, Ending, Op, ThreadId};

/// What a thread does at the end of an execution.
pub fn describe(state: &ThreadState, end: &RunEnd, all: &[ThreadState], names: &Names) -> String {
    let Some(next) = &state.next else {
        return match state.life {
            Life::Gone => "ended and joined or detached".into(),
            _ => "ended".into(),
        };
    };
    let is_enabled = end.enabled.iter().any(|set| set.contains(state.id));
    let is_between_steps = matches!(end.ending, Ending::Deadlock | Ending::Invariant | Ending::Paused);
    if state.id == end.thread && !is_between_steps {
        return "running".into();
    }
    let what = operation_on(next, all, names);
    match (is_enabled, holder(state)) {
        (true, _) => format!("about to {what}"),
        (false, Some(holder)) => format!("waits to {what}, held by thread {holder}"),
        (false, None) => format!("waits to {what}"),
    }
}

/// The operation as a verb with its object.
fn operation_on(action: &Action, all: &[ThreadState], names: &Names) -> String {
    let variable =
        |index: usize| action.objects().nth(index).map_or_else(String::new, |variable| names.variable(variable, all));
    match action.op {
        Op::CondWake => format!("be woken on {}", variable(0)),
        Op::BarrierLeave => format!("leave barrier {}", variable(0)),
        Op::FutexResume => format!("be woken on futex {}", variable(0)),
        Op::SignalWait => "get a signal".into(),
        Op::ThreadStart => "start".into(),
        op => format!("{} {}", op.name(), variable(0)).trim_end().to_string(),
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
pub fn explain(end: &RunEnd, states: &[ThreadState], names: &Names) -> Vec<String> {
    let mut lines: Vec<String> = states
        .iter()
        .filter(|state| state.next.is_some())
        .map(|state| format!("thread {} ({}) {}", state.id, names.thread(state), describe(state, end, states, names)))
        .collect();
    if let Some(cycle) = cycle(states) {
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
    use rscale_protocol::Variable;

    fn waiting(id: u16, holder: u16) -> ThreadState {
        ThreadState {
            id: ThreadId(id),
            life: Life::Live,
            next: Some(Action::new(ThreadId(id), Op::MutexLock, Variable(64))),
            stack_pointer: 0,
            holder: Some(ThreadId(holder)),
            routine: 0,
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
}
