//! Several workers in this process: a thread each, with a process of the program each.
//!
//! The search begins alone: most searches end before others could help, and in its first executions it learns what the
//! program shares. Then it is handed over to workers, and this thread becomes their controller, which also records what
//! they find, with the process that it has.

mod budget;
mod desk;
mod worker;
mod world;

pub(super) use world::learn;

use super::bounds::Stop;
use super::{Exploration, Outcomes};
use crate::exit::Failure;
use crate::explore::{Counts, Locations, Order, Plan};
use crate::frontend::Execution;
use crate::interrupt;
use crate::launch::Processors;
use crate::parallel::Controller;
use crate::property;
use crate::reduce::Item;
use crate::report::progress::{Counters, Progress};
use budget::Budget;
use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use desk::Desk;
use rscale_protocol::arena::Token;
use std::thread;
use std::time::Duration;
use worker::Post;
use world::World;

/// How long to wait for news before looking at the clock.
const LOOK: Duration = Duration::from_millis(50);

/// From a worker.
struct News {
    epoch: u64,
    what: What,
}

enum What {
    /// Runs since the last time, and how they ended.
    Counted(Box<Counts>, Outcomes),
    /// Steps of an execution that shows something.
    Found(Vec<Token>, Locations),
    /// More is shared than was known.
    Learned(Box<World>, bool),
    /// It can not go on.
    Failed(Failure),
    /// It has left, with what the user should know, and whether code ran that is not watched.
    Left(Vec<String>, bool),
    /// Everything has been explored, or a bound was reached.
    Stopped(Stop),
}

impl Exploration<'_> {
    /// Whether it is time for others to help.
    pub(super) fn needs_help(&mut self) -> bool {
        self.jobs > 1
            && self.journal.is_none()
            && self.bounds.elapsed() >= self.alone_until
            && self.search.sharing().is_some()
    }

    /// Says so if the user wants several workers, and one has to do.
    pub(super) fn note_single_worker(&mut self, has_no_journal: bool) {
        if !self.config.wants_jobs || self.jobs == 1 {
            return;
        }
        if self.search.sharing().is_none() {
            self.notes.push("--jobs: these filters search with one worker; optimal, source and dpor use more".into());
        } else if !has_no_journal {
            self.notes.push("--jobs: with a journal, one worker searches".into());
        }
    }

    /// Goes on with several workers, until nothing is left or a bound is reached.
    pub(super) fn explore_together(&mut self, progress: &mut Progress) -> Result<Stop, Failure> {
        let jobs = self.jobs as usize;
        let Some(search) = self.search.sharing() else { return Ok(Stop::Exhausted) };
        let ((whole, counts), names) = (search.as_item(), search.names());
        let world = World {
            epoch: 0,
            locations: self.locations.clone(),
            observed: self.observed.clone(),
            threads: self.host.thread_origins(),
        };
        let order = Order::new(self.terms.seed);
        let desk = Desk::new(Controller::new(jobs, whole, order), world.clone());
        let budget = Budget::new(self.bounds.runs_left(&counts), self.bounds.counts_runs());
        let processors = Processors::mine().ok().filter(|processors| processors.count() < 2 * jobs);
        let launch = self.host.target().launch().clone();
        let (leader, inbox) = unbounded();
        let (filters, terms, config, deadline) = (self.filters, self.terms, self.config, self.bounds.deadline());
        thread::scope(|scope| {
            for number in 0..jobs {
                let (leader, names, world, launch) = (leader.clone(), names.clone(), world.clone(), launch.clone());
                let (desk, budget) = (&desk, &budget);
                let post = Post { number, desk, leader, config, filters, terms, names, deadline, world, budget };
                scope.spawn(move || post.work(launch, processors));
            }
            drop(leader);
            let mut crew = Crew { exploration: self, inbox, world, counts, desk: &desk, order };
            let stop = crew.lead(progress);
            budget.close();
            desk.close();
            crew.dismiss();
            stop
        })
    }
}

/// The side of a crew that leads it.
struct Crew<'a, 'b> {
    exploration: &'a mut Exploration<'b>,
    inbox: Receiver<News>,
    world: World,
    counts: Counts,
    desk: &'a Desk,
    order: Order,
}

impl Crew<'_, '_> {
    fn lead(&mut self, progress: &mut Progress) -> Result<Stop, Failure> {
        loop {
            let news = match self.inbox.recv_timeout(LOOK) {
                Ok(news) => Some(news),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(Stop::Interrupted),
            };
            if let Some(stop) = news.map_or(Ok(None), |news| self.hear(news))? {
                return Ok(stop);
            }
            if interrupt::requested() {
                return Ok(Stop::Interrupted);
            }
            if self.exploration.host.is_out_of_time() {
                return Ok(Stop::Time);
            }
            if self.exploration.bounds.is_out_of_memory() {
                return Ok(Stop::Memory);
            }
            self.show(progress);
        }
    }

    /// Acts on what a worker says. Returns why the search is over, if it is.
    fn hear(&mut self, News { epoch, what }: News) -> Result<Option<Stop>, Failure> {
        let is_old = epoch != self.world.epoch;
        match what {
            What::Failed(failure) => return Err(failure),
            What::Found(schedule, locations) => {
                self.record(&schedule, &locations)?;
                return Ok((!self.exploration.config.keep_going).then_some(Stop::Found));
            }
            What::Stopped(Stop::Exhausted) if is_old => {}
            What::Stopped(stop) => return Ok(Some(stop)),
            What::Counted(counts, outcomes) if !is_old => self.count(&counts, outcomes),
            What::Learned(world, sections_vary) if !is_old => self.begin_anew(*world, sections_vary),
            What::Left(notes, unseen) => self.part(notes, unseen),
            What::Counted(..) | What::Learned(..) => {}
        }
        Ok(None)
    }

    fn count(&mut self, counts: &Counts, outcomes: Outcomes) {
        self.counts = self.counts.and(counts);
        if let Some(all) = &mut self.exploration.outcomes {
            all.merge(outcomes);
        }
    }

    /// Records what the schedule shows, with the process of this thread.
    fn record(&mut self, schedule: &[Token], locations: &Locations) -> Result<(), Failure> {
        let exploration = &mut *self.exploration;
        exploration.host.set_locations(locations, &exploration.observed);
        let mut execution = Execution::default();
        exploration.host.run(Plan::of(schedule), &mut execution)?;
        let mut shown = property::violations(&execution, &exploration.config.rules);
        if shown.is_empty() {
            return Err(Failure::Nondeterministic(
                "a worker found something that the same schedule does not show in another process: something outside of \
                 rscale's control decides what the program does"
                    .into(),
            ));
        }
        if !exploration.config.keep_going {
            shown.truncate(1);
        }
        for shown in &shown {
            exploration.recorder.record(shown, &execution, locations, &mut exploration.host)?;
        }
        Ok(())
    }

    /// What a step is has changed: the search begins anew.
    fn begin_anew(&mut self, world: World, sections_vary: bool) {
        self.counts = self.counts.anew(1);
        let exploration = &mut *self.exploration;
        exploration.outcomes = exploration.config.outcomes.then(Outcomes::default);
        (exploration.locations, exploration.observed) = (world.locations.clone(), world.observed.clone());
        exploration.host.set_thread_origins(&world.threads);
        self.world = World { epoch: self.world.epoch + 1, ..world };
        let jobs = exploration.jobs as usize;
        let controller = Controller::new(jobs, Item::Fresh(sections_vary), self.order);
        self.desk.begin_anew(controller, self.world.clone());
    }

    fn show(&self, progress: &mut Progress) {
        let findings = self.exploration.recorder.findings().len() as u64;
        let counts = &self.counts;
        let (executions, depth) = (counts.started(), counts.max_depth);
        progress.look(|| Counters { executions, depth, findings, explored: self.desk.explored() });
    }

    /// A worker has left.
    fn part(&mut self, notes: Vec<String>, unseen: bool) {
        let exploration = &mut *self.exploration;
        for note in notes {
            if !exploration.notes.contains(&note) {
                exploration.notes.push(note);
            }
        }
        exploration.host.has_unseen_code(unseen);
    }

    /// Waits until all workers have left; what they have counted counts.
    fn dismiss(&mut self) {
        while let Ok(News { epoch, what }) = self.inbox.recv() {
            match what {
                What::Counted(counts, outcomes) if epoch == self.world.epoch => self.count(&counts, outcomes),
                What::Left(notes, unseen) => self.part(notes, unseen),
                _ => {}
            }
        }
        self.exploration.together = Some(self.counts);
    }
}
