//! The stubs that hooks in the clones call, in assembly: nine of ten accesses end in their first fifteen instructions.
//!
//! A stub finds the address in RCX; it may change RAX, RCX and the flags, nothing else, and its [first
//! instructions](begin) need no more. Accesses are looked up in the shadow: the same thread in the same epoch has been
//! there before (most often), or [only this thread has, or nobody has](go_on). An access of several granules is looked
//! up granule by granule. Everything else is for the [slow path](super::site), for which [all registers are
//! saved](super::saving).

#[macro_use]
mod begin;
#[macro_use]
mod go_on;

use super::clocks::{BASE, BUDGET, EPOCH, ROW, WHOLE};
use super::{shadow, spin, widening};
use core::arch::global_asm;
use rscale_protocol::region::{AGAIN_SLOT, FENCE_SLOT, GENERAL_SLOT, SLOTS};

/// An access that is always for the slow path.
macro_rules! always_stub {
    ($name:literal, $slot:literal) => {
        concat!(
            $name,
            ":
            ",
            leave!($slot),
            "jmp rscale_access_slow
            "
        )
    };
}

global_asm!(
    ".p2align 4",
    "rscale_shadow_mask: .quad {shadow_mask}",
    "rscale_shadow_base: .quad {shadow}",
    ".type rscale_access_stubs, @function",
    "rscale_access_stubs:",
    ".cfi_startproc",
    word_stub!("rscale_read_1", "0", "1", "0x1", "8", "rscale_read"),
    word_stub!("rscale_read_2", "1", "2", "0x3", "8", "rscale_read"),
    word_stub!("rscale_read_4", "2", "4", "0xf", "8", "rscale_read"),
    word_stub!("rscale_read_8", "3", "8", "0xff", "8", "rscale_read"),
    wide_stub!("rscale_read_16", "4", "16", "8", "rscale_read"),
    wide_stub!("rscale_read_32", "5", "32", "8", "rscale_read"),
    wide_stub!("rscale_read_64", "6", "64", "8", "rscale_read"),
    word_stub!("rscale_write_1", "7", "1", "0x1", "0", "rscale_write"),
    word_stub!("rscale_write_2", "8", "2", "0x3", "0", "rscale_write"),
    word_stub!("rscale_write_4", "9", "4", "0xf", "0", "rscale_write"),
    word_stub!("rscale_write_8", "10", "8", "0xff", "0", "rscale_write"),
    wide_stub!("rscale_write_16", "11", "16", "0", "rscale_write"),
    wide_stub!("rscale_write_32", "12", "32", "0", "rscale_write"),
    wide_stub!("rscale_write_64", "13", "64", "0", "rscale_write"),
    word_stub!("rscale_update_1", "14", "1", "0x1", "0", "rscale_write"),
    word_stub!("rscale_update_2", "15", "2", "0x3", "0", "rscale_write"),
    word_stub!("rscale_update_4", "16", "4", "0xf", "0", "rscale_write"),
    word_stub!("rscale_update_8", "17", "8", "0xff", "0", "rscale_write"),
    wide_stub!("rscale_update_16", "18", "16", "0", "rscale_write"),
    wide_stub!("rscale_update_32", "19", "32", "0", "rscale_write"),
    wide_stub!("rscale_update_64", "20", "64", "0", "rscale_write"),
    word_stub!("rscale_atomic_1", "21", "1", "0x1", "0", "rscale_write"),
    word_stub!("rscale_atomic_2", "22", "2", "0x3", "0", "rscale_write"),
    word_stub!("rscale_atomic_4", "23", "4", "0xf", "0", "rscale_write"),
    word_stub!("rscale_atomic_8", "24", "8", "0xff", "0", "rscale_write"),
    wide_stub!("rscale_atomic_16", "25", "16", "0", "rscale_write"),
    wide_stub!("rscale_atomic_32", "26", "32", "0", "rscale_write"),
    wide_stub!("rscale_atomic_64", "27", "64", "0", "rscale_write"),
    rest!("rscale_read_rest", "8", "0"),
    rest!("rscale_write_rest", "0", "8"),
    range!("rscale_read_range", "8", "0"),
    range!("rscale_write_range", "0", "8"),
    "rscale_fence: ret",
    // Under weak memory every locked instruction and every fence orders stores, whatever it accesses.
    always_stub!("rscale_ordering_1", "21"),
    always_stub!("rscale_ordering_2", "22"),
    always_stub!("rscale_ordering_4", "23"),
    always_stub!("rscale_ordering_8", "24"),
    always_stub!("rscale_ordering_16", "25"),
    always_stub!("rscale_ordering_32", "26"),
    always_stub!("rscale_ordering_64", "27"),
    always_stub!("rscale_ordering_fence", "29"),
    ".cfi_endproc",
    "rscale_access_stubs_end:",
    budget = sym BUDGET,
    epoch = sym EPOCH,
    base = sym BASE,
    row = sym ROW,
    widens = sym widening::WIDENS,
    stack = sym spin::STACK,
    progress = sym spin::PROGRESS,
    shadow = const shadow::BASE,
    shadow_mask = const shadow::MASK,
    whole = sym WHOLE,
);

macro_rules! addresses {
    ($($name:ident)*) => {{
        unsafe extern "C" { $(fn $name();)* }
        [$($name as *const () as u64,)*]
    }};
}

/// Whether an address is in the stubs, as long as they have called nothing.
pub fn contain(pc: u64) -> bool {
    let [start, end] = addresses!(rscale_access_stubs rscale_access_stubs_end);
    (start..end).contains(&pc)
}

/// The addresses of the stubs, by slot.
pub fn addresses() -> [u64; SLOTS] {
    const _: () = assert!(GENERAL_SLOT == 28 && FENCE_SLOT == 29);
    let plain = addresses! {
        rscale_read_1 rscale_read_2 rscale_read_4 rscale_read_8 rscale_read_16 rscale_read_32 rscale_read_64
        rscale_write_1 rscale_write_2 rscale_write_4 rscale_write_8 rscale_write_16 rscale_write_32 rscale_write_64
        rscale_update_1 rscale_update_2 rscale_update_4 rscale_update_8 rscale_update_16 rscale_update_32
        rscale_update_64 rscale_atomic_1 rscale_atomic_2 rscale_atomic_4 rscale_atomic_8 rscale_atomic_16
        rscale_atomic_32 rscale_atomic_64 rscale_access_general rscale_fence
        rscale_read_1_again rscale_read_2_again rscale_read_4_again rscale_read_8_again rscale_read_16_again
        rscale_read_32_again rscale_read_64_again rscale_write_1_again rscale_write_2_again rscale_write_4_again
        rscale_write_8_again rscale_write_16_again rscale_write_32_again rscale_write_64_again rscale_update_1_again
        rscale_update_2_again rscale_update_4_again rscale_update_8_again rscale_update_16_again
        rscale_update_32_again rscale_update_64_again
    };
    if !crate::buffer::is_on() {
        return plain;
    }
    let ordering = addresses! {
        rscale_ordering_1 rscale_ordering_2 rscale_ordering_4 rscale_ordering_8 rscale_ordering_16 rscale_ordering_32
        rscale_ordering_64 rscale_access_general rscale_ordering_fence
    };
    core::array::from_fn(|slot| match slot.checked_sub(AGAIN_SLOT - ordering.len()) {
        Some(place) if slot < AGAIN_SLOT => ordering[place],
        _ => plain[slot],
    })
}
