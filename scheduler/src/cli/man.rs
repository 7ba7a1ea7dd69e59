//! `rscale man`: the manual, made from the definitions of the command line.

use super::{command, print_text};
use crate::exit::{Exit, Failure};
use crate::nearest::nearest;
use clap::builder::Resettable;
use clap::{Args, Command};
use clap_mangen::Man;

/// Print a page of the manual, for man(1)
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The command that the page is about [default: all of rscale]
    #[arg(value_name = "COMMAND")]
    name: Option<String>,
}

impl ManArgs {
    /// Prints the page.
    pub fn execute(self) -> Result<Exit, Failure> {
        print_text(&page(self.name.as_deref())?)?;
        Ok(Exit::Clean)
    }
}

/// A page of the manual, in roff.
fn page(name: Option<&str>) -> Result<String, Failure> {
    let mut whole = command();
    whole.build();
    let part = match name {
        None => whole,
        Some(name) => whole.find_subcommand(name).cloned().ok_or_else(|| unknown(name, &whole))?,
    };
    let title = part.get_display_name().unwrap_or("rscale").to_owned();
    let notes = part.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut text = Vec::new();
    Man::new(part.after_help(Resettable::Reset))
        .title(title)
        .source(concat!("rscale ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)
        .map_err(|cause| Failure::CannotRun(format!("can not make the page: {cause}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned() + &notes_section(&notes))
}

/// What stands below the help, line by line as it is there.
fn notes_section(notes: &str) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let lines: String = notes.lines().map(|line| format!("{}\n", plain_line(line))).collect();
    format!(".SH NOTES\n.nf\n{lines}.fi\n")
}

/// A line that means nothing else to roff: neither a request, nor escapes, nor hyphens that are no dashes.
fn plain_line(line: &str) -> String {
    let escaped = line.replace('\\', "\\e").replace('-', "\\-");
    if escaped.starts_with(['.', '\'']) { format!("\\&{escaped}") } else { escaped }
}

fn unknown(name: &str, whole: &Command) -> Failure {
    let advice = nearest(name, whole.get_subcommands().map(Command::get_name));
    let advice = advice.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    Failure::Usage(format!("man {name}: there is no such command{advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let whole = page(None).expect("a page");
        assert!(whole.contains(".TH rscale 1"), "{whole}");
        for part in command().get_subcommands().map(Command::get_name) {
            let page = page(Some(part)).expect(part);
            assert!(page.contains(&format!(".TH rscale-{part} 1")), "{page}");
            // Roff writes a dash as \\-.
            assert!(whole.contains(&format!("rscale\\-{}(1)", part.replace('-', "\\-"))), "{part}: {whole}");
        }
    }

    #[test]
    fn notes_are_not_taken_for_requests() {
        assert_eq!(notes_section(""), "");
        assert_eq!(notes_section(".x a-b\n'y \\"), ".SH NOTES\n.nf\n\\&.x a\\-b\n\\&'y \\e\n.fi\n");
    }

    #[test]
    fn a_page_of_nothing_is_refused() {
        let refused = page(Some("rum")).expect_err("no such command").to_string();
        assert_eq!(refused, "man rum: there is no such command; did you mean run?");
    }
}
