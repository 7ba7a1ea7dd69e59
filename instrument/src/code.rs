//! Surveys the code of a program: which functions it has and where they access memory.
//!
//! Instrumenting a program means cloning its functions with a hook before each access that another thread may
//! see. This module answers everything that must be known before the first byte is rewritten: where functions
//! begin and end ([`functions`]), which instructions access which kind of memory ([`sites`]), whether a hook must
//! preserve the flags ([`liveness`]), and, for the whole file, what can not be instrumented and why ([`survey`]).
//!
//! What a process needs that runs the code as it is, is asked here, too ([`time_stamps`]).
//!
//! Errors go to the safe side. An access counts as shared unless it provably is not, flags count as live
//! unless every path overwrites them, and code that is not understood is skipped and named, never guessed at.

mod coverage;
pub(crate) mod decode;
pub mod functions;
mod gaps;
pub(crate) mod layout;
pub mod liveness;
pub mod loops;
mod outline;
mod parts;
pub mod sites;
pub mod skips;
mod stack;
pub mod survey;
mod surveyor;
pub mod time_stamps;
