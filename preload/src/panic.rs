//! A panic of the shim ends the execution with a message that names the place.

use crate::{arena, finish, sys};
use core::fmt::Write;

struct Message {
    bytes: [u8; 512],
    length: usize,
}

impl Write for Message {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = &mut self.bytes[self.length..];
        let taken = text.len().min(room.len());
        room[..taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken;
        Ok(())
    }
}

#[panic_handler]
fn on_panic(info: &core::panic::PanicInfo<'_>) -> ! {
    if arena::attached().is_none() {
        sys::exit_group(127);
    }
    let mut message = Message { bytes: [0; 512], length: 0 };
    let _ = write!(message, "{info}"); // writing to the buffer can not fail
    finish::internal(&message.bytes[..message.length])
}

// The precompiled core library refers to the personality of unwinding panics. The shim's panics do not unwind; a hidden
// symbol satisfies the linker and stays invisible to Rust programs under test, which have a real one.
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    ".type rust_eh_personality, @function",
    "rust_eh_personality:",
    "ud2",
    ".size rust_eh_personality, . - rust_eh_personality",
);
