//! Ends of an execution.
//!
//! Whatever ends it (the program's exit, a deadlock, a crash, a budget) is written to the arena, and the fiber that
//! noticed is left for the shim's own context. Memory stays as it is until the next command, so that the scheduler can
//! look at the stacks of all threads.

use crate::{arena, buffer, control, evaluation, fiber, kernel_threads, sys, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{Reply, store_bytes, store_set};
use rscale_protocol::ending::HeapError;
use rscale_protocol::model::Life;
use rscale_protocol::{Action, Choice, Ending, Misuse, Op, ThreadId, ThreadSet};

/// Ends the execution from the running fiber.
pub fn end(ending: Ending, value: u64) -> ! {
    if evaluation::is_under_way() {
        evaluation::rules::refuse_end(ending, value);
    }
    if !world::get().running.get() {
        give_up(ending, value);
    }
    set_result(ending, value);
    let fiber = world::get().fiber();
    fiber::leave(fiber.stack_pointer.as_ptr());
    // Nobody switches back to a finished execution.
    sys::exit_group(125)
}

/// Ends the execution from a signal handler: the fiber's registers are those of the fault, not of this call.
pub fn end_at(ending: Ending, value: u64, address: u64, registers: &[u64; 17]) -> ! {
    if evaluation::is_under_way() {
        evaluation::rules::refuse_end(ending, value);
    }
    let result = &arena::get().result;
    result.address.store(address, Relaxed);
    result.block_site.store(0, Relaxed);
    result.freed_at.store(0, Relaxed);
    result.registers.iter().zip(registers).for_each(|(word, &value)| word.store(value, Relaxed));
    if !world::get().running.get() {
        give_up(ending, value);
    }
    set_result(ending, value);
    world::get().fiber().stack_pointer.set(0);
    let mut unused = 0;
    fiber::leave(&raw mut unused);
    sys::exit_group(125)
}

/// Ends the execution with a message.
pub fn end_with(ending: Ending, value: u64, text: &[u8]) -> ! {
    arena::get().store_text(text);
    end(ending, value)
}

/// The program misused the thread library.
pub fn misuse(misuse: Misuse) -> ! {
    end(Ending::Misuse, misuse as u64)
}

/// The program misused the heap; the address is that of the data of a block.
pub fn heap_error(error: HeapError, data: u64) -> ! {
    describe_block(data);
    end(Ending::Memory, error as u64)
}

/// A store becomes visible where its block has been freed: a mistake of the step, whoever runs.
pub fn late_store(shadow: ThreadId, data: u64) -> ! {
    describe_block(data);
    let world = world::get();
    set_result_of(shadow, Ending::Memory, HeapError::WriteAfterFree as u64);
    fiber::leave(world.fiber().stack_pointer.as_ptr());
    sys::exit_group(125)
}

fn describe_block(data: u64) {
    if let Some(arena) = arena::attached() {
        let origin = crate::heap::origin(data);
        let (thread, freed_at) = origin.freed_by.unwrap_or((ThreadId::MAIN, 0));
        arena.result.address.store(data, Relaxed);
        arena.result.block_site.store(origin.site, Relaxed);
        arena.result.block_size.store(origin.size, Relaxed);
        arena.result.freed_at.store(freed_at, Relaxed);
        arena.result.freed_by.store(thread.0.into(), Relaxed);
    }
}

/// The program did what memory restore can not undo.
pub fn need_isolation(what: &[u8]) -> ! {
    end_with(Ending::NeedIsolation, 0, what)
}

/// The program did what rscale can not control.
pub fn unsupported(what: &[u8]) -> ! {
    end_with(Ending::Unsupported, 0, what)
}

/// The shim is wrong about something.
pub fn internal(what: &[u8]) -> ! {
    end_with(Ending::Internal, 0, what)
}

/// A constructor of the program arrived at something that needs scheduling, before `main`.
pub fn before_main(action: &Action) -> ! {
    let what: &[u8] = match action.op {
        Op::ThreadCreate => b"a constructor creates a thread before main",
        _ => b"a constructor waits for ever before main",
    };
    arena::get().store_text(what);
    give_up(Ending::NeedIsolation, 1)
}

/// Before there is a snapshot nothing can be undone: says why and ends the process.
fn give_up(ending: Ending, value: u64) -> ! {
    if arena::attached().is_some() {
        set_result(ending, value);
        crate::mailbox::reply(Reply::Done);
    }
    sys::exit_group(126)
}

fn set_result(ending: Ending, value: u64) {
    set_result_of(world::get().current.get(), ending, value);
}

fn set_result_of(thread: ThreadId, ending: Ending, value: u64) {
    let result = &arena::get().result;
    result.ending.store(ending as u32, Relaxed);
    result.value.store(value, Relaxed);
    result.thread.store(thread.0.into(), Relaxed);
}

/// Writes where every thread stands, for the scheduler to read.
pub fn publish() {
    let world = world::get();
    let arena = arena::get();
    arena.result.logged.store(world.logged.get() as u32, Relaxed);
    arena.result.steps.store(world.steps.get(), Relaxed);
    arena.result.hot_pages.store(crate::snapshot::hot_pages() as u64, Relaxed);
    crate::sched::publish_enabled();
    store_set(&arena.result.live, world.live.get());
    let count = world.look(|model| model.threads.count());
    arena.result.thread_count.store(count as u32, Relaxed);
    for (index, report) in arena.threads.iter().enumerate().take(count) {
        let thread = ThreadId(index as u16);
        let life = world.look(|model| model.threads.life(thread));
        report.life.store(life as u32, Relaxed);
        if life == Life::Unborn {
            continue;
        }
        let fiber = &world.fibers[index];
        report.stack_pointer.store(fiber.stack_pointer.get(), Relaxed);
        report.routine.store(fiber.routine.get(), Relaxed);
        report.thread_pointer.store(thread_pointer(index), Relaxed);
        report.kernel_id.store(kernel_threads::id(thread), Relaxed);
        store_bytes(&report.name, &fiber.name.get());
        if world.live.get().contains(thread) {
            report.next.store(fiber.next(), Choice::Proceed, ThreadSet::EMPTY, false);
            report.holder.store(holder_for(fiber.next()), Relaxed);
        }
    }
    publish_shadows();
}

/// What shadow threads do next. They are nothing but that.
fn publish_shadows() {
    let world = world::get();
    for thread in world.live.get().iter().filter(|&thread| buffer::is_shadow(thread)) {
        let next = &arena::get().threads[thread.index()].next;
        next.store(world.fibers[thread.index()].next(), Choice::Proceed, ThreadSet::EMPTY, false);
    }
}

/// The thread-local storage of a thread. Kernel threads get theirs when they start, behind the fiber's creation.
fn thread_pointer(index: usize) -> u64 {
    match kernel_threads::are_used() {
        true => control::get().pool[index].get(),
        false => world::get().fibers[index].fs.get(),
    }
}

/// Who holds what the action waits for, plus one; 0 for nobody.
fn holder_for(action: &Action) -> u64 {
    let holder = world::get().look(|model| model.holder(action.object.0));
    holder.map_or(0, |thread| u64::from(thread.0) + 1)
}
