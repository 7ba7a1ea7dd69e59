//! Where a search and its program run: on one processor, or on one each.

use super::Exploration;
use crate::backend::Seat;
use crate::config::RunConfig;
use crate::launch::Processors;
use rscale_protocol::arena::Isolation;

/// Whether the search and the program have to take turns on one processor: there is no other, or the user wants no more
/// than one to be kept busy.
pub(super) fn has_one_processor(config: &RunConfig) -> bool {
    config.jobs == 1 || Processors::all().is_ok_and(|processors| processors.count() == 1)
}

impl Exploration<'_> {
    /// Has the search and the program stay on one processor, or on one each. What takes a process for each execution
    /// may be anywhere.
    pub(super) fn sit(&mut self) {
        let Ok(all) = Processors::all() else { return };
        let is_restored = self.host.target().launch().isolation == Isolation::Snapshot;
        let seat = match self.has_one_processor {
            true => Some(Seat::shared(all, all.here())),
            false => is_restored.then(|| Seat::apart(all, all.here())),
        };
        self.host.sit(seat);
    }
}
