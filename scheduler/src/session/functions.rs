//! From the names of functions to the functions, or to words that say why not.

use crate::compile::Subject;
use crate::config::Watched;
use crate::exit::Failure;
use crate::launch::Function;
use crate::nearest::nearest;
use rscale_instrument::symbols::{FunctionSymbol, LookupError, find_function};
use std::path::{Path, PathBuf};

/// The functions of the program, or of the libraries that are watched like it, that the user names, each behind where.
///
/// # Errors
/// Where a name is not that of one function.
pub fn resolve(names: &[(String, &str)], subject: &Subject, watched: &Watched) -> Result<Vec<Function>, Failure> {
    names.iter().map(|(place, name)| find(place, name, subject, watched)).collect()
}

/// What the user should know about functions of which too little is known.
pub fn notes(functions: &[Function]) -> Vec<String> {
    let unknown = functions.iter().filter(|function| function.width.is_none());
    let note = |function: &Function| {
        format!(
            "{}: without debug information it is taken to return an int; if it returns bool or char, compile with -g",
            function.name
        )
    };
    unknown.map(note).collect()
}

fn find(place: &str, name: &str, subject: &Subject, watched: &Watched) -> Result<Function, Failure> {
    let files: Vec<&PathBuf> = std::iter::once(&subject.executable).chain(&watched.libraries).collect();
    let mut first = None;
    for file in files {
        match find_function(file, name) {
            Ok(found) => {
                let FunctionSymbol { name, address, location, width } = found;
                return Ok(Function { name, location, file: file.clone(), address, width });
            }
            // What is wrong with the program's own is more interesting than that a library lacks it.
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    let reason = first.map_or_else(String::new, |error| explain(&error, name, &subject.given));
    Err(Failure::Usage(format!("{place} {name}: {reason}")))
}

fn explain(error: &LookupError, name: &str, program: &Path) -> String {
    let program = program.display();
    match error {
        LookupError::NoSymbols => format!("{program} has no symbols: compile it without -s, and do not strip it"),
        LookupError::Variable => "that is a variable, not a function; it has to be a function int f(void)".into(),
        LookupError::TakesArguments(full) => format!("{full} takes arguments; it has to be a function int f(void)"),
        LookupError::Returns(what) => format!("it returns {what}; it has to be a function int f(void)"),
        LookupError::Ambiguous(several) => {
            let places: Vec<String> = several.iter().map(|one| format!("{} at {}", one.name, one.location)).collect();
            format!("the name is ambiguous: {}", places.join(", "))
        }
        LookupError::Unknown(names) => match nearest(name, names.iter().map(String::as_str)) {
            Some(similar) => format!("{program} has no function of this name; did you mean {similar}?"),
            None => format!(
                "{program} has no function of this name (one that nobody calls may have been left out by the compiler: \
                 __attribute__((used)) keeps it)"
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let names = ["sorted", "is_sorted", "main"].map(String::from);
        let text = explain(&LookupError::Unknown(names.to_vec()), "mian", Path::new("./a.out"));
        assert_eq!(text, "./a.out has no function of this name; did you mean main?");
        assert!(explain(&LookupError::Unknown(Vec::new()), "f", Path::new("./a.out")).contains("used"));
    }
}
