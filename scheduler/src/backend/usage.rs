//! How much memory rscale and all that it has started use.

use std::fs;
use std::path::Path;

/// The memory of this process and of all that it has started, in bytes. What processes share counts for each of them, so
/// this is rather too much than too little.
#[must_use]
pub fn memory_in_use() -> u64 {
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
}
