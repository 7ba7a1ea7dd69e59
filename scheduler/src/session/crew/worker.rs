//! A worker: explores items with a process of its own.

use super::budget::{Budget, Denied};
use super::desk::{Desk, Next};
use super::world::World;
use super::{News, What};
use crate::config::{FilterChoice, RunConfig};
use crate::exit::Failure;
use crate::explore::{Absorbed, Counts, Strategy};
use crate::filters::{self, Terms};
use crate::frontend::Execution;
use crate::launch::{Launch, Processors};
use crate::parallel::Report;
use crate::property;
use crate::reduce::{Item, Leaf};
use crate::session::bounds::Stop;
use crate::session::host::Host;
use crate::session::outcomes::Outcomes;
use crate::session::record::Sight;
use crossbeam_channel::Sender;
use rscale_protocol::Ending;
use std::collections::HashSet;
use std::time::Instant;

/// Runs between two letters about them.
const BETWEEN_LETTERS: u64 = 256;

/// What a worker has to know to begin.
pub struct Post<'a> {
    pub number: usize,
    pub desk: &'a Desk,
    pub leader: Sender<News>,
    pub config: &'a RunConfig,
    pub filters: &'a [FilterChoice],
    pub terms: Terms,
    pub deadline: Option<Instant>,
    pub world: World,
    pub budget: &'a Budget,
    /// Whether there is a journal: then whoever has nothing to do has said all that it has done.
    pub is_kept: bool,
}

/// A worker.
struct Worker<'a> {
    post: Post<'a>,
    host: Host,
    search: Box<dyn Strategy>,
    execution: Execution,
    /// What has been done that the leader does not know of.
    done: Counts,
    outcomes: Outcomes,
    /// What of the search's counts is in there.
    counted: Counts,
    /// What the leader knows to have been found.
    seen: HashSet<Sight>,
}

/// Why an item was left.
enum Left {
    /// It has been explored.
    Finished,
    /// Everything begins anew, or ends.
    Given,
}

impl Post<'_> {
    /// Starts the program, and explores what there is to explore.
    pub fn work(self, mut launch: Launch, processors: Option<Processors>) {
        if processors.is_some_and(|all| all.stay_on(self.number).is_ok()) {
            launch.processors = processors;
        }
        let leader = self.leader.clone();
        let result = Host::like(launch, &self.config.rules).and_then(|mut host| {
            host.set_deadline(self.deadline);
            host.set_memory_limit(self.config.max_memory.as_ref().map(|size| size.bytes));
            Worker {
                search: self.search(),
                post: self,
                host,
                execution: Execution::default(),
                done: Counts::default(),
                outcomes: Outcomes::default(),
                counted: Counts::default(),
                seen: HashSet::new(),
            }
            .serve()
        });
        let what = match result {
            Ok(()) => return,
            Err(Failure::Interrupted) => What::Stopped(Stop::Interrupted),
            Err(Failure::OutOfTime) => What::Stopped(Stop::Time),
            Err(Failure::OutOfMemory) => What::Stopped(Stop::Memory),
            Err(failure) => What::Failed(failure),
        };
        let _ = leader.send(News { epoch: 0, what }); // a leader that is gone needs no news
    }

    fn search(&self) -> Box<dyn Strategy> {
        let mut search = filters::strategy(self.filters, self.terms);
        if let Some(search) = search.sharing() {
            search.agree_with(&self.world.common);
        }
        search
    }
}

impl Worker<'_> {
    fn send(&self, what: What) {
        let news = News { epoch: self.post.world.epoch, what };
        let _ = self.post.leader.send(news); // as above
    }

    fn enter_world(&mut self) {
        let World { threads, locations, observed, .. } = &self.post.world;
        self.host.set_thread_origins(threads);
        self.host.set_locations(locations, observed);
        self.search = self.post.search();
        self.execution = Execution::default();
        (self.done, self.counted, self.outcomes) = Default::default();
    }

    fn serve(&mut self) -> Result<(), Failure> {
        self.enter_world();
        loop {
            match self.post.desk.next(self.post.number, self.post.world.epoch) {
                Next::Leave => break,
                Next::Anew(world) => {
                    self.post.world = *world;
                    self.enter_world();
                }
                Next::Explore(item) => match self.explore(&item)? {
                    Left::Finished => self.finish()?,
                    Left::Given => self.collect_counts(),
                },
            }
        }
        self.count();
        let (notes, unseen) = (self.host.take_notes(), self.host.ran_unseen_code());
        self.send(What::Left(notes, unseen));
        Ok(())
    }

    /// Nothing is left of the item.
    fn finish(&mut self) -> Result<(), Failure> {
        self.collect_counts();
        if self.post.is_kept {
            self.count();
        }
        if self.tell([Report::Finished])? {
            self.count();
            self.send(What::Stopped(Stop::Exhausted));
        }
        Ok(())
    }

    /// Tells the controller what it wants to know, and this. Returns whether everything has been explored.
    fn tell(&mut self, reports: impl IntoIterator<Item = Report>) -> Result<bool, Failure> {
        let wishes = self.search.sharing().map(|search| search.take_wishes()).unwrap_or_default();
        let wishes = (!wishes.is_empty()).then_some(Report::Wishes(wishes));
        self.post.desk.tell(self.post.number, self.post.world.epoch, wishes.into_iter().chain(reports))
    }

    fn explore(&mut self, item: &Item) -> Result<Left, Failure> {
        self.counted = Counts::default();
        let sharing = self.search.sharing().ok_or_else(does_not_fit)?;
        let mut is_taken = false;
        if let Some(plan) = sharing.first_run(item) {
            if item.begins_with_run() {
                match self.post.budget.take() {
                    Ok(()) => is_taken = true,
                    Err(denied) => return self.deny(denied, Some(item)),
                }
            }
            if let Err(failure) = self.host.run(plan, &mut self.execution) {
                self.post.budget.settle(false);
                return Err(failure);
            }
            if is_taken && self.execution.is_lost() {
                self.post.budget.settle(false);
                return self.lose_beginning(item);
            }
        }
        let sharing = self.search.sharing().ok_or_else(does_not_fit)?;
        if !sharing.begin(item, &self.execution) {
            return Err(does_not_fit());
        }
        if is_taken {
            let goes_on = self.absorb();
            self.post.budget.settle(self.search.counts().executions > 0);
            if !goes_on? {
                return Ok(Left::Given);
            }
            if let Item::Leaf(leaf) = item {
                self.say_what_began(leaf)?;
            }
        }
        self.pursue()
    }

    /// Nothing comes of an item: the process is lost whenever its beginning is tried.
    fn lose_beginning(&mut self, item: &Item) -> Result<Left, Failure> {
        self.say_what_is_lost();
        if matches!(item, Item::Leaf(_)) {
            let report = Report::Begun(Vec::new());
            self.post.desk.tell(self.post.number, self.post.world.epoch, [report])?;
        }
        Ok(Left::Finished)
    }

    /// Goes on without what lies behind a run. Without the first one there is nothing.
    fn lose_run(&mut self) -> Result<(), Failure> {
        let is_first = self.search.sharing().is_some_and(|search| matches!(search.as_item().0, Item::Fresh(_)));
        if is_first {
            return Err(crate::session::killed_at_once());
        }
        self.search.give_up();
        self.say_what_is_lost();
        Ok(())
    }

    fn say_what_is_lost(&self) {
        let schedule = self.execution.steps.iter().map(|step| step.token()).collect();
        self.send(What::Lost(schedule, self.post.world.locations.clone()));
    }

    fn say_what_began(&mut self, leaf: &Leaf) -> Result<(), Failure> {
        let begun = self.search.sharing().map(|search| search.begun(leaf)).unwrap_or_default();
        let report = Report::Begun(begun);
        self.post.desk.tell(self.post.number, self.post.world.epoch, [report]).map(|_| ())
    }

    /// There is no other run. With a journal, how the item stands is written down before all leave.
    fn deny(&mut self, denied: Denied, first: Option<&Item>) -> Result<Left, Failure> {
        if denied == Denied::UsedUp {
            self.send(What::Stopped(Stop::Executions));
            if self.post.is_kept {
                self.post.desk.pause();
                self.wait(first)?;
            } else {
                self.post.desk.close();
            }
        }
        Ok(Left::Given)
    }

    fn pursue(&mut self) -> Result<Left, Failure> {
        loop {
            if !self.post.desk.is_current(self.post.world.epoch) {
                return Ok(Left::Given);
            }
            if self.post.desk.is_pausing() {
                self.wait(None)?;
                continue;
            }
            if let Err(denied) = self.post.budget.take() {
                return self.deny(denied, None);
            }
            let before = self.search.counts().executions;
            let Some(plan) = self.search.next_schedule() else {
                self.post.budget.settle(false);
                return Ok(Left::Finished);
            };
            let ran = self.host.run(plan, &mut self.execution);
            if ran.is_ok() && self.execution.is_lost() {
                self.post.budget.settle(false);
                self.lose_run()?;
                continue;
            }
            let goes_on = ran.and_then(|()| self.absorb());
            self.post.budget.settle(self.search.counts().executions > before);
            if !goes_on? {
                return Ok(Left::Given);
            }
            self.share()?;
        }
    }

    /// Waits until everything has been written down, with all that the others have to know of the item, which may not have
    /// begun.
    fn wait(&mut self, first: Option<&Item>) -> Result<(), Failure> {
        self.collect_counts();
        self.count();
        self.tell([])?;
        let standing = first.cloned().or_else(|| self.search.sharing().map(|search| search.as_item().0));
        if let Some(item) = standing {
            self.post.desk.wait(self.post.number, self.post.world.epoch, item);
        }
        Ok(())
    }

    /// Reads the execution. Returns whether the search goes on as it is.
    fn absorb(&mut self) -> Result<bool, Failure> {
        let output = self.post.config.outcomes.then(|| self.host.output());
        let is_finding = self.check();
        if let Some(world) = self.post.world.after(&self.execution, &self.host, &self.post.config.rules) {
            self.send(What::Learned(Box::new(world), false));
            return Ok(false);
        }
        let before = self.search.counts().executions;
        match self.search.absorb(&self.execution) {
            Absorbed::Diverged(divergence) if !is_finding => {
                return Err(crate::session::nondeterministic(&self.host, &divergence));
            }
            Absorbed::Diverged(_) => {}
            Absorbed::Added => self.execution.steps.settle(),
        }
        if let (Some(end), Some([stdout, _])) = (&self.execution.end, output) {
            self.outcomes.add(end, stdout, self.search.counts().executions > before);
        }
        if self.search.was_wrong() {
            self.send(What::Learned(Box::new(self.post.world.clone()), true));
            return Ok(false);
        }
        Ok(true)
    }

    /// Whether the execution shows something; then the leader is told, once.
    fn check(&mut self) -> bool {
        if self.execution.ending().is_none_or(|ending| ending == Ending::Diverged) {
            return false;
        }
        let shown = property::violations(&self.execution, &self.post.config.rules);
        let sights: Vec<Sight> = shown.iter().map(|shown| Sight::of(&shown.violation, &self.execution)).collect();
        let news = sights.into_iter().filter(|sight| !self.seen.contains(sight)).collect::<Vec<_>>();
        if !news.is_empty() {
            self.seen.extend(news);
            let schedule = self.execution.steps.iter().map(|step| step.token()).collect();
            self.send(What::Found(schedule, self.post.world.locations.clone()));
        }
        !shown.is_empty()
    }

    /// Gives something away if someone has nothing to do, and counts now and then.
    fn share(&mut self) -> Result<(), Failure> {
        if self.post.desk.is_short() {
            let released = self.search.sharing().and_then(|search| search.release());
            self.tell(released.map(Report::Released))?;
        }
        if self.search.counts().runs.is_multiple_of(BETWEEN_LETTERS) {
            self.collect_counts();
            self.tell([])?;
        }
        Ok(())
    }

    /// Takes note of what the search has done since the last time.
    fn collect_counts(&mut self) {
        let counts = self.search.counts();
        self.done = self.done.and(&counts.since(&self.counted));
        self.counted = counts;
        if self.done.runs >= BETWEEN_LETTERS {
            self.count();
        }
    }

    /// Tells the leader what has been done.
    fn count(&mut self) {
        let done = std::mem::take(&mut self.done);
        if done.runs > 0 {
            let outcomes = std::mem::take(&mut self.outcomes);
            self.send(What::Counted(Box::new(done), outcomes));
        }
    }
}

fn does_not_fit() -> Failure {
    Failure::Nondeterministic(
        "the program does not do in one process what it did in another: something outside of rscale's control decides \
         what it does (addresses, uninitialised memory, hardware, other processes)"
            .into(),
    )
}
