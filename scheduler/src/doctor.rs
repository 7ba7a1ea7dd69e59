//! What this machine allows, found out by trying it.
//!
//! Containers forbid different things, and a search that fails half-way is a poor way to learn which. Each check says
//! what it found and what follows from it for rscale.

use crate::compile::c_compiler;
use crate::exit::Exit;
use crate::report::{Color, Look, escape, wrap};
use nix::errno::Errno;
use nix::sys::{personality, ptrace};
use nix::unistd::Pid;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;

/// How good the news is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Health {
    /// All there.
    Good,
    /// Rscale works, but not as well as it could.
    Poor,
    /// Rscale does not work.
    Missing,
}

/// One thing that was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// How it is.
    pub value: String,
    /// Whether that is good.
    pub health: Health,
    /// What follows from it.
    pub consequence: &'static str,
}

impl Check {
    fn new(name: &'static str, value: impl Into<String>, health: Health, consequence: &'static str) -> Check {
        Check { name, value: value.into(), health, consequence }
    }
}

/// Looks at everything.
#[must_use]
pub fn examine() -> Vec<Check> {
    vec![
        architecture(),
        kernel(),
        glibc(),
        ptrace_check(),
        aslr(),
        fsgsbase(),
        seccomp(),
        cores(),
        compiler(),
        maps(),
        overcommit(),
    ]
}

/// The exit status: failed where something is missing that rscale can not do without.
#[must_use]
pub fn exit_code(checks: &[Check]) -> Exit {
    if checks.iter().any(|check| check.health == Health::Missing) { Exit::Failed } else { Exit::Clean }
}

/// The report.
#[must_use]
pub fn render(checks: &[Check], look: &Look) -> String {
    let widest = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for check in checks {
        let (color, mark) = match check.health {
            Health::Good => (Color::Green, "ok  "),
            Health::Poor => (Color::Yellow, "note"),
            Health::Missing => (Color::Red, "FAIL"),
        };
        let indent = widest + 8;
        let body = format!("{}: {}", escape::text(&check.value), check.consequence);
        let lines = wrap(&body, look.width.saturating_sub(indent), 0);
        text.push_str(&format!("{}  {:widest$}  {}\n", look.paint(color, mark), check.name, lines[0]));
        lines[1..].iter().for_each(|line| text.push_str(&format!("{:indent$}{line}\n", "")));
    }
    text.push_str(match exit_code(checks) {
        Exit::Clean => "rscale can work here\n",
        _ => "rscale can not work here: see the lines marked FAIL\n",
    });
    text
}

fn architecture() -> Check {
    let name = "architecture";
    match std::env::consts::ARCH {
        "x86_64" => Check::new(name, "x86_64", Health::Good, "supported"),
        other => Check::new(name, other, Health::Missing, "rscale runs x86-64 programs only"),
    }
}

fn kernel() -> Check {
    let release = read_line("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".into());
    Check::new("kernel", release, Health::Good, "rscale is developed on Linux 6")
}

fn glibc() -> Check {
    match first_line("getconf", &["GNU_LIBC_VERSION"]) {
        Some(version) if version.starts_with("glibc") => {
            Check::new("libc", version, Health::Good, "programs that are linked to it dynamically can be tested")
        }
        _ => Check::new("libc", "no glibc found", Health::Missing, "the shim models glibc; install it"),
    }
}

fn ptrace_check() -> Check {
    let name = "ptrace";
    match trace_a_child() {
        Ok(()) => Check::new(name, "allowed", Health::Good, "programs can be started, and crashes diagnosed"),
        Err(reason) => {
            let advice = "allow it (docker run --cap-add=SYS_PTRACE, or kernel.yama.ptrace_scope below 3)";
            Check::new(name, format!("refused ({reason})"), Health::Missing, advice)
        }
    }
}

/// Attaches to a child that waits for its standard input to close.
fn trace_a_child() -> Result<(), String> {
    let mut command = Command::new("cat");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|cause| format!("can not start cat: {cause}"))?;
    let id = i32::try_from(child.id()).map_err(|cause| cause.to_string())?;
    let seized = ptrace::seize(Pid::from_raw(id), ptrace::Options::empty());
    drop(child.stdin.take());
    // The child ends by itself; waiting for it also ends the tracing.
    let _ = child.wait();
    seized.map_err(|cause: Errno| cause.desc().to_owned())
}

/// The setting is our own and only matters for programs started later, so it can be tried and taken back.
fn aslr() -> Check {
    let name = "ASLR";
    let disabled = personality::get().and_then(|before| {
        personality::set(before | personality::Persona::ADDR_NO_RANDOMIZE)?;
        personality::set(before)
    });
    match disabled {
        Ok(_) => Check::new(name, "can be switched off", Health::Good, "addresses are the same in every run"),
        Err(_) => {
            Check::new(name, "can not be switched off", Health::Good, "programs are rearranged after their start")
        }
    }
}

fn fsgsbase() -> Check {
    const AT_HWCAP2: u64 = 26;
    const FSGSBASE: u64 = 1 << 1;
    let auxiliary = fs::read("/proc/self/auxv").unwrap_or_default();
    let is_there = auxiliary_value(&auxiliary, AT_HWCAP2).is_some_and(|bits| bits & FSGSBASE != 0);
    if is_there {
        Check::new("FSGSBASE", "there", Health::Good, "threads are switched without a system call")
    } else {
        Check::new("FSGSBASE", "missing", Health::Poor, "every switch of threads costs a system call")
    }
}

/// A value of the auxiliary vector, which is pairs of words.
fn auxiliary_value(vector: &[u8], key: u64) -> Option<u64> {
    let (words, _) = vector.as_chunks::<8>();
    let (pairs, _) = words.as_chunks::<2>();
    pairs.iter().find(|[name, _]| u64::from_ne_bytes(*name) == key).map(|[_, value]| u64::from_ne_bytes(*value))
}

fn seccomp() -> Check {
    let name = "seccomp";
    let actions = read_line("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    if actions.split(' ').any(|action| action == "trap") {
        Check::new(name, "filters available", Health::Good, "system calls that go around libc are noticed")
    } else {
        Check::new(name, "no filters", Health::Poor, "system calls that go around libc are not noticed")
    }
}

fn cores() -> Check {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Check::new("cores", cores.to_string(), Health::Good, "optimal, source, dpor and samples use all of them (--jobs)")
}

fn compiler() -> Check {
    let words = c_compiler();
    let version = words[0].to_str().and_then(|program| first_line(program, &["--version"]));
    match version {
        Some(version) => Check::new("C compiler", version, Health::Good, "`rscale run file.c` works"),
        None => {
            let advice = "`rscale run file.c` does not work; executables do; install gcc or set $CC";
            Check::new("C compiler", "none", Health::Poor, advice)
        }
    }
}

fn maps() -> Check {
    const ENOUGH: u64 = 65_000;
    let name = "max_map_count";
    match read_line("/proc/sys/vm/max_map_count").and_then(|text| text.parse::<u64>().ok()) {
        Some(count) if count < ENOUGH => {
            let advice = "large programs may need --isolation fork; or raise vm.max_map_count to 65530";
            Check::new(name, count.to_string(), Health::Poor, advice)
        }
        Some(count) => Check::new(name, count.to_string(), Health::Good, "enough for snapshots"),
        None => Check::new(name, "unknown", Health::Good, "most likely enough for snapshots"),
    }
}

fn overcommit() -> Check {
    let name = "overcommit";
    match read_line("/proc/sys/vm/overcommit_memory").as_deref() {
        Some("2") => {
            Check::new(name, "strict (2)", Health::Poor, "programs with large heaps may run out of memory early")
        }
        Some(mode) => Check::new(name, mode, Health::Good, "memory is only used where it is touched"),
        None => Check::new(name, "unknown", Health::Good, "most likely not strict"),
    }
}

fn read_line(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_says_what_follows() {
        let checks = [
            Check::new("ptrace", "allowed", Health::Good, "programs can be started"),
            Check::new("ASLR", "on\x1b", Health::Poor, "addresses are named by module and offset, which is fine too"),
        ];
        let expected = "\
ok    ptrace  allowed: programs can be started
note  ASLR    on\\x1b: addresses are named by module and
              offset, which is fine too
rscale can work here
";
        assert_eq!(render(&checks, &Look { color: false, width: 60 }), expected);
        assert_eq!(exit_code(&checks), Exit::Clean);
    }

    #[test]
    fn what_is_missing_fails() {
        let checks = [Check::new("libc", "none", Health::Missing, "install it")];
        assert!(render(&checks, &Look { color: false, width: 80 }).ends_with("marked FAIL\n"));
        assert_eq!(exit_code(&checks), Exit::Failed);
    }

    #[test]
    fn the_auxiliary_vector_is_read_in_pairs() {
        let vector: Vec<u8> = [6u64, 4096, 26, 2, 0, 0].iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(auxiliary_value(&vector, 26), Some(2));
        assert_eq!((auxiliary_value(&vector, 4096), auxiliary_value(&vector[..20], 26)), (None, None));
    }

    #[test]
    fn this_machine_can_be_examined() {
        let before = personality::get();
        let checks = examine();
        assert_eq!(personality::get(), before);
        assert!(checks.iter().all(|check| !check.value.is_empty() && !check.consequence.is_empty()));
    }
}
