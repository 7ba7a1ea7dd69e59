//! The plan: everything that instrumenting one module takes.

use std::ops::Range;
use std::path::Path;

use rscale_protocol::region::{self, Area, Header, MAGIC, MAX_AREAS, SLOTS, Span};

use super::RewriteError;
use super::clones::Clones;
use super::code::Code;
use super::image::{PAGE, append, put_site, write_header};
use super::patches;
use super::points::{self, Lead};
use super::select::Selection;
use super::text::{self, Text};
use super::translate::{self, Target};
use crate::code::functions::Function;
use crate::code::layout::code_areas;
use crate::code::sites::Shape;
use crate::code::survey::{Survey, Surveyed};
use crate::image::Image;
use crate::unwind::tables::UnwindTables;

/// More than any hook takes.
const HOOK_BOUND: u64 = 64;
/// No instruction grows by more than this factor otherwise: `call rax`, made by the clone, is the worst.
const GROWTH_BOUND: u64 = 8;
/// What a function may take beyond that: alignment, a jump behind its end, headers of patches.
const FUNCTION_BOUND: u64 = 128;
const BREAKPOINT: u8 = 0xcc;

/// Where things are in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// What to add to an address of the file to get one of the process.
    pub bias: u64,
    /// Where the region will be mapped: at a page, within 1.9 GB of the module.
    pub base: u64,
}

/// A function that the survey would allow to be cloned, and that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// The function.
    pub function: Function,
    /// Why.
    pub omission: Omission,
}

/// Why a function is not cloned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omission {
    /// The caller wants it so.
    Excluded,
    /// An instruction that can not be moved.
    Instruction {
        /// Where it is, from the function's start.
        offset: u64,
    },
}

/// An access in a cloned function that has no hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unhooked {
    /// The function's name.
    pub function: String,
    /// The instruction's address in the file.
    pub address: u64,
    /// How the bytes lie, which is why.
    pub shape: Shape,
}

/// A region and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its bytes, see [`rscale_protocol::region`].
    pub region: Vec<u8>,
    /// The offset in the region of each cloned instruction, hooks included, and its address in the file; sorted.
    pub clones: Vec<(u32, u32)>,
    /// Functions that are not cloned, beyond those that the survey skips.
    pub omitted: Vec<Omitted>,
    /// Accesses that have no hook.
    pub unhooked: Vec<Unhooked>,
    /// Points of the original code that lead to their clones through breakpoints only, as addresses in the file.
    pub traps: Vec<u64>,
    placement: Placement,
    code: Span,
}

/// More bytes than the region will have, whatever its place.
#[must_use]
pub fn length_bound(survey: &Survey) -> u64 {
    let hooks = |surveyed: &Surveyed| (surveyed.sites.len() + surveyed.prefetches.len()) as u64;
    let sites: u64 = survey.functions.iter().map(hooks).sum();
    let first = survey.functions.first().map_or(0, |surveyed| surveyed.function.range.start);
    let last = survey.functions.last().map_or(0, |surveyed| surveyed.function.range.end);
    // A code area extends beyond its functions, but no area does without any.
    let text = survey.text_bytes.max(last - first) + survey.text_bytes;
    let functions = survey.functions.len() as u64 * FUNCTION_BOUND;
    let tables = text * size_of::<u32>() as u64;
    let records = sites * size_of::<region::Site>() as u64;
    (sites * HOOK_BOUND + text * (GROWTH_BOUND + 2) + functions + tables + records).next_multiple_of(PAGE as u64)
        + 8 * PAGE as u64
}

impl Plan {
    /// Plans the region of a module whose file was surveyed. Functions for which `is_excluded` holds run as they are.
    ///
    /// # Errors
    /// See [`RewriteError`].
    pub fn build(
        path: &Path,
        survey: &Survey,
        placement: Placement,
        is_excluded: &dyn Fn(&Function) -> bool,
    ) -> Result<Self, RewriteError> {
        let unreadable = || RewriteError::Unreadable(path.to_owned());
        let image = Image::read(path).ok_or_else(unreadable)?;
        let file = image.file().ok_or_else(unreadable)?;
        let areas = code_areas(&file);
        let selection = Selection::new(&areas, survey, is_excluded);
        // Functions that are as good as their clones need none.
        let has_nothing_to_clone = selection.omitted.is_empty() && !survey.functions.is_empty();
        if selection.cloned.is_empty() && !has_nothing_to_clone {
            return Err(RewriteError::NoFunctions(path.to_owned()));
        }
        let ranges = text::ranges(&areas, &selection, MAX_AREAS);
        if !fits(&ranges, length_bound(survey)) {
            return Err(RewriteError::TooLarge(path.to_owned()));
        }
        let pads = UnwindTables::new(&image).map(|tables| tables.landing_pads(&image)).unwrap_or_default();
        let mut text = Text::new(&ranges, &selection, &pads);
        let leads = points::leads(&mut text);
        let clones = clones(survey, &selection, &mut text, placement);
        finish(clones, &text, &leads, selection, placement).ok_or_else(|| RewriteError::TooFar(path.to_owned()))
    }

    /// The original address of what a clone at this address of the process does.
    #[must_use]
    pub fn original_of(&self, pc: u64) -> Option<u64> {
        let offset = pc.checked_sub(self.placement.base)?;
        let end = u64::from(self.code.offset) + u64::from(self.code.length);
        let offset = u32::try_from(offset).ok().filter(|offset| u64::from(*offset) < end)?;
        let behind = self.clones.partition_point(|(start, _)| *start <= offset);
        let (_, address) = self.clones[..behind].last()?;
        Some(u64::from(*address).wrapping_add(self.placement.bias))
    }
}

/// Whether all offsets have 32 bits and distances 31.
fn fits(ranges: &[Range<u64>], bound: u64) -> bool {
    const LIMIT: u64 = 1 << 31;
    bound < LIMIT && ranges.iter().all(|range| range.end < u64::from(u32::MAX) && range.end - range.start < LIMIT)
}

/// Clones all selected functions, behind a header that is still empty.
fn clones(survey: &Survey, selection: &Selection<'_>, text: &mut Text, placement: Placement) -> Clones {
    let mut code = Code::new(placement.base, survey.text_bytes as usize * 4);
    code.put(&[0; PAGE]);
    let routines = translate::put(&mut code, placement.base, &targets(text, placement, &[]));
    let mut clones = Clones::new(code, placement, routines, survey.takes_thread_local_address);
    for surveyed in &selection.cloned {
        clones.add(surveyed, selection.bytes(&surveyed.function.range), text);
    }
    clones.connect(text);
    clones
}

/// The areas as indirect jumps need them; where no table is known yet, the region's start stands for it.
fn targets(text: &Text, placement: Placement, tables: &[Span]) -> Vec<Target> {
    let target = |(index, area): (usize, &text::TextArea)| Target {
        start: area.range.start.wrapping_add(placement.bias),
        length: area.table.len() as u32,
        table: placement.base + tables.get(index).map_or(0, |table| u64::from(table.offset)),
    };
    text.areas.iter().enumerate().map(target).collect()
}

/// Puts everything else behind the clones and completes the header; `None` if something is out of reach.
fn finish(
    clones: Clones,
    text: &Text,
    leads: &[(u64, Lead)],
    selection: Selection<'_>,
    placement: Placement,
) -> Option<Plan> {
    let Clones { mut code, origins, sites, unhooked, .. } = clones;
    code.align(PAGE, BREAKPOINT);
    let clones = Span { offset: PAGE as u32, length: code.offset() - PAGE as u32 };
    let tables: Vec<Span> = text.areas.iter().map(|area| put_table(&mut code, &area.table)).collect();
    let length = sites.len() * size_of::<region::Site>();
    let sites = append(&mut code, length, |bytes| sites.iter().for_each(|site| put_site(bytes, site)));
    let mut outcome = Ok(());
    let patches = append(&mut code, 0, |bytes| outcome = patches::put(text, leads, &selection, placement, bytes));
    outcome.ok()?;
    code.align(PAGE, 0);
    let is_too_far = code.is_too_far() | complete_routines(&mut code, &targets(text, placement, &tables), placement);
    let mut areas = [Area::default(); MAX_AREAS];
    for (area, (part, table)) in areas.iter_mut().zip(text.areas.iter().zip(tables)) {
        let start = part.range.start.wrapping_add(placement.bias);
        *area = Area { start, length: part.table.len() as u64, table };
    }
    let Placement { bias, base } = placement;
    let length = u64::from(code.offset());
    let is_partial = selection.omitted.iter().any(|omitted| omitted.omission == Omission::Excluded).into();
    let header =
        Header { magic: MAGIC, base, bias, length, code: clones, sites, patches, areas, is_partial, slots: [0; SLOTS] };
    write_header(&mut code.bytes, &header);
    let traps = leads.iter().filter(|(_, lead)| *lead == Lead::Trap).map(|(point, _)| *point).collect();
    let plan = Plan {
        region: code.bytes,
        clones: origins,
        omitted: selection.omitted,
        unhooked,
        traps,
        placement,
        code: clones,
    };
    (!is_too_far).then_some(plan)
}

fn put_table(code: &mut Code, table: &[u32]) -> Span {
    append(code, size_of_val(table), |bytes| {
        table.iter().for_each(|offset| bytes.extend_from_slice(&offset.to_le_bytes()));
    })
}

/// Puts the routines for indirect jumps again, now that they can refer to the tables. Returns whether those are too
/// far.
fn complete_routines(code: &mut Code, targets: &[Target], placement: Placement) -> bool {
    let mut again = Code::new(placement.base, 2 * PAGE);
    again.put(&[0; PAGE]);
    translate::put(&mut again, placement.base, targets);
    code.bytes[PAGE..again.bytes.len()].copy_from_slice(&again.bytes[PAGE..]);
    again.is_too_far()
}
