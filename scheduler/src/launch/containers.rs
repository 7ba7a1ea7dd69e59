//! The part of the standard library of C++ that counts as the program's.
//!
//! Headers of libstdc++ have most of its code compiled into the program. What they leave to the shared library works on
//! objects of the program all the same: the members of `std::string`, how the nodes of lists and trees are linked, the
//! buffers of streams. Two threads that append to one string would be missed if that ran unseen. The rest of the library
//! (formatting, locales, exceptions, threads) protects what it shares by itself, or is there for standard streams, which
//! several threads may use at once: to watch it would only add steps.

use rscale_instrument::code::functions::Function;

const LIBRARY: &str = "libstdc++.so";

/// What of it is watched, in words.
pub const IN_WORDS: &str = "strings, lists, trees, hash tables and stream buffers";

/// What the mangled names of its functions begin with. The first of each pair of strings and buffers is the one of C++11,
/// the other one has been there before.
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

/// How much of a module is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Of the library of C++, the containers and what is like them.
    Containers,
}

impl Extent {
    /// Whether a function belongs to it. Parts of functions, such as those that throw, have no names in a library.
    pub fn contains(self, function: &Function) -> bool {
        let is_container = |name: &String| FUNCTIONS.iter().any(|start| name.starts_with(start));
        let is_part = || function.is_part && function.names.is_empty();
        self == Extent::Whole || function.names.iter().any(is_container) || is_part()
    }
}

/// Whether a file of this name is the library.
pub fn has_containers(name: &str) -> bool {
    name.starts_with(LIBRARY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_instrument::code::functions::{Origin, Role};

    fn function(names: &[&str], is_part: bool) -> Function {
        let names = names.iter().map(ToString::to_string).collect();
        Function { range: 16..32, names, role: Role::Program, origin: Origin::Symbol, is_part }
    }

    #[test]
    fn strings_and_trees_are_watched_and_streams_are_not() {
        let is_watched = |name: &str| Extent::Containers.contains(&function(&[name], false));
        assert!(is_watched("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm"));
        assert!(is_watched("_ZNSs6appendEPKcm"));
        assert!(is_watched("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_"));
        assert!(is_watched("_ZNSt15basic_streambufIcSt11char_traitsIcEE6xsputnEPKcl"));
        assert!(!is_watched("_ZNSolsEi"), "std::ostream::operator<<(int)");
        assert!(!is_watched("_ZNSt6localeC1Ev") && !is_watched("__cxa_throw"));
        assert!(Extent::Whole.contains(&function(&["__cxa_throw"], false)));
    }

    #[test]
    fn parts_without_a_name_go_with_what_is_watched() {
        assert!(Extent::Containers.contains(&function(&[], true)));
        assert!(!Extent::Containers.contains(&function(&[], false)));
        assert!(!Extent::Containers.contains(&function(&["__cxa_throw.cold"], true)));
    }
}
