//! Events: the steps of an execution as partial order reduction sees them.
//!
//! Most events are one step. An atomic section is one event with all that its steps touch: nothing comes between them.

use super::buffered;
use super::footprint::{Footprint, Mode, Parts, Reach, Role, Touch, VariableId};
use super::history::{Entry, EventIndex, History};
use super::touches::Touches;
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::dependence::{self, Context};
use rscale_protocol::model::RwLock;
use rscale_protocol::{Action, Choice, Family, Op, ThreadId, ThreadSet, Variable};
use smallvec::SmallVec;

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it touches.
    pub footprint: Footprint,
    /// Its first step.
    pub step: u32,
    /// Its operation; that of the first step.
    pub op: Op,
    /// Where the program does it.
    pub pc: u64,
    /// Who could proceed before it.
    pub possible: ThreadSet,
    /// What it may have to wait for.
    pub wait: Wait,
    /// Whether it could have given up waiting.
    pub is_timed: bool,
    /// Whether it also waits until one of the variables that it touches is written: it locks a mutex in a loop.
    pub polls: bool,
    /// Whether its thread locks and unlocks mutexes in a loop, so that it changes nothing for others that do.
    pub only_looks: bool,
    /// What it does to those that wait on a condition variable.
    pub waiters: Option<Box<Waiters>>,
    /// Of a flush: the number of the store among those of its thread.
    pub store: Option<u32>,
    /// What made it possible, if it was not before.
    pub made_possible_by: SmallVec<[EventIndex; 2]>,
    /// The event of the same thread before.
    pub previous: Option<EventIndex>,
    /// How many events of the same thread come before.
    pub number: u32,
    /// If the program came to an early end behind it: what it would act on otherwise.
    pub otherwise: Option<Reach>,
}

/// What an event may have to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wait {
    /// Nothing: it is possible wherever its thread is there.
    #[default]
    Nothing,
    /// Until whoever has taken the variable gives it back.
    Taken,
    /// Until the value is positive.
    Value,
    /// Until the thread ends.
    End,
    /// Until one of the variables that it touches is written: it goes round in a loop.
    Written,
    /// Until the event comes that it follows: there is nothing to reverse.
    Previous,
    /// For something that is not known in detail.
    Unknown,
}

/// The waiters of a condition variable before and after an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiters {
    /// The condition variable.
    pub variable: VariableId,
    /// Who waited before.
    pub before: ThreadSet,
    /// Who waits now.
    pub after: ThreadSet,
}

impl Event {
    /// The event that begins with a step of the log. Where accesses are no steps, sections are like locks: what they
    /// touch is not known.
    pub fn at(steps: &[Step], first: usize, history: &mut History, sees_accesses: bool) -> Option<Event> {
        let step = steps.get(first)?;
        let length = if sees_accesses { section_length(&steps[first..]) } else { 1 };
        let mut event = Event::again(step, history);
        if is_announcement(&steps[first..]) {
            event.announces();
        }
        if length > 1 {
            event.footprint = section(&event.footprint, &steps[first..first + length], history);
        }
        event.step = first as u32;
        if let Some(enabler) = enabler(&event, history) {
            event.made_possible_by.push(enabler);
        }
        if matches!(step.action.op, Op::Flush) || step.action.op.waits_for_own_stores() {
            event.made_possible_by.extend(buffered::before(&step.action, history));
        }
        if let Some(waker) = waker(&event, history) {
            event.made_possible_by.push(waker);
        }
        Some(event)
    }

    /// The program came to an early end behind the event, for all threads.
    pub fn ends_early(&mut self) {
        self.otherwise = Some(self.footprint.reach);
        self.footprint = self.footprint.with(|parts| parts.reach = Reach::Everyone);
    }

    /// Whether the program came to an early end behind the event, and would do so with this before it, too.
    #[must_use]
    pub fn ends_early_behind(&self, other: &Footprint) -> bool {
        let conflicts = |reach| self.footprint.with(|parts| parts.reach = reach).conflicts(other);
        self.otherwise.is_some_and(|reach| !conflicts(reach))
    }

    /// What a thread would do next, where an execution has ended.
    pub fn pending(action: Action, steps: &[Step], history: &mut History) -> Event {
        let step = Step { action, choice: Choice::Proceed, result: 0, enabled: [ThreadSet::EMPTY; 3] };
        let mut event = Event::of_step(&step, history);
        event.step = steps.len() as u32;
        event
    }

    /// The event that a step is, which its thread has mostly taken before.
    fn again(step: &Step, history: &mut History) -> Event {
        let number = history.count_of(step.action.thread);
        if let Some(known) = history.familiar().get(step, number) {
            let possible = step.enabled[Choice::Proceed as usize];
            return Event { possible, waiters: None, made_possible_by: SmallVec::new(), ..*known };
        }
        let event = Event::of_step(step, history);
        history.familiar_mut().remember(step, number, &event);
        event
    }

    /// Whether it is the same event wherever its thread takes the step.
    #[must_use]
    pub fn is_by_itself(&self, action: &Action) -> bool {
        let looks_back = matches!(action.op.family(), Family::Condition | Family::RwLock);
        !looks_back && action.flags & Action::WAITING == 0 && self.waiters.is_none()
    }

    fn of_step(step: &Step, history: &mut History) -> Event {
        let action = &step.action;
        let token = Token { thread: action.thread, choice: step.choice };
        let first = history.variable(action.object);
        let context =
            Context { has_waiters: !history.waiting(first).is_empty(), reads: is_reader(step, first, history) };
        let row = dependence::row(action, step.choice, step.result, context);
        let mut touches = Touches::EMPTY;
        if let Some((mode, role)) = row.first {
            touches.push(Touch { variable: first, mode, role, may_write: dependence::may_change(action.op) });
        }
        if let Some((mode, role)) = row.second {
            touches.push(Touch { variable: history.variable(action.second), mode, role, may_write: false });
        }
        if action.flags & Action::OBSERVED != 0 {
            let variable = history.variable(Variable::OBSERVED);
            touches.push(Touch { variable, mode: Mode::Write, role: Role::None, may_write: false });
        }
        let reach = match action.op {
            _ if row.everyone => Reach::Everyone,
            // Waits for something to change, and nobody knows what.
            Op::Preempt if action.flags & Action::WAITING != 0 => Reach::Everyone,
            Op::ThreadCancel | Op::ThreadKill => action.object.as_thread().map_or(Reach::Everyone, Reach::Thread),
            _ => Reach::Own,
        };
        let mut event = Event {
            footprint: Parts { token, touches, reach, steps: 1 }.into(),
            step: 0,
            op: action.announced().op,
            pc: action.pc,
            possible: step.enabled[Choice::Proceed as usize],
            wait: wait_of(action, step.choice, step.result),
            is_timed: action.is_timed(),
            polls: action.op == Op::MutexLock && action.flags & Action::WAITING != 0,
            only_looks: only_looks(action),
            waiters: waiters_of(step, first, history).map(Box::new),
            store: if action.op == Op::Flush { action.second.as_store().map(|(_, number)| number) } else { None },
            made_possible_by: SmallVec::new(),
            previous: None,
            number: 0,
            otherwise: None,
        };
        if event.wait == Wait::Written || event.polls {
            event.watch_round(history);
        }
        event
    }

    /// It only says that a writer is about to wait, which keeps readers out.
    fn announces(&mut self) {
        self.footprint = self.footprint.with(|parts| {
            parts.touches.iter_mut().for_each(|touch| touch.role = Role::Claim);
        });
    }

    /// Whether it says which waiter a signal wakes. Nobody but the waiters can take a step before it.
    #[must_use]
    pub fn is_pick(&self) -> bool {
        self.op == Op::CondWake && self.footprint.token.choice == Choice::Proceed
    }

    /// Whether it is nobody's turn: who ran before it goes on behind it. A waiter is chosen, or a store becomes
    /// visible.
    #[must_use]
    pub fn is_nobodys_turn(&self) -> bool {
        self.is_pick() || self.op == Op::Flush
    }

    /// Whether its thread may have had to wait until stores of its own were visible.
    #[must_use]
    pub fn waits_for_stores(&self) -> bool {
        self.op.waits_for_own_stores()
    }

    /// A thread that goes round in a loop looks at all that it has read in the last round; under locks, at what others
    /// do with these.
    fn watch_round(&mut self, history: &History) {
        let is_watched = |touch: &&Touch| touch.mode == Mode::Read || self.polls;
        let own = std::iter::successors(history.last_of(self.footprint.thread()), |&index| history.before(index));
        self.footprint = self.footprint.with(|parts| {
            for event in own.map(|index| history.event(index)) {
                for touch in event.footprint.touches.iter().filter(is_watched) {
                    if !parts.touches.iter().any(|known| known.variable == touch.variable) {
                        parts.touches.push(Touch { mode: Mode::Read, role: Role::None, may_write: false, ..*touch });
                    }
                }
                if event.pc == self.pc && event.op == self.op {
                    return;
                }
            }
        });
    }
}

/// All that an atomic section does, whose first step does this.
fn section(first: &Footprint, steps: &[Step], history: &mut History) -> Footprint {
    let inner = &steps[1..steps.len() - 1];
    let inner: Vec<Footprint> = inner.iter().map(|step| Event::of_step(step, history).footprint).collect();
    first.with(|parts| {
        parts.reach = Reach::Own;
        parts.steps = steps.len() as u32;
        inner.iter().for_each(|step| absorb(parts, step));
    })
}

/// Adds what another step of the same atomic section does.
fn absorb(section: &mut Parts, step: &Parts) {
    for touch in &step.touches {
        match section.touches.iter_mut().find(|known| known.variable == touch.variable) {
            None => section.touches.push(*touch),
            Some(known) => {
                known.mode = if known.mode == touch.mode { known.mode } else { Mode::Write };
                known.role = Role::None;
                known.may_write |= touch.may_write;
            }
        }
    }
    if step.reach != Reach::Own {
        section.reach = Reach::Everyone;
    }
}

/// How many steps the event that begins here has: more than one for an atomic section that nobody interrupts.
fn section_length(steps: &[Step]) -> usize {
    let Some(first) = steps.first().filter(|step| step.action.op == Op::AtomicBegin) else { return 1 };
    let mut depth = 0;
    for (index, step) in steps.iter().enumerate() {
        if step.action.thread != first.action.thread {
            return 1;
        }
        depth += match step.action.op {
            Op::AtomicBegin => 1,
            Op::AtomicEnd => -1,
            _ => 0,
        };
        if depth == 0 {
            return index + 1;
        }
    }
    1
}

/// Whether the steps end in the middle of an atomic section that they begin with.
#[must_use]
pub fn is_half_section(steps: &[Step]) -> bool {
    let is_alone = || steps.iter().all(|step| step.action.thread == steps[0].action.thread);
    steps.first().is_some_and(|step| step.action.op == Op::AtomicBegin) && section_length(steps) == 1 && is_alone()
}

/// Whether the first step is that of a writer that comes to wait.
fn is_announcement(steps: &[Step]) -> bool {
    let [first, later @ ..] = steps else { return false };
    if !may_come_to_wait(&first.action) {
        return false;
    }
    let next = later.iter().map(|step| &step.action).find(|action| action.thread == first.action.thread);
    next.is_some_and(|action| action.op == Op::RwWrite && action.flags & Action::WAITING != 0)
}

/// Where readers wait behind writers, to come to wait is a step of a writer, and always possible.
fn may_come_to_wait(action: &Action) -> bool {
    action.op == Op::RwWrite && action.count == RwLock::PREFER_WRITERS && action.flags & Action::WAITING == 0
}

fn is_reader(step: &Step, variable: VariableId, history: &History) -> bool {
    let own = |entry: &&Entry| entry.thread == step.action.thread && entry.role == Role::Take;
    step.action.op == Op::RwUnlock
        && history.touched(variable).iter().rev().find(own).is_some_and(|entry| entry.mode == Mode::Read)
}

fn only_looks(action: &Action) -> bool {
    matches!(action.op, Op::MutexLock | Op::MutexUnlock) && action.flags & Action::ONLY_LOOKS != 0
}

fn wait_of(action: &Action, choice: Choice, result: i32) -> Wait {
    if choice != Choice::Proceed {
        return Wait::Nothing;
    }
    match action.op {
        Op::RwWrite if may_come_to_wait(action) => Wait::Nothing,
        Op::MutexLock | Op::SpinLock | Op::RwRead | Op::RwWrite | Op::OnceEnter | Op::CondRetake => Wait::Taken,
        Op::SemWait => Wait::Value,
        // Whoever can not join the thread, or is cancelled there, does not wait for its end.
        Op::ThreadJoin if result != 0 => Wait::Unknown,
        Op::ThreadJoin => Wait::End,
        Op::BarrierLeave | Op::CondWake | Op::Fence | Op::BufferRoom => Wait::Previous,
        Op::FutexResume | Op::DescriptorWait | Op::SignalWait => Wait::Unknown,
        _ if action.op.family() != Family::RwLock && action.flags & Action::WAITING != 0 => Wait::Written,
        _ => Wait::Nothing,
    }
}

fn waiters_of(step: &Step, variable: VariableId, history: &History) -> Option<Waiters> {
    if !matches!(step.action.op, Op::CondWait | Op::CondWake | Op::CondSignal | Op::CondBroadcast) {
        return None;
    }
    let before = history.waiting(variable);
    let mut after = before;
    match step.action.op {
        Op::CondWait if step.result == 0 => after.insert(step.action.thread),
        Op::CondWake => after.remove(step.action.thread),
        Op::CondSignal if before.len() == 1 => after = ThreadSet::EMPTY,
        Op::CondBroadcast => after = ThreadSet::EMPTY,
        _ => return None,
    }
    Some(Waiters { variable, before, after })
}

/// The event that made it possible for a thread to take a step that it could not take before.
fn enabler(event: &Event, history: &History) -> Option<EventIndex> {
    let thread = event.footprint.thread();
    let Some(previous) = history.last_of(thread) else { return creation(history, thread) };
    if event.wait == Wait::Nothing {
        return None;
    }
    let was_impossible = |&index: &EventIndex| {
        let other = history.event(index);
        !other.is_pick() && !other.possible.contains(thread)
    };
    (previous + 1..history.len()).rev().find(was_impossible)
}

/// The event that woke a thread that waited on a condition variable.
fn waker(event: &Event, history: &History) -> Option<EventIndex> {
    let thread = event.footprint.thread();
    let wait = history.last_of(thread).filter(|_| event.op == Op::CondRetake)?;
    let condition = history.event(wait).waiters.as_ref().map(|waiters| waiters.variable)?;
    let wakes = |index: EventIndex| {
        let waiters = &history.event(index).waiters;
        waiters.as_ref().is_some_and(|change| change.before.contains(thread) && !change.after.contains(thread))
    };
    let later = history.touched(condition).iter().rev().map(|entry| entry.event).take_while(|&index| index > wait);
    later.filter(|&index| wakes(index)).last()
}

/// The event that created the thread.
fn creation(history: &History, thread: ThreadId) -> Option<EventIndex> {
    history.known(Variable::thread(thread)).and_then(|life| history.touched(life).first()).map(|entry| entry.event)
}
