//! Deadlocks: threads are left and none can go on.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::Ending;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "deadlock",
    summary: "some thread can go on until all have ended",
    check: Check::End(|end, _| match end.ending {
        Ending::Deadlock => Violation::new(Kind::Deadlock, "no thread can go on"),
        _ => None,
    }),
};
