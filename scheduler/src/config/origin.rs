//! What a schedule is a schedule of: all that the header of a trace has to say, so that it replays.

use super::{Invariants, Rules, Watched};
use crate::compile::Subject;
use crate::explore::Locations;
use crate::finding::Finding;
use crate::minimize::Size;
use crate::report::count;
use rscale_replay::trace::{Header, ThreadOrigin};
use std::ffi::OsString;

/// Where a trace comes from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The program.
    pub subject: &'a Subject,
    /// Its arguments.
    pub args: &'a [OsString],
    /// What the schedule means.
    pub rules: &'a Rules,
    /// Which code is watched.
    pub watched: &'a Watched,
    /// What must hold in every state.
    pub invariants: &'a Invariants,
    /// The communication variables in memory.
    pub locations: &'a Locations,
}

impl Origin<'_> {
    /// The option of a trace that names the communication variables in memory.
    pub const LOCATIONS: &'static str = "locations";

    /// The header of the trace of a finding.
    #[must_use]
    pub fn header(&self, finding: &Finding, threads: Vec<ThreadOrigin>) -> Header {
        let mut options = self.rules.to_options();
        options.extend(self.watched.to_options());
        options.extend(self.invariants.to_options());
        if !self.locations.is_empty() {
            options.push((Self::LOCATIONS.into(), self.locations.to_text()));
        }
        Header {
            version: Some(env!("CARGO_PKG_VERSION").into()),
            program: Some(self.subject.given.clone().into_os_string()),
            program_hash: Some(self.subject.hash.clone()),
            arguments: self.args.to_vec(),
            options,
            finding: Some(finding.headline()),
            minimised: finding.minimised_from.map(found_with),
            threads,
        }
    }
}

/// The size that a schedule had when it was found, in words.
fn found_with(size: Size) -> String {
    let (steps, preemptions) = (count(size.steps as u64, "step"), count(size.preemptions as u64, "preemption"));
    format!("found with {steps}, {preemptions}")
}
