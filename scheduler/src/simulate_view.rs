//! The text of `rscale replay`: an execution, step by step (SCALE, section 5.4).
//!
//! Three replays give three identical texts: nothing here depends on the time, the machine or the width of a terminal.

use crate::exit::Exit;
use crate::finding::{Finding, Kind, StepView, ThreadView};
use crate::report::text::{Page, output_lines, render_finding, render_threads};
use crate::report::{Color, Look, count, escape, table};
use serde::Serialize;

/// What a replay showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The program as the user named it.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The trace file.
    pub trace: String,
    /// The threads, for their names.
    pub threads: Vec<ThreadView>,
    /// The steps that were taken.
    pub steps: Vec<StepView>,
    /// What the program wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What the program wrote to its standard error.
    pub stderr: Vec<u8>,
    /// The finding that the trace was recorded for, as its header says.
    pub expected: Option<String>,
    /// What functions returned in the last state.
    pub answers: Vec<Answer>,
    /// Every thread in the last state with its stack, where that was asked for.
    pub stacks: Vec<ThreadView>,
    /// How it ended.
    pub end: ReplayEnd,
}

/// What a function of the program returned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Answer {
    /// Its name.
    pub function: String,
    /// What it returned.
    pub value: i32,
}

/// How a replay ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayEnd {
    /// Something is wrong with the program.
    Found(Box<Finding>),
    /// The schedule was followed to its end, and nothing was wrong.
    NothingFound,
    /// The user wanted it to stop here; so many steps of the schedule were not taken.
    Stopped {
        /// How many.
        left: usize,
    },
    /// A step could not be taken; the text says which, where it stands in the file, and why.
    Refused(String),
    /// The program did something else than when the trace was recorded; the text says where.
    Nondeterministic(String),
}

impl Replay {
    /// The exit status that goes with the end.
    #[must_use]
    pub fn exit_code(&self) -> Exit {
        match self.end {
            ReplayEnd::Found(_) => Exit::Found,
            ReplayEnd::NothingFound | ReplayEnd::Stopped { .. } => Exit::Clean,
            ReplayEnd::Refused(_) => Exit::Failed,
            ReplayEnd::Nondeterministic(_) => Exit::Nondeterministic,
        }
    }

    /// What `--json` writes.
    #[must_use]
    pub fn record(&self) -> impl Serialize + '_ {
        let (verdict, message) = match &self.end {
            ReplayEnd::Found(_) => ("bug", None),
            ReplayEnd::NothingFound => ("clean", None),
            ReplayEnd::Stopped { .. } => ("stopped", None),
            ReplayEnd::Refused(message) => ("error", Some(message.as_str())),
            ReplayEnd::Nondeterministic(message) => ("nondeterministic", Some(message.as_str())),
        };
        let finding = match &self.end {
            ReplayEnd::Found(finding) => Some(finding.as_ref()),
            _ => None,
        };
        Record {
            rscale: env!("CARGO_PKG_VERSION"),
            program: &self.program,
            args: &self.args,
            trace: &self.trace,
            verdict,
            steps: self.steps.len(),
            stdout: String::from_utf8_lossy(&self.stdout).into_owned(),
            findings: finding.into_iter().collect(),
            message,
            evaluations: &self.answers,
            stacks: self.stacks.iter().map(Stack::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct Record<'a> {
    rscale: &'static str,
    program: &'a str,
    args: &'a [String],
    trace: &'a str,
    verdict: &'static str,
    steps: usize,
    stdout: String,
    findings: Vec<&'a Finding>,
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "<[Answer]>::is_empty")]
    evaluations: &'a [Answer],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stacks: Vec<Stack<'a>>,
}

/// The stack of a thread, for scripts.
#[derive(Serialize)]
struct Stack<'a> {
    thread: u16,
    name: &'a str,
    state: &'a str,
    frames: &'a [String],
}

impl<'a> Stack<'a> {
    fn of(view: &'a ThreadView) -> Stack<'a> {
        Stack { thread: view.id.0, name: &view.name, state: &view.state, frames: &view.stack }
    }
}

/// The whole text.
#[must_use]
pub fn render(replay: &Replay, color: bool) -> String {
    let mut page = Page::new(Look { color, width: Look::WIDTH });
    let command = std::iter::once(&replay.program).chain(&replay.args).map(|word| escape::text(word));
    let command = command.collect::<Vec<_>>().join(" ");
    page.heading(&format!("replay of {}: {command}", escape::text(&replay.trace)));
    page.blank();
    step_lines(replay).iter().for_each(|line| page.line(line));
    if !(replay.stdout.is_empty() && replay.stderr.is_empty()) {
        page.blank();
        page.heading("output of the program");
        output_lines(&mut page, "stdout", &replay.stdout, None);
        output_lines(&mut page, "stderr", &replay.stderr, None);
    }
    page.blank();
    render_end(&mut page, replay);
    if !matches!(replay.end, ReplayEnd::Found(_)) {
        render_threads(&mut page, &replay.stacks); // a finding has them
    }
    if !replay.answers.is_empty() {
        page.blank();
        render_answers(&mut page, replay);
    }
    page.finish()
}

fn render_answers(page: &mut Page, replay: &Replay) {
    replay.answers.iter().for_each(|answer| {
        page.line(&format!("{} = {}", escape::text(&answer.function), answer.value));
    });
}

/// The text of `--quiet`: how it ended.
#[must_use]
pub fn render_quiet(replay: &Replay, color: bool) -> String {
    let mut page = Page::new(Look { color, width: Look::WIDTH });
    match &replay.end {
        ReplayEnd::Found(finding) => page.line(&escape::text(&finding.headline())),
        _ => render_end(&mut page, replay),
    }
    render_threads(&mut page, &replay.stacks);
    render_answers(&mut page, replay);
    page.finish()
}

fn step_lines(replay: &Replay) -> Vec<String> {
    let row = |(index, step): (usize, &StepView)| {
        vec![
            (index + 1).to_string(),
            table::label(step.token.thread, &replay.threads),
            escape::text(table::file_name(&step.location)),
            escape::text(&step.marked_operation()),
            escape::text(&step.variables.join(", ")),
            escape::text(&step.value),
            escape::text(&step.result),
        ]
    };
    let header = ["step", "thread", "where", "operation", "variables", "value", "result"].map(str::to_owned).into();
    table::folded(header, replay.steps.iter().enumerate().map(row).collect(), Look::WIDTH)
}

fn render_end(page: &mut Page, replay: &Replay) {
    let steps = count(replay.steps.len() as u64, "step");
    match &replay.end {
        // The steps and the output stand above already.
        ReplayEnd::Found(finding) => {
            let (steps, stdout, stderr) = (Vec::new(), Vec::new(), Vec::new());
            render_finding(page, &Finding { steps, stdout, stderr, trace: None, ..finding.as_ref().clone() });
        }
        ReplayEnd::NothingFound => page.line(&format!("the schedule ends without a finding, after {steps}")),
        ReplayEnd::Stopped { left } => {
            let rest = count(*left as u64, "more step");
            page.line(&format!("stopped after {steps}, as asked; the schedule has {rest}, not run"));
        }
        ReplayEnd::Refused(message) | ReplayEnd::Nondeterministic(message) => {
            let stopped = page.look.paint(Color::Red, &format!("stopped after {steps}:"));
            page.wrapped(&format!("{stopped} {}", escape::text(message)));
        }
    }
    if let Some(expected) = other_end(replay) {
        page.wrapped(&format!("note: the trace was recorded for another end: {}", escape::text(expected)));
    }
}

/// The end that the trace promises, where the program came to another one.
fn other_end(replay: &Replay) -> Option<&str> {
    let expected = replay.expected.as_deref()?;
    let is_same = match &replay.end {
        ReplayEnd::Found(finding) => Kind::of_headline(expected) == Some(finding.kind),
        ReplayEnd::NothingFound => false,
        ReplayEnd::Refused(_) | ReplayEnd::Nondeterministic(_) | ReplayEnd::Stopped { .. } => true,
    };
    (!is_same).then_some(expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::samples::{deadlock, step, thread};
    use rscale_protocol::Choice;

    fn replay(end: ReplayEnd) -> Replay {
        let mut steps = vec![step(0, "create", &["thread 1"], "ab.c:20"), step(1, "cond wait", &["c", "m"], "ab.c:7")];
        steps[1].token.choice = Choice::TimeOut;
        steps[1].result = "ETIMEDOUT".into();
        steps.push(StepView { value: "0 -> 1".into(), ..step(1, "write", &["counter"], "ab.c:9") });
        Replay {
            program: "./a.out".into(),
            args: vec!["3".into()],
            trace: "trace.txt".into(),
            threads: vec![thread(0, "main", "", ""), thread(1, "left\n", "", "")],
            steps,
            stdout: b"go\nsecond".to_vec(),
            stderr: b"\x1b[1m".to_vec(),
            expected: Some("deadlock: x".into()),
            answers: Vec::new(),
            stacks: Vec::new(),
            end,
        }
    }

    const STEPS: &str = "\
replay of trace.txt: ./a.out 3

step  thread    where    operation              variables  value   result
   1  0 main    ab.c:20  create                 thread 1
   2  1 left\\n  ab.c:7   cond wait (times out)  c, m               ETIMEDOUT
   3  1 left\\n  ab.c:9   write                  counter    0 -> 1

output of the program
  stdout | go
  stdout | second
  stderr | \\x1b[1m

";

    #[test]
    fn a_schedule_without_a_finding() {
        let replay = replay(ReplayEnd::NothingFound);
        let expected = format!(
            "{STEPS}the schedule ends without a finding, after 3 steps\n\
             note: the trace was recorded for another end: deadlock: x\n"
        );
        assert_eq!(render(&replay, false), expected);
        assert_eq!(replay.exit_code() as u8, 0);
    }

    #[test]
    fn a_finding_shows_again() {
        let replay = replay(ReplayEnd::Found(Box::new(deadlock())));
        let text = render(&replay, false);
        let end = "deadlock: 2 threads wait for each other\n  at ab.c:8\n  thread 1 holds a and waits for b\n";
        assert!(text.starts_with(&format!("{STEPS}{end}")), "{text}");
        assert!(text.ends_with("      right at ab.c:13\n"), "{text}");
        assert_eq!(replay.exit_code() as u8, 1);
        let other = Replay { expected: Some("crash: x".into()), ..replay.clone() };
        assert!(render(&other, false).ends_with("\nnote: the trace was recorded for another end: crash: x\n"));
        assert_eq!(render_quiet(&replay, false), "deadlock: 2 threads wait for each other\n");
    }

    #[test]
    fn a_step_that_can_not_be_taken_stops_it() {
        let refused = replay(ReplayEnd::Refused("trace.txt: line 1, column 5: thread 2 is not enabled".into()));
        assert!(
            render(&refused, false)
                .ends_with("stopped after 3 steps: trace.txt: line 1, column 5: thread 2 is not enabled\n")
        );
        assert_eq!(refused.exit_code() as u8, 2);
        assert_eq!(replay(ReplayEnd::Nondeterministic(String::new())).exit_code() as u8, 4);
    }

    #[test]
    fn a_state_is_asked_about() {
        let mut asked = replay(ReplayEnd::Stopped { left: 3 });
        asked.answers = vec![Answer { function: "ns::size".into(), value: -2 }];
        asked.stacks = vec![thread(1, "left", "about to lock b", "left at ab.c:8")];
        let expected = format!(
            "{STEPS}stopped after 3 steps, as asked; the schedule has 3 more steps, not run\n\nthreads\n  1 left: about \
             to lock b\n      left at ab.c:8\n\nns::size = -2\n"
        );
        assert_eq!(render(&asked, false), expected);
        assert_eq!(asked.exit_code() as u8, 0);
        let json = serde_json::to_string(&asked.record()).expect("serialisable");
        assert!(json.contains(r#""verdict":"stopped""#), "{json}");
        assert!(json.contains(r#""evaluations":[{"function":"ns::size","value":-2}]"#), "{json}");
        assert!(json.contains(r#""frames":["left at ab.c:8"]"#), "{json}");
    }

    #[test]
    fn the_record_for_scripts() {
        let json = |end| serde_json::to_string(&replay(end).record()).expect("serialisable");
        assert_eq!(
            json(ReplayEnd::NothingFound),
            format!(
                r#"{{"rscale":"{}","program":"./a.out","args":["3"],"trace":"trace.txt","verdict":"clean","steps":3,"stdout":"go\nsecond","findings":[],"message":null}}"#,
                env!("CARGO_PKG_VERSION")
            )
        );
        assert!(json(ReplayEnd::Found(Box::new(deadlock()))).contains(r#""findings":[{"kind":"deadlock""#));
    }
}
