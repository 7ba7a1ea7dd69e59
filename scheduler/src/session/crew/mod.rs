//! Several workers in this process: a thread each, with a process of the program each.
//!
//! The search begins alone: most searches end before others could help, and in its first executions it learns what the
//! program shares. Then others are started. The thread that began goes on with the search and the process that it has,
//! and gives away parts of it once the others ask for some. Between its runs it leads them, and records what they find.

mod budget;
mod desk;
mod leading;
mod sampling;
mod worker;
mod world;

pub(super) use worker::{does_not_fit, stop_of};
pub(super) use world::learn;

use super::bounds::Stop;
use super::host::Host;
use super::{Exploration, Outcomes};
use crate::backend::Seat;
use crate::exit::Failure;
use crate::explore::{Counts, Frontier, Locations, Order, Plan, SavedCrew};
use crate::filters;
use crate::finding::Kind;
use crate::frontend::Execution;
use crate::launch::Processors;
use crate::parallel::{Controller, Unreadable};
use crate::property::{self, Shown};
use crate::reduce::{Names, Sharing};
use crate::report::base64;
use crate::report::progress::Progress;
use budget::Budget;
use crossbeam_channel::unbounded;
use desk::Desk;
use leading::Crew;
use rscale_protocol::arena::Token;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use worker::Post;
use world::World;

/// Processors from which on several workers, on one each, are faster than one whose program runs ahead on a second: two
/// of them reach three quarters of that to as much (docs/speed.md). But they do not need each other: where somebody else
/// takes one of the two processors for a while, one of them goes on, and search and program both wait.
const ENOUGH_PROCESSORS: usize = 3;
/// How long to go on before looking at the clock.
const LOOK: Duration = Duration::from_millis(50);
/// How many times as long as at first a search goes on alone where there was no room for others.
const AGAIN: u32 = 4;
/// Others help earlier with searches that seem to last so many times as long as one goes on alone at most.
const MUCH: f64 = 3.0;
/// How long to wait for something to do before looking for news.
const LOOK_WHILE_IDLE: Duration = Duration::from_millis(1);

/// From a worker.
struct News {
    epoch: u64,
    what: What,
}

enum What {
    /// Runs since the last time, and how they ended.
    Counted(Box<Counts>, Outcomes),
    /// A worker stands still, and its filters have cut so much so far.
    Stands(usize, Vec<u64>),
    /// Steps of an execution that shows something.
    Found(Vec<Token>, Locations),
    /// Steps of an execution that was lost.
    Lost(Vec<Token>, Locations),
    /// More is shared than was known.
    Learned(Box<World>, bool),
    /// It can not go on.
    Failed(Failure),
    /// It has left.
    Left(Farewell),
    /// Everything has been explored, or a bound was reached.
    Stopped(Stop),
}

/// What several workers begin with.
struct Beginning {
    world: World,
    order: Order,
    controller: Controller,
    counts: Counts,
    /// What had been cut before, if the search is that of a journal.
    cut: Option<Vec<u64>>,
}

/// The last words of a worker.
struct Farewell {
    /// What the user should know.
    notes: Vec<String>,
    /// Whether code ran that is not watched.
    unseen: bool,
    /// How often each filter has cut something at its bound.
    cut: Vec<u64>,
    /// What was cut, if that is kept.
    frontier: Option<Frontier>,
}

impl Exploration<'_> {
    /// Whether it is time for others to help.
    pub(super) fn needs_help(&mut self) -> bool {
        self.jobs > 1 && self.has_been_alone() && self.can_be_helped() && self.has_room() && self.is_worth_help()
    }

    /// Whether several workers are of use with the processors that there are. If the user says how many, they are;
    /// otherwise they wait while something else keeps the processors busy.
    fn has_room(&mut self) -> bool {
        if self.config.alone.is_zero() {
            return true; // in any case
        }
        let (wants_jobs, is_sampling) = (self.config.wants_jobs, self.search.sample().is_some());
        let has_room = |processors: Processors| {
            let is_enough = match processors.count() {
                1 => false,
                count => wants_jobs || count >= ENOUGH_PROCESSORS || self.host.target().is_disturbed(),
            };
            (is_sampling || is_enough) && (wants_jobs || !processors.are_busy())
        };
        let has_room = Processors::all().map_or(true, has_room);
        if !has_room {
            self.alone_until = self.bounds.elapsed() + AGAIN * self.config.alone;
        }
        has_room
    }

    /// Whether there seems to be enough left to do for others to be of use: each has to start the program first.
    fn is_worth_help(&mut self) -> bool {
        let elapsed = self.bounds.elapsed();
        let left = |explored: f64| elapsed.as_secs_f64() * (1.0 - explored);
        let is_little = |explored: f64| left(explored) < explored * (AGAIN * self.config.alone).as_secs_f64();
        let is_worth_it = !self.search.explored().is_some_and(is_little);
        if !is_worth_it {
            self.alone_until = elapsed + self.config.alone;
        }
        is_worth_it
    }

    /// Whether the search has gone on alone for long enough: a while, or half of it if there seems to be a lot to do.
    fn has_been_alone(&self) -> bool {
        let elapsed = self.bounds.elapsed();
        if elapsed >= self.alone_until {
            return true;
        }
        let since = elapsed.saturating_sub(self.alone_until.saturating_sub(self.config.alone));
        let is_long = |explored: f64| since.as_secs_f64() > explored * MUCH * self.config.alone.as_secs_f64();
        since >= self.config.alone / 2 && self.search.explored().is_some_and(is_long)
    }

    /// Whether several workers can search, and be written down if that has to be.
    fn can_be_helped(&mut self) -> bool {
        let is_kept = self.journal.is_some();
        let can_be_shared = |search: &mut dyn Sharing| !is_kept || search.as_item().is_some();
        self.search.sample().is_some() || self.search.sharing().is_some_and(can_be_shared)
    }

    /// Says so if the user wants several workers, and one has to do.
    pub(super) fn note_single_worker(&mut self) {
        if self.config.wants_jobs && self.jobs > 1 && !self.can_be_helped() {
            self.notes.push("--jobs: this search has one worker (docs/filters.md says which have more)".into());
        }
    }

    /// The world as it is known.
    fn world(&mut self) -> World {
        World {
            epoch: 0,
            locations: self.locations.clone(),
            observed: self.observed.clone(),
            threads: self.host.thread_origins(),
            common: self.search.sharing().map(|search| search.common()).unwrap_or_default(),
            budget: self.budget(&self.search.counts()),
        }
    }

    /// What is left of the executions that the user allows, where so many have been made.
    fn budget(&self, counts: &Counts) -> Arc<Budget> {
        Arc::new(Budget::new(self.bounds.runs_left(counts), self.bounds.counts_runs()))
    }

    /// A worker has left.
    fn part(&mut self, notes: Vec<String>, unseen: bool) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self.host.has_unseen_code(unseen);
    }

    /// Records what workers found, all of it or the first.
    fn record_all(&mut self, news: &[What]) -> Result<(), Failure> {
        let is_enough = |found: usize| found > 0 && !self.config.keep_going;
        let mut left = news.iter();
        while !is_enough(self.recorder.count())
            && let Some(what) = left.next()
        {
            self.record_news(what)?;
        }
        Ok(())
    }

    /// Records what a worker found or lost, and writes it down.
    fn record_news(&mut self, what: &What) -> Result<(), Failure> {
        let before = self.recorder.count();
        let recorded = match what {
            What::Found(schedule, locations) => self.record(schedule, locations),
            What::Lost(schedule, locations) => {
                self.lost += 1;
                self.record_lost(schedule, locations)
            }
            _ => Ok(()),
        };
        self.keep_findings(before);
        recorded
    }

    /// Records that an execution was lost. It is tried once more, with the process of this thread.
    fn record_lost(&mut self, schedule: &[Token], locations: &Locations) -> Result<(), Failure> {
        let (execution, mut shown) = self.run_again(schedule, locations)?;
        shown.retain(|shown| shown.violation.kind == Kind::Lost);
        let elsewhere = property::lost_elsewhere(execution.steps.len().min(schedule.len()));
        match shown.first().or(elsewhere.as_ref()) {
            Some(shown) => self.recorder.record(shown, &execution, locations, &mut self.host),
            None => Ok(()),
        }
    }

    /// Runs what a worker has run. That may take longer than there is time: what was found is not lost for that.
    fn run_again(&mut self, schedule: &[Token], locations: &Locations) -> Result<(Execution, Vec<Shown>), Failure> {
        self.host.set_locations(locations, &self.observed);
        let mut execution = Execution::default();
        self.host.set_deadline(None);
        let run = self.host.run(Plan::of(schedule), &mut execution);
        self.host.set_deadline(self.bounds.deadline());
        run?;
        let shown = property::violations(&execution, &self.config.rules);
        Ok((execution, shown))
    }

    /// Records what a schedule that a worker found shows, with the process of this thread.
    fn record(&mut self, schedule: &[Token], locations: &Locations) -> Result<(), Failure> {
        let (execution, mut shown) = self.run_again(schedule, locations)?;
        if shown.is_empty() {
            return Err(Failure::Nondeterministic(
                "a worker found something that the same schedule does not show in another process: something outside of \
                 rscale's control decides what the program does"
                    .into(),
            ));
        }
        if !self.config.keep_going {
            shown.truncate(1);
        }
        for shown in &shown {
            self.recorder.record(shown, &execution, locations, &mut self.host)?;
        }
        Ok(())
    }

    /// Goes on with several workers, until nothing is left or a bound is reached.
    pub(super) fn go_on_together(&mut self, progress: &mut Progress) -> Result<Stop, Failure> {
        if let Err(failure) = self.host.give_up_ahead() {
            return stop_of(failure);
        }
        if self.crew.is_none() {
            self.keep_state(true); // what one has visited, one writes down
        }
        self.host.sit(None); // each worker has a seat of its own
        if self.search.sample().is_some() { self.sample_together(progress) } else { self.explore_together(progress) }
    }

    /// Whether there is more to do for one worker, after several have explored everything together.
    pub(super) fn goes_on_alone(&mut self) -> bool {
        let goes_on = self.search.next_level();
        if goes_on {
            self.together = None;
            self.alone_until = self.bounds.elapsed() + self.config.alone;
            self.sit();
        }
        goes_on
    }

    /// Goes on with several workers, until nothing is left or a bound is reached.
    fn explore_together(&mut self, progress: &mut Progress) -> Result<Stop, Failure> {
        let Some(Beginning { world, order, controller, counts, cut }) = self.begin_together()? else {
            return Ok(Stop::Exhausted);
        };
        let desk = Desk::new(controller, world.clone());
        let mut seats = seats();
        let launch = self.host.target().launch().clone();
        let mut substitute = Host::dormant(launch.clone(), &self.config.rules)?;
        substitute.set_thread_origins(&world.threads); // which the journal is about
        let (filters, terms, config, deadline) = (self.filters, self.terms, self.config, self.bounds.deadline());
        let (jobs, is_kept) = (self.jobs as usize, self.journal.is_some());
        thread::scope(|scope| {
            let (leader, inbox) = unbounded();
            let post = |number| {
                let (leader, world, desk) = (leader.clone(), world.clone(), &desk);
                Post { number, desk, leader, config, filters, terms, deadline, world, is_kept }
            };
            let own_seat = seats.next();
            for number in 1..jobs {
                let (post, launch, seat) = (post(number), launch.clone(), seats.next());
                scope.spawn(move || post.work(launch, seat));
            }
            let mut own = post(0).begin_with(std::mem::replace(&mut self.host, substitute));
            drop(leader);
            match cut {
                Some(cut) => own.add_cut(&cut),
                None => own.go_on_with(std::mem::replace(&mut self.search, filters::strategy(filters, terms))),
            }
            own.lead(LOOK_WHILE_IDLE);
            own.host.sit(own_seat);
            Crew {
                exploration: self,
                inbox,
                world: world.clone(),
                counts,
                desk: &desk,
                order,
                waits: Instant::now(),
                cut: BTreeMap::new(),
                late: Vec::new(),
            }
            .lead_to_the_end(own, progress)
        })
    }

    /// What several workers begin with: the search as it is, or as the journal has it. Nothing if it can not be shared.
    fn begin_together(&mut self) -> Result<Option<Beginning>, Failure> {
        let Some(search) = self.search.sharing() else { return Ok(None) };
        let sections_vary = search.sections_vary();
        let order = search.order().unwrap_or(Order::new(self.terms.seed));
        let counts = self.search.counts();
        if let Some(quiet) = self.crew.as_ref().and_then(|crew| crew.quiet.as_ref()) {
            self.search.restore_quiet(quiet);
        }
        let mut world = self.world();
        if self.journal.is_some() {
            world.common.states.iter().for_each(|states| states.note());
        }
        let jobs = self.jobs as usize;
        let (controller, counts, cut) = match self.crew.take() {
            Some(SavedCrew { controller, counts, cut, shapes, .. }) => {
                world.common.sections.restore(&shapes, &world.common.names);
                (restored(&controller, &world.common.names, jobs)?, counts, Some(cut))
            }
            None => (Controller::begun(jobs, order, sections_vary), counts, None),
        };
        world.budget = self.budget(&counts);
        Ok(Some(Beginning { world, order, controller, counts, cut }))
    }
}

/// A processor for each worker, from the one on that this thread runs on. Nothing if the kernel does not say.
pub(super) fn seats() -> impl Iterator<Item = Seat> {
    let all = Processors::all().ok();
    let first = all.map_or(0, |all| all.here());
    (first..).map_while(move |place| Some(Seat::shared(all?, place)))
}

/// The controller of another process.
fn restored(text: &str, names: &Names, jobs: usize) -> Result<Controller, Failure> {
    let bytes = base64::decode(text).ok_or(Unreadable::Damaged);
    bytes.and_then(|bytes| Controller::restored(&bytes, names, jobs)).map_err(|reason| {
        let reason = match reason {
            Unreadable::Version(version) => {
                format!("it has parts of version {version}, which this rscale does not read")
            }
            Unreadable::Damaged => "it makes no sense".into(),
        };
        crate::session::resume::does_not_fit(&reason)
    })
}
