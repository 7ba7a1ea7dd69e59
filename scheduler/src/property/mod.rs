//! Property checkers: what makes an execution, most often its end, a finding (SCALE, section 5.3.5).
//!
//! To add one: a file here and a line in [`registry`].

mod assertion;
mod crash;
mod deadlock;
mod exit;
mod hang;
mod invariant;
mod livelock;
mod lost;
mod memory;
mod misuse;
mod race;

use crate::backend::RunEnd;
use crate::config::Rules;
use crate::finding::Kind;
use crate::frontend::Execution;

/// A property as users see it.
pub struct PropertyInfo {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    check: Check,
}

/// What a property is about.
enum Check {
    /// How an execution ends.
    End(fn(&RunEnd, &Rules) -> Option<Violation>),
    /// What happens on the way.
    Way(fn(&Execution) -> Vec<Shown>),
}

/// A violation that an execution shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The violation.
    pub violation: Violation,
    /// How many of its steps show it.
    pub steps: usize,
}

/// A property does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What kind of finding it is.
    pub kind: Kind,
    /// What happened, in one line.
    pub message: String,
}

impl Violation {
    fn new(kind: Kind, message: impl Into<String>) -> Option<Violation> {
        Some(Violation { kind, message: message.into() })
    }

    /// The kind and the message, as in a trace header.
    #[must_use]
    pub fn headline(&self) -> String {
        format!("{}: {}", self.kind.as_str(), self.message)
    }
}

/// Every property.
#[must_use]
pub fn registry() -> &'static [PropertyInfo] {
    &[
        assertion::INFO,
        deadlock::INFO,
        livelock::INFO,
        lost::INFO,
        crash::INFO,
        invariant::INFO,
        misuse::INFO,
        memory::INFO,
        hang::INFO,
        exit::INFO,
        race::INFO,
    ]
}

/// The properties that an execution violates: at most one by its end, which comes first, and others on the way.
#[must_use]
pub fn violations(execution: &Execution, rules: &Rules) -> Vec<Shown> {
    let at_end = execution.end.as_ref().and_then(|end| violated(end, rules));
    let mut shown: Vec<Shown> =
        at_end.map(|violation| Shown { violation, steps: execution.steps.len() }).into_iter().collect();
    for property in registry() {
        if let Check::Way(check) = property.check {
            shown.extend(check(execution));
        }
    }
    shown
}

/// What is said of an execution that was lost in another process, and is not lost here.
#[must_use]
pub fn lost_elsewhere(steps: usize) -> Option<Shown> {
    lost::violation("killed by SIGKILL; another process came to the end").map(|violation| Shown { violation, steps })
}

/// The property that the end of an execution violates, if it does.
#[must_use]
pub fn violated(end: &RunEnd, rules: &Rules) -> Option<Violation> {
    registry().iter().find_map(|property| match property.check {
        Check::End(check) => check(end, rules),
        Check::Way(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{Ending, ThreadId, ThreadSet};

    fn end(ending: Ending, value: u64, text: &str) -> RunEnd {
        let enabled = [ThreadSet::EMPTY; 3];
        let (thread, live) = (ThreadId::MAIN, ThreadSet::EMPTY);
        let (races, reads) = (Vec::new(), Vec::new());
        RunEnd {
            ending,
            value,
            address: 0,
            block: crate::backend::Block::default(),
            thread,
            enabled,
            live,
            races,
            reads,
            text: text.into(),
        }
    }

    fn found(ending: Ending, value: u64, text: &str, rules: &Rules) -> Option<(Kind, String)> {
        violated(&end(ending, value, text), rules).map(|violation| (violation.kind, violation.message))
    }

    #[test]
    fn every_bad_end_is_one_kind_of_finding() {
        let rules = Rules::default();
        assert_eq!(found(Ending::Assertion, 0, "x == 1", &rules), Some((Kind::Assertion, "x == 1 failed".into())));
        assert_eq!(found(Ending::Deadlock, 0, "", &rules).map(|f| f.0), Some(Kind::Deadlock));
        let crash = found(Ending::Crash, 11, "null pointer", &rules);
        assert_eq!(crash, Some((Kind::Crash, "SIGSEGV (null pointer)".into())));
        assert_eq!(found(Ending::Killed, 15, "", &rules), Some((Kind::Crash, "killed by SIGTERM".into())));
        assert_eq!(found(Ending::Killed, 9, "", &rules).map(|f| f.0), Some(Kind::Lost));
        assert_eq!(found(Ending::Misuse, 9, "", &rules).map(|f| f.0), Some(Kind::Misuse));
        assert_eq!(found(Ending::Misuse, 250, "", &rules).map(|f| f.0), Some(Kind::Misuse), "an unknown number too");
        assert_eq!(found(Ending::Memory, 1, "", &rules), Some((Kind::Memory, "double free".into())));
        assert_eq!(found(Ending::Hang, 0, "", &rules).map(|f| f.0), Some(Kind::Hang));
        let invariant = found(Ending::Invariant, 0, "sorted (a.c:3)", &rules);
        assert_eq!(invariant, Some((Kind::Invariant, "sorted (a.c:3) does not hold".into())));
    }

    #[test]
    fn ordinary_ends_are_no_findings() {
        let rules = Rules::default();
        for ending in [Ending::Exit, Ending::StepBudget, Ending::Sleeping, Ending::Paused, Ending::Assumption] {
            assert_eq!(found(ending, 0, "", &rules), None);
        }
        assert_eq!(found(Ending::Exit, 3, "", &rules), None, "a status is the program's business");
        let strict = Rules { exit_status: true, ..rules };
        assert_eq!(found(Ending::Exit, 3, "", &strict), Some((Kind::Exit, "exit status 3".into())));
        assert_eq!(found(Ending::Exit, 0, "", &strict), None);
    }
}
