//! Finds a function of a program by the name that a person gives it.
//!
//! A name may be that of the symbol, the demangled one with its parameters (`ns::f()`), the same without them
//! (`ns::f`), or the last part alone (`f`). The first of these that names something decides; if it names more than one
//! function, nobody can tell which one is meant.

use std::collections::BTreeMap;
use std::path::Path;

use super::Symbolizer;
use super::signature::{Returned, Signature, Width};
use crate::image::{ElfSymbol, Image, SymbolUse};
use crate::maps::Module;

/// A function of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionSymbol {
    /// Its name, demangled.
    pub name: String,
    /// Its address in the file.
    pub address: u64,
    /// Where it is defined: `file.c:12`, else `a.out+0x1139`.
    pub location: String,
    /// How large what it returns is; None where that is not known.
    pub width: Option<Width>,
}

/// Why a name is not that of one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LookupError {
    /// The file has no symbols, or is none that can be read.
    NoSymbols,
    /// Nothing has this name; these are the names of functions that there are.
    Unknown(Vec<String>),
    /// It is the name of a variable.
    Variable,
    /// The function takes arguments; this is its name with them.
    TakesArguments(String),
    /// What the function returns is no number of at most four bytes, but this.
    Returns(String),
    /// Several functions have this name.
    Ambiguous(Vec<FunctionSymbol>),
}

/// Finds the function that takes no arguments by its name.
///
/// # Errors
/// Where there is not exactly one.
pub fn find_function(path: &Path, name: &str) -> Result<FunctionSymbol, LookupError> {
    let symbols = Image::read(path).map_or_else(Vec::new, |image| image.symbols());
    let (functions, variables): (Vec<Named<'_>>, Vec<Named<'_>>) =
        symbols.iter().map(Named::of).partition(|named| named.symbol.purpose == SymbolUse::Function);
    if functions.is_empty() {
        return Err(LookupError::NoSymbols);
    }
    let Some(found) = matching(&functions, name) else {
        return Err(match matching(&variables, name) {
            Some(_) => LookupError::Variable,
            None => LookupError::Unknown(functions.into_iter().map(|function| function.plain).collect()),
        });
    };
    // Several names of one address are one function.
    let by_address: BTreeMap<u64, &Named<'_>> = found.into_iter().map(|named| (named.symbol.address, named)).collect();
    let without_arguments: Vec<&Named<'_>> =
        by_address.values().copied().filter(|named| !named.takes_arguments()).collect();
    let module = Module { path: path.to_owned(), bias: 0, start: 0, end: u64::MAX };
    let symbolizer = Symbolizer::new(vec![module]);
    let described = |named: &&Named<'_>| FunctionSymbol {
        name: named.plain.clone(),
        address: named.symbol.address,
        location: symbolizer.frames(named.symbol.address).last().map_or_else(String::new, |frame| frame.location()),
        width: None,
    };
    match &without_arguments[..] {
        [one] => {
            let width = width_of(one, symbolizer.signature(one.symbol.address))?;
            Ok(FunctionSymbol { width, ..described(one) })
        }
        [] => Err(LookupError::TakesArguments(
            by_address.into_values().next().map_or_else(String::new, |named| named.full.clone()),
        )),
        several => Err(LookupError::Ambiguous(several.iter().map(described).collect())),
    }
}

/// How large the result of a function is, if that is known and it can be called without arguments.
fn width_of(named: &Named<'_>, signature: Option<Signature>) -> Result<Option<Width>, LookupError> {
    let Some(Signature { parameters, result }) = signature else { return Ok(None) };
    if !parameters.is_empty() {
        return Err(LookupError::TakesArguments(format!("{}({})", named.plain, parameters.join(", "))));
    }
    match result {
        Returned::Number(width) if width.bytes <= Width::INT.bytes => Ok(Some(width)),
        Returned::Number(width) => Err(LookupError::Returns(format!("a number of {} bytes", width.bytes))),
        Returned::Other(what) => Err(LookupError::Returns(what)),
    }
}

/// A symbol with the names that a person may give it.
struct Named<'a> {
    symbol: &'a ElfSymbol,
    /// Demangled, with its parameters.
    full: String,
    /// Without them.
    plain: String,
}

impl<'a> Named<'a> {
    fn of(symbol: &'a ElfSymbol) -> Named<'a> {
        let full = crate::mangled::source_name(&symbol.name).into_owned();
        let plain = without_parameters(&full).to_owned();
        Named { symbol, full, plain }
    }

    /// Where that is known: the names of C functions do not tell.
    fn takes_arguments(&self) -> bool {
        self.full != self.plain && !self.full[self.plain.len()..].starts_with("()")
    }

    /// The last part of its name.
    fn last_part(&self) -> &str {
        self.plain.rsplit("::").next().unwrap_or(&self.plain)
    }
}

/// `ns::f` of `ns::f(int)`; the parentheses of `(anonymous namespace)` are part of the name.
fn without_parameters(full: &str) -> &str {
    let mut depth = 0usize;
    for (index, character) in full.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' if depth == 1 => {
                let is_list = index > 0 && !full[..index].ends_with(':');
                return if is_list { &full[..index] } else { full };
            }
            '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    full
}

/// What a name stands for, in the narrowest sense in which it stands for anything.
fn matching<'a>(symbols: &'a [Named<'a>], name: &str) -> Option<Vec<&'a Named<'a>>> {
    let senses: [fn(&Named<'_>, &str) -> bool; 3] = [
        |named, name| named.symbol.name == name || named.full == name,
        |named, name| named.plain == name,
        |named, name| named.last_part() == name,
    ];
    senses.iter().find_map(|is_meant| {
        let found: Vec<&Named<'_>> = symbols.iter().filter(|named| is_meant(named, name)).collect();
        (!found.is_empty()).then_some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_told_from_namespaces() {
        assert_eq!(without_parameters("ns::f()"), "ns::f");
        assert_eq!(without_parameters("ns::f(int (*)(long))"), "ns::f");
        assert_eq!(without_parameters("(anonymous namespace)::f()"), "(anonymous namespace)::f");
        assert_eq!(without_parameters("f"), "f");
    }

    #[test]
    fn the_narrowest_sense_decides() {
        let symbol =
            |name: &str, address| ElfSymbol { name: name.to_owned(), address, size: 4, purpose: SymbolUse::Function };
        let symbols = [symbol("holds", 1), symbol("_ZN2ns5holdsEv", 2), symbol("_ZN2ns5holdsEi", 3)];
        let named: Vec<Named<'_>> = symbols.iter().map(Named::of).collect();
        let addresses = |name: &str| -> Option<Vec<u64>> {
            Some(matching(&named, name)?.iter().map(|named| named.symbol.address).collect())
        };
        assert_eq!(addresses("holds"), Some(vec![1]));
        assert_eq!(addresses("ns::holds()"), Some(vec![2]));
        assert_eq!(addresses("ns::holds"), Some(vec![2, 3]));
        assert_eq!(addresses("_ZN2ns5holdsEi"), Some(vec![3]));
        assert_eq!(addresses("hold"), None);
        assert!(named[2].takes_arguments() && !named[1].takes_arguments() && !named[0].takes_arguments());
    }

    #[test]
    fn files_without_symbols_say_so() {
        assert_eq!(find_function(Path::new("/nonexistent"), "f"), Err(LookupError::NoSymbols));
    }
}
