//! The frontend: keeps track of the configuration of the program (SCALE, section 5.3.2).

mod configuration;
mod execution;
mod extended;

pub use configuration::Configuration;
pub use execution::Execution;
pub use extended::{Fingerprint, VariableHasher};

use crate::backend::{Backend, BackendError, RunRequest, StepLog};
use rscale_protocol::arena::Token;

/// The layer on top of a backend that knows what the program's threads are about to do.
pub struct Frontend<B> {
    backend: B,
}

impl<B: Backend> Frontend<B> {
    /// A frontend for the machine.
    pub fn new(backend: B) -> Frontend<B> {
        Frontend { backend }
    }

    /// The machine.
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// The machine, to change how it runs.
    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Runs an execution from the initial state.
    ///
    /// # Errors
    /// Where the program can not be run.
    pub fn run(&mut self, request: &RunRequest<'_>, execution: &mut Execution) -> Result<(), BackendError> {
        let end = self.backend.run(request, &mut execution.steps)?;
        // What threads that are left would do next matters for the states in which they could have done it.
        let mut left = end.live;
        left.remove(end.thread);
        execution.pending.clear();
        if !left.is_empty() {
            execution.pending.extend(self.backend.threads().into_iter().filter_map(|thread| thread.next));
            execution.pending.extend(self.backend.flushes());
        }
        execution.end = Some(end);
        Ok(())
    }

    /// Takes one step of a paused execution.
    ///
    /// # Errors
    /// Where the program can not be run.
    pub fn step_thread(&mut self, token: Token, execution: &mut Execution) -> Result<(), BackendError> {
        let mut taken = StepLog::default();
        let end = self.backend.step_thread(token, &mut taken)?;
        execution.steps.append(&taken);
        execution.end = Some(end);
        Ok(())
    }
}
