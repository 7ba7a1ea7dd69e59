//! Leading workers: what they say, what is written down, and when it is enough.

use super::desk::Desk;
use super::worker::{Worker, stop_of};
use super::world::World;
use super::{Exploration, Farewell, LOOK, News, What};
use crate::exit::Failure;
use crate::explore::{Counts, Order, Saved, SavedCrew};
use crate::interrupt;
use crate::journal::Journal;
use crate::parallel::Controller;
use crate::reduce::Item;
use crate::report::base64;
use crate::report::progress::{Counters, Progress};
use crate::session::Outcomes;
use crate::session::bounds::Stop;
use crossbeam_channel::Receiver;
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait while workers wait until everything is written down.
const LOOK_WHILE_ALL_WAIT: Duration = Duration::from_millis(1);
/// How long to wait for that when the search is over.
const PATIENCE: Duration = Duration::from_secs(2);

/// The side of a crew that leads it.
pub(super) struct Crew<'a, 'b> {
    pub(super) exploration: &'a mut Exploration<'b>,
    pub(super) inbox: Receiver<News>,
    pub(super) world: World,
    pub(super) counts: Counts,
    pub(super) desk: &'a Desk,
    pub(super) order: Order,
    /// Since when all have to wait, if they do.
    pub(super) waits: Instant,
    /// How often the filters of each worker had cut something when it last stood still.
    pub(super) cut: BTreeMap<usize, Vec<u64>>,
    /// What workers found when the search was over already.
    pub(super) late: Vec<What>,
}

impl Crew<'_, '_> {
    /// Leads the others until nothing is left or a bound is reached, and has them leave.
    pub(super) fn lead_to_the_end(mut self, mut own: Worker<'_>, progress: &mut Progress) -> Result<Stop, Failure> {
        let stop = self.lead(&mut own, progress).or_else(stop_of);
        let found = self.exploration.recorder.count();
        let kept = match stop {
            Ok(Stop::Executions | Stop::Found) => self.keep_last(&mut own),
            _ => Ok(()),
        };
        self.world.budget.close();
        self.desk.close();
        own.leave();
        own.host.sit(None);
        (self.exploration.host, self.exploration.search) = own.into_parts();
        self.dismiss();
        let late = std::mem::take(&mut self.late);
        let recorded = kept.and_then(|()| self.exploration.record_all(&late));
        if matches!(stop, Ok(Stop::Exhausted)) {
            self.keep();
        }
        match recorded {
            Err(failure) if stop.is_ok() => stop_of(failure),
            _ if self.exploration.recorder.count() > found && !self.exploration.config.keep_going => Ok(Stop::Found),
            _ => stop,
        }
    }

    /// Takes turns as a worker, and leads the others in between.
    fn lead(&mut self, own: &mut Worker<'_>, progress: &mut Progress) -> Result<Stop, Failure> {
        if self.desk.is_done() {
            return Ok(Stop::Exhausted);
        }
        let mut looked = Instant::now();
        loop {
            let is_pausing = self.desk.is_pausing();
            if is_pausing {
                own.stand()?;
                thread::sleep(LOOK_WHILE_ALL_WAIT);
            } else if let Err(failure) = own.turn() {
                return stop_of(failure);
            }
            while let Ok(news) = self.inbox.try_recv() {
                if let Some(stop) = self.hear(own, news)? {
                    return Ok(stop);
                }
            }
            if is_pausing
                && self.desk.all_wait()
                && let Some(stop) = self.keep_all(own)?
            {
                return Ok(stop);
            }
            if !is_pausing && let Some(stop) = self.glance(own)? {
                return Ok(stop);
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                if let Some(stop) = self.look(own, progress) {
                    return Ok(stop);
                }
            }
        }
    }

    /// Glances at schedules with few preemptions, if it is time to, while the others go on.
    fn glance(&mut self, own: &mut Worker<'_>) -> Result<Option<Stop>, Failure> {
        let runs = self.counts.started();
        if !self.exploration.is_glance_due(runs) {
            return Ok(None);
        }
        let stop = self.with_host(own, |exploration| exploration.glance(runs))?;
        let Exploration { locations, observed, .. } = &*self.exploration;
        if (locations, observed) != (&self.world.locations, &self.world.observed) {
            let world = World { locations: locations.clone(), observed: observed.clone(), ..self.world.clone() };
            self.begin_anew(world, false);
        }
        Ok(stop)
    }

    /// Looks at the clock and the memory, now and then.
    fn look(&mut self, own: &Worker<'_>, progress: &mut Progress) -> Option<Stop> {
        if !self.desk.is_pausing() && self.exploration.journal.as_ref().is_some_and(Journal::is_time) {
            self.waits = Instant::now();
            self.desk.pause();
        }
        self.show(progress);
        if interrupt::requested() {
            Some(Stop::Interrupted)
        } else if own.host.is_out_of_time() {
            Some(Stop::Time)
        } else {
            self.exploration.bounds.is_out_of_memory().then_some(Stop::Memory)
        }
    }

    /// Does something with the process of this thread.
    fn with_host<T>(&mut self, own: &mut Worker<'_>, act: impl FnOnce(&mut Exploration<'_>) -> T) -> T {
        std::mem::swap(&mut self.exploration.host, &mut own.host);
        let result = act(self.exploration);
        std::mem::swap(&mut self.exploration.host, &mut own.host);
        own.see_world();
        result
    }

    /// Acts on what a worker says. Returns why the search is over, if it is.
    fn hear(&mut self, own: &mut Worker<'_>, News { epoch, what }: News) -> Result<Option<Stop>, Failure> {
        let is_old = epoch != self.world.epoch;
        match what {
            What::Failed(failure) => return Err(failure),
            What::Found(..) => {
                let before = self.exploration.recorder.count();
                self.with_host(own, |exploration| exploration.record_news(&what))?;
                own.note_findings(self.exploration.recorder.count() - before);
                return Ok((!self.exploration.config.keep_going).then_some(Stop::Found));
            }
            What::Lost(..) => self.with_host(own, |exploration| exploration.record_news(&what))?,
            What::Stopped(Stop::Exhausted | Stop::Executions) if is_old => {}
            What::Stopped(stop) => return Ok(Some(stop)),
            What::Counted(counts, outcomes) if !is_old => self.count(&counts, outcomes),
            What::Learned(world, sections_vary) if !is_old => self.begin_anew(*world, sections_vary),
            What::Left(farewell) => self.part(farewell, !is_old),
            What::Stands(worker, cut) if !is_old => _ = self.cut.insert(worker, cut),
            What::Counted(..) | What::Learned(..) | What::Stands(..) => {}
        }
        Ok(None)
    }

    /// Writes down where everyone stands, who all wait: what they have done, they have said before.
    fn keep_all(&mut self, own: &mut Worker<'_>) -> Result<Option<Stop>, Failure> {
        let mut stop = None;
        while stop.is_none()
            && let Ok(news) = self.inbox.try_recv()
        {
            stop = self.hear(own, news)?;
        }
        if stop.is_none() {
            self.keep();
        }
        own.go_on();
        self.desk.go_on();
        Ok(stop)
    }

    /// Writes down where everyone stands when the search is stopped, if they say so soon.
    fn keep_last(&mut self, own: &mut Worker<'_>) -> Result<(), Failure> {
        if self.exploration.journal.is_none() {
            return Ok(());
        }
        self.waits = Instant::now();
        self.desk.pause();
        if own.stand().is_err() {
            return Ok(());
        }
        let begin = Instant::now();
        while !self.desk.all_wait() && begin.elapsed() < PATIENCE {
            thread::sleep(LOOK_WHILE_ALL_WAIT);
        }
        while let Ok(News { epoch, what }) = self.inbox.try_recv() {
            self.hear_last(epoch, what);
        }
        // What runs have shown is written down before it is that they were made.
        let late = std::mem::take(&mut self.late);
        self.with_host(own, |exploration| exploration.record_all(&late))?;
        self.keep();
        Ok(())
    }

    fn keep(&mut self) {
        if self.exploration.journal.is_none() {
            return;
        }
        if let Some(controller) = self.desk.saved(&self.world.common.names) {
            let (cut, common) = (self.all_cut(), &self.world.common);
            let (counts, quiet) = (self.counts, Some(common.quiet.saved()));
            let shapes = common.sections.saved(&common.names);
            let saved = SavedCrew { controller: base64::encode(&controller), counts, cut, quiet, shapes };
            let visited = common.states.as_ref().map(|states| states.take_noted());
            self.exploration.keep_search(Saved::Crew(saved), visited, self.waits);
        }
    }

    /// How often each filter has cut something, in all workers.
    fn all_cut(&self) -> Vec<u64> {
        let count = self.cut.values().map(Vec::len).max().unwrap_or(0);
        (0..count).map(|filter| self.cut.values().filter_map(|cut| cut.get(filter)).sum()).collect()
    }

    fn count(&mut self, counts: &Counts, outcomes: Outcomes) {
        self.counts = self.counts.and(counts);
        if let Some(all) = &mut self.exploration.outcomes {
            all.merge(outcomes);
        }
    }

    /// What a step is has changed: the search begins anew.
    fn begin_anew(&mut self, world: World, sections_vary: bool) {
        self.counts = self.counts.anew(1);
        self.cut.clear();
        let exploration = &mut *self.exploration;
        exploration.outcomes = exploration.config.outcomes.then(Outcomes::default);
        (exploration.locations, exploration.observed) = (world.locations.clone(), world.observed.clone());
        exploration.recorder.begin_anew(&world.locations);
        exploration.host.set_thread_origins(&world.threads);
        let budget = exploration.budget(&self.counts);
        self.world = World { epoch: self.world.epoch + 1, common: world.common.anew(), budget, ..world };
        let jobs = exploration.jobs as usize;
        let controller = Controller::new(jobs, Item::Fresh(sections_vary), self.order);
        self.desk.begin_anew(controller, self.world.clone());
    }

    fn show(&self, progress: &mut Progress) {
        let findings = self.exploration.recorder.count() as u64;
        let counts = &self.counts;
        let (executions, depth) = (counts.started(), counts.max_depth);
        progress.look(|| Counters { executions, depth, findings, explored: self.desk.explored() });
    }

    /// A worker has left; what it has cut concerns the search if it was about the same world.
    fn part(&mut self, Farewell { notes, unseen, cut, frontier }: Farewell, is_current: bool) {
        if is_current {
            self.exploration.search.add_cut(&cut);
            frontier.into_iter().for_each(|frontier| self.exploration.search.add_frontier(frontier));
        }
        self.exploration.part(notes, unseen);
    }

    /// What counts when the search is over.
    fn hear_last(&mut self, epoch: u64, what: What) {
        let is_current = epoch == self.world.epoch;
        match what {
            What::Counted(counts, outcomes) if is_current => self.count(&counts, outcomes),
            What::Stands(worker, cut) if is_current => _ = self.cut.insert(worker, cut),
            What::Left(farewell) => self.part(farewell, is_current),
            What::Found(..) | What::Lost(..) => self.late.push(what),
            _ => {}
        }
    }

    /// Waits until all workers have left; what they have counted counts.
    fn dismiss(&mut self) {
        while let Ok(News { epoch, what }) = self.inbox.recv() {
            self.hear_last(epoch, what);
        }
        self.cut = BTreeMap::from([(0, self.exploration.search.cut())]);
        self.exploration.search.come_together(&self.counts);
        self.exploration.together = Some(self.counts);
        self.exploration.was_together = true;
    }
}
