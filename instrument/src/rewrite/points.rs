//! How execution gets from each point of the original code to its clone.
//!
//! A jump to anywhere takes five bytes. Where these would hit the next point or a call that should stay, two bytes do:
//! a short jump to an island, five dead bytes within its reach. A call in the way of even that gives up its place and
//! is made by the clone. A return instruction does as well as its clone, and so does a `nop` before another point. What
//! is left traps, and the shim's signal handler knows the way.

use std::ops::Range;

use super::text::{CLONED, KEPT, NOTHING, PADDING, POINT, RETURN, Text, TextArea, USED};

/// Bytes of a jump to anywhere near.
pub(super) const NEAR: u64 = 5;
/// Bytes of a jump to an island.
pub(super) const SHORT: u64 = 2;

/// How a point leads to its clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// By a jump.
    Near,
    /// By a short jump to a jump at this address.
    Island(u64),
    /// Through a breakpoint.
    Trap,
    /// Not at all: the original does the same.
    Stays,
}

/// Decides for every point of the text; calls that are in the way lose their mark.
pub(super) fn leads(text: &mut Text) -> Vec<(u64, Lead)> {
    let points = points(text);
    let mut leads = Vec::with_capacity(points.len());
    let mut waiting = Vec::new();
    for point in points {
        if may_stay(text, point) {
            text.mark(point..point + 1, KEPT);
            leads.push((point, Lead::Stays));
            continue;
        }
        if room(text, point) < SHORT {
            give_way(text, point + 1);
        }
        let room = room(text, point);
        let (lead, length) = match room {
            NEAR.. => (Lead::Near, NEAR),
            _ => (Lead::Trap, room.clamp(1, SHORT)),
        };
        if length == SHORT {
            waiting.push(leads.len());
        }
        text.mark(point..point + length, USED);
        leads.push((point, lead));
    }
    for index in waiting {
        leads[index].1 = lead_without_room(text, leads[index].0);
    }
    leads
}

fn points(text: &Text) -> Vec<u64> {
    let of_area = |area: &TextArea| {
        let start = area.range.start;
        let marked = area.marks.iter().enumerate().filter(|(_, marks)| **marks & POINT != 0);
        marked.map(|(byte, _)| start + byte as u64).collect::<Vec<_>>()
    };
    text.areas.iter().flat_map(of_area).collect()
}

/// A return, or nothing before another point.
fn may_stay(text: &Text, point: u64) -> bool {
    let marks = text.marks(point);
    marks & RETURN != 0 || (marks & NOTHING != 0 && text.marks(point + 1) & POINT != 0)
}

/// A short jump if there is an island for it, if need be in place of a call, else a long one in place of the call
/// behind, else a trap.
fn lead_without_room(text: &mut Text, point: u64) -> Lead {
    if let Some(island) = island(text, point).or_else(|| island_of_call(text, point)) {
        text.mark(island..island + NEAR, USED);
        return Lead::Island(island);
    }
    text.unmark(point..point + SHORT, USED);
    let behind = point + room(text, point);
    give_way(text, behind);
    let lead = if room(text, point) >= NEAR { Lead::Near } else { Lead::Trap };
    text.mark(point..point + if lead == Lead::Near { NEAR } else { 1 }, USED);
    lead
}

/// Bytes from a point on that a jump may take, as far as they matter.
fn room(text: &Text, point: u64) -> u64 {
    let is_free = |byte: &u64| {
        let marks = text.marks(*byte);
        is_available(marks) && (*byte == point || marks & POINT == 0)
    };
    (point..point + NEAR).take_while(is_free).count() as u64
}

fn is_available(marks: u8) -> bool {
    marks & (CLONED | PADDING) != 0 && marks & (KEPT | USED) == 0
}

/// Frees the bytes of an original call that begins at an address.
fn give_way(text: &mut Text, address: u64) {
    if let Ok(index) = text.calls.binary_search_by_key(&address, |call| call.0) {
        text.unmark(address..address + u64::from(text.calls[index].1), KEPT);
    }
}

/// What a short jump at a point reaches.
fn reach(point: u64) -> Range<u64> {
    let from = point + SHORT;
    from.saturating_sub(128)..from + 128
}

/// Five bytes in a row within reach of a short jump, padding first, that nobody needs.
fn island(text: &Text, point: u64) -> Option<u64> {
    let has_room = |wanted: u8| {
        move |start: &u64| {
            let fits = |byte: u64| {
                let marks = text.marks(byte);
                is_available(marks) && marks & POINT == 0 && marks & wanted != 0
            };
            (*start..*start + NEAR).all(fits)
        }
    };
    reach(point).find(has_room(PADDING)).or_else(|| reach(point).find(has_room(CLONED | PADDING)))
}

/// The place of a call within reach that is long enough, which from now on the clone makes.
fn island_of_call(text: &mut Text, point: u64) -> Option<u64> {
    let reach = reach(point);
    let first = text.calls.partition_point(|(address, _)| *address < reach.start);
    let calls = text.calls[first..].iter().take_while(|(address, _)| reach.contains(address));
    let (address, _) = calls.copied().find(|(address, length)| u64::from(*length) >= NEAR && text.is_kept(*address))?;
    give_way(text, address);
    Some(address)
}

#[cfg(test)]
mod tests {
    use super::super::text::INSTRUCTION;
    use super::*;

    const START: u64 = 0x1000;

    /// A text of `length` dead bytes with points and kept calls, as (address, length), at offsets.
    fn text(length: usize, points: &[u64], calls: &[(u64, u8)]) -> Text {
        let area = TextArea {
            range: START..START + length as u64,
            marks: vec![CLONED | INSTRUCTION; length],
            table: vec![0; length],
        };
        let calls = calls.iter().map(|(offset, length)| (START + offset, *length)).collect();
        let mut text = Text { areas: vec![area], calls, targets: Vec::new() };
        points.iter().for_each(|point| text.mark(START + point..START + point + 1, POINT));
        for (address, length) in text.calls.clone() {
            text.mark(address..address + u64::from(length), KEPT);
        }
        text
    }

    fn decided(text: &mut Text) -> Vec<(u64, Lead)> {
        leads(text).into_iter().map(|(point, lead)| (point - START, lead)).collect()
    }

    #[test]
    fn five_bytes_are_a_jump() {
        let mut text = text(20, &[0, 10], &[(5, 5)]);
        assert_eq!(decided(&mut text), [(0, Lead::Near), (10, Lead::Near)]);
        assert!(text.is_kept(START + 5));
    }

    #[test]
    fn fewer_bytes_need_an_island() {
        let mut text = text(30, &[0, 8], &[(3, 5)]);
        assert_eq!(decided(&mut text), [(0, Lead::Island(START + 13)), (8, Lead::Near)]);
        assert!(text.is_kept(START + 3));
    }

    #[test]
    fn a_call_too_close_gives_way() {
        let mut text = text(30, &[0, 6], &[(1, 5)]);
        assert_eq!(decided(&mut text), [(0, Lead::Near), (6, Lead::Near)]);
        assert!(!text.is_kept(START + 1));
    }

    #[test]
    fn a_short_call_too_close_gives_way_to_a_short_jump() {
        let mut text = text(30, &[0, 3, 8], &[(1, 2)]);
        assert_eq!(decided(&mut text), [(0, Lead::Island(START + 13)), (3, Lead::Near), (8, Lead::Near)]);
    }

    #[test]
    fn without_dead_bytes_a_call_makes_room() {
        // Points at both ends of a call, with nothing else around.
        let mut text = text(10, &[0, 8], &[(3, 5)]);
        assert_eq!(decided(&mut text), [(0, Lead::Island(START + 3)), (8, Lead::Trap)]);
        assert!(!text.is_kept(START + 3));
    }

    #[test]
    fn an_island_out_of_reach_is_none() {
        let mut text = text(400, &[0, 2], &[]);
        text.mark(START + 2..START + 390, KEPT);
        assert_eq!(decided(&mut text)[0], (0, Lead::Trap));
    }

    #[test]
    fn returns_and_nothing_stay() {
        let mut text = text(8, &[0, 1, 2], &[]);
        text.mark(START..START + 1, RETURN);
        text.mark(START + 1..START + 2, NOTHING);
        assert_eq!(decided(&mut text), [(0, Lead::Stays), (1, Lead::Stays), (2, Lead::Near)]);
        assert!(text.is_kept(START) && text.is_kept(START + 1));
    }
}
