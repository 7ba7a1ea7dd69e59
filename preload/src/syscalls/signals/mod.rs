//! Signals as the program sees them: dispositions, masks and what is pending belong to the execution, not to the
//! kernel.
//!
//! The kernel's own signals serve the shim (faults and traps). The program's are virtual: a signal that it sends itself
//! is delivered by calling the handler on the fiber, at once or when the thread next passes the gate. So restoring
//! memory restores them too, and who gets a signal when is decided by the schedule.

mod frame;
pub mod send;
pub mod wait;

pub use frame::handle_fault;

use super::{Call, failure, kernel, process};
use crate::{gate, world};
use core::cell::Cell;
use rscale_protocol::{MAX_THREADS, Op, ThreadId, Variable};

const COUNT: usize = 65;
/// Bytes of the kernel's signal sets.
const SET_SIZE: u64 = 8;

/// What to do about a signal; the kernel's `struct sigaction`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Disposition {
    handler: u64,
    flags: u64,
    restorer: u64,
    mask: u64,
}

impl Disposition {
    const DEFAULT: Disposition = Disposition { handler: libc::SIG_DFL as u64, flags: 0, restorer: 0, mask: 0 };

    fn has(&self, flag: i32) -> bool {
        self.flags & flag as u32 as u64 != 0
    }

    /// Whether it is a function of the program.
    fn is_handler(&self) -> bool {
        self.handler != libc::SIG_DFL as u64 && self.handler != libc::SIG_IGN as u64
    }
}

/// The signals of an execution. All zeroes is the state at the snapshot.
pub struct Signals {
    /// Some thread may have a pending signal.
    any_pending: Cell<bool>,
    /// Signals whose disposition the execution has changed, and the dispositions.
    changed: Cell<u64>,
    dispositions: [Cell<Disposition>; COUNT],
    /// The blocked signals of each thread, as the difference to those at the snapshot.
    masks: [Cell<u64>; MAX_THREADS],
    /// Signals that each thread will get, and those that any thread may get.
    pending: [Cell<u64>; MAX_THREADS],
    pending_for_process: Cell<u64>,
    /// Signals that each thread waits for.
    awaited: [Cell<u64>; MAX_THREADS],
    /// What came with the last signal of each number (`sigqueue`).
    values: [Cell<u64>; COUNT],
    /// Alternate stacks: start and size.
    stacks: [Cell<(u64, u64)>; MAX_THREADS],
    /// How many handlers have run in each thread, and whether calls are to go on after the last one.
    handlers_run: [Cell<u32>; MAX_THREADS],
    restarts: Cell<bool>,
    /// The last fault that a handler was called for: instruction, address, stack pointer; and how often in a row.
    last_fault: Cell<[u64; 3]>,
    repeated: Cell<u32>,
    /// A frame for a handler is being written: a fault now means that there is no stack for it.
    writing_frame: Cell<bool>,
}

impl Signals {
    /// As at the snapshot.
    pub const fn new() -> Signals {
        Signals {
            any_pending: Cell::new(false),
            changed: Cell::new(0),
            dispositions: [const { Cell::new(Disposition::DEFAULT) }; COUNT],
            masks: [const { Cell::new(0) }; MAX_THREADS],
            pending: [const { Cell::new(0) }; MAX_THREADS],
            pending_for_process: Cell::new(0),
            awaited: [const { Cell::new(0) }; MAX_THREADS],
            values: [const { Cell::new(0) }; COUNT],
            stacks: [const { Cell::new((0, 0)) }; MAX_THREADS],
            handlers_run: [const { Cell::new(0) }; MAX_THREADS],
            restarts: Cell::new(false),
            last_fault: Cell::new([0; 3]),
            repeated: Cell::new(0),
            writing_frame: Cell::new(false),
        }
    }

    fn disposition(&self, signal: i32) -> Disposition {
        let changed = self.changed.get() & bit(signal) != 0;
        if changed { self.dispositions[signal as usize].get() } else { AT_SNAPSHOT.dispositions[signal as usize].get() }
    }

    fn set_disposition(&self, signal: i32, disposition: Disposition) {
        self.changed.set(self.changed.get() | bit(signal));
        self.dispositions[signal as usize].set(disposition);
    }

    /// The blocked signals of a thread.
    fn mask(&self, thread: ThreadId) -> u64 {
        self.masks[thread.index()].get() ^ AT_SNAPSHOT.mask.get()
    }

    fn set_mask(&self, thread: ThreadId, mask: u64) {
        let never = bit(libc::SIGKILL) | bit(libc::SIGSTOP);
        self.masks[thread.index()].set((mask & !never) ^ AT_SNAPSHOT.mask.get());
    }

    /// The signals that a thread could get now.
    fn deliverable(&self, thread: ThreadId) -> u64 {
        (self.pending[thread.index()].get() | self.pending_for_process.get()) & !self.mask(thread)
    }
}

/// What the program finds when `main` begins, outside the snapshot.
struct AtSnapshot {
    dispositions: [Cell<Disposition>; COUNT],
    mask: Cell<u64>,
}

// SAFETY: filled before the first execution, read by the kernel thread that runs program and shim.
unsafe impl Sync for AtSnapshot {}

static AT_SNAPSHOT: AtSnapshot =
    AtSnapshot { dispositions: [const { Cell::new(Disposition::DEFAULT) }; COUNT], mask: Cell::new(0) };

fn signals() -> &'static Signals {
    &world::get().signals
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

fn is_signal(signal: i32) -> bool {
    (1..COUNT as i32).contains(&signal)
}

/// Reads the dispositions that the program inherited or its constructors set, before the shim sets its own.
pub fn read_dispositions() {
    for signal in 1..COUNT as i32 {
        let [handler, flags, restorer, mask] = kernel::signal_action(signal);
        AT_SNAPSHOT.dispositions[signal as usize].set(Disposition { handler, flags, restorer, mask });
    }
}

/// Takes signals away from the kernel: none is blocked there, and a broken pipe is an error that the shim turns into
/// one.
pub fn prepare() {
    AT_SNAPSHOT.mask.set(kernel::unblock_signals());
    kernel::ignore_signal(libc::SIGPIPE);
}

/// A new thread has the mask of the one that creates it.
pub fn inherit_mask(child: ThreadId) {
    let masks = &signals().masks;
    let mask = masks[world::get().current.get().index()].get();
    // A page that is not written need not be restored.
    if masks[child.index()].get() != mask {
        masks[child.index()].set(mask);
    }
}

/// Whether the program has a handler for accesses of memory that is not there.
pub fn are_faults_handled() -> bool {
    [libc::SIGSEGV, libc::SIGBUS].iter().any(|&signal| signals().disposition(signal).is_handler())
}

/// Whether the thread has a signal to act on.
pub fn are_deliverable_to(thread: ThreadId) -> bool {
    let signals = signals();
    signals.any_pending.get() && signals.deliverable(thread) != 0
}

/// How many handlers have run in the running thread: a call that waits is interrupted when the number changes.
pub fn handlers_run() -> u32 {
    signals().handlers_run[world::get().current.get().index()].get()
}

/// Whether calls go on after the handler that ran last (`SA_RESTART`).
pub fn last_handler_restarts() -> bool {
    signals().restarts.get()
}

/// `rt_sigaction`.
pub fn rt_sigaction(call: &Call) -> i64 {
    let [signal, new, old, size, ..] = call.arguments;
    let signal = signal as i32;
    let is_fixed = signal == libc::SIGKILL || signal == libc::SIGSTOP;
    if !is_signal(signal) || size != SET_SIZE || (new != 0 && is_fixed) {
        return failure(libc::EINVAL);
    }
    let before = signals().disposition(signal);
    if new != 0 {
        // SAFETY: the program passes the kernel's structure; a wrong pointer faults here and is the program's crash.
        signals().set_disposition(signal, unsafe { *(new as *const Disposition) });
    }
    process::store(old, before);
    0
}

/// `rt_sigprocmask`.
pub fn rt_sigprocmask(call: &Call) -> i64 {
    let [how, new, old, size, ..] = call.arguments;
    let thread = world::get().current.get();
    if size != SET_SIZE {
        return failure(libc::EINVAL);
    }
    if new != 0 && send::has_handlers() {
        // What is sent before it is another thing than what is sent behind it.
        gate::pass(call.action(Op::Yield, Variable(0)));
    }
    let before = signals().mask(thread);
    if new != 0 {
        // SAFETY: the program passes a set; a wrong pointer faults here and is the program's crash.
        let set = unsafe { *(new as *const u64) };
        let mask = match how as i32 {
            libc::SIG_BLOCK => before | set,
            libc::SIG_UNBLOCK => before & !set,
            libc::SIG_SETMASK => set,
            _ => return failure(libc::EINVAL),
        };
        signals().set_mask(thread, mask);
    }
    process::store(old, before);
    send::deliver_pending();
    0
}

/// `rt_sigpending`.
pub fn rt_sigpending(call: &Call) -> i64 {
    let signals = signals();
    let thread = world::get().current.get();
    let pending = signals.pending[thread.index()].get() | signals.pending_for_process.get();
    process::store(call.arguments[0], pending & signals.mask(thread));
    0
}

/// `sigaltstack`: remembered for faults; other handlers run on the stack of the thread.
pub fn sigaltstack(call: &Call) -> i64 {
    let [new, old, ..] = call.arguments;
    let slot = &signals().stacks[world::get().current.get().index()];
    let (start, size) = slot.get();
    let before = libc::stack_t {
        ss_sp: start as *mut _,
        ss_flags: if size == 0 { libc::SS_DISABLE } else { 0 },
        ss_size: size as usize,
    };
    if new != 0 {
        // SAFETY: the program passes a description of a stack; a wrong pointer faults here and is the program's crash.
        let stack = unsafe { *(new as *const libc::stack_t) };
        let disabled = stack.ss_flags & libc::SS_DISABLE != 0;
        slot.set(if disabled { (0, 0) } else { (stack.ss_sp as u64, stack.ss_size as u64) });
    }
    process::store(old, before);
    0
}
