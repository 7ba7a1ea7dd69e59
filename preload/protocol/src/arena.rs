//! The arena: the shared memory through which the two processes talk.
//!
//! Everything in it is an atomic word. Reading one is an ordinary load, but neither process relies on what the other
//! wrote to be sensible: the tested program can scribble over the arena like over the rest of its memory, so whatever
//! the scheduler reads is decoded and checked, never trusted. [`VERSION`] and [`BUILD_ID`] make sure that both sides
//! were built from the same layout.
//!
//! One command, [`Command::Run`], does the bulk of the work: a whole execution per round trip, logged entry by entry.
//! The commands of SCALE (section 5.2.2) are there beside it for the simulator.

use crate::action::{Action, Choice, Variable};
use crate::ops::Op;
use crate::thread_set::{MAX_THREADS, ThreadId, ThreadSet};
use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// First word of an arena.
pub const MAGIC: u64 = 0x6172_656c_6163_7372;
/// Changes with the layout.
pub const VERSION: u32 = 1;
/// Identifies the layout and the tables that both processes were compiled with.
pub const BUILD_ID: u64 = layout_id();
/// Steps that one log chunk holds; longer executions are streamed.
pub const LOG_CAPACITY: usize = 1 << 16;
/// Longest schedule prefix that a run can be told to follow, and so the longest execution that can be explored.
pub const MAX_STEPS: usize = 1 << 20;
/// Bytes of the text beside an ending.
pub const TEXT_CAPACITY: usize = 1 << 12;
/// Environment variable that tells the shim the descriptor of the arena.
pub const ARENA_VARIABLE: &str = "RSCALE_ARENA";

/// The version, the build and the tables, mixed into one number.
const fn layout_id() -> u64 {
    let parts = [VERSION as usize, size_of::<Arena>(), Op::ALL.len(), MAX_THREADS, LOG_CAPACITY];
    let mut id = 0xcbf2_9ce4_8422_2325u64;
    let mut part = 0;
    while part < parts.len() {
        id = (id ^ parts[part] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        part += 1;
    }
    id
}

/// What the scheduler asks of the shim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Command {
    /// Restore, follow the prefix, go on by the policy, stop at the end or where the request says.
    Run = 1,
    /// SCALE's Step: take one step with the given thread, from the state the execution is paused in.
    Step = 2,
    /// SCALE's GetNextAction: publish the next action of every thread.
    GetNextAction = 3,
    /// SCALE's GetCurrentBackTrace: publish the registers of a thread and the hash of its stack.
    GetCurrentBackTrace = 4,
    /// SCALE's EvaluateFunctionCall: call `int f(void)` in the context of a thread.
    EvaluateFunctionCall = 5,
    /// SCALE's Exit: end the process.
    Exit = 6,
    /// The log chunk has been read: go on with the execution.
    Continue = 7,
}

impl Command {
    /// The command with this number.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Command> {
        use Command::{Continue, EvaluateFunctionCall, Exit, GetCurrentBackTrace, GetNextAction, Run, Step};
        [Run, Step, GetNextAction, GetCurrentBackTrace, EvaluateFunctionCall, Exit, Continue]
            .into_iter()
            .find(|&command| command as u32 == code)
    }
}

/// Why the shim replies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Reply {
    /// The shim is set up and waits for its first command.
    Ready = 1,
    /// The execution has ended, or is paused: see the result.
    Done = 2,
    /// The log is full: read it and say [`Command::Continue`].
    LogFull = 3,
    /// Answer to a query.
    Answer = 4,
}

impl Reply {
    /// The reply with this number.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Reply> {
        [Reply::Ready, Reply::Done, Reply::LogFull, Reply::Answer].into_iter().find(|&reply| reply as u32 == code)
    }
}

/// The whole arena.
#[repr(C, align(4096))]
pub struct Arena {
    /// [`MAGIC`].
    pub magic: AtomicU64,
    /// [`BUILD_ID`].
    pub build_id: AtomicU64,
    /// Hand-over between the processes.
    pub mailbox: Mailbox,
    /// How the shim is to set itself up; written before the program starts.
    pub setup: Setup,
    /// The command.
    pub request: Request,
    /// Where the execution stands.
    pub result: RunResult,
    /// Where each thread stands when an execution ends or pauses.
    pub threads: [ThreadReport; MAX_THREADS],
    /// The creation path behind each thread number: the same path gets the same number in every execution.
    pub paths: [ThreadPath; MAX_THREADS],
    /// A message of the program or the shim.
    pub text: [AtomicU64; TEXT_CAPACITY / 8],
    /// The schedule to follow.
    pub prefix: [AtomicU16; MAX_STEPS],
    /// What happened.
    pub log: [Entry; LOG_CAPACITY],
}

/// Hand-over. Each side counts its word up and wakes the other; both words are futexes.
#[repr(C, align(64))]
pub struct Mailbox {
    /// Commands given so far.
    pub commands: AtomicU32,
    /// Whether the shim sleeps on `commands`.
    pub shim_sleeps: AtomicU32,
    /// Replies given so far, on a cache line of their own.
    pub replies: Line<AtomicU32>,
    /// Whether the scheduler sleeps on `replies`.
    pub scheduler_sleeps: AtomicU32,
    /// The kind of the last reply.
    pub reply: AtomicU32,
    /// Counts every step that is taken: the watchdog sees that the program moves.
    pub heartbeat: AtomicU64,
}

/// A value on a cache line of its own.
#[repr(C, align(64))]
pub struct Line<T>(pub T);

/// What the shim must know before `main`.
#[repr(C, align(64))]
pub struct Setup {
    /// Threads to prepare for, the main thread included.
    pub thread_pool: AtomicU32,
    /// [`Isolation`].
    pub isolation: AtomicU32,
    /// [`Engine`].
    pub engine: AtomicU32,
    /// Whether system calls are watched with a filter.
    pub watch_syscalls: AtomicU32,
    /// Whether threads may be unwound (`pthread_exit`, cancellation), which needs the unwinder of libgcc.
    pub unwinder: AtomicU32,
    /// Whether heap blocks that are left at the end are an error.
    pub leaks: AtomicU32,
    /// Whether to begin before the constructors of the program, not after them.
    pub before_constructors: AtomicU32,
    /// Seed of everything random that the program asks for.
    pub seed: AtomicU64,
    /// Process number of the program, written by the shim.
    pub pid: AtomicU32,
}

/// How executions are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Isolation {
    /// Memory is restored in place.
    Snapshot = 0,
    /// Each execution runs in a fork of the process as it was before `main`.
    Fork = 1,
    /// Each execution runs in a fresh process.
    Exec = 2,
}

/// What a thread of the program runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Engine {
    /// Fibers on one kernel thread.
    Fibers = 0,
    /// One kernel thread each.
    Threads = 1,
}

/// The command and its arguments.
#[repr(C, align(64))]
pub struct Request {
    /// [`Command`].
    pub command: AtomicU32,
    /// The thread that a step or query is about.
    pub thread: AtomicU32,
    /// How to take the step ([`Choice`]).
    pub choice: AtomicU32,
    /// Length of the prefix.
    pub prefix_length: AtomicU32,
    /// Pause after this many steps beyond the prefix.
    pub new_steps: AtomicU64,
    /// End the execution after this many steps in all.
    pub step_budget: AtomicU64,
    /// Spurious wake-ups allowed per execution.
    pub spurious: AtomicU64,
    /// Threads that are not to be scheduled beyond the prefix until something dependent happens.
    pub sleep: [AtomicU64; 2],
    /// The function to evaluate.
    pub function: AtomicU64,
}

/// How the execution ended, or where it is paused.
#[repr(C, align(64))]
pub struct RunResult {
    /// [`crate::Ending`].
    pub ending: AtomicU32,
    /// The thread that ended it.
    pub thread: AtomicU32,
    /// A number whose meaning the ending gives.
    pub value: AtomicU64,
    /// The faulting address of a crash.
    pub address: AtomicU64,
    /// Entries in the log.
    pub logged: AtomicU32,
    /// Bytes of text.
    pub text_length: AtomicU32,
    /// Steps of the execution, those in earlier log chunks included.
    pub steps: AtomicU64,
    /// Threads that can take a step in the final state, by [`Choice`].
    pub enabled: [[AtomicU64; 2]; 3],
    /// Threads that have not ended.
    pub live: [AtomicU64; 2],
    /// Pages that are copied back per restore.
    pub hot_pages: AtomicU64,
    /// Answer to a query.
    pub answer: AtomicU64,
    /// Registers of the thread that ended the execution or was asked about, in DWARF order, `rip` last.
    pub registers: [AtomicU64; 17],
}

/// Where a thread stands.
#[repr(C)]
pub struct ThreadReport {
    /// Its life, [`crate::model::Life`] as a number.
    pub life: AtomicU32,
    /// Bytes of its name.
    pub name_length: AtomicU32,
    /// Its next action, where it is alive.
    pub next: Entry,
    /// Stack pointer where it was switched out; its callee-saved registers lie there. 0 for the one that runs.
    pub stack_pointer: AtomicU64,
    /// Who holds what its next action waits for, plus one; 0 for nobody.
    pub holder: AtomicU64,
    /// Its start routine.
    pub routine: AtomicU64,
    /// Its name, if the program gave it one.
    pub name: [AtomicU64; 2],
}

/// The k-th thread that a parent created.
#[repr(C)]
pub struct ThreadPath {
    /// Parent plus one in the upper half, k in the lower; 0 where the number is not given yet.
    pub path: AtomicU64,
}

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

impl Arena {
    /// Whether this is an arena of the same layout.
    #[must_use]
    pub fn is_compatible(&self) -> bool {
        self.magic.load(Relaxed) == MAGIC && self.build_id.load(Relaxed) == BUILD_ID
    }

    /// Puts a message beside the result, cut to what fits.
    pub fn store_text(&self, bytes: &[u8]) {
        store_bytes(&self.text, bytes);
        self.result.text_length.store(bytes.len().min(TEXT_CAPACITY) as u32, Relaxed);
    }

    /// The bytes of the message.
    pub fn text(&self) -> impl Iterator<Item = u8> + '_ {
        load_bytes(&self.text, self.result.text_length.load(Relaxed) as usize)
    }
}

/// Writes bytes into words, cut to what fits.
pub fn store_bytes(words: &[AtomicU64], bytes: &[u8]) {
    for (word, chunk) in words.iter().zip(bytes.chunks(8)) {
        let mut value = [0; 8];
        value[..chunk.len()].copy_from_slice(chunk);
        word.store(u64::from_le_bytes(value), Relaxed);
    }
}

/// Reads bytes out of words.
pub fn load_bytes(words: &[AtomicU64], length: usize) -> impl Iterator<Item = u8> + '_ {
    words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).take(length)
}

/// Writes a set of threads.
pub fn store_set(words: &[AtomicU64; 2], set: ThreadSet) {
    words.iter().zip(set.words()).for_each(|(word, value)| word.store(value, Relaxed));
}

/// Reads a set of threads.
#[must_use]
pub fn load_set(words: &[AtomicU64; 2]) -> ThreadSet {
    ThreadSet::from_words([words[0].load(Relaxed), words[1].load(Relaxed)])
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

        #[test]
        fn bytes_are_cut_to_what_fits(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let words = [const { AtomicU64::new(0) }; 3];
            store_bytes(&words, &bytes);
            let kept = bytes.len().min(24);
            prop_assert_eq!(load_bytes(&words, kept).collect::<Vec<_>>(), bytes[..kept].to_vec());
        }
    }

    #[test]
    fn commands_and_replies_are_found_by_number() {
        assert_eq!(Command::from_code(Command::Run as u32), Some(Command::Run));
        assert_eq!(Command::from_code(0), None);
        assert_eq!(Reply::from_code(Reply::LogFull as u32), Some(Reply::LogFull));
        assert_eq!(Reply::from_code(9), None);
    }
}
