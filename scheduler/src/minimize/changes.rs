//! The ways to change a schedule. Each is a function that gives the n-th changed schedule, until there are no more.
//!
//! They work on blocks: what one thread does without another in between. Fewer blocks are fewer switches.

use rscale_protocol::Choice;
use rscale_protocol::arena::Token;
use std::ops::Range;

/// A way to change a schedule: the n-th changed one, or the same where there is nothing to change; None at the end.
pub type Change = fn(&[Token], usize) -> Option<Vec<Token>>;

/// All of them, those first that may make a schedule much smaller.
pub const ALL: [Change; 7] = [begun, without_blocks, joined_before, joined_behind, run_on, shortened, swapped];

/// How far a thread may run on.
const DISTANCES: [usize; 2] = [16, 256];

/// Only the first n blocks: threads may come to the same end by themselves.
fn begun(schedule: &[Token], number: usize) -> Option<Vec<Token>> {
    let blocks = blocks(schedule);
    let last = blocks.get(number)?;
    Some(schedule[..last.start].to_vec())
}

/// Without some blocks in a row: half of them, a quarter, down to one.
fn without_blocks(schedule: &[Token], mut number: usize) -> Option<Vec<Token>> {
    let blocks = blocks(schedule);
    let mut length = blocks.len() / 2;
    while length > 0 {
        let places = blocks.len().div_ceil(length);
        if number < places {
            let first = number * length;
            let last = (first + length).min(blocks.len()) - 1;
            return Some([&schedule[..blocks[first].start], &schedule[blocks[last].end..]].concat());
        }
        number -= places;
        length /= 2;
    }
    None
}

/// A block directly behind the one before it of the same thread.
fn joined_before(schedule: &[Token], number: usize) -> Option<Vec<Token>> {
    let blocks = blocks(schedule);
    let block = blocks.get(number)?.clone();
    let thread = schedule[block.start].thread;
    let earlier = blocks[..number].iter().rev().find(|earlier| schedule[earlier.start].thread == thread);
    let Some(earlier) = earlier else { return Some(schedule.to_vec()) };
    let between = earlier.end..block.start;
    Some([&schedule[..earlier.end], &schedule[block.clone()], &schedule[between], &schedule[block.end..]].concat())
}

/// A block directly before the next one of the same thread, or at the end.
fn joined_behind(schedule: &[Token], number: usize) -> Option<Vec<Token>> {
    let blocks = blocks(schedule);
    let block = blocks.get(number)?.clone();
    let thread = schedule[block.start].thread;
    let later = blocks[number + 1..].iter().find(|later| schedule[later.start].thread == thread);
    let place = later.map_or(schedule.len(), |later| later.start);
    let between = block.end..place;
    Some([&schedule[..block.start], &schedule[between], &schedule[block.clone()], &schedule[place..]].concat())
}

/// A block that goes on for as long as its thread can, instead of being preempted. What is too much of it is not
/// possible, and is left out; later blocks of the thread are that much shorter.
fn run_on(schedule: &[Token], number: usize) -> Option<Vec<Token>> {
    let blocks = blocks(schedule);
    let block = blocks.get(number / DISTANCES.len())?;
    let distance = DISTANCES[number % DISTANCES.len()];
    let thread = schedule[block.start].thread;
    let mut taken = 0;
    let rest = schedule[block.end..].iter().filter(|token| {
        let is_taken = token.thread == thread && token.choice == Choice::Proceed && taken < distance;
        taken += usize::from(is_taken);
        !is_taken
    });
    let more = Token { thread, choice: Choice::Proceed };
    Some([&schedule[..block.end], &vec![more; distance], &rest.copied().collect::<Vec<_>>()].concat())
}

/// A block without its second half, or without its last step.
fn shortened(schedule: &[Token], number: usize) -> Option<Vec<Token>> {
    let blocks = blocks(schedule);
    let block = blocks.get(number / 2)?;
    let end = if number.is_multiple_of(2) { block.start + block.len() / 2 } else { block.end - 1 };
    Some([&schedule[..end], &schedule[block.end..]].concat())
}

/// Two blocks in the other order.
fn swapped(schedule: &[Token], number: usize) -> Option<Vec<Token>> {
    let blocks = blocks(schedule);
    let (first, second) = (blocks.get(number)?.clone(), blocks.get(number + 1)?.clone());
    Some([&schedule[..first.start], &schedule[second.clone()], &schedule[first], &schedule[second.end..]].concat())
}

/// What one thread does after the other.
fn blocks(schedule: &[Token]) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    for block in schedule.chunk_by(|one, next| one.thread == next.thread) {
        blocks.push(start..start + block.len());
        start += block.len();
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rscale_protocol::ThreadId;

    fn schedule(threads: &[u16]) -> Vec<Token> {
        threads.iter().map(|&thread| Token { thread: ThreadId(thread), choice: Choice::Proceed }).collect()
    }

    fn all(change: Change, threads: &[u16]) -> Vec<Vec<u16>> {
        let changed = (0..).map_while(|number| change(&schedule(threads), number));
        changed.map(|tokens| tokens.iter().map(|token| token.thread.0).collect()).collect()
    }

    #[test]
    fn changes_are_as_they_are_called() {
        assert_eq!(all(begun, &[0, 0, 1, 2]), [vec![], vec![0, 0], vec![0, 0, 1]]);
        let without = [vec![2, 0], vec![0, 0, 1], vec![1, 2, 0], vec![0, 0, 2, 0], vec![0, 0, 1, 0], vec![0, 0, 1, 2]];
        assert_eq!(all(without_blocks, &[0, 0, 1, 2, 0]), without);
        assert_eq!(all(joined_before, &[0, 1, 1, 0]), [vec![0, 1, 1, 0], vec![0, 1, 1, 0], vec![0, 0, 1, 1]]);
        assert_eq!(all(joined_behind, &[0, 1, 1, 0]), [vec![1, 1, 0, 0], vec![0, 0, 1, 1], vec![0, 1, 1, 0]]);
        assert_eq!(all(shortened, &[0, 0, 0, 1]), [vec![0, 1], vec![0, 0, 1], vec![0, 0, 0], vec![0, 0, 0]]);
        assert_eq!(all(swapped, &[0, 0, 1, 2]), [vec![1, 0, 0, 2], vec![0, 0, 2, 1]]);
        let on = |thread, distance, rest: &[u16]| [&vec![thread; distance], rest].concat();
        let first = DISTANCES.map(|distance| on(0, distance + 2, &[1]));
        let second = DISTANCES.map(|distance| [&[0, 0][..], &on(1, distance + 1, &[0])].concat());
        let third = DISTANCES.map(|distance| [&[0, 0, 1][..], &on(0, distance + 1, &[])].concat());
        assert_eq!(all(run_on, &[0, 0, 1, 0]), [first, second, third].concat());
    }

    proptest! {
        #[test]
        fn nothing_is_added(threads in prop::collection::vec(0u16..4, 0..30)) {
            let count = |of: &[u16], thread: u16| of.iter().filter(|&&one| one == thread).count();
            for change in [begun, without_blocks, joined_before, joined_behind, shortened, swapped] {
                for changed in all(change, &threads) {
                    prop_assert!((0..4).all(|thread| count(&changed, thread) <= count(&threads, thread)));
                }
            }
        }
    }
}
