//! A model of more workers than this machine has: the controller is the real one, workers and links are simulated.
//!
//! Time goes from event to event. A worker explores a synthetic tree as a search in depth does, a run for each leaf,
//! and gives away steps from its first open states when it is asked to; messages take the time of a link; the
//! controller handles one after the other, and each takes a time that is assumed, plus what receiving and sending
//! costs. `scripts/scale` prints what comes of it, and docs/scale.md says what follows.

mod trees;

pub use trees::Shape;

use super::{Account, Assignment, Controller, Report, seal};
use crate::explore::{Branches, Order};
use crate::reduce::{Item, Names, Released};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use trees::Walk;

/// Nanoseconds.
pub type Time = u64;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Workers.
    pub workers: usize,
    /// The tree.
    pub shape: Shape,
    /// A run.
    pub run: Time,
    /// A message on its way.
    pub link: Time,
    /// What the controller needs for a message: to receive it, act on it, and answer.
    pub service: Time,
    /// Open states that a worker gives away steps of when it is asked to share.
    pub batch: usize,
}

/// What came of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// Leaves that were run.
    pub runs: u64,
    /// Until the last worker was done.
    pub elapsed: Time,
    /// How much faster than one worker without a controller.
    pub speed_up: f64,
    /// The part of the time in which the controller was busy.
    pub load: f64,
    /// Messages, and their bytes.
    pub messages: u64,
    /// See `messages`.
    pub bytes: u64,
}

/// What arrives somewhere.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// A worker has ended a run.
    Ran(usize),
    /// A worker has something to say.
    Heard(usize, Said),
    /// A worker gets an item, by its place in the list of those under way.
    Given(usize, usize),
    /// A worker is asked to share.
    Asked(usize),
}

/// What a worker says, by its place in the list of what is under way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Said {
    Shared(usize),
    Finished,
}

struct Worker {
    walk: Option<Walk>,
    is_asked: bool,
}

struct Model {
    setting: Setting,
    controller: Controller,
    workers: Vec<Worker>,
    idle: BTreeSet<usize>,
    /// Workers that have been asked, and have not answered.
    asked: BTreeSet<usize>,
    next_asked: usize,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    /// What is under way.
    items: Vec<Option<Item>>,
    shared: Vec<Vec<Branches>>,
    /// Until when the controller is busy, and for how long it was.
    free_at: Time,
    busy: Time,
    sent: u64,
    outcome: Outcome,
}

/// Simulates a search.
#[must_use]
pub fn simulate(setting: Setting) -> Outcome {
    let order = Order::new(0);
    let whole = Branches::of_parts(&[], &setting.shape.steps(&[]), order, 1.0);
    let outcome = Outcome { runs: 0, elapsed: 0, speed_up: 0.0, load: 0.0, messages: 0, bytes: 0 };
    let mut model = Model {
        setting,
        controller: Controller::new(setting.workers, Item::Branches(Box::new(whole)), order),
        workers: (0..setting.workers).map(|_| Worker { walk: None, is_asked: false }).collect(),
        idle: (0..setting.workers).collect(),
        asked: BTreeSet::new(),
        next_asked: 0,
        events: BinaryHeap::new(),
        items: Vec::new(),
        shared: Vec::new(),
        free_at: 0,
        busy: 0,
        sent: 0,
        outcome,
    };
    model.hand_out();
    model.ask();
    let mut now = 0;
    while let Some(Reverse((time, _, event))) = model.events.pop() {
        now = time;
        model.happen(time, event);
        if model.controller.is_done() {
            break;
        }
    }
    let Outcome { runs, .. } = model.outcome;
    let alone = runs * setting.run;
    Outcome {
        elapsed: now,
        speed_up: alone as f64 / now.max(1) as f64,
        load: model.busy as f64 / now.max(1) as f64,
        ..model.outcome
    }
}

impl Model {
    fn send(&mut self, at: Time, event: Event) {
        self.sent += 1;
        self.events.push(Reverse((at, self.sent, event)));
    }

    fn happen(&mut self, now: Time, event: Event) {
        match event {
            Event::Ran(worker) => self.ran(now, worker),
            Event::Heard(worker, said) => self.heard(now, worker, said),
            Event::Given(worker, item) => self.given(now, worker, item),
            Event::Asked(worker) => self.workers[worker].is_asked = true,
        }
    }

    fn given(&mut self, now: Time, worker: usize, item: usize) {
        let Some(Item::Branches(branches)) = self.items[item].take() else { return };
        let (schedule, steps, ..) = branches.parts();
        self.workers[worker].walk = Some(Walk::new(self.setting.shape, schedule, steps));
        self.send(now + self.setting.run, Event::Ran(worker));
    }

    fn ran(&mut self, now: Time, worker: usize) {
        let (link, run, batch) = (self.setting.link, self.setting.run, self.setting.batch);
        let Worker { walk, is_asked } = &mut self.workers[worker];
        let Some(walking) = walk else { return };
        self.outcome.runs += 1;
        let goes_on = walking.advance();
        let shares = std::mem::take(is_asked);
        let given: Vec<Branches> = if shares && goes_on { walking.give_away(batch) } else { Vec::new() };
        if !goes_on {
            *walk = None;
        }
        if shares {
            self.count_account(given.iter().map(|branches| Report::Released(released(branches))).collect());
            self.shared.push(given);
            self.send(now + link, Event::Heard(worker, Said::Shared(self.shared.len() - 1)));
        }
        if goes_on {
            self.send(now + run, Event::Ran(worker));
        } else {
            self.count_account(vec![Report::Finished(Vec::new())]);
            self.send(now + link, Event::Heard(worker, Said::Finished));
        }
    }

    /// Counts a message from a worker.
    fn count_account(&mut self, reports: Vec<Report>) {
        let account = Account { item: self.sent, epoch: 0, runs: (1, 1), reports };
        self.outcome.messages += 1;
        self.outcome.bytes += seal(&account, &Names::default()).len() as u64;
    }

    /// The controller acts on a message, when it has time to.
    fn heard(&mut self, now: Time, worker: usize, said: Said) {
        self.free_at = self.free_at.max(now) + self.setting.service;
        self.busy += self.setting.service;
        match said {
            Said::Finished => {
                self.controller.hear(worker, Report::Finished(Vec::new())).expect("it had an item");
                self.asked.remove(&worker);
                self.idle.insert(worker);
            }
            Said::Shared(place) => {
                self.asked.remove(&worker);
                for branches in std::mem::take(&mut self.shared[place]) {
                    self.controller.hear(worker, Report::Released(released(&branches))).expect("it has an item");
                }
            }
        }
        self.hand_out();
        self.ask();
    }

    fn hand_out(&mut self) {
        while let Some(&worker) = self.idle.first()
            && let Some(item) = self.controller.next(worker)
        {
            self.idle.remove(&worker);
            let assignment = Assignment { item: self.sent, epoch: 0, budget: None, what: item.clone() };
            self.outcome.messages += 1;
            self.outcome.bytes += seal(&assignment, &Names::default()).len() as u64;
            self.items.push(Some(item));
            self.send(self.free_at + self.setting.link, Event::Given(worker, self.items.len() - 1));
        }
    }

    /// Asks as many of the busy to share as there are idle ones.
    fn ask(&mut self) {
        let busy = self.workers.len() - self.idle.len();
        let wanted = self.idle.len().div_ceil(self.setting.batch).min(busy);
        let mut looked = 0;
        while self.asked.len() < wanted && looked < self.workers.len() {
            let worker = self.next_asked % self.workers.len();
            self.next_asked += 1;
            looked += 1;
            if !self.idle.contains(&worker) && self.asked.insert(worker) {
                self.outcome.messages += 1;
                self.outcome.bytes += 16;
                self.send(self.free_at + self.setting.link, Event::Asked(worker));
            }
        }
    }
}

fn released(branches: &Branches) -> Released {
    Released::Branches(Box::new(branches.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTING: Setting =
        Setting { workers: 1, shape: Shape::Binary(10), run: 50_000, link: 20_000, service: 3_000, batch: 4 };

    #[test]
    fn everything_is_run_once_whoever_runs_it() {
        for shape in [Shape::Binary(10), Shape::Wide(8, 4), Shape::Irregular(900, 7)] {
            let alone = simulate(Setting { shape, ..SETTING });
            assert_eq!(alone.runs, shape.leaves());
            for workers in [2, 3, 17, 200] {
                for batch in [1, 8] {
                    assert_eq!(simulate(Setting { shape, workers, batch, ..SETTING }).runs, alone.runs, "{shape:?}");
                }
            }
        }
    }

    #[test]
    fn workers_help_until_the_controller_has_no_time() {
        let with = |workers, service| simulate(Setting { workers, service, shape: Shape::Binary(14), ..SETTING });
        assert!(with(1, 3_000).speed_up > 0.99);
        assert!(with(16, 3_000).speed_up > 12.0);
        let slow = with(64, 400_000);
        assert!(slow.speed_up < with(64, 3_000).speed_up / 2.0, "{slow:?}");
    }

    #[test]
    fn the_same_setting_has_the_same_outcome() {
        let setting = Setting { workers: 33, ..SETTING };
        assert_eq!(simulate(setting), simulate(setting));
    }
}
