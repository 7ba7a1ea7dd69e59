//! `pb=N` and `delay=N`: schedules that need few interventions of the scheduler.
//!
//! Both count what a path costs, and cut what would cost more than the bound: `pb` counts preemptions, `delay` what is
//! passed over by a schedule that is fixed otherwise (Emmi, Qadeer, Rakamaric, 2011). The fixed one is that of the
//! shim: the thread that runs goes on; where it can not, the lowest one does, and threads that yield or sleep come
//! last. To take another thread instead costs one for each that comes before it; a time-out while somebody can proceed
//! costs one. That a store becomes visible costs nothing, at whatever time: it is nobody's turn. A thread that waits
//! for its own stores can go on by itself: to pass it over costs as much as if all of them were visible.
//!
//! What is cut depends on the path, not on the state: a filter that explores each state once would lose what a cheaper
//! path to it allows. So these filters do not go together with one.
//!
//! With a range (`pb=0..3`), the levels are searched one after the other; each goes on where the one before it was cut.

use super::{Filter, FilterInfo, Make, Needs, Preserves};
use crate::explore::{Candidates, Path, Running, running_after};
use crate::frontend::Configuration;
use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, MAX_THREADS, Op, ThreadId, ThreadSet};

pub(super) const PREEMPTIONS: FilterInfo = FilterInfo {
    name: "pb",
    argument: Some("N|N..M"),
    range: 0..=u64::MAX,
    summary: "preemption bound: schedules with at most N preemptions; with a range, one bound after the other",
    needs: Needs { every_path: true, ..Needs::NOTHING },
    make: Make::Filter(|value| Box::new(Bound::new(value, "preemptions", State::preemptions))),
};

pub(super) const DELAYS: FilterInfo = FilterInfo {
    name: "delay",
    argument: Some("N|N..M"),
    range: 0..=u64::MAX,
    summary: "delay bound: schedules that deviate N times at most from one that is fixed; or a range of bounds",
    needs: Needs { every_path: true, ..Needs::NOTHING },
    make: Make::Filter(|value| Box::new(Bound::new(value, "delays", State::delays))),
};

/// A bound on what a path costs.
struct Bound {
    bound: u64,
    unit: &'static str,
    cost: fn(&State, Token) -> u64,
    /// The states on the path.
    states: Vec<State>,
    cut: u64,
    /// What was cut in the last state, and what the path would cost.
    cut_here: Vec<(Token, u64)>,
}

/// What matters of a state.
struct State {
    /// What the path to it has cost.
    spent: u64,
    /// Who ran last.
    running: Option<Running>,
    enabled: [ThreadSet; 3],
    /// Those that wait for their own stores.
    draining: ThreadSet,
    /// Those that let others run.
    polite: ThreadSet,
    /// Those that are about to make a store visible.
    shadows: ThreadSet,
}

impl Bound {
    fn new(bound: Option<u64>, unit: &'static str, cost: fn(&State, Token) -> u64) -> Bound {
        Bound { bound: bound.unwrap_or(0), unit, cost, states: Vec::new(), cut: 0, cut_here: Vec::new() }
    }

    /// What the path to its last state has cost, and who runs there.
    fn arrive(&self, path: &Path) -> (u64, Option<Running>) {
        let [earlier @ .., from, _] = path.nodes() else { return (0, None) };
        let (Some(state), Some(step), Some(token)) = (self.states.last(), &from.taken, from.token()) else {
            return (0, None);
        };
        let before = earlier.last().and_then(|node| node.taken.as_ref());
        let spent = state.spent.saturating_add((self.cost)(state, token));
        let could_go_on = state.running.is_some_and(|running| state.able().contains(running.thread));
        (spent, Some(running_after(state.running, could_go_on, before, step)))
    }
}

impl Filter for Bound {
    fn visit(&mut self, path: &Path, configuration: &mut Configuration, candidates: &mut Candidates) {
        let Some(node) = path.nodes().last() else { return };
        self.states.truncate(path.depth());
        let (spent, running) = self.arrive(path);
        let does = |holds: fn(Op) -> bool| about_to(configuration, holds);
        let (polite, shadows) = (does(Op::lets_others_run), does(|op| op == Op::Flush));
        let draining = does(Op::waits_for_own_stores);
        let state = State { spent, running, enabled: node.enabled, draining, polite, shadows };
        let Bound { bound, cost, cut_here, .. } = self;
        cut_here.clear();
        candidates.retain(|token| {
            let total = spent.saturating_add(cost(&state, token));
            if total > *bound {
                cut_here.push((token, total));
            }
            total <= *bound
        });
        self.cut += u64::from(!self.cut_here.is_empty());
        self.states.push(state);
    }

    fn cut_here(&self) -> &[(Token, u64)] {
        &self.cut_here
    }

    fn raise(&mut self, bound: u64, still_cut: u64) -> bool {
        (self.bound, self.cut) = (bound, still_cut);
        true
    }

    fn restart(&mut self) {
        self.states.clear();
        self.cut = 0;
    }

    fn cut(&self) -> u64 {
        self.cut
    }

    fn add_cut(&mut self, cut: u64) {
        self.cut += cut;
    }

    fn preserves(&self) -> Preserves {
        Preserves::OnlyWithin { bound: self.unit, value: self.bound, cut: self.cut }
    }

    fn memory(&self) -> usize {
        self.states.capacity() * size_of::<State>()
    }
}

/// The threads that come to an operation of a kind next.
fn about_to(configuration: &Configuration, holds: fn(Op) -> bool) -> ThreadSet {
    configuration.next_actions().filter(|action| holds(action.op)).map(|action| action.thread).collect()
}

impl State {
    /// Those that can go on, perhaps when stores of theirs have become visible.
    fn able(&self) -> ThreadSet {
        self.enabled[0].union(self.draining)
    }

    fn preemptions(&self, token: Token) -> u64 {
        let is_preempted = |&Running { thread, had_to_wait }: &Running| {
            let lets_others_run = had_to_wait || self.polite.contains(thread);
            thread != token.thread && self.able().contains(thread) && !lets_others_run
        };
        u64::from(!self.shadows.contains(token.thread) && self.running.as_ref().is_some_and(is_preempted))
    }

    fn delays(&self, token: Token) -> u64 {
        match token.choice {
            Choice::Proceed if self.shadows.contains(token.thread) => 0,
            Choice::Proceed => self.passed_over(self.able(), token.thread),
            Choice::TimeOut if self.able().is_empty() => self.passed_over(self.enabled[1], token.thread),
            Choice::TimeOut | Choice::Spurious => 1,
        }
    }

    /// How many of the threads come before this one.
    fn passed_over(&self, threads: ThreadSet, thread: ThreadId) -> u64 {
        let running = self.running.map_or(ThreadId::MAIN, |running| running.thread);
        let key = |other: ThreadId| {
            if self.polite.contains(other) {
                let distance = (other.index() + MAX_THREADS - running.index() - 1) % MAX_THREADS;
                return (2, distance);
            }
            (u8::from(other != running), other.index())
        };
        let others = threads.without(self.shadows);
        others.iter().filter(|&other| key(other) < key(thread)).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(threads: &[u16]) -> ThreadSet {
        threads.iter().copied().map(ThreadId).collect()
    }

    fn state(running: u16, proceed: &[u16], time_out: &[u16], polite: &[u16]) -> State {
        let enabled = [set(proceed), set(time_out), ThreadSet::EMPTY];
        let running = Some(Running { thread: ThreadId(running), had_to_wait: false });
        let polite = set(polite);
        State { spent: 0, running, enabled, draining: ThreadSet::EMPTY, polite, shadows: ThreadSet::EMPTY }
    }

    fn token(thread: u16, choice: Choice) -> Token {
        Token { thread: ThreadId(thread), choice }
    }

    #[test]
    fn a_preemption_takes_a_thread_that_could_go_on() {
        let costs = |state: State| [0, 1, 2].map(|thread| state.preemptions(token(thread, Choice::Proceed)));
        assert_eq!(costs(state(1, &[0, 1, 2], &[], &[])), [1, 0, 1]);
        assert_eq!(costs(state(1, &[0, 2], &[], &[])), [0, 0, 0], "it waits");
        assert_eq!(costs(state(1, &[0, 1, 2], &[], &[1])), [0, 0, 0], "it yields");
        assert_eq!(costs(State { running: None, ..state(1, &[0, 1, 2], &[], &[]) }), [0, 0, 0]);
        let waits = state(1, &[1, 2], &[2], &[]);
        assert_eq!([1, 2].map(|thread| waits.preemptions(token(thread, Choice::TimeOut))), [0, 1]);
    }

    #[test]
    fn stores_become_visible_for_free() {
        let state = State { shadows: set(&[65]), ..state(2, &[1, 2, 65], &[], &[]) };
        let costs =
            |thread| [state.preemptions(token(thread, Choice::Proceed)), state.delays(token(thread, Choice::Proceed))];
        assert_eq!((costs(65), costs(2), costs(1)), ([0, 0], [0, 0], [1, 1]));
    }

    /// Whether its stores are delayed makes no difference to what it costs to stop a thread.
    #[test]
    fn a_thread_that_waits_for_its_own_stores_can_go_on() {
        let state = State { draining: set(&[1]), shadows: set(&[65]), ..state(1, &[2, 65], &[], &[]) };
        let costs =
            |thread| [state.preemptions(token(thread, Choice::Proceed)), state.delays(token(thread, Choice::Proceed))];
        assert_eq!((costs(65), costs(2)), ([0, 0], [1, 1]));
    }

    #[test]
    fn a_delay_passes_over_a_thread() {
        let costs = |state: State| [0, 1, 2, 3].map(|thread| state.delays(token(thread, Choice::Proceed)));
        assert_eq!(costs(state(2, &[0, 1, 2, 3], &[], &[])), [1, 2, 0, 3]);
        assert_eq!(costs(state(2, &[0, 1, 3], &[], &[]))[..2], [0, 1], "the lowest goes on");
        assert_eq!(costs(state(2, &[0, 1, 2, 3], &[], &[2, 0])), [2, 0, 3, 1], "those that yield come last");
        let timed = state(2, &[2], &[1, 3], &[]);
        assert_eq!([1, 3].map(|thread| timed.delays(token(thread, Choice::TimeOut))), [1, 1]);
        let only_timed = state(2, &[], &[1, 3], &[]);
        assert_eq!([1, 3].map(|thread| only_timed.delays(token(thread, Choice::TimeOut))), [0, 1]);
    }
}
