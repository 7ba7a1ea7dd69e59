//! Misuse of the heap.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::Ending;
use rscale_protocol::ending::HeapError;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "memory",
    summary: "no double free, no use after free, no overflow of a heap block; with --leaks: all is freed",
    check: Check::End(|end, _| match end.ending {
        Ending::Memory => {
            let error = u8::try_from(end.value).ok().and_then(HeapError::from_code);
            Violation::new(Kind::Memory, error.map_or("misuse of the heap", HeapError::text))
        }
        _ => None,
    }),
};
