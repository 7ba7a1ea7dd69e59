//! `rscale report`: one page that shows the execution of a trace.

use super::{check_file, print_text};
use crate::config::ReplayConfig;
use crate::exit::{Exit, Failure};
use crate::report::{escape, html};
use crate::session;
use clap::Args;
use rscale_protocol::arena::Engine;
use rscale_replay::atomic;
use std::ffi::OsString;
use std::path::PathBuf;

/// Draw the execution of a trace
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// The trace file: recorded, or thread numbers written by hand
    trace: PathBuf,
    /// Arguments of the program [default: those in the trace]
    #[arg(last = true)]
    args: Vec<OsString>,
    /// The program [default: the one that the trace names]
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// The page to write: one file that needs no other
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// Print only what is wrong
    #[arg(long, short)]
    quiet: bool,
}

impl ReportArgs {
    /// Replays the trace and writes the page.
    pub fn execute(self) -> Result<Exit, Failure> {
        check_file("--html", &self.html)?;
        let config = ReplayConfig::load(&self.trace, self.program.as_deref(), self.args, Engine::Fibers)?;
        let depicted = session::depict(&config)?;
        atomic::write(&self.html, html::render(&depicted).as_bytes())
            .map_err(|cause| Failure::CannotRun(format!("can not write {}: {cause}", self.html.display())))?;
        if !self.quiet {
            print_text(&format!("wrote {}\n", escape::text(&self.html.to_string_lossy())))?;
        }
        Ok(depicted.replay.exit_code())
    }
}
