//! Assertions: `assert`, `abort`, exceptions that nobody catches.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::Ending;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "assertion",
    summary: "no assert fails, nothing calls abort, every C++ exception is caught",
    check: Check::End(|end, _| match end.ending {
        Ending::Assertion => Violation::new(Kind::Assertion, format!("{} failed", end.text)),
        Ending::Abort if end.text.is_empty() => Violation::new(Kind::Assertion, "the program called abort"),
        Ending::Abort => Violation::new(Kind::Assertion, end.text.clone()),
        _ => None,
    }),
};
