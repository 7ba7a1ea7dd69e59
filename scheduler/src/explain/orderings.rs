//! Decisive orderings as sentences: who did what to what, where, before whom.

use super::waiting::verb;
use crate::decisive::{Pair, Second};
use crate::finding::{Finding, Ordering, StepView};
use rscale_protocol::arena::Step;
use rscale_protocol::{Op, ThreadId};
use std::path::Path;

/// Verbs of operations whose past is not regular.
const IRREGULAR: [(&str, &str); 12] = [
    ("read", "read"),
    ("write", "wrote"),
    ("take", "took"),
    ("wake", "woke"),
    ("leave", "left"),
    ("make", "made"),
    ("send", "sent"),
    ("get", "got"),
    ("go", "went"),
    ("sleep", "slept"),
    ("signal", "signalled"),
    ("cancel", "cancelled"),
];

/// Tells the order of a pair of actions of a finding; `missing` is the second one where it is no step.
#[must_use]
pub fn tell(pair: &Pair, finding: &Finding, steps: &[Step], missing: Option<&StepView>) -> Option<Ordering> {
    let first = finding.steps.get(pair.first)?;
    let (second, op, index) = match pair.second {
        Second::Step(index) => (finding.steps.get(index)?, steps.get(index)?.action.op, Some(index)),
        Second::Missing(action) => (missing?, action.op, None),
    };
    let [object, other] = names(first, second)?;
    let other = if object == other { "it".to_owned() } else { format!("`{other}`") };
    let did = format!("{} `{object}`{}", past(steps.get(pair.first)?.action.op), place(first));
    let then = match index {
        Some(_) => past(op),
        None => format!("could {}", verb(op)),
    };
    let [one, two] = [first, second].map(|step| who(step.token.thread, finding));
    let text = format!("{one} {did} before {two} {then} {other}{}", place(second));
    Some(Ordering { text, first: pair.first, second: index, second_thread: second.token.thread })
}

/// What the two are about: the same thing, or else the first thing of each.
fn names<'a>(first: &'a StepView, second: &'a StepView) -> Option<[&'a str; 2]> {
    let shared = first.variables.iter().find(|name| second.variables.contains(name));
    match shared {
        Some(name) => Some([name, name]),
        None => Some([first.variables.first()?, second.variables.first()?]),
    }
}

/// A thread by its number, its name, and where it was created.
fn who(thread: ThreadId, finding: &Finding) -> String {
    let name = finding.threads.iter().find(|view| view.id == thread).map_or("", |view| &view.name);
    let created = finding.steps.iter().find(|step| {
        step.operation == Op::ThreadCreate.name() && step.variables.iter().any(|name| is_name_of(name, thread))
    });
    let site = created.map(|step| short(&step.location)).unwrap_or_default();
    let known: Vec<&str> = [name, site].into_iter().filter(|word| !word.is_empty()).collect();
    if known.is_empty() { format!("thread {thread}") } else { format!("thread {thread} ({})", known.join(", ")) }
}

/// Whether a variable of a step is this thread: `thread 2 (worker)`.
fn is_name_of(name: &str, thread: ThreadId) -> bool {
    let rest = name.strip_prefix("thread ").and_then(|rest| rest.strip_prefix(&thread.to_string()));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn place(step: &StepView) -> String {
    let place = short(&step.location);
    if place.is_empty() { String::new() } else { format!(" ({place})") }
}

/// The file without its directory, and the line.
fn short(location: &str) -> &str {
    Path::new(location).file_name().and_then(|name| name.to_str()).unwrap_or(location)
}

/// What may stand before the verb.
const ADVERB: &str = "atomically ";

/// What an operation was, its object to follow.
fn past(op: Op) -> String {
    let verb = verb(op);
    let (adverb, verb) = verb.strip_prefix(ADVERB).map_or(("", verb), |verb| (ADVERB, verb));
    let (first, rest) = verb.split_once(' ').map_or((verb, String::new()), |(first, rest)| (first, format!(" {rest}")));
    let irregular = IRREGULAR.iter().find(|(present, _)| *present == first).map(|(_, past)| (*past).to_owned());
    let regular = || match (first.strip_suffix('e'), first.strip_suffix('y')) {
        (Some(_), _) => format!("{first}d"),
        (_, Some(stem)) if stem.ends_with('r') => format!("{stem}ied"),
        _ => format!("{first}ed"),
    };
    format!("{adverb}{}{rest}", irregular.unwrap_or_else(regular))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::samples::{deadlock, step};
    use rscale_protocol::{Action, Choice, ThreadSet, Variable};

    fn raw(thread: u16, op: Op) -> Step {
        let action = Action::new(ThreadId(thread), op, Variable(64));
        Step { action, choice: Choice::Proceed, result: 0, enabled: [ThreadSet::EMPTY; 3] }
    }

    #[test]
    fn an_order_is_a_sentence() {
        let mut finding = deadlock();
        finding.steps = vec![
            step(0, "create", &["thread 1 (left)"], "/src/ab.c:20"),
            step(1, "read", &["queue.head"], "/src/ab.c:7"),
            step(2, "write", &["queue.head"], "/src/ab.c:12"),
        ];
        let steps = [raw(0, Op::ThreadCreate), raw(1, Op::Read), raw(2, Op::Write)];
        let pair = Pair { first: 1, second: Second::Step(2) };
        let told = tell(&pair, &finding, &steps, None).expect("both have names");
        let text = "thread 1 (left, ab.c:20) read `queue.head` (ab.c:7) before thread 2 (right) wrote it (ab.c:12)";
        let second_thread = ThreadId(2);
        assert_eq!(told, Ordering { text: text.into(), first: 1, second: Some(2), second_thread });
        let missing = Pair { first: 1, second: Second::Missing(raw(2, Op::Write).action) };
        let told = tell(&missing, &finding, &steps, Some(&step(2, "write", &["tail"], ""))).expect("both have names");
        assert!(told.text.ends_with("before thread 2 (right) could write `tail`"), "{}", told.text);
    }

    #[test]
    fn every_operation_has_a_past() {
        let told = [Op::Read, Op::Write, Op::MutexLock, Op::MutexTryLock, Op::CondSignal, Op::CondWait].map(past);
        assert_eq!(told, ["read", "wrote", "locked", "tried to lock", "signalled", "waited on"]);
        let told = [Op::AtomicUpdate, Op::MutexDestroy, Op::SemWait, Op::BarrierArrive].map(past);
        assert_eq!(told, ["atomically updated", "destroyed mutex", "took from semaphore", "arrived at barrier"]);
        assert!(Op::ALL.iter().all(|&op| !past(op).contains("ee") && !past(op).starts_with(' ')));
    }
}
