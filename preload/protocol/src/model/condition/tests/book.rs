//! Random steps, and a second account of who waits and who was woken, written down as POSIX has it.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What POSIX says, state by state: who waits, who has been woken, and who is left to choose from after a signal.
#[derive(Default)]
struct Book {
    waiting: BTreeSet<u16>,
    /// Those that do not wait any more and have not taken the mutex back, and what their waits will return.
    leaving: BTreeMap<u16, i32>,
    is_choosing: bool,
}

impl Book {
    fn signal(&mut self) {
        match self.waiting.len() {
            0 => {}
            1 => self.broadcast(),
            _ => self.is_choosing = true,
        }
    }

    fn broadcast(&mut self) {
        self.leaving.extend(std::mem::take(&mut self.waiting).into_iter().map(|thread| (thread, 0)));
    }

    fn leave(&mut self, thread: u16, result: i32) {
        assert!(self.waiting.remove(&thread));
        self.leaving.insert(thread, result);
    }
}

/// The model beside the book, with what each thread is about to do.
struct Comparison {
    bench: Bench,
    book: Book,
    pending: BTreeMap<u16, Action>,
}

impl Comparison {
    fn new() -> Comparison {
        Comparison { bench: bench(), book: Book::default(), pending: BTreeMap::new() }
    }

    /// A step of one of the threads, or of the main thread, if it is possible by the book.
    fn step(&mut self, kind: u8, thread: u16) {
        if self.book.is_choosing && kind != 6 {
            return;
        }
        let waits = self.book.waiting.contains(&thread);
        match kind {
            0..=2 if !self.pending.contains_key(&thread) => {
                begin(&mut self.bench, &[thread]);
                self.pending.insert(thread, timed(wake_action(thread)));
                self.book.waiting.insert(thread);
            }
            3 | 4 => {
                self.bench.run(0, Op::CondSignal, C);
                self.book.signal();
            }
            5 => {
                self.bench.run(0, Op::CondBroadcast, C);
                self.book.broadcast();
            }
            6 if waits && self.book.is_choosing => self.leave(thread, Choice::Proceed, 0),
            7 if waits => self.leave(thread, Choice::TimeOut, ETIMEDOUT),
            8 if waits => self.leave(thread, Choice::Spurious, 0),
            9 => {
                if let Some(result) = self.book.leaving.remove(&thread) {
                    let retake = self.pending.remove(&thread).unwrap();
                    assert_eq!(finish(&mut self.bench, retake), result);
                }
            }
            _ => {}
        }
        let current = |action: &Action| self.bench.model.current(action);
        self.pending = self.pending.iter().map(|(&thread, action)| (thread, current(action))).collect();
    }

    fn leave(&mut self, thread: u16, choice: Choice, result: i32) {
        let next = take(&mut self.bench, self.pending[&thread], choice).next.unwrap();
        self.pending.insert(thread, next);
        self.book.leave(thread, result);
        self.book.is_choosing = false;
    }

    fn assert_agreement(&self) {
        let choosing: Vec<u16> = self.book.waiting.iter().copied().filter(|_| self.book.is_choosing).collect();
        assert_eq!(candidates(&self.bench), choosing);
        for (thread, action) in &self.pending {
            let unwoken = Choices { proceed: false, time_out: true, spurious: true };
            let (op, expected) = match (self.book.waiting.contains(thread), self.book.is_choosing) {
                (true, true) => (Op::CondWake, Choices::PROCEED),
                (true, false) => (Op::CondWake, unwoken),
                (false, _) => (Op::CondRetake, Choices::PROCEED),
            };
            assert_eq!((action.op, self.bench.model.choices(action)), (op, expected), "thread {thread}");
        }
        let is_waited_on = !self.book.waiting.is_empty();
        let mut copy = self.bench.model.clone();
        let outcome = copy.perform(&Bench::action(0, Op::CondDestroy, C), Choice::Proceed);
        assert_eq!(outcome.misuse.is_some(), is_waited_on);
    }
}

proptest! {
    #[test]
    fn signals_wake_exactly_whom_they_may(steps in prop::collection::vec((0u8..10, 1u16..7), 1..80)) {
        let mut comparison = Comparison::new();
        comparison.bench.run(0, Op::CondInit, C);
        for (kind, thread) in steps {
            comparison.step(kind, thread);
            comparison.assert_agreement();
        }
    }
}
