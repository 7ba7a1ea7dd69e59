//! Everything but the cases of `programs`, in one executable: linking each of its parts on its own took CI minutes.
//!
//! One part at a time: `cargo test --release -p rscale-tests --test suite litmus` or `... cli::journals`.

mod access_oracle;
mod bounds;
mod cli;
mod conformance;
mod debugger;
mod examples;
mod litmus;
mod memory_oracle;
mod preemption_oracle;
mod race_oracle;
mod readme;
mod real;
mod real_conformance;
mod recipes;
mod scopes;
mod swaps;
mod sync_oracle;
mod trace_oracle;
