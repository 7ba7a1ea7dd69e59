//! Which code accesses memory atomically, as far as debug information tells.
//!
//! A locked instruction is atomic by itself. An atomic load, and on x86 most atomic stores, are plain `mov`s: that they are
//! meant to synchronise is known by the type of what they access, by the function that they belong to (inlined or not),
//! and, for the built-in functions of compilers on plain types, by what the source has at their line and column.

use super::Explainer;
use super::moment::Moment;
use super::names::unchanged_source;
use crate::backend::Target;
use rscale_protocol::{Action, Variable};

/// What the functions of atomic classes begin with.
const FUNCTIONS: [&str; 8] = [
    "std::atomic",
    "std::__atomic",
    "std::__1::atomic",
    "std::__1::__atomic",
    "std::__1::__cxx_atomic",
    "core::sync::atomic::",
    "core::intrinsics::atomic",
    "__atomic_",
];
/// What the source has where it uses a built-in function.
const BUILT_IN: [&str; 4] = ["__atomic_", "__sync_", "__c11_atomic_", "atomic_"];

/// What an access is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Whether its type makes accesses atomic.
    pub is_atomic: bool,
}

impl Explainer {
    /// Whether the instruction before an address accesses memory atomically, by the code that it belongs to.
    #[must_use]
    pub fn is_atomic_code(&self, pc: u64) -> bool {
        let frames = self.names.frames_of_call(pc);
        let is_function = |name: &str| FUNCTIONS.iter().any(|start| own_name(name).starts_with(start));
        if frames.iter().any(|frame| frame.function.as_deref().is_some_and(is_function)) {
            return true;
        }
        let built_in = || {
            let frame = frames.first()?;
            let source = unchanged_source(frame, &self.names.module_of(pc)?)?;
            let line = source.lines().nth((frame.line? as usize).checked_sub(1)?)?;
            let text = line.get((frame.column? as usize).checked_sub(1)?..)?;
            Some(BUILT_IN.iter().any(|start| text.starts_with(start)))
        };
        built_in().unwrap_or(false)
    }

    /// What an access is about that has a fixed place in the program.
    #[must_use]
    pub fn fixed_subject(&self, action: &Action) -> Option<Subject> {
        let place = self.names.fixed(action.object.0, super::length(action))?;
        Some(Subject { is_atomic: place.is_atomic(), name: place.name })
    }

    /// What an access is about that is made now.
    #[must_use]
    pub fn subject(&self, variable: Variable, length: u64, target: &Target) -> Subject {
        let moment = Moment::new(target, &self.stacks, None);
        let named = self.names.named(variable, length, &moment);
        Subject { is_atomic: named.place.is_some_and(|place| place.is_atomic()), name: named.name }
    }

    /// `file.c:12` of the instruction before an address.
    #[must_use]
    pub fn place_of(&self, pc: u64) -> String {
        self.names.location(pc)
    }
}

/// The name of a function without what it returns: templates say that first.
fn own_name(function: &str) -> &str {
    let head = function.split('(').next().unwrap_or(function);
    match head.find(" std::") {
        Some(space) if !head[..space].contains('<') => &head[space + 1..],
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_by_their_own_names() {
        let is_atomic = |name: &str| FUNCTIONS.iter().any(|start| own_name(name).starts_with(start));
        assert!(is_atomic("std::atomic<unsigned long>::load(std::memory_order) const"));
        assert!(is_atomic("std::__atomic_base<int>::operator int() const"));
        assert!(is_atomic("int std::atomic_load<int>(std::atomic<int> const*)"));
        assert!(is_atomic("core::sync::atomic::AtomicBool::store"));
        assert!(!is_atomic("publish(std::atomic<int>&)"));
        assert!(!is_atomic("std::vector<std::atomic<int>>::size() const"));
    }
}
