//! Looking for data races in the executions of a program.

use super::{Host, failure};
use crate::backend::RunRequest;
use crate::exit::Failure;
use crate::frontend::Execution;
use crate::races::{Detector, Looked, Race};
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Action, Ending};

impl Host {
    /// Looks for the data races of an execution. What some accesses are about is only to be seen when they are made;
    /// then the execution is stepped through once, and run again as it was requested, so that the program stands where
    /// it did.
    pub fn look_for_races(
        &mut self,
        execution: &mut Execution,
        request: Option<&RunRequest<'_>>,
    ) -> Result<(), Failure> {
        execution.races.clear();
        let Some(mut detector) = self.detector.take() else { return Ok(()) };
        let looked = self.races(&mut detector, execution, request);
        self.detector = Some(detector);
        execution.races = looked?;
        Ok(())
    }

    fn races(
        &mut self,
        detector: &mut Detector,
        execution: &mut Execution,
        request: Option<&RunRequest<'_>>,
    ) -> Result<Vec<Race>, Failure> {
        let unknown = match detector.look(&execution.steps, self.target()) {
            Looked::Found(races) => return Ok(races),
            Looked::Unknown(steps) => steps,
        };
        let schedule: Vec<Token> = execution.steps.iter().map(Step::token).collect();
        let actions: Vec<(usize, Action)> =
            unknown.iter().map(|&index| (index, execution.steps[index].action)).collect();
        self.walk(&schedule, &actions, detector)?;
        match request {
            Some(request) => self.frontend.run(request, execution).map_err(failure)?,
            None => self
                .frontend
                .run(&RunRequest { new_steps: Some(0), ..self.request(&schedule) }, execution)
                .map_err(failure)?,
        }
        self.name_invariant(execution);
        match detector.look(&execution.steps, self.target()) {
            Looked::Found(races) => Ok(races),
            // Something is different this time; it is for others to say that the program is not deterministic.
            Looked::Unknown(_) => Ok(Vec::new()),
        }
    }

    /// Takes the steps of a schedule one by one, and has the detector look at what those are about that it asks for.
    fn walk(&mut self, schedule: &[Token], asked: &[(usize, Action)], detector: &mut Detector) -> Result<(), Failure> {
        let Some(last) = asked.iter().map(|&(index, _)| index).max() else { return Ok(()) };
        let mut paused = Execution::default();
        let request = RunRequest { new_steps: Some(0), ..self.request(&[]) };
        self.frontend.run(&request, &mut paused).map_err(failure)?;
        for (index, &token) in schedule.iter().enumerate().take(last + 1) {
            for (_, action) in asked.iter().filter(|&&(wanted, _)| wanted == index) {
                detector.learn(action, self.target());
            }
            let can_go_on = paused.end.as_ref().is_some_and(|end| end.ending == Ending::Paused);
            if index == last || !can_go_on {
                break;
            }
            self.frontend.step_thread(token, &mut paused).map_err(failure)?;
        }
        Ok(())
    }
}
