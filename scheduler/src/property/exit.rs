//! The exit status, where the user asks for it.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::Ending;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "exit",
    summary: "with --exit-status: the program ends with status 0",
    check: Check::End(|end, rules| match end.ending {
        Ending::Exit if rules.exit_status && end.value != 0 => {
            Violation::new(Kind::Exit, format!("exit status {}", end.value))
        }
        _ => None,
    }),
};
