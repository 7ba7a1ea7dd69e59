//! Minimising on a machine of paper: threads with so many steps each, and a bug that certain orders show.

use super::*;
use proptest::prelude::*;
use rscale_protocol::{Choice, Op, ThreadId, ThreadSet, Variable};

/// Threads of so many steps; the bug shows when one step comes directly behind another.
struct Machine {
    lengths: Vec<usize>,
    bug: fn(&[(u16, usize)]) -> bool,
    left: u64,
}

impl Machine {
    fn new(lengths: &[usize], bug: fn(&[(u16, usize)]) -> bool) -> Machine {
        Machine { lengths: lengths.to_vec(), bug, left: u64::MAX }
    }

    /// Runs the schedule, and then every thread to its end, until the bug shows.
    fn run(&self, schedule: &[Token]) -> Replayed {
        let mut done = vec![0; self.lengths.len()];
        let (mut steps, mut events) = (Vec::new(), Vec::new());
        let mut running: usize = 0;
        loop {
            let enabled: ThreadSet =
                (0..done.len()).filter(|&t| done[t] < self.lengths[t]).map(|t| ThreadId(t as u16)).collect();
            let thread = match schedule.get(steps.len()) {
                Some(token) if !enabled.contains(token.thread) => return Replayed::Refused(steps.len()),
                Some(token) => token.thread,
                None if enabled.contains(ThreadId(running as u16)) => ThreadId(running as u16),
                None => match enabled.first() {
                    Some(first) => first,
                    None => return Replayed::Other,
                },
            };
            running = thread.index();
            events.push((thread.0, done[running]));
            done[running] += 1;
            let action = Action::new(thread, Op::Write, Variable(64));
            let enabled = [enabled, ThreadSet::EMPTY, ThreadSet::EMPTY];
            steps.push(Step { action, choice: Choice::Proceed, result: 0, enabled });
            if (self.bug)(&events) {
                let size = Size::of(&steps, &[]);
                return Replayed::Same(steps, size);
            }
        }
    }
}

impl Replayer for Machine {
    fn replay(&mut self, schedule: &[Token]) -> Replayed {
        match self.left.checked_sub(1) {
            None => return Replayed::NoTime,
            Some(left) => self.left = left,
        }
        self.run(schedule)
    }
}

fn tokens(threads: &[u16]) -> Vec<Token> {
    threads.iter().map(|&thread| Token { thread: ThreadId(thread), choice: Choice::Proceed }).collect()
}

fn threads(smallest: &Smallest) -> Vec<u16> {
    smallest.schedule.iter().map(|token| token.thread.0).collect()
}

/// An update between a read and a write of another thread.
fn lost_update(events: &[(u16, usize)]) -> bool {
    let at = |event| events.iter().position(|&one| one == event);
    match (at((1, 0)), at((2, 1)), at((1, 1))) {
        (Some(read), Some(other), Some(write)) => read < other && other < write,
        _ => false,
    }
}

fn shown(machine: &Machine, schedule: &[u16]) -> (Vec<Step>, Size) {
    match machine.run(&tokens(schedule)) {
        Replayed::Same(steps, size) => (steps, size),
        other => panic!("the bug does not show: {other:?}"),
    }
}

#[test]
fn what_has_nothing_to_do_with_it_goes_away() {
    let mut machine = Machine::new(&[4, 2, 2, 3], lost_update);
    let (steps, size) = shown(&machine, &[0, 3, 1, 0, 2, 3, 2, 0, 3, 1]);
    let smallest = minimize(&steps, size, &mut machine);
    assert_eq!(threads(&smallest), [1, 2, 2, 1]);
    assert_eq!(smallest.size, Size { preemptions: 1, steps: 4, switches: 2 });
    assert!(smallest.is_complete);
}

#[test]
fn a_bug_of_every_schedule_needs_none() {
    let mut machine = Machine::new(&[2, 2], |events| events.contains(&(1, 1)));
    let (steps, size) = shown(&machine, &[0, 1, 0, 1]);
    let smallest = minimize(&steps, size, &mut machine);
    assert_eq!((threads(&smallest), smallest.size.preemptions), (vec![1, 1], 0));
}

#[test]
fn without_time_it_stays_as_it_is() {
    let mut machine = Machine { left: 0, ..Machine::new(&[4, 2, 2, 3], lost_update) };
    let (steps, size) = shown(&machine, &[0, 3, 1, 0, 2, 3, 2, 0, 3, 1]);
    let smallest = minimize(&steps, size, &mut machine);
    assert_eq!((smallest.size, smallest.is_complete), (size, false));
    assert_eq!(threads(&smallest), [0, 3, 1, 0, 2, 3, 2, 0, 3, 1]);
}

#[test]
fn steps_that_are_not_possible_are_left_out() {
    let mut schedule = tokens(&[0, 1, 1, 0]);
    leave_out(&mut schedule, 1);
    assert_eq!(schedule, tokens(&[0, 0]));
    leave_out(&mut schedule, 7);
    assert_eq!(schedule, tokens(&[0, 0]));
}

proptest! {
    /// Whatever the schedule and the time: what comes out shows the bug, just as it is, and is not larger.
    #[test]
    fn the_result_shows_the_same(seed in prop::collection::vec(0u16..4, 0..40), left in 0u64..200) {
        let mut machine = Machine::new(&[6, 5, 5, 4], lost_update);
        let mut schedule = tokens(&seed);
        let (steps, size) = loop {
            match machine.run(&schedule) {
                Replayed::Refused(index) => leave_out(&mut schedule, index),
                Replayed::Same(steps, size) => break (steps, size),
                _ => return Ok(()),
            }
        };
        machine.left = left;
        let smallest = minimize(&steps, size, &mut machine);
        let Replayed::Same(again, size_again) = machine.run(&smallest.schedule) else { panic!("it does not show") };
        prop_assert_eq!(again.iter().map(Step::token).collect::<Vec<_>>(), smallest.schedule.clone());
        prop_assert_eq!(size_again, smallest.size);
        prop_assert!(smallest.size <= size);
        prop_assert!(smallest.replays <= left + 1);
    }
}
