//! The first instructions of stubs: what the same thread has accessed in the same epoch passes here.
//!
//! Macros, since every size and kind of access has a stub of its own: what it needs to know are constants in it.

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
