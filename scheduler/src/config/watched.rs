//! Which code is watched beside the program's own, and which is not.
//!
//! It decides which accesses are steps, so it travels in the header of a trace like the [rules](super::Rules).

use std::path::PathBuf;

const INSTRUMENT: &str = "instrument";
const EXCLUDE: &str = "exclude";

/// The user's choice of code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watched {
    /// Shared libraries to instrument like the program itself.
    pub libraries: Vec<PathBuf>,
    /// Functions and source files that the user trusts.
    pub excluded: Vec<String>,
}

impl Watched {
    /// The options of a trace header.
    #[must_use]
    pub fn to_options(&self) -> Vec<(String, String)> {
        let libraries = self.libraries.iter().map(|path| (INSTRUMENT, path.to_string_lossy().into_owned()));
        let excluded = self.excluded.iter().map(|name| (EXCLUDE, name.clone()));
        libraries.chain(excluded).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Takes what is its own out of the options of a trace header; the rest is returned.
    #[must_use]
    pub fn from_options(options: &[(String, String)]) -> (Watched, Vec<(String, String)>) {
        let mut watched = Watched::default();
        let mut rest = Vec::new();
        for (name, value) in options {
            match name.as_str() {
                INSTRUMENT => watched.libraries.push(value.into()),
                EXCLUDE => watched.excluded.push(value.clone()),
                _ => rest.push((name.clone(), value.clone())),
            }
        }
        (watched, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_a_trace() {
        let watched = Watched { libraries: vec!["libz.so".into()], excluded: vec!["log".into(), "debug.c".into()] };
        let mut options = watched.to_options();
        options.push(("seed".into(), "1".into()));
        assert_eq!(Watched::from_options(&options), (watched, vec![("seed".to_owned(), "1".to_owned())]));
    }
}
