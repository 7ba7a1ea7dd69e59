//! Names of symbols as they stand in the source.
//!
//! Only what a compiler has mangled is translated back. A demangler reads any text, and takes a variable `x` for the
//! type that has this letter: `long long`.

use std::borrow::Cow;

/// How the names begin that C++ and Rust compilers make.
const BEGINNINGS: [&str; 4] = ["_Z", "__Z", "_R", "_GLOBAL_"];

/// The name in the source, with its parameters where the symbol has them.
#[must_use]
pub fn source_name(symbol: &str) -> Cow<'_, str> {
    let is_mangled = BEGINNINGS.iter().any(|beginning| symbol.starts_with(beginning));
    if is_mangled { addr2line::demangle_auto(symbol.into(), None) } else { symbol.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_c_are_left_alone() {
        for letter in ('a'..='z').chain('A'..='Z') {
            let name = letter.to_string();
            assert_eq!(source_name(&name), name);
        }
        for name in ["i", "Pi", "Kc", "St", "main", "_exit", "", "_", "RKx"] {
            assert_eq!(source_name(name), name);
        }
    }

    #[test]
    fn mangled_names_are_read() {
        assert_eq!(source_name("_ZN2ns1fEi"), "ns::f(int)");
        assert_eq!(source_name("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
        assert_eq!(source_name("_Z"), "_Z");
    }
}
