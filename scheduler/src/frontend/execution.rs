//! One execution as it came back from the program: its steps, and what each thread would do next at every state.

use crate::backend::RunEnd;
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, ThreadId, ThreadSet};

/// No step of the same thread follows.
const NONE: u32 = u32::MAX;

/// An execution. The value is used again for the next one, so that its memory is.
#[derive(Debug, Default)]
pub struct Execution {
    /// Its steps.
    pub steps: Vec<Step>,
    /// What the threads that are left would do next.
    pub pending: Vec<Action>,
    /// How it ended.
    pub end: Option<RunEnd>,
    /// For each step, the next one of the same thread.
    following: Vec<u32>,
    /// For each thread, its first step.
    first: Vec<u32>,
}

impl Execution {
    /// Connects the steps of each thread.
    pub fn link(&mut self) {
        let highest = self.steps.iter().map(|step| &step.action).chain(&self.pending).map(|action| action.thread).max();
        self.first.clear();
        self.first.resize(highest.map_or(0, |thread| thread.index() + 1), NONE);
        self.following.clear();
        self.following.resize(self.steps.len(), NONE);
        for (index, step) in self.steps.iter().enumerate().rev() {
            let first = &mut self.first[step.action.thread.index()];
            self.following[index] = *first;
            *first = index as u32;
        }
    }

    /// The first action of every thread, from the initial state on, by thread number.
    pub fn first_actions(&self) -> impl Iterator<Item = Option<&Action>> {
        self.first.iter().zip(0u16..).map(|(&index, thread)| self.action_at(index, ThreadId(thread)))
    }

    /// What the thread of a step does next after it.
    #[must_use]
    pub fn action_after(&self, index: usize) -> Option<&Action> {
        self.action_at(self.following[index], self.steps[index].action.thread)
    }

    fn action_at(&self, index: u32, thread: ThreadId) -> Option<&Action> {
        match self.steps.get(index as usize) {
            Some(step) => Some(&step.action),
            None => self.pending.iter().find(|action| action.thread == thread),
        }
    }

    /// Who can take a step in the state after the first `depth` steps. Nobody can where the execution has ended.
    #[must_use]
    pub fn enabled_at(&self, depth: usize) -> [ThreadSet; 3] {
        self.steps.get(depth).map_or([ThreadSet::EMPTY; 3], |step| step.enabled)
    }
}
