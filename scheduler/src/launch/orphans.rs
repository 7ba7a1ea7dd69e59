//! Processes that the program leaves behind: children that outlive it, and daemons.
//!
//! They become children of rscale when their parent ends, because it asks for that, and end with the program. Those
//! that stay in the group of the program are known by it. A daemon has a session of its own; whose it is can not be
//! told, so daemons end when no program runs: other workers may have some that are still of use.

use nix::sys::prctl;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getsid};
use std::fs;
use std::sync::{Mutex, PoisonError};

/// The programs that run.
static RUNNING: Mutex<usize> = Mutex::new(0);
/// How often to look for daemons: each may have started others.
const ROUNDS: usize = 16;

/// A program that is counted as running.
pub struct Running(());

impl Running {
    /// A program is about to start.
    pub fn begin() -> Running {
        // Where the kernel refuses, what is left behind belongs to somebody else.
        let _ = prctl::set_child_subreaper(true);
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Running(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        *running -= 1;
        // Under the lock: nobody starts a program meanwhile.
        if *running == 0 {
            end_daemons();
        }
    }
}

/// Ends what is left of the group of a program that has ended.
pub fn end_group(leader: Pid) {
    let members = Pid::from_raw(-leader.as_raw());
    loop {
        match waitpid(members, Some(WaitPidFlag::WNOHANG)) {
            // Children of this process, so nobody else has a group of this number.
            Ok(WaitStatus::StillAlive) if killpg(leader, Signal::SIGKILL).is_ok() => _ = waitpid(members, None),
            Ok(status) if status.pid().is_some() => {}
            _ => return,
        }
    }
}

fn end_daemons() {
    for _ in 0..ROUNDS {
        let daemons = daemons();
        if daemons.is_empty() {
            return;
        }
        for daemon in daemons {
            let _ = kill(daemon, Signal::SIGKILL); // it may just have ended
            let _ = waitpid(daemon, None);
        }
    }
}

/// Children of this process in another session: what rscale starts itself stays in its own.
fn daemons() -> Vec<Pid> {
    let Ok(own) = getsid(None) else { return Vec::new() };
    let is_foreign = |&child: &Pid| getsid(Some(child)).is_ok_and(|session| session != own);
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let numbers = |list: String| list.split_whitespace().filter_map(|number| number.parse().ok()).collect::<Vec<i32>>();
    lists.flat_map(numbers).map(Pid::from_raw).filter(is_foreign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    #[test]
    fn children_in_the_own_session_are_left_alone() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("it starts");
        drop(Running::begin());
        assert!(child.try_wait().expect("known").is_none(), "it still runs");
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }

    #[test]
    fn what_a_program_leaves_in_its_group_ends() {
        let running = Running::begin();
        let line = "sleep 60 & echo $!";
        let mut command = Command::new("sh");
        let mut child = command.args(["-c", line]).process_group(0).stdout(Stdio::piped()).spawn().expect("it starts");
        let leader = Pid::from_raw(child.id() as i32);
        child.wait().expect("it ends");
        end_group(leader);
        assert!(killpg(leader, None).is_err(), "nobody is left in the group");
        drop(running);
    }
}
