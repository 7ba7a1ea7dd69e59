//! Values of the options of `rscale run`.

use crate::config::parse_duration;
use clap::ValueEnum;
use std::time::Duration;

/// How long to minimise; None for not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Minimize(pub Option<Duration>);

/// Reads a duration, or that nothing is to be done.
pub fn parse_minimize(text: &str) -> Result<Minimize, String> {
    let duration = if text == "off" { None } else { Some(parse_duration(text)?) };
    Ok(Minimize(duration))
}

/// Scheduling points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ScopeArg {
    Sync,
    All,
}

/// Memory models.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MemoryArg {
    Sc,
    Tso,
    Pso,
}

/// How executions are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum IsolationArg {
    Snapshot,
    Fork,
    Exec,
}

/// What threads run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EngineArg {
    Fibers,
    Threads,
    Ptrace,
}
