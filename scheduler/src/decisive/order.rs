//! What happened before what in one execution, as far as the program can tell.

use rscale_protocol::arena::Step;
use rscale_protocol::{AccessKind, Action, Family, Op, ThreadId, Variable};
use std::collections::HashMap;

/// The order of the last steps of an execution.
pub struct Order<'a> {
    steps: &'a [Step],
    start: usize,
    /// For each step from the start on: the last step of each thread that happened before it, or it itself.
    clocks: Vec<HashMap<ThreadId, usize>>,
}

impl<'a> Order<'a> {
    /// The order of the steps from `start` on.
    pub fn new(steps: &'a [Step], start: usize) -> Order<'a> {
        let mut order = Order { steps, start, clocks: Vec::new() };
        for index in start..steps.len() {
            order.add(index);
        }
        order
    }

    fn add(&mut self, index: usize) {
        let action = &self.steps[index].action;
        let mut clock: HashMap<ThreadId, usize> = HashMap::new();
        for earlier in (self.start..index).rev() {
            let other = &self.steps[earlier].action;
            let is_known = clock.get(&other.thread).is_some_and(|&last| last >= earlier);
            if is_known || !action.is_dependent(other) {
                continue;
            }
            for (&thread, &last) in &self.clocks[earlier - self.start] {
                let known = clock.entry(thread).or_insert(last);
                *known = last.max(*known);
            }
        }
        clock.insert(action.thread, index);
        self.clocks.push(clock);
    }

    /// Whether a step happened before a later one, and could not have come behind it by itself.
    pub fn is_before(&self, first: usize, later: usize) -> bool {
        let thread = self.steps[first].action.thread;
        self.clocks[later - self.start].get(&thread).is_some_and(|&last| last >= first)
    }

    /// Steps of other threads that may come behind a step instead of before it, the last ones first: those that it
    /// conflicts with, and that nothing its thread did before depends on. What gives a lock back comes before the one
    /// who takes it in any case.
    pub fn reversible(&self, later: usize) -> Vec<usize> {
        let action = &self.steps[later].action;
        let own = self.steps[self.start..later].iter().rposition(|step| step.action.thread == action.thread);
        let previous = own.map(|index| index + self.start);
        let is_free =
            |first: usize| previous.is_none_or(|previous| previous < first || !self.is_before(first, previous));
        let is_giving = |first: &Action| action.op.may_wait() && gives_back(first.op);
        let can_be = |&first: &usize| {
            let earlier = &self.steps[first].action;
            share(earlier, action) && !is_giving(earlier) && is_free(first)
        };
        (self.start..later).rev().filter(can_be).collect()
    }

    /// What two critical sections in a decisive order are about, if that is to be seen; else their locks.
    pub fn content_of(&self, first: usize, later: usize) -> (usize, usize) {
        let lock = self.steps[later].action.object;
        let is_section = |index: usize| takes(&self.steps[index].action, lock);
        if !is_section(first) || !is_section(later) {
            return (first, later);
        }
        let inside = |index: usize| self.section(index, lock);
        let pairs = inside(first).into_iter().flat_map(|one| inside(later).into_iter().map(move |two| (one, two)));
        let mut about = pairs.filter(|&(one, two)| share(&self.steps[one].action, &self.steps[two].action));
        about.next().unwrap_or((first, later))
    }

    /// The steps of a critical section about something else than its lock.
    fn section(&self, start: usize, lock: Variable) -> Vec<usize> {
        let thread = self.steps[start].action.thread;
        let own = (start + 1..self.steps.len()).filter(|&index| self.steps[index].action.thread == thread);
        let mut inside = Vec::new();
        for index in own {
            let action = &self.steps[index].action;
            if action.object != lock {
                inside.push(index);
            }
            if action.object == lock || action.second == lock {
                break;
            }
        }
        inside
    }

    /// Whether the step accesses something that a person knows by name.
    pub fn is_worth_naming(&self, index: usize) -> bool {
        self.steps[index].action.objects().any(|object| object.as_thread().is_none())
    }
}

/// Whether two actions of different threads access the same thing, and one of them changes it.
pub fn share(one: &Action, other: &Action) -> bool {
    let is_named = |variable: Variable| variable != Variable::MEMORY;
    let conflict = |kinds: [AccessKind; 2]| kinds.contains(&AccessKind::Write);
    one.thread != other.thread
        && one.accesses().filter(|access| is_named(access.variable)).any(|mine| {
            other.accesses().any(|theirs| mine.variable == theirs.variable && conflict([mine.kind, theirs.kind]))
        })
}

fn gives_back(op: Op) -> bool {
    matches!(op, Op::MutexUnlock | Op::MutexAbandon | Op::SpinUnlock | Op::RwUnlock | Op::CondWait | Op::OnceLeave)
}

/// Whether the action takes the lock.
fn takes(action: &Action, lock: Variable) -> bool {
    let is_lock = matches!(action.op.family(), Family::Mutex | Family::Spin | Family::RwLock | Family::Once);
    let is_taking = (is_lock && action.op.may_wait()) || action.op == Op::CondRetake || action.op.is_attempt();
    is_taking && action.object == lock
}
