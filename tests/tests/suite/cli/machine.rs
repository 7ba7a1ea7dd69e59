//! Looking at processes from outside, through `/proc`.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rscale_tests::process::{Running, wait_for};
use std::fs;

/// Clock ticks of processor time after which rscale has been exploring for long: it starts within one.
const WELL_UNDER_WAY: u64 = 20;

/// Sends a signal to one process.
pub fn send(process: u32, signal: Signal) {
    let process = i32::try_from(process).expect("process numbers are small");
    kill(Pid::from_raw(process), signal).expect("the process is there and is ours");
}

/// Waits until rscale has run so many executions that it must be in the middle of exploring.
pub fn wait_until_exploring(rscale: &Running) {
    let busy = || processor_time(rscale.id()).filter(|&ticks| ticks >= WELL_UNDER_WAY);
    wait_for(busy).expect("rscale explores");
}

/// The process that rscale runs the program in.
pub fn target_of(rscale: &Running) -> u32 {
    let children = format!("/proc/{0}/task/{0}/children", rscale.id());
    let first = || fs::read_to_string(&children).ok()?.split_whitespace().next()?.parse().ok();
    wait_for(first).expect("rscale starts the program")
}

/// Processor time of a process itself, in ticks.
fn processor_time(process: u32) -> Option<u64> {
    let fields = stat(process)?;
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

/// The fields of `/proc/PID/stat` after the name, which may hold anything.
fn stat(process: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

/// Whether the process is there and runs. One that waits to be collected by a parent that never does is dead.
pub fn is_alive(process: u32) -> bool {
    stat(process).is_some_and(|fields| !matches!(fields[0].as_str(), "Z" | "X"))
}

/// Live processes with this text in their command line.
pub fn processes_with(text: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("/proc is there");
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mentions = |process: &u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    };
    numbers.filter(mentions).filter(|&process| is_alive(process)).collect()
}

/// Names in `/dev/shm` that rscale could have left there.
pub fn shared_memory() -> Vec<String> {
    let entries = fs::read_dir("/dev/shm").into_iter().flatten();
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    names.filter(|name| name.contains("rscale")).collect()
}
