//! Conflicting accesses that nothing orders, in the log of an execution.
//!
//! A buffered store is made where its thread makes it, and not where it becomes visible: that is what a language has
//! its threads agree on. An atomic store hands on what its thread knew when it made it, once others can see it.

use super::order::{Clock, Moment, Order};
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Op, ThreadId, Variable};
use std::collections::HashMap;
use std::ops::Range;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Way {
    /// It sees what is there.
    Read,
    /// It replaces it.
    Write,
    /// Both in one step.
    Update,
}

/// One access of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The step in which it takes place, or becomes visible.
    pub step: usize,
    /// The thread of the program.
    pub thread: ThreadId,
    /// What it does.
    pub way: Way,
    /// Whether it synchronises.
    pub is_atomic: bool,
    /// The address behind the instruction.
    pub pc: u64,
    bytes: Range<u64>,
}

/// Two accesses that nothing orders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The variable that both touch.
    pub variable: Variable,
    /// The one that was made first.
    pub first: Access,
    /// The other one.
    pub second: Access,
}

/// The races of an execution, each pair of places once, in the order in which they are complete.
#[must_use]
pub fn find(steps: &[Step], is_atomic: &mut dyn FnMut(usize, &Action) -> bool) -> Vec<Pair> {
    let mut search = Search::default();
    let stores = stores_by_issue(steps);
    let mut stores = stores.iter().peekable();
    for (index, step) in steps.iter().enumerate() {
        while let Some(&(_, flush)) = stores.next_if(|&&(issued, _)| issued as usize <= index) {
            search.issue(flush, &steps[flush].action, is_atomic);
        }
        search.step(index, step, is_atomic);
    }
    search.found.sort_by_key(|pair| pair.first.step.max(pair.second.step));
    search.found
}

/// Every flush, by how many steps there had been when its store was made.
fn stores_by_issue(steps: &[Step]) -> Vec<(u32, usize)> {
    let flush = |(index, step): (usize, &Step)| Some((step.action.origin()?.steps, index));
    let mut stores: Vec<(u32, usize)> = steps.iter().enumerate().filter_map(flush).collect();
    stores.sort_by_key(|&(issued, index)| (issued, steps[index].action.second));
    stores
}

/// How a step accesses memory, if it does and libc does not protect it.
#[must_use]
pub fn way(action: &Action) -> Option<Way> {
    let is_protected = action.flags & Action::PROTECTED != 0;
    match action.op {
        _ if is_protected => None,
        Op::Read | Op::OwnRead | Op::VainUpdate => Some(Way::Read),
        Op::Write | Op::Flush => Some(Way::Write),
        Op::AtomicUpdate => Some(Way::Update),
        _ => None,
    }
}

/// The thread of the program that an access belongs to.
fn actor(action: &Action) -> ThreadId {
    let owner = action.second.as_store().filter(|_| action.op == Op::Flush);
    owner.map_or(action.thread, |(owner, _)| owner)
}

/// The bytes that a step accesses.
pub fn bytes(action: &Action) -> Range<u64> {
    let (offset, length) = action.extent.bytes().unwrap_or((0, u64::from(action.count).max(1)));
    let start = action.object.0.saturating_add(offset);
    start..start.saturating_add(length)
}

/// What is known of a location.
#[derive(Default)]
struct Place {
    /// Of each thread's accesses from each place in the code the last one: what is unordered with an earlier one is so
    /// with a later one.
    accesses: Vec<(Access, Moment)>,
    /// What the atomic store that lies there hands on.
    handed_on: Clock,
}

#[derive(Default)]
struct Search {
    order: Order,
    places: HashMap<Variable, Place>,
    /// What atomic stores hand on that are not visible yet, by their flushes.
    buffered: HashMap<usize, Clock>,
    found: Vec<Pair>,
}

impl Search {
    fn step(&mut self, index: usize, step: &Step, is_atomic: &mut dyn FnMut(usize, &Action) -> bool) {
        let action = &step.action;
        let Some(way) = way(action) else { return self.order.step(index, step) };
        if action.op == Op::Flush {
            if let Some(clock) = self.buffered.remove(&index) {
                self.hand_on(action, clock, false);
            }
            return;
        }
        let is_atomic = is_atomic(index, action);
        if is_atomic && way != Way::Write {
            let handed_on = self.place(action).handed_on.clone();
            self.order.learn(action.thread, &handed_on);
        }
        self.meet(index, action, way, is_atomic);
        if is_atomic && way != Way::Read {
            let clock = self.order.publish(action.thread);
            self.hand_on(action, clock, way == Way::Update);
        }
    }

    /// A store is put into the buffer.
    fn issue(&mut self, flush: usize, action: &Action, is_atomic: &mut dyn FnMut(usize, &Action) -> bool) {
        if way(action).is_none() {
            return;
        }
        let is_atomic = is_atomic(flush, action);
        self.meet(flush, action, Way::Write, is_atomic);
        if is_atomic {
            let clock = self.order.publish(actor(action));
            self.buffered.insert(flush, clock);
        }
    }

    fn place(&mut self, action: &Action) -> &mut Place {
        self.places.entry(action.object).or_default()
    }

    /// Whoever reads the location from here on learns this; beside what it learnt before, if that is there still.
    fn hand_on(&mut self, action: &Action, clock: Clock, adds: bool) {
        let all = action.object.0..action.object.0.saturating_add(u64::from(action.count).max(1));
        let is_whole = bytes(action) == all;
        let place = self.place(action);
        if adds || !is_whole { place.handed_on.join(&clock) } else { place.handed_on = clock }
    }

    /// Compares an access with those before it.
    fn meet(&mut self, step: usize, action: &Action, way: Way, is_atomic: bool) {
        let thread = actor(action);
        let access = Access { step, thread, way, is_atomic, pc: action.pc, bytes: bytes(action) };
        let now = self.order.now(thread);
        let place = self.places.entry(action.object).or_default();
        for (earlier, moment) in &place.accesses {
            if earlier.conflicts(&access) && !self.order.knows(thread, *moment) {
                let pair = Pair { variable: action.object, first: earlier.clone(), second: access.clone() };
                if !self.found.iter().any(|known| known.is_like(&pair)) {
                    self.found.push(pair);
                }
            }
        }
        place.accesses.retain(|(earlier, _)| !access.replaces(earlier));
        place.accesses.push((access, now));
    }
}

impl Access {
    fn conflicts(&self, other: &Access) -> bool {
        self.thread != other.thread
            && (self.way != Way::Read || other.way != Way::Read)
            && !(self.is_atomic && other.is_atomic)
            && self.bytes.start < other.bytes.end
            && other.bytes.start < self.bytes.end
    }

    fn replaces(&self, earlier: &Access) -> bool {
        (self.thread, self.pc, self.way, self.is_atomic, &self.bytes)
            == (earlier.thread, earlier.pc, earlier.way, earlier.is_atomic, &earlier.bytes)
    }

    fn kind(&self) -> (u64, Way, bool) {
        (self.pc, self.way, self.is_atomic)
    }
}

impl Pair {
    /// Whether it is the same code that races for the same variable.
    fn is_like(&self, other: &Pair) -> bool {
        let kinds = |pair: &Pair| (pair.first.kind(), pair.second.kind());
        let (first, second) = kinds(other);
        self.variable == other.variable && (kinds(self) == (first, second) || kinds(self) == (second, first))
    }

    /// Whether it is the same code, atomic or not, that races for the same variable.
    pub fn is_by_same_code(&self, other: &Pair) -> bool {
        let codes = |pair: &Pair| [&pair.first, &pair.second].map(|access| (access.pc, access.way));
        let [first, second] = codes(other);
        self.variable == other.variable && (codes(self) == [first, second] || codes(self) == [second, first])
    }
}
