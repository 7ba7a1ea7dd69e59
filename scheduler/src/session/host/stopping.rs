//! Runs that stop somewhere, so that the state can be looked at.

use super::Host;
use crate::backend::RunRequest;
use crate::exit::Failure;
use crate::explain;
use crate::frontend::Execution;
use rscale_protocol::Variable;
use rscale_protocol::arena::Token;
use std::path::Path;

impl Host {
    /// Runs a schedule and pauses where it ends.
    pub fn run_and_pause(&mut self, schedule: &[Token], execution: &mut Execution) -> Result<(), Failure> {
        self.run_as_needed(&RunRequest { new_steps: Some(0), ..self.request(schedule) }, execution)
    }

    /// Where the process was lost, another one is brought to where it was before its last step: names and stacks are
    /// those that were last seen.
    pub fn look_back(&mut self, execution: &Execution) {
        if let Some((_, before)) = execution.steps.split_last().filter(|_| execution.is_lost()) {
            let schedule = explain::schedule(before);
            // Where that can not be done, less is known.
            let _ = self.run_and_pause(&schedule, &mut Execution::default());
        }
    }

    /// Runs a schedule, and on to where a store is made.
    pub fn run_to_store(
        &mut self,
        schedule: &[Token],
        store: Variable,
        execution: &mut Execution,
    ) -> Result<(), Failure> {
        self.target().end_at_store(Some(store));
        let run = self.run_and_pause(schedule, execution);
        self.target().end_at_store(None);
        run
    }

    /// Starts the program for a debugger, which finds the shim in this file.
    pub fn prepare_for_debugger(&mut self, shim: &Path) -> Result<(), Failure> {
        self.relaunch(|launch| launch.debugger = Some(shim.to_owned()))
    }

    /// Runs a schedule, and on to the end, but waits for a debugger after so many steps, or at the end.
    pub fn run_for_debugger(
        &mut self,
        schedule: &[Token],
        stop_after: u64,
        execution: &mut Execution,
    ) -> Result<(), Failure> {
        self.target().expect_debugger(stop_after);
        self.run_as_needed(&self.request(schedule), execution)
    }
}
