//! What is written over the original code.

use rscale_protocol::region::Patch;

use super::plan::Placement;
use super::points::{Lead, NEAR, SHORT};
use super::select::Selection;
use super::text::{CLONED, KEPT, Text, TextArea, USED};

const BREAKPOINT: u8 = 0xcc;
const JUMP: u8 = 0xe9;
const JUMP_SHORT: u8 = 0xeb;

/// The records of all patches, as many as there are runs of changed bytes.
pub(super) fn put(
    text: &Text,
    leads: &[(u64, Lead)],
    selection: &Selection<'_>,
    placement: Placement,
    bytes: &mut Vec<u8>,
) -> Result<(), TooFar> {
    for area in &text.areas {
        let first = leads.partition_point(|(point, _)| *point < area.range.start);
        let behind = leads.partition_point(|(point, _)| *point < area.range.end);
        let mut image = background(area, selection);
        for (point, lead) in &leads[first..behind] {
            let clone = text.clone_of(*point).map_or(0, u64::from).wrapping_add(placement.base);
            put_lead(&mut image, area, *point, *lead, clone.wrapping_sub(placement.bias))?;
        }
        put_runs(area, &image, placement.bias, bytes);
    }
    Ok(())
}

/// A clone can not be reached from the original code.
pub(super) struct TooFar;

/// The area with breakpoints for all that is dead.
fn background(area: &TextArea, selection: &Selection<'_>) -> Vec<u8> {
    let mut image = vec![BREAKPOINT; area.marks.len()];
    for surveyed in &selection.cloned {
        let range = &surveyed.function.range;
        if !area.range.contains(&range.start) {
            continue;
        }
        let start = (range.start - area.range.start) as usize;
        for (index, byte) in selection.bytes(range).iter().enumerate() {
            if area.marks[start + index] & KEPT != 0 {
                image[start + index] = *byte;
            }
        }
    }
    image
}

/// `clone` is relative to the file's addresses, as `point` is.
fn put_lead(image: &mut [u8], area: &TextArea, point: u64, lead: Lead, clone: u64) -> Result<(), TooFar> {
    let at = (point - area.range.start) as usize;
    match lead {
        // The background is right.
        Lead::Trap | Lead::Stays => {}
        Lead::Near => put_jump(image, at, point, clone)?,
        Lead::Island(island) => {
            image[at] = JUMP_SHORT;
            image[at + 1] = island.wrapping_sub(point + SHORT) as u8;
            put_jump(image, (island - area.range.start) as usize, island, clone)?;
        }
    }
    Ok(())
}

fn put_jump(image: &mut [u8], at: usize, from: u64, target: u64) -> Result<(), TooFar> {
    let distance = target.wrapping_sub(from + NEAR) as i64;
    let distance = i32::try_from(distance).map_err(|_| TooFar)?;
    image[at] = JUMP;
    image[at + 1..at + NEAR as usize].copy_from_slice(&distance.to_le_bytes());
    Ok(())
}

/// One record for each run of bytes that belong to clones or are used for jumps.
fn put_runs(area: &TextArea, image: &[u8], bias: u64, bytes: &mut Vec<u8>) {
    let mut position = 0;
    for run in area.marks.chunk_by(|one, other| is_written(*one) == is_written(*other)) {
        if is_written(run[0]) {
            let address = area.range.start.wrapping_add(bias) + position as u64;
            let patch = Patch { address, length: run.len() as u64 };
            bytes.extend_from_slice(&patch.address.to_le_bytes());
            bytes.extend_from_slice(&patch.length.to_le_bytes());
            bytes.extend_from_slice(&image[position..position + run.len()]);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        position += run.len();
    }
}

fn is_written(marks: u8) -> bool {
    marks & (CLONED | USED) != 0
}
