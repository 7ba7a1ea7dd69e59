//! The same addresses in every process, where the kernel does not let us switch randomisation off.
//!
//! Containers usually forbid `personality`. What is known of a program (which variables are shared, what a trace names)
//! would then be worth nothing in the next process. So the program is rearranged before its first instruction: the
//! executable is moved to where it would lie without randomisation, and address space is filled up so that everything
//! that is mapped later finds its place from a fixed address downwards. Stacks and heap have fixed places in any case.
//! The loader is already there, and stays: nothing of it is ever shared by name.

use super::tracee::Tracee;
use nix::sys::personality::Persona;
use nix::unistd::Pid;
use rscale_instrument::maps::{self, Mapping};
use std::{fs, io};

/// Where the kernel loads executables that can lie anywhere, without randomisation.
const HOME: u64 = 0x5555_5555_4000;
/// What is mapped goes below this address: lower than the kernel begins by itself, whatever its random number is. In
/// the shadow's view (`preload/src/access/shadow.rs`) it collides with nothing.
const CEILING: u64 = 0x6f00_0000_0000;
/// Room for an executable that has to get out of its own way.
const ASIDE: u64 = 0x5f00_0000_0000;
const PAGE: u64 = 4096;
const WORD: u64 = 8;
/// Words of a program header, and the kinds that matter here.
const HEADER_WORDS: usize = 7;
const LOADED: u64 = 1;
const HEADERS_THEMSELVES: u64 = 6;
/// Most words of the arguments, the environment and the auxiliary vector together.
const MOST_WORDS: u64 = 1 << 20;
/// Fewer bytes below the stack pointer are not for others.
const RED_ZONE: u64 = 4096;

/// Rearranges a program that has stopped before its first instruction, if that is necessary.
///
/// # Errors
/// Where it can not be done. Addresses then differ from process to process.
pub fn settle(pid: Pid) -> io::Result<()> {
    let persona = fs::read_to_string(format!("/proc/{pid}/personality"))?;
    let persona = i32::from_str_radix(persona.trim(), 16).map_err(io::Error::other)?;
    if Persona::from_bits_retain(persona).contains(Persona::ADDR_NO_RANDOMIZE) {
        return Ok(());
    }
    let tracee = Tracee::of(pid)?;
    let auxiliary = Auxiliary::of(&tracee)?;
    move_executable(&tracee, auxiliary)?;
    lower_ceiling(&tracee)
}

/// What the kernel tells the loader, on the stack behind arguments and environment: pairs of a kind and a value.
struct Auxiliary {
    address: u64,
    words: Vec<u64>,
}

impl Auxiliary {
    fn of(tracee: &Tracee) -> io::Result<Auxiliary> {
        let (_, stack) = tracee.instruction_and_stack()?;
        let arguments = tracee.words(stack, 1)?[0];
        let mut address = stack + (arguments.min(MOST_WORDS) + 2) * WORD;
        while tracee.words(address, 1)?[0] != 0 {
            address += WORD;
        }
        address += WORD;
        let mut words = Vec::new();
        while words.is_empty() || words[words.len() - 2] != libc::AT_NULL {
            words.extend(tracee.words(address + words.len() as u64 * WORD, 2)?);
        }
        Ok(Auxiliary { address, words })
    }

    fn value(&mut self, kind: u64) -> io::Result<&mut u64> {
        let mut pairs = self.words.chunks_exact_mut(2);
        let value = pairs.find(|pair| pair[0] == kind).map(|pair| &mut pair[1]);
        value.ok_or_else(|| io::Error::other("the kernel does not say where the program is"))
    }
}

/// Where an executable is, and where it should be.
struct Place {
    start: u64,
    length: u64,
    home: u64,
}

impl Place {
    /// None for one that was linked to lie where it does.
    fn of(tracee: &Tracee, auxiliary: &mut Auxiliary) -> io::Result<Option<Place>> {
        let headers = *auxiliary.value(libc::AT_PHDR)?;
        let count = usize::try_from(*auxiliary.value(libc::AT_PHNUM)?).map_err(io::Error::other)?;
        let words = tracee.words(headers, count.min(usize::from(u16::MAX)) * HEADER_WORDS)?;
        // Kind and flags, offset, address, physical address, size in the file, size, alignment.
        let headers_of = |kind| words.chunks_exact(HEADER_WORDS).filter(move |header| header[0] & 0xffff_ffff == kind);
        let Some(bias) = headers_of(HEADERS_THEMSELVES).next().map(|header| headers.wrapping_sub(header[2])) else {
            return Ok(None);
        };
        let first = headers_of(LOADED).map(|header| header[2] & !(PAGE - 1)).min();
        let end = headers_of(LOADED).map(|header| header[2].wrapping_add(header[5]).next_multiple_of(PAGE)).max();
        let alignment = headers_of(LOADED).map(|header| header[6]).filter(|size| size.is_power_of_two()).max();
        let (0 | PAGE.., Some(first), Some(end)) = (bias, first, end) else { return Ok(None) };
        let home = (HOME & !(alignment.unwrap_or(PAGE).max(PAGE) - 1)) + first;
        Ok((bias != 0).then_some(Place { start: bias + first, length: end - first, home }))
    }
}

fn mappings(tracee: &Tracee) -> io::Result<Vec<Mapping>> {
    Ok(maps::parse(&fs::read_to_string(format!("/proc/{}/maps", tracee.pid()))?))
}

fn move_executable(tracee: &Tracee, mut auxiliary: Auxiliary) -> io::Result<()> {
    let Some(Place { start, length, home }) = Place::of(tracee, &mut auxiliary)? else { return Ok(()) };
    if start == home {
        return Ok(());
    }
    let mut from = start;
    if start.abs_diff(home) < length {
        move_range(tracee, from, length, ASIDE)?;
        from = ASIDE;
    }
    move_range(tracee, from, length, home)?;
    for kind in [libc::AT_PHDR, libc::AT_ENTRY] {
        let value = auxiliary.value(kind)?;
        *value = value.wrapping_sub(start).wrapping_add(home);
    }
    tracee.write_words(auxiliary.address, &auxiliary.words)?;
    // Only debuggers ask the kernel, which may not be allowed to be told.
    let _ = tell_kernel(tracee, &auxiliary, home.wrapping_sub(start));
    Ok(())
}

fn move_range(tracee: &Tracee, start: u64, length: u64, to: u64) -> io::Result<()> {
    for mapping in mappings(tracee)?.iter().filter(|mapping| mapping.start >= start && mapping.end <= start + length) {
        let (size, target) = (mapping.end - mapping.start, mapping.start - start + to);
        let flags = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) as u64;
        tracee.call(libc::SYS_mremap, [mapping.start, size, size, flags, target, 0])?;
    }
    Ok(())
}

/// What the kernel shows of the process in `/proc`, beside its mappings.
fn tell_kernel(tracee: &Tracee, auxiliary: &Auxiliary, moved: u64) -> io::Result<()> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", tracee.pid()))?;
    // The second field is a name in parentheses, which may hold anything; fields are counted from one.
    let fields: Vec<u64> =
        stat.rsplit(") ").next().unwrap_or("").split(' ').map(|field| field.parse().unwrap_or(0)).collect();
    let field = |number: usize| fields.get(number - 3).copied().unwrap_or(0);
    let [start_code, end_code, start_data, end_data, start_break] =
        [26, 27, 45, 46, 47].map(|number| field(number).wrapping_add(moved));
    let (_, stack) = tracee.instruction_and_stack()?;
    let size = auxiliary.words.len() as u64 * WORD;
    let no_executable = u64::from(u32::MAX) << 32;
    let table = [
        start_code,
        end_code,
        start_data,
        end_data,
        start_break,
        start_break,
        field(28),
        field(48),
        field(49),
        field(50),
        field(51),
        auxiliary.address,
        size | no_executable,
    ];
    let place = stack - RED_ZONE;
    tracee.write_words(place, &table)?;
    let map = libc::PR_SET_MM_MAP as u64;
    tracee.call(libc::SYS_prctl, [libc::PR_SET_MM as u64, map, place, table.len() as u64 * WORD, 0, 0]).map(drop)
}

/// Fills up what is free above the ceiling, as far as the kernel would use it: up to the loader, which was mapped
/// first.
fn lower_ceiling(tracee: &Tracee) -> io::Result<()> {
    let (loader, _) = tracee.instruction_and_stack()?;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as u64;
    let map = |start: u64, length: u64, flags: u64| {
        tracee.call(libc::SYS_mmap, [start, length, libc::PROT_NONE as u64, flags, u64::MAX, 0])
    };
    let mut free = CEILING;
    for mapping in mappings(tracee)?.iter().filter(|mapping| mapping.end > CEILING && mapping.start <= loader) {
        if mapping.start > free {
            map(free, mapping.start - free, flags | libc::MAP_FIXED_NOREPLACE as u64)?;
        }
        free = mapping.end;
    }
    let next = map(0, PAGE, flags)?;
    tracee.call(libc::SYS_munmap, [next, PAGE, 0, 0, 0, 0])?;
    if next == CEILING - PAGE { Ok(()) } else { Err(io::Error::other("memory is mapped elsewhere")) }
}
