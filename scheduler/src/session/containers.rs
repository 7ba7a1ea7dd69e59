//! What of C++ still runs unseen in libstdc++, of which containers and the like alone are watched
//! (`launch/containers.rs`): where a program uses objects that others of its functions work on, a note says so.

use rscale_instrument::elf::Program;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const LIBRARY: &str = "libstdc++.so";

/// What mangled names of functions in the library begin with, and what they belong to. Of streams, formatted input looks
/// into the buffer itself.
const PARTS: [(&str, &str); 11] = [
    ("_ZNSt7__cxx1118basic_stringstream", "the input of std::stringstream"),
    ("_ZNSt7__cxx1119basic_istringstream", "the input of std::istringstream"),
    ("_ZNSt18basic_stringstream", "the input of std::stringstream"),
    ("_ZNSt19basic_istringstream", "the input of std::istringstream"),
    ("_ZNSt14basic_ifstream", "the input of std::ifstream"),
    ("_ZNSt13basic_fstream", "the input of std::fstream"),
    ("_ZNSt3pmr25monotonic_buffer_resource", "std::pmr::monotonic_buffer_resource"),
    ("_ZNSt3pmr26synchronized_pool_resource", "std::pmr::synchronized_pool_resource"),
    ("_ZNSt3pmr28unsynchronized_pool_resource", "std::pmr::unsynchronized_pool_resource"),
    ("_ZNSt10filesystem7__cxx114path", "std::filesystem::path"),
    ("_ZNKSt10filesystem7__cxx114path", "std::filesystem::path"),
];

/// What to tell the user of a program with several threads who watches these libraries too.
pub fn note(program: &Program, watched: &[PathBuf]) -> Option<String> {
    let is_library = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(LIBRARY));
    let part_of = |import: &String| PARTS.iter().find(|(start, _)| import.starts_with(start)).map(|(_, what)| *what);
    let used: BTreeSet<&str> = program.imports.iter().filter_map(part_of).collect();
    let is_told = !used.is_empty() && !watched.iter().any(|path| is_library(path));
    is_told.then(|| {
        format!(
            "the code of {} lies in libstdc++ and is not watched: what threads do to one of them at the same time may be \
             missed; --instrument libstdc++.so.6 watches it",
            used.into_iter().collect::<Vec<_>>().join(", ")
        )
    })
}
