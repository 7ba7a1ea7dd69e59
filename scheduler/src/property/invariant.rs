//! Global invariants: functions of the program that must return true in every state.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::Ending;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "invariant",
    summary: "with --invariant NAME: this function of the program returns true in every state",
    check: Check::End(|end, _| match end.ending {
        Ending::Invariant => Violation::new(Kind::Invariant, format!("{} does not hold", end.text)),
        _ => None,
    }),
};
