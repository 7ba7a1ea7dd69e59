//! `fork` and its handlers.
//!
//! A child process can not be undone. Where system calls are watched, the call inside libc's `fork` is seen there, and
//! the execution ends with the wish for another isolation. Where they are not, the child goes on alone: of the
//! program's threads only the calling one exists in it, and its operations are no scheduling points any more.

use super::{alias, process, wrap};
use crate::{gate, world};
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use rscale_protocol::{Op, Variable};

const MAX_HANDLERS: usize = 128;

/// What to call before a fork, and after it in the parent and in the child; 0 for nothing.
#[derive(Clone, Copy)]
struct Handler {
    prepare: u64,
    parent: u64,
    child: u64,
}

/// The handlers, in the order of their registration.
pub struct Handlers {
    handlers: [Cell<Handler>; MAX_HANDLERS],
    count: Cell<usize>,
}

impl Handlers {
    /// None.
    pub const fn new() -> Handlers {
        const NONE: Handler = Handler { prepare: 0, parent: 0, child: 0 };
        Handlers { handlers: [const { Cell::new(NONE) }; MAX_HANDLERS], count: Cell::new(0) }
    }

    fn register(&self, handler: Handler) -> c_int {
        let Some(place) = self.handlers.get(self.count.get()) else { return libc::ENOMEM };
        place.set(handler);
        self.count.set(self.count.get() + 1);
        0
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = Handler> {
        self.handlers[..self.count.get()].iter().map(Cell::get)
    }
}

fn call(function: u64) {
    if function != 0 {
        // SAFETY: the program registered the address as a handler.
        let function: extern "C" fn() = unsafe { core::mem::transmute(function as usize) };
        function();
    }
}

/// Forks, and marks the child. When that is among the steps of other threads decides what the child finds.
fn fork_process() -> c_int {
    gate::pass(gate::action(Op::Fork, Variable(0)));
    let pid = process::fork();
    if pid == 0 {
        world::get().forked_child.set(true);
    }
    pid
}

wrap! {
    /// Registers handlers.
    fn pthread_atfork(prepare: u64, parent: u64, child: u64) -> c_int {
        world::get().library.fork_handlers.register(Handler { prepare, parent, child })
    }

    /// What `pthread_atfork` calls in programs that have their own copy of it.
    fn __register_atfork(prepare: u64, parent: u64, child: u64, _library: *mut c_void) -> c_int {
        world::get().library.fork_handlers.register(Handler { prepare, parent, child })
    }

    /// Makes a child process.
    fn fork() -> c_int {
        let handlers = &world::get().library.fork_handlers;
        handlers.iter().rev().for_each(|handler| call(handler.prepare));
        let pid = fork_process();
        let after = |handler: Handler| if pid == 0 { handler.child } else { handler.parent };
        handlers.iter().for_each(|handler| call(after(handler)));
        pid
    }

    /// Makes a child process without calling handlers.
    fn _Fork() -> c_int {
        fork_process()
    }
}

alias! {
    __fork = fork;
    __libc_fork = fork;
}
