//! Whether memory of the program is there.
//!
//! Where the shim carries out an instruction in its stead, a fault must be the instruction's own: a handler of the
//! program finds its registers there. So the shim tries the access first, in a place that the handler of faults knows.

use core::arch::global_asm;

global_asm!(
    ".globl rscale_try_read, rscale_try_write, rscale_try_end",
    ".hidden rscale_try_read, rscale_try_write, rscale_try_end",
    // rdi: first byte, rsi: last byte; they may lie on two pages. Returns whether they are there.
    "rscale_try_read:",
    ".cfi_startproc",
    "mov al, [rdi]",
    "mov al, [rsi]",
    "mov eax, 1",
    "ret",
    ".cfi_endproc",
    "rscale_try_write:",
    ".cfi_startproc",
    "mov al, [rdi]",
    "mov [rdi], al",
    "mov al, [rsi]",
    "mov [rsi], al",
    "mov eax, 1",
    "ret",
    "rscale_try_end: xor eax, eax",
    "ret",
    ".cfi_endproc",
);

unsafe extern "C" {
    fn rscale_try_read(first: u64, last: u64) -> u32;
    fn rscale_try_write(first: u64, last: u64) -> u32;
    fn rscale_try_end();
}

/// Whether so many bytes can be read; a page at most.
pub fn is_readable(start: u64, length: u64) -> bool {
    // SAFETY: reads bytes; a fault is answered by `recovers`.
    unsafe { rscale_try_read(start, start.wrapping_add(length - 1)) != 0 }
}

/// Whether they can be written. They are, with what they hold.
pub fn is_writable(start: u64, length: u64) -> bool {
    // SAFETY: as above; nobody else runs meanwhile, so nothing changes.
    unsafe { rscale_try_write(start, start.wrapping_add(length - 1)) != 0 }
}

/// Whether a fault was such an attempt, which then goes on.
pub fn recovers(context: &mut libc::ucontext_t) -> bool {
    let pc = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
    let [start, end] = [rscale_try_read as *const () as i64, rscale_try_end as *const () as i64];
    let is_attempt = (start..end).contains(pc);
    if is_attempt {
        *pc = end;
    }
    is_attempt
}
