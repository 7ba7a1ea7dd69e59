//! Where a search and its program run: on one processor, or on one each.

use super::Exploration;
use crate::backend::Seat;
use crate::launch::Processors;
use rscale_protocol::arena::Isolation;

impl Exploration<'_> {
    /// Has the search and the program take turns on one processor, if there is no other, or stay on one each. What
    /// takes a process for each execution may be anywhere.
    pub(super) fn sit(&mut self) {
        let Ok(all) = Processors::all() else { return };
        let is_restored = self.host.target().launch().isolation == Isolation::Snapshot;
        let seat = match all.count() {
            1 => Some(Seat::shared(all, all.here())),
            _ => is_restored.then(|| Seat::apart(all, all.here())),
        };
        self.host.sit(seat);
    }
}
