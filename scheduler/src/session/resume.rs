//! A search that outlives its process: what goes into the journal, and how another process goes on from there.

use super::outcomes::Outcomes;
use super::{Exploration, Stop};
use crate::exit::Failure;
use crate::explore::{Locations, Plan, Saved, Visited};
use crate::frontend::Execution;
use crate::journal::{Found, Journal, Record, Search, State, Story};
use crate::property;
use rscale_protocol::ThreadId;
use rscale_protocol::arena::Token;
use rscale_replay::trace::ThreadOrigin;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What is kept of a search beyond its process.
#[derive(Debug)]
pub enum Keeping {
    /// Nothing.
    Nothing,
    /// A new journal.
    In(PathBuf, Search),
    /// A journal that is there already, and what it says.
    On(Box<Journal>, Story),
}

/// The journal does not say what a journal of this program says.
pub(super) fn does_not_fit(what: &str) -> Failure {
    Failure::CannotRun(format!("can not go on with the journal: {what}; begin anew with `rscale run`"))
}

impl Exploration<'_> {
    /// Begins the journal, or goes on with it.
    pub(super) fn keep(&mut self, keeping: Keeping) -> Result<Option<Stop>, Failure> {
        match keeping {
            Keeping::Nothing => Ok(None),
            Keeping::In(..) | Keeping::On(..) if !self.search.can_be_saved() => Err(Failure::Usage(
                "--journal: what these filters know of the search can not be written down (docs/filters.md says of which it can)"
                    .into(),
            )),
            Keeping::In(path, search) => {
                self.journal = Some(Journal::create(&path, search)?);
                self.search.note_states();
                Ok(None)
            }
            Keeping::On(journal, story) => {
                self.notes.extend(story.notes.iter().cloned());
                self.go_on(&story).map_err(|failure| without_findings(failure, story.findings.len()))?;
                self.journal = Some(*journal);
                self.search.note_states();
                let has_stopped = self.recorder.count() > 0 && !self.config.keep_going;
                Ok(has_stopped.then_some(Stop::Found))
            }
        }
    }

    /// Writes down where the search stands, if it is time to, or has to be.
    pub(super) fn keep_state(&mut self, is_needed: bool) {
        // What several workers know, their leader writes down.
        if self.together.is_some() || !self.journal.as_mut().is_some_and(|journal| journal.is_due() || is_needed) {
            return;
        }
        let since = Instant::now();
        if let Some(search) = self.search.save() {
            let visited = self.search.take_visited();
            self.keep_search(search, visited, since);
        }
    }

    /// Writes down a search that stands like this, what it has visited since the last time, and since when it has
    /// waited.
    pub(super) fn keep_search(&mut self, search: Saved, visited: Option<Visited>, since: Instant) {
        let threads = self.host.thread_origins();
        let state = State {
            search,
            locations: self.locations.to_text(),
            observed: self.observed.to_text(),
            threads: threads.iter().map(|origin| (origin.thread.0, origin.parent.0, origin.child)).collect(),
            outcomes: self.outcomes.as_ref().map(Outcomes::rows).unwrap_or_default(),
            elapsed: self.bounds.elapsed().as_secs_f64(),
            visited,
        };
        if let Some(journal) = &mut self.journal {
            journal.write(Record::State(Box::new(state)));
            journal.waited(since);
        }
    }

    /// Writes down the findings from a place on.
    pub(super) fn keep_findings(&mut self, first: usize) {
        let Some(journal) = &mut self.journal else { return };
        for (finding, locations) in self.recorder.findings_from(first) {
            let schedule = finding.schedule.iter().map(|token| token.to_code()).collect();
            journal.write(Record::Finding(Found { schedule, locations: locations.to_text() }));
        }
    }

    fn go_on(&mut self, story: &Story) -> Result<(), Failure> {
        if story.search.program_hash != self.config.subject.hash {
            return Err(does_not_fit("the program has changed since"));
        }
        let state = story.state.as_deref();
        if let Some(state) = state {
            self.host.set_thread_origins(&origins(&state.threads).ok_or_else(nonsense)?);
        }
        for found in &story.findings {
            self.find_again(found)?;
        }
        if let Some(visited) = &story.visited {
            self.search.add_visited(&visited.hashes().ok_or_else(nonsense)?);
            self.search.add_claims(&visited.claimed().ok_or_else(nonsense)?);
        }
        state.map_or(Ok(()), |state| self.go_on_from(state))?;
        self.recorder.go_on(&self.locations);
        Ok(())
    }

    /// Runs the schedule of a finding: it must show again.
    fn find_again(&mut self, found: &Found) -> Result<(), Failure> {
        let schedule = tokens(&found.schedule).ok_or_else(nonsense)?;
        self.locations = Locations::from_text(&found.locations).ok_or_else(nonsense)?;
        self.host.set_locations(&self.locations, &self.observed);
        let mut execution = Execution::default();
        self.host.run(Plan::of(&schedule), &mut execution)?;
        let mut shown = property::violations(&execution, &self.config.rules);
        shown.retain(|shown| shown.steps == schedule.len());
        if shown.is_empty() {
            return Err(does_not_fit("a finding that stands in it does not show again"));
        }
        for shown in &shown {
            self.recorder.record(shown, &execution, &self.locations, &mut self.host)?;
        }
        Ok(())
    }

    fn go_on_from(&mut self, state: &State) -> Result<(), Failure> {
        self.locations = Locations::from_text(&state.locations).ok_or_else(nonsense)?;
        self.observed = Locations::from_text(&state.observed).ok_or_else(nonsense)?;
        self.host.set_locations(&self.locations, &self.observed);
        if let Saved::Crew(saved) = &state.search {
            self.crew = Some(saved.clone());
        } else {
            let schedule = state.search.schedule().ok_or_else(nonsense)?;
            let mut execution = Execution::default();
            self.host.run(Plan::of(&schedule), &mut execution)?;
            if !self.search.go_on(&state.search, &execution) {
                return Err(does_not_fit("the program does not do what it did"));
            }
        }
        if let Some(outcomes) = &mut self.outcomes {
            *outcomes = Outcomes::from_rows(&state.outcomes);
        }
        self.bounds.add_elapsed(Duration::try_from_secs_f64(state.elapsed).map_err(|_| nonsense())?);
        Ok(())
    }
}

/// What stops a search before the findings of its journal have been shown again does not make them go away.
fn without_findings(failure: Failure, findings: usize) -> Failure {
    match failure {
        Failure::Interrupted | Failure::OutOfTime | Failure::OutOfMemory if findings > 0 => {
            Failure::NotShownAgain(findings)
        }
        other => other,
    }
}

fn nonsense() -> Failure {
    does_not_fit("it makes no sense")
}

fn tokens(codes: &[u16]) -> Option<Vec<Token>> {
    codes.iter().map(|&code| Token::from_code(code)).collect()
}

fn origins(threads: &[(u16, u16, u32)]) -> Option<Vec<ThreadOrigin>> {
    let thread = |number: u16| ThreadId::from_index(number.into());
    let origin = |&(number, parent, child): &(u16, u16, u32)| {
        Some(ThreadOrigin { thread: thread(number)?, parent: thread(parent)?, child })
    };
    threads.iter().map(origin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn findings_of_a_journal_do_not_go_away() {
        for failure in [Failure::Interrupted, Failure::OutOfTime, Failure::OutOfMemory] {
            let stopped = without_findings(failure.clone(), 2);
            assert_eq!(stopped.exit() as u8, Exit::Found as u8);
            assert!(stopped.to_string().contains("2 findings"), "{stopped}");
            assert_eq!(without_findings(failure.clone(), 0), failure, "there are none");
        }
        assert_eq!(without_findings(does_not_fit("it"), 2), does_not_fit("it"));
    }
}
