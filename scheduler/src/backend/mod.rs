//! The backend: the thin layer that hides the communication with the program (SCALE, section 5.3.1).
//!
//! SCALE's functions are all here: `init` ([`Target::wake`]), `exit`, `restart`, `step_thread`, `back_trace` and
//! `eval_function`; beside them `run`, which does a whole execution in one round trip.

mod ahead;
mod debugging;
mod log;
mod mailbox;
mod memory;
mod process_stat;
mod result;
mod returns;
mod seat;
mod target;
mod terminate;
mod usage;
mod watchdog;

pub use ahead::Guess;
pub use debugging::Debugged;
pub use log::StepLog;
pub use memory::Memory;
pub use result::{Block, RunEnd, ThreadState};
pub use returns::Returns;
pub use seat::Seat;
pub use target::Target;
pub use usage::is_too_much_in_use;
pub use watchdog::Limits;

use crate::launch::LaunchError;
use rscale_protocol::arena::{Beyond, Token};
use rscale_protocol::{Action, Callee, ThreadSet};

/// One execution to run.
#[derive(Clone, Debug)]
pub struct RunRequest<'a> {
    /// The schedule to follow from the initial state.
    pub prefix: &'a [Token],
    /// How many steps to take beyond it; None to run to the end.
    pub new_steps: Option<u64>,
    /// Threads not to schedule beyond the prefix until something dependent happens.
    pub sleep: ThreadSet,
    /// Steps that an execution may have.
    pub step_budget: u64,
    /// Spurious wake-ups that an execution may have.
    pub spurious: u64,
    /// How threads are chosen beyond the prefix.
    pub order: Beyond,
    /// Whether it may go on from a state that an earlier execution went through, instead of from the start.
    pub goes_on: bool,
    /// Later ones are going to share so many of its first steps.
    pub comes_back_to: Returns,
}

/// Why an execution could not be run.
#[derive(Debug)]
pub enum BackendError {
    /// The program could not be started.
    Launch(LaunchError),
    /// The two processes do not understand each other.
    Protocol(String),
    /// The user interrupted rscale.
    Interrupted,
    /// The time that the user gave is over.
    OutOfTime,
    /// More memory is used than the user allows.
    OutOfMemory,
}

impl std::fmt::Display for BackendError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BackendError::Launch(error) => error.fmt(f),
            BackendError::Protocol(what) => {
                write!(f, "the program's side of rscale does not answer as it should: {what}")
            }
            BackendError::Interrupted => write!(f, "interrupted"),
            BackendError::OutOfTime => write!(f, "the time limit is over"),
            BackendError::OutOfMemory => write!(f, "the memory limit is reached"),
        }
    }
}

impl std::error::Error for BackendError {}

impl From<LaunchError> for BackendError {
    fn from(error: LaunchError) -> BackendError {
        BackendError::Launch(error)
    }
}

/// A machine that runs the program step by step.
pub trait Backend {
    /// Runs an execution from the initial state; `log` receives its steps.
    ///
    /// # Errors
    /// Where the program can not be run; its own failures are ordinary ends.
    fn run(&mut self, request: &RunRequest<'_>, log: &mut StepLog) -> Result<RunEnd, BackendError>;

    /// Takes one step from the state that the execution is paused in; `log` receives it.
    ///
    /// # Errors
    /// As [`Backend::run`].
    fn step_thread(&mut self, token: Token, log: &mut StepLog) -> Result<RunEnd, BackendError>;

    /// Where every thread stands.
    fn threads(&self) -> Vec<ThreadState>;

    /// The stores that can become visible next.
    fn flushes(&self) -> Vec<Action>;

    /// Where every thread stands in the state that the execution is in, so that its stack can be walked.
    ///
    /// # Errors
    /// As [`Backend::run`].
    fn back_trace(&mut self) -> Result<Vec<ThreadState>, BackendError>;

    /// Calls a function of the program in the state that the execution is in, without changing it;
    /// the reason why that can not be done, otherwise.
    ///
    /// # Errors
    /// As [`Backend::run`].
    fn eval_function(&mut self, callee: Callee) -> Result<Result<i32, String>, BackendError>;
}
