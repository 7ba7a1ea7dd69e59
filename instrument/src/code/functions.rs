//! The function ranges of a file.
//!
//! The symbol table knows them by name. A stripped file still has its unwind tables, which hold the same ranges
//! for everything a compiler made. Where both are silent, the gaps are swept (`gaps.rs`).
//!
//! Ranges never overlap: an entry point in the middle of a function splits it, and execution that runs from
//! the first part into the second is a matter of control flow, not of ranges.

use std::collections::BTreeMap;
use std::ops::Range;

use super::layout::{CodeArea, CodeSymbolKind, Layout};
use crate::unwind::tables::UnwindRange;

/// Functions of the compiler's start files. Those without a size come from hand-written or merged code.
const START_CODE: [&str; 8] = [
    "_start",
    "deregister_tm_clones",
    "register_tm_clones",
    "__do_global_dtors_aux",
    "frame_dummy",
    "_dl_relocate_static_pie",
    "__libc_csu_init",
    "__libc_csu_fini",
];

/// Whose code a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Code of the program.
    Program,
    /// Stubs of the linker for calls into libraries.
    Plt,
    /// Code of the compiler that runs before and after `main`.
    Startup,
}

/// How a function was found, the surest way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The symbol table.
    Symbol,
    /// The unwind tables.
    Unwind,
    /// A call, a jump or a pointer leads there.
    Reference,
    /// Code computes its address, which may be that of a table of numbers as well.
    Address,
    /// Nothing but the bytes between other functions, which look like code.
    Sweep,
}

/// A range of code that is entered at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Where it lies, in the addresses of the file.
    pub range: Range<u64>,
    /// All its names, the friendliest first; none in a stripped file.
    pub names: Vec<String>,
    /// Whose code it is.
    pub role: Role,
    /// How it was found.
    pub origin: Origin,
    /// Whether it begins in the frame of another function that jumps to it, as `.cold` parts do.
    pub is_part: bool,
}

impl Function {
    /// Its name as in the source, or its address.
    #[must_use]
    pub fn label(&self) -> String {
        match self.names.first() {
            Some(name) => crate::mangled::source_name(name).into_owned(),
            None => format!("function at {:#x}", self.range.start),
        }
    }

    /// The number of its bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// What is known about a start address before ranges are made.
#[derive(Default)]
struct Candidate {
    end: u64,
    names: Vec<String>,
    is_part: bool,
}

/// The functions that symbols with a size and unwind entries tell of; `unwind` holds the latter.
pub(super) fn known(layout: &Layout<'_>, unwind: &[UnwindRange]) -> Vec<Function> {
    let mut candidates: BTreeMap<u64, Candidate> = BTreeMap::new();
    let sized = layout.symbols.iter().filter(|symbol| symbol.kind == CodeSymbolKind::Function && symbol.size > 0);
    for symbol in sized {
        let candidate = candidates.entry(symbol.address).or_default();
        candidate.end = candidate.end.max(symbol.address + symbol.size);
        candidate.names.push(symbol.name.clone());
    }
    for UnwindRange { range, is_part } in unwind {
        let Some(area) = layout.area(range.start) else { continue };
        let candidate = candidates.entry(range.start).or_default();
        candidate.end = candidate.end.max(range.end.min(area.range().end));
        candidate.is_part |= is_part;
    }
    candidates.retain(|address, candidate| {
        candidate.end > *address && layout.area(*address).is_some_and(|area| !area.is_plt())
    });
    let mut functions = disjoint(candidates, layout);
    functions.extend(stubs(layout));
    functions.sort_by_key(|function| function.range.start);
    functions
}

/// Cuts each range at the next start. What a longer range had behind a shorter one inside it goes to the latter.
fn disjoint(candidates: BTreeMap<u64, Candidate>, layout: &Layout<'_>) -> Vec<Function> {
    let starts: Vec<u64> = candidates.keys().copied().skip(1).chain([u64::MAX]).collect();
    let mut covered = 0;
    candidates
        .into_iter()
        .zip(starts)
        .map(|((start, candidate), next)| {
            covered = candidate.end.max(covered);
            let origin = if candidate.names.is_empty() { Origin::Unwind } else { Origin::Symbol };
            let area_end = layout.area(start).map_or(covered, |area| area.range().end);
            let mut function = function(layout, start..covered.min(next).min(area_end), candidate.names, origin);
            function.is_part |= candidate.is_part;
            function
        })
        .collect()
}

/// A function with its names in order and its role.
pub(super) fn function(layout: &Layout<'_>, range: Range<u64>, mut names: Vec<String>, origin: Origin) -> Function {
    names.sort_by(|a, b| unfriendliness(a).cmp(&unfriendliness(b)));
    names.dedup();
    let is_named_so = names.iter().any(|name| START_CODE.contains(&name.as_str()));
    let is_unnamed_entry = names.is_empty() && range.start == layout.entry;
    let lies_there = layout.area(range.start).is_some_and(CodeArea::is_startup);
    let role = if is_named_so || is_unnamed_entry || lies_there { Role::Startup } else { Role::Program };
    let is_part = names.iter().any(|name| name.ends_with(".cold"));
    Function { range, names, role, origin, is_part }
}

/// `write` before `__write`, short before long.
fn unfriendliness(name: &str) -> (usize, usize, &str) {
    let underscores = name.len() - name.trim_start_matches('_').len();
    (if name.starts_with("_Z") { 0 } else { underscores }, name.len(), name)
}

/// One range for each area of stubs.
fn stubs(layout: &Layout<'_>) -> Vec<Function> {
    layout
        .areas
        .iter()
        .filter(|area| area.is_plt())
        .map(|area| Function {
            range: area.range(),
            names: vec![area.name.clone()],
            role: Role::Plt,
            origin: Origin::Symbol,
            is_part: false,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::layout::CodeSymbol;
    use super::*;

    const CODE: [u8; 256] = [0x90; 256];

    fn layout(symbols: &[(&str, u64, u64)]) -> Layout<'static> {
        let symbol = |(name, address, size): &(&str, u64, u64)| CodeSymbol {
            name: (*name).to_owned(),
            address: *address,
            size: *size,
            kind: CodeSymbolKind::Function,
        };
        Layout {
            areas: vec![
                CodeArea { name: ".plt.sec".to_owned(), address: 0x800, bytes: &CODE },
                CodeArea { name: ".text".to_owned(), address: 0x1000, bytes: &CODE },
            ],
            symbols: symbols.iter().map(symbol).collect(),
            constants: Vec::new(),
            pointers: Vec::new(),
            entry: 0x1080,
        }
    }

    fn shown(functions: &[Function]) -> Vec<String> {
        let show = |f: &Function| format!("{} {:#x}..{:#x} {:?}", f.label(), f.range.start, f.range.end, f.role);
        functions.iter().map(show).collect()
    }

    #[test]
    fn aliases_share_a_range_and_inner_entries_split_it() {
        let symbols = [("__write", 0x1000, 16), ("write", 0x1000, 20), ("outer", 0x1020, 0x30), ("inner", 0x1030, 4)];
        let functions = known(&layout(&symbols), &[]);
        let expected = [
            ".plt.sec 0x800..0x900 Plt",
            "write 0x1000..0x1014 Program",
            "outer 0x1020..0x1030 Program",
            "inner 0x1030..0x1050 Program",
        ];
        assert_eq!(shown(&functions), expected);
        assert_eq!(functions[1].names, ["write", "__write"]);
    }

    #[test]
    fn unwind_entries_serve_without_symbols() {
        let ranges = [0x1010..0x1018, 0x1080..0x1090, 0x10f0..0x1200, 0x5000..0x5010, 0x1018..0x1018];
        let unwind = ranges.map(|range| UnwindRange { is_part: range.start == 0x1010, range });
        let functions = known(&layout(&[]), &unwind);
        let expected = [
            ".plt.sec 0x800..0x900 Plt",
            "function at 0x1010 0x1010..0x1018 Program",
            "function at 0x1080 0x1080..0x1090 Startup",
            "function at 0x10f0 0x10f0..0x1100 Program",
        ];
        assert_eq!(shown(&functions), expected);
        assert_eq!(functions.iter().map(|function| function.is_part).collect::<Vec<_>>(), [false, true, false, false]);
    }
}
