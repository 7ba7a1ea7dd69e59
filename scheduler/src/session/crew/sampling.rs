//! Several workers on one sample.
//!
//! What a run draws depends on its number, so workers make runs in any order; the leader adds them to the sample in the
//! order of their numbers. Where a run shows that more is shared than was known, or a thread that nobody has seen,
//! those behind it are made again in the new world, as one worker would have made them. So runs, findings and outcomes
//! are those of one worker, for any number of them.

use super::world::World;
use super::{Exploration, LOOK, seats};
use crate::backend::Seat;
use crate::config::RunConfig;
use crate::exit::Failure;
use crate::explore::Plan;
use crate::frontend::Execution;
use crate::interrupt;
use crate::launch::Launch;
use crate::property;
use crate::report::progress::Progress;
use crate::sample::{Drawn, Sample};
use crate::session::bounds::Stop;
use crate::session::host::Host;
use crate::session::outcomes::Outcomes;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use rscale_protocol::Ending;
use rscale_protocol::arena::Token;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Instant;

/// Runs that a worker makes at a time.
const RUNS: u64 = 64;
/// As many of these wait for each worker.
const AHEAD: usize = 3;

/// Runs to be made.
struct Order {
    runs: Range<u64>,
    sample: Sample,
    world: World,
}

/// Runs that were made, from the first one on.
struct Made {
    epoch: u64,
    first: u64,
    drawn: Vec<Drawn>,
    outcomes: Outcomes,
    /// What executions show: schedules.
    found: Vec<Vec<Token>>,
    /// Those that were lost.
    lost: Vec<Vec<Token>>,
    /// The world as the last run shows it, if it is another one.
    learned: Option<World>,
    /// Whether the last run was in vain, because of that.
    is_last_in_vain: bool,
}

/// From a worker.
enum News {
    Made(Box<Made>),
    Failed(Failure),
    Left(Vec<String>, bool),
}

/// What a worker of a sample has.
struct Sampler<'a> {
    config: &'a RunConfig,
    orders: Receiver<Order>,
    leader: Sender<News>,
    epoch: &'a AtomicU64,
    deadline: Option<Instant>,
}

/// No run of this world is needed any more.
const OVER: u64 = u64::MAX;

impl Sampler<'_> {
    fn work(self, launch: Launch, seat: Option<Seat>) {
        let served = Host::like(launch, &self.config.rules).and_then(|mut host| {
            host.sit(seat);
            host.set_deadline(self.deadline);
            host.set_memory_limit(self.config.max_memory.as_ref().map(|size| size.bytes));
            self.serve(&mut host)?;
            Ok(News::Left(host.take_notes(), host.ran_unseen_code()))
        });
        let _ = self.leader.send(served.unwrap_or_else(News::Failed)); // a leader that is gone needs no news
    }

    fn serve(&self, host: &mut Host) -> Result<(), Failure> {
        let mut known = None;
        for Order { runs, sample, world } in &self.orders {
            if self.epoch.load(SeqCst) != world.epoch {
                continue;
            }
            if known != Some(world.epoch) {
                known = Some(world.epoch);
                host.forget_threads();
                host.set_thread_origins(&world.threads);
                host.set_locations(&world.locations, &world.observed);
            }
            let made = self.make(runs, &sample, &world, host)?;
            if self.leader.send(News::Made(Box::new(made))).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn make(&self, runs: Range<u64>, sample: &Sample, world: &World, host: &mut Host) -> Result<Made, Failure> {
        let mut made = Made {
            epoch: world.epoch,
            first: runs.start,
            drawn: Vec::new(),
            outcomes: Outcomes::default(),
            found: Vec::new(),
            lost: Vec::new(),
            learned: None,
            is_last_in_vain: false,
        };
        let mut execution = Execution::default();
        for run in runs {
            if self.epoch.load(SeqCst) != world.epoch {
                break;
            }
            host.run(Plan { order: sample.order_of(run), ..Plan::of(&[]) }, &mut execution)?;
            if execution.is_lost() {
                made.lost.push(execution.steps.iter().map(|step| step.token()).collect());
                made.drawn.push(Drawn::nothing());
                continue;
            }
            if !self.add(&execution, world, host, &mut made) {
                break;
            }
        }
        Ok(made)
    }

    /// Adds a run. Returns whether those behind it can be made in the same world.
    fn add(&self, execution: &Execution, world: &World, host: &Host, made: &mut Made) -> bool {
        let rules = &self.config.rules;
        let may_show = execution.ending().is_some_and(|ending| ending != Ending::Diverged);
        let is_finding = may_show && !property::violations(execution, rules).is_empty();
        if is_finding {
            made.found.push(execution.steps.iter().map(|step| step.token()).collect());
        }
        let stops = is_finding && !self.config.keep_going;
        made.learned = world.after(execution, host, rules).filter(|_| !stops);
        let grows = |other: &World| other.locations != world.locations || other.observed != world.observed;
        made.is_last_in_vain = made.learned.as_ref().is_some_and(grows);
        made.drawn.push(Drawn::of(execution));
        if let (Some(end), false, true) = (&execution.end, made.is_last_in_vain, self.config.outcomes) {
            let [stdout, _] = host.output();
            made.outcomes.add(end, stdout, counts(execution));
        }
        made.learned.is_none() && !stops
    }
}

/// Whether the run counts as an execution.
fn counts(execution: &Execution) -> bool {
    let mut counts = crate::explore::Counts::default();
    counts.add_run(execution.ending(), true);
    counts.executions > 0
}

impl Exploration<'_> {
    /// Goes on with a sample, with several workers.
    pub(super) fn sample_together(&mut self, progress: &mut Progress) -> Result<Stop, Failure> {
        let jobs = self.jobs as usize;
        let epoch = AtomicU64::new(0);
        let mut seats = seats();
        let launch = self.host.target().launch().clone();
        let (orders, desk) = unbounded();
        let (leader, inbox) = unbounded();
        let (config, deadline) = (self.config, self.bounds.deadline());
        let world = self.world();
        thread::scope(|scope| {
            for _ in 0..jobs {
                let seat = seats.next();
                let (orders, leader, launch) = (desk.clone(), leader.clone(), launch.clone());
                let sampler = Sampler { config, orders, leader, epoch: &epoch, deadline };
                scope.spawn(move || sampler.work(launch, seat));
            }
            drop(leader);
            let first = self.search.sample().map_or(0, |sample| sample.next_run());
            let mut surveyor = Surveyor {
                exploration: self,
                orders,
                inbox,
                world,
                epoch: &epoch,
                ordered: first,
                made: BTreeMap::new(),
            };
            let stop = surveyor.lead(progress);
            epoch.store(OVER, SeqCst);
            surveyor.dismiss();
            stop
        })
    }
}

/// The leader of those who make the runs of a sample.
struct Surveyor<'a, 'b> {
    exploration: &'a mut Exploration<'b>,
    orders: Sender<Order>,
    inbox: Receiver<News>,
    world: World,
    epoch: &'a AtomicU64,
    /// Runs before this one have been ordered.
    ordered: u64,
    /// Runs that wait for those before them, by the number of the first.
    made: BTreeMap<u64, Box<Made>>,
}

impl Surveyor<'_, '_> {
    fn lead(&mut self, progress: &mut Progress) -> Result<Stop, Failure> {
        loop {
            let counts = self.exploration.search.counts();
            if let Some(stop) = self.exploration.bounds.reached(&counts) {
                return Ok(stop);
            }
            self.order();
            match self.inbox.recv_timeout(LOOK) {
                Ok(News::Made(made)) if made.epoch == self.world.epoch => drop(self.made.insert(made.first, made)),
                Ok(News::Made(_)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(News::Failed(Failure::Interrupted)) => return Ok(Stop::Interrupted),
                Ok(News::Failed(Failure::OutOfTime)) => return Ok(Stop::Time),
                Ok(News::Failed(Failure::OutOfMemory)) => return Ok(Stop::Memory),
                Ok(News::Failed(failure)) => return Err(failure),
                Ok(News::Left(notes, unseen)) => self.exploration.part(notes, unseen),
                Err(RecvTimeoutError::Disconnected) => return Ok(Stop::Interrupted),
            }
            if let Some(stop) = self.add_all()? {
                return Ok(stop);
            }
            if interrupt::requested() {
                return Ok(Stop::Interrupted);
            }
            if self.exploration.host.is_out_of_time() {
                return Ok(Stop::Time);
            }
            progress.look(|| self.exploration.counters(0));
        }
    }

    /// Orders as many runs as workers can make for a while, and no more than are wanted.
    fn order(&mut self) {
        let exploration = &mut *self.exploration;
        let left = exploration.bounds.runs_left(&exploration.search.counts()).unwrap_or(u64::MAX);
        let Some(sample) = exploration.search.sample() else { return };
        let end = sample.known_up_to().min(sample.next_run().saturating_add(left));
        while self.ordered < end && self.orders.len() < AHEAD * exploration.jobs as usize {
            let runs = self.ordered..end.min(self.ordered + RUNS);
            self.ordered = runs.end;
            let order = Order { runs, sample: sample.clone(), world: self.world.clone() };
            let _ = self.orders.send(order); // the workers have an end of it as long as they live
        }
    }

    /// Adds the runs whose turn it is.
    fn add_all(&mut self) -> Result<Option<Stop>, Failure> {
        loop {
            let Some(next) = self.exploration.search.sample().map(|sample| sample.next_run()) else { return Ok(None) };
            let Some(made) = self.made.remove(&next) else { return Ok(None) };
            if let Some(stop) = self.add(*made)? {
                return Ok(Some(stop));
            }
        }
    }

    fn add(&mut self, made: Made) -> Result<Option<Stop>, Failure> {
        let exploration = &mut *self.exploration;
        let before = exploration.recorder.count();
        for schedule in &made.found {
            exploration.record(schedule, &self.world.locations)?;
        }
        for schedule in &made.lost {
            exploration.lost += 1;
            exploration.record_lost(schedule, &self.world.locations)?;
        }
        exploration.keep_findings(before);
        let counted = made.drawn.len() - usize::from(made.is_last_in_vain);
        if let Some(sample) = exploration.search.sample() {
            made.drawn[..counted].iter().for_each(|drawn| sample.add(drawn));
            if made.is_last_in_vain {
                sample.discard();
            }
        }
        if let Some(outcomes) = &mut exploration.outcomes {
            outcomes.merge(made.outcomes);
        }
        if let Some(world) = made.learned {
            self.enter(world);
        }
        let is_found = self.exploration.recorder.count() > before;
        self.exploration.keep_state(is_found);
        Ok((!made.found.is_empty() && !self.exploration.config.keep_going).then_some(Stop::Found))
    }

    /// What a step is, or who takes it, has changed: the runs from here on are made in another world.
    fn enter(&mut self, world: World) {
        let exploration = &mut *self.exploration;
        (exploration.locations, exploration.observed) = (world.locations.clone(), world.observed.clone());
        exploration.host.set_thread_origins(&world.threads);
        exploration.host.set_locations(&world.locations, &world.observed);
        self.world = World { epoch: self.world.epoch + 1, ..world };
        self.epoch.store(self.world.epoch, SeqCst);
        self.made.clear();
        self.ordered = exploration.search.sample().map_or(0, |sample| sample.next_run());
    }

    /// Waits until all workers have left.
    fn dismiss(&mut self) {
        drop(std::mem::replace(&mut self.orders, unbounded().0));
        while let Ok(news) = self.inbox.recv() {
            if let News::Left(notes, unseen) = news {
                self.exploration.part(notes, unseen);
            }
        }
        self.exploration.was_together = true;
    }
}
