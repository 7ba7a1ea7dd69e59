//! The shared part of a search: what the controller of several workers knows.
//!
//! What one worker can own is all that lies behind the end of a planned sequence, a *leaf* of a wakeup tree: a sequence is
//! planned only if it wakes everything that sleeps, so nothing that others explore is missing there (Fytas, Algorithms 10
//! and 11). The states inside the sequence stay shared, in the order in which one worker would have come to them. A
//! reversal that comes from behind a state goes its way past the children that are ordered after it, whether they are
//! planned, being explored or done, as it would have gone through the wakeup tree: to a leaf, behind which it will be or has
//! been seen, or off the path, where it is something new. What is ordered before it covers it, as if it were asleep.
//!
//! So a state that has been explored is forgotten only when all that is ordered before it has been, too.
//!
//! Events may turn out to be something else than was planned. So, while an item has not said what its first events are, the
//! state that it begins in hands out nothing else, and wishes wait.

mod wire;

use super::footprint::{Footprint, Precedes};
use super::plan::Wanted;
use super::sharing::{Begun, Item, Leaf, ReleasedNode, Wish};
use super::wakeup::Tree;
use crate::explore::Order;
use rscale_protocol::arena::Token;
use std::collections::{BTreeSet, HashMap};

/// Names an item that was handed out.
pub type ItemId = u64;
type NodeId = u64;

/// The states that workers share, and the items that they explore.
pub struct Board {
    nodes: HashMap<NodeId, Shared>,
    /// The states that items have to do with: the leaf that they own, or the one that they begin in.
    items: HashMap<ItemId, NodeId>,
    /// States with something to hand out, by depth.
    open: BTreeSet<(usize, NodeId)>,
    next_id: u64,
    sections_vary: bool,
    order: Order,
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
    /// The events that were taken from here, by whomever.
    taken: Vec<Token>,
    /// What is being explored, or has been, in order.
    children: Vec<NodeId>,
    /// What comes after them.
    tree: Tree,
    /// Items that have to do with it.
    items: usize,
    /// What an item takes from here that has not yet said what that is: the events, and what is planned beside them.
    pending: Option<Vec<(Footprint, Tree)>>,
    /// Wishes that wait for it.
    deferred: Vec<Wanted>,
}

impl Board {
    /// A board for a search of which one worker has everything.
    #[must_use]
    pub fn new(sections_vary: bool, order: Order) -> (Board, ItemId) {
        let root = Shared { is_leaf: true, items: 1, ..Shared::default() };
        let board = Board {
            nodes: HashMap::from([(ROOT, root)]),
            items: HashMap::from([(0, ROOT)]),
            open: BTreeSet::new(),
            next_id: ROOT,
            sections_vary,
            order,
        };
        (board, 0)
    }

    /// Whether nothing is left to be explored by anyone.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.nodes[&ROOT].is_explored()
    }

    /// The part of the search that is done, if what lies behind one child of a state is like what lies behind another. Too
    /// much to look through is not looked through.
    #[must_use]
    pub fn explored(&self) -> Option<f64> {
        (self.nodes.len() < MOST_LOOKED_AT).then(|| self.explored_behind(ROOT))
    }

    fn explored_behind(&self, place: NodeId) -> f64 {
        let shared = &self.nodes[&place];
        let open = shared.tree.firsts().count() + usize::from(shared.pending.is_some());
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

    /// The next item: from the last shared state with something left, as one worker would go on, so that little is kept.
    pub fn hand_out(&mut self) -> Option<(ItemId, Item)> {
        let &(at, place) = self.open.last()?;
        let (schedule, asleep) = self.path_to(place);
        let planned = self.nodes.get_mut(&place)?.tree.take_first_line();
        let events: Vec<Footprint> = planned.iter().map(|(event, _)| event.clone()).collect();
        let stays = |sleeper: &&Footprint| !events.iter().any(|event| event.conflicts(sleeper));
        let sleep = self.asleep(&self.nodes[&place], None).filter(stays).map(Footprint::thread).collect();
        let shared = self.nodes.get_mut(&place)?;
        shared.pending = Some(planned);
        shared.items += 1;
        self.next_id += 1;
        self.items.insert(self.next_id, place);
        self.update(place);
        let (sections_vary, order) = (self.sections_vary, self.order);
        let leaf = Leaf { schedule, asleep, at, events, sleep, sections_vary, order };
        Some((self.next_id, Item::Leaf(Box::new(leaf))))
    }

    /// The schedule that leads to a state, and what fell asleep on the way.
    fn path_to(&self, place: NodeId) -> (Vec<Token>, Vec<(usize, Vec<Footprint>)>) {
        let mut path: Vec<(&Shared, Option<NodeId>)> = self.ancestors(place).collect();
        path.reverse();
        let schedule = path.iter().flat_map(|(shared, _)| shared.steps.iter().copied()).collect();
        let fell_asleep = |&(shared, next): &(&Shared, Option<NodeId>)| {
            let events: Vec<Footprint> = self.asleep(shared, next).skip(shared.inherited).cloned().collect();
            (!events.is_empty()).then_some((shared.at, events))
        };
        (schedule, path.iter().filter_map(fell_asleep).collect())
    }

    /// The state and those before it, each with the child that leads there.
    fn ancestors(&self, place: NodeId) -> impl Iterator<Item = (&Shared, Option<NodeId>)> {
        let first = self.nodes.get(&place).map(|shared| (shared, None, place));
        let before = move |&(shared, _, id): &(&Shared, Option<NodeId>, NodeId)| {
            let parent = shared.parent?;
            Some((self.nodes.get(&parent)?, Some(id), parent))
        };
        std::iter::successors(first, before).map(|(shared, next, _)| (shared, next))
    }

    /// What need not be taken behind a child: what sleeps, and the children before it. All of them without a child.
    fn asleep<'a>(&'a self, shared: &'a Shared, child: Option<NodeId>) -> impl Iterator<Item = &'a Footprint> + Clone {
        let earlier = &shared.children[..shared.before(child)];
        shared.sleep.iter().chain(earlier.iter().filter_map(|child| self.nodes[child].came_by.as_ref()))
    }

    /// An item says what its first events are: as planned, or fewer if it was cut there. None if that makes no sense.
    pub fn begin(&mut self, item: ItemId, begun: &[Begun]) -> Option<()> {
        let start = *self.items.get(&item)?;
        let planned = self.nodes.get_mut(&start)?.pending.take()?;
        let length = planned.len();
        let mut place = start;
        for (index, (begun, (_, rest))) in begun.iter().zip(planned).enumerate() {
            let sleepers = self.asleep(&self.nodes[&place], None);
            let sleep: Vec<_> = sleepers.filter(|sleeper| !sleeper.conflicts(&begun.event)).cloned().collect();
            let (is_leaf, inherited) = (index + 1 == length, sleep.len());
            place = self.add_child(place, Shared { is_leaf, sleep, inherited, tree: rest, ..Shared::default() }, begun);
        }
        self.move_item(item, place)?;
        let new = self.nodes[&start].children.len() - usize::from(!begun.is_empty());
        for wanted in std::mem::take(&mut self.nodes.get_mut(&start)?.deferred) {
            match wanted {
                Wanted::Sequence(sequence) => self.send_down(start, new, sequence)?,
                other => self.grant(start, other, None)?,
            }
        }
        self.update(start);
        Some(())
    }

    fn add_child(&mut self, parent: NodeId, child: Shared, begun: &Begun) -> NodeId {
        let Begun { event, steps } = begun.clone();
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

    /// An item asks for something to be explored from a shared state. None if that makes no sense.
    pub fn wish(&mut self, item: ItemId, wish: Wish) -> Option<()> {
        let (mut place, mut from) = (*self.items.get(&item)?, None);
        while self.nodes.get(&place)?.at > wish.at {
            (from, place) = (Some(place), self.nodes[&place].parent?);
        }
        self.grant(place, wish.wanted, from)
    }

    /// Plans what is wanted in a state, unless it was explored, or is going to be.
    fn grant(&mut self, place: NodeId, wanted: Wanted, from: Option<NodeId>) -> Option<()> {
        if let Wanted::Sequence(sequence) = wanted {
            let shared = self.nodes.get(&place)?;
            let is_covered = self.asleep(shared, from).any(|sleeper| sleeper.precedes(sequence.iter()).is_some());
            return if is_covered { Some(()) } else { self.send_down(place, shared.up_to(from), sequence) };
        }
        let shared = self.nodes.get_mut(&place)?;
        if shared.pending.is_some() {
            shared.deferred.push(wanted);
            return Some(());
        }
        let is_planned =
            |token: Token| shared.taken.contains(&token) || shared.tree.firsts().any(|first| first.token == token);
        match wanted {
            Wanted::Sequence(_) => {}
            Wanted::OneOf(events) if events.iter().any(|event| is_planned(event.token)) => {}
            Wanted::OneOf(events) => events.into_iter().take(1).for_each(|first| shared.tree.add(first)),
            Wanted::Event(token) if is_planned(token) => {}
            Wanted::Event(token) if shared.sleep.iter().any(|sleeper| sleeper.token == token) => {}
            Wanted::Event(token) => shared.tree.add(Footprint::unknown(token)),
        }
        self.update(place);
        Some(())
    }

    /// Lets a sequence go its way from a state, past the children from a place on.
    fn send_down(&mut self, place: NodeId, first: usize, mut sequence: Vec<Footprint>) -> Option<()> {
        let (mut place, mut first) = (place, first);
        while let Some(child) = self.way(place, first, &mut sequence) {
            if self.nodes[&child].is_leaf || sequence.is_empty() {
                return Some(());
            }
            (place, first) = (child, 0);
        }
        let shared = self.nodes.get_mut(&place)?;
        if shared.pending.is_some() {
            shared.deferred.push(Wanted::Sequence(sequence));
        } else {
            shared.tree.insert(&mut sequence.iter().collect::<Vec<_>>());
            self.update(place);
        }
        Some(())
    }

    /// The first of these children that a sequence can begin with; its event is taken out.
    fn way(&self, place: NodeId, first: usize, sequence: &mut Vec<Footprint>) -> Option<NodeId> {
        for &child in self.nodes[&place].children.get(first..)? {
            match self.nodes[&child].came_by.as_ref()?.precedes(sequence.iter()) {
                None => continue,
                Some(Precedes::As(index)) => drop(sequence.remove(index)),
                Some(Precedes::Beside) => {}
            }
            return Some(child);
        }
        None
    }

    /// An item gives away its first states, and goes on behind the last of them. None if that makes no sense.
    pub fn release(&mut self, item: ItemId, released: &[ReleasedNode]) -> Option<()> {
        let mut place = *self.items.get(&item)?;
        for node in released {
            self.fill(place, node)?;
            let child = Shared { is_leaf: !node.leads_inside, ..Shared::default() };
            place = self.add_child(place, child, &node.taken);
        }
        self.move_item(item, place)
    }

    fn fill(&mut self, place: NodeId, released: &ReleasedNode) -> Option<()> {
        let ReleasedNode { sleep, inherited, done, tree, .. } = released.clone();
        let shared = self.nodes.get_mut(&place)?;
        (shared.sleep, shared.inherited, shared.taken, shared.tree) = (sleep, inherited, done, tree);
        self.update(place);
        Some(())
    }

    /// A part of an item becomes an item of its own, in the same place. None if that makes no sense.
    pub fn split(&mut self, item: ItemId) -> Option<ItemId> {
        let place = *self.items.get(&item)?;
        self.nodes.get_mut(&place)?.items += 1;
        self.next_id += 1;
        self.items.insert(self.next_id, place);
        Some(self.next_id)
    }

    /// An item has been explored.
    pub fn finish(&mut self, item: ItemId) -> Option<()> {
        let place = self.items.remove(&item)?;
        self.nodes.get_mut(&place)?.items -= 1;
        // Whatever can be forgotten lies between the last leaf before it and itself; a leaf that is done, in its parent.
        let mut region = Some(self.region_of(place)?);
        while let Some(leaf) = region {
            self.forget_explored(leaf);
            let shared = self.nodes.get(&leaf)?;
            region = match shared.parent {
                Some(parent) if shared.is_explored() => Some(self.region_of(parent)?),
                _ => None,
            };
        }
        Some(())
    }

    /// The last leaf on the way to a state.
    fn region_of(&self, place: NodeId) -> Option<NodeId> {
        let mut place = place;
        while !self.nodes.get(&place)?.is_leaf {
            place = self.nodes[&place].parent?;
        }
        Some(place)
    }

    /// Forgets the first children for as long as they are explored: nothing that is ordered before them is left then.
    fn forget_explored(&mut self, place: NodeId) {
        while let Some(&child) = self.nodes[&place].children.first() {
            if !self.nodes[&child].is_leaf {
                self.forget_explored(child);
            }
            if !self.nodes[&child].is_explored() {
                return;
            }
            let explored = self.nodes.remove(&child).and_then(|child| child.came_by);
            let shared = self.nodes.get_mut(&place).expect("the parent of a state");
            shared.children.remove(0);
            shared.sleep.extend(explored);
        }
    }

    fn update(&mut self, place: NodeId) {
        let Some(shared) = self.nodes.get(&place) else { return };
        let key = (shared.at, place);
        if shared.pending.is_some() || shared.tree.is_empty() {
            self.open.remove(&key);
        } else {
            self.open.insert(key);
        }
    }
}

impl Shared {
    /// Whether nothing is left here or behind it.
    fn is_explored(&self) -> bool {
        self.items == 0 && self.children.is_empty() && self.tree.is_empty() && self.pending.is_none()
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
