//! Where the program made a system call.
//!
//! The instruction that traps is one of libc; what people want to read is the line of their own code that called libc.
//! A walk with unwind tables is too much at every call: the first word on the stack that is a return address into the
//! program is as good, and the same in every execution. Code of the program that makes the call itself does so in its
//! clone, which no debug information knows.

use crate::access::region;
use crate::image::is_code;
use crate::{control, world};

/// Words of the stack that are looked at: libc's own frames are small.
const WORDS: u64 = 128;

/// The place in the program from which this instruction was reached; the instruction itself if none is found.
pub fn of(instruction: u64, stack_pointer: u64) -> u64 {
    let instruction = region::original_of_call(instruction).unwrap_or(instruction);
    if is_code(instruction) {
        return instruction;
    }
    let Some(end) = end_of_stack(stack_pointer) else { return instruction };
    let end = end.min(stack_pointer + WORDS * 8);
    let mut place = stack_pointer;
    while place + 8 <= end {
        // SAFETY: between the stack pointer and the end of its stack.
        let word = unsafe { *(place as *const u64) };
        if is_return_address(word) {
            return word;
        }
        place += 8;
    }
    instruction
}

/// The end of the stack on which this address lies: that of the running thread, or, while constructors run before
/// `main`, the one on which the process began.
fn end_of_stack(address: u64) -> Option<u64> {
    let fiber = world::get().fiber();
    if fiber.owns_stack_address(address) {
        return Some(fiber.stack.get().1);
    }
    let [.., first_stack] = control::get().program.start.get();
    (!control::get().armed.get() && address < first_stack).then_some(first_stack)
}

/// Whether the instruction before this address is a call.
fn is_return_address(address: u64) -> bool {
    const CALL_DIRECT: u8 = 0xe8;
    const CALL_INDIRECT: u8 = 0xff;
    if !is_code(address) || !is_code(address - 8) {
        return false;
    }
    // SAFETY: the eight bytes before lie in the program's code, which is mapped and readable.
    let byte = |distance: u64| unsafe { *((address - distance) as *const u8) };
    byte(5) == CALL_DIRECT || [2, 3, 4, 6, 7].iter().any(|&distance| byte(distance) == CALL_INDIRECT)
}
