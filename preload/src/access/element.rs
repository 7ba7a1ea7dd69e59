//! One element of an instruction that the shim carries out: up to eight bytes, each part right behind its own point.

use super::locations::Location;
use super::order::{self, Parts};
use super::point::{self, Place};
use super::{copy_bytes, tearing};
use rscale_protocol::region::SiteKind;

/// Reads an element; it may be torn. `place` is that of its first part.
pub fn read(range: Location, place: Place, local: &dyn Fn() -> u64) -> u64 {
    let mut element = [0; 8];
    for_each_part(SiteKind::Read, range, place.pc, |part, is_torn| {
        let offset = part.start - range.start;
        point::part(SiteKind::Read, part, Place { part: place.part + offset, is_torn, ..place }, local);
        copy_bytes(part.start, element.as_mut_ptr() as u64 + offset, part.length);
    });
    u64::from_le_bytes(element)
}

/// Writes an element; it may be torn.
pub fn write(range: Location, element: u64, place: Place, local: &dyn Fn() -> u64) {
    let element = element.to_le_bytes();
    for_each_part(SiteKind::Write, range, place.pc, |part, is_torn| {
        point::part(SiteKind::Write, part, Place { is_torn, ..place }, local);
        copy_bytes(element.as_ptr() as u64 + (part.start - range.start), part.start, part.length);
    });
}

/// The parts of an element, one after the other, and whether others may come between them.
fn for_each_part(kind: SiteKind, range: Location, pc: u64, mut act: impl FnMut(Location, bool)) {
    let is_torn = tearing::is_torn(kind, range);
    for (index, part) in Parts::of(kind, range, pc).iter().enumerate() {
        act(part, is_torn);
        if is_torn && index == 0 {
            order::begun(kind == SiteKind::Write, range);
        }
    }
}
