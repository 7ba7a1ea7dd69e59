//! Misuse of the thread library.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use rscale_protocol::{Ending, Misuse};

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "misuse",
    summary: "mutexes, conditions, threads, ... are used as POSIX allows",
    check: Check::End(|end, _| match end.ending {
        Ending::Misuse => {
            let misuse = u8::try_from(end.value).ok().and_then(Misuse::from_code);
            Violation::new(Kind::Misuse, misuse.map_or("misuse of the thread library", Misuse::text))
        }
        _ => None,
    }),
};
