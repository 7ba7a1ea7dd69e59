//! Data races (`--races`): two accesses of different threads to the same bytes, at least one of them a write and at
//! least one of them not atomic, that synchronisation does not order.
//!
//! With `--races` the shim makes a communication variable of whatever synchronisation leaves unordered, so that both
//! accesses stand in the log of the execution. Here the log is read once more, with the clocks of synchronisation
//! ([order]), and with what debug information says about atomic types and functions, which the shim does not know
//! ([accesses]).

mod accesses;
mod held;
mod order;
#[cfg(test)]
mod tests;

pub use accesses::Way;
pub use held::{Held, held_at};

use crate::backend::Target;
use crate::explain::{Code, Explainer, Subject};
use accesses::{Access, Pair};
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Op, ThreadId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A data race of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The name of what both access.
    pub name: String,
    /// The access that was made first.
    pub first: Side,
    /// The other one.
    pub second: Side,
    /// Where an access is made of which nothing tells whether it is atomic; if it is, this may be no race.
    pub unless_atomic: Option<String>,
}

/// One access of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The step in which it takes place, or becomes visible.
    pub step: usize,
    /// Who makes it.
    pub thread: ThreadId,
    /// What it does, in words.
    pub what: &'static str,
    /// Where, as `file.c:12`.
    pub place: String,
}

impl Race {
    /// How many steps show it.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.first.step.max(self.second.step) + 1
    }

    /// The race in one line: the same for every execution that shows it, whoever comes first.
    #[must_use]
    pub fn message(&self) -> String {
        let mut sides = [&self.first, &self.second].map(|side| format!("{} at {}", side.what, side.place));
        sides.sort();
        let perhaps = if self.unless_atomic.is_some() { "perhaps " } else { "" };
        format!("{perhaps}nothing orders two accesses to {}: {} and {}", self.name, sides[0], sides[1])
    }
}

/// What is known of the program's accesses: names take long to look up, and code does not change.
#[derive(Default)]
pub struct Detector {
    explainer: Option<Explainer>,
    /// Whether code is atomic, by the address behind an instruction.
    code: HashMap<u64, Code>,
    /// What an access is about, by its variable and code.
    subjects: HashMap<(u64, u64), Subject>,
}

/// Whether an access is atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Atomicity {
    Atomic,
    Plain,
    /// Nothing tells.
    Unclear,
}

/// What a look at an execution came to.
pub enum Looked {
    /// Its races.
    Found(Vec<Race>),
    /// There may be races, depending on what these steps are about; that can only be seen when they are taken.
    Unknown(Vec<usize>),
}

impl Detector {
    /// The process is another one: its names may be, too.
    pub fn forget(&mut self) {
        *self = Detector::default();
    }

    /// Looks for the races of an execution that has just run. What may be atomic or not is taken to be plain, so that
    /// no race is missed; a race that is none if it is atomic says so, and comes last.
    pub fn look(&mut self, steps: &[Step], target: &Target) -> Looked {
        let explainer = self.explainer.take().unwrap_or_else(|| Explainer::new(target));
        let (mut unknown, mut unclear) = (Vec::new(), None);
        let pairs = accesses::find(steps, &mut |index, action| match self.atomicity(action, &explainer) {
            Some(Atomicity::Unclear) => {
                unclear.get_or_insert(action.pc);
                false
            }
            Some(known) => known == Atomicity::Atomic,
            None => {
                unknown.push(index);
                false
            }
        });
        let looked = match (pairs.is_empty(), unknown.is_empty()) {
            (false, false) => Looked::Unknown(unknown),
            (true, _) => Looked::Found(Vec::new()),
            (false, true) => Looked::Found(self.judged(&pairs, unclear, steps, &explainer)),
        };
        self.explainer = Some(explainer);
        looked
    }

    /// The races in words, the certain ones first.
    fn judged(&mut self, pairs: &[Pair], unclear: Option<u64>, steps: &[Step], explainer: &Explainer) -> Vec<Race> {
        let certain = unclear.map(|_| {
            accesses::find(steps, &mut |_, action| self.atomicity(action, explainer) != Some(Atomicity::Plain))
        });
        let is_certain = |pair: &Pair| {
            certain.as_ref().is_none_or(|certain| certain.iter().any(|other| other.is_by_same_code(pair)))
        };
        let (certain, others): (Vec<&Pair>, Vec<&Pair>) = pairs.iter().partition(|pair| is_certain(pair));
        let doubt = unclear.map(|pc| explainer.place_of(pc));
        let certain = certain.into_iter().map(|pair| self.race(pair, None, steps, explainer));
        let mut races: Vec<Race> = certain.collect();
        races.extend(others.into_iter().map(|pair| self.race(pair, doubt.clone(), steps, explainer)));
        races
    }

    /// A step is about to be taken of which it was not known what it is about.
    pub fn learn(&mut self, action: &Action, target: &Target) {
        let explainer = self.explainer.get_or_insert_with(|| Explainer::new(target));
        let subject = explainer.subject(action.object, u64::from(action.count), target);
        self.subjects.insert(key(action), subject);
    }

    /// Whether an access is atomic; None if it can be known when what it is about has been learnt.
    fn atomicity(&mut self, action: &Action, explainer: &Explainer) -> Option<Atomicity> {
        if matches!(action.op, Op::AtomicUpdate | Op::VainUpdate) {
            return Some(Atomicity::Atomic);
        }
        let bytes = accesses::bytes(action);
        let code = self.code.entry(action.pc).or_insert_with(|| explainer.code(action.pc, bytes.end - bytes.start));
        if *code == Code::Atomic {
            return Some(Atomicity::Atomic);
        }
        let subject = match self.subjects.entry(key(action)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(explainer.fixed_subject(action)?),
        };
        let is_atomic = match (subject.is_atomic, code) {
            (None, Code::Unclear) => return Some(Atomicity::Unclear),
            (Some(true), _) | (None, Code::AtomicByName) => true,
            (known, Code::AtomicRead(word)) => {
                let is_meant = word.is_empty() || known.is_none() || word == subject.last_word();
                accesses::way(action) == Some(Way::Read) && is_meant
            }
            (_, Code::AtomicWrite) => accesses::way(action) == Some(Way::Write),
            _ => false,
        };
        Some(if is_atomic { Atomicity::Atomic } else { Atomicity::Plain })
    }

    fn race(&self, pair: &Pair, unless_atomic: Option<String>, steps: &[Step], explainer: &Explainer) -> Race {
        let side = |access: &Access| Side {
            step: access.step,
            thread: access.thread,
            what: what(access.way, access.is_atomic),
            place: explainer.place_of(access.pc),
        };
        let known = [&pair.first, &pair.second].into_iter().find_map(|access| {
            let action = &steps[access.step].action;
            let known = self.subjects.get(&key(action)).cloned();
            known.or_else(|| explainer.fixed_subject(action))
        });
        let name = known.map_or_else(|| format!("{:#x}", pair.variable.0), |subject| subject.name);
        Race { name, first: side(&pair.first), second: side(&pair.second), unless_atomic }
    }
}

fn key(action: &Action) -> (u64, u64) {
    (action.object.0, action.pc)
}

fn what(way: Way, is_atomic: bool) -> &'static str {
    match (way, is_atomic) {
        (Way::Read, false) => "read",
        (Way::Write, false) => "write",
        (Way::Update, false) => "update",
        (Way::Read, true) => "atomic read",
        (Way::Write, true) => "atomic write",
        (Way::Update, true) => "atomic update",
    }
}
