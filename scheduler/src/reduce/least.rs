//! The least number of preemptions over all executions that are equivalent to the one at hand (Sachinoglou, section
//! 7.1.3).
//!
//! The paper looks for the cheapest path through a graph of blocks. Here threads are walked event by event, so a block
//! may be split too; what happens before what is kept. Switching away from a thread costs one if its next event was
//! possible there. Behind its last event a thread costs nothing: whether it goes on is not known. So the number never
//! falls as the execution grows, and one that has too many can be left. Where it is not known in detail what a thread
//! waits for, it is taken to wait until all is done that happened before: the number may be too low then, but never too
//! high.
//!
//! The walk goes on with the running thread wherever it can: that is never worse, but in front of an event that makes
//! others possible. Where it takes too long all the same, only preemptions count that no order can avoid: something of
//! another thread has to happen between two events (Algorithms 20 and 21). These are at most as many.

use super::event::{Event, Wait};
use super::footprint::{Footprint, Role, VariableId};
use super::history::{EventIndex, History};
use rscale_protocol::{Choice, Family, Op};
use smallvec::SmallVec;
use std::collections::{HashSet, VecDeque};

/// States that the walk may come to; with more, the number is estimated.
const MOST_STATES: usize = 4096;

/// What is known about the least number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Least {
    /// It is within the bound.
    Within,
    /// It is more.
    Beyond,
    /// The preemptions that can not be avoided are within the bound, but there may be more.
    Perhaps,
}

/// How many events of each thread.
type Positions = SmallVec<[u32; 8]>;

/// An event, as far as its place among the others is concerned.
#[derive(Clone, Debug, Default)]
struct Item {
    /// How many events of each thread happen before it.
    needs: Positions,
    wait: Wait,
    /// What it takes, and what it gives back.
    held: SmallVec<[(VariableId, Role); 2]>,
    /// Whether it may come behind whatever the running thread does without being worse.
    can_be_late: bool,
    /// Whether it is nobody's turn: it costs nothing, and who ran before goes on.
    is_free: bool,
    /// Whether its thread is not stopped by a switch in front of it: it lets others run, or gives up waiting.
    is_polite: bool,
    /// Whether its thread waits for nothing but its own stores.
    waits_for_stores: bool,
}

/// The events of each thread, in order.
#[derive(Clone, Debug, Default)]
pub struct Order {
    threads: Vec<Vec<Item>>,
    /// How many events of its thread come before each event of the execution.
    ranks: Vec<u32>,
}

/// A state of the walk.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Place {
    taken: Positions,
    running: Option<usize>,
}

impl Order {
    /// The events before this place, and one more; the event that it is, where the execution has it.
    #[must_use]
    pub fn of(history: &History, until: EventIndex, next: &Footprint, known: Option<&Event>) -> Order {
        let mut order = Order::default();
        for index in 0..until {
            let event = history.event(index);
            let thread = event.footprint.thread().index();
            let needs = order.counted(history.clock(index), thread);
            let rank = order.add(thread, Item::new(&event.footprint, Some(event), needs));
            order.ranks.push(rank);
        }
        let needs = order.needs_of(next, history);
        order.add(next.thread().index(), Item::new(next, known, needs));
        order
    }

    /// One more event, which a thread that could go on is going to take some time: an access to memory. The event that
    /// comes next is given once more.
    pub fn expect(&mut self, event: &Footprint, next: &Footprint, history: &History) {
        let mut needs = self.needs_of(event, history);
        let first = next.thread().index();
        if let Some(last) = self.threads[first].last().filter(|_| event.conflicts(next)) {
            needs.resize(needs.len().max(last.needs.len()).max(first + 1), 0);
            needs.iter_mut().zip(&last.needs).for_each(|(mine, &theirs)| *mine = (*mine).max(theirs));
            needs[first] = self.threads[first].len() as u32;
        }
        let thread = event.thread().index();
        needs.get_mut(thread).into_iter().for_each(|own| *own = 0);
        let item = Item { needs, wait: Wait::Nothing, held: SmallVec::new(), can_be_late: true, ..Item::default() };
        self.add(thread, item);
    }

    /// What happens before an event that would come behind those of the execution.
    fn needs_of(&self, event: &Footprint, history: &History) -> Positions {
        let mut clock: SmallVec<[EventIndex; 8]> = SmallVec::new();
        let until = self.ranks.len() as EventIndex;
        for index in (0..until).filter(|&index| history.event(index).footprint.conflicts(event)) {
            let earlier = history.clock(index);
            clock.resize(earlier.len(), 0);
            clock.iter_mut().zip(earlier).for_each(|(mine, &theirs)| *mine = (*mine).max(theirs));
        }
        self.counted(&clock, event.thread().index())
    }

    /// A clock, with the thread's own events left out, as numbers of events of each thread.
    fn counted(&self, clock: &[EventIndex], thread: usize) -> Positions {
        let count = |(other, &before): (usize, &EventIndex)| match before.checked_sub(1) {
            Some(last) if other != thread => self.ranks.get(last as usize).map_or(0, |rank| rank + 1),
            _ => 0,
        };
        clock.iter().enumerate().map(count).collect()
    }

    fn add(&mut self, thread: usize, item: Item) -> u32 {
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, Vec::new());
        }
        self.threads[thread].push(item);
        self.threads[thread].len() as u32 - 1
    }

    /// Whether some order of the events has at most so many preemptions.
    #[must_use]
    pub fn least(&self, bound: u64) -> Least {
        if self.unavoidable() > bound {
            return Least::Beyond;
        }
        let start = Place { taken: SmallVec::from_elem(0, self.threads.len()), running: None };
        let (mut left, mut known) = (VecDeque::from([(start, 0)]), HashSet::new());
        while let Some((place, count)) = left.pop_front() {
            if self.is_end(&place) {
                return Least::Within;
            }
            if !known.insert(place.clone()) {
                continue;
            }
            if known.len() > MOST_STATES {
                return Least::Perhaps;
            }
            for (next, cost) in self.steps(&place) {
                match cost {
                    0 => left.push_front((next, count)),
                    cost if count + cost <= bound => left.push_back((next, count + cost)),
                    _ => {}
                }
            }
        }
        Least::Beyond
    }

    /// Pairs of events of one thread with something between them that has to be there.
    fn unavoidable(&self) -> u64 {
        let between = |thread: usize, index: usize| {
            let second = &self.threads[thread][index];
            let last_before = |other: usize| self.threads[other].get(second.need(other).checked_sub(1)? as usize);
            let others = (0..self.threads.len()).filter(|&other| other != thread);
            (second.wait == Wait::Nothing || second.waits_for_stores)
                && !second.is_free
                && !second.is_polite
                && others.filter_map(last_before).any(|event| !event.is_free && event.need(thread) as usize >= index)
        };
        let pairs = self
            .threads
            .iter()
            .enumerate()
            .flat_map(|(thread, items)| (1..items.len()).filter(move |&index| between(thread, index)));
        pairs.count() as u64
    }

    fn is_end(&self, place: &Place) -> bool {
        self.threads.iter().zip(&place.taken).all(|(items, &taken)| taken as usize == items.len())
    }

    fn next(&self, place: &Place, thread: usize) -> Option<&Item> {
        self.threads[thread].get(place.taken[thread] as usize)
    }

    /// Where the walk can go on, and what that costs.
    fn steps(&self, place: &Place) -> Vec<(Place, u64)> {
        let ready = |&thread: &usize| self.next(place, thread).is_some_and(|item| item.is_ready(&place.taken));
        if let Some(running) = place.running.filter(ready)
            && self.next(place, running).is_some_and(|item| item.can_be_late)
        {
            return vec![(place.behind(running), 0)];
        }
        let running = place.running.filter(|&running| self.is_preempted(place, running));
        let threads = (0..self.threads.len()).filter(ready);
        let step = |thread: usize| match self.next(place, thread) {
            // Who can not go on lets others run, even if they do nothing before.
            Some(item) if item.is_free => (Place { running, ..place.behind(thread) }, 0),
            _ => (place.behind(thread), u64::from(running.is_some_and(|running| running != thread))),
        };
        threads.map(step).collect()
    }

    /// Whether the thread could go on.
    fn is_preempted(&self, place: &Place, thread: usize) -> bool {
        let Some(item) = self.next(place, thread) else { return false };
        match item.wait {
            _ if item.is_polite => false,
            _ if item.waits_for_stores => true,
            Wait::Nothing => true,
            Wait::Taken => !item.held.iter().any(|&(variable, _)| self.is_held(place, thread, variable)),
            _ => item.is_ready(&place.taken),
        }
    }

    /// Whether another thread has taken the variable and not given it back.
    fn is_held(&self, place: &Place, thread: usize, variable: VariableId) -> bool {
        let others = (0..self.threads.len()).filter(|&other| other != thread);
        let done = others.flat_map(|other| &self.threads[other][..place.taken[other] as usize]);
        let changes = done.flat_map(|item| &item.held).filter(|held| held.0 == variable);
        changes.map(|held| if held.1 == Role::Take { 1 } else { -1 }).sum::<i64>() > 0
    }
}

impl Place {
    /// Behind the next event of a thread.
    fn behind(&self, thread: usize) -> Place {
        let mut taken = self.taken.clone();
        taken[thread] += 1;
        Place { taken, running: Some(thread) }
    }
}

impl Item {
    fn new(footprint: &Footprint, event: Option<&Event>, needs: Positions) -> Item {
        let held = footprint.touches.iter().filter(|touch| matches!(touch.role, Role::Take | Role::Give));
        let held: SmallVec<[(VariableId, Role); 2]> = held.map(|touch| (touch.variable, touch.role)).collect();
        let is_plain = event.is_some_and(|event| matches!(event.op.family(), Family::Memory | Family::Mutex));
        let can_be_late = is_plain && held.iter().all(|held| held.1 == Role::Take);
        // A thread that takes its mutex back has to be woken first.
        let known = event.filter(|event| event.op != Op::CondRetake);
        let wait = known.map_or(Wait::Unknown, |event| event.wait);
        let lets_others_run = event.is_some_and(|event| event.op.lets_others_run());
        let is_polite = lets_others_run || footprint.token.choice != Choice::Proceed;
        let is_free = event.is_some_and(Event::is_nobodys_turn);
        let waits_for_stores = event.is_some_and(Event::waits_for_stores);
        Item { needs, wait, held, can_be_late, is_free, is_polite, waits_for_stores }
    }

    fn need(&self, thread: usize) -> u32 {
        self.needs.get(thread).copied().unwrap_or(0)
    }

    fn is_ready(&self, taken: &[u32]) -> bool {
        self.needs.iter().zip(taken).all(|(&needed, &taken)| needed <= taken)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{history, step};
    use super::*;
    use rscale_protocol::arena::Step;

    const BOTH: &[u16] = &[0, 1];

    fn order(steps: &[Step]) -> Order {
        let history = history(steps);
        let last = history.len() - 1;
        let event = history.event(last);
        Order::of(&history, last, &event.footprint, Some(event))
    }

    fn least(steps: &[Step]) -> u64 {
        let order = order(steps);
        (0..10).find(|&bound| order.least(bound) == Least::Within).expect("a few are enough")
    }

    fn read(thread: u16, variable: u64) -> Step {
        step(thread, Op::Read, variable, BOTH)
    }

    fn write(thread: u16, variable: u64) -> Step {
        step(thread, Op::Write, variable, BOTH)
    }

    /// The paper's figure 7.1: the preemption can be avoided by taking the second block first.
    #[test]
    fn blocks_that_can_be_swapped_cost_nothing() {
        assert_eq!(least(&[read(0, 8), write(1, 16), read(0, 16)]), 0);
    }

    #[test]
    fn what_has_to_happen_between_two_events_costs_one() {
        let steps = [write(0, 8), write(1, 8), read(0, 8)];
        assert_eq!((least(&steps), order(&steps).unavoidable()), (1, 1));
        let twice = [write(0, 8), write(1, 8), write(0, 8), write(1, 8), read(0, 8)];
        assert_eq!((least(&twice), order(&twice).unavoidable()), (3, 3));
    }

    /// Store buffering the other way round: none of the pairs has anything between it, and yet one thread must be
    /// stopped.
    #[test]
    fn orders_that_need_one_though_no_pair_does() {
        let steps = [write(0, 8), write(1, 16), read(0, 16), read(1, 8)];
        assert_eq!((least(&steps), order(&steps).unavoidable()), (1, 0));
    }

    /// Nobody knows whether a thread goes on behind its last event.
    #[test]
    fn the_last_event_of_a_thread_is_left_for_nothing() {
        assert_eq!(least(&[write(0, 8), write(1, 8)]), 0);
    }

    /// A thread that comes to a lock that is taken is not preempted: only the owner was, before it gave it back.
    #[test]
    fn a_thread_that_comes_to_a_taken_lock_is_not_preempted() {
        let lock = |thread| step(thread, Op::MutexLock, 32, BOTH);
        let unlock = |thread| step(thread, Op::MutexUnlock, 32, BOTH);
        let steps = [lock(0), write(0, 8), write(1, 8), write(0, 8), unlock(0), lock(1)];
        assert_eq!(least(&steps), 1);
        let free = [lock(0), write(0, 8), unlock(0), write(1, 8), write(0, 8), lock(1)];
        assert_eq!(least(&free), 1, "the owner was stopped in front of its unlock");
    }

    #[test]
    fn estimates_are_never_too_high() {
        let mut state = 1u64;
        for _ in 0..200 {
            let mut random = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                state >> 33
            };
            let steps: Vec<Step> = (0..8)
                .map(|_| {
                    let (thread, variable) = ((random() % 3) as u16, 8 + 8 * (random() % 2));
                    if random() % 2 == 0 { read(thread, variable) } else { write(thread, variable) }
                })
                .collect();
            assert!(order(&steps).unavoidable() <= least(&steps), "{steps:?}");
        }
    }
}
