//! What threads have done before. Executions differ in the order of steps more than in the steps: most of what a thread
//! does, it has done in the execution before, at the same place of its own. Then what the step touches is known.

use super::event::Event;
use rscale_protocol::arena::Step;

/// The last event of each thread at each of its places, where it depends on nothing but its step.
#[derive(Debug, Default)]
pub struct Familiar(Vec<Vec<Option<Known>>>);

#[derive(Debug)]
struct Known {
    step: Step,
    event: Event,
}

impl Familiar {
    /// The event that a step was, the so-and-so-many-th of its thread, when it was last seen there.
    #[inline]
    #[must_use]
    pub fn get(&self, step: &Step, number: u32) -> Option<&Event> {
        let known = self.0.get(step.action.thread.index())?.get(number as usize)?.as_ref()?;
        known.is(step).then_some(&known.event)
    }

    /// Remembers what a step was, if it is that in all executions.
    pub fn remember(&mut self, step: &Step, number: u32, event: &Event) {
        if number >= MOST || !event.is_by_itself(&step.action) {
            return;
        }
        let (thread, number) = (step.action.thread.index(), number as usize);
        self.0.resize_with(self.0.len().max(thread + 1), Vec::new);
        let places = &mut self.0[thread];
        places.resize_with(places.len().max(number + 1), || None);
        places[number] = Some(Known { step: *step, event: event.clone() });
    }
}

/// So many places of a thread are remembered: long executions have little in common in any case.
const MOST: u32 = 1 << 12;

impl Known {
    /// Whether it is the same step. Who else could have taken one is not asked.
    #[inline]
    fn is(&self, step: &Step) -> bool {
        let known = &self.step;
        (known.choice, known.result) == (step.choice, step.result) && known.action == step.action
    }
}
