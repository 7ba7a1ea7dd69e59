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

/// The granules of the first and of the last byte of an access at rcx. Most often they are one, but to ask for that
/// takes longer than to look at it twice: nothing tells the processor where the bytes of a text will lie.
macro_rules! granules {
    ($first:literal, $last:literal, $length:literal) => {
        concat!(
            "lea ",
            $first,
            ", [rcx + rcx]
             lea ",
            $last,
            ", [rcx + rcx + 2 * ",
            $length,
            " - 2]
             and ",
            $first,
            ", [rip + rscale_shadow_mask]
             and ",
            $last,
            ", [rip + rscale_shadow_mask]
             or ",
            $first,
            ", [rip + rscale_shadow_base]
             or ",
            $last,
            ", [rip + rscale_shadow_base]
            "
        )
    };
}

/// Puts the word of the granules into rax, and goes on at 2 if they have different ones.
macro_rules! common_word {
    ("1", $word:tt) => {
        concat!(granule!("rax"), "mov rax, [rax + ", $word, "]\n")
    };
    ($length:literal, $word:tt) => {
        concat!(
            granules!("rax", "rcx", $length),
            "mov rax, [rax + ",
            $word,
            "]
             cmp rax, [rcx + ",
            $word,
            "]
             jne 2f
            "
        )
    };
}

/// An access of up to eight bytes. `word`: the word of the granule for its kind. If this thread has accessed all of its
/// granules in this epoch, it passes; else it is looked at which bytes that were. The second entry does not count.
macro_rules! word_stub {
    ($name:literal, $slot:literal, $length:tt, $mask:literal, $word:tt, $kind:literal) => {
        concat!(
            $name,
            ":",
            count!(),
            $name,
            "_again:
             mov [rsp - 24], rcx
            ",
            common_word!($length, $word),
            "cmp rax, [rip + {whole}]
             jne 2f
            ",
            progress!($word, "mov rax, [rsp - 24]"),
            "ret
             2: push rdx
             mov rcx, [rsp - 16]
            ",
            granules!("rax", "rdx", $length),
            "mov rax, [rax + ",
            $word,
            "]
             mov rdx, [rdx + ",
            $word,
            "]
             xor rax, [rip + {whole}]
             xor rdx, [rip + {whole}]
             cmp rax, 0x100
             jae 5f
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
             3:
            ",
            leave!($slot),
            "jmp rscale_access_slow
             5: push ",
            $slot,
            "
             mov rcx, [rsp - 8]
             lea eax, [rcx + ",
            $length,
            " - 1]
             xor eax, ecx
             test al, 8
             mov eax, ",
            $length,
            "
             jnz ",
            $kind,
            "_range
            ",
            granule!("rdx"),
            "and ecx, 7
             mov eax, ",
            $mask,
            "
             shl eax, cl
             jmp ",
            $kind,
            "_rest
            "
        )
    };
}

/// An access of several granules: those that this thread has accessed as a whole in this epoch pass.
macro_rules! wide_stub {
    ($name:literal, $slot:literal, $length:literal, $word:tt, $kind:literal) => {
        concat!(
            $name,
            ":",
            count!(),
            $name,
            "_again:
             push rdx
             mov [rsp - 16], rcx
             mov rdx, [rip + {whole}]
            ",
            granules!("rax", "rcx", $length),
            "cmp rax, rcx
             ja 4f
             2: cmp rdx, [rax + ",
            $word,
            "]
             jne 4f
             add rax, 16
             cmp rax, rcx
             jbe 2b
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
