//! Everything that a person, or a script on their behalf, gets to see.
//!
//! Reports are rendered into strings first, as a function of the result and the [`Look`] alone, so that tests can
//! compare whole reports; only this module writes.

pub mod annotations;
pub mod base64;
pub mod escape;
pub mod html;
pub mod json;
pub mod junit;
pub mod markup;
pub mod places;
pub mod progress;
pub mod sarif;
pub mod table;
pub mod text;

use crate::exit::Failure;
use std::env;
use std::io::{self, IsTerminal, Write};

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How a report looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Whether to use colours.
    pub color: bool,
    /// Characters per line.
    pub width: usize,
}

impl Look {
    /// What everything fits that is not a wider terminal.
    pub const WIDTH: usize = 80;

    /// The look for a stream.
    #[must_use]
    pub fn of(target: Target, choice: ColorChoice) -> Look {
        let is_terminal = match target {
            Target::Stdout => io::stdout().is_terminal(),
            Target::Stderr => io::stderr().is_terminal(),
        };
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        let color = match choice {
            ColorChoice::Auto => is_terminal && !is_set("NO_COLOR") && !is_dumb,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        let size = match target {
            Target::Stdout => terminal_size::terminal_size_of(io::stdout()),
            Target::Stderr => terminal_size::terminal_size_of(io::stderr()),
        };
        let width = size.map_or(Look::WIDTH, |(width, _)| usize::from(width.0).max(Look::WIDTH / 2));
        Look { color, width }
    }

    /// The text in a colour, where there are colours.
    #[must_use]
    pub fn paint(&self, color: Color, text: &str) -> String {
        if self.color { format!("\x1b[{}m{text}\x1b[0m", color as u8) } else { text.to_owned() }
    }
}

/// The colours of reports, by their number for a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// Headings.
    Bold = 1,
    /// Findings and errors.
    Red = 31,
    /// Clean results.
    Green = 32,
    /// Incomplete results and notes.
    Yellow = 33,
}

/// Where a report goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Writes a report. A reader that has gone away (`rscale ... | head`) is no error.
///
/// # Errors
/// When the stream can not be written for another reason.
pub fn print(target: Target, report: &str) -> Result<(), Failure> {
    let write = |stream: &mut dyn Write| stream.write_all(report.as_bytes()).and_then(|()| stream.flush());
    let written = match target {
        Target::Stdout => write(&mut io::stdout().lock()),
        Target::Stderr => write(&mut io::stderr().lock()),
    };
    match written {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::CannotRun(format!("can not write the report: {cause}")))
        }
        _ => Ok(()),
    }
}

/// Breaks a text into lines of at most `width` characters; later lines are indented. Longer words stay whole.
#[must_use]
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let line = lines.last_mut().expect("there is always a line");
        let is_empty = line.is_empty();
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{}{word}", " ".repeat(indent)));
            continue;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}

/// A number with its noun: `1 step`, `2 steps`.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped() {
        assert_eq!(wrap("note: one two three four", 12, 2), ["note: one", "  two three", "  four"]);
        assert_eq!(wrap("a-very-long-word b", 5, 2), ["a-very-long-word", "  b"]);
        assert_eq!(wrap("", 5, 2), [""]);
    }

    #[test]
    fn colours_are_used_only_when_wanted() {
        let plain = Look { color: false, width: 80 };
        assert_eq!(plain.paint(Color::Red, "bug"), "bug");
        assert_eq!(Look { color: true, ..plain }.paint(Color::Red, "bug"), "\x1b[31mbug\x1b[0m");
        assert!(Look::of(Target::Stdout, ColorChoice::Always).color);
        assert!(!Look::of(Target::Stderr, ColorChoice::Never).color);
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!([count(0, "step"), count(1, "step"), count(2, "step")], ["0 steps", "1 step", "2 steps"]);
    }
}
