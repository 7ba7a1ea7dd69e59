//! Random programs that are likely to be interesting: few variables and mutexes, so that threads meet.

use super::program::{Op, Program, repeat_while, when};
use crate::oracle::Random;
use Block::{Access, Branch, Locked, Section, Tried, Update, Waits, Wakes};

const REGISTERS: usize = 3;
/// Blocks may stand in blocks, and in those.
const DEEPEST: usize = 2;

/// A few operations that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    /// An access to a variable.
    Access,
    /// An atomic update.
    Update,
    /// Something that depends on what was read.
    Branch,
    /// Something under a mutex.
    Locked,
    /// An attempt to take a mutex, and something if it was free.
    Tried,
    /// Waiting on a condition variable, or perhaps not.
    Waits,
    /// Waking others.
    Wakes,
    /// Accesses that are one step.
    Section,
}

/// What a program draws from.
const STYLES: [&[Block]; 10] = [
    &[Access],
    &[Access, Access, Branch],
    &[Access, Update, Update],
    &[Access, Update, Branch],
    &[Locked, Locked, Access],
    &[Locked, Tried, Tried, Access, Branch],
    &[Waits, Wakes],
    &[Waits, Wakes, Wakes, Access, Locked],
    &[Section, Section, Access, Branch],
    &[Access, Update, Branch, Locked, Tried, Waits, Wakes, Section],
];

struct Generator<'a> {
    random: &'a mut Random,
    blocks: &'static [Block],
    variables: usize,
    mutexes: usize,
}

/// Two or three threads that a main thread creates and joins; it may take part.
pub fn generate(random: &mut Random) -> Program {
    let blocks = random.pick(&STYLES);
    let (variables, mutexes) = (1 + random.below(3), 1 + random.below(2));
    let mut generator = Generator { random, blocks, variables, mutexes };
    let workers = if generator.random.percent(60) { 2 } else { 3 };
    let (least, more) = if workers == 2 { (3, 5) } else { (2, 4) };
    let mut threads = vec![generator.main_thread(workers)];
    for _ in 0..workers {
        let length = least + generator.random.below(more);
        threads.push(generator.body(length, &[]));
    }
    Program { threads }
}

impl Generator<'_> {
    fn main_thread(&mut self, workers: u8) -> Vec<Op> {
        let mut ops = Vec::new();
        for number in 1..=workers {
            ops.extend(self.perhaps(10));
            ops.push(Op::Create(number));
        }
        for number in 1..=workers {
            ops.extend(self.perhaps(10));
            ops.push(Op::Join(number));
        }
        ops
    }

    fn perhaps(&mut self, chance: usize) -> Vec<Op> {
        if self.random.percent(chance) { self.block(&[], 0) } else { Vec::new() }
    }

    /// Blocks, until they have so many operations. `held` are the mutexes that the thread has.
    fn body(&mut self, length: usize, held: &[u8]) -> Vec<Op> {
        let mut ops = Vec::new();
        while ops.len() < length {
            ops.extend(self.block(held, 0));
        }
        ops
    }

    fn block(&mut self, held: &[u8], depth: usize) -> Vec<Op> {
        let mutex = self.random.below(self.mutexes) as u8;
        let needs_mutex = |block: Block| matches!(block, Locked | Tried | Waits);
        let has_blocks = |block: Block| matches!(block, Branch | Locked | Tried | Waits);
        let block = match self.random.pick(self.blocks) {
            block if needs_mutex(block) && held.contains(&mutex) => Access,
            block if has_blocks(block) && depth >= DEEPEST => Access,
            block => block,
        };
        let inside = [held, &[mutex]].concat();
        match block {
            Access => vec![self.access()],
            Update => {
                let register = self.register();
                vec![self.update(register)]
            }
            Branch => self.branch(held, depth),
            Locked => {
                let body = self.some(&inside, depth, 2);
                locked(mutex, body)
            }
            Tried => self.tried(mutex, held, depth),
            Waits => self.waits(mutex, &inside, depth),
            Wakes => self.wakes(mutex, held),
            Section => self.section(),
        }
    }

    /// None to so many blocks.
    fn some(&mut self, held: &[u8], depth: usize, most: usize) -> Vec<Op> {
        let count = self.random.below(most + 1);
        (0..count).flat_map(|_| self.block(held, depth + 1)).collect()
    }

    fn variable(&mut self) -> u8 {
        self.random.below(self.variables) as u8
    }

    fn register(&mut self) -> u8 {
        self.random.below(REGISTERS) as u8
    }

    fn value(&mut self) -> i8 {
        self.random.pick(&[0, 1, 1, 2])
    }

    fn access(&mut self) -> Op {
        let (variable, register) = (self.variable(), self.register());
        match self.random.below(8) {
            0..3 => Op::Load { register, variable },
            3 | 4 => Op::Store { variable, value: self.value() },
            5 => Op::StoreRegister { variable, register },
            6 => Op::Copy { to: variable, from: self.variable() },
            _ => Op::Increase { variable, by: 1 },
        }
    }

    fn update(&mut self, register: u8) -> Op {
        let variable = self.variable();
        if self.random.percent(50) {
            return Op::Exchange { register, variable, value: self.value() };
        }
        Op::CompareAndSwap { register, variable, expected: self.value(), desired: self.value() }
    }

    fn branch(&mut self, held: &[u8], depth: usize) -> Vec<Op> {
        let (register, variable, value) = (self.register(), self.variable(), self.value());
        let first = match self.random.below(3) {
            0 if self.blocks.contains(&Update) => self.update(register),
            _ => Op::Load { register, variable },
        };
        let (then, otherwise) = (self.some(held, depth, 2), self.some(held, depth, 1));
        [vec![first], when(register, value, &then, &otherwise)].concat()
    }

    fn tried(&mut self, mutex: u8, held: &[u8], depth: usize) -> Vec<Op> {
        let register = self.register();
        let mut inside = self.some(&[held, &[mutex]].concat(), depth, 1);
        inside.push(Op::Unlock(mutex));
        let otherwise = self.some(held, depth, 1);
        [vec![Op::TryLock { register, mutex }], when(register, 1, &inside, &otherwise)].concat()
    }

    /// `if` and `while` wait for a variable to change; without either, the signal may have come before.
    fn waits(&mut self, mutex: u8, held: &[u8], depth: usize) -> Vec<Op> {
        let (register, load) = (self.register(), self.variable());
        let load = Op::Load { register, variable: load };
        let mut body = match self.random.below(5) {
            0 => vec![Op::Wait(mutex)],
            1 | 2 => [vec![load], when(register, 0, &[Op::Wait(mutex)], &[])].concat(),
            _ => repeat_while(&[load], register, 0, &[Op::Wait(mutex)]),
        };
        body.extend(self.some(held, depth + 1, 1));
        locked(mutex, body)
    }

    /// A signal or a broadcast, behind a store at times; mostly under the mutex.
    fn wakes(&mut self, mutex: u8, held: &[u8]) -> Vec<Op> {
        let mut ops = Vec::new();
        if self.random.percent(60) {
            ops.push(Op::Store { variable: self.variable(), value: 1 });
        }
        ops.push(if self.random.percent(60) { Op::Signal(mutex) } else { Op::Broadcast(mutex) });
        let is_locked = !held.contains(&mutex) && self.random.percent(60);
        if is_locked { locked(mutex, ops) } else { ops }
    }

    fn section(&mut self) -> Vec<Op> {
        let count = 1 + self.random.below(3);
        let register = self.register();
        let accesses = (0..count).map(|_| if self.random.percent(80) { self.access() } else { self.update(register) });
        std::iter::once(Op::AtomicBegin).chain(accesses).chain([Op::AtomicEnd]).collect()
    }
}

fn locked(mutex: u8, body: Vec<Op>) -> Vec<Op> {
    [vec![Op::Lock(mutex)], body, vec![Op::Unlock(mutex)]].concat()
}

#[cfg(test)]
mod tests {
    use super::super::enumerate::{Limits, count_paths, enumerate};
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
        let text: String = (0..300).map(|_| format!(" {} ", generate(&mut random))).collect();
        for name in "load store put copy increase xchg cas lock trylock unlock wait signal broadcast begin end unless \
                     jump create join"
            .split_whitespace()
        {
            assert!(text.contains(&format!(" {name}:")), "{name}");
        }
    }

    /// Traces are sets of interleavings; most programs have more of these, and some can end in a deadlock.
    #[test]
    fn programs_are_neither_trivial_nor_large() {
        let mut random = Random::new(1);
        let programs: Vec<Program> = (0..500).map(|_| generate(&mut random)).collect();
        let limits = Limits { traces: 5000, beginnings: 50_000 };
        let small: Vec<_> =
            programs.iter().filter_map(|program| Some((program, enumerate(program, limits)?))).collect();
        assert!(small.len() > 400, "{} are small enough", small.len());
        assert!(small.iter().all(|(program, all)| all.traces <= count_paths(program)));
        let count =
            |is_so: &dyn Fn(u64, u64) -> bool| small.iter().filter(|(_, all)| is_so(all.traces, all.deadlocks)).count();
        assert!(count(&|traces, _| traces > 10) > 150);
        assert!(count(&|_, deadlocks| deadlocks > 0) > 25);
    }
}
