//! Sections: what several threads do next, and in which orders.
//!
//! The events of a section are always possible where their threads are there, and touch what does not depend on others.
//! Each order of those that conflict is a trace constraint system: it is satisfiable if it goes together with the order
//! within threads. A system is solved here without running anything.

use super::ends::Ends;
use crate::reduce::event::{Event, Wait};
use crate::reduce::footprint::{Footprint, Reach, Role, VariableId};
use crate::reduce::history::{EventIndex, History};
use rscale_protocol::{Choice, Op, ThreadId};
use std::collections::HashSet;
use std::ops::Range;

/// Events of the execution that a section may be taken from: comparing all pairs is quadratic.
const MOST_EVENTS: usize = 512;

/// How long sections are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// As long as possible.
    Long,
    /// Each thread has one event at most that depends on others: fewer systems are unsatisfiable.
    Short,
}

/// An event of a section.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// What it touches.
    pub footprint: Footprint,
    /// Where the program does it.
    pub pc: u64,
    /// The members of other threads that it conflicts with.
    conflicts: Vec<usize>,
}

impl Member {
    /// An event of an execution.
    #[must_use]
    pub fn new(event: &Event) -> Member {
        Member::doing(event.footprint, event.pc)
    }

    /// What touches this, in this place of the program.
    #[must_use]
    pub fn doing(footprint: Footprint, pc: u64) -> Member {
        Member { footprint, pc, conflicts: Vec::new() }
    }

    /// Whether another one is the same, whatever they conflict with.
    pub fn is_like(&self, other: &Member) -> bool {
        (&self.footprint, self.pc) == (&other.footprint, other.pc)
    }
}

/// The members of one thread, in a section.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    thread: ThreadId,
    /// How many events of the thread come before them.
    first: u32,
    members: Range<usize>,
}

/// The members of one thread, of which a section is put together.
pub struct Members {
    pub thread: ThreadId,
    /// How many events of the thread come before them.
    pub first: u32,
    pub members: Vec<Member>,
}

/// A thread while its members are looked for.
struct Beginning {
    all: Members,
    /// Whether its next event can be a member too.
    is_open: bool,
}

/// A section.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    rows: Vec<Row>,
    members: Vec<Member>,
    /// All that members touch.
    variables: HashSet<VariableId>,
}

impl Section {
    /// The section from a place of the execution on, which begins with the event there.
    ///
    /// # Errors
    /// The place from which on another section may be found.
    pub fn from(start: EventIndex, history: &History, ends: &Ends, length: Length) -> Result<Section, EventIndex> {
        let mut threads: Vec<Beginning> = Vec::new();
        let mut first_other = None;
        for (index, event) in (start..).zip(&history.events()[start as usize..]).take(MOST_EVENTS) {
            let thread = event.footprint.thread();
            let position = threads.iter().position(|known| known.all.thread == thread).unwrap_or_else(|| {
                let all = Members { thread, first: event.number, members: Vec::new() };
                threads.push(Beginning { all, is_open: true });
                threads.len() - 1
            });
            let beginning = &mut threads[position];
            beginning.is_open &= is_steady(event, start, history) && !ends.bars(event.pc);
            if beginning.is_open {
                beginning.all.members.push(Member::new(event));
                beginning.is_open = !ends.stop_behind(event.pc);
            } else {
                first_other = first_other.or(Some(index));
            }
        }
        if first_other == Some(start) {
            return Err(start + 1);
        }
        let section = Section::of(threads.into_iter().map(|beginning| beginning.all).collect());
        let section = if length == Length::Short { section.shortened() } else { section };
        let matters = section.members.iter().any(|member| !member.conflicts.is_empty());
        if matters { Ok(section) } else { Err(first_other.map_or(history.len(), |index| index + 1)) }
    }

    /// The section that has these members.
    #[must_use]
    pub fn of(mut threads: Vec<Members>) -> Section {
        threads.sort_by_key(|members| members.thread);
        let touches = threads.iter().flat_map(|all| &all.members).flat_map(|member| &member.footprint.touches);
        let variables = touches.map(|touch| touch.variable).collect();
        let mut section = Section { rows: Vec::new(), members: Vec::new(), variables };
        for Members { thread, first, members } in threads {
            let start = section.members.len();
            section.members.extend(members);
            section.rows.push(Row { thread, first, members: start..section.members.len() });
        }
        section.compare_all();
        section
    }

    /// Finds out which members conflict with which.
    fn compare_all(&mut self) {
        self.members.iter_mut().for_each(|member| member.conflicts.clear());
        for right in 0..self.members.len() {
            for left in 0..right {
                let (one, other) = (&self.members[left].footprint, &self.members[right].footprint);
                if one.thread() != other.thread() && one.conflicts(other) {
                    self.members[left].conflicts.push(right);
                    self.members[right].conflicts.push(left);
                }
            }
        }
    }

    /// The section that ends in each thread behind the first member that depends on others.
    fn shortened(self) -> Section {
        let cut = |row: &Row| {
            let members = &self.members[row.members.clone()];
            let dependent = members.iter().position(|member| !member.conflicts.is_empty());
            let members = members[..dependent.map_or(members.len(), |index| index + 1)].to_vec();
            Members { thread: row.thread, first: row.first, members }
        };
        Section::of(self.rows.iter().map(cut).collect())
    }

    /// The members of each thread.
    pub fn threads(&self) -> impl Iterator<Item = (ThreadId, u32, &[Member])> {
        self.rows.iter().map(|row| (row.thread, row.first, &self.members[row.members.clone()]))
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The member that an event of the execution stands for.
    #[must_use]
    pub fn member(&self, event: &Event) -> Option<&Member> {
        self.members.get(self.index(event)?)
    }

    /// The member before that of the same thread.
    #[must_use]
    pub fn before(&self, event: &Event) -> Option<&Member> {
        let row = self.row(event.footprint.thread())?;
        let before = self.index(event)?.checked_sub(1).filter(|before| row.members.contains(before))?;
        self.members.get(before)
    }

    fn index(&self, event: &Event) -> Option<usize> {
        let row = self.row(event.footprint.thread())?;
        let index = row.members.start + event.number.checked_sub(row.first)? as usize;
        row.members.contains(&index).then_some(index)
    }

    fn row(&self, thread: ThreadId) -> Option<&Row> {
        self.rows.iter().find(|row| row.thread == thread)
    }

    /// All members.
    #[must_use]
    pub fn all(&self) -> Left<'_> {
        Left { section: self, next: self.rows.iter().map(|row| row.members.start).collect() }
    }

    /// Whether an event may conflict with a member.
    fn may_conflict(&self, event: &Footprint) -> bool {
        event.reach != Reach::Own || event.touches.iter().any(|touch| self.variables.contains(&touch.variable))
    }

    /// The members that are left in a state of the path.
    #[must_use]
    pub fn left(&self, at: EventIndex, history: &History) -> Left<'_> {
        let next = |row: &Row| {
            let done = count_before(at, row.thread, history).saturating_sub(row.first) as usize;
            (row.members.start + done).min(row.members.end)
        };
        Left { section: self, next: self.rows.iter().map(next).collect() }
    }
}

/// How many events of a thread come before a state of the path.
#[must_use]
pub fn count_before(at: EventIndex, thread: ThreadId, history: &History) -> u32 {
    history.next_of(thread, at).map_or_else(|| history.count_of(thread), |next| history.event(next).number)
}

/// What is left of a section: the next member of each row.
#[derive(Clone, Debug)]
pub struct Left<'a> {
    section: &'a Section,
    next: Vec<usize>,
}

impl<'a> Left<'a> {
    /// Whether an event conflicts with something that is left.
    #[must_use]
    pub fn conflicts(&self, event: &Footprint) -> bool {
        let Left { section, next } = self;
        let mut rows = section.rows.iter().zip(next);
        let conflicts = |member: &Member| member.footprint.conflicts(event);
        section.may_conflict(event)
            && rows.any(|(row, &next)| section.members[next..row.members.end].iter().any(conflicts))
    }

    /// A thread has taken its next member.
    pub fn pass(&mut self, thread: ThreadId) {
        if let Some(row) = self.section.rows.iter().position(|row| row.thread == thread) {
            self.next[row] += 1;
        }
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.section.rows.iter().zip(&self.next).all(|(row, &next)| next == row.members.end)
    }

    /// The member that could come next of each row that has one left.
    #[must_use]
    pub fn firsts(&self) -> Vec<(usize, &'a Footprint)> {
        let Left { section, next } = self;
        let is_left = |&row: &usize| section.rows[row].members.contains(&next[row]);
        (0..next.len()).filter(is_left).map(|row| (row, &section.members[next[row]].footprint)).collect()
    }

    /// An order of all members that are left that begins with this row, and in which each member that sleeps comes
    /// behind one that it conflicts with. None if there is none.
    ///
    /// Taking a member that does not sleep never makes another one impossible, so whatever is possible is taken. The
    /// first sleepers may linger ([`Node::lingering`](crate::reduce::plan::Node)): those make no order needless that
    /// they could come before, and what would come behind them is left out.
    #[must_use]
    pub fn solve(mut self, first: usize, sleep: &[Footprint], lingering: usize) -> Option<Vec<&'a Footprint>> {
        let section = self.section;
        let mut asleep = vec![false; section.rows.len()];
        for (row, member) in self.firsts() {
            asleep[row] = row != first && sleep.iter().any(|sleeper| sleeper.token == member.token);
        }
        let mut order = Vec::new();
        self.take(first, &mut asleep, &mut order);
        while let Some(&(row, _)) = self.firsts().iter().find(|(row, _)| !asleep[*row]) {
            self.take(row, &mut asleep, &mut order);
        }
        let lingers = |member: &Footprint| sleep[..lingering].iter().any(|sleeper| sleeper.token == member.token);
        (self.is_empty() || self.firsts().iter().any(|(_, member)| lingers(member))).then_some(order)
    }

    /// Takes the next member of a row, and wakes those that it conflicts with.
    fn take(&mut self, row: usize, asleep: &mut [bool], order: &mut Vec<&'a Footprint>) {
        let member = &self.section.members[self.next[row]];
        self.next[row] += 1;
        order.push(&member.footprint);
        for (other, next) in self.next.iter().enumerate() {
            asleep[other] &= !member.conflicts.contains(next);
        }
    }
}

/// Whether an event can be part of a section: it is possible wherever its thread is there, makes nothing impossible,
/// and touches the same in every place, as far as it is known.
fn is_steady(event: &Event, start: EventIndex, history: &History) -> bool {
    let is_plain = matches!(event.op, Op::Read | Op::Write | Op::ThreadStart | Op::ThreadExit | Op::Yield);
    let is_section = event.footprint.steps > 1 && !history.sections_vary();
    event.wait == Wait::Nothing
        && (is_plain || is_section)
        && event.footprint.token.choice == Choice::Proceed
        && event.footprint.reach == Reach::Own
        && event.footprint.touches.iter().all(|touch| touch.role == Role::None && !touch.may_write)
        && event.made_possible_by.iter().all(|&earlier| earlier < start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::scripted::{history, step};
    use rscale_protocol::arena::Step;

    fn read(thread: u16, variable: u64) -> Step {
        step(thread, Op::Read, variable, &[1, 2, 3])
    }

    fn write(thread: u16, variable: u64) -> Step {
        step(thread, Op::Write, variable, &[1, 2, 3])
    }

    fn section(steps: &[Step], length: Length) -> Option<Section> {
        Section::from(0, &history(steps), &Ends::default(), length).ok()
    }

    /// How many orders there are, as the search finds them: it goes on with what sleeps in no order, and lets it sleep.
    fn count(left: &Left<'_>, sleep: &[Footprint]) -> u64 {
        let mut sleep = sleep.to_vec();
        let mut found = u64::from(left.is_empty());
        for (row, first) in left.firsts() {
            let is_asleep = sleep.iter().any(|sleeper| sleeper.token == first.token);
            if is_asleep || left.clone().solve(row, &sleep, 0).is_none() {
                continue;
            }
            let mut behind = left.clone();
            behind.pass(first.thread());
            let still: Vec<Footprint> = sleep.iter().filter(|sleeper| !sleeper.conflicts(first)).cloned().collect();
            found += count(&behind, &still);
            sleep.push(*first);
        }
        found
    }

    fn orders(steps: &[Step]) -> u64 {
        let section = section(steps, Length::Long).expect("a section");
        count(&section.all(), &[])
    }

    #[test]
    fn each_order_is_found_once() {
        assert_eq!(orders(&[write(1, 8), read(2, 8), read(3, 8)]), 4, "a writer and two readers");
        assert_eq!(orders(&[write(1, 8), read(1, 16), write(2, 16), read(2, 8)]), 3, "store buffering");
        assert_eq!(orders(&[write(1, 8), write(2, 8), write(3, 8)]), 6, "three writers");
        assert_eq!(orders(&[read(1, 8), write(1, 8), read(2, 8), write(2, 8)]), 4, "two increments");
    }

    #[test]
    fn what_can_not_be_woken_makes_a_system_unsatisfiable() {
        let steps = [write(1, 8), write(2, 8), write(3, 16)];
        let section = section(&steps, Length::Long).expect("a section");
        let footprints: Vec<Footprint> = section.all().firsts().iter().map(|(_, first)| **first).collect();
        let threads = |order: Option<Vec<&Footprint>>| {
            order.map(|order| order.iter().map(|event| event.thread().0).collect::<Vec<_>>())
        };
        assert_eq!(
            threads(section.all().solve(1, &footprints[..1], 0)),
            Some(vec![2, 1, 3]),
            "the second wakes the first"
        );
        assert_eq!(threads(section.all().solve(2, &footprints[..1], 0)), Some(vec![3, 2, 1]));
        assert_eq!(threads(section.all().solve(2, &footprints[..2], 0)), None, "nobody wakes the first two");
        assert_eq!(threads(section.all().solve(2, &footprints[..2], 1)), Some(vec![3]), "nobody has to wake the first");
    }

    #[test]
    fn short_sections_end_behind_what_depends_on_others() {
        let steps = [read(1, 24), write(1, 8), write(1, 16), write(2, 8), write(2, 16)];
        assert_eq!(section(&steps, Length::Long).map(|section| section.len()), Some(5));
        assert_eq!(section(&steps, Length::Short).map(|section| section.len()), Some(3));
    }

    #[test]
    fn sections_end_where_something_else_was_seen_and_at_what_may_block() {
        let steps = [write(1, 8), write(1, 8), write(2, 8)];
        let mut ends = Ends::default();
        let length = |ends: &Ends| Section::from(0, &history(&steps), ends, Length::Long).map(|section| section.len());
        assert_eq!(length(&ends), Ok(3));
        ends.learn(Some(steps[0].action.pc), 0);
        assert_eq!(length(&ends), Ok(2));
        ends.learn(None, steps[0].action.pc);
        assert_eq!(length(&ends), Err(1), "nothing is left of it");
        let lock = [step(1, Op::MutexLock, 8, &[1, 2]), write(1, 16), write(2, 16)];
        assert_eq!(Section::from(0, &history(&lock), &Ends::default(), Length::Long).map(|one| one.len()), Err(1));
        assert_eq!(Section::from(1, &history(&lock), &Ends::default(), Length::Long).map(|one| one.len()), Ok(2));
    }
}
