//! Starting the program, up to the point where it waits for its first command.

use super::{Target, nonsense};
use crate::backend::result::read_end;
use crate::backend::{BackendError, mailbox};
use crate::launch::{LaunchError, Process, time_stamps};
use nix::unistd::Pid;
use rscale_protocol::arena::{Command, Reply};
use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::Ordering::Relaxed;

/// How often a process is started that is killed from outside before it is ready.
const ATTEMPTS: u32 = 4;
/// Status with which the shim refuses an arena of another layout.
const MISMATCH: i32 = 124;

impl Target {
    /// A fresh process for the next execution; another one if it is killed from outside before it is ready.
    pub(super) fn restart(&mut self) -> Result<(), BackendError> {
        for _ in 1..ATTEMPTS {
            match self.start_process() {
                Err(BackendError::Launch(LaunchError::Killed)) => {}
                Err(_) if self.was_killed() => {}
                started => return started,
            }
        }
        self.start_process()
    }

    fn start_process(&mut self) -> Result<(), BackendError> {
        self.process = None;
        self.hang = None;
        self.ahead.give_up();
        self.arena.sign();
        let mailbox = &self.arena.mailbox;
        mailbox.commands.store(0, Relaxed);
        mailbox.replies.0.store(0, Relaxed);
        mailbox.shim_sleeps.store(0, Relaxed);
        self.arena.evaluation.process.store(0, Relaxed);
        self.seen = 0;
        self.has_run = false;
        for output in &mut self.output {
            output.clear().map_err(|error| LaunchError::Resource("clear the captured output", error))?;
        }
        let process = Process::start(&self.launch, &self.shim, &self.arena, &self.regions, &self.output)?;
        let pid = process.pid();
        self.process = Some(process);
        self.seat.iter_mut().for_each(|seat| seat.welcome(pid));
        let mut reply = self.wait()?;
        // It asks again where it can not get at the regions as they were provided first.
        while let (Some(Reply::Loaded), Some(wanted)) = (reply, &self.launch.instrumentation) {
            match self.regions.provide(pid.as_raw(), wanted, &self.arena) {
                // Where it only serves to evaluate less often, it works without, too.
                Err(LaunchError::Instrument(_)) if !self.launch.watches => {}
                provided => provided?,
            }
            if self.launch.only_load {
                return Ok(());
            }
            mailbox::send(&self.arena, Command::Continue);
            reply = self.wait()?;
        }
        match reply {
            Some(Reply::Ready) => {
                if self.first_mapped.is_empty() {
                    self.first_mapped = mapped(pid);
                    let are_read = time_stamps::are_read(&self.first_mapped, &self.regions.ranges());
                    self.arena.setup.reads_time_stamps.store(are_read.into(), Relaxed);
                }
                self.announce_invariants(pid)
            }
            // It gave up before main: the next run reports why.
            Some(_) => {
                self.gave_up = Some(read_end(&self.arena).ok_or_else(nonsense)?);
                Ok(())
            }
            None => Err(self.ended_early()),
        }
    }

    /// What is mapped into the process, as the kernel tells it. Of one that is gone: what was mapped when the first one
    /// started, since all lie at the same addresses.
    #[must_use]
    pub fn mapped(&self) -> String {
        Some(mapped(self.memory().pid())).filter(|maps| !maps.is_empty()).unwrap_or_else(|| self.first_mapped.clone())
    }

    /// Tells the shim where the invariants are. What it remembers of them was about another process.
    fn announce_invariants(&mut self, pid: Pid) -> Result<(), BackendError> {
        let setup = &self.arena.setup;
        let planned = self.regions.planned();
        let sees_all = !planned.is_empty() && planned.iter().all(|planned| planned.gaps().is_empty());
        setup.sees_all.store(sees_all.into(), Relaxed);
        self.arena.remembered.clear();
        for (function, place) in self.launch.invariants.iter().zip(&setup.invariant_functions) {
            let callee = function.callee_in(pid.as_raw()).map_err(BackendError::Protocol)?;
            place.store(callee.to_code(), Relaxed);
        }
        setup.invariants.store(self.launch.invariants.len() as u32, Relaxed);
        Ok(())
    }

    /// Only others can do this: nothing of the program has run yet.
    fn was_killed(&mut self) -> bool {
        let status = self.process.as_mut().and_then(Process::ended);
        status.and_then(|status| status.signal()) == Some(libc::SIGKILL)
    }

    fn ended_early(&mut self) -> BackendError {
        let said = String::from_utf8_lossy(&self.output[1].contents()).trim().to_string();
        let status = self.process.as_mut().and_then(Process::ended);
        if status.and_then(|status| status.code()) == Some(MISMATCH) {
            return BackendError::Protocol(
                "shim and rscale were built from different sources; build rscale again".into(),
            );
        }
        if self.was_killed() {
            return LaunchError::Killed.into();
        }
        let how = status.map_or_else(|| "it hangs".to_string(), |status| status.to_string());
        let is_sanitizer = said.contains("Sanitizer") || said.contains("ASan runtime");
        let advice = if is_sanitizer { "; build it without -fsanitize for rscale" } else { "" };
        LaunchError::EndedEarly(if said.is_empty() { how } else { format!("{how}: {said}{advice}") }).into()
    }
}

fn mapped(pid: Pid) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default()
}
