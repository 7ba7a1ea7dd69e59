//! rscale: systematic concurrency testing of unmodified native pthread programs.
//!
//! This is the scheduler process. It holds everything that must stay true (the search, the findings, the reports); the
//! tested program runs in a process of its own, with the shim inside. From the outside in: [`cli`] and [`config`] take
//! the user's words, [`session`] runs a search or a replay, [`debugger`] opens gdb on one, [`explore`], [`filters`],
//! [`parallel`] and [`property`] decide and check, [`races`] reads logs for data races, [`frontend`], [`backend`] and
//! [`launch`] reach the program, [`minimize`], [`decisive`] and [`explain`] make it plain, [`report`] tells what came
//! out.

pub mod backend;
pub mod cache;
pub mod cli;
pub mod compile;
pub mod config;
pub mod debugger;
pub mod decisive;
mod digest;
pub mod doctor;
pub mod exit;
pub mod explain;
pub mod explore;
pub mod filters;
pub mod finding;
pub mod frontend;
pub mod interrupt;
pub mod journal;
pub mod launch;
pub mod minimize;
mod nearest;
pub mod parallel;
pub mod picture;
pub mod property;
pub mod races;
pub mod reduce;
pub mod report;
pub mod sample;
pub mod session;
pub mod simulate_view;
pub mod spin;
pub mod summary;

use report::{Color, ColorChoice, Look, Target, escape};
use std::process::ExitCode;

/// The whole program: command line in, exit status out.
#[must_use]
pub fn main() -> ExitCode {
    interrupt::install();
    let exit = cli::main(std::env::args_os()).unwrap_or_else(|failure| {
        let look = Look::of(Target::Stderr, ColorChoice::Auto);
        let message = escape::lines(&failure.to_string());
        // If not even the error can be written, the exit status is all that is left to say.
        let _ = report::print(Target::Stderr, &format!("{} {message}\n", look.paint(Color::Red, "rscale: error:")));
        failure.exit()
    });
    exit.into()
}
