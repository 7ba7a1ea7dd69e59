//! The steps of an execution, as they came out of the arena.
//!
//! One execution repeats most of the one before it. What is there already is neither decoded nor copied again, and the
//! log knows how far it is the same, so that nobody else has to look at that part either.

use rscale_protocol::arena::{Arena, LOG_CAPACITY, LocalState, RawEntry, Step};
use std::ops::Deref;
use std::sync::atomic::Ordering::Relaxed;

/// A list of steps. The value is used again for the next execution.
#[derive(Debug, Default)]
pub struct StepLog {
    /// Beyond `count`, what is left of an earlier execution.
    steps: Vec<Step>,
    /// What each step was decoded from.
    raw: Vec<RawEntry>,
    count: usize,
    /// How many of the first steps have not changed since [`StepLog::settle`].
    unchanged: usize,
    /// In what local state each step left its thread, where that is asked for.
    local_states: Vec<LocalState>,
    /// The execution that the steps are from, and how many of them were read.
    run: u64,
    known: usize,
}

impl StepLog {
    /// Takes all steps out.
    pub fn clear(&mut self) {
        self.known = self.count;
        self.count = 0;
    }

    /// An execution is going to be read whose first steps are those of the one before it: they need not be read again,
    /// if it is that one which was read here. Returns how many these are.
    pub(super) fn keep(&mut self, run: u64, steps: usize) -> usize {
        let is_next = std::mem::replace(&mut self.run, run).checked_add(1) == Some(run);
        self.count = if is_next { steps.min(self.known).min(self.raw.len()) } else { 0 };
        self.local_states.truncate(self.count);
        self.count
    }

    /// In what local state the step left its thread.
    #[must_use]
    pub fn local_state(&self, index: usize) -> LocalState {
        self.local_states.get(index).copied().unwrap_or_default()
    }

    /// How many of the first steps are the same as when [`StepLog::settle`] was last called; at least so many.
    #[must_use]
    pub fn unchanged(&self) -> usize {
        self.unchanged.min(self.count)
    }

    /// From now on, changes are counted against the steps as they are now.
    pub fn settle(&mut self) {
        self.unchanged = self.count;
    }

    /// Adds steps that were not read with [`StepLog::read`].
    pub fn append(&mut self, steps: &[Step]) {
        self.unchanged = self.unchanged.min(self.count);
        self.steps.truncate(self.count);
        self.raw.truncate(self.count);
        self.steps.extend_from_slice(steps);
        self.count = self.steps.len();
    }

    /// Adds entries of the current log chunk. False if the other process wrote nonsense.
    pub(super) fn read(&mut self, arena: &Arena, first: usize, count: usize) -> bool {
        let count = count.min(LOG_CAPACITY);
        if arena.setup.logs_local_states.load(Relaxed) != 0 {
            self.local_states.extend((first..count).map(|index| arena.log.local_state(index)));
        }
        (first..count).all(|index| self.read_entry(arena, index).is_some())
    }

    fn read_entry(&mut self, arena: &Arena, index: usize) -> Option<()> {
        let place = self.count;
        if !self.raw.get(place).is_some_and(|known| arena.log.is(index, known)) {
            let raw = arena.log.raw(index)?;
            self.put(place, raw, arena.log.decode(index, &raw)?);
        }
        self.count += 1;
        Some(())
    }

    fn put(&mut self, place: usize, raw: RawEntry, step: Step) {
        match self.steps.get_mut(place) {
            // Only what lies beside an entry may be the same where the entry was not known to be.
            Some(known) if raw.has_others() && *known == step => {}
            Some(other) => {
                *other = step;
                self.unchanged = self.unchanged.min(place);
            }
            None => self.steps.push(step),
        }
        match self.raw.get_mut(place) {
            Some(other) => *other = raw,
            None => {
                self.raw.resize(place, RawEntry::NONE);
                self.raw.push(raw);
            }
        }
    }
}

impl Deref for StepLog {
    type Target = [Step];
    fn deref(&self) -> &[Step] {
        &self.steps[..self.count]
    }
}

impl From<Vec<Step>> for StepLog {
    fn from(steps: Vec<Step>) -> StepLog {
        let mut log = StepLog::default();
        log.append(&steps);
        log
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ArenaMap;
    use proptest::prelude::*;
    use rscale_protocol::{Action, Choice, Op, ThreadId, ThreadSet, Variable};

    /// A step with little variety, so that executions have much in common.
    fn any_step() -> impl Strategy<Value = Step> {
        (0u16..2, 0u64..2, 0i32..2, 0u64..2).prop_map(|(thread, object, result, timed)| {
            let action = Action::new(ThreadId(thread), Op::MutexLock, Variable(object * 64));
            let enabled = [ThreadSet::from_words([3, 0]), ThreadSet::from_words([timed, 0]), ThreadSet::EMPTY];
            Step { action, choice: Choice::Proceed, result, enabled }
        })
    }

    fn write(arena: &Arena, steps: &[Step]) {
        for (index, step) in steps.iter().enumerate() {
            arena.log.store(index, &step.action, step.choice, &step.enabled);
            arena.log.store_result(index, step.result);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn reads_what_was_written_and_knows_what_is_new(
            runs in prop::collection::vec((prop::collection::vec(any_step(), 0..6), any::<bool>()), 1..12),
        ) {
            let arena = ArenaMap::new().expect("shared memory");
            let mut log = StepLog::default();
            let mut settled = Vec::new();
            for (steps, is_settled) in runs {
                write(&arena, &steps);
                log.clear();
                log.keep(0, 0);
                prop_assert!(log.read(&arena, 0, steps.len()));
                prop_assert_eq!(&log[..], &steps[..]);
                prop_assert_eq!(&log[..log.unchanged()], &settled[..log.unchanged()]);
                if is_settled {
                    log.settle();
                    settled = steps;
                    prop_assert_eq!(log.unchanged(), settled.len());
                }
            }
        }
    }
}
