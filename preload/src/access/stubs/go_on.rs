//! What stubs do where an access was not there in this epoch: look who was, and remember this one.

/// Every access is for the slow path when no more are left to the thread, also those that do not count.
macro_rules! unless_counted_out {
    () => {
        "
         cmp qword ptr [rip + {budget}], 0
         jl rscale_access_slow
        "
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

/// An access that was not there in this epoch: eax has its bytes, rdx the granule. Goes to `slow` if there is more to
/// it. A granule with a record says in its second word what the thread has done in this epoch: it did this before, or
/// not.
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
            unless_counted_out!(),
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
            ":",
            unless_counted_out!(),
            "mov rcx, [rsp - 8]
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
