//! What a search has shown, in words. "Clean" is a promise: it is given only where nothing was cut.

use super::bounds::Stop;
use crate::backend::Target;
use crate::config::{RunConfig, Scope};
use crate::explore::{Counts, Strategy};
use crate::filters::Preserves;
use crate::finding::Finding;
use crate::report::count;
use rscale_protocol::arena::LocalStates;
use std::sync::atomic::Ordering::Relaxed;

/// Pieces of code that are named as not watched; more are counted.
const NAMED: usize = 8;

/// What was covered.
pub struct Covered {
    /// Whether the search did all that was asked for.
    pub complete: bool,
    /// What follows from it.
    pub text: String,
    /// Code of the program itself that ran without being watched.
    pub unwatched: Vec<String>,
}

/// How the search came to its end.
#[derive(Clone, Copy)]
pub struct End {
    /// Why it stopped.
    pub stop: Stop,
    /// Whether something was found.
    pub found: bool,
    /// What was done.
    pub counts: Counts,
    /// Executions that were lost with their process.
    pub lost: u64,
}

/// What the search covered.
pub fn of(search: &dyn Strategy, end: End, config: &RunConfig, target: &Target) -> Covered {
    let counts = end.counts;
    let stopped = match end.stop {
        Stop::Exhausted => None,
        Stop::Found => Some("stopped at the first finding".to_string()),
        Stop::Executions => Some(format!("stopped after {} executions, as asked", counts.executions)),
        Stop::Time => Some(format!("stopped by the time limit, after {} executions", counts.executions)),
        Stop::Memory => {
            let limit = config.max_memory.as_ref().map(|limit| format!("at the memory limit of {limit}"));
            let limit = limit.unwrap_or_else(|| "when this machine was about to have no memory left".into());
            Some(format!("stopped {limit}, after {} executions", counts.executions))
        }
        Stop::Interrupted => Some(format!("interrupted after {} executions", counts.executions)),
    };
    let cuts: Vec<String> = search.preserves().iter().filter_map(cut).collect();
    let complete = stopped.is_none() && cuts.is_empty() && counts.out_of_steps == 0 && end.lost == 0;
    let mut text = if complete { everything(config, search) } else { String::from("incomplete: ") };
    if complete && cuts_repeats(search, target) {
        text.push_str("; where attempts to lock lead back to the same state, two rounds of them were followed");
    }
    let mut reasons: Vec<String> = within(search, end).into_iter().chain(cuts).chain(stopped).collect();
    if counts.out_of_steps > 0 {
        reasons.push(format!(
            "{} executions were cut at {} steps (--max-steps)",
            counts.out_of_steps, config.rules.max_steps
        ));
    }
    if end.lost > 0 {
        let lost = count(end.lost, "execution");
        reasons.push(format!("{lost} lost with the program's process: what lies behind was not explored"));
    }
    text.push_str(&reasons.join("; "));
    if config.rules.scope == Scope::Sync {
        return Covered { complete, text, unwatched: Vec::new() };
    }
    let unwatched = unwatched(target);
    text.push_str(&in_words(&libraries(target), &unwatched));
    Covered { complete, text, unwatched }
}

/// Whether something was cut at a bound.
pub fn was_cut_at_bound(search: &dyn Strategy) -> bool {
    let is_cut = |preserves: &Preserves| match preserves {
        Preserves::OnlyWithin { cut, .. } | Preserves::SomeWithin { cut, .. } => *cut > 0,
        _ => false,
    };
    search.preserves().iter().any(is_cut)
}

/// What is to be said of a finding that the search, once it knew all steps, has not come to within its bounds.
pub fn beyond(finding: &Finding) -> String {
    let place = finding.location.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
    format!(
        "{}{place} was found before it was known what the threads share, and lies beyond the bound: another search with it \
         may not come there",
        finding.headline()
    )
}

/// Whether the search does not follow executions that come back to a state again and again.
fn cuts_repeats(search: &dyn Strategy, target: &Target) -> bool {
    let states = LocalStates::from_code(target.arena().setup.logs_local_states.load(Relaxed));
    states == LocalStates::Attempts && search.preserves().contains(&Preserves::EveryTrace)
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
        (false, true) if any(Preserves::AllButDelays) => {
            "every reachable state was visited, but for those that differ in when a thread starts, ends, creates, joins or \
             unlocks"
        }
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
    let races = if config.rules.races {
        "; in each execution, data races were looked for: conflicting accesses that synchronisation does not order, unless \
         both are atomic (locked, or by debug information)"
    } else {
        ""
    };
    format!("{what}, {points}{spurious}{condition}{invariants}{races}")
}

/// The code of the program that runs without being watched.
fn unwatched(target: &Target) -> Vec<String> {
    let regions = target.regions();
    let mut gaps: Vec<String> = regions.planned().iter().flat_map(|planned| planned.gaps().to_vec()).collect();
    if target.arena().result.unseen_code.load(Relaxed) != 0 {
        gaps.insert(0, "code that was loaded or made while the program ran".into());
    }
    gaps
}

/// The libraries that are not watched.
fn libraries(target: &Target) -> Vec<String> {
    let names = target.regions().unwatched();
    if names.is_empty() { Vec::new() } else { vec![format!("the code of {} (see --instrument)", names.join(", "))] }
}

/// What is not watched, as the end of a sentence.
fn in_words(libraries: &[String], code: &[String]) -> String {
    let gaps = [libraries, code].concat();
    if gaps.is_empty() {
        return String::new();
    }
    let more = if gaps.len() > NAMED { format!(", and {} more", gaps.len() - NAMED) } else { String::new() };
    format!("; not watched: {}{more}", gaps[..gaps.len().min(NAMED)].join(", "))
}

/// What a bounded search has shown all the same: there is no bug up to its bounds, or to the last bound that was done.
fn within(search: &dyn Strategy, end: End) -> Option<String> {
    if end.counts.out_of_steps > 0 {
        return None;
    }
    let preserves = search.preserves();
    let bounds = preserves.iter().filter_map(|preserves| match *preserves {
        Preserves::OnlyWithin { bound, value, cut } if cut > 0 => Some(at_most(value, bound)),
        _ => None,
    });
    let bounds: Vec<String> = match (end.stop, end.found) {
        (Stop::Exhausted, false) => bounds.collect(),
        _ => last_level(search, &preserves).into_iter().collect(),
    };
    (!bounds.is_empty()).then(|| format!("no bug with {}", bounds.join(" and ")))
}

/// The highest of the levels that were searched completely before anything was found.
fn last_level(search: &dyn Strategy, preserves: &[Preserves]) -> Option<String> {
    let levels = search.levels();
    let level = levels.iter().take_while(|level| level.complete && level.findings == 0).last()?;
    let bounds = preserves.iter().filter_map(|preserves| match preserves {
        Preserves::OnlyWithin { bound, .. } => Some(bound),
        _ => None,
    });
    // Where there are other bounds, a level is not complete in this sense.
    let [bound] = bounds.collect::<Vec<_>>()[..] else { return None };
    Some(at_most(level.bound, bound))
}

/// A bound in words; its unit is given in the plural.
fn at_most(value: u64, unit: &str) -> String {
    let unit = if value == 1 { unit.trim_end_matches('s') } else { unit };
    format!("at most {value} {unit}")
}

fn states(count: u64) -> String {
    if count == 1 { "1 state was".into() } else { format!("{count} states were") }
}

/// What a filter has cut, in words.
fn cut(preserves: &Preserves) -> Option<String> {
    match *preserves {
        Preserves::EveryState
        | Preserves::AllButDelays
        | Preserves::EveryTrace
        | Preserves::EveryOrder
        | Preserves::OnlyWithin { cut: 0, .. }
        | Preserves::SomeWithin { cut: 0, .. } => None,
        Preserves::OnlyWithin { bound, value, cut } => {
            let unit = if value == 1 { bound.trim_end_matches('s') } else { bound };
            Some(format!("nothing was explored beyond {value} {unit} ({} cut)", states(cut)))
        }
        Preserves::SomeWithin { preemptions, cut } => {
            let bound = at_most(preemptions, "preemptions");
            Some(format!("only part of what can happen with {bound} was explored ({cut} branches were cut)"))
        }
        Preserves::Estimated(count) => {
            Some(format!("it was too hard to tell what {count} branches need, which were explored"))
        }
        Preserves::Sampled(sampled) => Some(sampled.in_words()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(cut_branches: u64) -> Option<String> {
        cut(&Preserves::SomeWithin { preemptions: 1, cut: cut_branches })
    }

    #[test]
    fn part_of_what_is_within_a_bound_is_called_that() {
        let text = "only part of what can happen with at most 1 preemption was explored (7 branches were cut)";
        assert_eq!(some(7).as_deref(), Some(text));
    }

    #[test]
    fn estimates_are_called_that() {
        let text = cut(&Preserves::Estimated(5));
        assert!(text.is_some_and(|text| text.contains("too hard to tell what 5 branches need")));
    }

    #[test]
    fn a_bound_that_was_never_hit_says_nothing() {
        assert_eq!(some(0), None);
        assert_eq!(cut(&Preserves::OnlyWithin { bound: "preemptions", value: 1, cut: 0 }), None);
    }
}
