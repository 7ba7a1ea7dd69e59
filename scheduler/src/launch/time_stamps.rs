//! Which programs read the time-stamp counter of the processor: theirs has to fault, which takes time.

use super::choice;
use rscale_instrument::code::time_stamps;
use rscale_instrument::maps::{self, Module};

/// Libraries of the C and C++ implementation, which compute nothing with it: at most they spin for a while.
const KNOWN: [&str; 9] = [
    "libc.so",
    "ld-linux",
    "libpthread.so",
    "libm.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libatomic.so",
    "libdl.so",
    "librt.so",
];

/// Whether code does that which is mapped into a process, as the kernel tells it. What lies in these ranges is a copy of
/// code that lies elsewhere.
#[must_use]
pub fn are_read(mapped: &str, copies: &[(u64, u64)]) -> bool {
    let modules = maps::modules(&maps::parse(mapped), &maps::start_of_file);
    let is_known = |name: &str| KNOWN.iter().any(|known| name.starts_with(known));
    let is_copy = |module: &Module| copies.iter().any(|&(start, end)| (start..end).contains(&module.start));
    let is_own = |module: &Module| !choice::is_nameless(module) && !is_known(&module.name()) && !is_copy(module);
    modules.iter().any(|module| is_own(module) && time_stamps::are_read_by(&module.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_looked_into_unless_they_are_known_or_copies() {
        let mapped = |path: &str| format!("1000-3000 r-xp 00000000 00:00 1 {path}\n");
        let own = std::fs::read_to_string("/proc/self/maps").expect("it is there");
        let libc: String =
            own.lines().filter(|line| line.contains("/libc.so")).map(|line| format!("{line}\n")).collect();
        assert!(!libc.is_empty() && !are_read(&libc, &[]), "its jitter does not count");
        assert!(are_read(&mapped("/no/such/file"), &[]), "it can not be told");
        assert!(!are_read(&mapped("/no/such/file"), &[(0x1000, 0x3000)]));
        assert!(!are_read(&mapped("/memfd:something"), &[]));
    }
}
