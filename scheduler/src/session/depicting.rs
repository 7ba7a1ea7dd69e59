//! `rscale report`: the execution of a trace, with all that a picture of it shows.

use super::host::Host;
use super::minimizing::Bench;
use super::reversing;
use super::simulator::{Played, play};
use crate::backend::Backend;
use crate::config::ReplayConfig;
use crate::exit::Failure;
use crate::picture::{self, Arrow, Buffered, Hold};
use crate::simulate_view::{Replay, ReplayEnd};
use rscale_protocol::Variable;
use rscale_protocol::arena::Step;
use std::time::Duration;

/// How long reversals are tried.
const LIMIT: Duration = Duration::from_secs(2);

/// An execution as it is drawn.
pub struct Depicted {
    /// What a replay shows; a finding has its decisive orderings.
    pub replay: Replay,
    /// Which step acts on which.
    pub arrows: Vec<Arrow>,
    /// Who holds which lock when, with the name of the lock.
    pub holds: Vec<(Hold, String)>,
    /// Which stores are not visible when, with the name of what they are to.
    pub buffers: Vec<(Buffered, String)>,
}

/// Replays a trace and finds out what there is to draw.
///
/// # Errors
/// Where the program can not be run, or the schedule can not be followed.
pub fn depict(config: &ReplayConfig) -> Result<Depicted, Failure> {
    let Played { mut replay, execution, mut host } = play(config)?;
    let steps = execution.steps.to_vec();
    let buffers = buffers(&steps, &replay, &host);
    match &mut replay.end {
        ReplayEnd::Refused(message) => return Err(Failure::CannotRun(message.clone())),
        ReplayEnd::Nondeterministic(message) => return Err(Failure::Nondeterministic(message.clone())),
        ReplayEnd::NothingFound | ReplayEnd::Stopped { .. } => {}
        ReplayEnd::Found(finding) => {
            let explainer = host.explainer();
            let mut bench = Bench { host: &mut host, rules: &config.rules, explainer: &explainer };
            let decisive = bench.decisive(finding, &steps, LIMIT);
            // The steps of the replay have the names and values of their time.
            finding.steps.clone_from(&replay.steps);
            finding.orderings = reversing::tell(&decisive, finding, &steps);
        }
    }
    let name = |lock: Variable| lock_name(lock, &steps, &replay);
    let holds = picture::holds(&steps).into_iter().map(|hold| (hold, name(hold.lock))).collect();
    Ok(Depicted { arrows: picture::arrows(&steps), holds, buffers, replay })
}

/// The stores in buffers. Those that became visible have the name of that step; the others are looked up where the
/// execution has left them.
fn buffers(steps: &[Step], replay: &Replay, host: &Host) -> Vec<(Buffered, String)> {
    let left = host.target().flushes();
    let explainer = host.explainer();
    let mut names_left = left.iter().map(|action| explainer.name(action, host.target()));
    let name = |store: Buffered| match store.to {
        Some(flush) => replay.steps.get(flush).and_then(|step| step.variables.first().cloned()).unwrap_or_default(),
        None => names_left.next().unwrap_or_default(),
    };
    let stores = picture::buffered(steps, &left);
    let names: Vec<String> = stores.iter().copied().map(name).collect();
    stores.into_iter().zip(names).collect()
}

/// The name that a lock has where it is used first.
fn lock_name(lock: Variable, steps: &[Step], replay: &Replay) -> String {
    let used = steps.iter().position(|step| step.action.object == lock);
    let names = used.and_then(|index| replay.steps.get(index)).map(|step| step.variables.clone());
    names.and_then(|names| names.into_iter().next()).unwrap_or_default()
}
