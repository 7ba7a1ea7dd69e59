//! The shim's command loop: runs on its own stack between executions, and inside an execution while it is paused.

use crate::{
    arena, checkpoint, control, debugger, evaluation, fiber, finish, forks, mailbox, prologue, switch, sys, world,
};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{Command, Isolation, Reply, Token};
use rscale_protocol::{Choice, Ending, ThreadId, ThreadSet};

/// Commands read so far. Outside the snapshot: the count goes on across executions.
struct Seen(Cell<u32>);

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl Sync for Seen {}

static SEEN: Seen = Seen(Cell::new(0));

/// The next command.
pub fn next_command() -> Command {
    let mut seen = SEEN.0.get();
    let command = mailbox::next_command(&mut seen);
    SEEN.0.set(seen);
    command
}

/// The first so many commands have been carried out, by other processes.
pub fn resume_after(commands: u32) {
    SEEN.0.set(commands);
}

/// Serves commands until the end of the process.
pub fn serve() -> ! {
    mailbox::reply(Reply::Ready);
    if forks::are_used() {
        forks::become_child();
    }
    loop {
        match next_command() {
            Command::Run => run(),
            Command::Exit => sys::exit_group(0),
            // A query after the end of an execution: the state is still there.
            Command::GetNextAction | Command::GetCurrentBackTrace => answer(),
            Command::EvaluateFunctionCall => evaluate(),
            Command::Step | Command::Continue => refuse(),
        }
    }
}

fn answer() {
    finish::publish();
    mailbox::reply(Reply::Answer);
}

fn refuse() {
    arena::get().result.ending.store(Ending::Internal as u32, Relaxed);
    arena::get().store_text(b"no execution is paused");
    mailbox::reply(Reply::Done);
}

/// One execution, isolated from the ones before and after it as asked.
fn run() {
    if control::get().dirty.get() {
        if control::get().is_fork.get() {
            forks::hand_over(None); // the next one finds the command
        }
        if arena::get().setup.isolation.load(Relaxed) != Isolation::Snapshot as u32 {
            sys::exit_group(0); // this process was good for one execution
        }
    }
    let chosen = checkpoint::select();
    if control::get().dirty.get() || checkpoint::restored() != chosen {
        checkpoint::restore(chosen);
    }
    execute(chosen);
    if !control::get().abandoned.replace(false) {
        finish::publish();
        if control::get().is_fork.get() && is_over_for_good() {
            forks::hand_over(Some(Reply::Done));
        }
        mailbox::reply(Reply::Done);
        debugger::end();
        restore_ahead();
    }
}

/// Runs the fibers, from the chosen checkpoint, until the execution ends.
fn execute(chosen: usize) {
    crate::syscalls::begin();
    checkpoint::begin(chosen);
    if chosen == 0 {
        begin_execution();
    }
    control::get().dirty.set(true);
    crate::access::enter();
    fiber::enter();
    while checkpoint::take_if_wanted() {
        fiber::enter();
    }
    checkpoint::end();
}

/// Begins an execution where the snapshot was taken.
fn begin_execution() {
    crate::access::begin();
    evaluation::begin();
    if !prologue::is_over() {
        crate::start::create_main_fiber();
        world::get().running.set(true);
    }
}

/// Whether nobody will look at the state that the execution ended in: it found nothing, and was not asked to pause.
fn is_over_for_good() -> bool {
    let arena = arena::get();
    let (ending, value) = (arena.result.ending.load(Relaxed), arena.result.value.load(Relaxed));
    ending == Ending::Exit as u32 && value == 0 && arena.request.new_steps.load(Relaxed) == u64::MAX
}

/// An execution that ended in the ordinary way will not be looked at, unless it is stepped: its memory is restored
/// while the scheduler reads the log.
fn restore_ahead() {
    let arena = arena::get();
    let ordinary =
        arena.result.ending.load(Relaxed) == Ending::Exit as u32 && arena.request.new_steps.load(Relaxed) == u64::MAX;
    if ordinary && arena.setup.isolation.load(Relaxed) == Isolation::Snapshot as u32 {
        checkpoint::restore_ahead();
    }
}

/// The log is full: waits until it has been read.
pub fn wait_for_continue() {
    loop {
        match next_command() {
            Command::Continue => return,
            Command::Exit => sys::exit_group(0),
            _ => refuse(),
        }
    }
}

/// The execution has come as far as it was asked to: serves queries until it is told how to go on. The registers of the
/// running thread lie where those of the others do, so that its stack can be walked.
pub fn pause(enabled: &[ThreadSet; 3]) -> Token {
    let mut paused = Paused { enabled, token: None };
    let saved = world::get().fiber().stack_pointer.as_ptr();
    switch::call_saved(saved, serve_paused, &raw mut paused as u64);
    paused.token.unwrap_or_else(|| finish::internal(b"a pause ended without a step"))
}

/// An execution that is paused, and how it goes on.
struct Paused<'a> {
    enabled: &'a [ThreadSet; 3],
    token: Option<Token>,
}

extern "C" fn serve_paused(paused: u64) {
    // SAFETY: the address is that of the value in `pause`, which waits for this call and does not touch it meanwhile.
    let paused = unsafe { &mut *(paused as *mut Paused<'_>) };
    paused.token = Some(serve_until_step(paused.enabled));
}

fn serve_until_step(enabled: &[ThreadSet; 3]) -> Token {
    let arena = arena::get();
    arena.result.ending.store(Ending::Paused as u32, Relaxed);
    finish::publish();
    mailbox::reply(Reply::Done);
    world::get().logged.set(0); // the steps so far have been read
    loop {
        match next_command() {
            Command::Step => match requested_step(enabled) {
                Some(token) => return token,
                None => refuse(),
            },
            Command::GetNextAction | Command::GetCurrentBackTrace => answer(),
            Command::EvaluateFunctionCall => evaluate(),
            Command::Exit => sys::exit_group(0),
            Command::Run => rerun(),
            Command::Continue => refuse(),
        }
    }
}

fn requested_step(enabled: &[ThreadSet; 3]) -> Option<Token> {
    let request = &arena::get().request;
    let thread = ThreadId::from_index(request.thread.load(Relaxed) as usize)?;
    let choice = Choice::from_code(request.choice.load(Relaxed) as u8)?;
    enabled[choice as usize].contains(thread).then_some(Token { thread, choice })
}

/// Calls a function of the program in the state that the execution is in. Whether that worked, and what it
/// returned, stands in [`Arena::evaluation`](rscale_protocol::arena::Arena::evaluation).
fn evaluate() {
    evaluation::evaluate(arena::get().request.function.load(Relaxed));
    mailbox::reply(Reply::Answer);
}

/// A paused execution is given up for another one.
fn rerun() -> ! {
    control::get().abandoned.set(true);
    SEEN.0.set(SEEN.0.get().wrapping_sub(1)); // the command is read again by the shim's own context
    let mut unused = 0;
    fiber::leave(&raw mut unused);
    sys::exit_group(125)
}
