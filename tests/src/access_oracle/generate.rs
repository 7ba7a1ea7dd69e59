//! Random programs that are likely to be interesting: few bytes, so that threads meet.

use super::program::{Kind, Op, Program};
use crate::oracle::Random;

/// What a program draws from.
struct Style {
    /// Widths of accesses.
    widths: &'static [u8],
    /// Where the accesses of a program are, before alignment.
    places: Vec<u8>,
    kinds: &'static [Kind],
    /// Chance of an access that is not aligned.
    skewed: usize,
}

/// Forms that an operation can have, at least.
const FORMS: usize = 13;

const PLAIN: &[Kind] = &[Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Update];
const ATOMIC: &[Kind] = &[
    Kind::Read,
    Kind::Write,
    Kind::Add,
    Kind::Exchange,
    Kind::CompareExchange,
    Kind::CompareExchangeAdd,
    Kind::Update,
];
const CONTROL: &[Kind] = &[Kind::Read, Kind::Read, Kind::ReadAt, Kind::WriteAt, Kind::Write, Kind::Skip, Kind::Move];
const WAITS: &[Kind] = &[Kind::Await, Kind::Read, Kind::Write, Kind::Write, Kind::Update, Kind::Exchange];
const COPIES: &[Kind] = &[Kind::Copy, Kind::Copy, Kind::Read, Kind::Write, Kind::Write, Kind::Compare];
const LOCKS: &[Kind] = &[Kind::Lock, Kind::Lock, Kind::TryLock, Kind::Read, Kind::Write, Kind::Update];
const ALL: &[Kind] = &[
    Kind::Read,
    Kind::ReadAt,
    Kind::Write,
    Kind::WriteAt,
    Kind::Update,
    Kind::Add,
    Kind::Exchange,
    Kind::CompareExchange,
    Kind::CompareExchangeAdd,
    Kind::Move,
    Kind::Lock,
    Kind::Skip,
];

/// What matters under weak memory: accesses, and whatever orders them.
const WEAK: &[Kind] =
    &[Kind::Read, Kind::Read, Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Write, Kind::Write, Kind::Fence];
const WEAK_ATOMIC: &[Kind] =
    &[Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Exchange, Kind::Add, Kind::CompareExchange, Kind::Fence];
const WEAK_CONTROL: &[Kind] =
    &[Kind::Read, Kind::ReadAt, Kind::WriteAt, Kind::Write, Kind::Write, Kind::Skip, Kind::Move, Kind::Update];
const WEAK_WAITS: &[Kind] = &[Kind::Await, Kind::Read, Kind::Write, Kind::Write, Kind::Write, Kind::Fence];
const WEAK_LOCKS: &[Kind] = &[Kind::Lock, Kind::TryLock, Kind::Read, Kind::Read, Kind::Write, Kind::Write];
const WEAK_COPIES: &[Kind] = &[Kind::Copy, Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Fence];

const WEAK_LIBRARY: &[Kind] =
    &[Kind::Copy, Kind::Copy, Kind::Fill, Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Fence];
const WEAK_TEXTS: &[Kind] = &[Kind::Text, Kind::Text, Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Fence];

/// As [`generate_weak`], with functions of the library.
pub fn generate_library(random: &mut Random) -> Program {
    let kinds = random.pick(&[WEAK_LIBRARY, WEAK_LIBRARY, WEAK_LIBRARY, WEAK_TEXTS]);
    let widths: &[u8] =
        if kinds == WEAK_LIBRARY { random.pick(&[&[8], &[8], &[4, 8], &[4, 8], &[1, 2], &[1, 2, 4]]) } else { &[8] };
    let is_narrow = widths[0] == 1;
    let places = if is_narrow { vec![0, 1, 2, 4, 5] } else { vec![0, 8, 16] };
    let style = Style { kinds, widths, places, skewed: 0 };
    let [create, join] = [Kind::Create, Kind::Join].map(|kind| [1, 2].map(|thread| Op::plain(kind, thread)));
    let mut threads = vec![[create, join].concat()];
    for _ in 0..2 {
        let length = if widths.len() > 1 { 2 } else { random.pick(&[2, 2, 3]) };
        threads.push(body(random, &style, length));
    }
    let mut program = Program { threads };
    for op in program.threads.iter_mut().flatten() {
        make_plain(op);
        match op.kind {
            Kind::Fill if is_narrow => (op.offset, op.other) = (random.pick(&[0, 1, 2, 4]), random.pick(&[2, 3, 4])),
            // No string instruction, and whole words.
            Kind::Copy => {
                (op.form, op.other) = (op.form % 2, op.other.next_multiple_of(8));
                spread(random, op, is_narrow);
            }
            Kind::Text => (op.form, op.other) = (op.form % 3, op.other.next_multiple_of(8)),
            _ => {}
        }
    }
    program
}

/// Other ranges for a copy: shorter ones, and some that overlap, which only `memmove` may copy.
fn spread(random: &mut Random, op: &mut Op, is_narrow: bool) {
    if is_narrow {
        [op.offset, op.value] = random.pick(&[[0, 4], [4, 0], [0, 1], [1, 0], [2, 0], [0, 2]]);
        op.other = random.pick(&[2, 3, 4]);
    } else if random.percent(30) {
        [op.offset, op.value] = random.pick(&[[0, 8], [8, 0]]);
        op.other = 16;
    }
    op.form = if op.offset.abs_diff(op.value) < op.other { 1 } else { op.form };
}

/// As [`generate`], for programs of which store buffers make a difference, and everything about them is known.
pub fn generate_weak(random: &mut Random) -> Program {
    let kinds = random.pick(&[WEAK, WEAK, WEAK, WEAK_ATOMIC, WEAK_CONTROL, WEAK_WAITS, WEAK_LOCKS, WEAK_COPIES]);
    let mut style = Style { kinds, ..style(random) };
    if random.percent(60) {
        // Two places that are far apart: threads can see a store of one and not of the other.
        (style.places, style.widths) = (vec![0, 8], random.pick(&[&[8][..], &[4], &[4, 8], &[1, 8]]));
    }
    let mut program = generate_in_style(random, &style);
    for op in program.threads.iter_mut().flatten() {
        make_plain(op);
        // What the buffers make of the words of one store is not modelled.
        op.offset -= if op.is_torn() { op.offset % 16 } else { 0 };
        if op.kind == Kind::Copy {
            // By a string instruction, no more than two elements.
            op.form = 2 + op.form % 2;
            op.other = if op.form == 2 { 2 } else { op.other };
        }
    }
    program
}

/// Takes the form without what would order stores.
fn make_plain(op: &mut Op) {
    op.form = match op.kind {
        // Compilers make a store that is sequentially consistent an exchange.
        Kind::Write | Kind::WriteAt if op.form % 8 == 2 => 0,
        // A yield is a system call.
        Kind::Await => op.form % 3,
        _ => op.form,
    };
}

/// A program with one to three threads besides a main thread that creates them, joins them and may take part.
pub fn generate(random: &mut Random) -> Program {
    let style = style(random);
    generate_in_style(random, &style)
}

fn generate_in_style(random: &mut Random, style: &Style) -> Program {
    let count = random.pick(&[1, 2, 2, 2, 3]);
    let most = [6, 5, 3][count - 1];
    let mut main = Vec::new();
    for index in 1..=count {
        main.push(Op::plain(Kind::Create, index as u8));
        if index < count && !style.kinds.contains(&Kind::Await) && random.percent(10) {
            main.push(Op::plain(Kind::Join, index as u8)); // before the next one is created: main is alone again
        }
    }
    let joins: Vec<Op> =
        (1..=count as u8).map(|index| Op::plain(Kind::Join, index)).filter(|join| !main.contains(join)).collect();
    if count == 1 || random.percent(30) {
        main.extend(body(random, style, if count == 1 { 5 } else { 2 }));
    }
    let (first, rest) = joins.split_at(joins.len() / 2);
    main.extend(first);
    if random.percent(15) {
        main.extend(body(random, style, 1));
    }
    main.extend(rest);
    main.retain(|op| op.kind != Kind::Skip); // a thread that is not joined would still run while main prints
    let mut threads = vec![main];
    threads.extend((0..count).map(|_| {
        let length = 1 + random.below(most);
        body(random, style, length)
    }));
    let program = Program { threads };
    if awaits_in_vain(&program) { generate_in_style(random, style) } else { program }
}

/// Whether a thread waits for what no other thread writes: it takes rscale seconds to call that a livelock.
fn awaits_in_vain(program: &Program) -> bool {
    let writes = |op: &Op, awaited: &Op| {
        !matches!(op.kind, Kind::Read | Kind::ReadAt | Kind::Await)
            && op.offset < awaited.offset + awaited.width
            && awaited.offset < op.offset + op.width
    };
    let is_in_vain = |thread: usize, awaited: &Op| {
        let others = program.threads.iter().enumerate().filter(|(index, _)| *index != thread);
        !others.flat_map(|(_, ops)| ops).any(|op| writes(op, awaited))
    };
    let mut threads = program.threads.iter().enumerate();
    threads.any(|(thread, ops)| ops.iter().any(|op| op.kind == Kind::Await && is_in_vain(thread, op)))
}

fn style(random: &mut Random) -> Style {
    let kinds = random.pick(&[PLAIN, PLAIN, ATOMIC, CONTROL, WAITS, COPIES, LOCKS, ALL, ALL]);
    let (widths, spread, skewed): (&[u8], usize, usize) = match random.below(11) {
        0..4 => (&[8], 24, 0),
        4 => (&[4], 16, 0),
        5 => (&[1], 4, 0),
        6 => (&[4, 8], 16, 0),
        7 => (&[1, 2, 4, 8], 8, 0),
        8 => (&[2, 4, 8], 12, 40),
        9 => (&[8, 16], 24, 0),
        _ => (&[1, 4, 8, 16], 16, 0),
    };
    // Bytes and skewed accesses cut copies into pieces that nobody can foresee.
    let (widths, skewed): (&[u8], usize) = match kinds {
        COPIES if widths != [8] => (&[4, 8], 0),
        _ => (widths, skewed),
    };
    let places = (0..2 + random.below(2)).map(|_| random.below(spread) as u8).collect();
    Style { widths, places, kinds, skewed }
}

/// At least so many operations.
fn body(random: &mut Random, style: &Style, length: usize) -> Vec<Op> {
    let mut ops = Vec::new();
    while ops.len() < length {
        let kind = random.pick(style.kinds);
        if matches!(kind, Kind::Lock | Kind::TryLock) {
            ops.extend(locked(random, style, kind));
        } else {
            let op = operation(random, style, kind);
            ops.push(op);
        }
    }
    ops
}

/// A section under a mutex. Sections do not nest: no deadlocks but those of threads that wait in a loop.
fn locked(random: &mut Random, style: &Style, kind: Kind) -> Vec<Op> {
    let mutex = random.pick(&[0, 0, 0, 1]);
    let mut ops = vec![Op { register: random.below(2) as u8, ..Op::plain(kind, mutex) }];
    for _ in 0..1 + random.below(2) {
        let inside = random.pick(PLAIN);
        ops.push(operation(random, style, inside));
    }
    ops.push(Op::plain(Kind::Unlock, mutex));
    ops
}

fn operation(random: &mut Random, style: &Style, kind: Kind) -> Op {
    let mut width = random.pick(style.widths);
    let has_wide = matches!(kind, Kind::Read | Kind::Write | Kind::CompareExchange);
    if width == 16 && !has_wide {
        width = 8;
    }
    let is_skewed = width < 16 && random.percent(style.skewed);
    let place = random.pick(&style.places);
    let is_torn = width == 16 && kind != Kind::CompareExchange && random.percent(50);
    let offset = if is_torn {
        8
    } else if is_skewed {
        place
    } else {
        place / width * width
    };
    let (form, register) = (random.below(FORMS) as u8, random.below(2) as u8);
    let value = 1 + random.below(3) as u8;
    let op = Op { kind, form, width, offset, register, value, other: 0 };
    match kind {
        Kind::Write | Kind::WriteAt | Kind::Add => Op { other: random.below(2) as u8, ..op },
        Kind::CompareExchange => Op { value: random.below(2) as u8, other: 2 + random.below(2) as u8, ..op },
        Kind::Move => Op { value: random.pick(&style.places) / width * width, ..op },
        Kind::Skip => Op { width: 0, offset: 0, form: 0, value: 1 + random.below(2) as u8, ..op },
        Kind::Copy | Kind::Text => in_pieces(random, op),
        Kind::Fill => Op { width: 0, offset: random.pick(&[0, 8]), other: random.pick(&[8, 16]), ..op },
        Kind::Fence => Op { width: 0, offset: 0, value: random.pick(&[0, 0, 1, 1, 2]), ..op },
        Kind::Compare => Op { form: 0, ..in_pieces(random, op) },
        _ => op,
    }
}

/// Two ranges that do not overlap.
fn in_pieces(random: &mut Random, op: Op) -> Op {
    // Copies byte by byte have many steps.
    let length = if op.string_element() == Some(1) { random.pick(&[2, 3, 8]) } else { random.pick(&[8, 16]) };
    let [from, to] = random.pick(&[[0, 16], [16, 0], [8, 24], [0, 8]]);
    let length = if from == 0 && to == 8 { length.min(8) } else { length.min(32 - from.max(to)) };
    Op { width: 0, offset: from, value: to, other: length, ..op }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_comes_up_and_none_leaves_the_memory() {
        let mut random = Random::new(0);
        let programs: Vec<Program> = (0..500).map(|_| generate(&mut random)).collect();
        let text: String = programs.iter().map(|program| format!(" {program} ")).collect();
        for name in "read readat write writeat update add xchg cas casadd await move copy compare lock trylock unlock \
                     skip create join"
            .split_whitespace()
        {
            assert!(text.contains(&format!(" {name}:")), "{name}");
        }
        for op in programs.iter().flat_map(|program| program.threads.iter().flatten()) {
            let further = if matches!(op.kind, Kind::ReadAt | Kind::WriteAt) { 8 } else { 0 };
            assert!(op.offset + op.width + further <= 32, "{op}");
            assert!(op.kind != Kind::Move || op.value + op.width <= 32, "{op}");
        }
    }
}
