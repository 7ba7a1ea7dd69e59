//! Executions written down by hand, for tests.

use super::event::Event;
use super::history::History;
use crate::backend::{Block, RunEnd};
use crate::filters::Terms;
use crate::frontend::Execution;
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Action, Choice, Ending, MemoryModel, Op, ThreadId, ThreadSet, Variable};

/// Those of a search in its usual order.
pub const TERMS: Terms = Terms { seed: 0, sees_accesses: true, memory: MemoryModel::Sc, has_invariants: false };

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

/// A run of threads that do this with these variables, each at its own time: a schedule, and on from the first thread
/// to the last one.
pub fn run(threads: &[Vec<(Op, u64)>], schedule: &[Token]) -> Execution {
    let mut next = vec![0; threads.len()];
    let mut steps = Vec::new();
    loop {
        let is_left = |&thread: &u16| next[thread as usize] < threads[thread as usize].len();
        let possible: Vec<u16> = (0..threads.len() as u16).filter(is_left).collect();
        let Some(&first) = possible.first() else { break };
        let thread = schedule.get(steps.len()).map_or(first, |token| token.thread.0);
        let place = &mut next[thread as usize];
        let (op, variable) = threads[thread as usize][*place];
        steps.push(step(thread, op, variable, &possible));
        *place += 1;
    }
    let end = RunEnd {
        ending: Ending::Exit,
        value: 0,
        address: 0,
        block: Block::default(),
        thread: ThreadId(0),
        enabled: [ThreadSet::EMPTY; 3],
        live: ThreadSet::EMPTY,
        races: Vec::new(),
        reads: Vec::new(),
        text: String::new(),
    };
    Execution { steps: steps.into(), end: Some(end), ..Execution::default() }
}
