//! The shared part of a search: what the controller of several workers knows.
//!
//! Children of a shared state are ordered as one worker would have come to them. A reversal that comes from behind a
//! state goes its way past the children that are ordered after it, whether they are planned, being explored or done, as
//! it would have gone through the wakeup tree: to a *leaf*, the end of a planned sequence, behind which it will be or
//! has been seen, or off the path, where it is something new. What is ordered before it covers it, as if it were
//! asleep. Behind a leaf nothing is missing: a sequence is planned only if it wakes everything that sleeps (Fytas,
//! Algorithms 10 and 11).
//!
//! A worker owns all behind one event of a shared state, with whatever is planned there, and explores it as it would
//! alone. A reversal that comes there from elsewhere waits at the door until the worker shares its first states or is
//! done; then it says which planned events it has explored ([`Explored`]), and the reversal goes its way past them.
//! Were it not for these, traces would be lost: what one worker leaves out because it sleeps would have been planned
//! behind that event, had that worker come first (1212 of 1536 traces of last zero with N = 9).
//!
//! Where many wait at a door, whoever owns what lies behind is asked to share its first states, so that few have to be
//! kept.
//!
//! So a state that has been explored is forgotten only when all that is ordered before it has been, too.
//!
//! Events may turn out to be something else than was planned. So, while an item has not said what its first events are,
//! the state that it begins in hands out nothing else, and wishes wait.

mod cut;
mod ending;
#[cfg(test)]
mod tests;
mod way;
mod wire;
mod wishes;

use super::crowd;
use super::eager::Ahead;
use super::footprint::Footprint;
use super::item::{Begun, Explored, Item, Leaf, ReleasedNode};
use super::plan::Wanted;
use super::sleep::staying;
use super::wakeup::Tree;
use crate::explore::Order;
use crate::frontend::VariableHasher;
use rscale_protocol::arena::Token;
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

/// Names an item that was handed out.
pub type ItemId = u64;
type NodeId = u64;
type Numbered<V> = HashMap<u64, V, BuildHasherDefault<VariableHasher>>;

/// The states that workers share, and the items that they explore.
pub struct Board {
    nodes: Numbered<Shared>,
    /// The states that items have to do with: the first one that they own, or the one that they begin in.
    items: Numbered<NodeId>,
    /// States with something to hand out, by depth.
    open: BTreeSet<(usize, NodeId)>,
    next_id: u64,
    sections_vary: bool,
    order: Order,
    /// Whether something was cut at a bound.
    is_bounded: bool,
    /// Events that are planned in all states, and how many there may be ([`super::crowd`]).
    planned: usize,
    most: usize,
    /// Sequences that a state may have in any case.
    many: usize,
    /// Events of wishes that may wait at the door of an item.
    most_waiting: usize,
}

/// States that are looked through to tell how much is done.
const MOST_LOOKED_AT: usize = 20_000;
/// The first state.
const ROOT: NodeId = 0;

/// A shared state, or a leaf.
#[derive(Default)]
struct Shared {
    parent: Option<NodeId>,
    /// Events before it.
    at: usize,
    /// The event that leads here, and its steps.
    came_by: Option<Footprint>,
    steps: Vec<Token>,
    /// Whether it is the end of a planned sequence.
    is_leaf: bool,
    /// What need not be taken here, and comes before the children.
    sleep: Vec<Footprint>,
    /// How much of it follows from the state before.
    inherited: usize,
    /// How much of it slept before the plan that led here ([`super::plan::Node::lingering`]).
    lingering: usize,
    /// Whether a sequence was dropped here ([`super::crowd`]): what sleeps lingers behind it.
    is_crowded: bool,
    /// The events that were taken from here, by whomever.
    taken: Vec<Token>,
    /// What was tried from here, and cut at once.
    vain: Vec<Token>,
    /// Whether the event that leads here goes to sleep.
    slumber: Slumber,
    /// What is being explored, or has been, in order.
    children: Vec<NodeId>,
    /// What comes after them.
    tree: Tree,
    /// Items that have to do with it.
    items: usize,
    /// What wishes have to wait for, if they have to, and those that do.
    awaited: Option<Awaited>,
    deferred: Vec<Wanted>,
    /// What was planned ahead from here.
    ahead: Ahead,
    /// The children, if they have all been explored, and nobody has gone past them yet.
    record: Vec<Explored>,
}

/// What has to come before wishes are seen to in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Awaited {
    /// It and all behind it belong to an item: that shares its first states, or ends.
    Owner,
    /// An item takes something from here, and has not said what it turns out to be: its first event, and whether it is
    /// a whole planned sequence.
    Beginning { token: Token, is_leaf: bool },
}

/// Whether an event that has been explored need not be taken again behind what comes after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Slumber {
    /// It need not, whatever is cut behind it.
    Sure,
    /// It need not if nothing is cut behind it, and nothing has been yet.
    #[default]
    UnlessCut,
    /// Something has been.
    Never,
}

impl Board {
    /// A board for a search of which one worker has everything.
    #[must_use]
    pub fn new(sections_vary: bool, order: Order) -> (Board, ItemId) {
        let root = Shared { is_leaf: true, items: 1, awaited: Some(Awaited::Owner), ..Shared::default() };
        let board = Board {
            nodes: Numbered::from_iter([(ROOT, root)]),
            items: Numbered::from_iter([(0, ROOT)]),
            open: BTreeSet::new(),
            next_id: ROOT,
            sections_vary,
            order,
            is_bounded: false,
            planned: 0,
            most: crowd::MOST,
            many: crowd::MANY,
            most_waiting: crowd::MOST_WAITING,
        };
        (board, 0)
    }

    /// Whether nothing is left to be explored by anyone.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.nodes[&ROOT].is_explored()
    }

    /// The part of the search that is done, if what lies behind one child of a state is like what lies behind another.
    /// Too much to look through is not looked through.
    #[must_use]
    pub fn explored(&self) -> Option<f64> {
        (self.nodes.len() < MOST_LOOKED_AT).then(|| self.explored_behind(ROOT))
    }

    fn explored_behind(&self, place: NodeId) -> f64 {
        let shared = &self.nodes[&place];
        let is_beginning = shared.awaited.is_some_and(|awaited| awaited != Awaited::Owner);
        let open = shared.tree.firsts().count() + usize::from(is_beginning);
        let all = shared.taken.len() + open;
        if all == 0 {
            return if shared.is_explored() { 1.0 } else { 0.0 };
        }
        let behind: f64 = shared.children.iter().map(|&child| self.explored_behind(child)).sum();
        (behind + (shared.taken.len() - shared.children.len()) as f64) / all as f64
    }

    /// The items that are being explored.
    pub fn items(&self) -> impl Iterator<Item = ItemId> {
        self.items.keys().copied()
    }

    /// Whether so many wishes wait for an item that it should share its first states.
    #[must_use]
    pub fn is_waited_for(&self, item: ItemId) -> bool {
        let shared = self.items.get(&item).and_then(|place| self.nodes.get(place));
        let waiting = |shared: &Shared| shared.deferred.iter().map(Wanted::events).sum::<usize>();
        shared.is_some_and(|shared| shared.awaited == Some(Awaited::Owner) && waiting(shared) > self.most_waiting)
    }

    /// The order in which what nobody has planned is taken.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// Whether there is something to hand out.
    #[must_use]
    pub fn has_more(&self) -> bool {
        !self.open.is_empty()
    }

    /// Shared states and leaves that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing is kept, which never happens: there is a first state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The next item: from the last shared state with something left, as one worker would go on, so that little is
    /// kept.
    pub fn hand_out(&mut self) -> Option<(ItemId, Item)> {
        let &(at, place) = self.open.last()?;
        let (schedule, asleep) = self.path_to(place);
        let planned = self.change_plans(place, Tree::take_first_line)?;
        let stays = |sleeper: &&Footprint| !planned.iter().any(|(event, _)| event.conflicts(sleeper));
        let sleep = self.asleep(&self.nodes[&place], None).filter(stays).map(Footprint::thread).collect();
        let shared = self.nodes.get_mut(&place)?;
        let is_leaf = planned.len() == 1;
        shared.awaited = planned.first().map(|(event, _)| Awaited::Beginning { token: event.token, is_leaf });
        shared.items += 1;
        self.next_id += 1;
        self.items.insert(self.next_id, place);
        self.update(place);
        let shared = &self.nodes[&place];
        let lingering = if shared.is_crowded { self.asleep(shared, None).count() } else { shared.lingering };
        let (sections_vary, order) = (self.sections_vary, self.order);
        let explored = if self.is_bounded { self.explored_on_way_to(place) } else { Vec::new() };
        let ahead = self.ahead_on_way_to(place);
        let leaf = Leaf { schedule, asleep, at, lingering, planned, sleep, explored, ahead, sections_vary, order };
        Some((self.next_id, Item::Leaf(Box::new(leaf))))
    }

    /// Changes what is planned in a state.
    fn change_plans<T>(&mut self, place: NodeId, change: impl FnOnce(&mut Tree) -> T) -> Option<T> {
        let tree = &mut self.nodes.get_mut(&place)?.tree;
        let before = tree.len();
        let result = change(tree);
        self.planned = self.planned + tree.len() - before;
        Some(result)
    }

    /// What need not be taken behind a child: what sleeps, and the children before it that do. All of them without a
    /// child.
    fn asleep<'a>(&'a self, shared: &'a Shared, child: Option<NodeId>) -> impl Iterator<Item = &'a Footprint> + Clone {
        let earlier = shared.children[..shared.before(child)].iter().map(|child| &self.nodes[child]);
        let asleep = earlier.filter(|child| child.goes_to_sleep()).filter_map(|child| child.came_by.as_ref());
        shared.sleep.iter().chain(asleep)
    }

    /// An item says what its first event is; None if it was cut there. None if that makes no sense.
    pub fn begin(&mut self, item: ItemId, begun: Option<Begun>) -> Option<()> {
        let start = *self.items.get(&item)?;
        let shared = self.nodes.get_mut(&start)?;
        let Some(Awaited::Beginning { token, is_leaf }) = shared.awaited.take() else { return None };
        let new = shared.children.len();
        if begun.is_none() {
            shared.vain.push(token);
        }
        if let Some(begun) = begun {
            let place =
                self.add_child(start, Shared { is_leaf, awaited: Some(Awaited::Owner), ..Shared::default() }, begun);
            self.move_item(item, place)?;
        }
        self.grant_deferred(start, new)?;
        self.update(start);
        Some(())
    }

    /// Adds a child behind the others, which are asleep there.
    fn add_child(&mut self, parent: NodeId, child: Shared, Begun { event, steps, sleeps }: Begun) -> NodeId {
        let sleepers = self.asleep(&self.nodes[&parent], None);
        let sleep: Vec<_> = sleepers.filter(|sleeper| !sleeper.conflicts(&event)).cloned().collect();
        let (above, inherited) = (&self.nodes[&parent], sleep.len());
        let still = staying(&above.sleep[..above.lingering], &event);
        let lingering = if child.is_leaf || above.is_crowded { inherited } else { still };
        let slumber = if sleeps { Slumber::Sure } else { child.slumber };
        let child = Shared { inherited, lingering, sleep, slumber, ..child };
        self.next_id += 1;
        let id = self.next_id;
        let above = self.nodes.get_mut(&parent).expect("the state that it was found in");
        above.taken.push(event.token);
        above.children.push(id);
        let at = above.at + 1;
        self.nodes.insert(id, Shared { parent: Some(parent), at, came_by: Some(event), steps, ..child });
        self.update(id);
        id
    }

    fn move_item(&mut self, item: ItemId, place: NodeId) -> Option<()> {
        let before = self.items.insert(item, place)?;
        self.nodes.get_mut(&before)?.items -= 1;
        self.nodes.get_mut(&place)?.items += 1;
        Some(())
    }

    /// An item gives away its first states, and goes on behind the last of them. None if that makes no sense.
    pub fn release(&mut self, item: ItemId, released: Vec<ReleasedNode>) -> Option<()> {
        let first = *self.items.get(&item)?;
        let (mut place, mut shared_now) = (first, Vec::new());
        for released in released {
            let ReleasedNode { sleep, inherited, lingering, is_crowded, done, explored, .. } = released;
            let ReleasedNode { tree, taken, leads_inside, is_cut, ahead, .. } = released;
            let shared = self.nodes.get_mut(&place)?;
            (shared.lingering, shared.is_crowded) = (lingering.min(sleep.len()), is_crowded);
            (shared.sleep, shared.inherited, shared.taken) = (sleep, inherited, done);
            (shared.awaited, shared.ahead) = (None, ahead);
            self.change_plans(place, |plans| *plans = tree)?;
            self.add_explored(place, explored);
            shared_now.push(place);
            let slumber = if is_cut { Slumber::Never } else { Slumber::UnlessCut };
            place = self.add_child(place, Shared { is_leaf: !leads_inside, slumber, ..Shared::default() }, taken);
        }
        self.nodes.get_mut(&place)?.awaited = Some(Awaited::Owner);
        self.move_item(item, place)?;
        // What may be handed out of a state depends on what lies behind it.
        shared_now.into_iter().for_each(|place| self.update(place));
        self.grant_deferred(first, 0)
    }

    /// Adds children that have been explored.
    fn add_explored(&mut self, place: NodeId, explored: Vec<Explored>) {
        for Explored { taken, inside } in explored {
            let (is_leaf, record) = (inside.is_none(), inside.unwrap_or_default());
            self.add_child(place, Shared { is_leaf, record, ..Shared::default() }, taken);
        }
    }

    /// A part of an item becomes an item of its own, in the same place. None if that makes no sense.
    pub fn split(&mut self, item: ItemId) -> Option<ItemId> {
        let place = *self.items.get(&item)?;
        self.nodes.get_mut(&place)?.items += 1;
        self.next_id += 1;
        self.items.insert(self.next_id, place);
        Some(self.next_id)
    }

    fn update(&mut self, place: NodeId) {
        let Some(shared) = self.nodes.get(&place) else { return };
        let key = (shared.at, place);
        let last = shared.children.last().and_then(|child| self.nodes.get(child));
        let is_waited_for = shared.awaited.is_some() || last.is_some_and(|child| !child.is_settled());
        if is_waited_for || shared.tree.is_empty() {
            self.open.remove(&key);
        } else {
            self.open.insert(key);
        }
    }
}

impl Shared {
    /// Whether nothing is left here or behind it.
    fn is_explored(&self) -> bool {
        self.items == 0 && self.children.is_empty() && self.tree.is_empty() && self.awaited.is_none()
    }

    /// How many children come before this one, which may be forgotten; without one, all.
    fn before(&self, child: Option<NodeId>) -> usize {
        let Some(child) = child else { return self.children.len() };
        self.children.iter().position(|&other| other == child).unwrap_or(0)
    }

    /// How many children do not come behind this one; without one, none.
    fn up_to(&self, child: Option<NodeId>) -> usize {
        self.children.iter().position(|&other| Some(other) == child).map_or(0, |place| place + 1)
    }
}
