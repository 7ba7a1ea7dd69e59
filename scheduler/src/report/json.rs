//! Results for scripts: `--json`.

use super::{Target, escape, print};
use crate::exit::Failure;
use rscale_replay::atomic;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where `--json` goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// `-`
    Stdout,
    /// A file.
    File(PathBuf),
}

impl From<PathBuf> for Destination {
    fn from(path: PathBuf) -> Destination {
        if path == Path::new("-") { Destination::Stdout } else { Destination::File(path) }
    }
}

/// The JSON text of a result. Characters that could harm a terminal are escaped, which changes no value.
#[must_use]
pub fn render(result: &impl Serialize) -> String {
    let raw = serde_json::to_string_pretty(result).expect("results have only strings as keys");
    let mut text = String::with_capacity(raw.len() + 1);
    for character in raw.chars() {
        if character != '\n' && escape::is_harmful(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text.push('\n');
    text
}

/// Writes a result where it was asked for, whole or not at all.
///
/// # Errors
/// When the file or the stream can not be written.
pub fn write(destination: &Destination, result: &impl Serialize) -> Result<(), Failure> {
    let text = render(result);
    match destination {
        Destination::Stdout => print(Target::Stdout, &text),
        Destination::File(path) => atomic::write(path, text.as_bytes())
            .map_err(|cause| Failure::CannotRun(format!("can not write the summary {}: {cause}", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_dash_is_standard_output() {
        assert_eq!(Destination::from(PathBuf::from("-")), Destination::Stdout);
        assert_eq!(Destination::from(PathBuf::from("./-")), Destination::File("./-".into()));
    }

    #[test]
    fn a_full_disk_is_reported_with_its_path() {
        let failure = write(&Destination::File("/dev/full".into()), &"x").expect_err("full");
        assert!(failure.to_string().starts_with("can not write the summary /dev/full: No space left"), "{failure}");
    }

    proptest! {
        #[test]
        fn values_survive_and_nothing_harmful_is_printed(value: String) {
            let text = render(&value);
            prop_assert!(!text.trim_end_matches('\n').chars().any(escape::is_harmful));
            prop_assert_eq!(serde_json::from_str::<String>(&text).expect("valid JSON"), value);
        }
    }
}
