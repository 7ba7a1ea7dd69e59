//! The time-stamp counter of the processor, which programs read without a system call: it faults, and is answered with
//! virtual time.
//!
//! That is switched on only where code of the program has such instructions, or comes while it runs: a process that
//! faults so takes the kernel longer to switch to, by microseconds on a virtual machine.

use super::kernel;
use crate::{arena, clock, control};
use core::sync::atomic::Ordering::Relaxed;

const RDTSC: &[u8] = &[0x0f, 0x31];
const RDTSCP: &[u8] = &[0x0f, 0x01, 0xf9];

/// An execution begins: the scheduler process knows by now what code the program has.
pub fn begin() {
    let setup = &arena::get().setup;
    if setup.reads_time_stamps.load(Relaxed) != 0 && setup.watch_syscalls.load(Relaxed) != 0 {
        trap();
    }
}

/// Has the counter fault from now on.
pub fn trap() {
    if !control::get().traps_time_stamps.replace(true) {
        kernel::trap_time_stamps();
    }
}

/// Answers an instruction that reads the counter. False if it is another instruction.
pub fn emulate(context: &mut libc::ucontext_t) -> bool {
    let registers = &mut context.uc_mcontext.gregs;
    let code = registers[libc::REG_RIP as usize] as *const u8;
    // SAFETY: the processor has just decoded the instruction there; the third byte is read only where it belongs to it.
    let is = |instruction: &[u8]| instruction.iter().enumerate().all(|(i, byte)| unsafe { *code.add(i) } == *byte);
    let length = match () {
        () if is(RDTSC) => RDTSC.len(),
        () if is(RDTSCP) => {
            registers[libc::REG_RCX as usize] = 0; // the number of the processor
            RDTSCP.len()
        }
        () => return false,
    };
    let now = clock::read(libc::CLOCK_MONOTONIC);
    registers[libc::REG_RAX as usize] = i64::from(now as u32);
    registers[libc::REG_RDX as usize] = (now >> 32) as i64;
    registers[libc::REG_RIP as usize] += length as i64;
    true
}
