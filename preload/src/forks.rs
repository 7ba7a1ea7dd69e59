//! `--isolation fork`: each execution runs in a fork of this process, which stays as it was before `main`.
//!
//! A fork and its end take several times as long as an execution, so they happen beside it: while one child runs, the
//! next ones have been forked already and wait. Children are numbered, and [`Mailbox::turn`] says whose turn it is. The
//! child that has it serves the scheduler; when its execution is over it passes the turn on, itself, and ends. This
//! process only forks children, buries them, and speaks for those that died without a word.
//!
//! Whether a command is unanswered can be told from the mailbox: every command has one reply, and the first reply
//! (that the program is ready) answers none.

pub mod ready;

use self::ready::Ready;
use crate::{arena, control, mailbox, query, sys, syscalls};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use rscale_protocol::Ending;
use rscale_protocol::arena::{Command, Isolation, Mailbox, Reply};

/// Children that wait for their turn. With one alone, the end of a process and the next fork would come one after the
/// other; with some more, they hardly ever have to be waited for.
const SPARE: u32 = 4;
/// Those, the child that has its turn, and some that are about to end.
const CHILDREN: usize = SPARE as usize + 4;

/// A living child.
#[derive(Clone, Copy)]
struct Child {
    process: i64,
    number: u32,
}

fn mailbox() -> &'static Mailbox {
    &arena::get().mailbox
}

/// Whether executions run in forks of this process.
pub fn are_used() -> bool {
    let isolation = arena::get().setup.isolation.load(Relaxed);
    isolation == Isolation::Fork as u32 && !control::get().is_fork.get() && !crate::kernel_threads::are_used()
}

/// Forks children for ever. Returns in each child, when its turn has come.
pub fn become_child() {
    let mut children = [None; CHILDREN];
    control::get().ready_pages.set(Ready::map());
    mailbox().turn.0.store(0, Relaxed);
    loop {
        if let Some(number) = fork_missing(&mut children) {
            return wait_for_turn(number);
        }
        bury_one(&mut children);
    }
}

/// Forks the children that should be there and are not. Returns the number of the new child, in that child.
fn fork_missing(children: &mut [Option<Child>; CHILDREN]) -> Option<u32> {
    let turn = mailbox().turn.0.load(Acquire);
    for number in (0..=SPARE).map(|ahead| turn.wrapping_add(ahead)) {
        let is_there = children.iter().flatten().any(|child| child.number == number);
        let Some(place) = children.iter_mut().find(|place| place.is_none() && !is_there) else { continue };
        match fork() {
            0 => return Some(number),
            process if process > 0 => *place = Some(Child { process, number }),
            _ if number == turn => fail_to_fork(),
            _ => {} // whoever runs is not disturbed; there is another chance after it
        }
    }
    None
}

fn fork() -> i64 {
    // SAFETY: a plain fork; the child goes on with this stack and the whole memory. It ends without a signal, so that it
    // does not matter what the program does with those of its children.
    unsafe { sys::call(libc::SYS_clone, [0; 6]) }
}

/// In a child: sleeps until it is its turn, and takes over.
fn wait_for_turn(number: u32) {
    let control = control::get();
    control.is_fork.set(true);
    die_with_parent();
    control.ready_pages.get().inspect(|pages| pages.fetch());
    let turn = &mailbox().turn.0;
    loop {
        let now = turn.load(Acquire);
        if now == number {
            break;
        }
        sys::futex_wait(turn, now);
    }
    // SAFETY: has no effect but its result.
    let process = unsafe { sys::call(libc::SYS_getpid, [0; 6]) };
    arena::get().setup.pid.store(process as u32, Release);
    query::resume_after(mailbox().replies.0.load(Acquire).wrapping_sub(1));
}

fn die_with_parent() {
    // SAFETY: asks for a signal at the parent's death.
    unsafe { sys::call(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as u64, libc::SIGKILL as u64, 0, 0, 0, 0]) };
    // SAFETY: has no effect but its result.
    let parent = unsafe { sys::call(libc::SYS_getppid, [0; 6]) };
    if parent != i64::from(control::get().pid.get()) {
        sys::exit_group(0); // it died before it could be asked for
    }
}

/// In a child whose execution nobody will look at any more: gives up what others could notice, says `reply` if
/// there is something to say, and passes the turn on.
pub fn hand_over(reply: Option<Reply>) -> ! {
    // Locks and ports must be free for the next one, and the end of a process takes its time.
    syscalls::close_all();
    arena::get().setup.pid.store(control::get().pid.get() as u32, Relaxed);
    if let Some(reply) = reply {
        mailbox::reply(reply);
    }
    control::get().ready_pages.get().inspect(|pages| pages.learn());
    pass_turn_on();
    sys::exit_group(0)
}

fn pass_turn_on() {
    let turn = &mailbox().turn.0;
    turn.store(turn.load(Relaxed).wrapping_add(1), Release);
    sys::futex_wake(turn);
}

/// Waits for the end of a child. One that took its turn and did not pass it on was killed.
fn bury_one(children: &mut [Option<Child>; CHILDREN]) {
    let mut status = 0i32;
    let arguments = [u64::MAX, &raw mut status as u64, libc::__WALL as u64, 0, 0, 0];
    // SAFETY: writes the status to the variable.
    let process = unsafe { sys::call(libc::SYS_wait4, arguments) };
    let is_it = |child: &Option<Child>| child.is_some_and(|child| child.process == process);
    let Some(child) = children.iter_mut().find(|child| is_it(child)).and_then(Option::take) else { return };
    // One that was killed before it took over has run nothing: another one with its number takes its place.
    let took_over = i64::from(arena::get().setup.pid.load(Acquire)) == process;
    if took_over && child.number == mailbox().turn.0.load(Acquire) {
        arena::get().setup.pid.store(control::get().pid.get() as u32, Relaxed);
        if is_unanswered() {
            report_death(status);
        }
        pass_turn_on();
    }
}

/// Whether the scheduler waits for a reply.
fn is_unanswered() -> bool {
    mailbox().commands.load(Acquire).wrapping_add(1) != mailbox().replies.0.load(Acquire)
}

/// The child ended without a word: the status tells how.
fn report_death(status: i32) {
    if arena::get().request.command.load(Relaxed) == Command::Exit as u32 {
        sys::exit_group(0);
    }
    let result = &arena::get().result;
    let (ending, value) = if libc::WIFEXITED(status) {
        (Ending::Exit, libc::WEXITSTATUS(status))
    } else {
        (Ending::Killed, libc::WTERMSIG(status))
    };
    result.ending.store(ending as u32, Relaxed);
    result.value.store(value as u64, Relaxed);
    mailbox::reply(Reply::Done);
}

/// There is nobody who could run an execution: says so when one is asked for.
fn fail_to_fork() {
    query::resume_after(mailbox().replies.0.load(Acquire).wrapping_sub(1));
    if query::next_command() == Command::Exit {
        sys::exit_group(0);
    }
    arena::get().store_text(b"fork failed");
    arena::get().result.ending.store(Ending::Internal as u32, Relaxed);
    mailbox::reply(Reply::Done);
}
