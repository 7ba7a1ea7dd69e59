//! A panic of the shim ends the execution with a message that names the place.

use crate::message::Message;
use crate::{arena, finish, sys};

#[panic_handler]
fn on_panic(info: &core::panic::PanicInfo<'_>) -> ! {
    if arena::attached().is_none() {
        sys::exit_group(127);
    }
    finish::internal(Message::<512>::of(format_args!("{info}")).as_bytes())
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
