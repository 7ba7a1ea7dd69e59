//! The global invariants that the user names: functions `int f(void)` of the program.
//!
//! What they say decides what is a finding, and what they read decides what is a step, so they travel in the header of
//! a trace like the [rules](super::Rules).

use crate::exit::Failure;
use rscale_protocol::arena::MAX_INVARIANTS;
use std::collections::BTreeMap;
use std::path::Path;

const INVARIANT: &str = "invariant";

/// The names of the invariants, in the order in which they are evaluated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invariants {
    /// As the user gave them.
    pub names: Vec<String>,
    /// Where a property file names one: `--properties FILE, line 3`.
    places: BTreeMap<String, String>,
}

impl Invariants {
    /// Those named on the command line, and those of a property file.
    ///
    /// # Errors
    /// When the file can not be read or names nothing, or there are too many.
    pub fn new(named: Vec<String>, file: Option<&Path>) -> Result<Invariants, Failure> {
        let mut invariants = Invariants::default();
        for name in named {
            invariants.add(name.trim());
        }
        if let Some(file) = file {
            let text = std::fs::read_to_string(file)
                .map_err(|error| Failure::Usage(format!("--properties: can not read {}: {error}", file.display())))?;
            let named = text.lines().map(without_comment).enumerate().filter(|(_, name)| !name.is_empty());
            let named: Vec<(usize, &str)> = named.collect();
            if named.is_empty() {
                return Err(Failure::Usage(format!("--properties: {} names no function", file.display())));
            }
            for (index, name) in named {
                if invariants.add(name) {
                    let place = format!("--properties {}, line {}", file.display(), index + 1);
                    invariants.places.insert(name.to_owned(), place);
                }
            }
        }
        if invariants.names.iter().any(String::is_empty) {
            return Err(Failure::Usage("--invariant: the name of a function is missing".into()));
        }
        if invariants.names.len() > MAX_INVARIANTS {
            return Err(Failure::Usage(format!("there can be at most {MAX_INVARIANTS} invariants")));
        }
        Ok(invariants)
    }

    /// A name that stands there twice is evaluated once. Returns whether it is new.
    fn add(&mut self, name: &str) -> bool {
        let is_new = !self.names.iter().any(|known| known == name);
        if is_new {
            self.names.push(name.to_owned());
        }
        is_new
    }

    /// The names, each behind where the user gave it.
    #[must_use]
    pub fn asked(&self) -> Vec<(String, &str)> {
        let asked = |name: &String| self.places.get(name).map_or_else(|| "--invariant".to_owned(), String::clone);
        self.names.iter().map(|name| (asked(name), name.as_str())).collect()
    }

    /// The options of a trace header.
    #[must_use]
    pub fn to_options(&self) -> Vec<(String, String)> {
        self.names.iter().map(|name| (INVARIANT.to_owned(), name.clone())).collect()
    }

    /// Takes what is its own out of the options of a trace header; the rest is returned.
    #[must_use]
    pub fn from_options(options: &[(String, String)]) -> (Invariants, Vec<(String, String)>) {
        let (own, rest): (Vec<_>, Vec<_>) = options.iter().cloned().partition(|(name, _)| name == INVARIANT);
        let names = own.into_iter().map(|(_, name)| name).take(MAX_INVARIANTS).collect();
        (Invariants { names, places: BTreeMap::new() }, rest)
    }
}

/// A line without what follows a `#`, and without white space around it.
fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::TemporaryDirectory;

    #[test]
    fn names_come_from_both_places_and_survive_a_trace() {
        let directory = TemporaryDirectory::create().expect("a directory");
        let file = directory.path().join("properties");
        std::fs::write(&file, "# all of them\nsorted\n\n  ns::full()  # twice\nbalanced\n").expect("written");
        let invariants = Invariants::new(vec!["balanced".into()], Some(&file)).expect("valid");
        assert_eq!(invariants.names, ["balanced", "sorted", "ns::full()"]);
        let mut options = invariants.to_options();
        options.push(("seed".into(), "1".into()));
        let in_file = |line: u32| format!("--properties {}, line {line}", file.display());
        let asked = [("--invariant".to_owned(), "balanced"), (in_file(2), "sorted"), (in_file(4), "ns::full()")];
        assert_eq!(invariants.asked(), asked);
        let (again, rest) = Invariants::from_options(&options);
        assert_eq!((again.names, rest), (invariants.names, vec![("seed".to_owned(), "1".to_owned())]));
    }

    #[test]
    fn what_names_nothing_is_refused() {
        let message = |named: Vec<String>, file: Option<&str>| {
            Invariants::new(named, file.map(Path::new)).expect_err("refused").to_string()
        };
        assert!(message(Vec::new(), Some("/nonexistent")).contains("can not read /nonexistent"));
        assert!(message(Vec::new(), Some("/dev/null")).contains("names no function"));
        assert!(message(vec![" ".into()], None).contains("is missing"));
        assert!(message((0..100).map(|number| format!("f{number}")).collect(), None).contains("at most 64"));
    }
}
