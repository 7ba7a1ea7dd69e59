//! Orders on a machine of paper: threads that read and write one counter, and take one lock.

use super::*;
use rscale_protocol::{Op, ThreadId, Variable};

const COUNTER: Variable = Variable(64);
const LOCK: Variable = Variable(128);
const CONDITION: Variable = Variable(192);

/// What each thread does, one operation after the other, and which orders show the bug.
struct Machine {
    threads: Vec<Vec<(Op, Variable)>>,
    bug: fn(&[(u16, usize)]) -> bool,
    left: u64,
}

impl Machine {
    /// Runs the schedule, then everybody who is not asleep. A thread that sleeps wakes when somebody depends on it.
    fn run(&self, plan: Plan<'_>) -> (Vec<Step>, Rerun) {
        let mut done = vec![0; self.threads.len()];
        let mut holder: Option<usize> = None;
        let mut asleep = plan.sleep;
        let (mut steps, mut events) = (Vec::<Step>::new(), Vec::new());
        loop {
            let can = |t: usize| match self.threads[t].get(done[t]) {
                Some((Op::MutexLock, _)) => holder.is_none(),
                next => next.is_some(),
            };
            let enabled: ThreadSet = (0..done.len()).filter(|&t| can(t)).map(|t| ThreadId(t as u16)).collect();
            let thread = match plan.schedule.get(steps.len()) {
                Some(token) if !enabled.contains(token.thread) => {
                    let index = steps.len();
                    return (steps, Rerun::Refused(index));
                }
                Some(token) => token.thread,
                None => match enabled.iter().find(|&thread| !asleep.contains(thread)) {
                    Some(thread) => thread,
                    None => return (steps.clone(), Rerun::Gone(steps)),
                },
            };
            let index = thread.index();
            let (op, object) = self.threads[index][done[index]];
            let action = Action { second: LOCK, ..Action::new(thread, op, object) };
            holder = match op {
                Op::MutexLock => Some(index),
                Op::MutexUnlock => None,
                _ => holder,
            };
            events.push((thread.0, done[index]));
            done[index] += 1;
            steps.push(Step {
                action,
                choice: Choice::Proceed,
                result: 0,
                enabled: [enabled, ThreadSet::EMPTY, ThreadSet::EMPTY],
            });
            if steps.len() > plan.schedule.len() {
                let is_woken = |sleeper: &ThreadId| {
                    let (op, object) = self.threads[sleeper.index()][done[sleeper.index()]];
                    order::share(&Action::new(*sleeper, op, object), &action)
                };
                asleep = asleep.iter().filter(|sleeper| !is_woken(sleeper)).collect();
            }
            if (self.bug)(&events) {
                return (steps, Rerun::Shows);
            }
        }
    }

    fn shown(&self, schedule: &[u16]) -> Vec<Step> {
        let tokens: Vec<Token> =
            schedule.iter().map(|&thread| Token { thread: ThreadId(thread), choice: Choice::Proceed }).collect();
        let (steps, end) = self.run(Plan::of(&tokens));
        assert!(matches!(end, Rerun::Shows), "{end:?}");
        steps
    }
}

impl Rerunner for Machine {
    fn rerun(&mut self, plan: Plan<'_>) -> Rerun {
        match self.left.checked_sub(1) {
            None => return Rerun::NoTime,
            Some(left) => self.left = left,
        }
        self.run(plan).1
    }
}

fn position(events: &[(u16, usize)], event: (u16, usize)) -> usize {
    events.iter().position(|&one| one == event).unwrap_or(usize::MAX)
}

/// Both read before the other writes; the bug shows at the end.
fn lost_update(events: &[(u16, usize)]) -> bool {
    let at = |event| position(events, event);
    events.len() == 4 && at((0, 0)) < at((1, 1)) && at((1, 0)) < at((0, 1))
}

fn counting() -> Machine {
    let update = vec![(Op::Read, COUNTER), (Op::Write, COUNTER)];
    Machine { threads: vec![update.clone(), update], bug: lost_update, left: 1000 }
}

#[test]
fn a_lost_update_has_two_decisive_orders() {
    let mut machine = counting();
    let steps = machine.shown(&[0, 1, 1, 0]);
    let found = pairs(&steps, &mut machine);
    let pair = |first, later| Pair { first, second: Second::Step(later) };
    assert_eq!(found, [pair(0, 2), pair(1, 3)], "the order of the writes makes no difference");
}

#[test]
fn without_time_there_are_none() {
    let mut machine = Machine { left: 0, ..counting() };
    let steps = machine.shown(&[0, 1, 1, 0]);
    assert_eq!(pairs(&steps, &mut machine), []);
}

#[test]
fn an_action_that_was_not_come_to_is_missing() {
    let threads = vec![vec![(Op::Write, CONDITION), (Op::Write, COUNTER)], vec![(Op::Read, COUNTER)]];
    let early = |events: &[(u16, usize)]| position(events, (1, 0)) != usize::MAX && !events.contains(&(0, 1));
    let mut machine = Machine { threads, bug: early, left: 1000 };
    let steps = machine.shown(&[1]);
    let missing = Action { second: LOCK, ..Action::new(ThreadId(0), Op::Write, COUNTER) };
    assert_eq!(pairs(&steps, &mut machine), [Pair { first: 0, second: Second::Missing(missing) }]);
}

#[test]
fn critical_sections_are_reversed_as_a_whole_and_told_by_their_content() {
    let section = |op| vec![(Op::MutexLock, LOCK), (op, CONDITION), (Op::MutexUnlock, LOCK)];
    let early = |events: &[(u16, usize)]| events.len() == 6 && position(events, (0, 1)) < position(events, (1, 1));
    let mut machine =
        Machine { threads: vec![section(Op::CondSignal), section(Op::CondSignal)], bug: early, left: 1000 };
    let steps = machine.shown(&[0, 0, 0, 1, 1, 1]);
    assert_eq!(pairs(&steps, &mut machine), [Pair { first: 1, second: Second::Step(4) }]);
}
