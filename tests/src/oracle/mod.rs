//! The oracle: a second opinion on how many schedules a program has, and how they end.
//!
//! Small thread programs in a little language are enumerated here by brute force, straight from what POSIX says about
//! each operation, and run under rscale by `tests/programs/interpreter.c`. Both must agree on the number of schedules,
//! on the set of outcomes and on deadlocks. Nothing is shared with rscale's own model of the operations.

mod bounded;
mod enumerate;
mod generate;
mod machine;
mod program;
mod random;
mod step;

pub use bounded::{Cost, enumerate_within};
pub use enumerate::{Enumeration, count_paths, enumerate};
pub use generate::generate;
pub use program::{Op, Program};
pub use random::Random;
