//! A glance at schedules with few preemptions, and at some by chance, now and then, while a reduction goes on.
//!
//! A search in depth changes the ends of executions first. In a program with many schedules it comes to a bug near the
//! beginning last: two Rust threads that lose an update end in hundreds of thousands of orders, and each of them would
//! be explored before the update is. Most bugs need one preemption or two, and there are few such schedules: the same
//! update is lost after 65 of them. So some of these are run in between, from no preemption upwards. With many threads
//! there are many such schedules, too: of two updates among those of fifty threads, one is lost in none of the first
//! 200,000, and in every eighth that goes by chance. So some of those are run as well. None of this is a part of the
//! search: what it covers and what it counts stay the same.
//!
//! A glance comes after 2048 runs, and each next one after four times as many, with twice as many schedules: the longer
//! the search, the less it costs. When it comes depends on counts, not on the clock. Of several workers, the one that
//! leads glances.

use super::Exploration;
use super::bounds::Stop;
use super::crew::stop_of;
use crate::config::FilterChoice;
use crate::exit::Failure;
use crate::explore::{Absorbed, Strategy};
use crate::filters::{self, Kind, Terms};
use crate::frontend::Execution;

/// Runs before the first glance.
const FIRST: u64 = 2048;
/// What is glanced at, and how many schedules of it in the first one.
const SIGHTS: [(FilterChoice, u64); 3] = [
    (FilterChoice { name: "bpor", value: Some(2), from: Some(0) }, 128),
    (FilterChoice { name: "pos", value: None, from: None }, 32),
    (FilterChoice { name: "random", value: None, from: None }, 32),
];

/// When to glance next, and where.
pub struct Glances {
    due: u64,
    terms: Terms,
    sights: Vec<Sight>,
}

/// Something to glance at.
struct Sight {
    search: Box<dyn Strategy>,
    /// How many schedules of it.
    schedules: u64,
}

impl Glances {
    /// For a search with these filters that has made so many runs. Only where it is a reduction without bounds: in any
    /// other case the user has chosen what to see.
    pub fn beside(choices: &[FilterChoice], terms: Terms, runs: u64) -> Option<Glances> {
        let [FilterChoice { name, value: None, .. }] = choices else { return None };
        filters::registry().iter().find(|info| info.name == *name && info.kind() == Kind::Reduction)?;
        let sight = |(choice, schedules)| Sight { search: filters::strategy(&[choice], terms), schedules };
        let mut glances = Glances { due: FIRST, terms, sights: SIGHTS.into_iter().map(sight).collect() };
        while glances.due <= runs {
            glances.pass();
        }
        Some(glances)
    }

    fn pass(&mut self) {
        self.due = self.due.saturating_mul(4);
        self.sights.iter_mut().for_each(|sight| sight.schedules = sight.schedules.saturating_mul(2));
    }

    /// What a step is has changed.
    pub fn begin_anew(&mut self) {
        for (sight, (choice, _)) in self.sights.iter_mut().zip(SIGHTS) {
            sight.search = filters::strategy(&[choice], self.terms);
        }
    }
}

impl Exploration<'_> {
    /// Whether it is time to glance, after so many runs.
    pub(super) fn is_glance_due(&self, runs: u64) -> bool {
        self.glances.as_ref().is_some_and(|glances| runs >= glances.due)
    }

    /// Glances, if it is time to after so many runs. Returns why the search is over, if it is.
    pub(super) fn glance(&mut self, runs: u64) -> Result<Option<Stop>, Failure> {
        let Some(mut glances) = self.glances.take_if(|glances| runs >= glances.due) else { return Ok(None) };
        let result = self.look_at(&mut glances);
        glances.pass();
        self.glances = Some(glances);
        result.or_else(|failure| stop_of(failure).map(Some))
    }

    fn look_at(&mut self, glances: &mut Glances) -> Result<Option<Stop>, Failure> {
        for sight in &mut glances.sights {
            match self.look_at_one(sight)? {
                Seen::Nothing => {}
                Seen::Finding => return Ok(Some(Stop::Found)),
                Seen::Locations => {
                    glances.begin_anew();
                    break;
                }
            }
        }
        Ok(None)
    }

    fn look_at_one(&mut self, sight: &mut Sight) -> Result<Seen, Failure> {
        let mut execution = Execution::default();
        for _ in 0..sight.schedules {
            let Some(plan) = sight.search.next_schedule() else { break };
            self.host.run(plan, &mut execution)?;
            let is_finding = self.check(&execution)?;
            if is_finding && !self.config.keep_going {
                return Ok(Seen::Finding);
            }
            if execution.is_lost() {
                sight.search.give_up();
                continue;
            }
            if self.finds_locations(&execution) {
                return Ok(Seen::Locations);
            }
            if let Absorbed::Diverged(_) | Absorbed::Astray = sight.search.absorb(&execution) {
                // The search will say so, if it comes to it: here, nothing depends on it.
                break;
            }
            execution.steps.settle();
            if sight.search.was_wrong() {
                sight.search.begin_anew(0);
            }
        }
        Ok(Seen::Nothing)
    }
}

/// What came of a glance.
enum Seen {
    /// Nothing new.
    Nothing,
    /// Something that ends the search.
    Finding,
    /// The threads share more than was known.
    Locations,
}
