//! The log: one entry per step, and the tokens of a schedule.

use super::LOG_CAPACITY;
use crate::action::{Action, Choice, Extent};
use crate::ops::Op;
use crate::thread_set::{ThreadId, ThreadSet};
use crate::variable::Variable;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The log: a cache line per step, since both processes go through it in every execution.
#[repr(C)]
pub struct Log {
    entries: [Entry; LOG_CAPACITY],
    /// Who could time out or wake up spuriously before each step; only where somebody could.
    others: [[AtomicU64; 4]; LOG_CAPACITY],
    /// In what local state each step left its thread; only where that is asked for.
    local_states: [AtomicU64; LOG_CAPACITY],
}

/// One step: the action, how it was taken, what it returned, and who could proceed before it.
#[repr(C, align(64))]
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

impl Step {
    /// Who took it, and how.
    #[must_use]
    pub fn token(&self) -> Token {
        Token { thread: self.action.thread, choice: self.choice }
    }
}

impl Log {
    /// Writes a step, all but its result.
    #[inline(always)]
    pub fn store(&self, index: usize, action: &Action, choice: Choice, enabled: &[ThreadSet; 3]) {
        let [proceed, time_out, spurious] = *enabled;
        let has_others = !time_out.union(spurious).is_empty();
        self.entries[index].store(action, choice, proceed, has_others);
        if has_others {
            let sets = [time_out.words(), spurious.words()];
            self.others[index].iter().zip(sets.iter().flatten()).for_each(|(word, &value)| word.store(value, Relaxed));
        }
    }

    /// Adds what the step returned.
    #[inline(always)]
    pub fn store_result(&self, index: usize, result: i32) {
        self.entries[index].store_result(result);
    }

    /// Adds in what local state the step left its thread.
    pub fn store_local_state(&self, index: usize, state: LocalState) {
        if let Some(word) = self.local_states.get(index) {
            word.store(state.0, Relaxed);
        }
    }

    /// In what local state the step left its thread.
    #[must_use]
    pub fn local_state(&self, index: usize) -> LocalState {
        self.local_states.get(index).map_or(LocalState::UNKNOWN, |word| LocalState(word.load(Relaxed)))
    }

    /// The step, an atomic update, turned out to change nothing.
    pub fn make_vain(&self, index: usize) {
        if let Some(entry) = self.entries.get(index) {
            let rest = entry.words[0].load(Relaxed) & !0xff;
            entry.words[0].store(rest | u64::from(Op::VainUpdate as u8), Relaxed);
        }
    }

    /// The entry of a step, as it lies there.
    #[must_use]
    #[inline]
    pub fn raw(&self, index: usize) -> Option<RawEntry> {
        self.entries.get(index).map(Entry::raw)
    }

    /// Whether the entry of a step is this one, with nothing beside it.
    #[must_use]
    #[inline(always)]
    pub fn is(&self, index: usize, known: &RawEntry) -> bool {
        !known.has_others() && self.entries.get(index).is_some_and(|entry| entry.holds(&known.0))
    }

    /// Reads a step whose entry has been taken out; None if it is not one.
    #[must_use]
    pub fn decode(&self, index: usize, raw: &RawEntry) -> Option<Step> {
        let mut step = raw.decode()?;
        if raw.has_others() {
            let word = |i: usize| self.others[index][i].load(Relaxed);
            step.enabled[1] = ThreadSet::from_words([word(0), word(1)]);
            step.enabled[2] = ThreadSet::from_words([word(2), word(3)]);
        }
        Some(step)
    }
}

/// Of which steps the log says in what local state they left their thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LocalStates {
    /// Of none.
    #[default]
    None,
    /// Of those that lead to an attempt to lock a mutex; of the others, whether they have written something.
    Attempts,
    /// Of all where it is known.
    All,
}

impl LocalStates {
    /// The number in shared memory.
    #[must_use]
    pub fn to_code(self) -> u32 {
        self as u32
    }

    /// What the number means.
    #[must_use]
    pub fn from_code(code: u32) -> LocalStates {
        match code {
            0 => LocalStates::None,
            1 => LocalStates::Attempts,
            _ => LocalStates::All,
        }
    }
}

/// What a step made of its thread: a hash of the thread's registers and its stack where it arrived at its next action,
/// and whether it has written other memory on the way (SCALE, Definitions 22 and 23).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LocalState(u64);

impl LocalState {
    /// Nothing is known: the thread may be anywhere, and have written anything.
    pub const UNKNOWN: LocalState = LocalState(0);
    const WRITES_ARE_KNOWN: u64 = 1;
    const HAS_WRITTEN: u64 = 2;
    const HASH_IS_KNOWN: u64 = 4;
    const FLAGS: u64 = 7;

    /// The state with this hash, if there is one; its lowest bits do not count.
    #[must_use]
    pub fn new(hash: Option<u64>, has_written: bool) -> LocalState {
        let writes = Self::WRITES_ARE_KNOWN | if has_written { Self::HAS_WRITTEN } else { 0 };
        LocalState(writes | hash.map_or(0, |hash| hash & !Self::FLAGS | Self::HASH_IS_KNOWN))
    }

    /// Whether the thread may have written more than its stack.
    #[must_use]
    pub fn may_have_written(self) -> bool {
        self.0 & (Self::WRITES_ARE_KNOWN | Self::HAS_WRITTEN) != Self::WRITES_ARE_KNOWN
    }

    /// The hash, if there is one.
    #[must_use]
    pub fn hash(self) -> Option<u64> {
        (self.0 & Self::HASH_IS_KNOWN != 0).then_some(self.0 & !Self::FLAGS)
    }

    /// Whether both are known, and the same.
    #[must_use]
    pub fn is_same(self, other: LocalState) -> bool {
        self.hash().is_some() && self.hash() == other.hash()
    }
}

/// An [`Entry`] that was taken out of the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawEntry([u64; Entry::WORDS]);

impl RawEntry {
    /// No step.
    pub const NONE: RawEntry = RawEntry([0; Entry::WORDS]);

    /// Whether there are sets beside the entry.
    #[must_use]
    #[inline]
    pub fn has_others(&self) -> bool {
        self.0[0] & Entry::HAS_OTHERS != 0
    }

    /// The step, without what lies beside the entry; None if it is not one.
    #[must_use]
    pub fn decode(&self) -> Option<Step> {
        let [head, count_and_result, object, second, deadline, pc, low, high] = self.0;
        let action = Action {
            op: Op::from_code(head as u8)?,
            flags: (head >> 8) as u8,
            thread: ThreadId::from_index(usize::from((head >> 16) as u16))?,
            count: count_and_result as u32,
            object: Variable(object),
            second: Variable(second),
            deadline,
            pc,
            extent: Extent::from_bits((head >> Entry::EXTENT_SHIFT) as u32),
        };
        Some(Step {
            action,
            choice: Choice::from_code((head >> 32) as u8)?,
            result: (count_and_result >> 32) as i32,
            enabled: [ThreadSet::from_words([low, high]), ThreadSet::EMPTY, ThreadSet::EMPTY],
        })
    }
}

impl Entry {
    const WORDS: usize = 8;
    /// Bit of the first word: there are sets beside the entry.
    const HAS_OTHERS: u64 = 1 << 40;
    /// Where the extent begins in the first word.
    const EXTENT_SHIFT: u32 = 41;

    /// Writes the step, all but its result.
    ///
    /// One execution repeats most of the one before it. A line that is not written stays in the caches of both
    /// processes, and so an entry that is there already is left alone.
    #[inline(always)]
    pub fn store(&self, action: &Action, choice: Choice, enabled: ThreadSet, has_others: bool) {
        let head = u64::from(action.op as u8)
            | u64::from(action.flags) << 8
            | u64::from(action.thread.0) << 16
            | u64::from(choice as u8) << 32
            | if has_others { Self::HAS_OTHERS } else { 0 }
            | u64::from(action.extent.to_bits()) << Self::EXTENT_SHIFT;
        let [low, high] = enabled.words();
        let words =
            [head, u64::from(action.count), action.object.0, action.second.0, action.deadline, action.pc, low, high];
        if !self.holds(&words) {
            self.words.iter().zip(words).for_each(|(word, value)| word.store(value, Relaxed));
        }
    }

    /// Adds what the step returned.
    #[inline(always)]
    fn store_result(&self, result: i32) {
        if result != 0 {
            let count = self.words[1].load(Relaxed) & 0xffff_ffff;
            self.words[1].store(count | u64::from(result as u32) << 32, Relaxed);
        }
    }

    /// The entry as it lies there. Word by word: a loop would go through memory.
    #[must_use]
    #[inline(always)]
    pub fn raw(&self) -> RawEntry {
        let word = |i: usize| self.words[i].load(Relaxed);
        RawEntry([word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)])
    }

    /// Whether these words lie here.
    #[inline(always)]
    fn holds(&self, words: &[u64; Entry::WORDS]) -> bool {
        let difference = |i: usize| self.words[i].load(Relaxed) ^ words[i];
        (0..Self::WORDS).fold(0, |all, i| all | difference(i)) == 0
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

    fn entry(words: [u64; Entry::WORDS]) -> Entry {
        Entry { words: words.map(AtomicU64::new) }
    }

    proptest! {
        /// Also where another entry was before, alike or not, with a result or without.
        #[test]
        fn an_entry_reads_back_as_it_was_written(op in 0..Op::ALL.len(), thread in 0u16..128, count: u32, object: u64,
                                                 deadline: u64, results: [i32; 2], words: [u64; 2], has_others: bool,
                                                 is_repeated: bool) {
            let mut action = Action::new(ThreadId(thread), Op::ALL[op], Variable(object));
            (action.count, action.deadline, action.pc) = (count, deadline, !object);
            action.extent = Extent::from_bits(count);
            let enabled = ThreadSet::from_words(words);
            let entry = entry([3; 8]);
            for result in results {
                if is_repeated {
                    entry.store(&action, Choice::TimeOut, enabled, has_others);
                    entry.store_result(result.wrapping_add(1));
                }
                let step = Step { action, choice: Choice::TimeOut, result: 0,
                                  enabled: [enabled, ThreadSet::EMPTY, ThreadSet::EMPTY] };
                entry.store(&action, Choice::TimeOut, enabled, has_others);
                prop_assert_eq!(entry.raw().decode(), Some(step), "no result yet");
                prop_assert_eq!(entry.raw().has_others(), has_others);
                entry.store_result(result);
                prop_assert_eq!(entry.raw().decode(), Some(Step { result, ..step }));
            }
        }

        #[test]
        fn arbitrary_words_never_panic(words: [u64; Entry::WORDS], code: u16) {
            let _ = entry(words).raw().decode();
            if let Some(token) = Token::from_code(code) {
                prop_assert_eq!(Token::from_code(token.to_code()), Some(token));
            }
        }
    }
}
