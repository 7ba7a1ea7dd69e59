//! The log: one entry per step, and the tokens of a schedule.

use crate::action::{Action, Choice, Variable};
use crate::ops::Op;
use crate::thread_set::{ThreadId, ThreadSet};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One step: the action, how it was taken, what it returned, and who was enabled before it.
#[repr(C)]
pub struct Entry {
    words: [AtomicU64; Entry::WORDS],
}

/// An [`Entry`], decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// What was done, and by whom.
    pub action: Action,
    /// How the step was taken.
    pub choice: Choice,
    /// What it returned.
    pub result: i32,
    /// The threads that could have taken a step, by [`Choice`].
    pub enabled: [ThreadSet; 3],
}

impl Entry {
    const WORDS: usize = 12;

    /// Writes the step, all but its result.
    pub fn store(&self, action: &Action, choice: Choice, enabled: &[ThreadSet; 3]) {
        let head = u64::from(action.op as u8)
            | u64::from(action.flags) << 8
            | u64::from(action.thread.0) << 16
            | u64::from(choice as u8) << 32;
        let fixed = [head, u64::from(action.count), action.object.0, action.second.0, action.deadline, action.pc];
        let sets = enabled.iter().flat_map(|set| set.words());
        self.words.iter().zip(fixed.into_iter().chain(sets)).for_each(|(word, value)| word.store(value, Relaxed));
    }

    /// Adds what the step returned.
    pub fn store_result(&self, result: i32) {
        let count = self.words[1].load(Relaxed) & 0xffff_ffff;
        self.words[1].store(count | u64::from(result as u32) << 32, Relaxed);
    }

    /// Reads the step; None if it is not one.
    #[must_use]
    pub fn load(&self) -> Option<Step> {
        let word = |i: usize| self.words[i].load(Relaxed);
        let head = word(0);
        let thread = ThreadId::from_index(usize::from((head >> 16) as u16))?;
        let action = Action {
            op: Op::from_code(head as u8)?,
            flags: (head >> 8) as u8,
            thread,
            count: word(1) as u32,
            object: Variable(word(2)),
            second: Variable(word(3)),
            deadline: word(4),
            pc: word(5),
        };
        let set = |i: usize| ThreadSet::from_words([word(i), word(i + 1)]);
        Some(Step {
            action,
            choice: Choice::from_code((head >> 32) as u8)?,
            result: (word(1) >> 32) as i32,
            enabled: [set(6), set(8), set(10)],
        })
    }
}

/// One element of a schedule: a thread and how it takes its step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Token {
    /// Who.
    pub thread: ThreadId,
    /// How.
    pub choice: Choice,
}

impl Token {
    /// The token as it stands in the arena.
    #[must_use]
    pub fn to_code(self) -> u16 {
        self.thread.0 | (self.choice as u16) << 12
    }

    /// The token with this number in the arena.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Token> {
        let thread = ThreadId::from_index(usize::from(code & 0xfff))?;
        Some(Token { thread, choice: Choice::from_code((code >> 12) as u8)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry() -> Entry {
        Entry { words: [const { AtomicU64::new(0) }; Entry::WORDS] }
    }

    proptest! {
        #[test]
        fn an_entry_reads_back_as_it_was_written(op in 0..Op::ALL.len(), thread in 0u16..128, count: u32, object: u64,
                                                 deadline: u64, result: i32, words: [u64; 2]) {
            let mut action = Action::new(ThreadId(thread), Op::ALL[op], Variable(object));
            (action.count, action.deadline, action.pc) = (count, deadline, !object);
            let enabled = [ThreadSet::from_words(words), ThreadSet::EMPTY, ThreadSet::EMPTY];
            let entry = entry();
            entry.store(&action, Choice::TimeOut, &enabled);
            entry.store_result(result);
            prop_assert_eq!(entry.load(), Some(Step { action, choice: Choice::TimeOut, result, enabled }));
        }

        #[test]
        fn arbitrary_words_never_panic(words: [u64; Entry::WORDS], code: u16) {
            let entry = Entry { words: words.map(AtomicU64::new) };
            let _ = entry.load();
            if let Some(token) = Token::from_code(code) {
                prop_assert_eq!(Token::from_code(token.to_code()), Some(token));
            }
        }
    }
}
