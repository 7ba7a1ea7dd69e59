//! The program as a debugger gets it: at a step of a replay, with a kernel thread for each of its threads.

use super::host::Host;
use super::simulator::{Played, play};
use crate::backend::{Backend, Debugged, RunEnd};
use crate::config::{ReplayConfig, Rules};
use crate::exit::Failure;
use crate::finding::{StepView, ThreadView};
use crate::frontend::Execution;
use crate::property;
use crate::report::{count, escape};
use crate::simulate_view::ReplayEnd;
use nix::unistd::Pid;
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Ending, ThreadId};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// No step has this number: the program stops at the end of its execution only.
const AT_THE_END: u64 = u64::MAX;

/// A replay that stops where it is told to.
pub struct Debuggee {
    host: Host,
    rules: Rules,
    executable: PathBuf,
    schedule: Vec<Token>,
    /// The steps of the schedule, with the names and values of their time.
    steps: Vec<StepView>,
    /// Whether the execution ends with them.
    is_whole: bool,
}

/// A state, as the commands in gdb show it.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Position {
    /// What the state is, for a person.
    text: Vec<String>,
    /// The kernel's number of the thread that took the last step, or ended the execution.
    thread: u32,
    threads: Vec<NamedThread>,
    /// Where instrumented code lies.
    regions: Vec<(u64, u64)>,
}

/// A thread, by what it does.
#[derive(Serialize, PartialEq, Eq, Debug)]
struct NamedThread {
    id: u32,
    name: String,
}

impl Debuggee {
    /// Follows the schedule once, to see that it can be followed; then has the program ready for a debugger, which
    /// finds the shim in a file.
    ///
    /// # Errors
    /// Where the program can not be run, or the schedule can not be followed.
    pub fn start(config: &ReplayConfig, shim: &Path) -> Result<Debuggee, Failure> {
        let Played { replay, execution, mut host } = play(config)?;
        match replay.end {
            ReplayEnd::Refused(message) => return Err(Failure::CannotRun(message)),
            ReplayEnd::Nondeterministic(message) => return Err(Failure::Nondeterministic(message)),
            ReplayEnd::Found(_) | ReplayEnd::NothingFound | ReplayEnd::Stopped { .. } => {}
        }
        host.prepare_for_debugger(shim)?;
        let executable = fs::canonicalize(&config.subject.executable).unwrap_or(config.subject.executable.clone());
        let is_whole = execution.end.as_ref().is_some_and(|end| end.ending != Ending::Paused);
        let schedule = execution.steps.iter().map(Step::token).collect();
        Ok(Debuggee { host, rules: config.rules, executable, schedule, steps: replay.steps, is_whole })
    }

    /// Runs the program anew to the state after so many steps; else to what the schedule leads to.
    ///
    /// # Errors
    /// Where the program can not be run.
    pub fn go_to(&mut self, steps: Option<usize>) -> Result<(), Failure> {
        let last = if self.is_whole { AT_THE_END } else { self.steps.len() as u64 };
        let stop_after = steps.map_or(last, |steps| steps as u64);
        self.host.run_for_debugger(&self.schedule, stop_after, &mut Execution::default())
    }

    /// The process of the program.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.host.target().memory().pid().as_raw()
    }

    /// The file of the program.
    #[must_use]
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Whether a debugger holds all threads of the program.
    #[must_use]
    pub fn is_held(&self) -> bool {
        is_held(self.host.target().memory().pid())
    }

    /// A debugger holds the program: whenever that lets it run, it goes on.
    pub fn attached(&self) {
        self.host.target().debugger_attached();
    }

    /// The original address of what instrumented code at this one does; the address itself if it is none.
    #[must_use]
    pub fn original_of(&self, pc: u64) -> u64 {
        self.host.target().regions().original_of(pc).unwrap_or(pc)
    }

    /// Where the instruction at this address runs: in instrumented code, if there is a copy of it.
    #[must_use]
    pub fn copy_of(&self, pc: u64) -> u64 {
        self.host.target().regions().clone_of(pc).unwrap_or(pc)
    }

    /// Has the program stop after so many more steps, or at the end if that comes first.
    ///
    /// # Errors
    /// At the end.
    pub fn stop_after_more(&self, steps: usize) -> Result<(), Failure> {
        let Debugged { begun, is_under_way, end } = self.state()?;
        if end.ending != Ending::Paused {
            return Err(Failure::Usage("the execution has ended: there is no further step".into()));
        }
        // What is under way is to be finished first.
        let taken = begun - u64::from(is_under_way && begun > 0);
        self.host.target().stop_for_debugger(taken.saturating_add(steps as u64));
        Ok(())
    }

    /// The number of steps behind which the state so many steps ago lies.
    ///
    /// # Errors
    /// Where there is none.
    pub fn steps_before(&self, steps: usize) -> Result<usize, Failure> {
        let taken = self.state()?.begun;
        (taken as usize).checked_sub(steps).ok_or_else(|| match taken {
            0 => Failure::Usage("this is the beginning: no step has been taken".into()),
            _ => Failure::Usage(format!("only {} been taken", count_have(taken))),
        })
    }

    fn state(&self) -> Result<Debugged, Failure> {
        let nonsense = || Failure::CannotRun("the program has overwritten where it stands".into());
        self.host.target().debugged_state().ok_or_else(nonsense)
    }

    /// Where the program stands.
    ///
    /// # Errors
    /// Where the program has destroyed what is to be read.
    pub fn position(&self) -> Result<Position, Failure> {
        let Debugged { begun: taken, end, .. } = self.state()?;
        let views = self.host.explainer().stacks(self.host.target(), &end);
        let mut text = vec![self.last_step(taken as usize, &views)];
        text.extend(self.how_it_ended(&end));
        let actor = match end.ending {
            Ending::Paused => self.last_actor(taken as usize),
            _ => end.thread,
        };
        let states = self.host.target().threads();
        let id = |thread: ThreadId| states.iter().find(|state| state.id == thread).map_or(0, |state| state.kernel_id);
        let named = |view: &ThreadView| NamedThread { id: id(view.id), name: escape::text(&label(view)) };
        let threads = views.iter().map(named).collect();
        let text = text.iter().map(|line| escape::text(line)).collect();
        Ok(Position { text, thread: id(actor), threads, regions: self.host.target().regions().ranges() })
    }

    /// The thread that took the last step; the main thread before the first.
    fn last_actor(&self, taken: usize) -> ThreadId {
        let last = taken.checked_sub(1).and_then(|index| self.steps.get(index));
        last.map_or(ThreadId::MAIN, |step| step.token.thread)
    }

    /// The step that led to a state.
    fn last_step(&self, taken: usize, threads: &[ThreadView]) -> String {
        let all = self.steps.len();
        match taken.checked_sub(1).map(|index| self.steps.get(index)) {
            None => format!("before the first of {}", count(all as u64, "step")),
            Some(None) => format!("step {taken}: the schedule ended with step {all}, the program goes on"),
            Some(Some(step)) => {
                let thread = step.token.thread;
                let name = threads.iter().find(|view| view.id == thread).map_or("", |view| &view.name);
                let place = if step.location.is_empty() { String::new() } else { format!(" at {}", step.location) };
                format!("step {taken} of {all}: thread {thread} ({name}) {}{place}", step.summary())
            }
        }
    }

    /// What is to be said of the end, if this is it.
    fn how_it_ended(&self, end: &RunEnd) -> Option<String> {
        if end.ending == Ending::Paused {
            return None;
        }
        let found = property::violated(end, &self.rules);
        let how =
            found.map_or("nothing is wrong".into(), |found| format!("{}: {}", found.kind.as_str(), found.message));
        Some(format!("the execution has ended: {how}"))
    }
}

/// The name of a thread for a list of threads: who it is, what it does, and where.
fn label(view: &ThreadView) -> String {
    let innermost = view.stack.first().and_then(|frames| frames.split(", inlined into ").next());
    let place = innermost.and_then(|frame| frame.rsplit_once(" at ")).map(|(_, place)| place);
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    format!("{} {}: {}{place}", view.id, view.name, view.state)
}

/// How many steps there are, with the verb.
fn count_have(steps: u64) -> String {
    format!("{} {}", count(steps, "step"), if steps == 1 { "has" } else { "have" })
}

/// Whether every thread of a process is stopped by whoever traces it.
fn is_held(pid: Pid) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    let is_stopped = |stat: String| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('t'));
    threads.flatten().all(|thread| fs::read_to_string(thread.path().join("stat")).is_ok_and(is_stopped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::samples::thread;

    #[test]
    fn threads_are_named_by_what_they_do() {
        let left = thread(1, "left", "waits to lock b, held by thread 2", "left at ab.c:8");
        assert_eq!(label(&left), "1 left: waits to lock b, held by thread 2 (ab.c:8)");
        let inlined = thread(1, "left", "running", "add at ab.c:3, inlined into left at ab.c:8");
        assert_eq!(label(&inlined), "1 left: running (ab.c:3)");
        assert_eq!(label(&ThreadView { stack: Vec::new(), ..thread(2, "right", "ended", "") }), "2 right: ended");
    }

    #[test]
    fn this_process_is_not_held() {
        assert!(!is_held(nix::unistd::getpid()));
        assert_eq!([count_have(1), count_have(2)], ["1 step has", "2 steps have"]);
    }
}
