//! Where workers meet: the controller, and whoever waits for it.
//!
//! An item may be a single execution, of some ten microseconds. So workers speak with the controller themselves, one at
//! a time, instead of waiting for a thread that does; only what concerns the whole search goes to the thread that leads
//! it.

use super::world::World;
use crate::exit::Failure;
use crate::parallel::{Controller, Nonsense, Report};
use crate::reduce::{Item, Names};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What all workers share.
pub struct Desk {
    state: Mutex<State>,
    /// Something has changed for those who wait.
    news: Condvar,
    /// How many wait.
    idle: AtomicUsize,
    /// The number of the world, to be looked at in passing.
    epoch: AtomicU64,
    is_closed: AtomicBool,
    /// Whether everyone has to wait, because everything is about to be written down.
    is_pausing: AtomicBool,
}

struct State {
    controller: Controller,
    world: World,
    /// How the items of workers stand that wait until everything is written down.
    standing: BTreeMap<usize, Item>,
    /// Who has nothing to do.
    idle: BTreeSet<usize>,
    /// Whether no other run is allowed in this world.
    is_used_up: bool,
}

/// What a worker is to do next.
pub enum Next {
    /// Explore this.
    Explore(Item),
    /// The world has changed.
    Anew(Box<World>),
    /// Nothing for now.
    Wait,
    /// Nothing more.
    Leave,
}

impl State {
    fn new(controller: Controller, world: World) -> State {
        State { controller, world, standing: BTreeMap::new(), idle: BTreeSet::new(), is_used_up: false }
    }
}

impl Desk {
    pub fn new(controller: Controller, world: World) -> Desk {
        let epoch = AtomicU64::new(world.epoch);
        let state = Mutex::new(State::new(controller, world));
        let [is_closed, is_pausing] = [const { AtomicBool::new(false) }; 2];
        Desk { state, news: Condvar::new(), idle: AtomicUsize::new(0), epoch, is_closed, is_pausing }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody gets anything any more.
    pub fn close(&self) {
        // Whoever has looked, and is about to wait, has the lock.
        let _state = self.state();
        self.is_closed.store(true, SeqCst);
        self.news.notify_all();
    }

    /// All runs that are allowed in this world have been made: nobody gets anything to do in it any more.
    pub fn use_up(&self, epoch: u64) {
        let mut state = self.state();
        state.is_used_up |= state.world.epoch == epoch;
    }

    /// Whether a worker in this world should go on.
    pub fn is_current(&self, epoch: u64) -> bool {
        self.epoch.load(SeqCst) == epoch && !self.is_closed.load(SeqCst)
    }

    /// Whether somebody has nothing to do.
    pub fn is_someone_idle(&self) -> bool {
        self.idle.load(SeqCst) > 0
    }

    /// Everything begins anew, in another world.
    pub fn begin_anew(&self, controller: Controller, world: World) {
        let mut state = self.state();
        self.epoch.store(world.epoch, SeqCst);
        // Who waits will ask again.
        *state = State { idle: std::mem::take(&mut state.idle), ..State::new(controller, world) };
        self.news.notify_all();
    }

    /// The part of the search that is done, as far as can be told.
    pub fn explored(&self) -> Option<f64> {
        self.state().controller.explored()
    }

    /// Whether everything has been explored.
    pub fn is_done(&self) -> bool {
        self.state().controller.is_done()
    }

    /// Something to do. Whoever has patience waits for it, that long.
    pub fn next(&self, worker: usize, epoch: u64, patience: Option<Duration>) -> Next {
        let mut state = self.state();
        loop {
            if self.is_closed.load(SeqCst) {
                return Next::Leave;
            }
            let next = if state.world.epoch != epoch {
                Some(Next::Anew(Box::new(state.world.clone())))
            } else if self.is_pausing() || state.is_used_up {
                None
            } else {
                state.controller.next(worker).map(Next::Explore)
            };
            self.note_idle(&mut state, worker, next.is_none());
            if let Some(next) = next {
                return next;
            }
            let Some(patience) = patience else {
                state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(self.news.wait_timeout(state, patience));
            return Next::Wait;
        }
    }

    fn note_idle(&self, state: &mut State, worker: usize, is_idle: bool) {
        let has_changed = if is_idle { state.idle.insert(worker) } else { state.idle.remove(&worker) };
        if has_changed {
            self.idle.store(state.idle.len(), SeqCst);
        }
    }

    /// A worker in this world says what it has done. Returns whether everything has been explored.
    pub fn tell(&self, worker: usize, epoch: u64, reports: impl IntoIterator<Item = Report>) -> Result<bool, Failure> {
        let mut state = self.state();
        if state.world.epoch != epoch {
            return Ok(false);
        }
        for report in reports {
            state
                .controller
                .hear(worker, report)
                .map_err(|Nonsense| Failure::CannotRun("rscale failed: a worker reported what can not be".into()))?;
        }
        if self.is_someone_idle() && state.controller.has_more() {
            self.news.notify_all();
        }
        Ok(state.controller.is_done())
    }

    /// Whether others wait for what a worker has to share.
    pub fn is_waited_for(&self, worker: usize) -> bool {
        self.state().controller.is_waited_for(worker)
    }

    /// Has everyone wait between two runs.
    pub fn pause(&self) {
        self.is_pausing.store(true, SeqCst);
    }

    /// Whether everyone has to wait.
    pub fn is_pausing(&self) -> bool {
        self.is_pausing.load(SeqCst)
    }

    /// A worker says how its item stands, and goes no further.
    pub fn stand(&self, worker: usize, epoch: u64, item: Item) {
        let mut state = self.state();
        if state.world.epoch == epoch {
            state.standing.insert(worker, item);
        }
    }

    /// Waits until all go on.
    pub fn wait(&self, epoch: u64) {
        let mut state = self.state();
        while self.is_pausing() && self.is_current(epoch) {
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Everything that is left, once all wait.
    pub fn saved(&self, names: &Names) -> Option<Vec<u8>> {
        let state = &mut *self.state();
        state.controller.saved(&state.standing, names)
    }

    /// Whether all who have something to do wait.
    pub fn all_wait(&self) -> bool {
        let state = self.state();
        state.controller.busy().all(|worker| state.standing.contains_key(&worker))
    }

    /// Everyone goes on.
    pub fn go_on(&self) {
        let mut state = self.state();
        state.standing.clear();
        self.is_pausing.store(false, SeqCst);
        self.news.notify_all();
    }

    /// Whether the idle find nothing, so that the busy have to share.
    pub fn is_short(&self) -> bool {
        self.is_someone_idle() && !self.state().controller.has_more()
    }
}
