//! The stubs that hooks in the clones call, in assembly: nine of ten accesses end in their first dozen instructions.
//!
//! A stub finds the address in RCX; it may change RAX, RCX and the flags, nothing else, and its first instructions need no more. Accesses are looked up in the
//! shadow: the same thread in the same epoch has been there before (most often), or only this thread has, or nobody
//! has. An access of several granules is looked up granule by granule. Everything else is for the
//! [slow path](super::site), for which [all registers are saved](super::saving).

use super::clocks::{BASE, BUDGET, EPOCH, ROW, WHOLE};
use super::{shadow, spin, widening};
use core::arch::global_asm;
use rscale_protocol::region::{FENCE_SLOT, GENERAL_SLOT, SLOTS};

/// A write of other memory than the thread's stack is progress. `address`: puts the address into rax.
macro_rules! progress {
    ("8", $address:literal) => {
        ""
    };
    ("0", $address:literal) => {
        concat!(
            "cmp byte ptr [rip + {progress}], 0
             jne 6f
            ",
            $address,
            "
             sub rax, [rip + {stack}]
             cmp rax, [rip + {stack} + 8]
             jb 6f
             mov byte ptr [rip + {progress}], 1
             6:
            "
        )
    };
}

/// The granule of the address in rcx.
macro_rules! granule {
    ($register:literal) => {
        concat!(
            "lea ",
            $register,
            ", [rcx + rcx]
             and ",
            $register,
            ", [rip + rscale_shadow_mask]
             or ",
            $register,
            ", [rip + rscale_shadow_base]
            "
        )
    };
}

/// Where a stub leaves its first instructions: the slot and rdx are put on the stack, and the address below them.
macro_rules! leave {
    ($slot:literal) => {
        concat!(
            "push rdx
             push ",
            $slot,
            "
             mov [rsp - 8], rcx
            "
        )
    };
}

/// Counts the access: when the budget is used up, the slow path looks at it.
macro_rules! count {
    () => {
        "sub qword ptr [rip + {budget}], 1
         js 3f
        "
    };
}

/// Goes to where accesses in two granules are looked up.
macro_rules! crosses {
    ("1") => {
        ""
    };
    ($length:literal) => {
        concat!(
            "lea eax, [rcx + ",
            $length,
            " - 1]
             xor eax, ecx
             test al, 8
             jnz 4f
            "
        )
    };
}

/// An access of up to four bytes. `word`: the word of the granule for its kind. The bytes that the thread has not accessed in
/// this epoch are repeated, so that they can be turned by as many bits as the address has.
macro_rules! small_stub {
    ($name:literal, $slot:literal, $length:tt, $mask:literal, $word:tt, $kind:literal) => {
        concat!(
            $name,
            ":",
            count!(),
            crosses!($length),
            granule!("rax"),
            "mov rax, [rax + ",
            $word,
            "]
             xor rax, [rip + {whole}]
             cmp rax, 0x100
             jae 2f
             imul eax, eax, 0x1010101
             ror eax, cl
             test al, ",
            $mask,
            "
             jnz 2f
            ",
            progress!($word, "mov rax, rcx"),
            "ret
             2:
            ",
            leave!($slot),
            granule!("rdx"),
            "and ecx, 7
             mov eax, ",
            $mask,
            "
             shl eax, cl
             jmp ",
            $kind,
            "_rest
             3:
            ",
            leave!($slot),
            "jmp rscale_access_slow
            ",
            across!($slot, $length, $mask, $word, $kind)
        )
    };
}

/// An access of eight bytes.
macro_rules! word_stub {
    ($name:literal, $slot:literal, $word:tt, $kind:literal) => {
        concat!(
            $name,
            ":",
            count!(),
            "test cl, 7
             jnz 4f
            ",
            granule!("rax"),
            "mov rax, [rax + ",
            $word,
            "]
             cmp rax, [rip + {whole}]
             jne 2f
            ",
            progress!($word, "mov rax, rcx"),
            "ret
             2:
            ",
            leave!($slot),
            granule!("rdx"),
            "mov eax, 0xff
             jmp ",
            $kind,
            "_rest
             3:
            ",
            leave!($slot),
            "jmp rscale_access_slow
            ",
            across!($slot, "8", "0xff", $word, $kind)
        )
    };
}

/// An access of up to eight bytes in two granules.
macro_rules! across {
    ($slot:literal, $length:tt, $mask:literal, $word:tt, $kind:literal) => {
        concat!(
            "4: push rdx
             mov [rsp - 16], rcx
            ",
            granule!("rdx"),
            "mov rax, [rdx + ",
            $word,
            "]
             xor rax, [rip + {whole}]
             cmp rax, 0x100
             jae 5f
             mov rdx, [rdx + 16 + ",
            $word,
            "]
             xor rdx, [rip + {whole}]
             cmp rdx, 0x100
             jae 5f
             shl edx, 8
             or eax, edx
             and ecx, 7
             shr eax, cl
             test al, ",
            $mask,
            "
             jnz 5f
            ",
            progress!($word, "mov rax, [rsp - 16]"),
            "pop rdx
             ret
             5: push ",
            $slot,
            "
             mov eax, ",
            $length,
            "
             jmp ",
            $kind,
            "_range
            "
        )
    };
}

/// An access of several granules: those that this thread has accessed as a whole in this epoch pass.
macro_rules! wide_stub {
    ($name:literal, $slot:literal, $granules:literal, $word:tt, $kind:literal) => {
        concat!(
            $name,
            ":",
            count!(),
            "push rdx
             mov [rsp - 16], rcx
             test cl, 7
             jnz 4f
            ",
            granule!("rdx"),
            "mov rax, [rip + {whole}]
             lea rcx, [rdx + 16 * ",
            $granules,
            "]
             2: cmp rax, [rdx + ",
            $word,
            "]
             jne 4f
             add rdx, 16
             cmp rdx, rcx
             jne 2b
            ",
            progress!($word, "mov rax, [rsp - 16]"),
            "pop rdx
             ret
             3:
            ",
            leave!($slot),
            "jmp rscale_access_slow
             4: push ",
            $slot,
            "
             mov eax, 8 * ",
            $granules,
            "
             jmp ",
            $kind,
            "_range
            "
        )
    };
}

/// Goes to `slow` unless what another thread did at a word is ordered before what the running thread does now.
macro_rules! ordered {
    ($word:literal, $slow:literal) => {
        concat!(
            "
             mov rcx, [rdx + ",
            $word,
            "]
             shr rcx, 17
             and ecx, 0x7f
             shl ecx, 3
             add rcx, [rip + {row}]
             mov rcx, [rcx]
             inc rcx
             shl rcx, 24
             cmp rcx, [rdx + ",
            $word,
            "]
             jbe ",
            $slow,
            "
            "
        )
    };
}

/// An access that was not there in this epoch: eax has its bytes, rdx the granule. Goes to `slow` if there is more to it.
/// A granule with a record says in its second word what the thread has done in this epoch: it did this before, or not.
macro_rules! remember {
    ($own:tt, $other:literal, $slow:literal, $done:expr) => {
        concat!(
            "
             mov rcx, [rdx]
             test rcx, rcx
             js 5f
             mov rcx, [rdx + ",
            $other,
            "]
             cmp rcx, [rip + {base}]
             jb 2f
             xor rcx, [rip + {epoch}]
             test ecx, 0xfe0000
             jz 2f
            ",
            ordered!($other, $slow),
            "
             2: mov rcx, [rdx + ",
            $own,
            "]
             cmp rcx, [rip + {base}]
             jb 4f
             xor rcx, [rip + {epoch}]
             test ecx, 0xfe0000
             jnz 22f
             cmp rcx, 0x100
             jb 3f
             and ecx, 0xff
             or ecx, eax
             cmp ecx, eax
             je 4f
             cmp byte ptr [rip + {widens}], 0
             je ",
            $slow,
            "
             3: or eax, ecx
             4: or rax, [rip + {epoch}]
             mov [rdx + ",
            $own,
            "], rax
             jmp 7f
             22:
            ",
            ordered!($own, $slow),
            "movzx ecx, byte ptr [rdx + ",
            $own,
            "]
             or ecx, eax
             cmp ecx, eax
             je 4b
             jmp ",
            $slow,
            "
             5: mov rcx, [rdx + 8]
             xor rcx, [rip + {epoch}]
             cmp rcx, 0x10000
             jae ",
            $slow,
            "
            ",
            done_bytes!($own),
            "not ecx
             test ecx, eax
             jnz ",
            $slow,
            "
             7:
            ",
            $done
        )
    };
}

/// Where the second word of a granule with a record has the bytes of a kind.
macro_rules! done_bytes {
    ("8") => {
        ""
    };
    ("0") => {
        "shr ecx, 8
        "
    };
}

/// What is left of a small access: the slot and rdx are on the stack.
macro_rules! rest {
    ($name:literal, $own:tt, $other:literal) => {
        concat!(
            $name,
            ":",
            remember!(
                $own,
                $other,
                "rscale_access_slow",
                concat!(
                    progress!($own, "mov rax, [rsp - 8]"),
                    "add rsp, 8
                     pop rdx
                     ret
                    "
                )
            )
        )
    };
}

/// An access of several granules, or of parts of them: eax has its length, the slot and rdx are on the stack.
macro_rules! range {
    ($name:literal, $own:tt, $other:literal) => {
        concat!(
            $name,
            ":
             mov rcx, [rsp - 8]
             push rcx
             push rsi
             mov rdx, rcx
             lea rsi, [rcx + rax]
             1: mov ecx, edx
             and ecx, 7
             mov eax, 0xff
             shl eax, cl
             movzx eax, al
             mov rcx, rdx
             and rcx, -8
             sub rcx, rsi
             cmp rcx, -8
             jle 2f
             neg ecx
             push rdx
             mov edx, 1
             shl edx, cl
             dec edx
             and eax, edx
             pop rdx
             2: push rdx
             mov rcx, rdx
            ",
            granule!("rdx"),
            "call 8f
             pop rdx
             jc 9f
             and rdx, -8
             add rdx, 8
             cmp rdx, rsi
             jb 1b
             pop rsi
            ",
            progress!($own, "mov rax, [rsp]"),
            "add rsp, 16
             pop rdx
             ret
             9: pop rsi
             pop rcx
             jmp rscale_access_save
             8: mov rcx, [rdx + ",
            $own,
            "]
             xor rcx, [rip + {epoch}]
             cmp rcx, 0x100
             jae 1f
             not ecx
             test ecx, eax
             jnz 1f
             ret
             1:
            ",
            remember!(
                $own,
                $other,
                "6f",
                "clc
                 ret
                 6: stc
                 ret
                "
            )
        )
    };
}

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
    small_stub!("rscale_read_1", "0", "1", "0x1", "8", "rscale_read"),
    small_stub!("rscale_read_2", "1", "2", "0x3", "8", "rscale_read"),
    small_stub!("rscale_read_4", "2", "4", "0xf", "8", "rscale_read"),
    word_stub!("rscale_read_8", "3", "8", "rscale_read"),
    wide_stub!("rscale_read_16", "4", "2", "8", "rscale_read"),
    wide_stub!("rscale_read_32", "5", "4", "8", "rscale_read"),
    wide_stub!("rscale_read_64", "6", "8", "8", "rscale_read"),
    small_stub!("rscale_write_1", "7", "1", "0x1", "0", "rscale_write"),
    small_stub!("rscale_write_2", "8", "2", "0x3", "0", "rscale_write"),
    small_stub!("rscale_write_4", "9", "4", "0xf", "0", "rscale_write"),
    word_stub!("rscale_write_8", "10", "0", "rscale_write"),
    wide_stub!("rscale_write_16", "11", "2", "0", "rscale_write"),
    wide_stub!("rscale_write_32", "12", "4", "0", "rscale_write"),
    wide_stub!("rscale_write_64", "13", "8", "0", "rscale_write"),
    small_stub!("rscale_update_1", "14", "1", "0x1", "0", "rscale_write"),
    small_stub!("rscale_update_2", "15", "2", "0x3", "0", "rscale_write"),
    small_stub!("rscale_update_4", "16", "4", "0xf", "0", "rscale_write"),
    word_stub!("rscale_update_8", "17", "0", "rscale_write"),
    wide_stub!("rscale_update_16", "18", "2", "0", "rscale_write"),
    wide_stub!("rscale_update_32", "19", "4", "0", "rscale_write"),
    wide_stub!("rscale_update_64", "20", "8", "0", "rscale_write"),
    small_stub!("rscale_atomic_1", "21", "1", "0x1", "0", "rscale_write"),
    small_stub!("rscale_atomic_2", "22", "2", "0x3", "0", "rscale_write"),
    small_stub!("rscale_atomic_4", "23", "4", "0xf", "0", "rscale_write"),
    word_stub!("rscale_atomic_8", "24", "0", "rscale_write"),
    wide_stub!("rscale_atomic_16", "25", "2", "0", "rscale_write"),
    wide_stub!("rscale_atomic_32", "26", "4", "0", "rscale_write"),
    wide_stub!("rscale_atomic_64", "27", "8", "0", "rscale_write"),
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

/// The addresses of the stubs, by slot.
pub fn addresses() -> [u64; SLOTS] {
    const _: () = assert!(GENERAL_SLOT == 28 && FENCE_SLOT == 29);
    let plain = addresses! {
        rscale_read_1 rscale_read_2 rscale_read_4 rscale_read_8 rscale_read_16 rscale_read_32 rscale_read_64
        rscale_write_1 rscale_write_2 rscale_write_4 rscale_write_8 rscale_write_16 rscale_write_32 rscale_write_64
        rscale_update_1 rscale_update_2 rscale_update_4 rscale_update_8 rscale_update_16 rscale_update_32
        rscale_update_64 rscale_atomic_1 rscale_atomic_2 rscale_atomic_4 rscale_atomic_8 rscale_atomic_16
        rscale_atomic_32 rscale_atomic_64 rscale_access_general rscale_fence
    };
    if !crate::buffer::is_on() {
        return plain;
    }
    let ordering = addresses! {
        rscale_ordering_1 rscale_ordering_2 rscale_ordering_4 rscale_ordering_8 rscale_ordering_16 rscale_ordering_32
        rscale_ordering_64 rscale_access_general rscale_ordering_fence
    };
    core::array::from_fn(|slot| match slot.checked_sub(SLOTS - ordering.len()) {
        Some(place) => ordering[place],
        None => plain[slot],
    })
}
