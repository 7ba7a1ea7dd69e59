//! The program as a session sees it: a machine that runs schedules, whatever it takes.
//!
//! Some programs need more than the cheapest set-up: more threads, an earlier start, a process per execution. The host
//! notices what an execution asks for, starts the program again accordingly, and runs the schedule again.

mod adapting;
mod noting;
mod races;
mod stopping;

use super::admit;
use crate::backend::{Backend, BackendError, Guess, Limits, Returns, RunEnd, RunRequest, Seat, Target};
use crate::compile::Subject;
use crate::config::{Rules, Scope, Watched};
use crate::exit::Failure;
use crate::explain::Explainer;
use crate::explore::{Locations, Plan};
use crate::frontend::{Execution, Frontend};
use crate::launch::{Function, Instrumentation, Launch};
use crate::races::Detector;
use noting::Noted;
use rscale_instrument::elf::Program;
use rscale_protocol::arena::{Beyond, Engine, Isolation, LocalStates, Token};
use rscale_protocol::{Ending, ThreadSet};
use rscale_replay::trace::ThreadOrigin;
use std::ffi::OsString;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A program that sleeps in the kernel is given this many times the limit for computing.
const PATIENCE: u32 = 4;
/// How many times slower instrumented code may be before it counts as hanging.
const SLOWNESS: u32 = 4;
/// How often a schedule is tried if the process is lost on the way.
const ATTEMPTS: u32 = 3;

/// What to run, and what a schedule of it means.
pub struct Setting<'a> {
    /// The program.
    pub subject: &'a Subject,
    /// Its arguments.
    pub args: &'a [OsString],
    /// The rules.
    pub rules: &'a Rules,
    /// Which code is watched.
    pub watched: &'a Watched,
    /// What must hold in every state.
    pub invariants: Vec<Function>,
    /// Whether other functions are going to be evaluated.
    pub evaluates: bool,
    /// What its threads run on.
    pub engine: Engine,
    /// Of which steps the log says in what local state they left their thread.
    pub local_states: LocalStates,
}

/// The program under control.
pub struct Host {
    frontend: Frontend<Target>,
    rules: Rules,
    /// Looks for data races, if that is asked for.
    detector: Option<Box<Detector>>,
    notes: Vec<String>,
    noted: Noted,
    /// When the time that the user gave is over.
    deadline: Option<Instant>,
    /// When the time for what is done now is over, if that is earlier.
    limit: Option<Instant>,
    /// How often a schedule is tried if the process is lost on the way.
    attempts: u32,
}

impl Host {
    /// Starts the program.
    pub fn start(setting: &Setting<'_>, program: &Program) -> Result<Host, Failure> {
        Host::load(setting, program, false)
    }

    /// Loads the program, and starts it unless it is only to be seen what would be watched.
    pub fn load(setting: &Setting<'_>, program: &Program, only_load: bool) -> Result<Host, Failure> {
        let &Setting { subject, args, rules, watched, engine, .. } = setting;
        let is_instrumented = rules.scope == Scope::All || !setting.invariants.is_empty();
        let launch = Launch {
            executable: subject.executable.clone(),
            name: subject.given.clone().into_os_string(),
            args: args.to_vec(),
            isolation: if engine == Engine::Fibers { rules.isolation } else { Isolation::Exec },
            engine,
            thread_pool: adapting::FEW_THREADS,
            stack_size: adapting::usual_stack(),
            // Kernel threads wait for each other in system calls, and end with the process.
            watch_syscalls: engine == Engine::Fibers,
            unwinder: admit::needs_unwinder(program),
            sends_signals: admit::sends_signals(program),
            leaks: rules.leaks,
            before_constructors: false,
            schedules_waiting: rules.schedules_waiting,
            local_states: setting.local_states,
            // What invariants read is known of instrumented code only: then they need not be evaluated in every state.
            instrumentation: is_instrumented.then(|| instrumentation(subject, watched)),
            watches: rules.scope == Scope::All,
            races: rules.races,
            invariants: setting.invariants.clone(),
            evaluates: setting.evaluates || !setting.invariants.is_empty(),
            evaluation_limit: rules.hang_limit,
            only_load,
            debugger: None,
            memory: rules.memory,
            buffer: rules.buffer,
            seed: rules.seed,
            processors: None,
            shares_processor: false,
        };
        Host::like(launch, rules)
    }

    /// Starts the program as it was started before.
    pub fn like(launch: Launch, rules: &Rules) -> Result<Host, Failure> {
        let mut host = Host::dormant(launch, rules)?;
        host.frontend.backend_mut().wake().map_err(failure)?;
        Ok(host)
    }

    /// The same, but the program is started when it is needed.
    pub fn dormant(launch: Launch, rules: &Rules) -> Result<Host, Failure> {
        let limits = limits(&launch, rules);
        let target = Target::dormant(launch, limits).map_err(failure)?;
        Ok(Host {
            frontend: Frontend::new(target),
            rules: *rules,
            detector: rules.races.then(Box::default),
            notes: Vec::new(),
            noted: Noted::default(),
            deadline: None,
            limit: None,
            attempts: ATTEMPTS,
        })
    }

    /// Runs a schedule, and on to the end of the execution, as planned.
    pub fn run(&mut self, plan: Plan<'_>, execution: &mut Execution) -> Result<(), Failure> {
        self.run_as_needed(&self.planned(plan), execution)
    }

    /// Whether the program is to begin what is likely to be run next, once nobody looks at the last execution any more.
    pub fn dares_ahead(&mut self) -> bool {
        self.detector.is_none() && self.frontend.backend_mut().dares_ahead()
    }

    /// Whether the program can begin that.
    pub fn can_run_ahead(&mut self) -> bool {
        self.detector.is_none() && self.frontend.backend_mut().can_run_ahead()
    }

    /// Has the program begin that.
    pub fn run_ahead(&mut self, plan: Plan<'_>, guess: Guess) {
        let request = self.planned(plan);
        self.frontend.backend_mut().run_ahead(&request, guess);
    }

    /// Waits for the end of what the program has begun in this way: nobody will ask for it.
    pub fn give_up_ahead(&mut self) -> Result<(), Failure> {
        self.frontend.backend_mut().give_up_ahead().map_err(failure)
    }

    fn planned<'a>(&self, plan: Plan<'a>) -> RunRequest<'a> {
        let Plan { schedule, order, sleep, goes_on, comes_back_to } = plan;
        RunRequest { order, sleep, goes_on, comes_back_to, ..self.request(schedule) }
    }

    fn request<'a>(&self, schedule: &'a [Token]) -> RunRequest<'a> {
        RunRequest {
            prefix: schedule,
            new_steps: None,
            sleep: ThreadSet::EMPTY,
            step_budget: self.rules.max_steps,
            spurious: self.rules.spurious,
            order: Beyond::FIXED,
            goes_on: false,
            comes_back_to: Returns::NONE,
        }
    }

    /// Runs a schedule, again and in another way for as long as the program asks for one.
    fn run_as_needed(&mut self, request: &RunRequest<'_>, execution: &mut Execution) -> Result<(), Failure> {
        let mut lost = 0;
        loop {
            self.frontend.run(request, execution).map_err(failure)?;
            self.name_invariant(execution);
            let Some(end) = &execution.end else { return Ok(()) };
            if end.is_lost() {
                lost += 1;
                if lost >= self.attempts {
                    return Ok(());
                }
            } else if !self.adapt(&end.clone())? {
                let status = (end.ending == Ending::Exit).then_some(end.value);
                self.note_oddities(status);
                return self.look_for_races(execution, Some(request));
            }
        }
    }

    fn invariant(&self, end: &RunEnd) -> Option<&Function> {
        self.target().launch().invariants.get(usize::try_from(end.value).ok()?)
    }

    /// The shim knows invariants by number.
    fn name_invariant(&self, execution: &mut Execution) {
        let label = execution.end.as_ref().and_then(|end| self.invariant(end)).map(Function::label);
        if let (Some(end), Some(label)) = (&mut execution.end, label)
            && end.ending == Ending::Invariant
        {
            end.text = label;
        }
    }

    fn bad_invariant(&self, end: &RunEnd) -> Failure {
        let label = self.invariant(end).map_or_else(String::new, Function::label);
        Failure::CannotRun(format!("the invariant {label} {}", end.text))
    }

    /// What a function returns in the state that the execution is in.
    pub fn evaluate(&mut self, function: &Function) -> Result<i32, Failure> {
        let answer = self.frontend.backend_mut().evaluate(function).map_err(failure)?;
        answer.map_err(|reason| Failure::CannotRun(format!("the function {} {reason}", function.label())))
    }

    /// Has every thread say where it stands, so that its stack can be walked.
    pub fn back_trace(&mut self) -> Result<(), Failure> {
        self.frontend.backend_mut().back_trace().map(|_| ()).map_err(failure)
    }

    fn relaunch(&mut self, change: impl FnOnce(&mut Launch)) -> Result<(), Failure> {
        if let Some(detector) = &mut self.detector {
            detector.forget();
        }
        self.frontend.backend_mut().relaunch(change).map_err(failure)
    }

    /// Makes these locations scheduling points; invariants read the observed ones.
    pub fn set_locations(&mut self, locations: &Locations, observed: &Locations) {
        self.frontend.backend_mut().set_locations(locations, observed);
    }

    /// Gives up an execution that is not over at this time.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.limit(None);
    }

    /// Gives up an execution in which rscale and all that it has started use more memory than that.
    pub fn set_memory_limit(&mut self, limit: Option<u64>) {
        self.frontend.backend_mut().set_memory_limit(limit);
    }

    /// Gives up executions at this time, too; None for no more than the deadline.
    pub fn limit(&mut self, limit: Option<Instant>) {
        self.limit = limit;
        let earliest = [self.deadline, limit].into_iter().flatten().min();
        self.frontend.backend_mut().set_deadline(earliest);
    }

    /// Whether the deadline or the limit has passed.
    pub fn is_out_of_time(&self) -> bool {
        [self.deadline, self.limit].into_iter().flatten().any(|time| Instant::now() >= time)
    }

    /// A fresh process, after an execution that was given up. If there is none, the next run says why.
    pub fn recover(&mut self) {
        let limit = self.limit;
        self.frontend.backend_mut().set_deadline(None);
        let _ = self.relaunch(|_| ());
        self.limit(limit);
    }

    /// Has this thread and the process run on certain processors, or anywhere again.
    pub fn sit(&mut self, seat: Option<Seat>) {
        self.frontend.backend_mut().sit(seat);
    }

    /// What is run from now on has hung before, or not.
    pub fn expect_hang(&mut self, expected: bool) {
        let limits = limits(self.target().launch(), &self.rules);
        self.frontend.backend_mut().set_limits(if expected { limits.once_more() } else { limits });
    }

    /// What is run from now on is run to find out something, and what comes of it will be run once more: what is lost
    /// is not tried again, and what takes much longer than usual hangs. None: everything is done with care again.
    pub fn hurry(&mut self, usual: Option<Duration>) {
        let limits = limits(self.target().launch(), &self.rules);
        self.attempts = if usual.is_some() { 1 } else { ATTEMPTS };
        self.frontend.backend_mut().set_limits(usual.map_or(limits, |usual| limits.once_more().hasty(usual)));
    }

    /// The process of the program.
    pub fn target(&self) -> &Target {
        self.frontend.backend()
    }

    /// Takes one step of a paused execution, and adds it to what is known of it.
    pub fn step(&mut self, token: Token, execution: &mut Execution) -> Result<(), Failure> {
        self.frontend.step_thread(token, execution).map_err(failure)?;
        self.name_invariant(execution);
        match &execution.end {
            Some(end) if end.ending == Ending::BadInvariant => Err(self.bad_invariant(end)),
            _ => Ok(()),
        }
    }

    /// How executions are kept apart.
    pub fn isolation(&self) -> Isolation {
        self.target().launch().isolation
    }

    /// Whether code has run that was loaded or made while the program ran, and is not watched.
    pub fn ran_unseen_code(&self) -> bool {
        self.target().arena().result.unseen_code.load(Relaxed) != 0
    }

    /// Another process of the program has run such code, or not.
    pub fn has_unseen_code(&mut self, unseen: bool) {
        if unseen {
            self.target().arena().result.unseen_code.store(1, Relaxed);
        }
    }

    /// What the user should know.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Standard output and error of the last execution.
    pub fn output(&self) -> [Vec<u8>; 2] {
        self.target().output()
    }

    /// Names and stacks of the process as it is now.
    pub fn explainer(&self) -> Explainer {
        Explainer::new(self.target())
    }

    /// The creation paths behind the thread numbers.
    pub fn thread_origins(&self) -> Vec<ThreadOrigin> {
        let paths = &self.target().arena().paths;
        let origin = |(index, path): (usize, u64)| {
            let parent = rscale_protocol::ThreadId::from_index(((path >> 32) as usize).checked_sub(1)?)?;
            let thread = rscale_protocol::ThreadId::from_index(index)?;
            Some(ThreadOrigin { thread, parent, child: path as u32 })
        };
        paths.iter().map(|path| path.path.load(Relaxed)).enumerate().filter_map(origin).collect()
    }

    /// Gives thread numbers to creation paths, before the first execution.
    pub fn set_thread_origins(&mut self, origins: &[ThreadOrigin]) {
        for origin in origins {
            let path = (u64::from(origin.parent.0) + 1) << 32 | u64::from(origin.child);
            if let Some(slot) = self.target().arena().paths.get(origin.thread.index()) {
                slot.path.store(path, Relaxed);
            }
        }
    }

    /// Takes all numbers back. Executions that go on from others must not follow.
    pub fn forget_threads(&mut self) {
        self.target().arena().paths.iter().for_each(|slot| slot.path.store(0, Relaxed));
    }
}

/// The program's own code, and what the user adds and takes out.
/// When the program counts as hanging: instrumented code takes its time.
fn limits(launch: &Launch, rules: &Rules) -> Limits {
    let slowness = if launch.instrumentation.is_some() { SLOWNESS } else { 1 };
    Limits { busy: rules.hang_limit * slowness, asleep: rules.hang_limit * PATIENCE }
}

fn instrumentation(subject: &Subject, watched: &Watched) -> Instrumentation {
    let mut files = vec![subject.executable.clone()];
    files.extend(watched.libraries.iter().cloned());
    Instrumentation { files, excluded: watched.excluded.clone() }
}

/// A failure of the machine, for the user.
fn failure(error: BackendError) -> Failure {
    match error {
        BackendError::Interrupted => Failure::Interrupted,
        BackendError::OutOfTime => Failure::OutOfTime,
        BackendError::OutOfMemory => Failure::OutOfMemory,
        other => Failure::CannotRun(other.to_string()),
    }
}
