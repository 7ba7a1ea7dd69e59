//! Waits that could have timed out: until some event made that impossible, and so has to come after it, too. That may
//! be the end of the process: the last event of an execution leaves no wait.

use super::Reduction;
use super::event::Event;
use super::footprint::{Footprint, Mode, Parts, Reach, Role, Touch};
use super::history::EventIndex;
use super::reversal::{Race, Second};
use crate::frontend::Execution;
use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, Op, ThreadId, ThreadSet};

impl Reduction {
    /// Finds waits that could have timed out until one of the new events made that impossible.
    pub(super) fn find_late(&mut self, execution: &Execution, known: EventIndex) {
        for index in known..self.history.len() {
            let event = self.history.event(index);
            let (first, end) = (event.step as usize, (event.step + event.footprint.steps) as usize);
            let late = |enabled: [ThreadSet; 3]| enabled[Choice::TimeOut as usize];
            let before = late(execution.steps[first].enabled);
            if before.is_empty() {
                continue;
            }
            let is_end = end == execution.steps.len() && execution.ends_process();
            let after = if is_end { ThreadSet::EMPTY } else { late(execution.enabled_after(end)) };
            let mut lost = before.without(after);
            lost.remove(event.footprint.thread());
            for thread in lost {
                if let Some(footprint) = self.time_out(thread, index, execution) {
                    self.races.push(Race::new(index, Second::Instead(footprint)));
                }
            }
        }
    }

    /// The time-out of a thread that waits where an event takes place.
    fn time_out(&self, thread: ThreadId, at: EventIndex, execution: &Execution) -> Option<Footprint> {
        let event = self.history.event(at);
        let own = |event: &&Event| event.footprint.thread() == thread;
        let waits = self.history.events()[..at as usize].iter().rev().find(own);
        let touch = match waits.filter(|event| event.op == Op::CondWait) {
            Some(wait) => *wait.footprint.touches.first()?,
            None => {
                let later = execution.steps[event.step as usize..].iter().map(|step| &step.action);
                let next = later.chain(&execution.pending).find(|action| action.thread == thread)?;
                Touch {
                    variable: self.history.known(next.object)?,
                    mode: Mode::Read,
                    role: Role::None,
                    may_write: false,
                }
            }
        };
        let token = Token { thread, choice: Choice::TimeOut };
        Some(Parts { token, touches: [touch].into_iter().collect(), reach: Reach::Own, steps: 1 }.into())
    }
}
