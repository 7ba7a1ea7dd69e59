//! How much memory rscale and all that it has started use.

use std::fs;
use std::path::Path;

/// A machine that has less than this part of its memory left is about to kill something.
const LITTLE: u64 = 32;
/// Whoever uses less than this part of it is not to blame.
const MUCH: u64 = 4;

/// Whether rscale and all that it has started use more memory than that; without a limit, whether they are about to use
/// up what the machine has.
#[must_use]
pub fn is_too_much_in_use(limit: Option<u64>) -> bool {
    match limit {
        Some(limit) => memory_in_use() > limit,
        None => fs::read_to_string("/proc/meminfo").is_ok_and(|machine| is_using_up(&machine, memory_in_use)),
    }
}

/// What the machine says of its memory decides; what is in use is only counted where that is necessary.
fn is_using_up(machine: &str, in_use: impl FnOnce() -> u64) -> bool {
    let bytes = |name: &str| {
        let line = machine.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
    };
    let (Some(total), Some(left)) = (bytes("MemTotal:"), bytes("MemAvailable:")) else { return false };
    left < total / LITTLE && in_use() > total / MUCH
}

/// The memory of this process and of all that it has started, in bytes. What processes share counts for each of them,
/// so this is rather too much than too little.
fn memory_in_use() -> u64 {
    let mut bytes = 0;
    let mut processes = vec!["self".to_owned()];
    while let Some(process) = processes.pop() {
        let directory = Path::new("/proc").join(process);
        bytes += resident(&directory);
        processes.extend(children(&directory));
    }
    bytes
}

/// What a process has in memory. One that has just ended has nothing.
fn resident(process: &Path) -> u64 {
    let pages = fs::read_to_string(process.join("statm")).unwrap_or_default();
    let pages: u64 = pages.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    pages * PAGE
}

const PAGE: u64 = 4096;

/// The processes that any of its threads has started.
fn children(process: &Path) -> Vec<String> {
    let Ok(threads) = fs::read_dir(process.join("task")) else { return Vec::new() };
    let of_thread = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children")).unwrap_or_default();
    let lines: Vec<String> = threads.filter_map(Result::ok).map(of_thread).collect();
    lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn what_was_started_counts() {
        let before = memory_in_use();
        assert!(before > 1 << 20, "a process is larger than that: {before}");
        let mut child = Command::new("sleep").arg("100").spawn().expect("starts");
        let names = children(Path::new("/proc/self"));
        assert!(names.contains(&child.id().to_string()), "{names:?}");
        child.kill().expect("it runs");
        child.wait().expect("it has ended");
    }

    #[test]
    fn a_machine_is_used_up_by_whoever_uses_much() {
        let machine = |left: u64| format!("MemTotal:  6400000 kB\nMemFree:  1 kB\nMemAvailable:  {left} kB\n");
        assert!(is_using_up(&machine(190_000), || 2_000_000 << 10));
        assert!(!is_using_up(&machine(190_000), || 1_000_000 << 10), "someone else does");
        assert!(!is_using_up(&machine(210_000), || panic!("there is enough left")));
        assert!(!is_using_up("MemTotal:  6400000 kB\n", || 2_000_000 << 10), "an old kernel does not say");
    }
}
