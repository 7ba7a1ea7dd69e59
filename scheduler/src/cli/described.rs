//! The command line of a search, for its journal.

use crate::config::RunConfig;
use crate::exit::Failure;
use crate::journal::{self, Search};
use std::ffi::OsString;

/// What a journal says about the search: the command line as it was typed, and where.
pub fn described(config: &RunConfig) -> Result<Search, Failure> {
    let text = |word: OsString| {
        word.into_string().map_err(|word| Failure::Usage(format!("--journal: {} is no text", word.to_string_lossy())))
    };
    let directory =
        std::env::current_dir().map_err(|cause| Failure::CannotRun(format!("can not tell where I am: {cause}")))?;
    Ok(Search {
        version: journal::VERSION,
        rscale: env!("CARGO_PKG_VERSION").into(),
        arguments: std::env::args_os().skip(2).map(text).collect::<Result<_, _>>()?,
        directory: text(directory.into_os_string())?,
        program_hash: config.subject.hash.clone(),
    })
}
