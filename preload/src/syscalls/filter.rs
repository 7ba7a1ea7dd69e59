//! The filter: every system call of the program traps; those of the shim pass.
//!
//! Wrapping libc's functions alone would leave holes: stdio writes, `fopen` opens, locks wait with system calls inside
//! libc that no symbol shows, and programs make calls of their own. A seccomp filter sees them all, and can not be left
//! out by accident. It costs three microseconds per call, which only programs that make calls pay.

use crate::sys;

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JUMP_IF_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K
const ALLOW: u32 = 0x7fff_0000;
const TRAP: u32 = 0x0003_0000;
/// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const INSTRUCTION_LOW: u32 = 8;
const INSTRUCTION_HIGH: u32 = 12;

fn statement(code: u16, operand: u32) -> libc::sock_filter {
    libc::sock_filter { code, jt: 0, jf: 0, k: operand }
}

fn jump(equal_to: u32, if_equal: u8, otherwise: u8) -> libc::sock_filter {
    libc::sock_filter { code: JUMP_IF_EQUAL, jt: if_equal, jf: otherwise, k: equal_to }
}

/// Installs the filter for this kernel thread and its children.
pub fn install() -> bool {
    let site = sys::call_site();
    let program = [
        statement(LOAD, INSTRUCTION_LOW),
        jump(site as u32, 0, 2),
        statement(LOAD, INSTRUCTION_HIGH),
        jump((site >> 32) as u32, 3, 0),
        statement(LOAD, NUMBER),
        jump(libc::SYS_rt_sigreturn as u32, 1, 0),
        statement(RETURN, TRAP),
        statement(RETURN, ALLOW),
    ];
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    // SAFETY: gives up the right to gain privileges, then installs a program that only reads.
    unsafe {
        sys::call(libc::SYS_prctl, [libc::PR_SET_NO_NEW_PRIVS as u64, 1, 0, 0, 0, 0]) == 0
            && sys::call(
                libc::SYS_prctl,
                [libc::PR_SET_SECCOMP as u64, libc::SECCOMP_MODE_FILTER as u64, &raw const program as u64, 0, 0, 0],
            ) == 0
    }
}
