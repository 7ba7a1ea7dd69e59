//! Livelocks: threads wait in loops for what nobody will do.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::Ending;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "livelock",
    summary: "no threads go round in loops for ever while nobody can change what they wait for",
    check: Check::End(|end, _| match end.ending {
        Ending::Livelock => Violation::new(Kind::Livelock, "threads wait in loops for something that nobody will do"),
        _ => None,
    }),
};
