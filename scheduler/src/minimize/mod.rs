//! Minimising: the same finding with fewer preemptions, then with fewer steps.
//!
//! A search finds a bug where it happens to look, with switches that have nothing to do with it. Delta debugging takes
//! them away: a schedule is changed in a way that may make it simpler, it is run, and it is kept if it shows the same
//! finding and is smaller. What the changed schedule names but the program can not do is left out, and beyond its end
//! threads run on without preemptions. So whatever is kept has been run, exactly as it is.

mod changes;

use crate::explore::preemptions;
use rscale_protocol::Action;
use rscale_protocol::arena::{Step, Token};
use std::collections::HashSet;

/// How often a schedule is run again without the steps that were not possible.
const MOST_REFUSALS: usize = 32;

/// Runs schedules, each to the end of the execution, and compares what they show.
pub trait Replayer {
    /// Runs a schedule, and on to the end without preemptions.
    fn replay(&mut self, schedule: &[Token]) -> Replayed;
}

/// What came of a schedule.
#[derive(Clone, Debug)]
pub enum Replayed {
    /// It shows the finding; these are its steps, and its size.
    Same(Vec<Step>, Size),
    /// It shows another one, or none.
    Other,
    /// The step with this number was not possible.
    Refused(usize),
    /// There is no time for more.
    NoTime,
}

/// What makes one schedule simpler than another: fewer preemptions, then fewer steps, then fewer switches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Size {
    /// How often a thread was switched out although it could have gone on.
    pub preemptions: usize,
    /// Its steps.
    pub steps: usize,
    /// How often another thread goes on.
    pub switches: usize,
}

impl Size {
    /// The size of an execution, given what threads would do next at its end.
    #[must_use]
    pub fn of(steps: &[Step], pending: &[Action]) -> Size {
        let switches = steps.windows(2).filter(|pair| pair[0].action.thread != pair[1].action.thread).count();
        Size { preemptions: preemptions(steps, pending), steps: steps.len(), switches }
    }
}

/// The smallest schedule that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Smallest {
    /// The schedule; the given one if there is none that is smaller.
    pub schedule: Vec<Token>,
    /// Its size.
    pub size: Size,
    /// How many schedules were run.
    pub replays: u64,
    /// Whether there was time for everything.
    pub is_complete: bool,
}

/// Looks for a smaller schedule than that of these steps, which have this size.
pub fn minimize(steps: &[Step], size: Size, replayer: &mut impl Replayer) -> Smallest {
    let schedule: Vec<Token> = steps.iter().map(Step::token).collect();
    let smallest = Smallest { schedule: schedule.clone(), size, replays: 0, is_complete: true };
    let mut search = Search { replayer, smallest, tried: HashSet::from([schedule]) };
    while search.round() {}
    search.smallest
}

struct Search<'a, R> {
    replayer: &'a mut R,
    smallest: Smallest,
    /// Schedules that were run: different changes often lead to the same one.
    tried: HashSet<Vec<Token>>,
}

impl<R: Replayer> Search<'_, R> {
    /// Tries every change of the smallest schedule. Returns whether one of them made it smaller.
    fn round(&mut self) -> bool {
        let before = self.smallest.size;
        for change in changes::ALL {
            let mut number = 0;
            while let Some(changed) = change(&self.smallest.schedule, number) {
                // Where a change was good, the same place of the new schedule is looked at next.
                number += usize::from(!self.attempt(changed));
                if !self.smallest.is_complete {
                    return false;
                }
            }
        }
        self.smallest.size < before
    }

    /// Runs a schedule as far as it is possible. Returns whether it is the smallest now.
    fn attempt(&mut self, mut schedule: Vec<Token>) -> bool {
        for _ in 0..MOST_REFUSALS {
            if !self.tried.insert(schedule.clone()) {
                return false;
            }
            self.smallest.replays += 1;
            match self.replayer.replay(&schedule) {
                Replayed::Same(steps, size) => return self.keep(&steps, size),
                Replayed::Other => return false,
                Replayed::Refused(index) => leave_out(&mut schedule, index),
                Replayed::NoTime => {
                    self.smallest.is_complete = false;
                    return false;
                }
            }
        }
        false
    }

    fn keep(&mut self, steps: &[Step], size: Size) -> bool {
        if size >= self.smallest.size {
            return false;
        }
        self.smallest.size = size;
        self.smallest.schedule = steps.iter().map(Step::token).collect();
        self.tried.insert(self.smallest.schedule.clone());
        true
    }
}

/// Takes out a step that is not possible, and those that would be refused for the same reason.
fn leave_out(schedule: &mut Vec<Token>, index: usize) {
    let Some(&refused) = schedule.get(index) else { return };
    let same = schedule[index..].iter().take_while(|&&token| token == refused).count();
    schedule.drain(index..index + same);
}

#[cfg(test)]
mod tests;
