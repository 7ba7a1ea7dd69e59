//! The program under control: one process, its arena, its captured output.

mod collecting;
mod running;
mod starting;

use super::ahead::Ahead;
use super::process_stat::ProcessStat;
use super::result::{read_flushes, read_threads};
use super::seat::Seat;
use super::watchdog::Hang;
use super::{Backend, BackendError, Limits, Memory, RunEnd, RunRequest, StepLog, ThreadState, mailbox};
use crate::explore::Locations;
use crate::launch::{ArenaMap, Captured, Function, Launch, LaunchError, Process, Regions, Shim};
use nix::unistd::Pid;
use rscale_protocol::arena::{Command, Isolation, MAX_STEPS, Progress, Token};
use rscale_protocol::{Action, Callee};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

/// Targets so far.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// The program under control.
pub struct Target {
    launch: Launch,
    limits: Limits,
    /// The same while it starts, and while it ends an execution that hangs.
    patience: Limits,
    shim: Shim,
    regions: Regions,
    arena: ArenaMap,
    output: [Captured; 2],
    process: Option<Process>,
    /// What was mapped into the first process.
    first_mapped: String,
    seen: u32,
    /// Whether the process has been told to run an execution.
    has_run: bool,
    waiting: mailbox::Waiting,
    /// Steps of the execution that have been read.
    taken: usize,
    /// The number of the execution, unlike those of all other targets.
    run: u64,
    hang: Option<Hang>,
    deadline: Option<Instant>,
    /// How much memory rscale and all that it has started may use.
    memory_limit: Option<u64>,
    gave_up: Option<RunEnd>,
    /// A run that nobody has asked for yet.
    ahead: Ahead,
    /// The processors that the program and the calling thread stay on, if they do.
    seat: Option<Seat>,
}

/// The other process wrote a result that is none.
fn nonsense() -> BackendError {
    BackendError::Protocol("the result makes no sense".into())
}

impl Target {
    /// The program as it is going to be started: before its first run, if nobody does it earlier.
    ///
    /// # Errors
    /// Where what it needs can not be made.
    pub fn dormant(launch: Launch, limits: Limits) -> Result<Target, BackendError> {
        let resource = |what| move |error| LaunchError::Resource(what, error);
        Ok(Target {
            launch: Launch { processors: None, shares_processor: false, ..launch },
            limits,
            patience: limits,
            shim: Shim::unpack().map_err(resource("unpack the shim"))?,
            regions: Regions::new().map_err(resource("make memory for instrumented code"))?,
            arena: ArenaMap::new().map_err(resource("make shared memory"))?,
            output: [
                Captured::new().map_err(resource("capture standard output"))?,
                Captured::new().map_err(resource("capture standard error"))?,
            ],
            process: None,
            first_mapped: String::new(),
            seen: 0,
            has_run: false,
            waiting: mailbox::Waiting::default(),
            taken: 0,
            run: u64::from(STARTED.fetch_add(1, Relaxed)) << 32,
            hang: None,
            deadline: None,
            memory_limit: None,
            gave_up: None,
            ahead: Ahead::default(),
            seat: None,
        })
    }

    /// Starts the program; it stops before its first step.
    ///
    /// # Errors
    /// Where it can not be started.
    pub fn wake(&mut self) -> Result<(), BackendError> {
        self.restart()
    }

    /// Has the calling thread and the process stay on processors of their own, or on one that they hand over to each
    /// other, or run anywhere again.
    pub fn sit(&mut self, seat: Option<Seat>) {
        let program = self.process.as_ref().map(Process::pid);
        if let Some(seat) = std::mem::replace(&mut self.seat, seat) {
            seat.leave(program);
        }
        self.note_seat();
    }

    /// Both sides know on which processors they are, and whether they share one.
    fn note_seat(&mut self) {
        self.launch.processors = self.seat.as_ref().map(Seat::all);
        self.launch.shares_processor = self.seat.as_ref().is_some_and(Seat::is_shared);
        self.launch.write_processors(&self.arena);
    }

    /// Whether search and program, with a processor each, do not get much of them.
    #[must_use]
    pub fn is_disturbed(&self) -> bool {
        self.seat.as_ref().is_some_and(Seat::is_disturbed)
    }

    /// Gives up an execution that is not over at this time.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Gives up an execution in which more memory is used than that.
    pub fn set_memory_limit(&mut self, limit: Option<u64>) {
        self.memory_limit = limit;
    }

    /// Makes these locations scheduling points from the next execution on; invariants read the observed ones.
    pub fn set_locations(&mut self, locations: &Locations, observed: &Locations) {
        let request = &self.arena.request;
        for (all, places) in [(locations, &self.arena.locations), (observed, &self.arena.observed)] {
            all.iter().zip(places).for_each(|((start, length), place)| place.store(start, length));
        }
        request.locations.store(locations.len() as u32, Relaxed);
        request.observed.store(observed.len() as u32, Relaxed);
        request.locations_version.fetch_add(1, Relaxed);
    }

    /// The instrumented copies of the program's code.
    #[must_use]
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// How the program was started.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Starts the program again, in another way. Thread numbers are kept: they name creation paths.
    ///
    /// # Errors
    /// Where it can not be started.
    pub fn relaunch(&mut self, change: impl FnOnce(&mut Launch)) -> Result<(), BackendError> {
        change(&mut self.launch);
        self.restart()
    }

    /// What a function of the program returns in the state that the execution is in; the reason why that can not be
    /// told, otherwise.
    ///
    /// # Errors
    /// As [`Backend::run`].
    pub fn evaluate(&mut self, function: &Function) -> Result<Result<i32, String>, BackendError> {
        let callee = function.callee_in(self.memory().pid().as_raw());
        let Ok(callee) = callee else { return Ok(Err("can not be evaluated: the program has ended".into())) };
        self.eval_function(callee)
    }

    fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    /// The process that runs the execution: the program itself, or a fork of it, which the arena names. The program may
    /// have written anything there, and signals are sent to this process: only a child of the program is believed.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let nobody = Pid::from_raw(0);
        let program = self.process.as_ref().map_or(nobody, Process::pid);
        let named = Pid::from_raw(self.arena.setup.pid.load(Relaxed) as i32);
        let is_fork = || ProcessStat::of(named).is_some_and(|stat| stat.parent == program && program != nobody);
        Memory::of(if named != program && is_fork() { named } else { program })
    }

    /// Whether the process that has run the execution is still there, so that what was read of it is true.
    #[must_use]
    pub fn is_there(&self) -> bool {
        let named = Pid::from_raw(self.arena.setup.pid.load(Relaxed) as i32);
        self.memory().pid() == named && ProcessStat::of(named).is_some_and(|stat| !stat.has_ended)
    }

    /// The arena, for what is not part of the hot path.
    #[must_use]
    pub fn arena(&self) -> &ArenaMap {
        &self.arena
    }

    /// Standard output and error of the last execution.
    #[must_use]
    pub fn output(&self) -> [Vec<u8>; 2] {
        // What went through the arena came first: nothing had been written to the file then.
        let mut printed: Vec<u8> = self.arena.output().collect();
        printed.append(&mut self.output[0].contents());
        [printed, self.output[1].contents()]
    }

    /// The shim as a file that this process can read.
    #[must_use]
    pub fn shim_path(&self) -> String {
        format!("/proc/self/fd/{}", self.shim.descriptor().as_raw_fd())
    }

    fn is_fresh_process_needed(&mut self) -> bool {
        let used = self.launch.isolation == Isolation::Exec && self.has_run;
        // Whether the process still lives is not asked here: that is a system call, and a run that meets a dead process
        // finds out.
        used || self.hang.is_some() || self.process().is_none_or(|process| process.is_known_to_have_ended())
    }
}

impl Backend for Target {
    fn run(&mut self, request: &RunRequest<'_>, log: &mut StepLog) -> Result<RunEnd, BackendError> {
        log.clear();
        if self.ahead.take_over(request) {
            return self.collect(log);
        }
        self.give_up_ahead()?;
        if request.prefix.len() > MAX_STEPS {
            return Err(BackendError::Protocol("the schedule is longer than rscale can follow".into()));
        }
        if self.is_fresh_process_needed() {
            self.restart()?;
        }
        if let Some(end) = self.gave_up.take() {
            return Ok(end);
        }
        self.begin(request);
        self.collect(log)
    }

    fn step_thread(&mut self, token: Token, log: &mut StepLog) -> Result<RunEnd, BackendError> {
        log.clear();
        self.arena.request.thread.store(token.thread.0.into(), Relaxed);
        self.arena.request.choice.store(token.choice as u32, Relaxed);
        self.command(Command::Step, log)
    }

    fn threads(&self) -> Vec<ThreadState> {
        read_threads(&self.arena)
    }

    fn flushes(&self) -> Vec<Action> {
        read_flushes(&self.arena)
    }

    fn back_trace(&mut self) -> Result<Vec<ThreadState>, BackendError> {
        self.query(Command::GetCurrentBackTrace)?;
        Ok(self.threads())
    }

    fn eval_function(&mut self, callee: Callee) -> Result<Result<i32, String>, BackendError> {
        self.arena.request.function.store(callee.to_code(), Relaxed);
        self.query(Command::EvaluateFunctionCall)?;
        let evaluation = &self.arena.evaluation;
        if evaluation.progress.load(Relaxed) == Progress::Returned as u32 {
            return Ok(Ok(evaluation.value.load(Relaxed) as i32));
        }
        Ok(Err(String::from_utf8_lossy(&self.arena.text().collect::<Vec<u8>>()).into_owned()))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            process.kill();
        }
    }
}
