//! The shim: what rscale puts into the tested program.
//!
//! # Charter
//!
//! - All threads of the program run as fibers on one kernel thread; exactly one runs at a time, and only the gate
//!   decides which.
//! - The state of an execution lives in memory that the snapshot restores ([`world`]); what must survive an execution
//!   lives outside it ([`control`]). Nothing else is writable.
//! - After the snapshot the shim allocates nothing, calls no libc function that keeps state, and makes system calls
//!   only through [`sys`].
//! - Whatever the program does to its environment is either undone, or it is named and the execution is given up.
//! - The shim trusts the program as little as the scheduler does: a wrong pointer ends an execution, never rscale.

#![no_std]

mod access;
mod arena;
mod buffer;
mod cancel;
mod checkpoint;
mod clock;
mod control;
mod debugger;
mod enabled;
mod evaluation;
mod fault;
mod fiber;
mod finish;
mod forks;
mod fs_base;
mod gate;
mod heap;
mod image;
mod kernel_threads;
mod keys;
mod mailbox;
mod message;
mod panic;
mod policy;
mod prologue;
mod query;
mod random;
mod sched;
mod section;
mod snapshot;
mod stack_code;
mod start;
mod switch;
mod sys;
mod syscalls;
mod tls_pool;
mod world;
mod wrap;
