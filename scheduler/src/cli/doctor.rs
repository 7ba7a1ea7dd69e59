//! `rscale doctor`: what this machine allows, and what follows.

use super::print_text;
use crate::doctor;
use crate::exit::{Exit, Failure};
use crate::report::{ColorChoice, Look, Target};
use clap::Args;

/// Show what this machine allows, and what follows
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Colours: auto, always or never [default: auto]
    #[arg(long, value_name = "WHEN", hide_possible_values = true)]
    color: Option<ColorChoice>,
}

impl DoctorArgs {
    /// Examines the machine.
    pub fn execute(&self) -> Result<Exit, Failure> {
        let checks = doctor::examine();
        print_text(&doctor::render(&checks, &Look::of(Target::Stdout, self.color.unwrap_or_default())))?;
        Ok(doctor::exit_code(&checks))
    }
}
