//! Preemptions: how often a thread was stopped although it could have gone on (Sachinoglou, section 2.14, Algorithm 14).
//!
//! A step of another thread preempts the one that ran before if that is enabled, that is, if it could proceed; being able to
//! time out does not count. What is no preemption:
//!
//! - A thread that blocks, waits in a loop, or has ended is not enabled.
//! - A thread that comes to a yield or a sleep lets others go first by itself.
//! - Whom a signal wakes is said by a step of the waiter directly behind the signal. This is part of the signal: the
//!   signaller runs on.
//! - That a store becomes visible is nobody's turn, whoever made it: the thread that runs goes on. A thread that waits for its
//!   stores is not enabled, like one that waits for anything else. If it had to wait, it has let others run, even if they do
//!   nothing that can be seen before the store is visible: to make a store is no step, and to be given a turn is none.
//!
//! Starts and ends of threads are steps, as the log has them. They raise no count: a start can be taken directly before
//! the thread's first own step, and an end directly behind its last one.

use super::event::Event;
use super::footprint::{Footprint, Mode, Reach, Role, Touch};
use super::history::{EventIndex, History};
use super::reversal::Executed;
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

impl<'a> State<'a> {
    /// The state before an event of the execution.
    #[must_use]
    pub fn before(at: EventIndex, executed: Executed<'a>) -> State<'a> {
        let event = executed.history.event(at);
        let later = &executed.steps[event.step as usize..];
        let enabled = later[0].enabled;
        State { at, enabled, event: Some(event), is_pick: event.is_pick(), later, pending: &[] }
    }

    /// The thread that ran, if a step of another one preempts it.
    #[must_use]
    pub fn preemptible(&self, history: &History) -> Option<ThreadId> {
        let running = running(self.at, history)?;
        (!self.is_pick && self.enabled[Choice::Proceed as usize].contains(running) && !self.is_polite(running))
            .then_some(running)
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
            Some(Footprint { token, touches: [touch].into_iter().collect(), reach: Reach::Own, steps: 1 })
        };
        next.filter_map(of_access)
    }

    fn is_polite(&self, thread: ThreadId) -> bool {
        let mut actions = self.later.iter().map(|step| &step.action).chain(self.pending);
        let next = actions.find(|action| action.thread == thread);
        next.is_some_and(|action| action.op.lets_others_run())
    }
}

/// The thread that runs behind the events before this one. None if there is none, or if it had to wait for a store since.
#[must_use]
pub fn running(at: EventIndex, history: &History) -> Option<ThreadId> {
    let earlier = &history.events()[..at as usize];
    let last = earlier.iter().rposition(|event| !event.is_nobodys_turn())?;
    let thread = earlier[last].footprint.thread();
    (!earlier[last + 1..].iter().any(|event| had_to_wait(thread, event))).then_some(thread)
}

/// Whether the thread could not go on before a store became visible.
fn had_to_wait(thread: ThreadId, event: &Event) -> bool {
    event.op == Op::Flush && !event.possible.contains(thread)
}

/// Where the block of an event begins: the steps of one thread with none of another one between them. Where that thread had
/// to wait for a store, another one could have gone on as well: a part of the block begins there. The last beginning first.
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
        let event = history.event(earlier);
        match event.is_nobodys_turn() {
            true if thread.is_some_and(|thread| had_to_wait(thread, event)) && starts.last() != Some(&start) => {
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
}

impl Default for Preemptions {
    fn default() -> Preemptions {
        Preemptions { counts: vec![0] }
    }
}

impl Preemptions {
    /// How many there are if this thread takes a step in the state.
    #[must_use]
    pub fn with(&self, thread: ThreadId, state: &State<'_>, history: &History) -> u64 {
        let is_turn = thread.index() < history.memory_model().threads();
        let is_preemption = is_turn && state.preemptible(history).is_some_and(|running| running != thread);
        self.counts[state.at as usize] + u64::from(is_preemption)
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

    /// The preemptions of a whole execution.
    fn count(steps: &[Step]) -> u64 {
        let history = history(steps);
        let mut preemptions = Preemptions::default();
        for at in 0..history.len() {
            let thread = history.event(at).footprint.thread();
            let count = preemptions.with(thread, &State::before(at, Executed { steps, history: &history }), &history);
            preemptions.push(count, at);
        }
        preemptions.counts[steps.len()]
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
        let steps = [step(0, Op::Read, 8, &[0, 1])];
        let history = history(&steps);
        let mut possible = ThreadSet::EMPTY;
        possible.insert(ThreadId(0));
        let pending = [Action::new(ThreadId(0), Op::Yield, rscale_protocol::Variable(0))];
        let enabled = [possible, ThreadSet::EMPTY, ThreadSet::EMPTY];
        let state = State { at: 1, enabled, event: None, is_pick: false, later: &[], pending: &[] };
        assert_eq!(state.preemptible(&history), Some(ThreadId(0)));
        assert_eq!(State { pending: &pending, ..state }.preemptible(&history), None);
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
        let history = history(&steps);
        assert_eq!((running(2, &history), block_starts(2, &history).as_slice()), (Some(ThreadId(0)), &[0][..]));
    }

    #[test]
    fn blocks_begin_where_another_thread_ran_before() {
        let threads = [0, 0, 1, 1, 0];
        let steps: Vec<Step> = threads.iter().map(|&thread| step(thread, Op::Read, 8, &[0, 1])).collect();
        let history = history(&steps);
        assert_eq!([0, 1, 2, 3, 4].map(|index| block_starts(index, &history)[0]), [0, 0, 2, 2, 4]);
    }
}
