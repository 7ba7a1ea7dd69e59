//! The list behind `--filters`, checked against the registry.

use crate::filters::FilterInfo;
use crate::nearest::nearest;
use std::fmt;

/// A filter that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FilterChoice {
    /// Its name in the registry.
    pub name: &'static str,
    /// Its number, for those that take one; the last one of a range.
    pub value: Option<u64>,
    /// The first number of a range.
    pub from: Option<u64>,
}

impl FilterChoice {
    /// A filter with a number, or without.
    #[must_use]
    pub const fn new(name: &'static str, value: Option<u64>) -> FilterChoice {
        FilterChoice { name, value, from: None }
    }
}

impl fmt::Display for FilterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from, self.value) {
            (_, None) => f.write_str(self.name),
            (None, Some(value)) => write!(f, "{}={value}", self.name),
            (Some(from), Some(value)) => write!(f, "{}={from}..{value}", self.name),
        }
    }
}

/// Reads `a,b=N,...`; an empty list is a search without filters. An argument in brackets may be left out.
///
/// # Errors
/// When a filter is unknown, stands there twice, or has a value that it does not take.
pub fn parse_filters(list: &str, registry: &'static [FilterInfo]) -> Result<Vec<FilterChoice>, String> {
    let mut chosen: Vec<FilterChoice> = Vec::new();
    if list.trim().is_empty() {
        return Ok(chosen);
    }
    for item in list.split(',') {
        let choice = parse_item(item.trim(), registry)?;
        if chosen.iter().any(|known| known.name == choice.name) {
            return Err(format!("filter {} stands there twice; name it once", choice.name));
        }
        chosen.push(choice);
    }
    Ok(chosen)
}

fn parse_item(item: &str, registry: &'static [FilterInfo]) -> Result<FilterChoice, String> {
    let (name, value) = item.split_once('=').map_or((item, None), |(name, value)| (name, Some(value)));
    let info = registry.iter().find(|info| info.name == name).ok_or_else(|| unknown(name, registry))?;
    let is_optional = info.argument.is_none_or(|argument| argument.starts_with('['));
    match (info.argument, value) {
        (None, Some(_)) => Err(format!("filter {name} takes no value; write {name}")),
        (Some(_), None) if !is_optional => Err(format!("filter {name} needs a number, as in {name}=2")),
        (Some(argument), Some(text)) if argument.contains("..") && text.contains("..") => parse_range(info, text),
        (_, Some(text)) => Ok(FilterChoice::new(info.name, Some(number_of(info, text)?))),
        (_, None) => Ok(FilterChoice::new(info.name, None)),
    }
}

/// Bounds that are tried one after the other: `0..3` stands for 0, 1, 2 and 3.
fn parse_range(info: &'static FilterInfo, text: &str) -> Result<FilterChoice, String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let (from, to) = (number_of(info, from)?, number_of(info, to)?);
    if from > to {
        return Err(format!("filter {}: the range {text} is empty; write the lower bound first", info.name));
    }
    Ok(FilterChoice { from: Some(from), ..FilterChoice::new(info.name, Some(to)) })
}

/// A number that the filter takes.
fn number_of(info: &FilterInfo, text: &str) -> Result<u64, String> {
    let value = number(info.name, text)?;
    if info.range.contains(&value) {
        return Ok(value);
    }
    let (first, last) = (info.range.start(), info.range.end());
    Err(format!("filter {} takes a number from {first} to {last}, not {value}", info.name))
}

/// A whole number: `1000`, or `1e3`.
fn number(name: &str, text: &str) -> Result<u64, String> {
    let digits = |text: &str| text.parse::<u64>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let value = match text.split_once('e') {
        None => digits(text),
        Some((factor, exponent)) => digits(factor)
            .zip(digits(exponent))
            .and_then(|(factor, exponent)| factor.checked_mul(10u64.checked_pow(u32::try_from(exponent).ok()?)?)),
    };
    value.ok_or_else(|| format!("filter {name} needs a whole number that fits 64 bits, not \"{text}\""))
}

fn unknown(name: &str, registry: &'static [FilterInfo]) -> String {
    if name.is_empty() {
        return "a filter name is missing between the commas".into();
    }
    match nearest(name, registry.iter().map(|info| info.name)) {
        Some(similar) => format!("there is no filter \"{name}\"; did you mean {similar}?"),
        None => format!("there is no filter \"{name}\"; `rscale list` names them all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::{Make, Needs};
    use proptest::prelude::*;

    const REGISTRY: &[FilterInfo] = &[
        FilterInfo {
            name: "nsb",
            argument: Some("[N]"),
            summary: "",
            range: 1..=1000,
            needs: Needs::NOTHING,
            make: Make::Filter(|_| unreachable!("never made")),
        },
        FilterInfo {
            name: "db",
            argument: Some("N"),
            summary: "",
            range: 1..=1000,
            needs: Needs::NOTHING,
            make: Make::Filter(|_| unreachable!("never made")),
        },
        FilterInfo {
            name: "pb",
            argument: Some("N|N..M"),
            summary: "",
            range: 0..=1000,
            needs: Needs::NOTHING,
            make: Make::Filter(|_| unreachable!("never made")),
        },
        FilterInfo {
            name: "superstep",
            argument: None,
            summary: "",
            range: 1..=1000,
            needs: Needs::NOTHING,
            make: Make::Filter(|_| unreachable!("never made")),
        },
    ];

    fn names(list: &str) -> Result<Vec<String>, String> {
        parse_filters(list, REGISTRY).map(|choices| choices.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn lists_are_understood() {
        assert_eq!(names("nsb,db=5"), Ok(vec!["nsb".into(), "db=5".into()]));
        assert_eq!(names(" superstep , nsb=10"), Ok(vec!["superstep".into(), "nsb=10".into()]));
        assert_eq!(names(""), Ok(Vec::new()));
        assert_eq!(names("db=1e3,nsb=0005"), Ok(vec!["db=1000".into(), "nsb=5".into()]));
    }

    #[test]
    fn bounds_can_be_a_range() {
        assert_eq!(names("pb=3"), Ok(vec!["pb=3".into()]));
        assert_eq!(names("pb=0..3"), Ok(vec!["pb=0..3".into()]));
        assert_eq!(names("pb=2..2"), Ok(vec!["pb=2..2".into()]));
        let error = |list: &str| names(list).expect_err("a mistake");
        assert_eq!(error("pb=3..1"), "filter pb: the range 3..1 is empty; write the lower bound first");
        assert_eq!(error("pb=0..1001"), "filter pb takes a number from 0 to 1000, not 1001");
        for value in ["..", "0..", "..3", "0..x", "0..=3", "0...3"] {
            assert!(error(&format!("pb={value}")).contains("needs a whole number"), "{value}");
        }
        assert!(error("db=0..3").contains("needs a whole number"), "not every filter takes one");
    }

    #[test]
    fn mistakes_are_explained() {
        let error = |list: &str| names(list).expect_err("a mistake");
        assert_eq!(error("nbs"), "there is no filter \"nbs\"; did you mean nsb?");
        assert_eq!(error("supersteps"), "there is no filter \"supersteps\"; did you mean superstep?");
        assert_eq!(error("magic"), "there is no filter \"magic\"; `rscale list` names them all");
        assert_eq!(error("nsb,nsb=3"), "filter nsb stands there twice; name it once");
        assert_eq!(error("db"), "filter db needs a number, as in db=2");
        assert_eq!(error("superstep=1"), "filter superstep takes no value; write superstep");
        assert_eq!(error("nsb,,db=1"), "a filter name is missing between the commas");
        assert_eq!(error("nsb=1001"), "filter nsb takes a number from 1 to 1000, not 1001");
        for value in ["", "x", "-1", "+1", "1.5", "99999999999999999999", "e", "1e", "e3", "1e20", "2e19", "1e1e1"] {
            assert!(error(&format!("db={value}")).contains("needs a whole number"), "{value}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_lists_never_panic(list: String) {
            let _ = names(&list);
        }
    }
}
