//! Data races: an execution is halted where it shows one, and told from both sides.

use super::host::Host;
use crate::exit::Failure;
use crate::explain::{self, Explainer};
use crate::finding::{Finding, Kind, ThreadView};
use crate::frontend::Execution;
use crate::races::{Held, Race, Side, held_at};
use rscale_protocol::arena::Step;

/// Takes these steps again and halts behind them: names and stacks are those of the moment.
pub fn halted(steps: &[Step], host: &mut Host) -> Result<Execution, Failure> {
    let mut execution = Execution::default();
    host.run_and_pause(&explain::schedule(steps), &mut execution)?;
    Ok(execution)
}

/// A race with both of its accesses, where each thread stood when it made its own, and what does not order them; any
/// other finding as it is. The finding has been confirmed: if this can not be done, it is one none the less.
pub fn told(mut finding: Finding, host: &mut Host) -> Finding {
    if finding.kind == Kind::Race {
        // The program is left where the schedule ends, whether or not there was something to tell.
        let _ = tell(&mut finding, host);
    }
    finding
}

fn tell(finding: &mut Finding, host: &mut Host) -> Result<(), Failure> {
    let mut execution = Execution::default();
    host.run_and_pause(&finding.schedule, &mut execution)?;
    let Some(race) = execution.races.iter().find(|race| race.message() == finding.message).cloned() else {
        return Ok(());
    };
    let steps = execution.steps.to_vec();
    let explainer = host.explainer();
    finding.location = Some(race.second.place.clone());
    finding.explanation = [&race.first, &race.second].map(|side| access(side, finding)).to_vec();
    finding.explanation.push(missing(&race, &steps, &explainer, host));
    finding.explanation.extend(race.unless_atomic.as_ref().map(|place| doubt(place)));
    for side in [&race.first, &race.second] {
        let stack = stack_at(side, &steps, &explainer, host)?;
        if let Some(thread) = finding.threads.iter_mut().find(|thread| thread.id == side.thread) {
            thread.state = format!("makes its access: {} at {}", side.what, side.place);
            thread.stack = stack.unwrap_or_else(|| std::mem::take(&mut thread.stack));
        }
    }
    host.run_and_pause(&finding.schedule, &mut execution)
}

/// One access in words: who, what, the value, where.
fn access(side: &Side, finding: &Finding) -> String {
    let name = finding.threads.iter().find(|thread| thread.id == side.thread).map(|thread| thread.name.as_str());
    let name = name.filter(|name| !name.is_empty()).map_or_else(String::new, |name| format!(" ({name})"));
    let step = finding.steps.get(side.step);
    let variables = step.map_or_else(String::new, |step| step.variables.join(" "));
    let value = step.filter(|step| !step.value.is_empty()).map_or_else(String::new, |step| format!(": {}", step.value));
    format!("thread {}{name}: {} {variables}{value} at {} (step {})", side.thread, side.what, side.place, side.step + 1)
}

/// Why it may be no race.
fn doubt(place: &str) -> String {
    format!(
        "not certain: the access at {place} may be to something that is declared _Atomic, which would make it atomic; \
         nothing tells the type of what lies there"
    )
}

/// What would have to order the accesses, and does not.
fn missing(race: &Race, steps: &[Step], explainer: &Explainer, host: &Host) -> String {
    let holds = |side: &Side| {
        let held = held_at(steps, side.step, side.thread);
        let name = |held: &Held| {
            let name = explainer.subject(held.lock, 1, host.target()).name;
            if held.is_shared { format!("{name} for reading") } else { name }
        };
        let names: Vec<String> = held.iter().map(name).collect();
        let what = if names.is_empty() { "no lock".into() } else { names.join(" and ") };
        format!("thread {} holds {what}", side.thread)
    };
    let is_atomic = |side: &Side| side.what.starts_with("atomic");
    let mixed = match (is_atomic(&race.first), is_atomic(&race.second)) {
        (true, false) | (false, true) => "; an atomic access orders nothing for one that is not",
        _ => "",
    };
    let mut sides = [&race.first, &race.second];
    sides.sort_by_key(|side| side.thread);
    format!("nothing orders them: {}, {}{mixed}", holds(sides[0]), holds(sides[1]))
}

/// The stack of a thread that is about to make its access. A store that is buffered is made behind an earlier step.
fn stack_at(
    side: &Side,
    steps: &[Step],
    explainer: &Explainer,
    host: &mut Host,
) -> Result<Option<Vec<String>>, Failure> {
    let Some(action) = steps.get(side.step).map(|step| step.action) else { return Ok(None) };
    let execution = match action.origin() {
        Some(origin) => {
            let before = steps.len().min(origin.steps as usize);
            let mut execution = Execution::default();
            host.run_to_store(&explain::schedule(&steps[..before]), action.second, &mut execution)?;
            execution
        }
        None => halted(&steps[..side.step], host)?,
    };
    let Some(end) = &execution.end else { return Ok(None) };
    let threads: Vec<ThreadView> = explainer.stacks(host.target(), end);
    Ok(threads.into_iter().find(|thread| thread.id == side.thread).map(|thread| thread.stack))
}
