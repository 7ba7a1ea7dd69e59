//! The arena: the shared memory through which the two processes talk.
//!
//! Everything in it is an atomic word. Reading one is an ordinary load, but neither process relies on what the other
//! wrote to be sensible: the tested program can scribble over the arena like over the rest of its memory, so whatever
//! the scheduler reads is decoded and checked, never trusted. [`VERSION`] and [`BUILD_ID`] make sure that both sides
//! were built from the same layout.
//!
//! One command, [`Command::Run`], does the bulk of the work: a whole execution per round trip, logged entry by entry.
//! The commands of SCALE (section 5.2.2) are there beside it for the simulator.

mod command;
mod debugging;
mod entry;
mod evaluation;
mod mailbox;
mod policy;
mod setup;

pub use command::{Command, Reply};
pub use debugging::Debugging;
pub use entry::{Entry, LocalState, LocalStates, Log, RawEntry, Step, Token};
pub use evaluation::{Evaluation, Look, MAX_INVARIANTS, MAX_READS, Piece, Pieces, Progress, Remembered};
pub use mailbox::{HeapUse, Mailbox};
pub use policy::{Beyond, MAX_CHANGES, Policy};
pub use setup::{Engine, Isolation, MAX_REGIONS, PROCESSOR_WORDS, Setup, UNBOUNDED};

use crate::ops::Op;
use crate::thread_set::{MAX_THREADS, ThreadSet};
use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// First word of an arena.
pub const MAGIC: u64 = 0x6172_656c_6163_7372;
/// Changes with the layout.
pub const VERSION: u32 = 6;
/// Identifies the layout and the tables that both processes were compiled with.
pub const BUILD_ID: u64 = layout_id();
/// Steps that one log chunk holds; longer executions are streamed.
pub const LOG_CAPACITY: usize = 1 << 16;
/// Longest schedule prefix that a run can be told to follow, and so the longest execution that can be explored.
pub const MAX_STEPS: usize = 1 << 20;
/// Locations that can be communication variables at a time.
pub const MAX_LOCATIONS: usize = 1 << 14;
/// States of an execution that later ones go on from, and of which the shim is told.
pub const RETURNS: usize = 4;
/// Races that one execution can report.
pub const MAX_RACES: usize = 1 << 10;
/// Bytes at the low end of each stack that must not be touched.
pub const STACK_GUARD: u64 = 64 << 10;
/// The largest stack that a thread can have, its guard included.
pub const MOST_STACK: u64 = 1 << 36;
/// Bytes of the text beside an ending.
pub const TEXT_CAPACITY: usize = 1 << 12;
/// Bytes of standard output that need not go through a file.
pub const OUTPUT_CAPACITY: usize = 1 << 12;
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
    /// Where a debugger is to see the program stop.
    pub debugging: Debugging,
    /// Where the execution stands.
    pub result: RunResult,
    /// Where each thread stands when an execution ends or pauses.
    pub threads: [ThreadReport; MAX_THREADS],
    /// The creation path behind each thread number: the same path gets the same number in every execution.
    pub paths: [ThreadPath; MAX_THREADS],
    /// The communication variables in memory: accesses to these locations are scheduling points. Sorted, disjoint.
    pub locations: [Location; MAX_LOCATIONS],
    /// Locations that threads of this execution accessed in no particular order, though they are not among the above.
    pub races: [Location; MAX_RACES],
    /// What invariants read: a part of the locations, and synchronisation objects. Sorted, disjoint.
    pub observed: [Location; MAX_LOCATIONS],
    /// What invariants read in this execution though it is not among the above; synchronisation objects have no length.
    pub reads: [Location; MAX_READS],
    /// The evaluation of a function of the program that is under way.
    pub evaluation: Evaluation,
    /// Earlier evaluations.
    pub remembered: Remembered,
    /// A message of the program or the shim.
    pub text: [AtomicU64; TEXT_CAPACITY / 8],
    /// What the program had printed, and had not written to a file, when it ended.
    pub output: [AtomicU64; OUTPUT_CAPACITY / 8],
    /// The schedule to follow.
    pub prefix: [AtomicU16; MAX_STEPS],
    /// What happened.
    pub log: Log,
}

/// A range of bytes.
#[repr(C)]
pub struct Location {
    /// The first byte.
    pub start: AtomicU64,
    /// How many.
    pub length: AtomicU64,
}

impl Location {
    /// Writes both.
    pub fn store(&self, start: u64, length: u64) {
        self.start.store(start, Relaxed);
        self.length.store(length, Relaxed);
    }

    /// Reads both.
    #[must_use]
    pub fn load(&self) -> (u64, u64) {
        (self.start.load(Relaxed), self.length.load(Relaxed))
    }
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
    /// Whether the execution may go on from a state that an earlier one went through.
    pub goes_on: AtomicU32,
    /// Later executions are going to share this many of its first steps, from the last of them on; 0 says nothing.
    pub comes_back_to: [AtomicU32; RETURNS],
    /// Pause after this many steps beyond the prefix.
    pub new_steps: AtomicU64,
    /// End the execution after this many steps in all.
    pub step_budget: AtomicU64,
    /// Spurious wake-ups allowed per execution.
    pub spurious: AtomicU64,
    /// How threads are chosen beyond the prefix ([`Policy`]).
    pub policy: AtomicU32,
    /// Seed of what the policy leaves to chance.
    pub seed: AtomicU64,
    /// Which steps are taken as soon as they can be ([`Quiet`](crate::Quiet)).
    pub quiet: AtomicU32,
    /// [`Beyond::changes`].
    pub changes: [AtomicU64; MAX_CHANGES],
    /// How many locations there are.
    pub locations: AtomicU32,
    /// How many observed locations there are.
    pub observed: AtomicU32,
    /// Changes whenever the locations do.
    pub locations_version: AtomicU32,
    /// Threads that are not to be scheduled beyond the prefix until something dependent happens.
    pub sleep: [AtomicU64; 2],
    /// Whether they sleep before the last step of the prefix already, which may wake them.
    pub sleeps_early: AtomicU32,
    /// The function to evaluate, by the code of a [`Callee`](crate::Callee).
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
    /// Where the block of a heap error was allocated, and its size; 0 where that is not known.
    pub block_site: AtomicU64,
    /// See `block_site`.
    pub block_size: AtomicU64,
    /// Where it was freed, and by which thread; 0 if it was not.
    pub freed_at: AtomicU64,
    /// See `freed_at`.
    pub freed_by: AtomicU32,
    /// Entries in the log.
    pub logged: AtomicU32,
    /// The first entries of the log that are those of the execution before.
    pub kept: AtomicU32,
    /// Threads of the execution, by their highest number: the reports beyond are stale.
    pub thread_count: AtomicU32,
    /// Bytes of text.
    pub text_length: AtomicU32,
    /// Bytes of output.
    pub output_length: AtomicU32,
    /// Steps of the execution, those in earlier log chunks included.
    pub steps: AtomicU64,
    /// Threads that can take a step in the final state, by [`Choice`].
    pub enabled: [[AtomicU64; 2]; 3],
    /// Threads that have not ended.
    pub live: [AtomicU64; 2],
    /// Races that were found; those beyond [`MAX_RACES`] are counted only.
    pub races: AtomicU32,
    /// Reads of invariants that were reported; those beyond [`MAX_READS`] are counted only.
    pub reads: AtomicU32,
    /// Whether the program has got more code since it was instrumented.
    pub unseen_code: AtomicU32,
    /// Whether a thread has sent another one a signal that the program handles.
    pub signals_handled: AtomicU32,
    /// What has been done to memory that is not seen as an access of it: [`Unseen::LARGE`] and the others.
    pub unseen_memory: AtomicU32,
    /// Pages that are copied back per restore.
    pub hot_pages: AtomicU64,
    /// Registers of the thread that ended the execution or was asked about, in DWARF order, `rip` last.
    pub registers: [AtomicU64; 17],
}

/// What can be done to memory without being seen as an access of it.
pub struct Unseen;

impl Unseen {
    /// Very much of it was protected, replaced or discarded at once, and most of that nobody had touched.
    pub const LARGE: u32 = 1;
    /// It was accessed at another address as well, or as a file.
    pub const ALIASED: u32 = 2;
}

/// Where a thread stands.
#[repr(C)]
pub struct ThreadReport {
    /// Its life, [`crate::model::Life`] as a number.
    pub life: AtomicU32,
    /// Its next action, where it is alive.
    pub next: Entry,
    /// Stack pointer where it was switched out; its callee-saved registers lie there. 0 for one that crashed.
    pub stack_pointer: AtomicU64,
    /// Who holds what its next action waits for, plus one; 0 for nobody.
    pub holder: AtomicU64,
    /// Its start routine.
    pub routine: AtomicU64,
    /// Where its thread-local storage ends: the FS base.
    pub thread_pointer: AtomicU64,
    /// Its number in the kernel, where it is a kernel thread; else 0.
    pub kernel_id: AtomicU32,
    /// Its name, if the program gave it one.
    pub name: [AtomicU64; 2],
}

/// The k-th thread that a parent created.
#[repr(C)]
pub struct ThreadPath {
    /// Parent plus one in the upper half, k in the lower; 0 where the number is not given yet.
    pub path: AtomicU64,
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

    /// Writes what the program has printed. False if it is too much.
    pub fn store_output(&self, bytes: &[u8]) -> bool {
        let fits = bytes.len() <= OUTPUT_CAPACITY;
        if fits {
            store_bytes(&self.output, bytes);
            self.result.output_length.store(bytes.len() as u32, Relaxed);
        }
        fits
    }

    /// What the program had printed, and had not written to a file, when it ended.
    pub fn output(&self) -> impl Iterator<Item = u8> + '_ {
        load_bytes(&self.output, self.result.output_length.load(Relaxed) as usize)
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

    proptest! {
        #[test]
        fn bytes_are_cut_to_what_fits(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let words = [const { AtomicU64::new(0) }; 3];
            store_bytes(&words, &bytes);
            let kept = bytes.len().min(24);
            prop_assert_eq!(load_bytes(&words, kept).collect::<Vec<_>>(), bytes[..kept].to_vec());
        }
    }
}
