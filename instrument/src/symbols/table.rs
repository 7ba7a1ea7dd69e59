//! Names from the ELF symbol table, for programs without debug information.

use std::cmp::Reverse;
use std::fmt;

use crate::image::{ElfSymbol, SymbolUse};

/// Symbols may contain others; this many are looked at before the address is given up.
const MAX_CANDIDATES: usize = 16;

/// The functions and variables of one module, each sorted by address.
#[derive(Default)]
pub(super) struct SymbolTable {
    functions: Vec<ElfSymbol>,
    variables: Vec<ElfSymbol>,
}

/// A symbol and how far behind its start an address is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) offset: u64,
}

/// `name` or, behind its start, `name+8`.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => f.write_str(&self.name),
            offset => write!(f, "{}+{offset}", self.name),
        }
    }
}

impl SymbolTable {
    pub(super) fn new(symbols: Vec<ElfSymbol>) -> Self {
        let (mut functions, mut variables): (Vec<_>, Vec<_>) =
            symbols.into_iter().partition(|symbol| symbol.purpose == SymbolUse::Function);
        for symbols in [&mut functions, &mut variables] {
            // Of several names for one address, the friendliest comes last, where the search starts.
            symbols.sort_by(|a, b| {
                a.address.cmp(&b.address).then_with(|| Reverse(friendliness(a)).cmp(&Reverse(friendliness(b))))
            });
        }
        Self { functions, variables }
    }

    /// The function that contains an address.
    pub(super) fn function(&self, address: u64) -> Option<Found> {
        find(&self.functions, address)
    }

    /// The variable that contains an address.
    pub(super) fn variable(&self, address: u64) -> Option<Found> {
        find(&self.variables, address)
    }
}

/// Smaller is better: `write` before `__write` before `__GI___write`.
fn friendliness(symbol: &ElfSymbol) -> (usize, usize, &str) {
    let name = symbol.name.as_str();
    let underscores = name.len() - name.trim_start_matches('_').len();
    let is_mangled = name.starts_with("_Z") || name.starts_with("_R");
    (if is_mangled { 0 } else { underscores }, name.len(), name)
}

fn find(symbols: &[ElfSymbol], address: u64) -> Option<Found> {
    let behind = symbols.partition_point(|symbol| symbol.address <= address);
    let symbol = symbols[..behind]
        .iter()
        .rev()
        .take(MAX_CANDIDATES)
        .enumerate()
        .find(|(steps_back, symbol)| {
            let offset = address - symbol.address;
            // Hand-written assembly often has no size: it reaches to the next symbol.
            offset < symbol.size || (symbol.size == 0 && *steps_back == 0)
        })?
        .1;
    let name = crate::mangled::source_name(&symbol.name);
    Some(Found { name: name.into_owned(), offset: address - symbol.address })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, address: u64, size: u64, purpose: SymbolUse) -> ElfSymbol {
        ElfSymbol { name: name.to_owned(), address, size, purpose }
    }

    #[test]
    fn picks_the_containing_symbol_and_the_friendliest_name() {
        let table = SymbolTable::new(vec![
            symbol("__write", 100, 20, SymbolUse::Function),
            symbol("write", 100, 20, SymbolUse::Function),
            symbol("__GI___write", 100, 20, SymbolUse::Function),
            symbol("inner", 104, 2, SymbolUse::Function),
            symbol("unsized", 200, 0, SymbolUse::Function),
            symbol("_ZN2ns4lockE", 300, 40, SymbolUse::Variable),
        ]);
        let function = |address| table.function(address).map(|found| found.to_string());
        assert_eq!(function(99), None);
        assert_eq!(function(100).as_deref(), Some("write"));
        assert_eq!(function(105).as_deref(), Some("inner+1"));
        assert_eq!(function(107).as_deref(), Some("write+7"));
        assert_eq!(function(120), None);
        assert_eq!(function(250).as_deref(), Some("unsized+50"));
        let variable = |address| table.variable(address).map(|found| found.to_string());
        assert_eq!(variable(308).as_deref(), Some("ns::lock+8"));
        assert_eq!(variable(340), None);
        assert_eq!(variable(100), None);
    }
}
