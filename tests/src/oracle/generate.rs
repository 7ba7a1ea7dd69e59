//! Random programs that are likely to be interesting: few objects, so that threads meet.

use super::program::{Op, Program, mutex_of};
use super::random::Random;

/// Which families of operations a program draws from. One or two at a time, so that threads meet at the same objects.
const THEMES: [&str; 10] =
    ["mutex", "mutex", "try", "semaphore", "condition", "condition", "barrier", "rwlock", "rwlock", "mixed"];

/// A program with two or three threads besides a main thread that creates them and joins nearly all.
pub fn generate(random: &mut Random) -> Program {
    let theme = random.pick(&THEMES);
    let count = if random.percent(60) { 2 } else { 3 };
    let most = if count == 2 { 5 } else { 3 };
    let values =
        vec![('s', random.below(2) as u8), ('t', random.below(3) as u8), ('x', 2), ('y', 1 + random.below(3) as u8)];
    let mut threads = vec![main_thread(random, theme, count)];
    for index in 1..=count {
        let length = 1 + random.below(most);
        threads.push(body(random, theme, length, char::from(b'@' + index as u8)));
    }
    Program { values, threads }
}

/// Creates all, joins most of them, and sometimes takes part or goes away early.
fn main_thread(random: &mut Random, theme: &str, count: usize) -> Vec<Op> {
    let mut ops = Vec::new();
    for index in 1..=count {
        if random.percent(15) {
            ops.extend(block(random, theme, 'M'));
        }
        ops.push(Op::Create(index));
        if random.percent(10) {
            ops.push(Op::Join(index)); // before the next one is created: the main thread is alone again
        }
    }
    if random.percent(20) {
        ops.extend(block(random, theme, 'M'));
    }
    let forgets = random.percent(15).then(|| 1 + random.below(count));
    let left = |index: &usize| !ops.contains(&Op::Join(*index)) && forgets != Some(*index);
    let joins: Vec<Op> = (1..=count).filter(left).map(Op::Join).collect();
    ops.extend(joins);
    if random.percent(15) {
        ops.extend(block(random, theme, 'E'));
    }
    ops
}

/// At least so many operations, in blocks that belong together.
fn body(random: &mut Random, theme: &str, length: usize, letter: char) -> Vec<Op> {
    let mut ops = Vec::new();
    while ops.iter().filter(|op| !matches!(op, Op::Print(_))).count() < length {
        ops.extend(block(random, theme, letter));
    }
    ops
}

fn block(random: &mut Random, theme: &str, letter: char) -> Vec<Op> {
    let theme = if theme == "mixed" { random.pick(&THEMES[..THEMES.len() - 1]) } else { theme };
    let mut ops = match theme {
        "mutex" => locked(random, Vec::new()),
        "try" => tried(random),
        "semaphore" => vec![on_semaphore(random)],
        "condition" => on_condition(random),
        "barrier" => on_barrier(random),
        _ => on_rwlock(random),
    };
    if random.percent(50) {
        let place = random.below(ops.len() + 1);
        ops.insert(place, Op::Print(letter));
    }
    ops
}

/// A section under a mutex, with another one inside at times, and now and then one that is never released.
fn locked(random: &mut Random, inside: Vec<Op>) -> Vec<Op> {
    let mutex = random.pick(&['a', 'b', 'b', 'a', 'd']);
    let mut ops = vec![Op::Lock(mutex)];
    if random.percent(35) {
        let inner = random.pick(&['a', 'b']);
        ops.extend([Op::Lock(inner), Op::Unlock(inner)]);
    }
    ops.extend(inside);
    if random.percent(92) {
        ops.push(Op::Unlock(mutex));
    }
    ops
}

fn tried(random: &mut Random) -> Vec<Op> {
    let mutex = random.pick(&['a', 'b']);
    let first = if random.percent(70) { Op::TryLock(mutex) } else { Op::Lock(mutex) };
    let mut ops = vec![first];
    if random.percent(30) {
        ops.push(Op::TryLock(random.pick(&['a', 'b'])));
    }
    ops.push(Op::Unlock(mutex));
    ops
}

fn on_semaphore(random: &mut Random) -> Op {
    let semaphore = random.pick(&['s', 's', 't']);
    let make = random.pick(&[Op::SemWait as fn(char) -> Op, Op::SemPost, Op::SemPost, Op::SemTryWait]);
    make(semaphore)
}

/// Waiting under the mutex; signalling with it or without.
fn on_condition(random: &mut Random) -> Vec<Op> {
    let condition = random.pick(&['c', 'c', 'c', 'e']);
    let mutex = mutex_of(condition);
    let signal = if random.percent(60) { Op::Signal(condition) } else { Op::Broadcast(condition) };
    match random.below(5) {
        0 | 1 => vec![Op::Lock(mutex), Op::CondWait(condition), Op::Unlock(mutex)],
        2 | 3 => vec![Op::Lock(mutex), signal, Op::Unlock(mutex)],
        _ => vec![signal],
    }
}

fn on_barrier(random: &mut Random) -> Vec<Op> {
    let barrier = Op::Barrier(random.pick(&['x', 'x', 'x', 'y']));
    if random.percent(30) { locked(random, vec![barrier]) } else { vec![barrier] }
}

fn on_rwlock(random: &mut Random) -> Vec<Op> {
    let lock = 'r';
    let first = random.pick(&[Op::Read as fn(char) -> Op, Op::Read, Op::Write, Op::Write, Op::TryRead, Op::TryWrite]);
    let mut ops = vec![first(lock)];
    if random.percent(20) {
        let second = random.pick(&[Op::Read as fn(char) -> Op, Op::Write, Op::TryRead]);
        ops.push(second(lock));
    }
    if random.percent(92) {
        ops.push(Op::RwUnlock(lock));
    }
    ops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_programs() {
        let texts = |seed| {
            let mut random = Random::new(seed);
            (0..20).map(|_| generate(&mut random).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(texts(5), texts(5));
        assert_ne!(texts(5), texts(6));
    }

    #[test]
    fn every_operation_comes_up() {
        let mut random = Random::new(0);
        let text: String = (0..300).map(|_| generate(&mut random).to_string() + " ").collect();
        for name in
            "lock trylock unlock wait trywait post cwait signal broadcast barrier rd wr tryrd trywr rwunlock create \
                     join print"
                .split_whitespace()
        {
            assert!(text.contains(&format!(" {name}:")), "{name}");
        }
    }
}
