//! Executions that were lost: the process of the program was killed on the way, again and again.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "lost",
    summary: "no execution that kills its process whenever it is tried (SIGKILL, want of memory, damage to rscale's own memory)",
    check: Check::End(|end, _| end.is_lost().then(|| violation(&end.text)).flatten()),
};

/// The process was lost, for a reason.
pub(super) fn violation(reason: &str) -> Option<Violation> {
    let reason = if reason.is_empty() { "killed by SIGKILL, perhaps for want of memory" } else { reason };
    Violation::new(Kind::Lost, format!("the program's process was lost whenever this was tried: {reason}"))
}
