//! What a search has shown, in words. "Clean" is a promise: it is given only where nothing was cut.

use super::bounds::Stop;
use crate::backend::Target;
use crate::config::{RunConfig, Scope};
use crate::explore::Strategy;
use crate::filters::Preserves;
use std::sync::atomic::Ordering::Relaxed;

/// Pieces of code that are named as not watched; more are counted.
const NAMED: usize = 8;

/// What was covered.
pub struct Covered {
    /// Whether the search did all that was asked for.
    pub complete: bool,
    /// What follows from it.
    pub text: String,
}

/// What the search covered.
pub fn of(search: &dyn Strategy, stop: Stop, config: &RunConfig, target: &Target) -> Covered {
    let counts = search.counts();
    let stopped = match stop {
        Stop::Exhausted => None,
        Stop::Found => Some("stopped at the first finding".to_string()),
        Stop::Executions => Some(format!("stopped after {} executions, as asked", counts.executions)),
        Stop::Time => Some(format!("stopped by the time limit, after {} executions", counts.executions)),
        Stop::Interrupted => Some(format!("interrupted after {} executions", counts.executions)),
    };
    let cuts: Vec<String> = search.preserves().iter().filter_map(cut).collect();
    let complete = stopped.is_none() && cuts.is_empty() && counts.out_of_steps == 0;
    let mut text = if complete { everything(config, search) } else { String::from("incomplete: ") };
    let mut reasons = cuts;
    reasons.extend(stopped);
    if counts.out_of_steps > 0 {
        reasons.push(format!(
            "{} executions were cut at {} steps (--max-steps)",
            counts.out_of_steps, config.rules.max_steps
        ));
    }
    text.push_str(&reasons.join("; "));
    if config.rules.scope == Scope::All {
        text.push_str(&unseen(target));
    }
    Covered { complete, text }
}

/// What an exhausted search means. A filter that compares states takes it for granted that threads share memory only
/// under the protection of what rscale sees: it can not tell states apart that differ by the order of other accesses.
fn everything(config: &RunConfig, search: &dyn Strategy) -> String {
    let any = |wanted| search.preserves().contains(&wanted);
    let (compares_states, traces) = (any(Preserves::EveryState), any(Preserves::EveryTrace));
    let orders = traces || any(Preserves::EveryOrder);
    let what = match (orders, compares_states) {
        _ if traces => "every Mazurkiewicz trace of the program was executed",
        (true, _) => "every order of steps that depend on each other was explored",
        (false, true) => "every reachable state was visited",
        (false, false) => "every schedule was executed",
    };
    let points = match config.rules.scope {
        Scope::Sync => "with the operations of the thread library as scheduling points",
        Scope::All => {
            "with the memory accesses of its own code and the operations of the thread library as scheduling points"
        }
    };
    let spurious = match config.rules.spurious {
        0 => String::new(),
        count => format!(", with up to {count} spurious wake-ups"),
    };
    let condition = if (orders || compares_states) && config.rules.scope == Scope::Sync {
        ", provided that threads share memory only under locks and the like (no data races, no atomics)"
    } else {
        ""
    };
    let invariants = match (config.invariants.names.is_empty(), config.rules.scope) {
        (true, _) => "",
        (false, Scope::Sync) => "; invariants were evaluated at operations of the thread library only",
        (false, Scope::All) => "; invariants were evaluated in each state",
    };
    format!("{what}, {points}{spurious}{condition}{invariants}")
}

/// The code of the program that runs without being watched, in words.
fn unseen(target: &Target) -> String {
    let regions = target.regions();
    let mut gaps: Vec<String> = regions.planned().iter().flat_map(|planned| planned.gaps().to_vec()).collect();
    if target.arena().result.unseen_code.load(Relaxed) != 0 {
        gaps.insert(0, "code that was loaded or made while the program ran".into());
    }
    let libraries = regions.unwatched();
    if !libraries.is_empty() {
        gaps.insert(0, format!("the code of {} (see --instrument)", libraries.join(", ")));
    }
    if gaps.is_empty() {
        return String::new();
    }
    let more = if gaps.len() > NAMED { format!(", and {} more", gaps.len() - NAMED) } else { String::new() };
    format!("; not watched: {}{more}", gaps[..gaps.len().min(NAMED)].join(", "))
}

/// What a filter has cut, in words.
fn cut(preserves: &Preserves) -> Option<String> {
    match *preserves {
        Preserves::EveryState
        | Preserves::EveryTrace
        | Preserves::EveryOrder
        | Preserves::OnlyWithin { cut: 0, .. } => None,
        Preserves::OnlyWithin { bound, value, cut } => {
            Some(format!("nothing was explored beyond {value} {bound} ({cut} states were cut)"))
        }
        Preserves::Sampled(sampled) => Some(sampled.in_words()),
    }
}
