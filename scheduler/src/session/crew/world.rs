//! What workers must agree about: what a step is, and which thread has which number.

use super::budget::Budget;
use crate::backend::RunEnd;
use crate::config::{Rules, Scope};
use crate::explore::Locations;
use crate::frontend::Execution;
use crate::reduce::Common;
use crate::session::host::Host;
use rscale_protocol::ThreadId;
use rscale_replay::trace::ThreadOrigin;
use std::sync::Arc;

/// The world that a search is about. Where an execution shows that it is another one, the search begins anew.
#[derive(Clone)]
pub struct World {
    /// How often that has happened.
    pub epoch: u64,
    /// The communication variables in memory.
    pub locations: Locations,
    /// What invariants read.
    pub observed: Locations,
    /// The creation paths behind thread numbers. A process numbers new ones as they come, so others may disagree.
    pub threads: Vec<ThreadOrigin>,
    /// What the searches of all workers share.
    pub common: Common,
    /// How many executions may be made in it: those of other worlds do not count.
    pub budget: Arc<Budget>,
}

impl World {
    /// The world as an execution shows it, if that is another one.
    pub fn after(&self, execution: &Execution, host: &Host, rules: &Rules) -> Option<World> {
        let end = execution.end.as_ref()?;
        let has_strangers = self.has_strangers(execution, end, rules);
        if end.races.is_empty() && end.reads.is_empty() && !has_strangers {
            return None;
        }
        let mut world = self.clone();
        let mut is_other = learn(end, rules.scope, &mut world.locations, &mut world.observed);
        if has_strangers {
            world.threads = host.thread_origins();
            is_other = true;
        }
        is_other.then_some(world)
    }

    /// Whether there are threads in the execution that nobody has agreed about.
    fn has_strangers(&self, execution: &Execution, end: &RunEnd, rules: &Rules) -> bool {
        let is_stranger = |thread: ThreadId| rules.memory.program_thread(thread).index() > self.threads.len();
        let fresh = execution.steps.get(execution.steps.unchanged()..).unwrap_or_default();
        fresh.iter().any(|step| is_stranger(step.action.thread)) || end.live.iter().any(is_stranger)
    }
}

/// Adds the locations that an execution has shown to matter. Returns whether there are new ones.
pub fn learn(end: &RunEnd, scope: Scope, locations: &mut Locations, observed: &mut Locations) -> bool {
    let mut has_grown = false;
    for &(start, length) in &end.races {
        has_grown |= locations.add(start, length);
    }
    // Every state that invariants can tell from another must be one of the search: what they read is a communication
    // variable.
    for &(start, length) in &end.reads {
        // Objects of the thread library have no length here, and accesses to them are steps in any case.
        if length == 0 || scope == Scope::All {
            has_grown |= observed.add(start, length.max(1));
            has_grown |= locations.add(start, length);
        }
    }
    has_grown
}
