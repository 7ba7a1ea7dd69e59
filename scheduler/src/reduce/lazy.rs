//! Partial order reduction among the traces that need few preemptions (Sachinoglou, section 7.1: Lazy-BPOR).
//!
//! What counts is not how the execution at hand was interleaved, but the cheapest of all that are equivalent to it
//! ([`super::least`]). This is a property of the trace, and it never falls as the trace grows. So events may go to
//! sleep as without a bound, and each trace within the bound is executed once.
//!
//! **What the paper leaves out.** It plans what races ask for (Algorithm 22), and nothing else. But a race shows only
//! in an execution that has its events in the other order, and that one may need more preemptions than the one that is
//! looked for: brute force knows many programs of which traces are lost that way. So a state behind which something was
//! cut, and with it perhaps a race, is explored in all ways that are possible there, but for what sleeps.
//!
//! **Why no trace within the bound is lost.** Where nothing was cut behind a state, all that comes behind it was
//! explored as by `source`. Where something was, every event was tried that does not sleep. If one is cut there, all
//! that begins with it needs too many preemptions; so it is never a beginning of what is looked for. What sleeps was
//! tried before.
//!
//! **What is cut.** What needs too many preemptions in whatever order, with what threads are certain to do next: one
//! that is about to access memory will do so, behind everything that it conflicts with so far.

use super::event::Event;
use super::footprint::Footprint;
use super::history::{EventIndex, History};
use super::least::{Least, Order};
use super::places::Places;
use super::plan::{Node, Planner, initials};
use super::preemptions::{Preemptions, State};
use super::reversal::Reversal;
use super::saved::{SavedBound, SavedPassed};
use crate::explore::{Candidates, Counts};
use crate::filters::Preserves;
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::Token;

/// Source sets among the traces that need at most so many preemptions.
pub struct Lazy {
    bound: u64,
    /// The preemptions of the execution as it was interleaved: where they are few enough, nothing has to be computed.
    preemptions: Preemptions,
    /// The states of the path.
    states: Vec<Passed>,
    /// Branches that would have needed more.
    cut: u64,
    /// Branches that were explored because it was too hard to tell.
    estimated: u64,
    /// Of so many shared states, the first ones, others know that something was cut behind them.
    told: usize,
}

/// A state of the path, as far as the bound is concerned.
#[derive(Clone, Debug, Default)]
struct Passed {
    /// What can be done there.
    enabled: [ThreadSet; 3],
    /// What needs too many preemptions.
    refused: Vec<Token>,
    /// Whether something was cut behind it: everything has to be tried.
    is_cut: bool,
}

impl Passed {
    /// What is left to explore from it, where everything has to be tried.
    fn left(&self, node: &Node) -> impl Iterator<Item = Token> {
        Candidates::all(self.enabled).iter().filter(|&token| node.is_open(token) && !self.refused.contains(&token))
    }
}

impl Passed {
    fn saved(&self) -> SavedPassed {
        let enabled = self.enabled.map(|set| set.words());
        SavedPassed {
            enabled,
            refused: self.refused.iter().map(|token| token.to_code()).collect(),
            is_cut: self.is_cut,
        }
    }

    fn restored(saved: &SavedPassed) -> Option<Passed> {
        let refused = saved.refused.iter().map(|&code| Token::from_code(code)).collect::<Option<_>>()?;
        Some(Passed { enabled: saved.enabled.map(ThreadSet::from_words), refused, is_cut: saved.is_cut })
    }
}

impl Lazy {
    /// A search that has not begun.
    #[must_use]
    pub fn new(bound: u64) -> Lazy {
        Lazy { bound, preemptions: Preemptions::default(), states: Vec::new(), cut: 0, estimated: 0, told: 0 }
    }

    fn state(&mut self, at: EventIndex) -> &mut Passed {
        let at = at as usize;
        if self.states.len() <= at {
            self.states.resize_with(at + 1, Passed::default);
        }
        &mut self.states[at]
    }

    fn is_within(&mut self, order: &Order) -> bool {
        let least = order.least(self.bound);
        self.estimated += u64::from(least == Least::Perhaps);
        self.cut += u64::from(least == Least::Beyond);
        least != Least::Beyond
    }

    /// The execution goes on with this: how many preemptions it has then.
    fn arrive(&mut self, token: Token, state: &State<'_>, history: &History) -> u64 {
        self.preemptions.arrive(state, history);
        let count = self.preemptions.with(token.thread, state.at, history);
        self.preemptions.push(count, state.at);
        count
    }

    /// The execution comes to a state.
    fn enter(&mut self, state: &State<'_>) {
        self.states.truncate(state.at as usize + 1);
        self.state(state.at).enabled = state.enabled;
    }

    /// Whether the execution may go on with an event.
    fn admits_event(&mut self, event: &Event, state: &State<'_>, history: &History) -> bool {
        if self.arrive(event.footprint.token, state, history) <= self.bound {
            return true;
        }
        let mut order = Order::of(history, state.at, &event.footprint, Some(event));
        // With store buffers, a read may turn out to find a store of its own thread, and come before what it would
        // conflict with.
        if !history.memory_model().is_weak() {
            state.upcoming(history).for_each(|next| order.expect(&next, &event.footprint, history));
        }
        self.is_within(&order)
    }

    /// Whether a member of a reversal is within the bound.
    fn is_member_within(&mut self, member: usize, event: &Footprint, reversal: &Reversal<'_>) -> bool {
        let history = reversal.executed.history;
        let known = reversal.events().nth(member).or(reversal.second).map(|index| history.event(index));
        self.is_within(&Order::of(history, reversal.first, event, known))
    }
}

impl Planner for Lazy {
    fn plan(&mut self, places: &mut Places<'_>, reversal: &Reversal<'_>) {
        let node = places.node(reversal.first);
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        let members = initials(&sequence);
        if members.iter().any(|&index| node.explores(reversal.taken(), sequence[index].token)) {
            return;
        }
        match members.iter().copied().find(|&index| self.is_member_within(index, sequence[index], reversal)) {
            Some(index) => {
                let members: Vec<&Footprint> = members.iter().map(|&index| sequence[index]).collect();
                places.add_one_of(sequence[index], &members, reversal.first);
            }
            None => {
                // Nothing of it is to be explored here, but there may be races in it with what came before.
                if let Some(before) = reversal.first.checked_sub(1) {
                    self.state(before).is_cut = true;
                }
            }
        }
    }

    fn more(&mut self, node: &Node, history: &History, _counts: &mut Counts) -> Option<Vec<Footprint>> {
        let state = self.states.get(history.len() as usize).filter(|state| state.is_cut)?;
        let token = state.left(node).next()?;
        Some(vec![Footprint::unknown(token)])
    }

    fn admits(&mut self, token: Token, state: &State<'_>, history: &History) -> bool {
        self.enter(state);
        let is_admitted = match state.event {
            Some(event) => self.admits_event(event, state, history),
            None => !self.state(state.at).refused.contains(&token),
        };
        if !is_admitted && state.event.is_some() {
            let state = self.state(state.at);
            state.refused.push(token);
            state.is_cut = true;
        }
        is_admitted
    }

    fn may_sleep(&mut self, history: &History) -> bool {
        let behind = history.len() as usize;
        let is_cut = self.states.drain(behind.min(self.states.len())..).any(|state| state.is_cut);
        if let Some(state) = self.states.last_mut().filter(|_| is_cut) {
            state.is_cut = true;
        }
        true
    }

    fn is_bounded(&self) -> bool {
        true
    }

    fn follow(&mut self, token: Token, state: &State<'_>, history: &History) {
        self.enter(state);
        self.arrive(token, state, history);
    }

    fn turn_to(&mut self, common: usize) {
        self.states.truncate(common + 1);
        self.told = 0;
    }

    /// What was cut behind a shared state concerns all that share it, and from now on.
    fn plan_shared(&mut self, places: &mut Places<'_>, history: &History) {
        let cut = self.states.iter().rposition(|state| state.is_cut).map_or(0, |last| last + 1);
        let end = cut.min(places.shared());
        for at in self.told..end {
            let taken = history.events().get(at).map(|event| event.footprint.token);
            for token in self.left_at(at, places.node(at as EventIndex), taken) {
                places.add(token, at as EventIndex);
            }
        }
        self.told = self.told.max(end);
    }

    fn left_at(&self, at: usize, node: &Node, taken: Option<Token>) -> Vec<Token> {
        let is_cut = self.states.iter().skip(at).any(|state| state.is_cut);
        let state = self.states.get(at).filter(|_| is_cut);
        let left = state.into_iter().flat_map(|state| state.left(node));
        left.filter(|&token| taken != Some(token) && !node.plans(token)).collect()
    }

    fn saved(&self) -> Option<SavedBound> {
        let states = self.states.iter().map(Passed::saved).collect();
        Some(SavedBound { cut: self.cut(), states, told: self.told, ..SavedBound::default() })
    }

    fn restore(&mut self, saved: &SavedBound) -> Option<()> {
        self.states = saved.states.iter().map(Passed::restored).collect::<Option<_>>()?;
        self.told = saved.told;
        Some(())
    }

    fn cut(&self) -> Vec<u64> {
        vec![self.cut, self.estimated]
    }

    fn add_cut(&mut self, cut: &[u64]) {
        self.cut += cut.first().unwrap_or(&0);
        self.estimated += cut.get(1).unwrap_or(&0);
    }

    fn preserves(&self) -> Vec<Preserves> {
        let Lazy { bound, cut, estimated, .. } = *self;
        let within = Preserves::OnlyWithin { bound: "preemptions", value: bound, cut };
        let estimates = (cut > 0 && estimated > 0).then_some(Preserves::Estimated(estimated));
        [Preserves::EveryTrace, within].into_iter().chain(estimates).collect()
    }

    fn restart(&mut self) {
        *self = Lazy::new(self.bound);
    }
}
