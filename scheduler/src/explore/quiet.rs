//! Steps that are taken as soon as they can be, because nobody notices when ([`Quiet`]).
//!
//! Where a thread is about to take such a step, only that step is explored. Nothing is lost if whatever the others do,
//! for as long as that thread waits, is independent of the step: then every schedule is equivalent to one that takes it
//! first (it is a persistent set of its own). Who starts, ends, creates a thread or joins one that has ended acts on
//! that thread's life alone, and others can at most wait for its end. Who unlocks a mutex holds it: others can only
//! wait for it.
//!
//! That is not so in every program. Threads may cancel, detach or signal each other, look whether one has ended, try
//! locks that are taken, wait for them for some time, destroy them (what lies on the heap may also be freed, which is
//! no step: such locks are not quiet at all); the process may end before a thread does, or crash; and what waits for a
//! word in memory may find what unseen code behind any step has written. Such a step is *loud*. Nothing is assumed
//! about a program before it is seen: the search looks at what every thread is about to do in each state, and begins
//! anew, without the steps that are not quiet after all, once somebody is about to do something loud.
//!
//! It can not miss that. Take a shortest schedule behind which a thread is about to take a loud step. No step of it is
//! loud itself, so the search explores one that is equivalent to it or goes on from there, with the same thread about
//! to do the same. A quiet step that fails shows the same: a lock was not held, or a thread not there.
//!
//! What is left out are states: those in which the others have gone on while a thread was about to take a quiet step.
//! So invariants need every step, and so do bounds that count them.

use super::Path;
use crate::frontend::{Configuration, VariableHasher};
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Op, Quiet, ThreadId, ThreadSet, Variable};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex, PoisonError};

/// What is quiet, as far as is known.
#[derive(Default)]
pub struct QuietSteps {
    kinds: Quiet,
    /// Who joins which thread, as far as this search has seen it.
    joins: Joins,
    /// The same, of all that share the search.
    all_joins: Arc<Mutex<Joins>>,
    was_wrong: bool,
}

type Joins = HashMap<Variable, ThreadId, BuildHasherDefault<VariableHasher>>;

/// What has been learned, for all that share a search.
#[derive(Clone, Debug, Default)]
pub struct KnownQuiet {
    kinds: Quiet,
    joins: Arc<Mutex<Joins>>,
}

impl KnownQuiet {
    /// The same for another process.
    #[must_use]
    pub fn saved(&self) -> (u32, Vec<(u64, u16)>) {
        saved(self.kinds, &self.joins.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn saved(kinds: Quiet, joins: &Joins) -> (u32, Vec<(u64, u16)>) {
    let mut joins: Vec<(u64, u16)> = joins.iter().map(|(joined, joiner)| (joined.0, joiner.0)).collect();
    joins.sort_unstable();
    (kinds.to_code(), joins)
}

impl QuietSteps {
    /// Every kind, until something loud shows.
    #[must_use]
    pub fn all() -> QuietSteps {
        QuietSteps { kinds: Quiet::ALL, ..QuietSteps::default() }
    }

    /// No step is taken before its turn.
    #[must_use]
    pub fn none() -> QuietSteps {
        QuietSteps::default()
    }

    /// The kinds of steps that are quiet.
    #[must_use]
    pub fn kinds(&self) -> Quiet {
        self.kinds
    }

    /// The thread that goes first where these can proceed, if one is about to take a quiet step.
    #[must_use]
    pub fn next(&self, proceeding: ThreadSet, configuration: &Configuration) -> Option<ThreadId> {
        if self.kinds.is_empty() {
            return None;
        }
        let is_quiet =
            |thread: &ThreadId| configuration.next_action(*thread).is_some_and(|action| self.kinds.includes(&action));
        proceeding.iter().find(is_quiet)
    }

    /// Looks at the step that led to the last state of the path, and at what its thread does next.
    pub fn learn(&mut self, path: &Path, configuration: &Configuration) {
        if self.kinds.is_empty() {
            return;
        }
        let last = path.nodes().len().checked_sub(2).and_then(|index| path.nodes()[index].taken.as_ref());
        let next = configuration.next_action(last.map_or(ThreadId::MAIN, |step| step.action.thread));
        let mut loud = last.map_or(Quiet::NOTHING, failed);
        if let Some(action) = next {
            loud = loud.and(disturbed_by(&action)).and(self.joined_again(&action));
        }
        self.hear(loud);
    }

    /// The program came to an early end, for all threads at once: whatever the others would have done comes too late.
    pub fn learn_of_early_end(&mut self) {
        self.hear(Quiet::ALL);
    }

    fn hear(&mut self, loud: Quiet) {
        let wrong = self.kinds.among(loud);
        self.was_wrong |= !wrong.is_empty();
        self.kinds = self.kinds.without(wrong);
    }

    /// Whether something was taken for quiet that is not.
    #[must_use]
    pub fn was_wrong(&self) -> bool {
        self.was_wrong
    }

    /// What has been learned.
    #[must_use]
    pub fn known(&self) -> KnownQuiet {
        KnownQuiet { kinds: self.kinds, joins: self.all_joins.clone() }
    }

    /// Goes by what others have learned, and learns with them.
    pub fn agree_with(&mut self, known: &KnownQuiet) {
        (self.kinds, self.all_joins) = (known.kinds, known.joins.clone());
    }

    /// What has been learned, for another process: the kinds, and who joins which thread.
    #[must_use]
    pub fn saved(&self) -> (u32, Vec<(u64, u16)>) {
        saved(self.kinds, &self.joins)
    }

    /// Goes by what another process has learned.
    pub fn restore(&mut self, (kinds, joins): &(u32, Vec<(u64, u16)>)) {
        self.kinds = self.kinds.among(Quiet::from_code(*kinds));
        self.joins = joins.iter().map(|&(joined, joiner)| (Variable(joined), ThreadId(joiner))).collect();
        let mut all = self.all_joins.lock().unwrap_or_else(PoisonError::into_inner);
        all.clone_from(&self.joins);
    }

    /// The search begins anew, with what has been learned.
    pub fn restart(&mut self) {
        self.was_wrong = false;
    }

    /// Lives are not quiet where two threads join the same one.
    fn joined_again(&mut self, action: &Action) -> Quiet {
        if action.op != Op::ThreadJoin {
            return Quiet::NOTHING;
        }
        let ask_all = || {
            let mut all = self.all_joins.lock().unwrap_or_else(PoisonError::into_inner);
            *all.entry(action.object).or_insert(action.thread)
        };
        let joiner = *self.joins.entry(action.object).or_insert_with(ask_all);
        if joiner == action.thread { Quiet::NOTHING } else { Quiet::LIVES }
    }
}

/// What can not be quiet if the step came out like this.
fn failed(step: &Step) -> Quiet {
    match step.result {
        0 => Quiet::NOTHING,
        _ => Quiet::of(&step.action),
    }
}

/// What can not be quiet if a thread may do this.
fn disturbed_by(action: &Action) -> Quiet {
    match action.op {
        Op::ThreadCancel | Op::ThreadKill | Op::SignalWait | Op::FutexWait => Quiet::ALL,
        Op::AtomicBegin | Op::AtomicEnd | Op::Fork | Op::ProcessExit => Quiet::ALL,
        Op::ThreadTryJoin | Op::ThreadDetach => Quiet::LIVES,
        Op::ThreadJoin if action.is_timed() => Quiet::LIVES,
        Op::MutexInit | Op::MutexTryLock | Op::MutexDestroy | Op::MutexConsistent => Quiet::LOCKS,
        Op::MutexAbandon => Quiet::LOCKS,
        Op::MutexLock if action.is_timed() => Quiet::LOCKS,
        _ => Quiet::NOTHING,
    }
}
