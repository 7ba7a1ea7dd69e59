//! Taking steps under the eyes of a witness, for values and for names as they were at the time.

use super::host::Host;
use crate::exit::Failure;
use crate::explain::{Seen, Witness};
use crate::finding::{Finding, Kind};
use crate::frontend::Execution;
use crate::report::table;
use rscale_protocol::Ending;
use rscale_protocol::arena::Token;
use std::ops::Range;

/// Takes a step of a paused execution, and says what there was to see.
pub fn take(token: Token, host: &mut Host, witness: &Witness, execution: &mut Execution) -> Result<Seen, Failure> {
    let before = witness.before(host.target(), token);
    host.step(token, execution)?;
    let (end, op) = (execution.end.as_ref(), execution.steps.last().map(|step| step.action.op));
    Ok(before.map_or_else(Seen::default, |before| witness.after(host.target(), end, op, before)))
}

/// Runs the schedule of a finding once more, in steps as far as reports show them, and adds what there was to see. The
/// finding has been confirmed: if this can not be done, it is one none the less.
pub fn watched(mut finding: Finding, witness: Witness, host: &mut Host) -> Finding {
    // What hangs would hang again, and what is lost be lost again.
    let is_left_out = matches!(finding.kind, Kind::Hang | Kind::Lost);
    let count = finding.schedule.len().saturating_sub(usize::from(is_left_out));
    for range in table::shown(count).into_iter().filter(|range| !range.is_empty()) {
        if watch_range(range, &mut finding, &witness, host).is_err() {
            break;
        }
    }
    finding
}

fn watch_range(range: Range<usize>, finding: &mut Finding, witness: &Witness, host: &mut Host) -> Result<(), Failure> {
    let mut execution = Execution::default();
    host.run_and_pause(&finding.schedule[..range.start], &mut execution)?;
    for index in range {
        let token = finding.schedule[index];
        let can_go_on = execution.end.as_ref().is_some_and(|end| {
            end.ending == Ending::Paused && end.enabled[token.choice as usize].contains(token.thread)
        });
        if !can_go_on {
            break;
        }
        take(token, host, witness, &mut execution)?.tell(&mut finding.steps[index]);
    }
    Ok(())
}
