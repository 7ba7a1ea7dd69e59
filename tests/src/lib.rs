//! The suite: what the tests of rscale share.
//!
//! The tests use rscale as its users do: they start the executable and look at its exit status, its texts and its JSON.
//! Nothing here depends on rscale's own crates, so that a mistake in them can not hide itself.

pub mod access_oracle;
pub mod binary;
pub mod campaign;
pub mod compile;
pub mod expectation;
pub mod oracle;
pub mod process;
pub mod race_oracle;
pub mod readme;
pub mod scratch;
pub mod sources;
pub mod summary;
pub mod trace_oracle;
pub mod words;
