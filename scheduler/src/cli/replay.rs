//! `rscale replay`: run one recorded schedule and show it step by step.

use super::OutputArgs;
use crate::config::{Query, ReplayConfig};
use crate::debugger::{Address, Front};
use crate::exit::{Exit, Failure};
use crate::report::{json, print};
use crate::{debugger, session, simulate_view};
use clap::{Args, ValueEnum};
use rscale_protocol::arena::Engine;
use std::ffi::OsString;
use std::path::PathBuf;

/// Run one recorded schedule and show it step by step
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// The trace file: recorded, or thread numbers written by hand
    trace: PathBuf,
    /// Arguments of the program [default: those in the trace]
    #[arg(last = true)]
    args: Vec<OsString>,
    /// The program [default: the one that the trace names]
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// What threads run on; threads: kernel threads [default: fibers]
    #[arg(long, value_name = "fibers|threads", hide_possible_values = true)]
    engine: Option<EngineArg>,
    /// Stop after N steps (0: before the first) [default: the end]
    #[arg(long = "break", value_name = "N")]
    break_after: Option<usize>,
    /// Call a function int f(void) of the program there (repeatable)
    #[arg(long, value_name = "NAME")]
    eval: Vec<String>,
    /// Show the stacks of all threads there
    #[arg(long)]
    backtrace: bool,
    /// Open gdb there, with rscale-step and rscale-back
    #[arg(long, conflicts_with_all = ["engine", "eval", "backtrace", "json", "quiet"], help_heading = "Debugger")]
    gdb: bool,
    /// Serve another gdb, or an IDE, at [HOST:]PORT
    #[arg(long, value_name = "PORT", conflicts_with_all = ["gdb", "engine", "eval", "backtrace", "json", "quiet"],
          help_heading = "Debugger")]
    gdbserver: Option<Address>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EngineArg {
    Fibers,
    Threads,
}

impl ReplayArgs {
    /// Replays, and shows it or has it looked at.
    pub fn execute(self) -> Result<Exit, Failure> {
        match (self.gdb, &self.gdbserver) {
            (true, _) => self.debug(&Front::Gdb),
            (false, Some(address)) => self.debug(&Front::Server(address.clone())),
            (false, None) => self.show(),
        }
    }

    fn debug(&self, front: &Front) -> Result<Exit, Failure> {
        let config = ReplayConfig::load(&self.trace, self.program.as_deref(), self.args.clone(), Engine::Threads)?;
        config.check_step(self.break_after)?;
        debugger::open(&config, self.break_after, front)
    }

    fn show(self) -> Result<Exit, Failure> {
        self.output.check()?;
        let engine = match self.engine {
            Some(EngineArg::Threads) => Engine::Threads,
            Some(EngineArg::Fibers) | None => Engine::Fibers,
        };
        let query = Query { after: self.break_after, functions: self.eval, back_trace: self.backtrace };
        let config = ReplayConfig::load(&self.trace, self.program.as_deref(), self.args, engine)?.with_query(query)?;
        let replay = session::replay(&config)?;
        let color = self.output.look().color;
        let render = if self.output.quiet { simulate_view::render_quiet } else { simulate_view::render };
        print(self.output.target(), &render(&replay, color))?;
        if let Some(destination) = self.output.json_destination() {
            json::write(&destination, &replay.record())?;
        }
        Ok(replay.exit_code())
    }
}
