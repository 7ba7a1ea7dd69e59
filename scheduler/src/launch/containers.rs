//! The part of the standard library of C++ that counts as the program's.
//!
//! Headers of libstdc++ and libc++ have most of their code compiled into the program. What they leave to the shared
//! library works on objects of the program all the same: the members of `std::string`, how the nodes of lists and trees
//! are linked, the buffers of streams. Two threads that append to one string would be missed if that ran unseen. In
//! libc++ some of what orders threads lies there too. The rest of the libraries (formatting, locales, exceptions,
//! threads) protects what it shares by itself, or is there for standard streams, which several threads may use at once:
//! to watch it would only add steps.

use rscale_instrument::code::functions::Function;
use rscale_instrument::code::survey::Survey;
use std::collections::{BTreeMap, BTreeSet};

const LIBRARIES: [&str; 2] = ["libstdc++.so", "libc++.so"];

/// What of it is watched, in words.
pub const IN_WORDS: &str = "strings, lists, trees, hash tables and stream buffers";

/// What the mangled names of functions of libstdc++ begin with that are watched. Strings and buffers are there twice, as
/// they are since C++11 and as they were before.
const FUNCTIONS: [&str; 28] = [
    "_ZNSt7__cxx1112basic_string",
    "_ZNKSt7__cxx1112basic_string",
    "_ZNSs",
    "_ZNKSs",
    "_ZNSbI",
    "_ZNKSbI",
    "_ZStplI",
    "_ZNSt8__detail15_List_node_base",
    "_ZNSt15_List_node_base",
    "_ZNSt9__cxx199815_List_node_base",
    "_ZSt18_Rb_tree_",
    "_ZSt20_Rb_tree_",
    "_ZSt21_Rb_tree_",
    "_ZSt28_Rb_tree_",
    "_ZSt29_Rb_tree_",
    "_ZNKSt8__detail20_Prime_rehash_policy",
    "_ZSt11_Hash_bytes",
    "_ZSt15_Fnv_hash_bytes",
    "_ZNSt15basic_streambuf",
    "_ZNKSt15basic_streambuf",
    "_ZNSt13basic_filebuf",
    "_ZNKSt13basic_filebuf",
    "_ZNSt7__cxx1115basic_stringbuf",
    "_ZNKSt7__cxx1115basic_stringbuf",
    "_ZNSt15basic_stringbuf",
    "_ZNKSt15basic_stringbuf",
    "_ZNSo3putEc",
    "_ZNSt13basic_ostreamIwSt11char_traitsIwEE3putEw",
];
/// The same of libc++.
const OTHER_FUNCTIONS: [&str; 15] = [
    "_ZNSt3__112basic_string",
    "_ZNKSt3__112basic_string",
    "_ZNSt3__1plI",
    "_ZNSt3__115basic_streambuf",
    "_ZNKSt3__115basic_streambuf",
    "_ZNSt3__113basic_filebuf",
    "_ZNSt3__115basic_stringbuf",
    "_ZNKSt3__115basic_stringbuf",
    "_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE3putEc",
    "_ZNSt3__16__sortI",
    "_ZNSt3__127__insertion_sort_incomplete",
    "_ZNSt3__114__shared_count",
    "_ZNSt3__119__shared_weak_count",
    "_ZNSt3__111__call_once",
    "_ZNSt3__119__thread_local_data",
];

/// How much of a module is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Of a library of C++, the containers and what is like them.
    Containers,
}

/// The functions of a module that are watched, exclusions of the user aside.
pub enum Members {
    /// All of them.
    All,
    /// Those that begin at these addresses.
    At(BTreeSet<u64>),
}

impl Extent {
    /// The functions of a file that belong to it. Functions without a name belong to those that call them, or jump there;
    /// parts for exceptions are reached by neither.
    pub fn members(self, survey: &Survey) -> Members {
        if self == Extent::Whole {
            return Members::All;
        }
        let known = survey.functions.iter().map(|surveyed| (&surveyed.function, &surveyed.callees[..]));
        let skipped = survey.skipped.iter().map(|skipped| (&skipped.function, &[][..]));
        let functions: BTreeMap<u64, (&Function, &[u64])> =
            known.chain(skipped).map(|(function, callees)| (function.range.start, (function, callees))).collect();
        let around = |address: u64| {
            let (_, (function, _)) = functions.range(..=address).next_back()?;
            function.range.contains(&address).then_some(*function)
        };
        let named = functions.values().map(|(function, _)| *function).filter(|function| is_container(function));
        let mut waiting: Vec<u64> = named.map(|function| function.range.start).collect();
        let mut members: BTreeSet<u64> = waiting.iter().copied().collect();
        while let Some(start) = waiting.pop() {
            let callees = functions[&start].1.iter().filter_map(|callee| around(*callee));
            for callee in callees.filter(|callee| callee.names.is_empty()) {
                if members.insert(callee.range.start) {
                    waiting.push(callee.range.start);
                }
            }
        }
        let is_part = |function: &&Function| function.is_part && function.names.is_empty();
        let parts = functions.values().map(|(function, _)| *function).filter(is_part);
        members.extend(parts.map(|function| function.range.start));
        Members::At(members)
    }
}

impl Members {
    /// Whether a function is one of them.
    pub fn contains(&self, function: &Function) -> bool {
        match self {
            Members::All => true,
            Members::At(starts) => starts.contains(&function.range.start),
        }
    }
}

fn is_container(function: &Function) -> bool {
    let mut starts = FUNCTIONS.iter().chain(&OTHER_FUNCTIONS);
    starts.any(|start| function.names.iter().any(|name| name.starts_with(start)))
}

/// Whether a file of this name is such a library.
pub fn has_containers(name: &str) -> bool {
    LIBRARIES.iter().any(|library| name.starts_with(library))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_instrument::code::functions::{Origin, Role};
    use rscale_instrument::code::liveness::CallFlags;
    use rscale_instrument::code::survey::Surveyed;

    fn function(start: u64, names: &[&str], is_part: bool) -> Function {
        let names = names.iter().map(ToString::to_string).collect();
        Function { range: start..start + 16, names, role: Role::Program, origin: Origin::Symbol, is_part }
    }

    fn surveyed(function: Function, callees: &[u64]) -> Surveyed {
        Surveyed {
            function,
            sites: Vec::new(),
            prefetches: Vec::new(),
            callees: callees.to_vec(),
            indirect_jumps: 0,
            leaving_jumps: 0,
            falls_through: false,
            is_leaf: false,
            uses_red_zone: false,
            takes_stack_address: false,
        }
    }

    #[test]
    fn strings_and_trees_are_watched_and_streams_are_not() {
        let is_watched = |name: &str| is_container(&function(16, &[name], false));
        assert!(is_watched("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm"));
        assert!(is_watched("_ZNSs6appendEPKcm"));
        assert!(is_watched("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_"));
        assert!(is_watched("_ZNSt15basic_streambufIcSt11char_traitsIcEE6xsputnEPKcl"));
        assert!(is_watched("_ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE6appendEPKc"));
        assert!(!is_watched("_ZNSolsEi"), "std::ostream::operator<<(int)");
        assert!(!is_watched("_ZNSt6localeC1Ev") && !is_watched("__cxa_throw"));
        assert!(has_containers("libc++.so.1.0") && !has_containers("libc++abi.so.1.0"));
    }

    #[test]
    fn functions_without_a_name_belong_to_their_callers() {
        let survey = Survey {
            functions: vec![
                surveyed(function(0x100, &["_ZNSs6appendEPKcm"], false), &[0x200, 0x300, 0x9000]),
                surveyed(function(0x200, &[], false), &[0x408]),
                surveyed(function(0x300, &["_ZNSolsEi"], false), &[0x500]),
                surveyed(function(0x400, &[], false), &[]),
                surveyed(function(0x500, &[], false), &[]),
                surveyed(function(0x600, &[], true), &[0x500]),
            ],
            skipped: Vec::new(),
            support: Vec::new(),
            text_bytes: 0,
            takes_thread_local_address: false,
            call_flags: CallFlags::Lost,
        };
        let of = |extent: Extent| {
            let members = extent.members(&survey);
            let functions = survey.functions.iter().map(|surveyed| &surveyed.function);
            functions.filter(|one| members.contains(one)).map(|one| one.range.start).collect::<Vec<_>>()
        };
        assert_eq!(of(Extent::Containers), [0x100, 0x200, 0x400, 0x600]);
        assert_eq!(of(Extent::Whole).len(), 6);
    }
}
