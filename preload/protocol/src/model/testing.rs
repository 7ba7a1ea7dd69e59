//! A bench for the unit tests of the models: a model with some live threads and short names for single steps.

use super::{Model, Outcome};
use crate::action::{Action, Choice};
use crate::ops::Op;
use crate::thread_set::ThreadId;
use crate::variable::Variable;

pub(crate) struct Bench {
    pub(crate) model: Box<Model>,
}

impl Bench {
    /// The main thread and `count - 1` threads that it has created and that have started.
    pub(crate) fn with_threads(count: u16) -> Bench {
        let mut bench = Bench { model: Box::new(Model::new()) };
        for child in 1..count {
            let variable = Variable::thread(ThreadId(child));
            bench.model.perform(&Action::new(ThreadId::MAIN, Op::ThreadCreate, variable), Choice::Proceed);
            bench.model.perform(&Action::new(ThreadId(child), Op::ThreadStart, variable), Choice::Proceed);
        }
        bench
    }

    pub(crate) fn action(thread: u16, op: Op, address: u64) -> Action {
        Action::new(ThreadId(thread), op, Variable(address))
    }

    pub(crate) fn enabled(&self, thread: u16, op: Op, address: u64) -> bool {
        self.model.choices(&Self::action(thread, op, address)).proceed
    }

    pub(crate) fn step(&mut self, thread: u16, op: Op, address: u64) -> Outcome {
        self.model.perform(&Self::action(thread, op, address), Choice::Proceed)
    }

    /// Takes a step that must be enabled and right, and returns what it returned.
    pub(crate) fn run(&mut self, thread: u16, op: Op, address: u64) -> i32 {
        assert!(self.enabled(thread, op, address), "thread {thread} can not {op:?}");
        let outcome = self.step(thread, op, address);
        assert_eq!(outcome.misuse, None, "thread {thread} {op:?}");
        outcome.result
    }
}
