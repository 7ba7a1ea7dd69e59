//! The result of a run, decoded from the arena and checked.

use rscale_protocol::arena::{Arena, Location, RunResult, load_bytes, load_set};
use rscale_protocol::model::Life;
use rscale_protocol::{Action, Ending, MAX_THREADS, MemoryModel, ThreadId, ThreadSet};
use std::sync::atomic::Ordering::Relaxed;

/// A block of the heap that was misused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block {
    /// Where it was allocated; 0 where that is not known.
    pub site: u64,
    /// Bytes that were asked for.
    pub size: u64,
    /// Who freed it and where, if it was freed.
    pub freed_by: Option<(ThreadId, u64)>,
}

/// How an execution ended, or where it is paused.
#[derive(Clone, Debug)]
pub struct RunEnd {
    /// Why it stopped.
    pub ending: Ending,
    /// A number whose meaning the ending gives.
    pub value: u64,
    /// The faulting address of a crash, the block of a heap error.
    pub address: u64,
    /// The block of a heap error.
    pub block: Block,
    /// The thread that ended it.
    pub thread: ThreadId,
    /// Who can take a step in the final state.
    pub enabled: [ThreadSet; 3],
    /// Who has not ended.
    pub live: ThreadSet,
    /// Locations that threads accessed in no particular order, and which are no scheduling points: start and length.
    pub races: Vec<(u64, u64)>,
    /// What invariants read though that was not known: start and length; 0 for the length of a synchronisation object.
    pub reads: Vec<(u64, u64)>,
    /// What the shim or the program says about it; empty for ordinary ends.
    pub text: String,
}

impl RunEnd {
    /// Whether the process was killed, by whomever: rscale tries again before it says so.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.ending == Ending::Killed && self.value == libc::SIGKILL as u64
    }
}

/// Where a thread stands when an execution has ended or is paused.
#[derive(Clone, Debug)]
pub struct ThreadState {
    /// Its number.
    pub id: ThreadId,
    /// Where it is in its life.
    pub life: Life,
    /// What it does next, if it is alive.
    pub next: Option<Action>,
    /// Where it was switched out; 0 for a thread that crashed.
    pub stack_pointer: u64,
    /// Who holds what its next action waits for.
    pub holder: Option<ThreadId>,
    /// Its start routine.
    pub routine: u64,
    /// Where its thread-local storage ends.
    pub thread_pointer: u64,
    /// The kernel's number of it, where it is a kernel thread; else 0.
    pub kernel_id: u32,
    /// The name that the program gave it, or nothing.
    pub name: String,
}

/// Reads the result. None if the other process wrote nonsense.
pub(super) fn read_end(arena: &Arena) -> Option<RunEnd> {
    let result = &arena.result;
    let ending = Ending::from_code(u8::try_from(result.ending.load(Relaxed)).ok()?)?;
    let text = if ending == Ending::Exit { String::new() } else { read_text(arena) };
    Some(RunEnd {
        ending,
        value: result.value.load(Relaxed),
        address: result.address.load(Relaxed),
        block: read_block(result),
        thread: ThreadId::from_index(result.thread.load(Relaxed) as usize)?,
        enabled: [0, 1, 2].map(|choice: usize| load_set(&result.enabled[choice])),
        live: load_set(&result.live),
        races: read_locations(&arena.races, arena.result.races.load(Relaxed)),
        reads: read_locations(&arena.reads, arena.result.reads.load(Relaxed)),
        text,
    })
}

fn read_block(result: &RunResult) -> Block {
    let freed_at = result.freed_at.load(Relaxed);
    let thread = ThreadId::from_index(result.freed_by.load(Relaxed) as usize);
    Block {
        site: result.block_site.load(Relaxed),
        size: result.block_size.load(Relaxed),
        freed_by: thread.filter(|_| freed_at != 0).map(|thread| (thread, freed_at)),
    }
}

fn read_locations(locations: &[Location], count: u32) -> Vec<(u64, u64)> {
    locations.iter().take(count as usize).map(Location::load).collect()
}

fn read_text(arena: &Arena) -> String {
    String::from_utf8_lossy(&arena.text().collect::<Vec<u8>>()).into_owned()
}

/// Where every thread of the execution stands.
pub(super) fn read_threads(arena: &Arena) -> Vec<ThreadState> {
    let count = (arena.result.thread_count.load(Relaxed) as usize).min(MAX_THREADS);
    (0..count).filter_map(|index| read_thread(arena, index)).collect()
}

/// What shadow threads do next: those that are there.
pub(super) fn read_flushes(arena: &Arena) -> Vec<Action> {
    let model = MemoryModel::from_code(arena.setup.memory.load(Relaxed)).unwrap_or_default();
    let shadows = load_set(&arena.result.live).iter().filter(|&thread| model.owner(thread).is_some());
    shadows.filter_map(|shadow| Some(arena.threads[shadow.index()].next.raw().decode()?.action)).collect()
}

fn read_thread(arena: &Arena, index: usize) -> Option<ThreadState> {
    let report = &arena.threads[index];
    let life = match report.life.load(Relaxed) {
        1 => Life::Live,
        2 => Life::Ended,
        3 => Life::Gone,
        _ => return None,
    };
    let name: Vec<u8> = load_bytes(&report.name, 16).take_while(|&byte| byte != 0).collect();
    Some(ThreadState {
        id: ThreadId::from_index(index)?,
        life,
        next: if life == Life::Live { report.next.raw().decode().map(|step| step.action) } else { None },
        stack_pointer: report.stack_pointer.load(Relaxed),
        holder: report.holder.load(Relaxed).checked_sub(1).and_then(|holder| ThreadId::from_index(holder as usize)),
        routine: report.routine.load(Relaxed),
        thread_pointer: report.thread_pointer.load(Relaxed),
        kernel_id: report.kernel_id.load(Relaxed),
        name: String::from_utf8_lossy(&name).into_owned(),
    })
}
