//! What the search found, in the words and names of the tested program.
//!
//! A finding is complete in itself: whoever prints it, as text or as JSON, needs neither the search nor the program.
//! Strings that come from the program are kept as they are and escaped where they are printed.

use crate::minimize::Size;
use crate::property::Violation;
use crate::spin::Spin;
use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, Op, ThreadId};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::path::PathBuf;

/// The kinds of findings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `assert` failed, the program aborted, an exception was not caught.
    Assertion,
    /// No thread can go on.
    Deadlock,
    /// A fault of the machine.
    Crash,
    /// A global invariant does not hold.
    Invariant,
    /// Two accesses without an order between them.
    Race,
    /// Threads wait busily for what nobody can do any more.
    Livelock,
    /// The thread library was misused.
    Misuse,
    /// The heap was misused.
    Memory,
    /// A thread computes without end.
    Hang,
    /// The program ended with a status other than 0.
    Exit,
    /// The process of the program was lost.
    Lost,
}

impl Kind {
    /// Every kind, in the order of CLI.md.
    pub const ALL: [Kind; 11] = [
        Kind::Assertion,
        Kind::Deadlock,
        Kind::Crash,
        Kind::Invariant,
        Kind::Race,
        Kind::Livelock,
        Kind::Misuse,
        Kind::Memory,
        Kind::Hang,
        Kind::Exit,
        Kind::Lost,
    ];

    /// The kind that a [headline](Finding::headline) begins with.
    #[must_use]
    pub fn of_headline(headline: &str) -> Option<Kind> {
        let (name, _) = headline.split_once(':')?;
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The name in reports and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Assertion => "assertion",
            Kind::Deadlock => "deadlock",
            Kind::Crash => "crash",
            Kind::Invariant => "invariant",
            Kind::Race => "race",
            Kind::Livelock => "livelock",
            Kind::Misuse => "misuse",
            Kind::Memory => "memory",
            Kind::Hang => "hang",
            Kind::Exit => "exit",
            Kind::Lost => "lost",
        }
    }
}

/// Something wrong with the program, and the schedule that shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What kind of thing.
    pub kind: Kind,
    /// What happened, in one line.
    pub message: String,
    /// Where, as `file.c:12`.
    pub location: Option<String>,
    /// More lines about it, such as the wait-for cycle.
    pub explanation: Vec<String>,
    /// Where it computes, if it does so without end.
    pub spin: Spin,
    /// Every thread as it was when it happened.
    pub threads: Vec<ThreadView>,
    /// The execution, step by step.
    pub steps: Vec<StepView>,
    /// The schedule that leads there.
    pub schedule: Vec<Token>,
    /// How often a thread was switched out although it could have gone on.
    pub preemptions: usize,
    /// The size of the schedule as it was found, if a smaller one has been looked for.
    pub minimised_from: Option<Size>,
    /// The orders of two actions that make the difference.
    pub orderings: Vec<Ordering>,
    /// What the program had written to its standard output.
    pub stdout: Vec<u8>,
    /// What the program had written to its standard error.
    pub stderr: Vec<u8>,
    /// The trace file, once it is written.
    pub trace: Option<PathBuf>,
}

impl Finding {
    /// The kind and the message, as in a trace header.
    #[must_use]
    pub fn headline(&self) -> String {
        self.violation().headline()
    }

    fn violation(&self) -> Violation {
        Violation { kind: self.kind, message: self.message.clone() }
    }

    /// What makes it the same finding as another one.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity::new(self.violation(), self.location.clone(), self.explanation.clone()).spinning(self.spin.clone())
    }
}

/// What a person would call the same finding: the same thing happens in the same place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    violation: Violation,
    location: Option<String>,
    explanation: Vec<String>,
    spin: Spin,
}

impl Identity {
    /// Of what happened, where, and more about it.
    #[must_use]
    pub fn new(violation: Violation, location: Option<String>, mut explanation: Vec<String>) -> Identity {
        // Where an invariant fails is one bug, whatever number the step has. Who comes first makes no other race of it.
        if matches!(violation.kind, Kind::Invariant | Kind::Race) {
            explanation.clear();
        }
        let location = location.filter(|_| violation.kind != Kind::Race);
        Identity { violation, location, explanation, spin: Spin::default() }
    }

    /// The same, in a loop: which of its lines a thread is found at is no matter.
    #[must_use]
    pub fn spinning(self, spin: Spin) -> Identity {
        let location = self.location.filter(|_| spin.calls.is_empty());
        Identity { location, spin, ..self }
    }

    /// What happened.
    #[must_use]
    pub fn violation(&self) -> &Violation {
        &self.violation
    }
}

/// Two actions of different threads, in an order without which the finding is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ordering {
    /// The order in words.
    pub text: String,
    /// The step that comes first, by its index.
    pub first: usize,
    /// The step that comes later; None if the execution ended before.
    pub second: Option<usize>,
    /// The thread of that step.
    pub second_thread: ThreadId,
}

/// Steps are counted from 1, as in reports.
impl Serialize for Ordering {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Ordering", 3)?;
        object.serialize_field("text", &self.text)?;
        object.serialize_field("first", &(self.first + 1))?;
        object.serialize_field("second", &self.second.map(|second| second + 1))?;
        object.end()
    }
}

/// The object of CLI.md: threads by number, the schedule by its length.
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Finding", 9)?;
        object.serialize_field("kind", self.kind.as_str())?;
        object.serialize_field("message", &self.message)?;
        object.serialize_field("location", &self.location)?;
        object.serialize_field("threads", &self.threads.iter().map(|thread| thread.id.0).collect::<Vec<_>>())?;
        object.serialize_field("preemptions", &self.preemptions)?;
        object.serialize_field("steps", &self.schedule.len())?;
        object.serialize_field("trace", &self.trace.as_ref().map(|path| path.to_string_lossy()))?;
        object.serialize_field("minimised", &self.minimised_from.is_some())?;
        object.serialize_field("orderings", &self.orderings)?;
        object.end()
    }
}

/// A thread as a person sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadView {
    /// Its number in the schedule.
    pub id: ThreadId,
    /// Its name: what the program called it, else its start routine; may be empty.
    pub name: String,
    /// What it does, such as `waits for mutex a, held by thread 2`.
    pub state: String,
    /// Its stack, innermost frame first, one frame per line.
    pub stack: Vec<String>,
}

/// One step of an execution as a person sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepView {
    /// The thread, and how it took the step.
    pub token: Token,
    /// The operation, such as `lock`.
    pub operation: String,
    /// The variables it accessed, by name where there is one.
    pub variables: Vec<String>,
    /// The value that was read, or the old and the new one: `0 -> 1`; empty for what is no access to memory.
    pub value: String,
    /// Where, as `file.c:12`; empty where nothing is known.
    pub location: String,
    /// What it returned, such as `EBUSY`; empty for success.
    pub result: String,
}

impl StepView {
    /// The operation, and how it was taken if not in the ordinary way: `cond wait (times out)`.
    #[must_use]
    pub fn marked_operation(&self) -> String {
        let mark = match self.token.choice {
            Choice::Proceed => "",
            Choice::TimeOut if self.operation == Op::Choose.name() => "",
            Choice::TimeOut => " (times out)",
            Choice::Spurious => " (spurious wake-up)",
        };
        format!("{}{mark}", self.operation)
    }

    /// Operation, variables, and value or result in one line: `trylock a = EBUSY`, `write counter: 0 -> 1`.
    #[must_use]
    pub fn summary(&self) -> String {
        let [what, outcome] = self.halves();
        what + &outcome
    }

    /// The summary in two parts: what was done to what, and what came of it.
    #[must_use]
    pub fn halves(&self) -> [String; 2] {
        let mut what = self.marked_operation();
        for variable in &self.variables {
            what.push(' ');
            what.push_str(variable);
        }
        let mut outcome = String::new();
        for (sign, text) in [(": ", &self.value), (" = ", &self.result)] {
            if !text.is_empty() {
                outcome.push_str(sign);
                outcome.push_str(text);
            }
        }
        [what, outcome]
    }
}

/// Findings for the tests of everything that shows them.
#[cfg(test)]
pub mod samples {
    use super::{Finding, Kind, Spin, StepView, ThreadView};
    use rscale_protocol::arena::Token;
    use rscale_protocol::{Choice, ThreadId};

    /// A step without marks.
    pub fn step(thread: u16, operation: &str, variables: &[&str], location: &str) -> StepView {
        StepView {
            token: Token { thread: ThreadId(thread), choice: Choice::Proceed },
            operation: operation.into(),
            variables: variables.iter().map(|&name| name.into()).collect(),
            value: String::new(),
            location: location.into(),
            result: String::new(),
        }
    }

    /// A thread with one frame.
    pub fn thread(id: u16, name: &str, state: &str, frame: &str) -> ThreadView {
        ThreadView { id: ThreadId(id), name: name.into(), state: state.into(), stack: vec![frame.into()] }
    }

    /// Two threads that take two locks in opposite order.
    pub fn deadlock() -> Finding {
        let steps = vec![
            step(0, "create", &["thread 1"], "ab.c:20"),
            step(0, "create", &["thread 2"], "ab.c:21"),
            step(1, "lock", &["a"], "ab.c:7"),
            step(2, "lock", &["b"], "ab.c:12"),
        ];
        Finding {
            kind: Kind::Deadlock,
            message: "2 threads wait for each other".into(),
            location: Some("ab.c:8".into()),
            explanation: vec!["thread 1 holds a and waits for b".into(), "thread 2 holds b and waits for a".into()],
            spin: Spin::default(),
            threads: vec![
                thread(0, "main", "waits for the end of thread 1", "main at ab.c:22"),
                thread(1, "left", "waits for mutex b, held by thread 2", "left at ab.c:8"),
                thread(2, "right", "waits for mutex a, held by thread 1", "right at ab.c:13"),
            ],
            schedule: steps.iter().map(|step| step.token).collect(),
            steps,
            preemptions: 1,
            minimised_from: None,
            orderings: Vec::new(),
            stdout: b"go\n".to_vec(),
            stderr: Vec::new(),
            trace: Some("trace.txt".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_has_the_documented_fields_in_order() {
        let json = serde_json::to_string(&samples::deadlock()).expect("serialisable");
        assert_eq!(
            json,
            r#"{"kind":"deadlock","message":"2 threads wait for each other","location":"ab.c:8","threads":[0,1,2],"preemptions":1,"steps":4,"trace":"trace.txt","minimised":false,"orderings":[]}"#
        );
    }

    #[test]
    fn kinds_have_different_names() {
        let names: std::collections::BTreeSet<_> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names.len(), Kind::ALL.len());
        assert_eq!(Kind::of_headline("race: on x"), Some(Kind::Race));
        assert_eq!([Kind::of_headline("race"), Kind::of_headline("rage: x")], [None; 2]);
    }

    #[test]
    fn a_step_shows_its_mark_and_result() {
        let mut step = samples::step(1, "cond wait", &["c", "m"], "x.c:1");
        assert_eq!(step.summary(), "cond wait c m");
        step.token.choice = Choice::TimeOut;
        step.result = "ETIMEDOUT".into();
        assert_eq!(step.summary(), "cond wait (times out) c m = ETIMEDOUT");
        let write = StepView { value: "0 -> 1".into(), ..samples::step(1, "write", &["counter"], "x.c:1") };
        assert_eq!(write.summary(), "write counter: 0 -> 1");
        assert_eq!(samples::deadlock().headline(), "deadlock: 2 threads wait for each other");
    }
}
