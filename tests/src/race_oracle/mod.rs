//! The race oracle: a second opinion on which variables programs race for.
//!
//! Small programs in a little language are executed here by brute force. Two accesses race if there is a state in which
//! both can be made next: no clocks, no happens-before, nothing of what rscale does.
//! `tests/programs/race_interpreter.c` is the same language in machine instructions.
//!
//! Plain variables are never looked at, so that a race has no consequences: which accesses can be simultaneous depends
//! on synchronisation and atomic variables alone, and the definitions by states and by happens-before agree exactly.

mod generate;
mod machine;
mod program;

pub use generate::generate;
pub use machine::racy_variables;
pub use program::{Op, Program};
