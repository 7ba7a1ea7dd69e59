//! Having the program begin a run: one that is asked for, or one that is likely to be.

use super::Target;
use crate::backend::watchdog::Life;
use crate::backend::{BackendError, Guess, Limits, RunRequest, mailbox};
use crate::launch::Process;
use rscale_protocol::arena::{Command, Isolation, MAX_STEPS, Reply, store_set};
use std::sync::atomic::Ordering::Relaxed;

impl Target {
    /// Whether the program is to begin a run before it is asked for: it can, and guesses are mostly right.
    pub fn dares_ahead(&mut self) -> bool {
        self.can_run_ahead() && self.ahead.dares()
    }

    /// Whether the program can begin a run before it is asked for.
    pub fn can_run_ahead(&mut self) -> bool {
        let is_restored = self.launch.isolation == Isolation::Snapshot && !self.launch.shares_processor;
        let is_ready = self.has_run && self.gave_up.is_none() && !self.is_fresh_process_needed();
        is_restored && is_ready && !self.ahead.is_under_way()
    }

    /// Has the program begin a run that is likely to be asked for next. The result of the last one is gone then, but
    /// for what was read of it.
    pub fn run_ahead(&mut self, request: &RunRequest<'_>, guess: Guess) {
        if request.prefix.len() <= MAX_STEPS {
            self.ahead.begin(request, guess);
            self.begin(request);
        }
    }

    /// Waits for the end of a run that nobody has asked for.
    ///
    /// # Errors
    /// As for a run.
    pub fn give_up_ahead(&mut self) -> Result<(), BackendError> {
        while self.ahead.is_under_way() {
            match self.wait()? {
                Some(Reply::LogFull) => mailbox::send(&self.arena, Command::Continue),
                Some(_) => self.ahead.give_up(),
                None => self.restart()?,
            }
        }
        Ok(())
    }

    /// What the program shows of its being alive.
    pub(super) fn life(&self) -> Life {
        let mailbox = &self.arena.mailbox;
        let evaluator = self.arena.evaluation.process.load(Relaxed) as i32;
        Life { steps: mailbox.heartbeat.load(Relaxed), heap: mailbox.heap.mebibytes.load(Relaxed), evaluator }
    }

    /// When it counts as hanging from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The most that there is of the heap, if an execution has asked for more.
    #[must_use]
    pub fn heap_limit_met(&self) -> Option<u64> {
        let limit = self.arena.mailbox.heap.refused_beyond.load(Relaxed);
        (limit != 0).then_some(limit)
    }

    /// Has the program begin a run.
    pub(super) fn begin(&mut self, request: &RunRequest<'_>) {
        let program = self.process.as_ref().map(Process::pid);
        if self.seat.as_mut().is_some_and(|seat| seat.look(program)) {
            self.note_seat();
        }
        let arguments = &self.arena.request;
        arguments.prefix_length.store(request.prefix.len() as u32, Relaxed);
        for (word, token) in self.arena.prefix.iter().zip(request.prefix) {
            // Most of the schedule is there already: what is not written needs no way between the processors.
            if word.load(Relaxed) != token.to_code() {
                word.store(token.to_code(), Relaxed);
            }
        }
        arguments.goes_on.store(u32::from(request.goes_on && request.new_steps.is_none()), Relaxed);
        let returns = request.comes_back_to.steps();
        arguments.comes_back_to.iter().zip(returns).for_each(|(word, step)| word.store(step, Relaxed));
        arguments.new_steps.store(request.new_steps.unwrap_or(u64::MAX), Relaxed);
        arguments.step_budget.store(request.step_budget, Relaxed);
        arguments.spurious.store(request.spurious, Relaxed);
        arguments.policy.store(request.order.policy as u32, Relaxed);
        arguments.seed.store(request.order.seed, Relaxed);
        arguments.quiet.store(request.order.quiet.to_code(), Relaxed);
        arguments.changes.iter().zip(request.order.changes).for_each(|(word, step)| word.store(step, Relaxed));
        store_set(&arguments.sleep, request.sleep);
        arguments.sleeps_early.store(u32::from(request.order.sleeps_early), Relaxed);
        self.arena.mailbox.heartbeat.store(0, Relaxed);
        for length in [&self.arena.result.text_length, &self.arena.result.output_length] {
            if length.load(Relaxed) != 0 {
                length.store(0, Relaxed);
            }
        }
        self.has_run = true;
        self.taken = 0;
        self.run += 1;
        self.arena.result.kept.store(0, Relaxed);
        mailbox::send(&self.arena, Command::Run);
    }
}
