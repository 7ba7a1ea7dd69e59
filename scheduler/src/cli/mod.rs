//! The command line. CLI.md is its contract; each subcommand is one file.

mod ci;
mod completions;
mod described;
mod doctor;
mod include_dir;
mod list;
mod man;
mod minimize;
mod replay;
mod report;
mod resume;
mod run;
mod run_help;
mod run_values;

use crate::exit::{Exit, Failure};
use crate::report::json::Destination;
use crate::report::{ColorChoice, Look, Target, print};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use rscale_replay::atomic;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  rscale run ./a.out                     explore all schedules of a program
  rscale run test.c -- 3 fast            compile it first; arguments after --
  rscale run ./a.out --filters db=30     only the first 30 steps
  rscale replay trace.txt                show a found bug step by step
  rscale replay trace.txt --gdb          look at it in gdb
  rscale minimize trace.txt              the same bug with fewer preemptions
  rscale report trace.txt --html x.html  draw it

Exit status: 0 nothing found, 1 something found, 2 could not run,
3 nothing found but incomplete, 4 the program is nondeterministic";

/// Finds concurrency bugs in unmodified pthread programs
#[derive(Parser, Debug)]
#[command(name = "rscale", version, after_help = EXAMPLES, max_term_width = 80, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand, Debug)]
enum Subcommands {
    Run(Box<run::RunArgs>),
    Replay(replay::ReplayArgs),
    Resume(resume::ResumeArgs),
    Minimize(minimize::MinimizeArgs),
    Report(report::ReportArgs),
    List(list::ListArgs),
    Doctor(doctor::DoctorArgs),
    IncludeDir(include_dir::IncludeDirArgs),
    Man(man::ManArgs),
    Completions(completions::CompletionsArgs),
}

/// What all reports have in common.
#[derive(Args, Clone, Debug)]
struct OutputArgs {
    /// Write the result as JSON (-: standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    /// Print only what is wrong
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
    /// Colours: auto, always or never [default: auto]
    #[arg(long, value_name = "WHEN", hide_possible_values = true, help_heading = "Output")]
    color: Option<ColorChoice>,
}

impl OutputArgs {
    /// The text report makes way when JSON takes the standard output.
    fn target(&self) -> Target {
        if self.json_destination() == Some(Destination::Stdout) { Target::Stderr } else { Target::Stdout }
    }

    fn look(&self) -> Look {
        Look::of(self.target(), self.color.unwrap_or_default())
    }

    fn json_destination(&self) -> Option<Destination> {
        self.json.clone().map(Destination::from)
    }

    fn check(&self) -> Result<(), Failure> {
        let file = self.json.as_deref().filter(|_| self.json_destination() != Some(Destination::Stdout));
        file.map_or(Ok(()), |path| check_file("--json", path))
    }
}

/// Learning that a result can not be written is cheaper before the search than after it.
fn check_file(option: &str, path: &Path) -> Result<(), Failure> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if path.is_dir() {
        return Err(Failure::Usage(format!("{option} {}: that is a directory; name a file in it", path.display())));
    }
    match directory {
        Some(directory) if !directory.is_dir() => {
            Err(Failure::Usage(format!("{option} {}: there is no directory {}", path.display(), directory.display())))
        }
        _ => atomic::check(path)
            .map_err(|cause| Failure::Usage(format!("{option} {}: it can not be written: {cause}", path.display()))),
    }
}

/// Reads the command line and does what it says.
pub fn main(arguments: impl Iterator<Item = OsString>) -> Result<Exit, Failure> {
    match parse(arguments).map(|cli| cli.command) {
        Ok(Subcommands::Run(args)) => args.execute(),
        Ok(Subcommands::Replay(args)) => args.execute(),
        Ok(Subcommands::Resume(args)) => args.execute(),
        Ok(Subcommands::Minimize(args)) => args.execute(),
        Ok(Subcommands::Report(args)) => args.execute(),
        Ok(Subcommands::List(_)) => list::execute(),
        Ok(Subcommands::Doctor(args)) => args.execute(),
        Ok(Subcommands::IncludeDir(_)) => include_dir::execute(),
        Ok(Subcommands::Man(args)) => args.execute(),
        Ok(Subcommands::Completions(args)) => args.execute(),
        Err(message) => explain(&message),
    }
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Cli, clap::Error> {
    command().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches))
}

/// The command line, with the help that the registries give.
fn command() -> clap::Command {
    Cli::command().mut_subcommand("run", |run| run.after_help(run_help::after_help()))
}

/// Help and version go to the standard output, mistakes to the standard error; a reader that has gone is no error.
fn explain(message: &clap::Error) -> Result<Exit, Failure> {
    let _ = message.print();
    Ok(if message.use_stderr() { Exit::Failed } else { Exit::Clean })
}

/// Prints a report that is nothing but text.
fn print_text(text: &str) -> Result<(), Failure> {
    print(Target::Stdout, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> impl Iterator<Item = OsString> + '_ {
        words.split_whitespace().map(OsString::from)
    }

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn lines_of_the_contract_are_understood() {
        for words in [
            "rscale run ./a.out --filters lcd,superstep",
            "rscale run ./a.out --journal search.journal",
            "rscale resume search.journal",
            "rscale replay trace.txt",
            "rscale replay trace.txt --gdb --break 3",
            "rscale replay trace.txt --gdbserver 2345",
            "rscale man run",
            "rscale completions zsh",
            "rscale minimize trace.txt",
            "rscale report trace.txt --html out.html",
            "rscale list",
            "rscale doctor",
        ] {
            assert!(parse(line(words)).is_ok(), "{words}");
        }
    }

    #[test]
    fn options_that_are_not_there_yet_are_wrong_usage() {
        for words in [
            "rscale",
            "rscale walk",
            "rscale run",
            "rscale run a.out --annotations gitlab",
            "rscale replay",
            "rscale replay trace.txt --engine ptrace",
        ] {
            let message = parse(line(words)).expect_err(words);
            assert!(message.use_stderr(), "{words}");
        }
        let version = parse(line("rscale --version")).expect_err("prints and ends");
        assert!(!version.use_stderr());
    }

    #[test]
    fn what_can_not_be_run_has_status_two() {
        for words in [
            "rscale replay /no/such/trace",
            "rscale run /no/such/program",
            "rscale run /bin/true --json /no/such/directory/x.json",
            "rscale run /bin/true --trace /tmp",
            "rscale run /bin/true --junit /no/such/directory/x.xml",
            "rscale run /bin/true --sarif /tmp",
            "rscale run /bin/true --junit /proc/x.xml",
        ] {
            assert_eq!(main(line(words)).expect_err(words).exit(), Exit::Failed, "{words}");
        }
    }

    #[test]
    fn help_fits_a_screen() {
        let mut command = command();
        command.build();
        for (name, mut part) in [("rscale", command.clone())]
            .into_iter()
            .chain(command.get_subcommands().map(|part| ("subcommand", part.clone())))
        {
            let help = part.render_help().to_string();
            assert!(help.lines().all(|line| line.chars().count() <= 80), "{name}: {help}");
            assert!(help.lines().count() <= 64, "{name} has {} lines: {help}", help.lines().count());
        }
    }

    #[test]
    fn json_on_standard_output_has_it_alone() {
        let output = |json: Option<&str>| OutputArgs { json: json.map(PathBuf::from), quiet: false, color: None };
        assert_eq!(output(Some("-")).target(), Target::Stderr);
        assert_eq!(output(Some("x.json")).target(), Target::Stdout);
        assert_eq!(output(None).target(), Target::Stdout);
    }
}
