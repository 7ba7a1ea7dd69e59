//! rscale: systematic concurrency testing of unmodified native pthread programs.
//!
//! This is the scheduler process. It holds everything that must stay true (the search, the findings, the reports); the
//! tested program runs in a process of its own, with the shim inside.

mod backend;
mod cli;
mod compile;
mod config;
mod doctor;
mod explain;
mod exit;
mod explore;
mod filters;
mod finding;
mod frontend;
mod interrupt;
mod launch;
mod property;
mod report;
mod session;
mod simulate_view;
mod summary;

use report::{Color, ColorChoice, Look, Target, escape};
use std::process::ExitCode;

fn main() -> ExitCode {
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
