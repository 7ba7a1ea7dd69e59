//! The access oracle: a second opinion on what programs with plain memory accesses can do.
//!
//! Small programs in a little language are executed here by brute force, every interleaving of single accesses under
//! sequential consistency or with store buffers, and run under rscale by `tests/programs/access_interpreter.c`, where
//! each operation is made of real machine accesses. The sets of outcomes must be equal. Nothing is shared with rscale's
//! own detection.

mod bounded;
mod buffers;
mod enumerate;
mod generate;
mod machine;
mod pieces;
mod program;
mod shared;
mod single;
mod truth;

pub use bounded::{Limit, Waiting, enumerate_within};
pub use buffers::{Memory, Model};
pub use enumerate::{Enumeration, count_paths, enumerate};
pub use generate::{generate, generate_library, generate_weak};
pub use machine::Copying;
pub use program::{Kind, Op, Program};
pub use shared::with_room;
pub use truth::Truth;
