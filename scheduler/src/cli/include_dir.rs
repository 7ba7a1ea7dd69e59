//! `rscale include-dir`: where programs find `<rscale.h>`.
//!
//! rscale is one file, so the header is unpacked: into a directory of the user's cache, where it stays.

use super::print_text;
use crate::cache;
use crate::exit::{Exit, Failure};
use clap::Args;
use std::path::Path;
use std::{fs, io, process};

const HEADER: &str = include_str!("../../include/rscale.h");
const NAME: &str = "rscale.h";

/// Print a directory that contains rscale.h
#[derive(Args, Debug)]
pub struct IncludeDirArgs {}

/// Unpacks the header and prints where it is.
pub fn execute() -> Result<Exit, Failure> {
    let directory = cache::directory("include")
        .ok_or_else(|| Failure::Usage("include-dir: neither XDG_CACHE_HOME nor HOME names a directory".into()))?;
    unpack(&directory).map_err(|error| Failure::Usage(format!("could not write {}: {error}", directory.display())))?;
    print_text(&format!("{}\n", directory.display()))?;
    Ok(Exit::Clean)
}

/// Writes the header unless it is there. Readers never see half of it.
fn unpack(directory: &Path) -> io::Result<()> {
    let header = directory.join(NAME);
    if fs::read(&header).is_ok_and(|found| found == HEADER.as_bytes()) {
        return Ok(());
    }
    fs::create_dir_all(directory)?;
    let fresh = directory.join(format!("{NAME}.{}", process::id()));
    fs::write(&fresh, HEADER)?;
    fs::rename(&fresh, &header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_header_is_replaced() {
        let directory = std::env::temp_dir().join(format!("rscale-include-{}", process::id()));
        fs::create_dir_all(&directory).expect("a directory for the test");
        fs::write(directory.join(NAME), "old").expect("an old header");
        for _ in 0..2 {
            unpack(&directory).expect("it can be written");
            assert_eq!(fs::read_to_string(directory.join(NAME)).expect("it is there"), HEADER);
        }
        assert_eq!(fs::read_dir(&directory).expect("it is there").count(), 1, "nothing else is left behind");
        fs::remove_dir_all(&directory).expect("it was made above");
    }
}
