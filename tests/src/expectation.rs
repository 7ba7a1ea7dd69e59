//! What a test program says about itself, in the comment at its top.
//!
//! ```c
//! /* rscale-test
//!  * verdict: bug                 clean | bug | incomplete | error
//!  * kind: deadlock               the kind of the first finding (only with bug)
//!  */
//! ```
//!
//! [`Expectation`] has all keys. A key that is not known, stands there twice or makes no sense is an error: a typing
//! mistake must not switch a check off.

use crate::words;
use std::collections::{BTreeMap, BTreeSet};

/// Where the comment begins.
const START: &str = "/* rscale-test";
/// Keys that may stand there more than once.
const LISTS: [&str; 4] = ["runs", "executions", "outcomes", "variant"];

/// What a program is expected to do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expectation {
    /// The verdict of rscale.
    pub verdict: String,
    /// The kind of the first finding.
    pub kind: Option<String>,
    /// A part of its message.
    pub message: Option<String>,
    /// A part of its location.
    pub location: Option<String>,
    /// The exit status of rscale.
    pub status: i32,
    /// The number of runs, by filter list.
    pub runs: BTreeMap<String, u64>,
    /// The number of complete executions, by filter list.
    pub executions: BTreeMap<String, u64>,
    /// All distinct ends: exit status and standard output.
    pub outcomes: Option<BTreeSet<(i64, String)>>,
    /// Options of rscale.
    pub options: Vec<String>,
    /// Filters with which the search has no end.
    pub endless: Vec<String>,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Under which isolation levels all this holds.
    pub isolation: Vec<String>,
    /// Options of the compiler.
    pub flags: Vec<String>,
    /// The optimisation levels.
    pub levels: Vec<String>,
    /// The scopes to search in. Where both are named, everything is checked in the first, and the verdict in the
    /// second.
    pub scopes: Vec<String>,
    /// Whether findings are replayed on kernel threads too.
    pub threads_engine: bool,
    /// The same program in other sizes.
    pub variants: Vec<Variant>,
}

/// A program compiled with other options: `-DN=4 nsb=16 optimal=16`, `-DN=5 source=64+33`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variant {
    /// Further options of the compiler.
    pub flags: Vec<String>,
    /// The number of complete executions, by filter list.
    pub executions: BTreeMap<String, u64>,
    /// The number of runs, where it says how many more there are.
    pub runs: BTreeMap<String, u64>,
}

impl Expectation {
    /// Reads the comment at the top of a source file.
    ///
    /// # Errors
    /// When there is none, or something in it is wrong.
    pub fn of_source(source: &str) -> Result<Expectation, String> {
        let body = source.trim_start().strip_prefix(START).ok_or("the file does not begin with \"/* rscale-test\"")?;
        let (body, _) = body.split_once("*/").ok_or("the comment is not closed")?;
        let entries = entries(body)?;
        let mut expectation = Expectation::with_defaults(&entries)?;
        for (key, value) in &entries {
            expectation.set(key, value).map_err(|problem| format!("{key}: {problem}"))?;
        }
        expectation.check()
    }

    fn with_defaults(entries: &[(&str, &str)]) -> Result<Expectation, String> {
        let verdict = entries.iter().find(|(key, _)| *key == "verdict").ok_or("there is no verdict")?.1;
        let status = match verdict {
            "clean" => 0,
            "bug" => 1,
            "error" => 2,
            "incomplete" => 3,
            other => return Err(format!("verdict: {other:?} is none of clean, bug, incomplete, error")),
        };
        let list = |words: &str| words.split(' ').map(str::to_owned).collect();
        Ok(Expectation {
            verdict: verdict.to_owned(),
            status,
            isolation: list("snapshot fork exec"),
            levels: list("-O0 -O2"),
            scopes: SCOPES.map(String::from).into(),
            threads_engine: true,
            ..Expectation::default()
        })
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "verdict" => {}
            "kind" => self.kind = Some(one_of(value, &KINDS)?),
            "message" => self.message = Some(value.to_owned()),
            "location" => self.location = Some(value.to_owned()),
            "status" => self.status = value.parse().map_err(|_| "not a number")?,
            "runs" => counts(value, &mut self.runs)?,
            "executions" => counts(value, &mut self.executions)?,
            "outcomes" => self.outcomes.get_or_insert_default().extend(outcomes(value)?),
            "options" => self.options = words::split(value)?,
            "endless" => self.endless = words::split(value)?,
            "arguments" => self.arguments = words::split(value)?,
            "isolation" => {
                self.isolation =
                    value.split_whitespace().map(|level| one_of(level, &ISOLATION)).collect::<Result<_, _>>()?;
            }
            "flags" => self.flags = words::split(value)?,
            "levels" => {
                self.levels = value.split_whitespace().map(|level| one_of(level, &LEVELS)).collect::<Result<_, _>>()?;
            }
            "scope" => {
                self.scopes = value.split_whitespace().map(|scope| one_of(scope, &SCOPES)).collect::<Result<_, _>>()?;
            }
            "variant" => self.variants.push(variant(value)?),
            "threads-engine" => self.threads_engine = one_of(value, &["yes", "no"])? == "yes",
            _ => return Err("no such key".into()),
        }
        Ok(())
    }

    fn check(self) -> Result<Expectation, String> {
        let is_bug = self.verdict == "bug";
        if is_bug != self.kind.is_some() {
            return Err("a bug has a kind, and nothing else has".into());
        }
        if !is_bug && (self.message.is_some() || self.location.is_some()) {
            return Err("only a bug has a message and a location".into());
        }
        Ok(self)
    }
}

const KEYS: [&str; 16] = [
    "verdict",
    "kind",
    "message",
    "location",
    "status",
    "runs",
    "executions",
    "outcomes",
    "options",
    "arguments",
    "isolation",
    "flags",
    "levels",
    "scope",
    "threads-engine",
    "variant",
];
const KINDS: [&str; 11] =
    ["assertion", "deadlock", "crash", "invariant", "race", "livelock", "misuse", "memory", "hang", "exit", "lost"];
const ISOLATION: [&str; 3] = ["snapshot", "fork", "exec"];
const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];
/// Filters that counts are given for.
const FILTERS: [&str; 9] = ["nsb", "db", "lcd", "superstep", "dpor", "source", "optimal", "epor", "epor-sh"];
/// Operations of the thread library, or memory accesses too.
const SCOPES: [&str; 2] = ["sync", "all"];

/// The lines `* key: value` of the comment, up to an empty one; what follows that is prose.
fn entries(body: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut entries: Vec<(&str, &str)> = Vec::new();
    let mut lines = body.lines().skip(1).map(str::trim);
    for line in lines.by_ref().take_while(|line| !matches!(*line, "" | "*")) {
        let entry = line.strip_prefix('*').and_then(|line| line.split_once(':'));
        let (key, value) = entry.ok_or_else(|| format!("{line:?} is not of the form \"* key: value\""))?;
        let (key, value) = (key.trim(), value.trim());
        if value.is_empty() {
            return Err(format!("{key}: there is no value"));
        }
        if !LISTS.contains(&key) && entries.iter().any(|(known, _)| *known == key) {
            return Err(format!("{key}: stands there twice"));
        }
        entries.push((key, value));
    }
    let looks_like_a_key = |line: &&str| {
        let key = line.trim_start_matches('*').split(':').next().unwrap_or_default().trim();
        line.contains(':') && KEYS.contains(&key)
    };
    match lines.find(looks_like_a_key) {
        Some(line) => Err(format!("{line:?} stands behind the empty line that ends the keys")),
        None => Ok(entries),
    }
}

fn one_of(value: &str, allowed: &[&str]) -> Result<String, String> {
    if allowed.contains(&value) { Ok(value.to_owned()) } else { Err(format!("{value:?} is none of {allowed:?}")) }
}

/// `none=20 nsb=7`: a filter list is everything before the last equals sign, and may have one itself.
fn counts(value: &str, into: &mut BTreeMap<String, u64>) -> Result<(), String> {
    for word in value.split_whitespace() {
        let pair = word.rsplit_once('=').and_then(|(filters, count)| Some((filters, count.parse().ok()?)));
        let (filters, count) = pair.ok_or_else(|| format!("{word:?} is not of the form filters=N"))?;
        let filters = if filters == "none" { "" } else { filters };
        for filter in filters.split(',').filter(|filter| !filter.is_empty()) {
            one_of(filter.split('=').next().unwrap_or(filter), &FILTERS)?;
        }
        if into.insert(filters.to_owned(), count).is_some() {
            return Err(format!("{filters:?} stands there twice"));
        }
    }
    Ok(())
}

/// `-DN=4 nsb=16 optimal=16`; `source=64+33` are 64 complete executions, and 33 runs in vain.
fn variant(value: &str) -> Result<Variant, String> {
    let (flags, numbers): (Vec<&str>, Vec<&str>) = value.split_whitespace().partition(|word| word.starts_with('-'));
    let mut variant = Variant { flags: flags.into_iter().map(String::from).collect(), ..Variant::default() };
    for word in numbers {
        let (complete, in_vain) = word.split_once('+').unwrap_or((word, ""));
        counts(complete, &mut variant.executions)?;
        if complete != word {
            let in_vain: u64 = in_vain.parse().map_err(|_| format!("{word:?} is not of the form filters=N+M"))?;
            let mut runs = BTreeMap::new();
            counts(complete, &mut runs)?;
            variant.runs.extend(runs.into_iter().map(|(filters, complete)| (filters, complete + in_vain)));
        }
    }
    if variant.executions.is_empty() { Err("there are no numbers".into()) } else { Ok(variant) }
}

/// `0:"ab\n" 1:""`
fn outcomes(value: &str) -> Result<Vec<(i64, String)>, String> {
    let outcome = |word: String| {
        let pair = word.split_once(':').and_then(|(exit, stdout)| Some((exit.parse().ok()?, stdout.to_owned())));
        pair.ok_or_else(|| format!("{word:?} is not of the form exit:\"stdout\""))
    };
    words::split(value)?.into_iter().map(outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(lines: &str) -> Result<Expectation, String> {
        let body: String = lines.split(';').map(|line| format!("\n * {}", line.trim())).collect();
        Expectation::of_source(&format!("{START}{body}\n */\nint main(void) {{ return 0; }}\n"))
    }

    #[test]
    fn every_key_is_understood() {
        let expectation = parse(
            "verdict: bug; kind: deadlock; message: no thread; location: a.c:3; status: 1; runs: none=20 nsb,db=5=7; \
             executions: none=19; outcomes: 0:\"a b\\n\" 1:\"\"; outcomes: 2:x; options: --spurious 1; \
             arguments: \"3 4\" 5; isolation: fork; flags: -lm; levels: -O3; threads-engine: yes; \
             variant: -DN=2 -DM=1 nsb=4 dpor=3+2 optimal=3",
        )
        .expect("valid");
        assert_eq!(expectation.runs, BTreeMap::from([(String::new(), 20), ("nsb,db=5".into(), 7)]));
        assert_eq!(expectation.executions, BTreeMap::from([(String::new(), 19)]));
        let outcomes = BTreeSet::from([(0, "a b\n".into()), (1, String::new()), (2, "x".into())]);
        assert_eq!(expectation.outcomes, Some(outcomes));
        assert_eq!(expectation.arguments, ["3 4", "5"]);
        assert_eq!((expectation.isolation, expectation.levels), (vec!["fork".into()], vec!["-O3".into()]));
        assert_eq!((expectation.status, expectation.threads_engine), (1, true));
        let executions = BTreeMap::from([("nsb".into(), 4), ("dpor".into(), 3), ("optimal".into(), 3)]);
        let (flags, runs) = (vec!["-DN=2".into(), "-DM=1".into()], BTreeMap::from([("dpor".into(), 5)]));
        assert_eq!(expectation.variants, [Variant { flags, executions, runs }]);
    }

    #[test]
    fn defaults_follow_the_verdict() {
        for (verdict, status) in [("clean", 0), ("error", 2), ("incomplete", 3)] {
            let expectation = parse(&format!("verdict: {verdict}")).expect("valid");
            assert_eq!(expectation.status, status);
            assert_eq!(expectation.isolation, ISOLATION);
            assert_eq!(expectation.levels, ["-O0", "-O2"]);
        }
    }

    #[test]
    fn prose_may_follow_an_empty_line() {
        let expectation = parse("verdict: clean; ; Nothing here: that is a sentence.").expect("valid");
        assert_eq!(expectation.verdict, "clean");
    }

    #[test]
    fn mistakes_are_not_overlooked() {
        for (lines, problem) in [
            ("kind: deadlock", "there is no verdict"),
            ("verdict: good", "is none of clean"),
            ("verdict: bug", "a bug has a kind"),
            ("verdict: clean; kind: deadlock", "a bug has a kind"),
            ("verdict: clean; message: x", "only a bug"),
            ("verdict: bug; kind: dedlock", "is none of"),
            ("verdict: clean; run: none=1", "no such key"),
            ("verdict: clean; verdict: clean", "stands there twice"),
            ("verdict: clean; runs: none=1 none=2", "stands there twice"),
            ("verdict: clean; runs: 12", "filters=N"),
            ("verdict: clean; runs: nbs=1", "is none of"),
            ("verdict: clean; variant: -DN=1", "there are no numbers"),
            ("verdict: clean; variant: -DN=1 source=3+", "filters=N+M"),
            ("verdict: clean; outcomes: abc", "exit:"),
            ("verdict: clean; options:", "there is no value"),
            ("verdict: clean; isolation: forks", "is none of"),
            ("verdict: clean; flags: \"-lm", "not closed"),
            ("verdict: clean; threads", "key: value"),
            ("verdict: clean; ; Prose: that is fine; runs: none=1", "behind the empty line"),
        ] {
            let error = parse(lines).expect_err(lines);
            assert!(error.contains(problem), "{lines}: {error}");
        }
        assert!(Expectation::of_source("int main;").is_err());
        assert!(Expectation::of_source("/* rscale-test\n * verdict: clean").is_err());
    }
}
