//! A program that can not go on as it was started is started again in another way: with more threads, larger stacks, or
//! executions that are kept apart better.

use super::Host;
use crate::backend::RunEnd;
use crate::exit::Failure;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use rscale_protocol::arena::{Engine, Isolation, MOST_STACK, STACK_GUARD};
use rscale_protocol::{Ending, MAX_THREADS};

/// Threads that the shim is prepared for at first.
pub const FEW_THREADS: u32 = 12;
/// Stacks are at least this large, beside what guards them.
const SMALL_STACK: u64 = 8 << 20;
/// Where there is no limit; and the most that is given without being asked for.
const UNLIMITED_STACK: u64 = 64 << 20;
const LARGE_STACK: u64 = 1 << 30;
/// What the shim asks for beside [`Ending::NeedIsolation`].
const NEEDS_EARLY_START: u64 = 1;
const NEEDS_CHILDREN: u64 = 2;

/// The size of stacks before a thread asks for more: what the limit of the process says.
pub fn usual_stack() -> u64 {
    let limit = match getrlimit(Resource::RLIMIT_STACK) {
        Ok((RLIM_INFINITY, _)) | Err(_) => UNLIMITED_STACK,
        Ok((limit, _)) => limit,
    };
    limit.clamp(SMALL_STACK, LARGE_STACK).next_multiple_of(STACK_GUARD) + STACK_GUARD
}

/// About what rscale does not control.
const WHAT_TO_DO: &str = "rscale can not control that: leave it out of what you test";

impl Host {
    /// Starts the program again in another way if the execution could not go on. Returns whether it did.
    pub(super) fn adapt(&mut self, end: &RunEnd) -> Result<bool, Failure> {
        match end.ending {
            Ending::NeedThreads => self.enlarge_pool(end.value)?,
            Ending::NeedStack => self.enlarge_stacks(end.value)?,
            Ending::NeedIsolation => self.isolate(end)?,
            Ending::BadInvariant => return Err(self.bad_invariant(end)),
            Ending::Unsupported => return Err(Failure::CannotRun(format!("the program {}; {WHAT_TO_DO}", end.text))),
            Ending::Hang if self.waits_unseen(end) => {
                return Err(Failure::CannotRun(format!(
                    "a thread of the program waits in a system call while others can go on, and programs that start \
                     others run without the system-call filter; {WHAT_TO_DO}"
                )));
            }
            Ending::Internal => {
                return Err(Failure::CannotRun(format!("rscale failed inside the program: {}", end.text)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether a thread waits in a system call that would be a scheduling point if the filter showed it: it is no hang
    /// where another thread can do what it waits for.
    fn waits_unseen(&self, end: &RunEnd) -> bool {
        let launch = self.target().launch();
        let is_asleep = end.value != 0;
        let can_go_on = end.enabled.iter().any(|threads| threads.iter().any(|thread| thread != end.thread));
        is_asleep && can_go_on && launch.engine == Engine::Fibers && !launch.watch_syscalls
    }

    fn enlarge_pool(&mut self, needed: u64) -> Result<(), Failure> {
        let pool = needed.next_power_of_two().clamp(2, MAX_THREADS as u64) as u32;
        if pool <= self.target().launch().thread_pool {
            return Err(Failure::CannotRun(format!("the program creates more than {} threads", MAX_THREADS - 1)));
        }
        self.relaunch(|launch| launch.thread_pool = pool)
    }

    fn enlarge_stacks(&mut self, needed: u64) -> Result<(), Failure> {
        let size = needed.clamp(SMALL_STACK, MOST_STACK).next_multiple_of(STACK_GUARD);
        if size <= self.target().launch().stack_size {
            return Err(Failure::CannotRun(format!("the program wants a stack of {needed} bytes for a thread")));
        }
        self.relaunch(|launch| launch.stack_size = size)
    }

    fn isolate(&mut self, end: &RunEnd) -> Result<(), Failure> {
        let current = self.target().launch().clone();
        if end.value == NEEDS_EARLY_START && !current.before_constructors {
            self.notes.push(format!("{}: every execution begins before the constructors", end.text));
            return self.relaunch(|launch| launch.before_constructors = true);
        }
        let next = match (end.value, current.isolation) {
            (NEEDS_CHILDREN, _) if current.watch_syscalls => Isolation::Exec,
            (_, Isolation::Snapshot) => Isolation::Fork,
            (_, Isolation::Fork) => Isolation::Exec,
            (_, Isolation::Exec) => {
                return Err(Failure::CannotRun(format!("the program {}, which rscale can not keep apart", end.text)));
            }
        };
        let name = crate::summary::isolation_name(next);
        self.notes.push(format!("the program {}: executions are kept apart with --isolation {name}", end.text));
        let watch = end.value != NEEDS_CHILDREN;
        if !watch {
            self.notes.push(
                "programs that start others run without the system-call filter: what they do beside the wrapped \
                 functions (blocking calls, timers, signals) is not under control"
                    .into(),
            );
        }
        self.relaunch(|launch| {
            launch.isolation = next;
            launch.watch_syscalls = watch;
        })
    }
}
