//! Looking at the program before it is started: can rscale run it, and what does it use that rscale can not model?

use super::host::{Host, Setting};
use crate::config::{FilterChoice, Rules, RunConfig, Scope};
use crate::exit::Failure;
use crate::filters;
use crate::report::{count, escape};
use rscale_instrument::code::survey::Survey;
use rscale_instrument::elf::{self, Program};
use rscale_protocol::MemoryModel;
use rscale_protocol::arena::{Engine, LocalStates};
use rscale_protocol::symbols::{self, Status};
use std::fmt::Write as _;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Inspects the executable; notes name what it imports that is not modelled.
pub fn inspect(executable: &Path, notes: &mut Vec<String>) -> Result<Program, Failure> {
    let program = elf::inspect(executable).map_err(|error| Failure::CannotRun(error.to_string()))?;
    notes.extend(warning(&program));
    let input = std::fs::metadata("/proc/self/fd/0").map(|metadata| metadata.file_type());
    if input.is_ok_and(|kind| kind.is_fifo()) {
        notes.push(
            "standard input is a pipe, which can be read only once: the program gets an empty one; use a file".into(),
        );
    }
    Ok(program)
}

/// What the program imports that rscale does not model.
fn warning(program: &Program) -> Option<String> {
    let unsupported: Vec<&str> = program
        .imports
        .iter()
        .filter_map(|import| symbols::lookup(import))
        .filter(|symbol| symbol.status == Status::Unsupported)
        .map(|symbol| symbol.name)
        .collect();
    (!unsupported.is_empty()).then(|| {
        format!(
            "the program imports functions that rscale does not model: {}; what they do is not under \
             its control",
            unsupported.join(", ")
        )
    })
}

/// Which local states the search wants to know. Threads that try to lock mutexes may do so for ever, each because of
/// the other; partial order reduction has to see it.
pub fn local_states(filters: &[FilterChoice], program: &Program, config: &RunConfig) -> LocalStates {
    let tries = program.imports.iter().any(|import| import == "pthread_mutex_trylock");
    let is_seen = config.rules.scope == Scope::All && config.rules.memory == MemoryModel::Sc;
    match filters::needs(filters).local_states {
        true => LocalStates::All,
        false if tries && is_seen => LocalStates::Attempts,
        false => LocalStates::None,
    }
}

/// What the user should know before the program is started.
///
/// # Errors
/// Where the executable can not be run.
pub fn warnings(executable: &Path) -> Result<Option<String>, Failure> {
    let program = elf::inspect(executable).map_err(|error| Failure::CannotRun(error.to_string()))?;
    Ok(warning(&program))
}

/// Whether threads of the program may have to be unwound from the middle.
pub fn needs_unwinder(program: &Program) -> bool {
    const UNWINDING: [&str; 4] = ["pthread_exit", "pthread_cancel", "thrd_exit", "pthread_testcancel"];
    program.imports.iter().any(|import| UNWINDING.contains(&import.as_str()))
}

/// Whether threads of the program may send each other signals.
pub fn sends_signals(program: &Program) -> bool {
    const SENDING: [&str; 4] = ["pthread_kill", "pthread_sigqueue", "tgkill", "syscall"];
    program.imports.iter().any(|import| SENDING.contains(&import.as_str()))
}

/// What would be instrumented of the program and the libraries that the user chose: one line for each file, one for
/// each name that is left out, and one for each library that is not watched.
///
/// # Errors
/// Where a file can not be read or has no code, and where the user chose what is not there.
pub fn coverage(config: &RunConfig) -> Result<String, Failure> {
    let program = elf::inspect(&config.subject.executable).map_err(|error| Failure::CannotRun(error.to_string()))?;
    let setting = Setting {
        subject: &config.subject,
        args: &config.args,
        rules: &Rules { scope: Scope::All, ..config.rules },
        watched: &config.watched,
        engine: Engine::Fibers,
        invariants: Vec::new(),
        evaluates: false,
        local_states: LocalStates::None,
    };
    let host = Host::load(&setting, &program, true)?;
    let regions = host.target().regions();
    let mut text = String::new();
    for planned in regions.planned() {
        let is_program = regions.planned().first().is_some_and(|first| first.path() == planned.path());
        let path = if is_program { &config.subject.executable } else { planned.path() };
        let mut survey = Survey::of(path).map_err(|error| Failure::CannotRun(error.to_string()))?;
        planned.restrict(&mut survey);
        let _ = writeln!(text, "{}: {}", escape::text(&path.to_string_lossy()), escape::text(&survey.coverage_line()));
        for (name, functions) in planned.excluded() {
            let functions = count(u64::from(*functions), "function");
            let _ = writeln!(text, "  --exclude {}: {functions} left out", escape::text(name));
        }
    }
    for library in regions.unwatched() {
        let _ = writeln!(text, "{}: not watched; --instrument adds it", escape::text(library));
    }
    Ok(text)
}
