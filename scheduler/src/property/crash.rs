//! Crashes: faults of the machine, and signals that end the program.

use super::{Check, PropertyInfo, Violation};
use crate::finding::Kind;
use nix::sys::signal::Signal;
use rscale_protocol::{Ending, OWN_SIGNAL};

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "crash",
    summary: "no fault of the machine (SIGSEGV, SIGBUS, SIGFPE, SIGILL), no fatal signal",
    check: Check::End(|end, _| match end.ending {
        Ending::Crash if end.text.is_empty() => Violation::new(Kind::Crash, name(end.value)),
        Ending::Crash => Violation::new(Kind::Crash, format!("{} ({})", name(end.value), end.text)),
        Ending::Killed => Violation::new(Kind::Crash, format!("killed by {}", name(end.value & !OWN_SIGNAL))),
        _ => None,
    }),
};

fn name(signal: u64) -> String {
    let known = i32::try_from(signal).ok().and_then(|number| Signal::try_from(number).ok());
    known.map_or_else(|| format!("signal {signal}"), |signal| signal.as_str().to_string())
}
