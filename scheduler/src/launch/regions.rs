//! The instrumented copies of the program's code: planned here, handed over as a file in memory.
//!
//! When the program is loaded and before any of it runs, the shim asks for them: only then it is known where everything
//! lies. A plan is kept, because every process of the program is loaded at the same addresses.

use super::choice::{self, Exclusion};
use super::containers::{self, Extent, Members};
use super::region_cache::{self, Stored};
use super::{ArenaMap, LaunchError};
use crate::digest;
use nix::sys::memfd::{MFdFlags, memfd_create};
use rscale_instrument::code::survey::Survey;
use rscale_instrument::maps::{self, Mapping, Module};
use rscale_instrument::rewrite::{Omission, Placement, Plan};
use rscale_protocol::arena::{MAX_REGIONS, Setup};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;

const PAGE: u64 = 4096;
/// How far a region may be from its module: relative addresses reach a little further.
const REACH: u64 = 0x7000_0000;
/// Room that is left between a region and what is mapped already: stacks and heaps grow.
const DISTANCE: u64 = 1 << 20;
/// How many times the size of a file its region may have: code grows by about eight times, and files have other parts.
const MOST_GROWTH: u64 = 24;
/// Addresses that programs do not get.
const LOWEST: u64 = 1 << 20;

/// What to instrument.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instrumentation {
    /// The executable, and libraries that the user chose.
    pub files: Vec<PathBuf>,
    /// Functions or source files that the user trusts.
    pub excluded: Vec<String>,
}

/// The regions of a program.
pub struct Regions {
    file: File,
    planned: Vec<Rc<Planned>>,
    unwatched: Vec<String>,
}

/// The region of one module.
pub struct Planned {
    module: Module,
    extent: Extent,
    base: u64,
    stored: Stored,
}

impl Regions {
    /// None yet.
    ///
    /// # Errors
    /// Where the kernel has no memory or descriptors left.
    pub fn new() -> io::Result<Regions> {
        let file = File::from(memfd_create(c"rscale-regions", MFdFlags::MFD_CLOEXEC)?);
        Ok(Regions { file, planned: Vec::new(), unwatched: Vec::new() })
    }

    /// The descriptor to pass to the program.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// The modules that are instrumented.
    #[must_use]
    pub fn planned(&self) -> &[Rc<Planned>] {
        &self.planned
    }

    /// Plans the regions of a process that waits for them, and tells it where they are.
    ///
    /// # Errors
    /// Where a module can not be instrumented, or the user chose code that is not there.
    pub fn provide(&mut self, pid: i32, wanted: &Instrumentation, arena: &ArenaMap) -> Result<(), LaunchError> {
        let failed = |error: std::io::Error| LaunchError::Instrument(error.to_string());
        let text = std::fs::read_to_string(format!("/proc/{pid}/maps")).map_err(failed)?;
        let mut mappings = maps::parse(&text);
        let modules = maps::modules(&mappings, &maps::start_of_file);
        let mut planned = Vec::new();
        for (module, extent) in choice::modules(&wanted.files, &modules).map_err(LaunchError::Choice)? {
            let region = match self.region_of(module, extent, &mappings, wanted) {
                Ok(region) => region,
                // Nobody has asked for it: it is named as not watched.
                Err(_) if extent == Extent::Containers => continue,
                Err(error) => return Err(LaunchError::Instrument(error)),
            };
            // The next one must not be put in the same place.
            mappings.push(region.mapping());
            mappings.sort_by_key(|mapping| mapping.start);
            planned.push(region);
        }
        let known: Vec<&str> = planned.iter().flat_map(|planned| planned.excluded()).map(|(name, _)| &**name).collect();
        if let Some(unknown) = wanted.excluded.iter().find(|name| !known.contains(&name.as_str())) {
            let modules: Vec<_> = planned.iter().map(|planned| (&planned.module, planned.extent)).collect();
            return Err(LaunchError::Choice(choice::unknown_exclusion(unknown, &modules)));
        }
        if planned.iter().map(Rc::as_ptr).ne(self.planned.iter().map(Rc::as_ptr)) {
            self.planned = planned;
            self.unwatched = choice::unwatched(&modules, &self.planned);
        } else if arena.setup.wants_copies.load(Relaxed) != Setup::WANTED {
            return Ok(());
        }
        self.write(arena).map_err(failed)
    }

    /// The libraries whose code runs as it is, by name, or all of it but what is said there. libc is not among them: what
    /// it does to memory is known.
    #[must_use]
    pub fn unwatched(&self) -> &[String] {
        &self.unwatched
    }

    /// The region of a module: the one that is there, if the module lies where it lay before.
    fn region_of(
        &self,
        module: &Module,
        extent: Extent,
        mappings: &[Mapping],
        wanted: &Instrumentation,
    ) -> Result<Rc<Planned>, String> {
        let is_known = |planned: &&Rc<Planned>| planned.module == *module && planned.extent == extent;
        if let Some(known) = self.planned.iter().find(is_known) {
            return Ok(known.clone());
        }
        let unreadable = |error: io::Error| format!("{}: {error}", module.path.display());
        let length = std::fs::metadata(&module.path).map_err(unreadable)?.len();
        let room = length * MOST_GROWTH + DISTANCE;
        let base = free_place(module, mappings, room)
            .ok_or_else(|| format!("there is no room near {} for its instrumented code", module.name()))?;
        let placement = Placement { bias: module.bias, base };
        let excluded = wanted.excluded.join("\n");
        let contents = digest::of_file(&module.path).map_err(unreadable)?;
        let (bias, place, whole) = (module.bias.to_le_bytes(), base.to_le_bytes(), [u8::from(extent == Extent::Whole)]);
        let parts = [&contents.as_bytes()[..], &bias, &place, &whole, excluded.as_bytes()];
        let cached = region_cache::path_of(&parts);
        let stored = match cached.as_deref().and_then(region_cache::load) {
            Some(stored) => stored,
            None => {
                let stored = plan(module, extent, placement, room, wanted)?;
                cached.inspect(|path| region_cache::save(path, &stored));
                stored
            }
        };
        Ok(Rc::new(Planned { module: module.clone(), extent, base, stored }))
    }

    /// Says where all regions are: in files of the cache, of which the program maps what it needs. Other regions, and
    /// all of them if the program can not open these files, go into the file that it has, one behind the other.
    fn write(&self, arena: &ArenaMap) -> io::Result<()> {
        let setup = &arena.setup;
        let is_copied = setup.wants_copies.load(Relaxed) != 0;
        setup.scheduler.store(std::process::id(), Relaxed);
        let mut offset = 0;
        for (index, planned) in self.planned.iter().enumerate().take(MAX_REGIONS) {
            let region = &planned.stored.region;
            let (place, file) = (&setup.region_places[index], &setup.region_files[index]);
            match region.in_file().filter(|_| !is_copied) {
                Some((descriptor, start)) => {
                    file.store(descriptor, Relaxed);
                    place.store(start, region.len());
                }
                None => {
                    region.copy_to(&self.file, offset)?;
                    file.store(Setup::OWN_FILE, Relaxed);
                    place.store(offset, region.len());
                    offset += region.len().next_multiple_of(PAGE);
                }
            }
        }
        setup.regions.store(self.planned.len() as u32, Relaxed);
        if is_copied {
            setup.wants_copies.store(Setup::MADE, Relaxed);
        }
        Ok(())
    }

    /// Where they lie: first address and end.
    #[must_use]
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        self.planned.iter().map(|planned| (planned.base, planned.base + planned.stored.region.len())).collect()
    }

    /// The program counter of the original code, where this one is that of a clone.
    #[must_use]
    pub fn original_of(&self, pc: u64) -> Option<u64> {
        self.planned.iter().find_map(|planned| planned.original_of(pc))
    }

    /// Where the clone of the instruction at an address of the original code is, if there is one.
    #[must_use]
    pub fn clone_of(&self, pc: u64) -> Option<u64> {
        self.planned.iter().find_map(|planned| planned.clone_of(pc))
    }
}

impl Planned {
    /// The memory that it takes.
    fn mapping(&self) -> Mapping {
        let end = (self.base + self.stored.region.len()).next_multiple_of(PAGE);
        Mapping { start: self.base, end, permissions: "r-xp".into(), offset: 0, path: None }
    }

    /// What of its code runs unseen, in words; nothing if all of it is instrumented.
    #[must_use]
    pub fn gaps(&self) -> &[String] {
        &self.stored.gaps
    }

    /// The file that it is the region of.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.module.path
    }

    /// Leaves what is to be watched in the survey of its file, exclusions of the user aside.
    pub fn restrict(&self, survey: &mut Survey) {
        let members = self.extent.members(survey);
        survey.functions.retain(|surveyed| members.contains(&surveyed.function));
        survey.skipped.retain(|skipped| members.contains(&skipped.function));
    }

    /// The code that is not to be watched, in words; None if all of it is.
    #[must_use]
    pub fn remainder(&self) -> Option<String> {
        let is_part = self.extent == Extent::Containers;
        is_part.then(|| format!("{} except its {}", self.module.name(), containers::IN_WORDS))
    }

    /// The names that the user wants left out, and how many functions here have each.
    #[must_use]
    pub fn excluded(&self) -> &[(String, u32)] {
        &self.stored.excluded
    }

    /// The original address of what a clone at this address of the process does.
    fn original_of(&self, pc: u64) -> Option<u64> {
        let offset = pc.checked_sub(self.base).filter(|&offset| offset < self.stored.region.len())?;
        let clones = self.stored.clones();
        let behind = clones.partition_point(|(start, _)| u64::from(*start) <= offset);
        let (_, address) = clones[..behind].last()?;
        Some(u64::from(*address).wrapping_add(self.module.bias))
    }

    /// Where this address of the original code is cloned. Only debuggers ask: no order helps to find it.
    fn clone_of(&self, pc: u64) -> Option<u64> {
        let address = pc.wrapping_sub(self.module.bias);
        let (start, _) = self.stored.clones().iter().find(|(_, cloned)| u64::from(*cloned) == address)?;
        Some(self.base + u64::from(*start))
    }
}

/// Plans the region of a module.
fn plan(
    module: &Module,
    extent: Extent,
    placement: Placement,
    room: u64,
    wanted: &Instrumentation,
) -> Result<Stored, String> {
    let survey = Survey::of(&module.path).map_err(|error| error.to_string())?;
    let members = extent.members(&survey);
    let exclusion = Exclusion::new(module, &members, &wanted.excluded);
    let plan = Plan::build(&module.path, &survey, placement, &|function| exclusion.contains(function))
        .map_err(|error| error.to_string())?;
    if plan.region.len() as u64 > room {
        return Err(format!("the instrumented code of {} is larger than the room for it", module.name()));
    }
    let gaps = gaps(&survey, &members, &plan);
    let excluded = exclusion.counts(&survey);
    Ok(Stored::new(plan.region, plan.clones, gaps, excluded))
}

/// What of the code runs unseen that should not.
fn gaps(survey: &Survey, members: &Members, plan: &Plan) -> Vec<String> {
    let skipped = survey.skipped.iter().filter(|skipped| members.contains(&skipped.function)).map(ToString::to_string);
    let omitted = plan.omitted.iter().filter(|omitted| members.contains(&omitted.function));
    let omitted = omitted.map(|omitted| match omitted.omission {
        Omission::Excluded => format!("{} (excluded)", omitted.function.label()),
        Omission::Instruction { offset } => {
            format!("{} (instruction at +{offset:#x} can not be moved)", omitted.function.label())
        }
    });
    let unhooked = plan
        .unhooked
        .iter()
        .map(|site| format!("the access at {:#x} in {} (vector of addresses)", site.address, site.function));
    skipped.chain(omitted).chain(unhooked).collect()
}

/// A free range near a module: below it if possible, since the heap of the kernel grows above.
fn free_place(module: &Module, mappings: &[Mapping], length: u64) -> Option<u64> {
    let needed = length.next_multiple_of(PAGE) + 2 * DISTANCE;
    let mut gaps = vec![(LOWEST, mappings.first()?.start)];
    gaps.extend(mappings.windows(2).map(|pair| (pair[0].end, pair[1].start)));
    let below = gaps.iter().rev().filter(|gap| gap.1 <= module.start).filter_map(|&(start, end)| {
        let base = end.checked_sub(needed)?;
        (base >= start && module.end - base < REACH).then_some(base + DISTANCE)
    });
    // Half of what is in reach is left to the heap of the kernel.
    let above = gaps.iter().filter(|gap| gap.0 >= module.end).filter_map(|&(start, end)| {
        let base = start.max(module.end + REACH / 2).next_multiple_of(PAGE);
        let fits = base.checked_add(needed)? <= end && base + needed - module.start < REACH;
        fits.then_some(base + DISTANCE)
    });
    below.chain(above).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(start: u64, end: u64) -> Mapping {
        Mapping { start, end, permissions: "r-xp".into(), offset: 0, path: Some("/bin/x".into()) }
    }

    fn module(start: u64, end: u64) -> Module {
        Module { path: "/bin/x".into(), bias: 0, start, end }
    }

    #[test]
    fn regions_lie_below_their_module_where_there_is_room() {
        let (start, end) = (0x5555_5555_4000, 0x5555_5556_0000);
        let base = free_place(&module(start, end), &[mapping(start, end)], 100_000).expect("room");
        assert!(base + 100_000 < start && start - base < REACH && base.is_multiple_of(PAGE));
    }

    #[test]
    fn without_room_below_they_lie_far_above() {
        let (start, end) = (0x40_0000, 0x50_0000);
        let mappings = [mapping(start, end), mapping(0x7fff_0000_0000, 0x7fff_1000_0000)];
        let base = free_place(&module(start, end), &mappings, 8 << 20).expect("room");
        assert!(base > end + (512 << 20) && base + (8 << 20) - start < REACH);
        assert_eq!(free_place(&module(start, end), &[mapping(0x20_0000, 0x8000_0000)], 8 << 20), None);
    }
}
