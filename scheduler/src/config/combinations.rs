//! Which filters go together, and with which options: what would promise more than it does is refused, with the reason.

use super::{FilterChoice, Rules, Scope};
use crate::filters::{self, FilterInfo, Kind};

/// What a list of filters has to fit to.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The rules of the executions.
    pub rules: &'a Rules,
    /// Whether the number of executions or the time is bounded.
    pub ends: bool,
}

/// Checks a list of filters.
///
/// # Errors
/// With the reason, where the search would be unsound or would not end.
pub fn check_combination(choices: &[FilterChoice], surroundings: Surroundings<'_>) -> Result<(), String> {
    let chosen: Vec<&FilterInfo> = choices.iter().filter_map(filters::info).collect();
    let rules = surroundings.rules;
    if let Some(alone) = chosen.iter().find(|info| info.kind() != Kind::Filter) {
        check_alone(alone, &chosen)?;
        check_strategy(alone, surroundings)?;
    }
    if filters::needs(choices).local_states && rules.scope == Scope::Sync {
        return Err("lcd has to see every write of the program, or it would take a loop that counts for one that \
             waits; not with --scope sync"
            .into());
    }
    Ok(())
}

/// A strategy decides by itself what is explored: it asks no filter.
fn check_alone(alone: &FilterInfo, chosen: &[&FilterInfo]) -> Result<(), String> {
    let Some(other) = chosen.iter().find(|other| other.name != alone.name) else { return Ok(()) };
    let (name, other) = (alone.name, other.name);
    Err(format!(
        "{name} decides by itself what is explored, and can not be combined with {other}; use {name} or {other} alone"
    ))
}

fn check_strategy(alone: &FilterInfo, surroundings: Surroundings<'_>) -> Result<(), String> {
    let name = alone.name;
    match alone.kind() {
        Kind::Reduction if surroundings.rules.spurious > 0 => Err(format!(
            "{name} can not be combined with --spurious: all threads share the number of spurious wake-ups, so that \
             wake-ups depend on each other in a way that {name} does not know; use nsb, or no filter at all"
        )),
        Kind::Sample if !surroundings.ends => Err(format!(
            "{name} takes samples for ever; say how many or how long, with --max-executions or --time-limit"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_filters;
    use super::*;

    fn check(list: &str, rules: &Rules, ends: bool) -> Result<(), String> {
        let choices = parse_filters(list, filters::registry()).expect("a list that can be read");
        check_combination(&choices, Surroundings { rules, ends })
    }

    #[test]
    fn strategies_stand_alone() {
        let rules = Rules::default();
        for list in ["", "nsb", "nsb,db=4,superstep", "lcd,superstep", "dpor", "source", "optimal"] {
            assert_eq!(check(list, &rules, false), Ok(()), "{list}");
        }
        for (list, words) in [
            ("dpor,nsb", "dpor decides by itself what is explored, and can not be combined with nsb"),
            ("db=4,source", "source decides by itself what is explored, and can not be combined with db"),
            ("optimal,source", "optimal decides by itself what is explored, and can not be combined with source"),
        ] {
            assert!(check(list, &rules, true).expect_err("refused").starts_with(words), "{list}");
        }
    }

    #[test]
    fn reductions_know_nothing_of_a_shared_budget() {
        let rules = Rules { spurious: 1, ..Rules::default() };
        for list in ["dpor", "source", "optimal"] {
            let reason = check(list, &rules, true).expect_err("refused");
            assert!(reason.starts_with(&format!("{list} can not be combined with --spurious")), "{reason}");
        }
        assert_eq!(check("nsb", &rules, true), Ok(()));
        assert_eq!(check("", &rules, true), Ok(()));
    }

    #[test]
    fn loops_are_told_apart_by_all_writes() {
        let rules = Rules { scope: Scope::Sync, ..Rules::default() };
        assert!(check("nsb,lcd", &rules, true).expect_err("refused").starts_with("lcd has to see every write"));
    }
}
