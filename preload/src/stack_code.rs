//! Code on stacks: GCC puts some there for pointers to nested functions, and the program's file asks for stacks that
//! allow it.
//!
//! Stacks of fibers are writable only, so that the snapshot need not know. A page of one becomes executable when an
//! instruction is fetched from it; whoever protects it again later leads here again. What is executed there was made
//! while the program ran, and nobody watches it: the report says so.

use crate::access::careful;
use crate::snapshot::PAGE;
use crate::{arena, control, sys};
use core::sync::atomic::Ordering::Relaxed;

/// An instruction could not be fetched. True if it is to be tried again: it lies on a stack, which the program wants to
/// be executable.
pub fn allow(address: u64) -> bool {
    let (stacks, end) = (control::get().stacks.get(), control::get().stacks_end.get());
    if !(stacks..end).contains(&address) || !is_wanted() || !careful::is_writable(address, 1) {
        return false;
    }
    if let Some(arena) = arena::attached() {
        arena.result.unseen_code.store(1, Relaxed);
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: a page of a stack, which the program may write.
    unsafe { sys::mprotect(address & !(PAGE - 1), PAGE, protection) }
}

/// Whether the executable asks for stacks that code can run on.
fn is_wanted() -> bool {
    // SAFETY: the kernel tells where the program headers of the executable are, and how many.
    let headers = unsafe {
        let first = libc::getauxval(libc::AT_PHDR) as *const libc::Elf64_Phdr;
        let count = if first.is_null() { 0 } else { libc::getauxval(libc::AT_PHNUM) };
        core::slice::from_raw_parts(if count == 0 { core::ptr::dangling() } else { first }, count as usize)
    };
    headers.iter().any(|header| header.p_type == libc::PT_GNU_STACK && header.p_flags & libc::PF_X != 0)
}
