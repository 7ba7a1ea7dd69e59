//! Enumerating all interleavings.

use super::buffers::Memory;
use super::machine::{Copying, Machine, Stage, Step};
use super::program::{Kind, Program};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How a program can end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumeration {
    /// What it prints.
    pub outcomes: BTreeSet<String>,
    /// Whether threads can wait for ever, at least one of them in a loop.
    pub has_livelock: bool,
    /// Whether threads can wait for ever, none of them in a loop.
    pub has_deadlock: bool,
    /// Different states.
    pub states: usize,
}

/// Every interleaving; None if there are more states than this.
#[must_use]
pub fn enumerate(program: &Program, memory: Memory, copying: Copying, most_states: usize) -> Option<Enumeration> {
    let mut enumeration = Enumeration::default();
    let states = reachable(program, memory, copying, most_states, |machine, steps| {
        if steps.is_empty() {
            enumeration.end(program, machine);
        }
    })?;
    Some(Enumeration { states, ..enumeration })
}

/// Looks at every state that can be reached, with the steps that can be taken there. Returns their number; None if
/// there are more than this.
pub(super) fn reachable(
    program: &Program,
    memory: Memory,
    copying: Copying,
    most_states: usize,
    mut look: impl FnMut(&Machine, &[Step]),
) -> Option<usize> {
    let initial = Machine::initial(program, memory);
    let mut known = HashSet::from([initial.clone()]);
    let mut left = vec![initial];
    while let Some(machine) = left.pop() {
        let steps = machine.steps(program, copying);
        look(&machine, &steps);
        for &step in &steps {
            let mut next = machine.clone();
            next.take(program, step, copying);
            if known.insert(next.clone()) {
                left.push(next);
            }
        }
        if known.len() > most_states {
            return None;
        }
    }
    Some(known.len())
}

/// How many ways there are through all steps. Very large numbers are cut.
#[must_use]
pub fn count_paths(program: &Program, memory: Memory, copying: Copying) -> u64 {
    count_from(&Machine::initial(program, memory), program, copying, &mut HashMap::new())
}

fn count_from(machine: &Machine, program: &Program, copying: Copying, known: &mut HashMap<Machine, u64>) -> u64 {
    if let Some(&count) = known.get(machine) {
        return count;
    }
    let steps = machine.steps(program, copying);
    let mut count = u64::from(steps.is_empty());
    for step in steps {
        let mut next = machine.clone();
        next.take(program, step, copying);
        count = count_from(&next, program, copying, known).saturating_add(count);
    }
    known.insert(machine.clone(), count);
    count
}

impl Enumeration {
    /// A way through the program has come to its end.
    pub(super) fn end(&mut self, program: &Program, machine: &Machine) {
        let is_at = |kind: Kind| {
            (0..machine.threads.len()).any(|thread| machine.op(program, thread).is_some_and(|op| op.kind == kind))
        };
        if machine.threads[0].stage == Stage::Ended {
            self.outcomes.insert(machine.outcome());
        } else if is_at(Kind::Await) {
            self.has_livelock = true;
        } else {
            self.has_deadlock = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffers::Model;
    use super::super::program::Op;
    use super::*;

    fn outcomes(first: &[Op], second: &[Op], copying: Copying) -> Vec<String> {
        let [create, join] = [Kind::Create, Kind::Join].map(|kind| Op::plain(kind, 1));
        let main = [&[create], first, &[join]].concat();
        let program = Program { threads: vec![main, second.to_vec()] };
        let all = enumerate(&program, Memory::SC, copying, 10_000).expect("few states");
        assert!(!all.has_deadlock && !all.has_livelock);
        all.outcomes.into_iter().collect()
    }

    #[test]
    fn updates_get_lost_unless_they_are_atomic_or_locked() {
        let both = |op: &[Op]| outcomes(op, op, Copying::Words).len();
        let update = Op::access(Kind::Update, 4, 0, 1);
        assert_eq!(both(&[update]), 2);
        assert_eq!(both(&[Op { other: 1, ..Op::access(Kind::Add, 4, 0, 1) }]), 1);
        assert_eq!(both(&[Op::plain(Kind::Lock, 0), update, Op::plain(Kind::Unlock, 0)]), 1);
    }

    #[test]
    fn stores_are_seen_at_once() {
        let half = |mine, other| [Op::access(Kind::Write, 8, mine, 1), Op::access(Kind::Read, 8, other, 0)];
        let all = outcomes(&half(0, 8), &half(8, 0), Copying::Words);
        assert_eq!(all, ["0,0 1,0 = 1 1 0 0", "1,0 0,0 = 1 1 0 0", "1,0 1,0 = 1 1 0 0"]);
    }

    #[test]
    fn accesses_overlap() {
        let (byte, word) = (Op::access(Kind::Write, 1, 1, 0xab), Op::access(Kind::Write, 8, 0, 1));
        assert_eq!(outcomes(&[byte], &[word], Copying::Words), ["0,0 0,0 = 1 0 0 0", "0,0 0,0 = ab01 0 0 0"]);
        let across = Op::access(Kind::Write, 4, 6, 0x11);
        assert_eq!(outcomes(&[across], &[], Copying::Words), ["0,0 0,0 = 11000000000000 0 0 0"]);
    }

    #[test]
    fn loops_wait() {
        let wait = [Op::access(Kind::Await, 4, 0, 0), Op::access(Kind::Read, 4, 8, 0)];
        let set = [Op::access(Kind::Write, 4, 8, 7), Op::access(Kind::Write, 4, 0, 1)];
        assert_eq!(outcomes(&wait, &set, Copying::Words), ["7,0 0,0 = 1 7 0 0"]);
        let program = Program { threads: vec![vec![Op::access(Kind::Await, 4, 0, 0)]] };
        assert!(enumerate(&program, Memory::SC, Copying::Words, 10).expect("one state").has_livelock);
    }

    /// A library may store the second word of a range that overlaps its source before the first.
    #[test]
    fn a_copy_in_one_step_is_one_store() {
        let fill = Op { other: 16, ..Op::access(Kind::Fill, 0, 0, 1) };
        let copy = |from, to, length| Op { other: length, ..Op::access(Kind::Copy, 0, from, to) };
        let [create, join] = [Kind::Create, Kind::Join].map(|kind| Op::plain(kind, 1));
        let threads = vec![vec![create, fill, copy(0, 16, 8), join], vec![copy(0, 8, 16), copy(8, 24, 8)]];
        let outcomes = |copying| {
            let memory = Memory::of(Model::Tso);
            enumerate(&Program { threads: threads.clone() }, memory, copying, 10_000).expect("few states").outcomes
        };
        let first_word_first = "0,0 0,0 = 101010101010101 101010101010101 0 0";
        let can_be =
            [Copying::AtOnce, Copying::AnyOrder(8)].map(|copying| outcomes(copying).contains(first_word_first));
        assert_eq!(can_be, [false, true]);
    }

    #[test]
    fn copies_are_torn_as_far_as_they_may_be() {
        let copy = [Op { other: 16, ..Op::access(Kind::Copy, 0, 0, 16) }];
        let set = [Op::access(Kind::Write, 8, 0, 1), Op::access(Kind::Write, 8, 8, 1)];
        let count = |copying| outcomes(&copy, &set, copying).len();
        assert_eq!([Copying::AtOnce, Copying::Words, Copying::AnyOrder(4)].map(count), [3, 4, 4]);
        let whole = [Op::access(Kind::Write, 16, 0, 1)];
        let count = |copying| outcomes(&copy, &whole, copying).len();
        assert_eq!([Copying::AtOnce, Copying::Words, Copying::AnyOrder(4)].map(count), [2, 3, 4]);
    }
}
