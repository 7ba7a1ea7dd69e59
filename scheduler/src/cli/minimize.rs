//! `rscale minimize`: the same finding with fewer preemptions and steps.

use super::{OutputArgs, check_file, print_text};
use crate::config::{ReplayConfig, parse_duration};
use crate::exit::{Exit, Failure};
use crate::report::text::{Page, render_finding};
use crate::report::{count, escape, json, print};
use crate::session::{self, Minimal};
use clap::Args;
use rscale_protocol::arena::Engine;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a schedule is made smaller unless the user says otherwise: longer than in a search, it is all there is to
/// do.
const LIMIT: Duration = Duration::from_secs(10);

/// Find a smaller schedule with the same finding
#[derive(Args, Debug)]
pub struct MinimizeArgs {
    /// The trace file: recorded, or thread numbers written by hand
    trace: PathBuf,
    /// Arguments of the program [default: those in the trace]
    #[arg(last = true)]
    args: Vec<OsString>,
    /// The program [default: the one that the trace names]
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// Where the smaller trace goes [default: TRACE-min.txt]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stop after 500ms, 30s, 5m, 1h [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time_limit: Option<Duration>,
    #[command(flatten)]
    report: OutputArgs,
}

impl MinimizeArgs {
    /// Minimises and shows what came out.
    pub fn execute(self) -> Result<Exit, Failure> {
        self.report.check()?;
        let output = self.output.unwrap_or_else(|| beside(&self.trace));
        check_file("--output", &output)?;
        let config = ReplayConfig::load(&self.trace, self.program.as_deref(), self.args, Engine::Fibers)?;
        let limit = self.time_limit.unwrap_or(LIMIT);
        let Some(minimal) = session::minimize(&config, &output, limit)? else {
            if !self.report.quiet {
                print_text("the schedule ends without a finding: there is nothing to minimise\n")?;
            }
            return Ok(Exit::Clean);
        };
        let mut page = Page::new(self.report.look());
        if self.report.quiet {
            page.line(&result(&minimal));
        } else {
            page.wrapped(&format!("{}; {}", result(&minimal), effort(&minimal)));
            page.blank();
            render_finding(&mut page, &minimal.finding);
        }
        print(self.report.target(), &page.finish())?;
        if let Some(destination) = self.report.json_destination() {
            json::write(&destination, &minimal.finding)?;
        }
        Ok(Exit::Found)
    }
}

/// `trace.txt` becomes `trace-min.txt`.
fn beside(trace: &Path) -> PathBuf {
    let mut name = trace.file_stem().unwrap_or_default().to_owned();
    name.push("-min");
    if let Some(extension) = trace.extension() {
        name.push(".");
        name.push(extension);
    }
    trace.with_file_name(name)
}

/// The sizes before and after.
fn result(minimal: &Minimal) -> String {
    let finding = &minimal.finding;
    let words = |steps: usize, preemptions: usize| {
        format!("{}, {}", count(steps as u64, "step"), count(preemptions as u64, "preemption"))
    };
    let now = words(finding.schedule.len(), finding.preemptions);
    let before = finding.minimised_from.map(|found| words(found.steps, found.preemptions));
    let trace = finding.trace.as_ref().map_or_else(String::new, |path| path.to_string_lossy().into_owned());
    match before.filter(|before| *before != now) {
        Some(before) => format!("{}: {before} -> {now}", escape::text(&trace)),
        None => format!("{}: {now}, as before", escape::text(&trace)),
    }
}

fn effort(minimal: &Minimal) -> String {
    let replays = count(minimal.replays, "schedule");
    let rest = if minimal.is_complete { "" } else { ", then the time was over" };
    format!("{replays} tried{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, samples};
    use crate::minimize::Size;

    #[test]
    fn the_smaller_trace_lies_beside_the_other() {
        assert_eq!(beside(Path::new("a/trace.txt")), Path::new("a/trace-min.txt"));
        assert_eq!(beside(Path::new("trace")), Path::new("trace-min"));
    }

    #[test]
    fn sizes_are_compared() {
        let minimal = |from| Minimal {
            finding: Finding { minimised_from: Some(from), ..samples::deadlock() },
            replays: 7,
            is_complete: false,
        };
        let larger = minimal(Size { preemptions: 2, steps: 9, switches: 3 });
        assert_eq!(result(&larger), "trace.txt: 9 steps, 2 preemptions -> 4 steps, 1 preemption");
        assert_eq!(effort(&larger), "7 schedules tried, then the time was over");
        let same = minimal(Size { preemptions: 1, steps: 4, switches: 3 });
        assert_eq!(result(&same), "trace.txt: 4 steps, 1 preemption, as before");
    }
}
