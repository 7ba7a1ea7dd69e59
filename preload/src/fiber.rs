//! Fibers: what a thread of the program is to the shim.

use crate::{arena, control, fs_base, gate, kernel_threads, switch, world};
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{MOST_STACK, STACK_GUARD};
use rscale_protocol::{Action, Choice, Op, ThreadId, Variable};

/// No stack is smaller, whatever the arena says.
const LEAST_STACK: u64 = 1 << 20;

/// One thread of the program.
pub struct Fiber {
    /// Where it was switched out.
    pub stack_pointer: Cell<u64>,
    /// Its thread-local storage, and its `pthread_t`.
    pub fs: Cell<u64>,
    /// Its stack: lowest usable address and end.
    pub stack: Cell<(u64, u64)>,
    /// Start routine and argument.
    pub routine: Cell<u64>,
    /// See `routine`.
    pub argument: Cell<u64>,
    /// What it returned or gave to `pthread_exit`.
    pub result: Cell<u64>,
    /// Threads that it has created.
    pub children: Cell<u32>,
    /// Innermost cleanup buffer (`pthread_cleanup_push`).
    pub cleanup: Cell<u64>,
    /// Newest registered destructor of a C++ `thread_local`.
    pub destructors: Cell<u64>,
    /// How it takes the step that it was scheduled for.
    pub turn: Cell<Choice>,
    /// Inside the code that ends the thread.
    pub ending: Cell<bool>,
    /// Nesting of sections in which no other thread is to run.
    pub atomic: Cell<u32>,
    /// Whether the start routine is one of C11, which returns an `int`.
    pub is_c11: Cell<bool>,
    /// Its name, zero-padded.
    pub name: Cell<[u8; 16]>,
    next: UnsafeCell<MaybeUninit<Action>>,
}

impl Fiber {
    /// A thread that does not exist yet.
    pub const fn new() -> Fiber {
        Fiber {
            stack_pointer: Cell::new(0),
            fs: Cell::new(0),
            stack: Cell::new((0, 0)),
            routine: Cell::new(0),
            argument: Cell::new(0),
            result: Cell::new(0),
            children: Cell::new(0),
            cleanup: Cell::new(0),
            destructors: Cell::new(0),
            turn: Cell::new(Choice::Proceed),
            ending: Cell::new(false),
            atomic: Cell::new(0),
            is_c11: Cell::new(false),
            name: Cell::new([0; 16]),
            next: UnsafeCell::new(MaybeUninit::zeroed()),
        }
    }

    /// Makes it ready for another thread with the same number. The count of its children goes on: their numbers are
    /// given by that count.
    pub fn reset(&self) {
        self.result.set(0);
        self.cleanup.set(0);
        self.destructors.set(0);
        self.ending.set(false);
        self.atomic.set(0);
        self.is_c11.set(false);
        self.name.set([0; 16]);
    }

    /// What the thread does next. Only live threads have a next action.
    pub fn next(&self) -> &Action {
        // SAFETY: it is set before a thread joins the live ones, and no reference outlives the next switch.
        unsafe { (*self.next.get()).assume_init_ref() }
    }

    /// Arrives at an action.
    pub fn set_next(&self, action: Action) {
        // SAFETY: nobody holds a reference to the old one: `next` is read and dropped between switches.
        unsafe { (*self.next.get()).write(action) };
    }

    /// Whether the address lies on its stack.
    pub fn owns_stack_address(&self, address: u64) -> bool {
        let (low, high) = self.stack.get();
        (low..high).contains(&address)
    }
}

/// Size of a fiber's stack, its guard included.
pub fn stack_size() -> u64 {
    arena::get().setup.stack_size.load(Relaxed).clamp(LEAST_STACK, MOST_STACK)
}

/// The stack of a thread: lowest usable address and end.
pub fn stack_of(thread: ThreadId) -> (u64, u64) {
    let low = control::get().stacks.get() + thread.0 as u64 * control::get().stack_size.get();
    (low + STACK_GUARD, low + control::get().stack_size.get())
}

/// Where the stacks lie, far from everything else: a variable on one of them has the same address however many there
/// are.
const STACKS: u64 = 0x6300_0000_0000;

/// Maps the stacks of the first `threads` threads. No more than needed: a fork copies every mapping.
pub fn map_stacks(threads: usize) -> bool {
    let size = stack_size();
    let length = threads as u64 * size;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let Some(stacks) = crate::sys::map(STACKS, length, protection) else { return false };
    control::get().stacks.set(stacks);
    control::get().stack_size.set(size);
    control::get().stacks_end.set(stacks + length);
    (0..threads as u64).all(|thread| {
        // SAFETY: the guard of a stack that nobody uses yet.
        unsafe { crate::sys::mprotect(stacks + thread * size, STACK_GUARD, libc::PROT_NONE) }
    })
}

/// Makes a thread exist, about to start. `stack` is where the program wants its stack to be, if it does.
pub fn create(thread: ThreadId, routine: u64, argument: u64, stack: Option<(u64, u64)>) {
    let world = world::get();
    let fiber = &world.fibers[thread.index()];
    let stack = stack.unwrap_or_else(|| stack_of(thread));
    fiber.fs.set(control::get().pool[thread.index()].get());
    fiber.stack.set(stack);
    fiber.routine.set(routine);
    fiber.argument.set(argument);
    if !kernel_threads::are_used() {
        // SAFETY: the stack is unused: it belongs to this thread number alone, or the program gave it for this thread.
        fiber.stack_pointer.set(unsafe { switch::prepare(stack.1, entry) });
    } else if thread != ThreadId::MAIN {
        kernel_threads::create(thread);
    }
    fiber.set_next(Action::new(thread, Op::ThreadStart, Variable::thread(thread)));
    crate::syscalls::signals::inherit_mask(thread);
    world.scheduling.inherit(thread);
    crate::access::clocks::create(thread);
    let mut live = world.live.get();
    live.insert(thread);
    world.live.set(live);
    world.enabled.renew(thread);
}

/// Leaves the running fiber for another.
pub fn switch_to(thread: ThreadId) {
    let world = world::get();
    let me = world.current.get();
    let from = world.fiber().stack_pointer.as_ptr();
    let fiber = &world.fibers[thread.index()];
    world.current.set(thread);
    if kernel_threads::are_used() {
        return kernel_threads::switch(me, thread);
    }
    // SAFETY: a live fiber that does not run has been prepared or switched out, with its own thread-local storage.
    unsafe {
        fs_base::set(fiber.fs.get());
        switch::switch(from, fiber.stack_pointer.get());
    }
}

/// Leaves the fibers for the shim's own context; `from` receives the stack pointer. Returns when it is switched back
/// to.
pub fn leave(from: *mut u64) {
    let control = control::get();
    if kernel_threads::are_used() {
        return kernel_threads::leave(world::get().current.get(), from);
    }
    // SAFETY: the shim's own context was saved by `enter`, which is how fibers came to run.
    unsafe {
        fs_base::set(control.own_fs.get());
        switch::switch(from, control.own_stack_pointer.get());
    }
}

/// Goes on with the current fiber, from the shim's own context.
pub fn enter() {
    if kernel_threads::are_used() {
        return kernel_threads::enter(world::get().current.get());
    }
    let fiber = world::get().fiber();
    let from = control::get().own_stack_pointer.as_ptr();
    // SAFETY: as in `switch_to`.
    unsafe {
        fs_base::set(fiber.fs.get());
        switch::switch(from, fiber.stack_pointer.get());
    }
}

/// First code of every fiber. It has been scheduled for its first step; the main thread begins without one.
pub extern "C" fn entry() -> ! {
    if world::get().current.get() != ThreadId::MAIN {
        gate::first_step();
    }
    crate::wrap::thread::run_start_routine()
}
