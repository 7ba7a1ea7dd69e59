//! Waiting for the program, and collecting what it says: the log of an execution, and how it ended.
//!
//! A program that says nothing any more is no reason to wait for ever: it may have ended, it may hang, or there may be
//! no time, no memory or nobody left to wait for it. What is known of its execution is collected all the same.

use super::{Target, nonsense};
use crate::backend::result::read_end;
use crate::backend::watchdog::{Hang, Watchdog};
use crate::backend::{BackendError, Block, RunEnd, StepLog, is_too_much_in_use, mailbox, terminate};
use crate::interrupt;
use crate::launch::Process;
use nix::sys::signal::{Signal, kill};
use rscale_protocol::arena::{Command, LOG_CAPACITY, Reply};
use rscale_protocol::{Ending, ThreadId, ThreadSet};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// How long to sleep between two looks at the program.
const LOOK: Duration = Duration::from_millis(50);
/// Looks until it counts as hanging, at least.
const LOOKS: u32 = 4;

impl Target {
    /// Waits for the next reply; None if the process has ended or hangs instead.
    pub(super) fn wait(&mut self) -> Result<Option<Reply>, BackendError> {
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
    pub(super) fn command(&mut self, command: Command, log: &mut StepLog) -> Result<RunEnd, BackendError> {
        mailbox::send(&self.arena, command);
        self.collect(log)
    }

    /// Collects the log until the execution ends or pauses.
    pub(super) fn collect(&mut self, log: &mut StepLog) -> Result<RunEnd, BackendError> {
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
    pub(super) fn query(&mut self, command: Command) -> Result<(), BackendError> {
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
}

fn ending_of(status: ExitStatus) -> (Ending, u64) {
    match (status.code(), status.signal()) {
        (Some(code), _) => (Ending::Exit, code as u64),
        (None, Some(libc::SIGABRT)) => (Ending::Abort, libc::SIGABRT as u64),
        (None, Some(signal)) => (Ending::Killed, signal as u64),
        (None, None) => (Ending::Killed, 0),
    }
}
