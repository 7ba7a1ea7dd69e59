//! Store buffers: `--memory tso` and `pso`.
//!
//! Only stores to communication variables are buffered. All others go straight to memory: no other thread accesses them
//! before something makes it wait for the store, or they would be communication variables (see
//! [`clocks`](crate::access::clocks) for what orders accesses under weak memory), and the search begins anew with them.
//!
//! No instruction is emulated. The hook before a store opens an entry in the buffer, with what lies in memory; the
//! store itself happens, and what it wrote is read when the thread arrives at its next hook or gate. While a thread
//! runs, memory holds what all threads see, overlaid with the thread's own stores, so its loads find these. Where it
//! arrives at a gate, its stores are withdrawn, the newest first; where it goes on, they are applied again, the oldest
//! first. A flush writes the oldest store of a [queue](queues) to memory, as a step of a [shadow
//! thread](rscale_protocol::memory).
//!
//! To put a store into the buffer is no step: nobody else can notice. Whatever needs an empty buffer waits for it in a
//! [step of its own](gate::fence), but only if the thread has buffered something since it last did.

mod flush;
mod queues;
mod stores;
mod view;

use crate::access::clocks::{self, Own};
use crate::access::locations::Location;
use crate::access::spin;
use crate::access::vectors;
use crate::{arena, debugger, evaluation, finish, gate, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use queues::Queues;
use rscale_protocol::arena::UNBOUNDED;
use rscale_protocol::model::Choices;
use rscale_protocol::{Action, Ending, MAX_THREADS, MemoryModel, Op, Origin, ThreadId, Variable};
use stores::{Store, Stores};

pub use flush::{awaited, flush, is_shadow};
pub use stores::CAPACITY;
pub use view::{apply, withdraw};

/// The longest store that is buffered; longer ones are torn, or wait for an empty buffer.
pub const LONGEST: usize = 16;

/// The memory model; it does not change while the process lives.
static MODEL: Own<MemoryModel> = Own(Cell::new(MemoryModel::Sc));
/// Whether stores are buffered: a buffer without room is none.
static IS_ON: Own<bool> = Own(Cell::new(false));

/// All buffers: a part of the world. All zeroes: they are empty.
pub struct Buffers {
    stores: Stores,
    queues: Queues,
    threads: [Buffer; MAX_THREADS],
}

/// The buffer of a thread.
struct Buffer {
    /// Stores that are in it.
    pending: Cell<u32>,
    /// Stores that were ever put into it: the number of the next one.
    issued: Cell<u32>,
    /// Whether something was put into it since the thread last waited for it to be empty.
    is_dirty: Cell<bool>,
    /// Whether what the newest store wrote has not been read yet.
    is_open: Cell<bool>,
    /// Whether its stores lie in memory.
    is_applied: Cell<bool>,
    /// Stores below this number have to be visible before any later one.
    after: Cell<u32>,
    /// What the instruction reads at which the thread has arrived; nothing if that is not known.
    reads: Cell<Location>,
}

impl Buffers {
    /// All are empty.
    pub const fn new() -> Buffers {
        Buffers { stores: Stores::new(), queues: Queues::new(), threads: [const { Buffer::new() }; MAX_THREADS] }
    }
}

impl Buffer {
    const fn new() -> Buffer {
        Buffer {
            pending: Cell::new(0),
            issued: Cell::new(0),
            is_dirty: Cell::new(false),
            is_open: Cell::new(false),
            is_applied: Cell::new(false),
            after: Cell::new(0),
            reads: Cell::new(Location { start: 0, length: 0 }),
        }
    }
}

fn all() -> &'static Buffers {
    &world::get().buffers
}

fn of(thread: ThreadId) -> &'static Buffer {
    &all().threads[thread.index()]
}

/// The shim is being set up.
pub fn prepare() {
    let setup = &arena::get().setup;
    MODEL.0.set(MemoryModel::from_code(setup.memory.load(Relaxed)).unwrap_or_default());
    IS_ON.0.set(model().is_weak() && bound() > 0);
}

/// The slots of the stores that are in buffers.
pub fn slots_used() -> impl Iterator<Item = usize> {
    all().stores.used()
}

/// The memory model.
pub fn model() -> MemoryModel {
    MODEL.0.get()
}

/// Stores that a queue has room for.
fn bound() -> u32 {
    arena::get().setup.buffer.load(Relaxed)
}

/// Whether stores are buffered.
#[inline(always)]
pub fn is_on() -> bool {
    IS_ON.0.get()
}

/// Whether the running thread has to wait for an empty buffer before an operation of this kind.
#[inline(always)]
pub fn must_drain(op: Op) -> bool {
    is_on() && !op.leaves_stores_buffered() && of(world::get().current.get()).is_dirty.get()
}

/// Whether a store of the running thread is buffered. In an atomic section, and where a thread is alone, nobody can
/// come between it and its becoming visible.
pub fn takes(range: Location) -> bool {
    let world = world::get();
    is_on()
        && range.length <= LONGEST as u64
        && world.fiber().atomic.get() == 0
        && (!world.is_alone() || of(world.current.get()).pending.get() > 0)
}

/// Whether a store that a library makes has a place in the buffer. A library may store to very many, which would leave
/// none for the program's own stores: then it waits. What was stored since the buffer was empty decides, not what has
/// become visible of it, so that a thread does the same in all equivalent executions.
pub fn has_place(range: Location) -> bool {
    all().queues.has_place(world::get().current.get(), range)
}

/// The running thread is about to store to bytes of a communication variable: opens an entry of its buffer.
pub fn issue(range: Location, location: Location, pc: u64) {
    let owner = world::get().current.get();
    // An atomic update just before has to be looked at while memory shows what it did.
    spin::arrive(Op::Write);
    view::close(owner);
    // Bytes beside the location are not buffered: nobody else looks at them.
    let range = location.common(range);
    let queue = all().queues.of(owner, range);
    wait_for_room(owner, queue, pc);
    let buffer = of(owner);
    debugger::see_store(Variable::store(owner, buffer.issued.get()));
    let store = Store {
        owner,
        queue,
        number: buffer.issued.get(),
        origin: Origin {
            steps: world::get().steps.get() as u32,
            overlaps: all().queues.overlaps(owner, queue, range),
            after: buffer.after.get(),
        },
        range,
        location,
        pc,
        new: [0; LONGEST],
        below: stores::load(range),
    };
    let Some(slot) = all().stores.push(store) else {
        // Most likely a loop that stores without end, in a schedule that lets nothing become visible.
        finish::end(Ending::StepBudget, world::get().steps.get());
    };
    all().queues.note_issued(queue);
    buffer.pending.set(buffer.pending.get() + 1);
    buffer.issued.set(store.number + 1);
    buffer.is_dirty.set(true);
    buffer.is_open.set(true);
    buffer.is_applied.set(true);
    clocks::issue(owner, slot);
    flush::renew(queue);
}

/// With a bound, a store has to wait until an earlier one is visible, if that many were made since the buffer was
/// empty.
fn wait_for_room(owner: ThreadId, queue: ThreadId, pc: u64) {
    if bound() == UNBOUNDED {
        return;
    }
    if let Some(needed) = all().queues.needed_for_room(queue, bound()) {
        let action = Action::new(owner, Op::BufferRoom, Variable(0));
        let action = Action { count: needed, second: Variable::thread(queue), pc, ..action };
        vectors::kept(|| {
            gate::pass(action);
        });
    }
}

/// The running thread passes an instruction that orders its stores. `is_full`: and all that it does later.
pub fn pass_fence(is_full: bool, pc: u64) {
    if !is_on() || evaluation::is_under_way() {
        return;
    }
    let thread = world::get().current.get();
    if is_full && of(thread).is_dirty.get() {
        return vectors::kept(|| gate::fence(pc));
    }
    // An atomic update just before hands on what was done before it, and no more.
    spin::arrive(Op::Fence);
    of(thread).after.set(of(thread).issued.get());
    clocks::fenced(thread, is_full);
}

/// The thread has waited until its buffer was empty: what comes is independent of what was in it.
pub fn drained(thread: ThreadId) {
    of(thread).is_dirty.set(false);
    all().queues.forget(thread);
}

/// The instruction at which the running thread arrives reads these bytes; None after it.
pub fn set_reads(range: Option<Location>) {
    if is_on() {
        let nothing = Location { start: 0, length: 0 };
        of(world::get().current.get()).reads.set(range.unwrap_or(nothing));
    }
}

/// What an action is instead that takes place now, if it is something else: a read may find an own store.
#[inline(always)]
pub fn resolved(action: &Action) -> Option<Action> {
    if is_on() && action.op == Op::Read { Some(resolved_read(*action)) } else { None }
}

fn resolved_read(action: Action) -> Action {
    let reads = of(action.thread).reads.get();
    match all().stores.newest_of(action.thread, reads) {
        Some(store) if reads.length > 0 && store.covers(reads) => {
            let second = Variable::store(store.owner, store.number);
            Action { op: Op::OwnRead, second, ..action }
        }
        _ => action,
    }
}

/// Whether the read that takes place finds own stores, at least in part.
pub fn finds_own(action: &Action) -> bool {
    is_on() && all().stores.newest_of(action.thread, of(action.thread).reads.get()).is_some()
}

/// Whether a step that waits for stores to become visible, or makes one visible, can be taken.
pub fn choices(action: &Action) -> Choices {
    let is_possible = match action.op {
        Op::Fence => of(action.thread).pending.get() == 0,
        Op::BufferRoom => {
            let queue = action.second.as_thread().unwrap_or(action.thread);
            all().queues.flushed(queue) > action.count
        }
        _ => flush::is_possible(action),
    };
    if is_possible { Choices::PROCEED } else { Choices::NONE }
}
