//! The table of every thread-related symbol that glibc exports, and what rscale does with it.
//!
//! A program may call anything that glibc offers. What rscale neither models nor knows to be harmless must not slip
//! through in silence, so each symbol has a row, and a test compares the rows with the libc of the machine.

mod table;

/// What rscale does with a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// The shim takes its place.
    Modelled,
    /// May go through to glibc, also from a fiber.
    Harmless,
    /// Changes what rscale controls, and is not modelled.
    Unsupported,
}

/// One symbol of glibc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name, without the version.
    pub name: &'static str,
    /// What rscale does with it.
    pub status: Status,
    /// As what it is modelled, or why it is harmless or unsupported.
    pub note: &'static str,
}

/// Every symbol in the table, sorted by name.
pub const ALL: &[Symbol] = table::TABLE;

/// The row of a symbol; none for symbols that have nothing to do with threads.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Symbol> {
    ALL.binary_search_by(|symbol| symbol.name.cmp(name)).ok().map(|row| &ALL[row])
}

const fn modelled(name: &'static str, note: &'static str) -> Symbol {
    Symbol { name, status: Status::Modelled, note }
}

const fn harmless(name: &'static str, note: &'static str) -> Symbol {
    Symbol { name, status: Status::Harmless, note }
}

const fn unsupported(name: &'static str, note: &'static str) -> Symbol {
    Symbol { name, status: Status::Unsupported, note }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const PREFIXES: &[&str] = &[
        "pthread_",
        "_pthread_",
        "__pthread_",
        "sem_",
        "thrd_",
        "mtx_",
        "cnd_",
        "tss_",
        "timer_",
        "posix_spawn",
        "aio_",
        "lio_",
        "mq_",
    ];
    /// Also with underscores before them.
    const NAMES: &[&str] = &[
        "call_once",
        "sched_yield",
        "sleep",
        "usleep",
        "nanosleep",
        "clock_nanosleep",
        "fork",
        "Fork",
        "libc_fork",
        "vfork",
        "clone",
        "system",
        "popen",
        "forkpty",
        "daemon",
        "sigwait",
        "sigwaitinfo",
        "sigtimedwait",
        "sigsuspend",
        "pause",
        "getcontext",
        "setcontext",
        "makecontext",
        "swapcontext",
        "syscall",
    ];

    fn is_concerned(name: &str) -> bool {
        PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || NAMES.contains(&name.trim_start_matches('_'))
    }

    /// What the libc of this machine defines; nothing where there is no objdump to ask.
    fn symbols_of_this_machine() -> Vec<String> {
        let Ok(output) = Command::new("objdump").args(["-T", "/lib/x86_64-linux-gnu/libc.so.6"]).output() else {
            return Vec::new();
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let defined = text.lines().filter(|line| line.contains(" .") && !line.contains("*UND*"));
        defined.filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
    }

    #[test]
    fn the_table_is_sorted_and_says_something_of_each_symbol() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
        assert!(ALL.iter().all(|symbol| !symbol.note.is_empty() && is_concerned(symbol.name)));
        assert!(ALL.iter().all(|symbol| lookup(symbol.name) == Some(symbol)));
        assert_eq!(lookup("printf"), None);
    }

    #[test]
    fn no_thread_symbol_of_this_machine_is_missing() {
        let symbols = symbols_of_this_machine();
        let missing: Vec<_> = symbols.iter().filter(|name| is_concerned(name) && lookup(name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let found = symbols.iter().filter(|name| lookup(name).is_some()).count();
        assert!(symbols.is_empty() || found >= ALL.len(), "the output of objdump was not understood: {found}");
    }

    #[test]
    fn statuses_are_what_the_design_says() {
        let status = |name| lookup(name).map(|symbol| symbol.status);
        for name in ["pthread_create", "pthread_clockjoin_np", "__pthread_unwind_next", "_pthread_cleanup_pop_restore"]
        {
            assert_eq!(status(name), Some(Status::Modelled), "{name}");
        }
        for name in ["pthread_cond_clockwait", "sem_open", "mtx_timedlock", "tss_set", "fork", "clock_nanosleep"] {
            assert_eq!(status(name), Some(Status::Modelled), "{name}");
        }
        for name in ["pthread_self", "pthread_equal", "pthread_setname_np", "pthread_mutexattr_setpshared", "sigwait"] {
            assert_eq!(status(name), Some(Status::Harmless), "{name}");
        }
        for name in ["timer_create", "makecontext", "aio_read", "mq_send", "clone", "pthread_sigqueue"] {
            assert_eq!(status(name), Some(Status::Unsupported), "{name}");
        }
    }
}
