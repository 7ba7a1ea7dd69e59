//! Deadlocks: threads are left and none can go on.

use super::{PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::Ending;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "deadlock",
    summary: "some thread can go on until all have ended",
    check: |end, _| match end.ending {
        Ending::Deadlock => Violation::new(Kind::Deadlock, "no thread can go on"),
        _ => None,
    },
};
