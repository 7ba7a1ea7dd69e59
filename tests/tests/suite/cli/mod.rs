//! The command line as users meet it: every error that they can act on, every way to end, every output.
//!
//! Each test asserts the exit status and the text that matters. CLI.md is the contract.

mod bounded;
mod ci;
mod containers;
mod endings;
mod information;
mod invariants;
mod jobs;
mod journals;
mod libraries;
mod limits;
mod machine;
mod memory;
mod minimizing;
mod names;
mod output;
mod picture;
mod processors;
mod queries;
mod races;
mod refusals;
mod replays;
mod sampling;
mod subjects;
mod terminal;
mod usage;
mod watched;
mod worlds;
