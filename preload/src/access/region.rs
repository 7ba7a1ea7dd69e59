//! Regions: the instrumented copies of the program's code, mapped beside the originals.
//!
//! The scheduler process plans a region for every module that is to be watched and has it in a file. Here it
//! is mapped where it belongs, its hooks are connected with the stubs, and the original code is patched to lead there.

use super::clocks::Own;
use super::stubs;
use crate::{arena, mailbox, query, sys};
use core::cell::Cell;
use core::ffi::CStr;
use core::fmt::Write;
use core::sync::atomic::AtomicI32;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{MAX_REGIONS, Reply, Setup};
use rscale_protocol::region::{Area, Header, MAGIC, Patch, Site, SiteShape, Span};

const PAGE: u64 = 4096;

static REGIONS: [Own<u64>; MAX_REGIONS] = [const { Own(Cell::new(0)) }; MAX_REGIONS];
static COUNT: Own<usize> = Own(Cell::new(0));

/// Whether some code of the program is instrumented.
pub fn is_installed() -> bool {
    COUNT.0.get() > 0
}

fn regions() -> impl Iterator<Item = &'static Header> {
    // SAFETY: the filled entries are addresses of mapped regions, which stay.
    REGIONS[..COUNT.0.get()].iter().map(|address| unsafe { &*(address.0.get() as *const Header) })
}

/// Asks the scheduler process for the regions and installs them. The program has not begun to run.
pub fn install(descriptor: i32) -> Result<(), &'static [u8]> {
    mailbox::reply(Reply::Loaded);
    query::wait_for_continue();
    let setup = &arena::get().setup;
    let count = (setup.regions.load(Relaxed) as usize).min(MAX_REGIONS);
    if setup.wants_copies.load(Relaxed) == 0 && !setup.region_files[..count].iter().all(can_open) {
        setup.wants_copies.store(Setup::WANTED, Relaxed);
        return install(descriptor);
    }
    for (index, place) in setup.region_places.iter().enumerate().take(count) {
        let (offset, length) = place.load();
        let opened = open(&setup.region_files[index]);
        let region = map(opened.unwrap_or(descriptor), offset, length);
        if let Some(opened) = opened {
            sys::close(opened);
        }
        let region = region.ok_or(&b"could not map the instrumented code"[..])?;
        REGIONS[index].0.set(region);
        COUNT.0.set(index + 1);
        connect(region).ok_or(&b"could not patch the code of the program"[..])?;
    }
    Ok(())
}

/// A path that is built up without allocating.
struct Path([u8; 64], usize);

impl Write for Path {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let end = self.1 + text.len();
        self.0.get_mut(self.1..end).ok_or(core::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.1 = end;
        Ok(())
    }
}

/// Opens the file of a region that the scheduler process has; none if it is the one that the program was given.
fn open(file: &AtomicI32) -> Option<i32> {
    let number = u32::try_from(file.load(Relaxed)).ok()?;
    let mut path = Path([0; 64], 0);
    write!(path, "/proc/{}/fd/{number}\0", arena::get().setup.scheduler.load(Relaxed)).ok()?;
    sys::open_to_read(CStr::from_bytes_until_nul(&path.0).ok()?)
}

/// Whether a region's file is there for this process.
fn can_open(file: &AtomicI32) -> bool {
    file.load(Relaxed) == Setup::OWN_FILE || open(file).inspect(|&opened| sys::close(opened)).is_some()
}

/// Maps a region at the address that its header names.
fn map(descriptor: i32, offset: u64, length: u64) -> Option<u64> {
    let map = |address: u64, length: u64, flags: i32| {
        let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_PRIVATE | flags) as u64;
        let arguments = [address, length, protection, flags, descriptor as u64, offset];
        // SAFETY: a new mapping that replaces nothing.
        let mapped = unsafe { sys::call(libc::SYS_mmap, arguments) };
        (mapped > 0).then_some(mapped as u64)
    };
    let header = map(0, PAGE, 0)?;
    // SAFETY: the first page of a region has its header.
    let (magic, base) = unsafe { ((*(header as *const Header)).magic, (*(header as *const Header)).base) };
    // SAFETY: the mapping was made above, and nothing refers to it.
    unsafe { sys::unmap(header, PAGE) };
    if magic != MAGIC {
        return None;
    }
    map(base, length, libc::MAP_FIXED_NOREPLACE).filter(|&mapped| mapped == base)
}

/// Fills the slots, makes the clones executable, and leads the original code to them.
fn connect(region: u64) -> Option<()> {
    let header = region as *mut Header;
    // SAFETY: the region is mapped, writable so far, and was planned by the scheduler process: its spans lie within it.
    let header = unsafe {
        (*header).slots = stubs::addresses();
        *header
    };
    let protect = |start: u64, length: u64, protection: i32| {
        let first = start & !(PAGE - 1);
        // SAFETY: pages of the region or of the program's code, whose protection is the shim's business here.
        unsafe { sys::mprotect(first, (start + length).next_multiple_of(PAGE) - first, protection) }.then_some(())
    };
    protect(region, header.length, libc::PROT_READ)?;
    let (code, length) = span(region, header.code);
    protect(code, length, libc::PROT_READ | libc::PROT_EXEC)?;
    let areas = || header.areas.iter().filter(|area| area.length > 0);
    areas().try_for_each(|area| protect(area.start, area.length, libc::PROT_READ | libc::PROT_WRITE))?;
    patch(region, header.patches);
    areas().try_for_each(|area| protect(area.start, area.length, libc::PROT_READ | libc::PROT_EXEC))
}

fn span(region: u64, span: Span) -> (u64, u64) {
    (region + u64::from(span.offset), u64::from(span.length))
}

fn patch(region: u64, patches: Span) {
    let (mut next, length) = span(region, patches);
    let end = next + length;
    while next < end {
        // SAFETY: patches follow each other up to the end of their span; the code they belong to is writable.
        unsafe {
            let patch = *(next as *const Patch);
            let bytes = (next as *const Patch).add(1).cast::<u8>();
            core::ptr::copy_nonoverlapping(bytes, patch.address as *mut u8, patch.length as usize);
            next += size_of::<Patch>() as u64 + patch.length.next_multiple_of(8);
        }
    }
}

/// The hooks of a region, by return address.
fn sites(header: &'static Header) -> &'static [Site] {
    let (start, length) = span(header.base, header.sites);
    // SAFETY: the array of sites, in the region's read-only part.
    unsafe { core::slice::from_raw_parts(start as *const Site, length as usize / size_of::<Site>()) }
}

/// The hook that a stub returns to.
pub fn site(returns_to: u64) -> &'static Site {
    let found = regions().find_map(|header| {
        let offset = returns_to.checked_sub(header.base).filter(|&offset| offset < header.length)? as u32;
        let sites = sites(header);
        sites.binary_search_by_key(&offset, |site| site.returns_to).ok().map(|index| &sites[index])
    });
    match found {
        Some(site) => site,
        None => crate::finish::internal(b"a hook that nobody planned"),
    }
}

/// The address behind the original instruction of a hook.
pub fn original_end(site: &Site) -> u64 {
    let address = &raw const *site as u64;
    let region = regions().find(|header| (header.base..header.base + header.length).contains(&address));
    region.map_or(0, |header| header.bias + u64::from(site.original_end))
}

/// The clone of the instruction at an address of the original code.
pub fn clone_of(pc: u64) -> Option<u64> {
    regions().find_map(|header| clone_in(header, pc))
}

fn clone_in(header: &Header, pc: u64) -> Option<u64> {
    let area = area_around(header, pc)?;
    let table = header.base + u64::from(area.table.offset);
    // SAFETY: the table has an entry for every byte of the area.
    let offset = unsafe { *(table as *const u32).add((pc - area.start) as usize) };
    (offset != 0).then_some(header.base + u64::from(offset))
}

fn area_around(header: &Header, pc: u64) -> Option<&Area> {
    header.areas.iter().find(|area| pc.wrapping_sub(area.start) < area.length)
}

/// Clones of system-call instructions that were asked for, and the originals: finding one takes a walk through a table.
static CALLS: [Own<(u64, u64)>; 64] = [const { Own(Cell::new((0, 0))) }; 64];

/// The address behind the original of a system-call instruction, where this is the address behind its clone.
pub fn original_of_call(returns_to: u64) -> Option<u64> {
    let known = &CALLS[returns_to as usize / 2 % CALLS.len()].0;
    if known.get().0 != returns_to {
        known.set((returns_to, find_original_of_call(returns_to)?));
    }
    Some(known.get().1)
}

fn find_original_of_call(returns_to: u64) -> Option<u64> {
    const CALL_LENGTH: u64 = 2;
    let header = regions().find(|header| returns_to.wrapping_sub(header.base) < header.length)?;
    let end = (returns_to - header.base) as u32;
    let last = clones(header).filter(|(offset, _)| (1..end).contains(offset)).max_by_key(|(offset, _)| *offset)?;
    Some(last.1 + CALL_LENGTH)
}

/// The clones of a region's instructions, as offsets, and the originals.
fn clones(header: &'static Header) -> impl Iterator<Item = (u32, u64)> {
    header.areas.iter().filter(|area| area.length > 0).flat_map(|area| {
        let table = header.base + u64::from(area.table.offset);
        // SAFETY: the table has an entry for every byte of the area.
        let offsets = unsafe { core::slice::from_raw_parts(table as *const u32, area.length as usize) };
        offsets.iter().copied().zip(area.start..)
    })
}

/// The original of the instruction at an address in a clone, which may have a hook before it. None where the clone does
/// in several steps what the original does in one.
pub fn original_of(pc: u64) -> Option<u64> {
    let header = regions().find(|header| pc.wrapping_sub(header.base) < header.length)?;
    let offset = pc - header.base;
    let sites = sites(header);
    let behind = sites.partition_point(|site| u64::from(site.returns_to) <= offset);
    let hooked = sites[..behind]
        .last()
        .filter(|site| site.shape != SiteShape::String as u8 && u64::from(site.returns_to) + site.rest() == offset);
    match hooked {
        Some(site) => Some(original_end(site) - u64::from(site.length)),
        None => clones(header).find(|(clone, _)| u64::from(*clone) == offset).map(|(_, original)| original),
    }
}

/// Whether the code at an address of the original is watched.
pub fn is_watched(pc: u64) -> bool {
    let is_watched = |header: &Header| match header.is_partial {
        0 => area_around(header, pc).is_some(),
        _ => clone_in(header, pc).is_some(),
    };
    regions().any(is_watched)
}

/// Whether the code that a call returns to is watched, be it the original or a clone.
pub fn returns_to_watched(pc: u64) -> bool {
    is_watched(pc) || is_clone(pc, 1)
}

/// Whether the range has original code that was instrumented, all of it as far as that was possible, or a clone.
pub fn is_known_code(start: u64, length: u64) -> bool {
    let is_whole = |header: &&Header| header.is_partial == 0;
    regions().filter(is_whole).any(|header| has_area(header, start, length)) || is_clone(start, length)
}

/// Whether some of the range is in a region.
pub fn is_clone(start: u64, length: u64) -> bool {
    regions().any(|header| start < header.base + header.length && header.base < start + length)
}

/// Whether some of the range is original code that was instrumented.
pub fn is_instrumented(start: u64, length: u64) -> bool {
    regions().any(|header| has_area(header, start, length))
}

fn has_area(header: &Header, start: u64, length: u64) -> bool {
    let overlaps = |area: &Area| start < area.start + area.length && area.start < start.saturating_add(length);
    header.areas.iter().filter(|area| area.length > 0).any(overlaps)
}
