//! The user's own directory for what can be made anew.

use std::path::PathBuf;

/// A directory of rscale's in the user's cache, as the XDG specification has it. Relative paths do not count.
#[must_use]
pub fn directory(name: &str) -> Option<PathBuf> {
    directory_from(name, |variable| std::env::var_os(variable).map(PathBuf::from))
}

fn directory_from(name: &str, variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name| variable(name).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("rscale").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_cache_of_the_user_is_taken_where_there_is_one() {
        let with = |cache: Option<&'static str>, home: Option<&'static str>| {
            let known = move |name: &str| if name == "HOME" { home } else { cache };
            directory_from("include", move |name| known(name).map(PathBuf::from))
        };
        assert_eq!(with(Some("/c"), Some("/h")).as_deref(), Some(Path::new("/c/rscale/include")));
        assert_eq!(with(Some("relative"), Some("/h")).as_deref(), Some(Path::new("/h/.cache/rscale/include")));
        assert_eq!(with(None, None), None);
    }
}
