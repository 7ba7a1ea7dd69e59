//! Starting the program with the shim inside.
//!
//! The program is started under ptrace, so that a failed exec is known for what it is, and stopped before its first
//! instruction; address-space randomisation is switched off. Then it is let go: every signal of a traced program would
//! cost tens of microseconds.

mod arena_map;
mod captured;
mod choice;
mod containers;
mod functions;
mod orphans;
mod processors;
mod region_cache;
mod regions;
mod settle;
mod shim;
mod spawn;
pub mod time_stamps;
mod tracee;

pub use arena_map::ArenaMap;
pub use captured::Captured;
pub use choice::belongs_to_program;
pub use containers::has_containers;
pub use functions::Function;
pub use processors::Processors;
pub use regions::{Instrumentation, Planned, Regions};
pub use shim::Shim;
pub use spawn::{Process, end_with_parent};

use rscale_protocol::MemoryModel;
use rscale_protocol::arena::{Engine, Isolation, LocalStates, PROCESSOR_WORDS, UNBOUNDED};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What to start and how.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The executable.
    pub executable: PathBuf,
    /// The name it is called by: what the user typed.
    pub name: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// How executions are kept apart.
    pub isolation: Isolation,
    /// What the threads of the program run on.
    pub engine: Engine,
    /// Threads to prepare for, the main thread included.
    pub thread_pool: u32,
    /// Bytes of each stack.
    pub stack_size: u64,
    /// Whether the shim watches system calls. It can not where the program starts other programs.
    pub watch_syscalls: bool,
    /// Whether threads may have to be unwound.
    pub unwinder: bool,
    /// Whether threads may send each other signals.
    pub sends_signals: bool,
    /// Whether memory that is not freed is an error.
    pub leaks: bool,
    /// Whether constructors of the program are part of an execution.
    pub before_constructors: bool,
    /// Whether threads that wait in a loop can be scheduled all the same.
    pub schedules_waiting: bool,
    /// Of which steps the log says in what local state they left their thread.
    pub local_states: LocalStates,
    /// What to instrument, so that memory accesses are seen.
    pub instrumentation: Option<Instrumentation>,
    /// Whether memory accesses can be scheduling points; if not, only what invariants read is looked at.
    pub watches: bool,
    /// Whether data races are looked for.
    pub races: bool,
    /// Functions that must return true in every state.
    pub invariants: Vec<Function>,
    /// Whether functions of the program are going to be evaluated, these or others.
    pub evaluates: bool,
    /// Processor time that an evaluation may take.
    pub evaluation_limit: Duration,
    /// Whether to load the program only, to see what would be watched: nothing of it runs.
    pub only_load: bool,
    /// The shim as a file, where a debugger is going to look at the program.
    pub debugger: Option<PathBuf>,
    /// When stores become visible.
    pub memory: MemoryModel,
    /// Stores that a buffer has room for; None for any number.
    pub buffer: Option<u32>,
    /// Seed of what the program takes for random.
    pub seed: u64,
    /// The processors that the program would have, where rscale has chosen one for it.
    pub processors: Option<Processors>,
    /// Whether the scheduler has the same one.
    pub shares_processor: bool,
}

/// Why the program could not be started.
#[derive(Debug)]
pub enum LaunchError {
    /// A resource that rscale needs could not be had.
    Resource(&'static str, std::io::Error),
    /// The program could not be executed.
    Exec(PathBuf, std::io::Error),
    /// The kernel does not let rscale trace its child.
    Ptrace(std::io::Error),
    /// Its code can not be instrumented.
    Instrument(String),
    /// The user chose code that is not there.
    Choice(String),
    /// The program ended before the shim was ready.
    EndedEarly(String),
    /// Someone else killed it before that.
    Killed,
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LaunchError::Resource(what, error) => write!(f, "could not {what}: {error}"),
            LaunchError::Exec(path, error) => write!(f, "could not execute {}: {error}", path.display()),
            LaunchError::Ptrace(error) => write!(
                f,
                "not permitted to trace the program ({error}); in a container, allow ptrace \
                 (--cap-add=SYS_PTRACE), or see `rscale doctor`"
            ),
            LaunchError::Instrument(why) => write!(f, "could not instrument the program: {why}; use --scope sync"),
            LaunchError::Choice(why) => f.write_str(why),
            LaunchError::Killed => {
                f.write_str("the program was killed from outside before its main function, again and again")
            }
            LaunchError::EndedEarly(how) => write!(f, "the program ended before its main function: {how}"),
        }
    }
}

impl std::error::Error for LaunchError {}

impl Launch {
    /// Writes into the arena how the shim is to set itself up.
    fn write_setup(&self, arena: &ArenaMap) {
        let setup = &arena.setup;
        setup.thread_pool.store(self.thread_pool, Relaxed);
        setup.stack_size.store(self.stack_size, Relaxed);
        setup.isolation.store(self.isolation as u32, Relaxed);
        setup.engine.store(self.engine as u32, Relaxed);
        setup.watch_syscalls.store(self.watch_syscalls.into(), Relaxed);
        setup.unwinder.store(self.unwinder.into(), Relaxed);
        setup.sends_signals.store(self.sends_signals.into(), Relaxed);
        setup.leaks.store(self.leaks.into(), Relaxed);
        setup.before_constructors.store(self.before_constructors.into(), Relaxed);
        setup.schedules_waiting.store(self.schedules_waiting.into(), Relaxed);
        setup.logs_local_states.store(self.local_states.to_code(), Relaxed);
        setup.instrument.store(self.instrumentation.is_some().into(), Relaxed);
        setup.watches.store(self.watches.into(), Relaxed);
        setup.races.store(self.races.into(), Relaxed);
        setup.evaluates.store(self.evaluates.into(), Relaxed);
        setup.evaluation_limit.store(self.evaluation_limit.as_millis() as u64, Relaxed);
        // Their addresses follow when the program is loaded.
        setup.invariants.store(0, Relaxed);
        arena.debugging.is_on.store(self.debugger.is_some().into(), Relaxed);
        setup.memory.store(self.memory as u32, Relaxed);
        setup.buffer.store(self.buffer.unwrap_or(UNBOUNDED), Relaxed);
        setup.seed.store(self.seed, Relaxed);
        self.write_processors(arena);
    }

    /// Writes into the arena which processors there are, if one was chosen, and whether the program has to share it.
    pub fn write_processors(&self, arena: &ArenaMap) {
        let setup = &arena.setup;
        setup.shares_processor.store(self.shares_processor.into(), Relaxed);
        let words = self.processors.map_or([0; PROCESSOR_WORDS], |all| all.words());
        setup.processors.iter().zip(words).for_each(|(place, word)| place.store(word, Relaxed));
    }
}
