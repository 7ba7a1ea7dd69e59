//! Which filters go together, and with which options: what would promise more than it does is refused, with the reason.

use super::{FilterChoice, Rules, Scope};
use crate::filters::{self, FilterInfo, Kind};

/// Bounds on the path alone, beside those that need every path.
const PLAIN_BOUNDS: [&str; 1] = ["db"];

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
    check_budget(&chosen, rules)?;
    check_bounds(&chosen)?;
    check_ranges(choices)?;
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

/// All threads share the number of spurious wake-ups: one of them can keep another from happening, which no table of
/// dependent operations says.
fn check_budget(chosen: &[&FilterInfo], rules: &Rules) -> Result<(), String> {
    let reduces = |info: &&&FilterInfo| info.kind() == Kind::Reduction || info.name == "superstep";
    let Some(name) = chosen.iter().find(reduces).filter(|_| rules.spurious > 0).map(|info| info.name) else {
        return Ok(());
    };
    Err(format!(
        "{name} can not be combined with --spurious: all threads share the number of spurious wake-ups, so that wake-ups \
         depend on each other in a way that {name} does not know; use nsb, or no filter at all"
    ))
}

/// Filters that leave out states, or orders, that another path leads to as well lose what only the cheaper path may do.
fn check_bounds(chosen: &[&FilterInfo]) -> Result<(), String> {
    let Some(bound) = chosen.iter().find(|info| info.needs.every_path) else { return Ok(()) };
    let is_plain = |info: &&&FilterInfo| info.needs.every_path || PLAIN_BOUNDS.contains(&info.name);
    let Some(other) = chosen.iter().find(|info| !is_plain(info)) else { return Ok(()) };
    let (name, other) = (bound.name, other.name);
    Err(format!(
        "{name} can not be combined with {other}: {other} explores what several paths have in common once, perhaps on one \
         that has used up the bound of {name}, and loses what the others could still reach; use {name} alone"
    ))
}

/// Levels are counted in one bound.
fn check_ranges(choices: &[FilterChoice]) -> Result<(), String> {
    match choices.iter().filter(|choice| choice.from.is_some()).collect::<Vec<_>>()[..] {
        [first, second, ..] => Err(format!("{first} and {second} are two ranges; give one of them a single number")),
        _ => Ok(()),
    }
}

fn check_strategy(alone: &FilterInfo, surroundings: Surroundings<'_>) -> Result<(), String> {
    let name = alone.name;
    match alone.kind() {
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
    use rscale_protocol::MemoryModel;

    fn check(list: &str, rules: &Rules, ends: bool) -> Result<(), String> {
        let choices = parse_filters(list, filters::registry()).expect("a list that can be read");
        check_combination(&choices, Surroundings { rules, ends })
    }

    #[test]
    fn store_buffers_go_with_everything() {
        let rules = Rules { memory: MemoryModel::Tso, ..Rules::default() };
        for list in
            ["", "optimal", "nsb,lcd", "pb=2", "delay=1", "db=9", "nsb,superstep", "bpor=1", "lazy-bpor=0", "epor"]
        {
            assert_eq!(check(list, &rules, false), Ok(()), "{list}");
        }
    }

    #[test]
    fn strategies_stand_alone() {
        let rules = Rules::default();
        for list in
            ["", "nsb", "nsb,db=4,superstep", "lcd,superstep", "dpor", "source", "optimal", "bpor=2", "lazy-bpor=0"]
        {
            assert_eq!(check(list, &rules, false), Ok(()), "{list}");
        }
        for (list, words) in [
            ("dpor,nsb", "dpor decides by itself what is explored, and can not be combined with nsb"),
            ("db=4,source", "source decides by itself what is explored, and can not be combined with db"),
            ("optimal,source", "optimal decides by itself what is explored, and can not be combined with source"),
            ("pb=2,bpor=2", "bpor decides by itself what is explored, and can not be combined with pb"),
        ] {
            assert!(check(list, &rules, true).expect_err("refused").starts_with(words), "{list}");
        }
    }

    #[test]
    fn samples_need_an_end() {
        let rules = Rules { spurious: 1, ..Rules::default() };
        for list in ["random", "pct=3", "pos"] {
            assert!(check(list, &rules, false).expect_err("refused").contains("takes samples for ever"), "{list}");
            assert_eq!(check(list, &rules, true), Ok(()), "{list}");
            let both = format!("{list},db=3");
            assert!(check(&both, &rules, true).expect_err("refused").contains("can not be combined with db"), "{list}");
        }
    }

    #[test]
    fn bounds_on_paths_need_every_path() {
        let rules = Rules::default();
        for list in ["pb=2", "delay=1", "pb=2,delay=1", "db=9,pb=2", "pb=0..3", "pb=0..3,delay=4"] {
            assert_eq!(check(list, &rules, false), Ok(()), "{list}");
        }
        for (list, words) in [
            ("pb=2,nsb", "pb can not be combined with nsb"),
            ("nsb=100,delay=2", "delay can not be combined with nsb"),
            ("superstep,pb=1", "pb can not be combined with superstep"),
            ("lcd,pb=0..2", "pb can not be combined with lcd"),
            ("pb=0..2,delay=0..2", "pb=0..2 and delay=0..2 are two ranges"),
            ("pb=2,optimal", "optimal decides by itself"),
        ] {
            assert!(check(list, &rules, true).expect_err("refused").starts_with(words), "{list}");
        }
    }

    #[test]
    fn reductions_know_nothing_of_a_shared_budget() {
        let rules = Rules { spurious: 1, ..Rules::default() };
        for list in
            ["dpor", "source", "optimal", "naive-bpor=1", "bpor=0..1", "source-bpor=1", "lazy-bpor=1", "superstep"]
        {
            let reason = check(list, &rules, true).expect_err("refused");
            let name = list.split('=').next().unwrap_or(list);
            assert!(reason.starts_with(&format!("{name} can not be combined with --spurious")), "{reason}");
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
