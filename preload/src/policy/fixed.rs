//! The policies of a search: stay on the running thread, else take the lowest enabled one; or, with a seed, anyone:
//! most programs have far more schedules than can be tried, and those near the first one are much alike.
//!
//! A thread that waits for its own stores to become visible is followed by these.
//!
//! A thread that yields or sleeps says itself that others should run: it is passed over while another can. So programs
//! that poll in a loop end their first execution. Nobody times out while somebody can proceed.

use crate::{buffer, random, world};
use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, MAX_THREADS, Quiet, ThreadId, ThreadSet};

/// The running thread, or another one if it can not go on.
pub fn stay(awake: &[ThreadSet; 3]) -> Option<Token> {
    first(awake, |threads| {
        let me = running();
        if threads.contains(me) && is_eager(&me) {
            return Some(me);
        }
        if let Some(shadow) = buffer::awaited(me).filter(|&shadow| threads.contains(shadow)) {
            return Some(shadow);
        }
        let next = (me.index() + 1) % MAX_THREADS;
        threads.iter().find(is_eager).or_else(|| threads.next_from(next)).or_else(|| threads.first())
    })
}

/// The running thread; if it has just started, and did so before its turn, whoever stood back for it.
fn running() -> ThreadId {
    let world = world::get();
    let is_early = !world.quiet.get().among(Quiet::STARTS).is_empty();
    world.stood_back.get().filter(|_| is_early).unwrap_or_else(|| world.current.get())
}

/// Anyone.
pub fn shuffle(awake: &[ThreadSet; 3]) -> Option<Token> {
    first(awake, |threads| anyone(threads.iter().filter(is_eager).collect()).or_else(|| anyone(threads)))
}

/// Somebody who can proceed, else somebody who can time out.
fn first(awake: &[ThreadSet; 3], preferred: impl Fn(ThreadSet) -> Option<ThreadId>) -> Option<Token> {
    let token = |choice: Choice| preferred(awake[choice as usize]).map(|thread| Token { thread, choice });
    token(Choice::Proceed).or_else(|| token(Choice::TimeOut))
}

/// One of the threads, by chance.
fn anyone(threads: ThreadSet) -> Option<ThreadId> {
    let count = threads.len();
    (count > 0).then(|| threads.iter().nth(random::number(&world::get().order) as usize % count)).flatten()
}

fn is_eager(thread: &ThreadId) -> bool {
    !world::get().fibers[thread.index()].next().op.lets_others_run()
}
