//! The process of the program: started, stopped at its first instruction, let go, and ended.
//!
//! Code between fork and exec may only make system calls: that is the one unsafe promise here.
#![allow(unsafe_code)]

use super::orphans::{self, Running};
use super::settle::settle;
use super::{ArenaMap, Captured, Launch, LaunchError, Processors, Regions, Shim};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::personality::{self, Persona};
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::sys::{prctl, ptrace};
use nix::unistd::{Pid, getpid, getppid};
use rscale_protocol::arena::ARENA_VARIABLE;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};

/// The number of the shim's descriptor in the program. The loader keeps the file's name, `/proc/self/fd/N`, and a
/// debugger that attaches to the program opens that: it must have no such descriptor of its own, least of all a pipe.
const SHIM_NUMBER: RawFd = 500;

/// The running program. Ended and reaped when the value is dropped.
pub struct Process {
    child: Child,
    status: Option<ExitStatus>,
    /// Until it is dropped, after the process has been killed.
    _running: Running,
}

impl Process {
    /// Starts the program with the shim and the arena, and output going to the given files.
    ///
    /// # Errors
    /// Where the program can not be executed, or rscale may not trace it.
    pub fn start(
        launch: &Launch,
        shim: &Shim,
        arena: &ArenaMap,
        regions: &Regions,
        output: &[Captured; 2],
    ) -> Result<Process, LaunchError> {
        launch.write_setup(arena);
        let mut command = command(launch, shim, arena, regions, output)
            .map_err(|error| LaunchError::Resource("pass descriptors to the program", error))?;
        let running = Running::begin();
        let child = command.spawn().map_err(|error| spawn_error(launch, error))?;
        let mut process = Process { child, status: None, _running: running };
        process.release_at_exec(launch.processors)?;
        Ok(process)
    }

    /// Waits for the stop that follows the exec, and detaches. Unless it is told of other processors than it has, it
    /// does not keep to those of the calling thread.
    fn release_at_exec(&mut self, told: Option<Processors>) -> Result<(), LaunchError> {
        loop {
            match waitpid(self.pid(), None) {
                Ok(WaitStatus::Stopped(pid, Signal::SIGTRAP)) => {
                    // Where that is impossible, addresses differ from process to process; within one they do not.
                    let _ = settle(pid);
                    if told.is_none() {
                        let _ = Processors::all().and_then(|all| all.let_go(pid));
                    }
                    return ptrace::detach(pid, None).map_err(|error| LaunchError::Ptrace(error.into()));
                }
                Ok(WaitStatus::Stopped(pid, signal)) => {
                    ptrace::cont(pid, signal).map_err(|error| LaunchError::Ptrace(error.into()))?;
                }
                Err(Errno::EINTR) => {}
                Ok(WaitStatus::Signaled(_, Signal::SIGKILL, _)) => return Err(LaunchError::Killed),
                Ok(status) => return Err(LaunchError::EndedEarly(format!("{status:?}"))),
                Err(error) => return Err(LaunchError::Ptrace(error.into())),
            }
        }
    }

    /// Its process number.
    #[must_use]
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Whether [`Process::ended`] has said so before.
    #[must_use]
    pub fn is_known_to_have_ended(&self) -> bool {
        self.status.is_some()
    }

    /// Ends it and everything it has forked, and waits for that.
    pub fn kill(&mut self) {
        if self.ended().is_none() {
            // The program leads a process group of its own: forks of it go too.
            let group = self.pid();
            let _ = nix::sys::signal::killpg(group, Signal::SIGKILL); // it may just have ended
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
        }
        orphans::end_group(self.pid());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn_error(launch: &Launch, error: io::Error) -> LaunchError {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EPERM) => LaunchError::Ptrace(error),
        _ => LaunchError::Exec(launch.executable.clone(), error),
    }
}

fn command(
    launch: &Launch,
    shim: &Shim,
    arena: &ArenaMap,
    regions: &Regions,
    output: &[Captured; 2],
) -> io::Result<Command> {
    let own = [arena.descriptor(), shim.descriptor(), regions.descriptor()].map(|descriptor| descriptor.as_raw_fd());
    let [arena_fd, _, regions_fd] = own;
    let shim_fd = shim_number(shim);
    let preloaded = launch.debugger.as_ref().map(|shim| shim.to_string_lossy().into_owned());
    let preloaded = preloaded.unwrap_or_else(|| format!("/proc/self/fd/{shim_fd}"));
    let mut command = Command::new(&launch.executable);
    command
        .arg0(&launch.name)
        .args(&launch.args)
        .env("LD_PRELOAD", before_users("LD_PRELOAD", &preloaded))
        // The kernel writes to the rseq area at every preemption: on a protected page, that would be fatal.
        .env("GLIBC_TUNABLES", before_users("GLIBC_TUNABLES", "glibc.pthread.rseq=0"))
        // Binding a symbol at its first call would happen again after every restore.
        .env("LD_BIND_NOW", "1")
        .envs(openmp_variables())
        .env(ARENA_VARIABLE, format!("{arena_fd},{shim_fd},{regions_fd}"))
        .stdin(standard_input())
        .stdout(duplicate(output[0].descriptor())?)
        .stderr(duplicate(output[1].descriptor())?)
        .process_group(0);
    let parent = getpid();
    // SAFETY: the closure only makes system calls, on values that it owns.
    unsafe { command.pre_exec(move || prepare_child(own, shim_fd, parent)) };
    Ok(command)
}

/// Threads of OpenMP go round a loop for a while before they sleep. Each round would be a step, and none leads to anything
/// that sleeping at once does not lead to: they do not, unless the user has an opinion about it.
fn openmp_variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    // Those of GCC's library and of LLVM's.
    let variables = [("GOMP_SPINCOUNT", "0"), ("KMP_BLOCKTIME", "0")];
    variables.into_iter().filter(move |(name, _)| !is_set(name) && !is_set("OMP_WAIT_POLICY"))
}

/// The number that the shim's descriptor gets in the program; the one that it has if numbers do not go so far.
fn shim_number(shim: &Shim) -> RawFd {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((limit, _)) if limit > SHIM_NUMBER as u64 => SHIM_NUMBER,
        _ => shim.descriptor().as_raw_fd(),
    }
}

/// Has a program that is going to be started end when rscale does. It is not reached by what the terminal sends.
pub fn end_with_parent(command: &mut Command) {
    command.process_group(0);
    // SAFETY: the closure makes one system call.
    unsafe { command.pre_exec(|| Ok(prctl::set_pdeathsig(Signal::SIGKILL)?)) };
}

/// rscale's part of a variable, before what the user has set it to.
fn before_users(variable: &str, own: &str) -> OsString {
    let mut value = OsString::from(own);
    if let Some(users) = std::env::var_os(variable).filter(|users| !users.is_empty()) {
        value.push(OsStr::new(":"));
        value.push(users);
    }
    value
}

/// A file that the user redirected is passed on: it can be read again in every execution. Anything else can not.
fn standard_input() -> Stdio {
    // Opened anew, it has a position of its own: every process begins at the start of the file.
    match File::open("/proc/self/fd/0") {
        Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => Stdio::from(file),
        _ => Stdio::null(),
    }
}

fn duplicate(descriptor: BorrowedFd<'_>) -> io::Result<Stdio> {
    Ok(Stdio::from(descriptor.try_clone_to_owned()?))
}

/// Runs in the child before the exec.
fn prepare_child(inherited: [RawFd; 3], shim_number: RawFd, parent: Pid) -> io::Result<()> {
    let [arena, shim, regions] = inherited;
    // Whatever rscale was started with beyond the standard three would shift the program's descriptor numbers, and with
    // them what it does, from one place to another.
    // SAFETY: marks descriptors to be closed at the exec; a kernel that can not leaves them open.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    // SAFETY: closes nothing that the program gets: all other descriptors were marked.
    Errno::result(unsafe { libc::dup2(shim, shim_number) })?;
    for descriptor in [arena, shim_number, regions] {
        // SAFETY: the parent keeps these descriptors open until the child has been spawned.
        let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
        fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::empty()))?;
    }
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    // A parent that was killed before this sends no signal any more.
    if getppid() != parent {
        return Err(io::ErrorKind::Interrupted.into());
    }
    // Where this is forbidden, memory is rearranged after the exec.
    let _ = personality::get().and_then(|persona| personality::set(persona | Persona::ADDR_NO_RANDOMIZE));
    ptrace::traceme()?;
    Ok(())
}
