//! Exploring: run what the search asks for, look at what it shows, and let the search read it, until something stops it.
//!
//! What an execution shows counts before the search has read it: a finding is a finding in whatever order it was come
//! to. But what a step is may change with it, and then the search has nothing to read.

use super::bounds::Stop;
use super::glance::Glances;
use super::host::Host;
use super::outcomes::Outcomes;
use super::{Exploration, crew};
use crate::backend::Guess;
use crate::exit::Failure;
use crate::explore::{Absorbed, Divergence};
use crate::frontend::Execution;
use crate::property;
use crate::report::progress::{Counters, Progress};
use rscale_protocol::Ending;

impl Exploration<'_> {
    pub(super) fn explore(&mut self, progress: &mut Progress) -> Result<Stop, Failure> {
        let mut execution = Execution::default();
        loop {
            if let Some(stop) = self.bounds.reached(&self.search.counts()) {
                return Ok(stop);
            }
            if self.crew.is_some() || self.needs_help() {
                match self.go_on_together(progress)? {
                    Stop::Exhausted if self.goes_on_alone() => continue,
                    stop => return Ok(stop),
                }
            }
            if let Some(stop) = self.glance(self.search.counts().started())? {
                return Ok(stop);
            }
            let Some(plan) = self.search.next_schedule() else { return Ok(Stop::Exhausted) };
            if let Err(failure) = self.host.run(plan, &mut execution) {
                return self.stopped_by(failure);
            }
            let output = (self.outcomes.is_some() || self.search.reads_output()).then(|| self.host.output());
            let is_finding = self.check(&execution)?;
            if execution.is_lost() {
                self.give_up()?;
                continue;
            }
            let stops = is_finding && !self.config.keep_going;
            if stops || !self.finds_locations(&execution) {
                self.add(&mut execution, output, is_finding)?;
                if stops {
                    return Ok(Stop::Found);
                }
                if self.search.was_wrong() {
                    self.begin_anew(0);
                }
            }
            progress.tick(|| self.counters(execution.steps.len()));
        }
    }

    /// What a run without a result means for the search: one that has begun ends there, with what it knows.
    fn stopped_by(&self, failure: Failure) -> Result<Stop, Failure> {
        if self.search.counts().started() == 0 { Err(failure) } else { crew::stop_of(failure) }
    }

    /// Adds an execution, and what the program has printed in it, to the search.
    fn add(
        &mut self,
        execution: &mut Execution,
        output: Option<[Vec<u8>; 2]>,
        is_finding: bool,
    ) -> Result<(), Failure> {
        let before = self.search.counts().executions;
        output.iter().for_each(|[stdout, _]| self.search.note_output(stdout));
        self.absorb(execution, is_finding)?;
        if let (Some(outcomes), Some(end), Some([stdout, _])) = (&mut self.outcomes, &execution.end, output) {
            outcomes.add(end, stdout, self.search.counts().executions > before);
        }
        self.keep_state(is_finding);
        Ok(())
    }

    /// Has the search read an execution. As soon as it can be foreseen what it asks for next, the program begins that.
    fn absorb(&mut self, execution: &mut Execution, is_finding: bool) -> Result<(), Failure> {
        let runs_ahead = !is_finding && execution.ending() == Some(Ending::Exit);
        if runs_ahead && self.host.dares_ahead() {
            self.search.foreseen().into_iter().for_each(|plan| self.host.run_ahead(plan, Guess::Bold));
        }
        match self.search.begin_absorbing(execution) {
            Absorbed::Diverged(divergence) if !is_finding => return Err(nondeterministic(&self.host, &divergence)),
            Absorbed::Diverged(_) => {}
            Absorbed::Astray => return Err(crew::does_not_fit()),
            Absorbed::Added => {
                execution.steps.settle();
                if runs_ahead && self.host.can_run_ahead() {
                    self.search.foreseen().into_iter().for_each(|plan| self.host.run_ahead(plan, Guess::Certain));
                }
                self.search.finish_absorbing();
            }
        }
        Ok(())
    }

    /// Goes on without what lies behind an execution that was lost.
    pub(super) fn give_up(&mut self) -> Result<(), Failure> {
        if self.search.counts().runs == 0 {
            return Err(killed_at_once());
        }
        self.search.give_up();
        self.lost += 1;
        Ok(())
    }

    /// Whether the execution showed that more locations matter than was known. Then what a step is changes, and the
    /// search begins anew: executions before this one had no unordered accesses there, but their schedules do not name
    /// the new steps.
    pub(super) fn finds_locations(&mut self, execution: &Execution) -> bool {
        let Some(end) = &execution.end else { return false };
        let has_grown = crew::learn(end, self.config.rules.scope, &mut self.locations, &mut self.observed);
        if has_grown {
            self.host.set_locations(&self.locations, &self.observed);
            self.begin_anew(1);
        }
        has_grown
    }

    pub(super) fn begin_anew(&mut self, discarded: u64) {
        self.search.begin_anew(discarded);
        self.recorder.begin_anew(&self.locations);
        self.glances.iter_mut().for_each(Glances::begin_anew);
        self.alone_until = self.bounds.elapsed() + self.config.alone;
        if self.search.counts().runs == 0 {
            self.outcomes = self.config.outcomes.then(Outcomes::default);
        }
    }

    /// Looks at what the execution shows. Returns whether it is a finding.
    pub(super) fn check(&mut self, execution: &Execution) -> Result<bool, Failure> {
        let is_lost_at_once = execution.is_lost() && self.search.counts().runs == 0;
        if is_lost_at_once || execution.ending().is_none_or(|ending| ending == Ending::Diverged) {
            return Ok(false);
        }
        let mut shown = property::violations(execution, &self.config.rules);
        if shown.is_empty() {
            return Ok(false);
        }
        if !self.config.keep_going {
            shown.truncate(1);
        }
        let before = self.recorder.count();
        for shown in &shown {
            self.recorder.record(shown, execution, &self.locations, &mut self.host)?;
        }
        self.search.note_findings((self.recorder.count() - before) as u64);
        self.keep_findings(before);
        Ok(true)
    }

    pub(super) fn counters(&self, depth: usize) -> Counters {
        Counters {
            executions: self.search.counts().started(),
            depth: depth as u64,
            findings: self.recorder.count() as u64,
            explored: self.search.explored(),
        }
    }
}

/// Not even the first execution comes to an end.
pub(super) fn killed_at_once() -> Failure {
    Failure::CannotRun(
        "the program was killed from outside (SIGKILL) several times in a row, perhaps for want of memory".into(),
    )
}

/// The program did something else than before.
pub(super) fn nondeterministic(host: &Host, divergence: &Divergence) -> Failure {
    let explainer = host.explainer();
    let line = |step| explainer.steps(&[step], host.target()).remove(0);
    let expected = line(divergence.expected);
    let got = divergence.got.map(line);
    let place = |view: &crate::finding::StepView| {
        format!("thread {} {} at {}", view.token.thread, view.summary(), view.location)
    };
    Failure::Nondeterministic(format!(
        "the program does not do the same under the same schedule: at step {}, expected {}, got {}. Something \
         outside of rscale's control decides what it does (addresses, uninitialised memory, hardware, other processes)",
        divergence.index + 1,
        place(&expected),
        got.as_ref().map_or_else(|| "no such step".to_string(), place),
    ))
}
