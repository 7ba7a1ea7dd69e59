//! What a CI server gets to see of a run.

use super::{check_file, print};
use crate::exit::Failure;
use crate::report::json::Destination;
use crate::report::{Target, annotations, json, junit, sarif};
use crate::summary::Summary;
use clap::{Args, ValueEnum};
use rscale_replay::atomic;
use std::path::PathBuf;

/// Results for CI servers.
#[derive(Args, Clone, Debug, Default)]
pub struct CiArgs {
    /// Write the result as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    junit: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    sarif: Option<PathBuf>,
    /// Print the findings as annotations of a workflow
    #[arg(long, value_name = "github", hide_possible_values = true, help_heading = "Output")]
    annotations: Option<Annotations>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Annotations {
    Github,
}

impl CiArgs {
    /// Whether the files can be written.
    pub fn check(&self) -> Result<(), Failure> {
        for (option, path) in [("--junit", &self.junit), ("--sarif", &self.sarif)] {
            path.as_deref().map_or(Ok(()), |path| check_file(option, path))?;
        }
        Ok(())
    }

    /// Writes what was asked for.
    pub fn write(&self, summary: &Summary, target: Target) -> Result<(), Failure> {
        if let Some(path) = &self.junit {
            atomic::write(path, junit::render(summary).as_bytes())
                .map_err(|cause| Failure::CannotRun(format!("can not write {}: {cause}", path.display())))?;
        }
        if let Some(path) = &self.sarif {
            json::write(&Destination::File(path.clone()), &sarif::document(summary))?;
        }
        match self.annotations {
            Some(Annotations::Github) => print(target, &annotations::github(summary)),
            None => Ok(()),
        }
    }
}
