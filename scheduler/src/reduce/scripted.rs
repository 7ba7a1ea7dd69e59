//! Executions written down by hand, for tests.

use super::event::Event;
use super::history::History;
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Choice, Op, ThreadId, ThreadSet, Variable};

/// A step of a thread at a variable, where these threads can proceed.
pub fn step(thread: u16, op: Op, variable: u64, possible: &[u16]) -> Step {
    let action = Action::new(ThreadId(thread), op, Variable(variable));
    let possible: ThreadSet = possible.iter().map(|&thread| ThreadId(thread)).collect();
    Step { action, choice: Choice::Proceed, result: 0, enabled: [possible, ThreadSet::EMPTY, ThreadSet::EMPTY] }
}

/// The events of an execution.
pub fn history(steps: &[Step]) -> History {
    let (mut history, mut predecessors) = (History::default(), Vec::new());
    for index in 0..steps.len() {
        let event = Event::at(steps, index, &mut history, true).expect("a step is an event");
        history.predecessors(&event, &mut predecessors);
        history.push(event, &predecessors);
    }
    history
}
