//! Random programs with all that is known about them, and how many were passed over to find them.

use rscale_tests::access_oracle::{
    Copying, Kind, Limit, Memory, Model, Op, Program, Truth, Waiting, count_paths, enumerate, enumerate_within,
    generate_library, generate_weak, with_room,
};
use rscale_tests::oracle::{Cost, Random};

/// Programs with more states or schedules are passed over, so that none takes long.
const MOST_STATES: usize = 3000;
/// With pieces in any order there are many states, and few of them matter.
const MOST_STATES_IN_ANY_ORDER: usize = 4000;
const MOST_PATHS: u64 = 200_000;
/// A bounded search repeats equivalent schedules, so it takes longer.
const MOST_PATHS_BOUNDED: u64 = 2000;
/// Explaining that threads wait for ever takes rscale a hundred times as long as an execution.
const MOST_PATHS_STUCK: u64 = 100;

/// Why a program is not taken, and another one is drawn instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Refusal {
    /// It has too many states or schedules.
    TooLarge,
    /// It can do nothing that it could not do under sequential consistency, or copies nothing.
    Dull,
}

/// How many programs were drawn in vain.
#[derive(Clone, Copy, Default, Debug)]
pub struct Redrawn {
    pub too_large: u64,
    pub dull: u64,
}

impl Redrawn {
    fn count(&mut self, refusal: Refusal) {
        match refusal {
            Refusal::TooLarge => self.too_large += 1,
            Refusal::Dull => self.dull += 1,
        }
    }
}

/// A program, the memory model that it is to be run under, and what it can do there.
#[derive(Clone)]
pub struct Case {
    pub number: u64,
    /// What was drawn before it.
    pub redrawn: Redrawn,
    pub program: Program,
    pub memory: Memory,
    pub truth: Truth,
    pub paths: u64,
    /// Whether it can do more than under sequential consistency.
    pub is_weak: bool,
    /// The least room that buffers may have.
    room: Memory,
}

impl Case {
    /// The program of this number, and all about it: the first one of its sequence that is small enough.
    pub fn of(number: u64) -> Case {
        Case::smaller_than(number, MOST_PATHS)
    }

    /// The same, small enough to be searched with a bound on preemptions.
    pub fn to_bound(number: u64) -> Case {
        Case::smaller_than(number, MOST_PATHS_BOUNDED)
    }

    fn smaller_than(number: u64, most_paths: u64) -> Case {
        let mut random = Random::new(number);
        let model = random.pick(&[Model::Tso, Model::Pso]);
        let bound = random.pick(&[None, None, None, None, Some(0), Some(1), Some(1), Some(2)]);
        let bounded = Memory { bound, ..Memory::of(model) };
        let mut redrawn = Redrawn::default();
        loop {
            let program = generate_weak(&mut random);
            match Case::new(number, program, bounded, [Copying::Words; 2]) {
                Ok(case) if case.paths <= most_paths => return Case { redrawn, ..case },
                Ok(_) => redrawn.count(Refusal::TooLarge),
                Err(refusal) => redrawn.count(refusal),
            }
        }
    }

    /// The same, with functions of the library.
    pub fn with_library(number: u64) -> Case {
        let mut random = Random::new(number);
        let model = random.pick(&[Model::Tso, Model::Pso]);
        let bound = random.pick(&[None, None, None, Some(1), Some(2)]);
        let mut redrawn = Redrawn::default();
        loop {
            let program = generate_library(&mut random);
            // In pieces that are not known, nobody knows how many stores there are.
            let (bound, manners) = match is_exact(&program) {
                true => (bound, [Copying::Words; 2]),
                false => (None, [Copying::AtOnce, Copying::AnyOrder(program.cell())]),
            };
            let memory = Memory { bound, ..Memory::of(model) };
            let copies = program.has_pieces().then_some(program).ok_or(Refusal::Dull);
            match copies.and_then(|program| Case::new(number, program, memory, manners)) {
                Ok(case) => return Case { redrawn, ..case },
                Err(refusal) => redrawn.count(refusal),
            }
        }
    }

    /// A program of which it takes a preemption to see that `main` shares what it stores: without any, both threads
    /// access it behind the lock alone. Whether its stores are delayed makes no difference to who is preempted where.
    pub fn sharing_late() -> Case {
        let (create, join) = (Op::plain(Kind::Create, 1), Op::plain(Kind::Join, 1));
        let (lock, unlock) = (Op::plain(Kind::Lock, 0), Op::plain(Kind::Unlock, 0));
        let [write, other, read] = [(Kind::Write, 0, 1), (Kind::Write, 8, 3), (Kind::Read, 0, 0)]
            .map(|(kind, offset, value)| Op::access(kind, 4, offset, value));
        let main = vec![create, write, other, lock, read, unlock, join];
        let program = Program { threads: vec![main, vec![lock, Op { value: 1, ..other }, read, unlock]] };
        Case::new(0, program, Memory::of(Model::Tso), [Copying::Words; 2]).expect("it is small")
    }

    /// All about a program, with what a library does at least and at most; or why it is not taken.
    fn new(number: u64, program: Program, memory: Memory, [least, most]: [Copying; 2]) -> Result<Case, Refusal> {
        let is_in_any_order = matches!(most, Copying::AnyOrder(_));
        let most_states = if is_in_any_order { MOST_STATES_IN_ANY_ORDER } else { MOST_STATES };
        let explored = |memory, copying| enumerate(&program, memory, copying, most_states).ok_or(Refusal::TooLarge);
        let [room, most_room] = with_room(&program, memory, most, most_states).ok_or(Refusal::TooLarge)?;
        // Most orders of small pieces are none that rscale has to try.
        let manner = if is_in_any_order { least } else { most };
        let truth = Truth { least: explored(room, least)?, most: explored(most_room, most)? };
        let is_weak = truth.most.outcomes != explored(Memory::SC, most)?.outcomes;
        let paths = count_paths(&program, most_room, manner);
        if paths > if truth.is_stuck() { MOST_PATHS_STUCK } else { MOST_PATHS } {
            return Err(Refusal::TooLarge);
        }
        // Most programs of this size can do no more than under sequential consistency.
        if !is_weak && memory.bound != Some(0) && !number.is_multiple_of(4) {
            return Err(Refusal::Dull);
        }
        let redrawn = Redrawn::default();
        Ok(Case { number, redrawn, program, memory, truth, paths, is_weak, room })
    }

    /// What has to be found with so many preemptions at most, and may be found.
    ///
    /// Where buffers have a bound, a store needs room if it is to a variable that threads share, as far as that shows
    /// within the bound on preemptions: so there may be more room than without that bound, and more is found.
    pub fn within(&self, preemptions: usize) -> Truth {
        let most = enumerate(&self.program, self.unbounded(), Copying::Words, usize::MAX).expect("no limit");
        let limit = Limit { cost: Cost::Preemptions, bound: preemptions, waiting: Waiting::IsAStep };
        Truth { least: enumerate_within(&self.program, self.room, limit), most }
    }

    /// What has to be found by a search of all schedules within a bound, and all that may be found.
    ///
    /// Where it is not seen within the bound that a store is to a variable that threads share, nobody waits for it: a
    /// thread that waits for nothing else then is not passed over.
    pub fn exactly_within(&self, cost: Cost, bound: usize) -> Truth {
        let within = |memory, waiting| enumerate_within(&self.program, memory, Limit { cost, bound, waiting });
        Truth { least: within(self.room, Waiting::IsAStep), most: within(self.unbounded(), Waiting::IsNone) }
    }

    /// The memory model with as much room as there can be.
    fn unbounded(&self) -> Memory {
        Memory { bound: self.memory.bound.filter(|&bound| bound == 0), ..self.memory }
    }
}

/// Whether the pieces of all copies are known: words, of which none is written before it is read.
pub fn is_exact(program: &Program) -> bool {
    program.has_words_only() && !program.has_overlaps()
}
