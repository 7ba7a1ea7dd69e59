//! The state of a program between two steps.

use super::program::{Op, Program};
use std::collections::BTreeMap;

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Nobody has created it.
    Unborn,
    /// Created; its first step is to start.
    Created,
    /// At the operation of its counter; behind the last one, at its end.
    Running,
    /// Waits on a condition variable.
    Asleep(char),
    /// Has been woken: its next step takes the mutex back.
    Awake(char),
    /// Has arrived at a barrier that is not open yet.
    Arrived(char),
    /// The barrier has opened: its next step is to leave.
    Leaving,
    /// Has ended.
    Ended,
    /// Has ended and was joined.
    Joined,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// Where it is.
    pub stage: Stage,
    /// The operation it is at.
    pub counter: usize,
    /// Read-write locks that it holds for reading, one letter for each time.
    pub reads: Vec<char>,
    /// Its text.
    pub text: String,
}

/// Everything about an execution that matters for how it goes on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    /// The threads, the main thread first.
    pub threads: Vec<Thread>,
    /// Who holds a mutex, or a read-write lock for writing.
    pub owners: BTreeMap<char, usize>,
    /// Values of semaphores; for barriers, how many threads open them.
    pub values: BTreeMap<char, u8>,
    /// How often each lock was taken exclusively.
    pub turns: BTreeMap<char, u8>,
    /// A condition variable that was signalled while several threads were asleep there: one of them is next.
    pub undecided: Option<char>,
    /// All texts together, in the order in which they grew.
    pub everything: String,
    /// The outcome, once the main thread has come to its end.
    pub outcome: Option<Outcome>,
    /// The process has ended.
    pub over: bool,
    /// Whether texts are kept: without them, more states are equal.
    keeps_texts: bool,
}

/// What an execution printed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Outcome {
    /// All texts, in the order in which they grew: tells nearly all schedules apart.
    pub total: String,
    /// The texts of the main thread and of the threads it joined: what the order of synchronisation alone determines.
    pub joined: String,
}

impl Machine {
    /// Before the main thread does anything.
    #[must_use]
    pub fn new(program: &Program, keeps_texts: bool) -> Machine {
        let thread = Thread { stage: Stage::Unborn, counter: 0, reads: Vec::new(), text: String::new() };
        let mut threads = vec![thread; program.threads.len()];
        threads[0].stage = Stage::Running;
        Machine {
            threads,
            owners: BTreeMap::new(),
            values: program.values.iter().copied().collect(),
            turns: BTreeMap::new(),
            undecided: None,
            everything: String::new(),
            outcome: None,
            over: false,
            keeps_texts,
        }
    }

    /// Whether every thread that was created has been joined: the main thread then takes no steps.
    #[must_use]
    pub fn main_is_alone(&self) -> bool {
        self.threads[1..].iter().all(|thread| matches!(thread.stage, Stage::Unborn | Stage::Joined))
    }

    /// The thread's text grows.
    pub fn say(&mut self, thread: usize, character: char) {
        if self.keeps_texts {
            self.threads[thread].text.push(character);
            self.everything.push(character);
        }
    }

    /// The thread takes a lock for itself, and says how often that happened before.
    pub fn take(&mut self, lock: char, thread: usize) {
        self.owners.insert(lock, thread);
        let turns = self.turns.entry(lock).or_insert(0);
        let before = *turns;
        // The digit only goes into texts. Without them it would tell states apart that are the same.
        *turns = if self.keeps_texts { (before + 1) % 10 } else { 0 };
        self.say(thread, char::from(b'0' + before));
    }

    /// How often the lock was taken for writing, as a digit.
    #[must_use]
    pub fn turn(&self, lock: char) -> char {
        char::from(b'0' + self.turns.get(&lock).copied().unwrap_or(0))
    }

    /// Whether the thread holds a mutex, or a lock for writing.
    #[must_use]
    pub fn owns(&self, thread: usize, lock: char) -> bool {
        self.owners.get(&lock) == Some(&thread)
    }

    /// Whether nobody reads.
    #[must_use]
    pub fn has_no_readers(&self, lock: char) -> bool {
        self.threads.iter().all(|thread| !thread.reads.contains(&lock))
    }

    /// The threads that wait on a condition variable or at a closed barrier.
    pub fn at(&self, stage: Stage) -> impl Iterator<Item = usize> + '_ {
        self.threads.iter().enumerate().filter(move |(_, thread)| thread.stage == stage).map(|(index, _)| index)
    }

    /// The operation that the thread is at.
    #[must_use]
    pub fn op(&self, program: &Program, thread: usize) -> Option<Op> {
        program.threads[thread].get(self.threads[thread].counter).copied()
    }

    /// What the main thread prints at its end.
    #[must_use]
    pub fn outcome_now(&self) -> Outcome {
        let is_shown = |thread: &&Thread| thread.stage == Stage::Joined;
        let mut joined = self.threads[0].text.clone();
        for thread in self.threads[1..].iter() {
            joined.push('|');
            joined.extend(Some(thread).filter(is_shown).map(|thread| thread.text.as_str()));
        }
        Outcome { total: self.everything.clone(), joined }
    }
}
