//! What the two processes of rscale share.
//!
//! The scheduler process and the shim inside the tested program must agree, bit for bit, on four things: what an
//! [action] is, which actions [depend](dependence) on each other, how the [arena] between them is laid out, and what an
//! operation does to a synchronisation object (the [model]). Each has exactly one definition, here. The crate is
//! `no_std` and never allocates, because the shim may do neither.

#![cfg_attr(not(test), no_std)]

pub mod action;
pub mod arena;
pub mod callee;
pub mod dependence;
pub mod ending;
pub mod memory;
pub mod model;
pub mod ops;
pub mod quiet;
pub mod region;
pub mod symbols;
pub mod thread_set;
pub mod variable;

pub use action::{Action, Choice, Extent, Origin};
pub use callee::Callee;
pub use ending::{Ending, Misuse, OWN_SIGNAL};
pub use memory::MemoryModel;
pub use ops::{Family, Op};
pub use quiet::Quiet;
pub use thread_set::{MAX_THREADS, ThreadId, ThreadSet};
pub use variable::{Access, AccessKind, Variable};
