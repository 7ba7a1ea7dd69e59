//! Waiting for descriptors: a thread that reads from an empty pipe is disabled until there is something to read.
//!
//! The kernel knows what is ready; it is asked each time before the enabled threads are determined. The object that
//! such a step works on is what the descriptor refers to: both ends of a pipe and all their duplicates are one object,
//! named by the lowest of the two numbers. The kernel's own names (inodes) differ from run to run. The map from numbers
//! to objects belongs to the execution, so it lies in the world.

use super::{Call, kernel, signals};
use crate::fiber::Fiber;
use crate::{cancel, gate, world};
use core::cell::Cell;
use rscale_protocol::model::CANCELLED;
use rscale_protocol::{Action, MAX_THREADS, Op, Variable};

/// Descriptors with these numbers have an object.
const NUMBERS: usize = 1024;
/// The object of all network sockets: who is at the other end is not known.
pub const NETWORK: u16 = 0x7fff;

/// What the execution knows about its descriptors.
pub struct Descriptors {
    /// The object behind each number, plus one; 0 for one that is its own.
    objects: [Cell<u16>; NUMBERS],
    /// What each thread waits for.
    waiting: [Waiting; MAX_THREADS],
}

/// An array of `struct pollfd` on the stack of the thread that waits; empty while it does not wait.
struct Waiting {
    start: Cell<u64>,
    count: Cell<usize>,
}

impl Descriptors {
    /// Nothing opened so far.
    pub const fn new() -> Descriptors {
        Descriptors {
            objects: [const { Cell::new(0) }; NUMBERS],
            waiting: [const { Waiting { start: Cell::new(0), count: Cell::new(0) } }; MAX_THREADS],
        }
    }

    /// The object behind a descriptor.
    pub fn object(&self, descriptor: i32) -> u16 {
        match self.objects.get(descriptor as usize).map_or(0, Cell::get) {
            0 => descriptor as u16,
            named => named - 1,
        }
    }

    /// Whether this execution has opened something with this number, which may be closed again.
    pub fn is_known(&self, descriptor: i32) -> bool {
        self.objects.get(descriptor as usize).is_some_and(|object| object.get() != 0)
    }

    /// Names the object behind a descriptor.
    pub fn name(&self, descriptor: i32, object: u16) {
        if let Some(entry) = self.objects.get(descriptor as usize) {
            entry.set(object + 1);
        }
    }

    /// Makes two objects one.
    pub fn merge(&self, object: u16, into: u16) {
        (0..NUMBERS as i32).filter(|&number| self.object(number) == object).for_each(|number| self.name(number, into));
    }
}

/// What the execution knows about its descriptors.
pub fn descriptors() -> &'static Descriptors {
    &world::get().descriptors
}

/// The object behind a descriptor, as a variable.
pub fn variable(descriptor: i32) -> Variable {
    Variable::descriptor(descriptors().object(descriptor).into())
}

/// What to wait for on one descriptor.
pub fn one(descriptor: i32, events: i16) -> libc::pollfd {
    libc::pollfd { fd: descriptor, events, revents: 0 }
}

/// A step that uses a descriptor without waiting.
pub fn use_object(call: &Call, descriptor: i32) {
    let action = call.action(Op::DescriptorUse, variable(descriptor));
    gate::pass(Action { flags: Action::CANCELLATION_POINT, ..action });
}

/// Waits until one of the descriptors is ready, or a signal has arrived. False if the deadline passed first.
pub fn until_ready(call: &Call, descriptors: &mut [libc::pollfd], deadline: u64) -> bool {
    let object = descriptors.first().map_or(Variable(0), |first| variable(first.fd));
    let ready = kernel::poll(descriptors) > 0;
    let action = Action {
        flags: Action::CANCELLATION_POINT,
        count: ready.into(),
        deadline,
        ..call.action(Op::DescriptorWait, object)
    };
    let waiting = &world::get().descriptors.waiting[action.thread.index()];
    waiting.start.set(descriptors.as_mut_ptr() as u64);
    waiting.count.set(descriptors.len());
    let result = gate::pass_or_cancel(action, |_| {});
    waiting.count.set(0);
    match result {
        CANCELLED => cancel::act(),
        result => result == 0,
    }
}

/// Asks the kernel whether what the thread waits for is ready, and puts the answer into its next action.
pub fn refresh_readiness(fiber: &Fiber) {
    let action = *fiber.next();
    let waiting = &world::get().descriptors.waiting[action.thread.index()];
    if waiting.count.get() == 0 {
        return;
    }
    let (start, count) = (waiting.start.get() as *mut libc::pollfd, waiting.count.get());
    // SAFETY: the array lies in the frame of `until_ready`'s caller, which stays while the thread waits; the thread that
    // owns it does not run meanwhile.
    let descriptors = unsafe { core::slice::from_raw_parts_mut(start, count) };
    let ready = kernel::poll(descriptors) > 0 || signals::are_deliverable_to(action.thread);
    fiber.set_next(Action { count: ready.into(), ..action });
}
