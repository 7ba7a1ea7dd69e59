//! Random programs in which about every other one races: idioms that protect, and now and then a mistake in them.

use super::program::{Op, Program, VARIABLES};
use crate::oracle::Random;

/// A program with two or three threads beside a main thread that creates them, joins them and may take part.
#[must_use]
pub fn generate(random: &mut Random) -> Program {
    let count = random.pick(&[2, 2, 3]);
    let carelessness = random.pick(&[0, 10, 30]);
    let mut main = Vec::new();
    for thread in 1..=count {
        main.push(Op::Create(thread));
    }
    if random.percent(30) {
        main.extend(block(random, carelessness));
    }
    let early = random.percent(20);
    main.push(Op::Join(1));
    if early {
        main.extend(block(random, carelessness));
    }
    main.extend((2..=count).map(Op::Join));
    main.push(random.pick(&[Op::Read(0), Op::Write(1)]));
    main.retain(|op| !matches!(op, Op::SkipIfZero(_))); // it must not pass over a join
    let mut threads = vec![main];
    for _ in 0..count {
        let blocks = if count == 3 { 1 } else { 1 + random.below(2) };
        threads.push((0..blocks).flat_map(|_| block(random, carelessness)).collect());
    }
    Program { threads }
}

fn variable(random: &mut Random) -> u8 {
    random.below(VARIABLES) as u8
}

fn access(random: &mut Random) -> Op {
    let variable = variable(random);
    random.pick(&[Op::Read(variable), Op::Write(variable), Op::Write(variable)])
}

/// A few operations that belong together; which lock goes with which variable is the same everywhere, but for mistakes.
fn block(random: &mut Random, carelessness: usize) -> Vec<Op> {
    let access = access(random);
    let (Op::Read(variable) | Op::Write(variable)) = access else { return vec![access] };
    let (other, flag) = (self::variable(random), self::variable(random));
    let lock = if random.percent(carelessness) { other } else { variable };
    let is_read = access == Op::Read(variable);
    match random.below(8) {
        0 if random.percent(carelessness) => vec![access],
        0 | 1 => vec![Op::Lock(lock), access, Op::Unlock(lock)],
        2 if is_read || random.percent(carelessness) => vec![Op::ReadLock(lock), access, Op::RwUnlock(lock)],
        2 => vec![Op::WriteLock(lock), access, Op::RwUnlock(lock)],
        3 => vec![access, random.pick(&[Op::Store(flag), Op::Exchange(flag)])],
        4 => vec![random.pick(&[Op::Load(flag), Op::Exchange(flag)]), Op::SkipIfZero(1), access],
        5 => vec![access, Op::Post(lock)],
        6 => vec![Op::Wait(lock), access],
        _ => vec![Op::LockedAdd(variable)],
    }
}
