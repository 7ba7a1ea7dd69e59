//! The process as the program sees it: its end, its numbers, its names, what it has used. All of it is the same in
//! every execution and every process that rscale starts.

use super::{Call, failure, report};
use crate::{clock, finish, gate, heap, random, sys, world, wrap};
use rscale_protocol::{Ending, Op, ThreadId, Variable};

/// The process number that the program sees; threads count up from it.
pub const PROCESS: i32 = 1000;
const PARENT: i64 = 999;
const PAGE_COUNT: u64 = 1 << 21;

/// Ends the execution as the process would end.
pub fn end(status: i32) -> ! {
    if world::get().forked_child.get() {
        sys::exit_group(status);
    }
    heap::at_exit();
    finish::end(Ending::Exit, (status & 0xff) as u64)
}

/// `exit_group`, which libc's exit ends in.
pub fn exit_group(call: &Call) -> i64 {
    wrap::process::announce_exit();
    end(call.arguments[0] as i32)
}

/// `exit`, which ends one kernel thread.
pub fn exit(call: &Call) -> i64 {
    if world::get().live.get().len() > 1 {
        report::unsupported(call, "ends a thread behind the back of the thread library");
    }
    exit_group(call)
}

/// `getpid`.
pub fn getpid(_call: &Call) -> i64 {
    PROCESS.into()
}

/// `getppid`, `getpgrp`, `getsid`.
pub fn parent(_call: &Call) -> i64 {
    PARENT
}

/// The number of a thread.
pub fn number_of(thread: ThreadId) -> i32 {
    PROCESS + i32::from(thread.0)
}

/// `gettid` and `set_tid_address`.
pub fn gettid(_call: &Call) -> i64 {
    number_of(world::get().current.get()).into()
}

/// Calls that are taken note of by doing nothing.
pub fn ignore(_call: &Call) -> i64 {
    0
}

/// Calls that a program must be able to do without.
pub fn not_there(_call: &Call) -> i64 {
    failure(libc::ENOSYS)
}

/// `sched_yield`.
pub fn sched_yield(call: &Call) -> i64 {
    gate::pass(call.action(Op::Yield, Variable(0)));
    0
}

/// Stores a value where the program wants it, if it wants it.
pub fn store<T>(address: u64, value: T) {
    if address != 0 {
        // SAFETY: the program passes where the result goes; a wrong pointer faults here and is the program's crash.
        unsafe { (address as *mut T).write_unaligned(value) };
    }
}

/// `getrandom`.
pub fn getrandom(call: &Call) -> i64 {
    let [buffer, length, ..] = call.arguments;
    // SAFETY: the program passes a buffer of this length; a wrong pointer faults here and is the program's crash.
    unsafe { random::fill(buffer as *mut u8, length as usize) };
    length as i64
}

/// `getpriority`: a nice value of 0, as the kernel puts it.
pub fn getpriority(_call: &Call) -> i64 {
    20
}

/// `getrusage`: nothing used.
pub fn getrusage(call: &Call) -> i64 {
    store(call.arguments[1], [0u64; size_of::<libc::rusage>() / 8]);
    0
}

/// `times`: no time used.
pub fn times(call: &Call) -> i64 {
    const TICKS_PER_SECOND: u64 = 100;
    store(call.arguments[0], [0u64; size_of::<libc::tms>() / 8]);
    (clock::read(libc::CLOCK_MONOTONIC) / (clock::SECOND / TICKS_PER_SECOND)) as i64
}

/// `sysinfo`: a quiet machine with 8 GB.
pub fn sysinfo(call: &Call) -> i64 {
    // SAFETY: all zeroes is a valid value of the plain structure.
    let mut info: libc::sysinfo = unsafe { core::mem::zeroed() };
    info.uptime = (clock::read(libc::CLOCK_MONOTONIC) / clock::SECOND) as i64;
    info.totalram = PAGE_COUNT;
    info.freeram = PAGE_COUNT / 2;
    info.procs = 1;
    info.mem_unit = 4096;
    store(call.arguments[0], info);
    0
}

/// `setrlimit`, and `prlimit64` with a new limit.
pub fn prlimit64(call: &Call) -> i64 {
    if call.arguments[2] != 0 {
        report::isolate(call, "changes a resource limit");
    }
    let mut arguments = call.arguments;
    arguments[0] = 0; // the program knows its own number only as a made-up one
    Call { arguments, ..*call }.pass()
}

/// `prctl`.
pub fn prctl(call: &Call) -> i64 {
    let fiber = world::get().fiber();
    let argument = call.arguments[1];
    match call.arguments[0] as i32 {
        libc::PR_SET_NAME => {
            let mut name = [0u8; 16];
            for (index, byte) in name[..15].iter_mut().enumerate() {
                // SAFETY: the program passes a terminated name; reading stops at its end.
                *byte = unsafe { *(argument as *const u8).add(index) };
                if *byte == 0 {
                    break;
                }
            }
            fiber.name.set(name);
            0
        }
        libc::PR_GET_NAME => {
            store(argument, fiber.name.get());
            0
        }
        libc::PR_GET_DUMPABLE => 1,
        libc::PR_CAPBSET_READ | libc::PR_GET_NO_NEW_PRIVS | libc::PR_GET_SECCOMP => call.pass(),
        libc::PR_SET_PDEATHSIG
        | libc::PR_SET_DUMPABLE
        | libc::PR_SET_TIMERSLACK
        | libc::PR_SET_NO_NEW_PRIVS
        | libc::PR_SET_PTRACER
        | libc::PR_SET_VMA
        | libc::PR_SET_THP_DISABLE => 0,
        libc::PR_SET_SECCOMP | libc::PR_SET_TSC => report::unsupported(call, "restricts itself"),
        _ => failure(libc::EINVAL),
    }
}

/// `arch_prctl`: the base registers belong to the shim.
pub fn arch_prctl(call: &Call) -> i64 {
    const SET_GS: u64 = 0x1001;
    const SET_FS: u64 = 0x1002;
    if matches!(call.arguments[0], SET_GS | SET_FS) {
        report::unsupported(call, "changes a segment base");
    }
    call.pass()
}
