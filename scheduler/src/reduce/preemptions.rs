//! Preemptions: how often a thread was stopped although it could have gone on (Sachinoglou, section 2.14, Algorithm
//! 14).
//!
//! A step of another thread preempts the one that ran before if that is enabled, that is, if it could proceed; being
//! able to time out does not count. What is no preemption:
//!
//! - A thread that blocks, waits in a loop, or has ended is not enabled.
//! - A thread that comes to a yield or a sleep lets others go first by itself.
//! - Whom a signal wakes is said by a step of the waiter directly behind the signal. This is part of the signal: the
//!   signaller runs on.
//! - That a store becomes visible is nobody's turn, whoever made it: the thread that runs goes on. If that one had to
//!   wait for it, it has let others run, even if they do nothing that can be seen before: to make a store is no step,
//!   and to be given a turn is none.
//!
//! A thread that waits for its own stores can go on, without anybody's help. So what is a preemption does not depend on
//! which stores are delayed, and a search need not know of all that threads share to be right about those that it
//! explores.
//!
//! Starts and ends of threads are steps, as the log has them. They raise no count: a start can be taken directly before
//! the thread's first own step, and an end directly behind its last one.

use super::event::Event;
use super::footprint::{Footprint, Mode, Parts, Reach, Role, Touch};
use super::history::{EventIndex, History};
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Action, Choice, Op, ThreadId, ThreadSet};
use smallvec::SmallVec;

/// A state, as far as preemptions matter.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// The events that led here are those before this one.
    pub at: EventIndex,
    /// What can be done.
    pub enabled: [ThreadSet; 3],
    /// The event that is to be taken, if that is known.
    pub event: Option<&'a Event>,
    /// Whether only the waiter that a signal wakes can be chosen.
    pub is_pick: bool,
    /// The steps of the execution from here on.
    pub later: &'a [Step],
    /// What threads would do next at its end.
    pub pending: &'a [Action],
}

impl State<'_> {
    /// Whether a thread could go on.
    fn could_go_on(&self, thread: ThreadId) -> bool {
        self.enabled[Choice::Proceed as usize].contains(thread)
            || self.next_of(thread).is_some_and(Op::waits_for_own_stores)
    }

    /// The accesses to memory that threads other than that of the next event are about to make.
    pub fn upcoming(&self, history: &History) -> impl Iterator<Item = Footprint> {
        let mut seen: ThreadSet = self.event.iter().map(|event| event.footprint.thread()).collect();
        let proceeds = self.later.iter().map(|step| (&step.action, step.choice));
        let next = proceeds.filter(move |(action, _)| {
            let is_first = !seen.contains(action.thread);
            seen.insert(action.thread);
            is_first
        });
        let is_certain = |action: &Action, choice: Choice| {
            let has_begun = history.last_of(action.thread).is_some();
            has_begun && choice == Choice::Proceed && action.flags & Action::WAITING == 0
        };
        let of_access = move |(action, choice): (&Action, Choice)| {
            let mode = match action.op {
                Op::Read => Mode::Read,
                Op::Write => Mode::Write,
                _ => return None,
            };
            let variable = history.known(action.object).filter(|_| is_certain(action, choice))?;
            let touch = Touch { variable, mode, role: Role::None, may_write: false };
            let token = Token { thread: action.thread, choice };
            Some(Parts { token, touches: [touch].into_iter().collect(), reach: Reach::Own, steps: 1 }.into())
        };
        next.filter_map(of_access)
    }

    fn next_of(&self, thread: ThreadId) -> Option<Op> {
        let mut actions = self.later.iter().map(|step| &step.action).chain(self.pending);
        actions.find(|action| action.thread == thread).map(|action| action.op)
    }
}

/// Whether the thread could not go on before a store of another one became visible, given what it did next.
fn had_to_wait(thread: ThreadId, event: &Event, next: &Event) -> bool {
    event.op == Op::Flush && !event.possible.contains(thread) && !next.waits_for_stores()
}

/// Where the block of an event begins: the steps of one thread with none of another one between them. Where that thread
/// had to wait for a store, another one could have gone on as well: a part of the block begins there. The last
/// beginning first.
pub fn block_starts(index: EventIndex, history: &History) -> SmallVec<[EventIndex; 2]> {
    let event = history.event(index);
    let (mut start, mut starts) = (index, SmallVec::new());
    let turns = || (0..index).rev().filter(|&earlier| !history.event(earlier).is_nobodys_turn());
    let thread = if event.is_nobodys_turn() {
        turns().next().map(|last| history.event(last).footprint.thread())
    } else {
        Some(event.footprint.thread())
    };
    for earlier in (0..index).rev() {
        let (event, next) = (history.event(earlier), history.event(start));
        match event.is_nobodys_turn() {
            true if thread.is_some_and(|thread| had_to_wait(thread, event, next)) && starts.last() != Some(&start) => {
                starts.push(start);
            }
            true => {}
            false if Some(event.footprint.thread()) == thread => start = earlier,
            false => break,
        }
    }
    if starts.last() != Some(&start) {
        starts.push(start);
    }
    starts
}

/// The preemptions up to each event of the execution.
#[derive(Clone, Debug)]
pub struct Preemptions {
    /// How many there are among so many first events.
    counts: Vec<u64>,
    /// Who runs behind so many first events.
    turns: Vec<Turn>,
}

/// Who runs in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Turn {
    /// The thread that ran. None if there is none, or if it had to wait for a store since.
    running: Option<ThreadId>,
    /// Whether it could go on.
    could_go_on: bool,
    /// Whether a step of another thread preempts it.
    is_preemptible: bool,
}

impl Default for Preemptions {
    fn default() -> Preemptions {
        Preemptions { counts: vec![0], turns: Vec::new() }
    }
}

impl Preemptions {
    /// The execution comes to a state. What comes behind it is forgotten.
    pub fn arrive(&mut self, state: &State<'_>, history: &History) {
        let at = state.at as usize;
        let running = at.checked_sub(1).and_then(|last| {
            let (event, before) = (history.event(last as EventIndex), self.turns[last]);
            match event.is_nobodys_turn() {
                true => before.running.filter(|_| event.op != Op::Flush || before.could_go_on),
                false => Some(event.footprint.thread()),
            }
        });
        let could_go_on = running.is_some_and(|thread| state.could_go_on(thread));
        let is_polite = |thread| state.next_of(thread).is_some_and(Op::lets_others_run);
        let is_preemptible = could_go_on && !state.is_pick && !running.is_some_and(is_polite);
        self.turns.truncate(at);
        self.turns.push(Turn { running, could_go_on, is_preemptible });
    }

    /// The thread that runs in a state where the execution was.
    #[must_use]
    pub fn running(&self, at: EventIndex) -> Option<ThreadId> {
        self.turns.get(at as usize)?.running
    }

    /// How many there are if this thread takes a step in a state where the execution was.
    #[must_use]
    pub fn with(&self, thread: ThreadId, at: EventIndex, history: &History) -> u64 {
        let is_turn = thread.index() < history.memory_model().threads();
        let Turn { running, is_preemptible, .. } = self.turns[at as usize];
        self.counts[at as usize] + u64::from(is_turn && is_preemptible && running != Some(thread))
    }

    /// The thread takes a step in the state behind all events; those that were taken back before are forgotten.
    pub fn push(&mut self, count: u64, at: EventIndex) {
        self.counts.truncate(at as usize + 1);
        self.counts.push(count);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{history, step};
    use super::*;

    /// Who is preempted where, in a whole execution.
    fn counted(steps: &[Step], pending: &[Action]) -> (Preemptions, History) {
        let history = history(steps);
        let mut preemptions = Preemptions::default();
        for at in 0..history.len() {
            let event = history.event(at);
            let later = &steps[event.step as usize..];
            let (enabled, is_pick) = (later[0].enabled, event.is_pick());
            preemptions.arrive(&State { at, enabled, event: Some(event), is_pick, later, pending }, &history);
            preemptions.push(preemptions.with(event.footprint.thread(), at, &history), at);
        }
        (preemptions, history)
    }

    fn count(steps: &[Step]) -> u64 {
        counted(steps, &[]).0.counts[steps.len()]
    }

    #[test]
    fn who_could_have_gone_on_was_preempted() {
        let read = |thread, possible: &[u16]| step(thread, Op::Read, 8, possible);
        assert_eq!(count(&[read(0, &[0, 1]), read(0, &[0, 1]), read(1, &[1])]), 0, "it has ended or waits");
        assert_eq!(count(&[read(0, &[0, 1]), read(1, &[0, 1]), read(0, &[0])]), 1);
        assert_eq!(count(&[read(0, &[0, 1]), read(1, &[0, 1]), read(0, &[0, 1]), read(1, &[1])]), 2);
    }

    #[test]
    fn being_able_to_time_out_is_not_enough() {
        let mut second = step(1, Op::Read, 8, &[1]);
        second.enabled[Choice::TimeOut as usize].insert(ThreadId(0));
        assert_eq!(count(&[step(0, Op::Read, 8, &[0, 1]), second]), 0);
    }

    #[test]
    fn who_comes_to_a_yield_or_a_sleep_is_not_preempted() {
        for op in [Op::Yield, Op::Sleep] {
            let waits = step(0, op, 0, &[0]);
            assert_eq!(count(&[step(0, Op::Read, 8, &[0, 1]), step(1, Op::Read, 8, &[0, 1]), waits]), 0, "{op:?}");
        }
    }

    #[test]
    fn what_is_at_the_end_of_the_execution_counts_as_next() {
        let steps = [step(0, Op::Read, 8, &[0, 1]), step(1, Op::Read, 8, &[0, 1])];
        let pending = [Action::new(ThreadId(0), Op::Yield, rscale_protocol::Variable(0))];
        let count = |pending| counted(&steps, pending).0.counts[2];
        assert_eq!((count(&[]), count(&pending)), (1, 0));
    }

    /// Its stores become visible by themselves, so that it does not matter which of them are delayed.
    #[test]
    fn a_thread_that_waits_for_its_own_stores_can_go_on() {
        let (read, other) = (step(0, Op::Read, 8, &[0, 1]), step(1, Op::Read, 8, &[1]));
        let fence = [Action::new(ThreadId(0), Op::Fence, rscale_protocol::Variable(0))];
        let count = |pending| counted(&[read, other], pending).0.counts[2];
        assert_eq!((count(&[]), count(&fence)), (0, 1));
        let steps = [read, step(64, Op::Flush, 16, &[1, 64]), step(0, Op::Fence, 0, &[0, 1])];
        let (preemptions, history) = counted(&steps, &[]);
        assert_eq!((preemptions.running(2), block_starts(2, &history).as_slice()), (Some(ThreadId(0)), &[0][..]));
    }

    #[test]
    fn who_had_to_wait_for_a_store_of_another_thread_has_let_others_run() {
        let (read, flush) = (step(0, Op::Read, 8, &[0, 1]), step(64, Op::Flush, 8, &[1, 64]));
        let (preemptions, history) = counted(&[read, flush, step(0, Op::Read, 8, &[0, 1])], &[]);
        assert_eq!((preemptions.running(1), preemptions.running(2)), (Some(ThreadId(0)), None));
        assert_eq!(block_starts(2, &history).as_slice(), &[2, 0]);
    }

    /// A waiter that a signal chooses says so in between; the signaller runs on.
    #[test]
    fn the_choice_of_a_waiter_belongs_to_the_signal() {
        let steps = [
            step(0, Op::CondSignal, 16, &[0]),
            step(1, Op::CondWake, 16, &[1, 2]),
            step(0, Op::Read, 8, &[0, 1]),
            step(1, Op::Read, 8, &[0, 1]),
        ];
        assert_eq!(count(&steps), 1, "only the last step preempts the signaller");
        let (preemptions, history) = counted(&steps, &[]);
        assert_eq!((preemptions.running(2), block_starts(2, &history).as_slice()), (Some(ThreadId(0)), &[0][..]));
    }

    #[test]
    fn blocks_begin_where_another_thread_ran_before() {
        let threads = [0, 0, 1, 1, 0];
        let steps: Vec<Step> = threads.iter().map(|&thread| step(thread, Op::Read, 8, &[0, 1])).collect();
        let history = history(&steps);
        assert_eq!([0, 1, 2, 3, 4].map(|index| block_starts(index, &history)[0]), [0, 0, 2, 2, 4]);
    }
}
