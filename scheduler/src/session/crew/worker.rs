//! A worker: explores items with a process of its own.

mod items;

pub use items::does_not_fit;

use super::desk::{Desk, Next};
use super::world::World;
use super::{Farewell, News, What};
use crate::backend::Seat;
use crate::config::{FilterChoice, RunConfig};
use crate::exit::Failure;
use crate::explore::{Counts, Strategy};
use crate::filters::{self, Terms};
use crate::frontend::Execution;
use crate::launch::Launch;
use crate::parallel::Report;
use crate::reduce::{Item, Sharing};
use crate::session::bounds::Stop;
use crate::session::host::Host;
use crate::session::outcomes::Outcomes;
use crate::session::record::Sight;
use crossbeam_channel::Sender;
use std::collections::HashSet;
use std::time::{Duration, Instant};

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
    /// Whether there is a journal: then whoever has nothing to do has said all that it has done.
    pub is_kept: bool,
}

/// A worker.
pub struct Worker<'a> {
    post: Post<'a>,
    pub host: Host,
    search: Box<dyn Strategy>,
    execution: Execution,
    /// What has been done that the leader does not know of.
    done: Counts,
    outcomes: Outcomes,
    /// What of the search's counts is in there.
    counted: Counts,
    /// What the leader knows to have been found in this world.
    seen: HashSet<Sight>,
    /// Whether it has an item.
    is_busy: bool,
    /// Whether it has said how its item stands, and goes no further.
    is_standing: bool,
    /// How long it waits for something to do; for ever, if others lead it.
    patience: Option<Duration>,
}

/// Why an item was left.
enum Left {
    /// It has been explored.
    Finished,
    /// It is not to be explored any further.
    Given,
}

/// What came of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// It went on.
    Went,
    /// There is nothing to do for now.
    Idle,
    /// There will not be anything more.
    Over,
}

impl<'a> Post<'a> {
    /// Explores items for as long as there are some.
    pub fn work(self, launch: Launch, seat: Option<Seat>) {
        let leader = self.leader.clone();
        let result = Host::like(launch, &self.config.rules).and_then(|mut host| {
            host.sit(seat);
            host.set_deadline(self.deadline);
            host.set_memory_limit(self.config.max_memory.as_ref().map(|size| size.bytes));
            self.begin_with(host).serve()
        });
        let Err(failure) = result else { return };
        let what = stop_of(failure).map_or_else(What::Failed, What::Stopped);
        let _ = leader.send(News { epoch: 0, what }); // a leader that is gone needs no news
    }

    fn search(&self) -> Box<dyn Strategy> {
        let mut search = filters::strategy(self.filters, self.terms);
        if let Some(search) = search.sharing() {
            search.agree_with(&self.world.common);
        }
        search
    }

    /// A worker that has nothing to do yet.
    pub fn begin_with(self, host: Host) -> Worker<'a> {
        let mut worker = Worker {
            search: self.search(),
            post: self,
            host,
            execution: Execution::default(),
            done: Counts::default(),
            outcomes: Outcomes::default(),
            counted: Counts::default(),
            seen: HashSet::new(),
            is_busy: false,
            is_standing: false,
            patience: None,
        };
        worker.enter_world();
        worker
    }
}

/// Why the search is over, if that is what a failure means.
pub fn stop_of(failure: Failure) -> Result<Stop, Failure> {
    match failure {
        Failure::Interrupted => Ok(Stop::Interrupted),
        Failure::OutOfTime => Ok(Stop::Time),
        Failure::OutOfMemory => Ok(Stop::Memory),
        failure => Err(failure),
    }
}

impl Worker<'_> {
    /// It leads the others, between its turns: it does not wait for long.
    pub fn lead(&mut self, patience: Duration) {
        self.patience = Some(patience);
    }

    /// Goes on with a search that has begun, all of which is its item.
    pub fn go_on_with(&mut self, search: Box<dyn Strategy>) {
        self.counted = search.counts();
        self.search = search;
        self.is_busy = true;
    }

    /// Another process has cut so much of the search.
    pub fn add_cut(&mut self, cut: &[u64]) {
        self.search.add_cut(cut);
    }

    /// The process, and the search as it is.
    pub fn into_parts(self) -> (Host, Box<dyn Strategy>) {
        (self.host, self.search)
    }

    /// So many things were found, by whomever.
    pub fn note_findings(&mut self, count: usize) {
        self.search.note_findings(count as u64);
    }

    fn send(&self, what: What) {
        let news = News { epoch: self.post.world.epoch, what };
        let _ = self.post.leader.send(news); // as above
    }

    fn enter_world(&mut self) {
        self.host.set_thread_origins(&self.post.world.threads);
        self.see_world();
        self.search = self.post.search();
        self.execution = Execution::default();
        (self.done, self.counted, self.outcomes) = Default::default();
        self.seen.clear(); // here it may be new
    }

    /// Steps are what the world says, whatever the process has done in between.
    pub fn see_world(&mut self) {
        let World { locations, observed, .. } = &self.post.world;
        self.host.set_locations(locations, observed);
    }

    fn serve(&mut self) -> Result<(), Failure> {
        while self.turn()? != Turn::Over {}
        self.leave();
        Ok(())
    }

    /// The search is over.
    pub fn leave(&mut self) {
        self.collect_counts();
        self.count();
        let (notes, unseen) = (self.host.take_notes(), self.host.ran_unseen_code());
        // The search of whoever leads is the one that is asked in the end.
        let is_led = self.patience.is_none();
        let cut = if is_led { self.search.cut() } else { Vec::new() };
        let frontier = if is_led { self.search.take_frontier() } else { None };
        self.send(What::Left(Farewell { notes, unseen, cut, frontier }));
    }

    /// Makes a run, or looks for something to do.
    pub fn turn(&mut self) -> Result<Turn, Failure> {
        let left = if self.is_busy {
            self.pursue()?
        } else {
            match self.post.desk.next(self.post.number, self.post.world.epoch, self.patience) {
                Next::Leave => return Ok(Turn::Over),
                Next::Wait => return Ok(Turn::Idle),
                Next::Anew(world) => {
                    self.post.world = *world;
                    self.enter_world();
                    None
                }
                Next::Explore(item) => {
                    self.is_busy = true;
                    self.explore(item)?
                }
            }
        };
        self.is_busy &= left.is_none();
        match left {
            Some(Left::Finished) => self.finish()?,
            Some(Left::Given) => self.collect_counts(),
            None => {}
        }
        Ok(Turn::Went)
    }

    /// Nothing is left of the item.
    fn finish(&mut self) -> Result<(), Failure> {
        self.collect_counts();
        if self.post.is_kept {
            self.count();
            self.say_what_was_cut();
        }
        let explored = self.search.sharing().map(|search| search.take_record()).unwrap_or_default();
        if self.tell([Report::Finished(explored)])? {
            self.count();
            self.send(What::Stopped(Stop::Exhausted));
        }
        Ok(())
    }

    /// Tells the controller what it wants to know, and this. Returns whether everything has been explored.
    fn tell(&mut self, reports: impl IntoIterator<Item = Report>) -> Result<bool, Failure> {
        let wishes = self.search.sharing().map(|search| search.take_wishes()).unwrap_or_default();
        let wishes = (!wishes.is_empty()).then_some(Report::Wishes(wishes));
        let cut = self.search.sharing().is_some_and(|search| search.take_cut()).then_some(Report::Cut);
        let news = wishes.into_iter().chain(cut).chain(reports);
        self.post.desk.tell(self.post.number, self.post.world.epoch, news)
    }

    /// Says how its item stands, which may not have begun, with all that the others have to know of it. Whoever does
    /// not lead waits until everything has been written down.
    fn wait(&mut self, first: Option<Item>) -> Result<(), Failure> {
        let is_news = !std::mem::replace(&mut self.is_standing, true);
        if is_news {
            self.collect_counts();
            self.count();
            self.say_what_was_cut();
            let root = |search: &mut dyn Sharing| search.release_root();
            while let Some(released) = self.search.sharing().and_then(root) {
                self.tell([Report::Released(released)])?;
            }
            self.tell([])?;
            let standing = first.or_else(|| self.search.sharing().and_then(|search| search.as_item()));
            if let Some(item) = standing {
                self.post.desk.stand(self.post.number, self.post.world.epoch, item);
            }
        }
        if self.patience.is_none() {
            self.post.desk.wait(self.post.world.epoch);
            self.go_on();
        }
        Ok(())
    }

    fn say_what_was_cut(&self) {
        self.send(What::Stands(self.post.number, self.search.cut()));
    }

    /// Says how its item stands, if it has one, and goes no further.
    pub fn stand(&mut self) -> Result<(), Failure> {
        if self.is_busy { self.wait(None) } else { Ok(()) }
    }

    /// Everything has been written down.
    pub fn go_on(&mut self) {
        self.is_standing = false;
    }

    /// Gives something away if someone has nothing to do, and counts now and then.
    fn share(&mut self) -> Result<(), Failure> {
        if self.post.desk.is_short() {
            self.release()?;
        }
        if self.search.counts().runs.is_multiple_of(BETWEEN_LETTERS) {
            self.collect_counts();
            self.tell([])?;
            if self.post.desk.is_waited_for(self.post.number) {
                self.release()?;
            }
        }
        Ok(())
    }

    fn release(&mut self) -> Result<bool, Failure> {
        let released = self.search.sharing().and_then(|search| search.release());
        self.tell(released.map(Report::Released))
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
