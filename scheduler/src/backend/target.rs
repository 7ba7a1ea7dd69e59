//! The program under control: one process, its arena, its captured output.

mod running;
mod starting;

use super::ahead::Ahead;
use super::process_stat::ProcessStat;
use super::result::{read_end, read_flushes, read_threads};
use super::seat::Seat;
use super::terminate;
use super::watchdog::{Hang, Watchdog};
use super::{
    Backend, BackendError, Block, Limits, Memory, RunEnd, RunRequest, StepLog, ThreadState, is_too_much_in_use, mailbox,
};
use crate::explore::Locations;
use crate::interrupt;
use crate::launch::{ArenaMap, Captured, Function, Launch, LaunchError, Process, Regions, Shim};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rscale_protocol::arena::{Command, Isolation, LOG_CAPACITY, MAX_STEPS, Progress, Reply, Token};
use rscale_protocol::{Action, Callee, Ending, ThreadId, ThreadSet};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long to sleep between two looks at the program.
const LOOK: Duration = Duration::from_millis(50);
/// Looks until it counts as hanging, at least.
const LOOKS: u32 = 4;

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

    /// Waits for the next reply; None if the process has ended or hangs instead.
    fn wait(&mut self) -> Result<Option<Reply>, BackendError> {
        let mut watchdog: Option<Watchdog> = None;
        loop {
            let limits = if self.has_run && self.hang.is_none() { self.limits } else { self.patience };
            if self.waiting.wait_for_reply(&self.arena, self.seen, LOOK.min(limits.shortest() / LOOKS)) {
                self.seen = self.seen.wrapping_add(1);
                let reply = Reply::from_code(self.arena.mailbox.reply.load(Relaxed));
                return reply.map(Some).ok_or_else(|| BackendError::Protocol("unknown reply".into()));
            }
            if interrupt::requested() {
                return Err(BackendError::Interrupted);
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(BackendError::OutOfTime);
            }
            if is_too_much_in_use(self.memory_limit) {
                return Err(BackendError::OutOfMemory);
            }
            if self.process().is_none_or(|process| process.ended().is_some()) {
                return Ok(None);
            }
            let (pid, life) = (self.memory().pid(), self.life());
            match watchdog.get_or_insert_with(|| Watchdog::new(limits, pid, life)).look(pid, life) {
                Some(hang) if self.hang.is_none() => {
                    // The shim ends the execution where it is; if not even that helps, the process is given up.
                    self.hang = Some(hang);
                    let _ = kill(pid, Signal::SIGSTKFLT); // it may just have ended
                    watchdog = None;
                }
                Some(_) => return Ok(None),
                None => continue,
            }
        }
    }

    /// Gives a command and collects the log until the execution ends or pauses.
    fn command(&mut self, command: Command, log: &mut StepLog) -> Result<RunEnd, BackendError> {
        mailbox::send(&self.arena, command);
        self.collect(log)
    }

    /// Collects the log until the execution ends or pauses.
    fn collect(&mut self, log: &mut StepLog) -> Result<RunEnd, BackendError> {
        loop {
            match self.wait()? {
                Some(Reply::LogFull) => {
                    self.take_log(LOG_CAPACITY, log)?;
                    mailbox::send(&self.arena, Command::Continue);
                }
                Some(_) => {
                    self.take_log(self.arena.result.logged.load(Relaxed) as usize, log)?;
                    let mut end = read_end(&self.arena).ok_or_else(nonsense)?;
                    self.explain_abort(&mut end);
                    if let Some(hang) = self.hang.take()
                        && end.ending == Ending::Hang
                    {
                        end.value = u64::from(hang == Hang::Asleep);
                    }
                    return Ok(end);
                }
                None => return self.lost(log),
            }
        }
    }

    /// An abort says nothing of its reason; the runtime of C++ has.
    fn explain_abort(&self, end: &mut RunEnd) {
        if end.ending == Ending::Abort && end.text.is_empty() {
            end.text = terminate::reason(&self.output[1].contents()).unwrap_or_default();
        }
    }

    /// Asks about the state that the execution is in.
    fn query(&mut self, command: Command) -> Result<(), BackendError> {
        debug_assert!(!self.ahead.is_under_way(), "the state is gone");
        mailbox::send(&self.arena, command);
        match self.wait()? {
            Some(Reply::Answer) => Ok(()),
            _ => Err(BackendError::Protocol("there is no state to be asked about".into())),
        }
    }

    fn take_log(&mut self, count: usize, log: &mut StepLog) -> Result<(), BackendError> {
        let first = if self.taken == 0 { log.keep(self.run, self.arena.result.kept.load(Relaxed) as usize) } else { 0 };
        let sensible = log.read(&self.arena, first, count);
        self.taken += count;
        sensible.then_some(()).ok_or_else(|| BackendError::Protocol("the log makes no sense".into()))
    }

    /// The program hangs, or has ended without saying so: what is known of the execution is its log.
    fn lost(&mut self, log: &mut StepLog) -> Result<RunEnd, BackendError> {
        let steps = self.arena.mailbox.heartbeat.load(Relaxed) as usize;
        self.take_log(steps.saturating_sub(self.taken), log)?;
        let (ending, value) = match (self.hang, self.process().and_then(Process::ended)) {
            (Some(hang), _) => (Ending::Hang, u64::from(hang == Hang::Asleep)),
            // Under the filter a program can not end its process: the shim did, because it could not go on.
            (None, Some(status)) if self.launch.watch_syscalls && status.code().is_some() => {
                return Err(BackendError::Protocol(format!("the shim ended the process ({status})")));
            }
            (None, Some(status)) => ending_of(status),
            (None, None) => return Err(BackendError::Protocol("it neither answers nor ends".into())),
        };
        let text: Vec<u8> = self.arena.text().collect();
        let is_assertion = ending == Ending::Abort && !text.is_empty();
        let ending = if is_assertion { Ending::Assertion } else { ending };
        let text = String::from_utf8_lossy(&text).into_owned();
        let thread = log.last().map_or(ThreadId::MAIN, |step| step.action.thread);
        let enabled = [ThreadSet::EMPTY; 3];
        Ok(RunEnd {
            ending,
            value,
            address: 0,
            block: Block::default(),
            thread,
            enabled,
            live: ThreadSet::EMPTY,
            races: Vec::new(),
            reads: Vec::new(),
            text,
        })
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

fn ending_of(status: ExitStatus) -> (Ending, u64) {
    match (status.code(), status.signal()) {
        (Some(code), _) => (Ending::Exit, code as u64),
        (None, Some(libc::SIGABRT)) => (Ending::Abort, libc::SIGABRT as u64),
        (None, Some(signal)) => (Ending::Killed, signal as u64),
        (None, None) => (Ending::Killed, 0),
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
