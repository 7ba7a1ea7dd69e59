//! An execution at one moment: what names depend on while it is halted or paused.

use super::stacks::Stacks;
use crate::backend::{Backend, RunEnd, Target, ThreadState};
use rscale_instrument::unwind::Frame;
use std::cell::OnceCell;

/// Where the program stands.
pub struct Moment<'a> {
    /// Its process.
    pub target: &'a Target,
    /// Its threads.
    pub states: Vec<ThreadState>,
    end: Option<&'a RunEnd>,
    stacks: &'a Stacks,
    /// The stacks of the threads, walked when somebody asks.
    frames: OnceCell<Vec<Vec<Frame>>>,
}

impl<'a> Moment<'a> {
    /// The program as it is now; `end` says how the execution ended, or that it is paused.
    pub fn new(target: &'a Target, stacks: &'a Stacks, end: Option<&'a RunEnd>) -> Moment<'a> {
        Moment { target, states: target.threads(), end, stacks, frames: OnceCell::new() }
    }

    /// The frames of every thread that has some, beside its state.
    pub fn frames(&self) -> impl Iterator<Item = (&ThreadState, &[Frame])> {
        let walk = |state: &ThreadState| self.frames_of(state);
        let frames = self.frames.get_or_init(|| self.states.iter().map(walk).collect());
        self.states.iter().zip(frames.iter().map(Vec::as_slice))
    }

    /// The frames of a thread, innermost first.
    pub fn frames_of(&self, state: &ThreadState) -> Vec<Frame> {
        let ended_it = self.end.is_some_and(|end| end.thread == state.id);
        if state.next.is_none() && !ended_it {
            return Vec::new();
        }
        self.stacks.walk(self.target, state, ended_it)
    }
}
