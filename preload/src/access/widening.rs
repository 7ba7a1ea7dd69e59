//! Programs that work on much memory: what would be a record for each of their granules is rounded instead.
//!
//! A thread that comes back to a granule in a later epoch, to other bytes of it, needs a [record](super::records): its
//! two accesses have different clocks. Tables of small elements and text lead to millions of these, which cost more
//! than all else together. So once an execution has many records, the thread's word is *widened*: it says that all
//! bytes which the thread has accessed were accessed now. An access that seems later than it was can only show too many
//! races.
//!
//! What looks like a race after that may be none, and is not reported as one. Instead its page is, as one that has to
//! be watched *closely*: the search begins anew, and granules of that page have records of their own from the start. If
//! it is a race, it is found there.

use super::clocks::Own;
use super::locations::Location;
use crate::checkpoint::Tape;
use crate::snapshot::PAGE;
use core::cell::Cell;

/// Records that an execution makes before words are widened: more than any small program has.
const MANY: usize = 512;

/// Whether words of this execution may be wider than what was accessed. The stubs read it.
pub static WIDENS: Own<bool> = Own(Cell::new(false));

/// An execution begins.
pub fn begin() {
    WIDENS.0.set(false);
}

/// The execution has made so many records.
pub fn note_records(count: usize) {
    if count >= MANY {
        WIDENS.0.set(true);
    }
}

/// Whether words of this execution may be wider than what was accessed.
pub fn is_on() -> bool {
    WIDENS.0.get()
}

/// What has to be watched closely so that it is known whether there is a race at an address.
pub fn page(address: u64) -> Location {
    Location { start: address & !(PAGE - 1), length: PAGE }
}

/// Saves whether words are widened.
pub fn save(tape: &mut Tape) {
    tape.put(WIDENS.0.get());
}

/// Brings it back.
pub fn bring_back(tape: &mut Tape) {
    WIDENS.0.set(tape.take());
}
