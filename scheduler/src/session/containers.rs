//! Containers of C++ whose code lies in part in libstdc++, which is not watched unless the user asks for it: that two
//! threads change a string at the same time is missed then. Where a program calls such code, a note says so.

use rscale_instrument::elf::Program;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const LIBRARY: &str = "libstdc++.so";

/// What mangled names of functions in the library begin with, and what they belong to.
const PARTS: [(&str, &str); 12] = [
    ("_ZNSt7__cxx1112basic_string", "std::string"),
    ("_ZNKSt7__cxx1112basic_string", "std::string"),
    ("_ZNSs", "std::string"),
    ("_ZNKSs", "std::string"),
    ("_ZNSt8__detail15_List_node_base", "std::list"),
    ("_ZSt18_Rb_tree", "std::map and std::set"),
    ("_ZSt20_Rb_tree", "std::map and std::set"),
    ("_ZSt28_Rb_tree", "std::map and std::set"),
    ("_ZSt29_Rb_tree", "std::map and std::set"),
    ("_ZNSt7__cxx1118basic_stringstream", "std::stringstream"),
    ("_ZNSt7__cxx1119basic_ostringstream", "std::stringstream"),
    ("_ZNSt7__cxx1119basic_istringstream", "std::stringstream"),
];

/// What to tell the user of a program with several threads who watches these libraries too.
pub fn note(program: &Program, watched: &[PathBuf]) -> Option<String> {
    let is_library = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(LIBRARY));
    let part_of = |import: &String| PARTS.iter().find(|(start, _)| import.starts_with(start)).map(|(_, what)| *what);
    let used: BTreeSet<&str> = program.imports.iter().filter_map(part_of).collect();
    let is_told = !used.is_empty() && !watched.iter().any(|path| is_library(path));
    is_told.then(|| {
        format!(
            "code of {} lies in libstdc++, which is not watched: what threads do to one of them at the same time may be \
             missed; --instrument libstdc++.so.6 watches it",
            used.into_iter().collect::<Vec<_>>().join(", ")
        )
    })
}
