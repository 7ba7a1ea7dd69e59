//! Hangs: a thread takes no step any more.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::Ending;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "hang",
    summary: "no thread computes for ever, or waits outside of rscale's control, without a step",
    check: Check::End(|end, rules| match end.ending {
        Ending::Hang if end.value == 0 => {
            let limit = rules.hang_limit.as_secs_f64();
            Violation::new(Kind::Hang, format!("a thread computed for {limit} s without a scheduling point"))
        }
        Ending::Hang => Violation::new(Kind::Hang, "a thread waits in a system call that does not return"),
        _ => None,
    }),
};
