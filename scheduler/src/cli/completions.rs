//! `rscale completions`: what shells complete, made from the definitions of the command line.

use super::{command, print_text};
use crate::exit::{Exit, Failure};
use clap::Args;
use clap_complete::{Shell, generate};

/// Print the completions for a shell
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell: bash, zsh, fish, elvish or powershell
    #[arg(hide_possible_values = true)]
    shell: Shell,
}

impl CompletionsArgs {
    /// Prints the script.
    pub fn execute(self) -> Result<Exit, Failure> {
        print_text(&script(self.shell))?;
        Ok(Exit::Clean)
    }
}

fn script(shell: Shell) -> String {
    let mut text = Vec::new();
    generate(shell, &mut command(), "rscale", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_commands_and_options_are_there() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let script = script(shell);
            for word in ["minimize", "include-dir", "filters", "gdbserver"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
        }
    }
}
