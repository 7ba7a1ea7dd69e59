//! `rscale resume`: go on with an interrupted search.

use super::run::RunArgs;
use super::{OutputArgs, Subcommands, parse};
use crate::config::parse_duration;
use crate::exit::{Exit, Failure};
use crate::journal::Journal;
use crate::session::Keeping;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Go on with an interrupted search
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// The file that `rscale run --journal` has written
    journal: PathBuf,
    /// Stop after N executions in all [default: as before]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_executions: Option<u64>,
    /// Stop after 500ms, 30s, 5m, 1h from now [default: as before]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time_limit: Option<Duration>,
    #[command(flatten)]
    output: OutputArgs,
    /// No progress line on the terminal
    #[arg(long)]
    no_progress: bool,
}

impl ResumeArgs {
    /// Goes on, and reports like the search itself.
    pub fn execute(self) -> Result<Exit, Failure> {
        self.output.check()?;
        let (journal, story) = Journal::open(&self.journal)?;
        let mut run = recorded(&story.search.arguments)?;
        run.go_on_with(self.max_executions, self.time_limit, self.output, self.no_progress);
        std::env::set_current_dir(&story.search.directory).map_err(|cause| {
            Failure::CannotRun(format!("can not go to {}, where the search began: {cause}", story.search.directory))
        })?;
        run.execute_keeping(Keeping::On(Box::new(journal), story))
    }
}

/// The options of the search.
fn recorded(arguments: &[String]) -> Result<Box<RunArgs>, Failure> {
    let line = ["rscale", "run"].into_iter().chain(arguments.iter().map(String::as_str)).map(OsString::from);
    match parse(line).map(|cli| cli.command) {
        Ok(Subcommands::Run(args)) => Ok(args),
        _ => Err(Failure::CannotRun("the journal was begun with options that this rscale does not have".into())),
    }
}
