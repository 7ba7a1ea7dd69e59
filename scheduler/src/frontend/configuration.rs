//! The configuration (SCALE, Definition 12 and section 5.3.2), and the hash of the state that it stands for.
//!
//! A state is represented by the set of extended actions that led to it (section 5.3.4). Each extended action carries
//! the versions of the variables it accessed, and how many requests (to cancel itself, to handle a signal) its thread
//! had got: all that the happens-before graph says. So equivalent schedules give equal sets. The hash of a state is the
//! exclusive or of 128 bits of BLAKE3 of each member: it is extended and taken back in constant time as the search
//! moves along a path.

use super::Execution;
use super::extended::{ExtendedAction, Fingerprint, Memo, VariableHasher};
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{AccessKind, Action, Choice, MAX_THREADS, ThreadId, Variable};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// No step of the same thread follows.
const NONE: u32 = u32::MAX;

/// What every thread does next, and how often every variable was written.
#[derive(Debug)]
pub struct Configuration {
    next: Vec<Option<Action>>,
    /// For each step that is left of the run, the last one first: the next one of the same thread.
    following: Vec<u32>,
    /// What the numbers of steps count from.
    begun_at: usize,
    /// How many steps lead to the state.
    depth: usize,
    steps: Vec<u32>,
    /// How many requests each thread has got, on which it may act at any of its steps.
    requests: Vec<u32>,
    versions: HashMap<Variable, u32, BuildHasherDefault<VariableHasher>>,
    /// How often memory as a whole was written: every step accesses it.
    memory_version: u32,
    fingerprint: Fingerprint,
    /// The hashes of the states on the way, without the last one.
    trail: Vec<Fingerprint>,
    memo: Memo,
}

impl Configuration {
    /// Before the first step.
    #[must_use]
    pub fn initial() -> Configuration {
        Configuration {
            next: Vec::new(),
            following: Vec::new(),
            begun_at: 0,
            depth: 0,
            steps: vec![0; MAX_THREADS],
            requests: vec![0; MAX_THREADS],
            versions: HashMap::default(),
            memory_version: 0,
            fingerprint: 0,
            trail: Vec::new(),
            memo: Memo::default(),
        }
    }

    /// The hash of the state.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// What the thread does next, as far as that is certain before it is done: what came of it in this run may be
    /// different from here.
    #[must_use]
    pub fn next_action(&self, thread: ThreadId) -> Option<Action> {
        self.next.get(thread.index())?.map(|action| action.as_of(self.depth).announced())
    }

    /// What each thread does next, as in [`Configuration::next_action`].
    pub fn next_actions(&self) -> impl Iterator<Item = Action> {
        self.next.iter().flatten().map(|action| action.as_of(self.depth).announced())
    }

    /// A run goes on from the state after its first `depth` steps, which is the state of this configuration: each
    /// thread's first action from there on becomes its next one.
    pub fn begin(&mut self, execution: &Execution, depth: usize) {
        let left = execution.steps.get(depth..).unwrap_or_default();
        let actions = left.iter().map(|step| &step.action).chain(&execution.pending);
        let threads = actions.map(|action| action.thread.index() + 1).max().unwrap_or(0);
        let mut first = [NONE; MAX_THREADS];
        self.following.clear();
        for (index, step) in left.iter().enumerate().rev() {
            self.following.push(std::mem::replace(&mut first[step.action.thread.index()], index as u32));
        }
        self.next.clear();
        self.next.extend(first[..threads].iter().map(|&index| left.get(index as usize).map(|step| step.action)));
        for action in &execution.pending {
            self.next[action.thread.index()].get_or_insert(*action);
        }
        (self.begun_at, self.depth) = (depth, depth);
    }

    /// Takes the next step of the run.
    pub fn advance(&mut self, execution: &Execution, index: usize) {
        let step = &execution.steps[index];
        let thread = step.action.thread;
        self.extend(step);
        self.depth = index + 1;
        let later = self.following.pop().and_then(|later| execution.steps.get(self.begun_at + later as usize));
        self.next[thread.index()] = match later {
            Some(later) => Some(later.action),
            None => execution.pending.iter().find(|action| action.thread == thread).copied(),
        };
    }

    /// Adds the step to the state.
    fn extend(&mut self, step: &Step) {
        let extended = self.extended(&step.action, step.choice);
        self.trail.push(self.fingerprint);
        self.fingerprint ^= self.memo.hash_of(&extended);
        self.steps[step.action.thread.index()] += 1;
        self.count_writes(&step.action, 1);
    }

    /// Takes back the last step.
    pub fn retract(&mut self, step: &Step) {
        self.count_writes(&step.action, -1);
        self.steps[step.action.thread.index()] -= 1;
        self.fingerprint = self.trail.pop().unwrap_or(0);
    }

    /// The variables that the action writes have been written once more, or less, and so have whom it asks for
    /// something.
    fn count_writes(&mut self, action: &Action, change: i32) {
        if action.is_request() {
            let reached = |&index: &usize| ThreadId::from_index(index).is_some_and(|thread| action.reaches(thread));
            (0..MAX_THREADS).filter(reached).for_each(|index| {
                self.requests[index] = self.requests[index].wrapping_add_signed(change);
            });
        }
        for access in action.state_accesses().filter(|access| access.kind == AccessKind::Write) {
            let version = match access.variable {
                Variable::MEMORY => Some(&mut self.memory_version),
                variable => self.versions.get_mut(&variable),
            };
            match version {
                Some(version) => *version = version.wrapping_add_signed(change),
                None => _ = self.versions.insert(access.variable, u32::from(change > 0)),
            }
        }
    }

    /// The hash of the state that a step would lead to. None for a thread that is not there.
    pub fn fingerprint_after(&mut self, token: Token) -> Option<Fingerprint> {
        let action = (*self.next.get(token.thread.index())?)?.as_of(self.depth);
        let extended = self.extended(&action, token.choice);
        Some(self.fingerprint ^ self.memo.hash_of(&extended))
    }

    fn extended(&self, action: &Action, choice: Choice) -> ExtendedAction {
        let mut accesses = [(Variable(0), 0); 3];
        for (slot, access) in accesses.iter_mut().zip(action.state_accesses()) {
            *slot = (access.variable, self.version(access.variable));
        }
        let (thread, index) = (action.thread, action.thread.index());
        let (step, requests) = (self.steps[index], self.requests[index]);
        ExtendedAction { thread, step, requests, op: action.op as u8, choice, accesses }
    }

    fn version(&self, variable: Variable) -> u32 {
        match variable {
            Variable::MEMORY => self.memory_version,
            variable => self.versions.get(&variable).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rscale_protocol::{Op, ThreadSet};
    use std::collections::HashSet;

    fn step(thread: u16, address: u64) -> Step {
        let action = Action::new(ThreadId(thread), Op::MutexLock, Variable(address));
        Step { action, choice: Choice::Proceed, result: 0, enabled: [ThreadSet::EMPTY; 3] }
    }

    fn fingerprint_of(steps: &[Step]) -> Fingerprint {
        let mut configuration = Configuration::initial();
        steps.iter().for_each(|step| configuration.extend(step));
        configuration.fingerprint()
    }

    /// A signal wakes the only waiter: from that step on, and not before, it is about to take its mutex back.
    #[test]
    fn a_wake_up_changes_what_another_thread_does_next() {
        let on = |thread, op, object| Action::new(ThreadId(thread), op, Variable(object));
        let wait = Action { second: Variable(64), ..on(1, Op::CondWait, 128) };
        let retake = Action { second: Variable(128), count: 2, ..on(1, Op::CondRetake, 64) };
        let taken = |action| Step { action, ..step(0, 64) };
        let steps = [wait, on(0, Op::CondSignal, 128), retake].map(taken).to_vec().into();
        let execution = Execution { steps, ..Execution::default() };
        let mut configuration = Configuration::initial();
        configuration.begin(&execution, 0);
        configuration.advance(&execution, 0);
        let wake = configuration.next_action(ThreadId(1)).expect("a waiter");
        assert_eq!((wake.op, wake.object), (Op::CondWake, Variable(128)));
        let time_out = Token { thread: ThreadId(1), choice: Choice::TimeOut };
        let expected = {
            let mut other = Configuration::initial();
            [taken(wait), Step { choice: Choice::TimeOut, ..taken(wake) }].iter().for_each(|step| other.extend(step));
            other.fingerprint()
        };
        assert_eq!(configuration.fingerprint_after(time_out), Some(expected), "as a run in which it times out");
        configuration.advance(&execution, 1);
        assert_eq!(configuration.next_action(ThreadId(1)), Some(retake));
    }

    /// What threads do: some operations on one object, on two, on none, on threads, requests, reads and writes.
    fn any_action() -> impl Strategy<Value = Action> {
        use Op::{CondSignal, CondWait, MutexLock, MutexUnlock, Read, SemPost, ThreadJoin, VainUpdate, Write};
        use Op::{ThreadCancel, ThreadKill, Yield};
        let ops = [MutexLock, MutexUnlock, Read, Read, Write, SemPost, CondSignal, CondWait, ThreadJoin, VainUpdate];
        let ops = [ops.as_slice(), &[Yield, ThreadCancel, ThreadKill]].concat();
        (prop::sample::select(ops), 1u16..5, 5u64..7).prop_map(|(op, object, second)| {
            let is_request = matches!(op, ThreadCancel | ThreadKill);
            let thread = Variable::thread(ThreadId(object - 1));
            let object = if is_request { thread } else { Variable(u64::from(object) * 64) };
            Action { second: Variable(second * 64), ..Action::new(ThreadId(0), op, object) }
        })
    }

    /// Some threads, each with what it does.
    fn any_threads() -> impl Strategy<Value = Vec<Vec<Action>>> {
        prop::collection::vec(prop::collection::vec(any_action(), 1..6), 2..5)
    }

    /// One order of all that the threads do.
    fn shuffled(threads: &[Vec<Action>], mut seed: u64) -> Vec<Step> {
        let mut left: Vec<_> = threads.iter().map(|actions| actions.iter()).collect();
        let mut steps = Vec::new();
        while left.iter().any(|actions| actions.len() > 0) {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let thread = (seed >> 33) as usize % left.len();
            let action = left[thread].next().map(|action| Action { thread: ThreadId(thread as u16), ..*action });
            steps.extend(action.map(|action| Step { action, ..step(0, 64) }));
        }
        steps
    }

    /// For all pairs of dependent steps, which of them comes first: what makes schedules of one program equivalent.
    fn order_of_dependent(steps: &[Step]) -> HashSet<[(u16, usize); 2]> {
        let mut taken = [0; 8];
        let mut number = |step: &Step| {
            let thread = step.action.thread;
            taken[thread.index()] += 1;
            (thread.0, taken[thread.index()])
        };
        let names: Vec<_> = steps.iter().map(&mut number).collect();
        let pairs = (0..steps.len()).flat_map(|last| (0..last).map(move |first| (first, last)));
        let dependent = pairs.filter(|&(first, last)| steps[first].action.is_dependent(&steps[last].action));
        dependent.map(|(first, last)| [names[first], names[last]]).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        /// Two schedules of one program have the same hash if and only if they order dependent steps in the same way.
        #[test]
        fn hashes_tell_schedules_apart_that_are_not_equivalent(threads in any_threads(), one: u64, other: u64) {
            let (one, other) = (shuffled(&threads, one), shuffled(&threads, other));
            let is_equivalent = order_of_dependent(&one) == order_of_dependent(&other);
            prop_assert_eq!(fingerprint_of(&one) == fingerprint_of(&other), is_equivalent);
        }

        /// However often independent neighbours change places.
        #[test]
        fn hashes_of_equivalent_schedules_are_equal(threads in any_threads(), seed: u64, swaps in prop::collection::vec(any::<prop::sample::Index>(), 1..200)) {
            let original = shuffled(&threads, seed);
            let mut schedule = original.clone();
            for at in swaps {
                let at = at.index(schedule.len() - 1);
                if !schedule[at].action.is_dependent(&schedule[at + 1].action) {
                    schedule.swap(at, at + 1);
                }
            }
            prop_assert_eq!(order_of_dependent(&original), order_of_dependent(&schedule));
            prop_assert_eq!(fingerprint_of(&original), fingerprint_of(&schedule));
        }
    }

    proptest! {
        /// Swapping neighbours that are independent keeps the hash; swapping dependent ones changes it.
        #[test]
        fn equivalent_schedules_have_equal_hashes(steps in prop::collection::vec((0u16..4, 1u64..5), 2..20), at: prop::sample::Index) {
            let mut schedule: Vec<Step> = steps.iter().map(|&(thread, object)| step(thread, object * 64)).collect();
            let before = fingerprint_of(&schedule);
            let at = at.index(schedule.len() - 1);
            let (left, right) = (schedule[at].action, schedule[at + 1].action);
            schedule.swap(at, at + 1);
            let after = fingerprint_of(&schedule);
            if left.is_dependent(&right) {
                prop_assert_eq!(before == after, left == right);
            } else {
                prop_assert_eq!(before, after);
            }
        }

        #[test]
        fn taking_back_restores_the_hash(steps in prop::collection::vec((0u16..4, 1u64..5), 1..20)) {
            let mut configuration = Configuration::initial();
            let steps: Vec<Step> = steps.iter().map(|&(thread, object)| step(thread, object * 64)).collect();
            let mut trail = Vec::new();
            for step in &steps {
                trail.push(configuration.fingerprint());
                configuration.extend(step);
            }
            for step in steps.iter().rev() {
                configuration.retract(step);
                prop_assert_eq!(Some(configuration.fingerprint()), trail.pop());
            }
        }
    }
}
