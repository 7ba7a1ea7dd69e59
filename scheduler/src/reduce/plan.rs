//! What to explore because of a race: three answers, from the oldest to the best.

mod node;

pub use node::{Node, Wanted};

use super::crowd;
use super::eager::{Ahead, SavedSections};
use super::footprint::Footprint;
use super::history::{EventIndex, History};
use super::mask::Mask;
use super::places::Places;
use super::preemptions::State;
use super::reversal::{Executed, Extent, Race, Reversal};
use super::saved::SavedBound;
use super::sequence::Sequence;
use super::wakeup::{Inserted, Room};
use crate::explore::Counts;
use crate::filters::Preserves;
use rscale_protocol::arena::Token;

/// Decides what is to be explored.
pub trait Planner {
    /// Makes sure that the race will be reversed, by something that is explored from the node before its first event.
    /// With [`Extent::Whole`], nothing explored before leads to the same.
    fn plan(&mut self, places: &mut Places<'_>, reversal: &Reversal<'_>);

    /// What [`Planner::plan`] asks for, in words that another search understands.
    /// Nothing if the state's sleep set shows that it is not needed.
    fn wanted(&self, reversal: &Reversal<'_>, _node: &Node) -> Option<Wanted> {
        Some(Wanted::Sequence(reversal.sequence().copied().collect()))
    }

    /// Looks at an execution before its races are planned; events from the branch on are new.
    /// States before this one are shared.
    fn look_ahead(&mut self, _branch: EventIndex, _owned: EventIndex, _history: &History, _counts: &mut Counts) {}

    /// Whether the race needs no plan, because its reversal will be explored anyway.
    fn is_settled(&mut self, _race: &Race, _history: &History) -> bool {
        false
    }

    /// Something else to be explored from the state behind all events, where nothing is planned any more.
    fn more(&mut self, _node: &Node, _history: &History, _counts: &mut Counts) -> Option<Vec<Footprint>> {
        None
    }

    /// Looks at a new event that may have had to wait: where its thread comes to wait can matter to a bound.
    fn plan_wait(&mut self, _places: &mut Places<'_>, _event: EventIndex, _executed: Executed<'_>) {}

    /// Whether a race is looked at in every execution that has it, and not only in the first one, and how much of that
    /// the reversal takes over.
    fn extent(&self) -> Extent {
        Extent::UpToSecond
    }

    /// Whether the execution may go on with this in the state behind all events. Asked for each event that is added.
    fn admits(&mut self, _token: Token, _state: &State<'_>, _history: &History) -> bool {
        true
    }

    /// Whether the last event, all of whose continuations were explored, need not be taken again behind independent
    /// ones.
    fn may_sleep(&mut self, _history: &History) -> bool {
        true
    }

    /// Whether threads should start as soon as they exist, and not when they have something to do. If one starts behind
    /// what another one does, every sequence that reverses a race with that one has to start it, too: sequences get
    /// longer, and a search that plans their first events alone can not tell them apart by starts.
    fn wants_early_starts(&self) -> bool {
        false
    }

    /// Whether all that it knows stands in the nodes.
    fn keeps_nothing(&self) -> bool {
        false
    }

    /// Whether several workers can explore parts of it, and another process can go on with it.
    fn can_be_shared(&self) -> bool {
        self.keeps_nothing() || self.is_bounded()
    }

    /// Whether something is cut at a bound: then it plans in shared states by itself, and several of them for one race.
    fn is_bounded(&self) -> bool {
        false
    }

    /// The path takes this in the state behind all events, as another search has before, or this one.
    fn follow(&mut self, _token: Token, _state: &State<'_>, _history: &History) {}

    /// The search goes on in another place, which has so many events in common with the last one.
    fn turn_to(&mut self, _common: usize) {}

    /// Plans what the last execution asks for in shared states, beside the reversals of its races.
    fn plan_shared(&mut self, _places: &mut Places<'_>, _history: &History) {}

    /// What else is to be explored from a state of the path that is shared, beside what the path takes there.
    fn left_at(&self, _at: usize, _node: &Node, _taken: Option<Token>) -> Vec<Token> {
        Vec::new()
    }

    /// The sequences that are to be explored from a state of the path, beside what it takes there and what is planned,
    /// because races were left to what is planned ahead.
    fn orders_at(&self, _at: usize, _node: &Node, _history: &History) -> Vec<Vec<Footprint>> {
        Vec::new()
    }

    /// What others have to know of what was planned ahead from a state of the path.
    fn ahead_of(&self, _at: usize) -> Ahead {
        Ahead::default()
    }

    /// Others have planned this ahead from states of the path, which has been followed.
    fn go_on_with(&mut self, _ahead: &[(usize, Ahead)], _history: &History) {}

    /// Whether an event of the path goes to sleep when it has been explored, whatever is cut behind it.
    fn sleeps_in_any_case(&self, _event: EventIndex, _history: &History) -> bool {
        true
    }

    /// Whether something was cut behind an event of the path.
    fn is_cut_behind(&self, _event: EventIndex) -> bool {
        false
    }

    /// What it knows of the path beyond the nodes, where something is cut at a bound.
    fn saved(&self) -> Option<SavedBound> {
        None
    }

    /// Takes over what was known of the path, which has been followed. None if that makes no sense.
    fn restore(&mut self, _saved: &SavedBound) -> Option<()> {
        None
    }

    /// What it has planned ahead, and is left of the path's.
    fn saved_sections(&self, _history: &History) -> Option<SavedSections> {
        None
    }

    /// Takes over what was planned ahead. The path has been followed. None if that makes no sense.
    fn restore_sections(&mut self, _saved: &SavedSections, _history: &mut History) -> Option<()> {
        None
    }

    /// How much was cut, by reasons.
    fn cut(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Others have cut that much of the same search.
    fn add_cut(&mut self, _cut: &[u64]) {}

    /// What a search with this planner covers.
    fn preserves(&self) -> Vec<Preserves> {
        vec![Preserves::EveryTrace]
    }

    /// The search begins anew.
    fn restart(&mut self) {}
}

/// Optimal DPOR: the whole sequence.
pub struct Optimal {
    /// Where so many are planned in one state, those that would be found again are not kept ([`super::rediscovery`]).
    /// Few are: what is planned long before can be run ahead.
    pub(super) many: usize,
    /// Where they have so many events in all, further ones are dropped ([`super::crowd`]).
    pub(super) most: usize,
}

impl Default for Optimal {
    fn default() -> Optimal {
        Optimal { many: crowd::MANY, most: crowd::MOST }
    }
}

impl Planner for Optimal {
    fn plan(&mut self, places: &mut Places<'_>, reversal: &Reversal<'_>) {
        let is_many = places.node(reversal.first).tree.sequences() >= self.many;
        let (before, node, after) = places.own_among(reversal.first);
        let own = node.tree.len();
        let is_crowd = || is_many && own + crowd::events(before) + crowd::events(after) >= self.most;
        let room = Room { not_twice: is_many && reversal.is_plain(), only_firsts: &is_crowd };
        let mut sequence = Sequence::new();
        reversal.collect(&mut sequence);
        let inserted = node.tree.insert_where(&mut sequence, room);
        node.is_crowded |= inserted == Inserted::Dropped;
    }

    fn extent(&self) -> Extent {
        Extent::Whole
    }

    fn wants_early_starts(&self) -> bool {
        true
    }

    fn keeps_nothing(&self) -> bool {
        true
    }
}

/// Source DPOR: one of the events with which the sequence can begin, unless one of them was or is going to be explored.
pub struct Source;

impl Planner for Source {
    fn plan(&mut self, places: &mut Places<'_>, reversal: &Reversal<'_>) {
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        add_one_of(places, reversal, &sequence, &initials(&sequence));
    }

    fn wanted(&self, reversal: &Reversal<'_>, node: &Node) -> Option<Wanted> {
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        one_of(node, &sequence, &initials(&sequence))
    }

    fn wants_early_starts(&self) -> bool {
        true
    }

    fn keeps_nothing(&self) -> bool {
        true
    }
}

/// Classic DPOR with clock vectors, as persistent sets need it: only events that the second event of the race depends
/// on count, where there are some (Sachinoglou, Algorithm 5).
pub struct Persistent;

impl Planner for Persistent {
    fn plan(&mut self, places: &mut Places<'_>, reversal: &Reversal<'_>) {
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        add_one_of(places, reversal, &sequence, &leading(reversal, &sequence));
    }

    fn wanted(&self, reversal: &Reversal<'_>, node: &Node) -> Option<Wanted> {
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        one_of(node, &sequence, &leading(reversal, &sequence))
    }

    fn wants_early_starts(&self) -> bool {
        true
    }

    fn keeps_nothing(&self) -> bool {
        true
    }
}

/// The members that the sequence can begin with.
#[must_use]
pub fn initials(sequence: &[&Footprint]) -> Vec<usize> {
    let mut earlier = Mask::default();
    let mut is_initial = |&index: &usize| {
        let (event, outline) = (sequence[index], sequence[index].outline());
        // Most are not the first ones of their threads.
        let is_initial = !earlier.may_conflict(outline)
            || !earlier.has_thread_of(event) && !sequence[..index].iter().any(|earlier| earlier.conflicts(event));
        earlier.add(outline);
        is_initial
    };
    (0..sequence.len()).filter(|index| is_initial(index)).collect()
}

/// Those of them that the second event depends on; all where there are none.
#[must_use]
pub fn leading(reversal: &Reversal<'_>, sequence: &[&Footprint]) -> Vec<usize> {
    let events: Vec<_> = reversal.events().collect();
    let last = sequence.len() - 1;
    let all = initials(sequence);
    let leads_there = |&index: &usize| match (events.get(index), reversal.second) {
        (None, _) => index == last,
        (Some(&event), Some(second)) => reversal.executed.history.happens_before(event, second),
        (Some(_), None) => sequence[index].conflicts(sequence[last]),
    };
    let leading: Vec<usize> = all.iter().copied().filter(leads_there).collect();
    if leading.is_empty() { all } else { leading }
}

/// Adds the first of these members, unless one of them is explored anyway, or was elsewhere: any of them would do, and
/// one that sleeps asks for nothing.
fn add_one_of(places: &mut Places<'_>, reversal: &Reversal<'_>, sequence: &[&Footprint], members: &[usize]) {
    let node = places.own(reversal.first);
    if !members.iter().any(|&index| node.explores(reversal.taken(), sequence[index].token))
        && !is_any_asleep(node, sequence, members)
        && let Some(&first) = members.first()
    {
        node.tree.add(*sequence[first]);
    }
}

fn one_of(node: &Node, sequence: &[&Footprint], members: &[usize]) -> Option<Wanted> {
    let events = || members.iter().map(|&index| *sequence[index]).collect();
    (!is_any_asleep(node, sequence, members)).then(|| Wanted::OneOf(events()))
}

fn is_any_asleep(node: &Node, sequence: &[&Footprint], members: &[usize]) -> bool {
    members.iter().any(|&index| node.sleep.has(sequence[index]))
}
