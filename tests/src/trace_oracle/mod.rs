//! The trace oracle: a second opinion on how many executions a program has that really differ.
//!
//! Executions that differ only in the order of steps that do not influence each other are the same *trace*
//! (Mazurkiewicz). Small programs in a little language are executed here by brute force: every interleaving, and for
//! each what happened before what. `tests/programs/trace_interpreter.c` runs the same programs under rscale. A
//! reduction must reach every outcome and every deadlock, and the optimal one executes each trace once. Nothing is
//! shared with rscale's own analysis: what depends on what is written down here once more, in [`machine`].

mod enumerate;
mod generate;
#[cfg(test)]
mod known;
mod machine;
mod past;
mod preempted;
mod program;

pub use enumerate::{Enumeration, Limits, count_paths, enumerate};
pub use generate::generate;
pub use preempted::enumerate_within;
pub use program::{Op, Program, repeat_while, when};
