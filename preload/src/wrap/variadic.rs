//! Functions with a variable list of arguments, as the System V ABI passes them.
//!
//! Rust can call such functions but not define them. A stub spills the registers that may hold arguments, builds the
//! `va_list` that a C compiler would build, and passes its address to a body with a fixed list.

/// A `va_list`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct List {
    /// Offset in `saved` of the next argument in a general register.
    general: u32,
    /// The same for floating point registers, which lie behind.
    floating: u32,
    /// The next argument on the stack.
    stack: u64,
    /// The registers.
    saved: u64,
}

const GENERAL_END: u32 = 6 * 8;
const FLOATING_END: u32 = GENERAL_END + 8 * 16;

impl List {
    /// The next integer or pointer.
    pub fn word(&mut self) -> u64 {
        let place = if self.general < GENERAL_END {
            self.general += 8;
            self.saved + u64::from(self.general) - 8
        } else {
            self.stack += 8;
            self.stack - 8
        };
        // SAFETY: the saved registers, or the arguments on the stack; where the format names more than there are, what
        // libc would read too.
        unsafe { *(place as *const u64) }
    }

    /// Passes over a `double`.
    pub fn skip_double(&mut self) {
        if self.floating < FLOATING_END { self.floating += 16 } else { self.stack += 8 }
    }

    /// Passes over a `long double`, which is always on the stack.
    pub fn skip_long_double(&mut self) {
        self.stack = self.stack.next_multiple_of(16) + 16;
    }
}

/// Defines exported functions with a variable list of arguments, like `watch!`: `list` has those behind the `$count`
/// named ones and arrives in `$register`.
macro_rules! variadic {
    ($($(#[$doc:meta])*
        fn $name:ident($($argument:ident: $type:ty),*; $list:ident, $count:literal in $register:literal) $body:block
    )*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                $crate::wrap::watch::watched_or_libc!(),
                "sub rsp, 216
                 .cfi_adjust_cfa_offset 216
                 mov [rsp + 32], rdi
                 mov [rsp + 40], rsi
                 mov [rsp + 48], rdx
                 mov [rsp + 56], rcx
                 mov [rsp + 64], r8
                 mov [rsp + 72], r9
                 test al, al
                 jz 5f
                 movaps [rsp + 80], xmm0
                 movaps [rsp + 96], xmm1
                 movaps [rsp + 112], xmm2
                 movaps [rsp + 128], xmm3
                 movaps [rsp + 144], xmm4
                 movaps [rsp + 160], xmm5
                 movaps [rsp + 176], xmm6
                 movaps [rsp + 192], xmm7
                 5: mov dword ptr [rsp], 8 * {count}
                 mov dword ptr [rsp + 4], 48
                 lea r11, [rsp + 224]
                 mov [rsp + 8], r11
                 lea r11, [rsp + 32]
                 mov [rsp + 16], r11",
                concat!("mov ", $register, ", rsp"),
                "call {body}
                 add rsp, 216
                 .cfi_adjust_cfa_offset -216
                 ret
                 .cfi_endproc",
                count = const $count,
                watching = sym $crate::access::WATCHING,
                addresses = sym $crate::wrap::real::ADDRESSES,
                own = sym $crate::wrap::real::OWN,
                index = const $crate::wrap::real::Function::$name as usize,
                find = sym $crate::wrap::real::find_and_jump,
                caller = sym $crate::gate::CALLER,
                body = sym $name::body,
            )
        }
        #[doc(hidden)]
        #[allow(non_snake_case)] // some of glibc's names have capitals
        mod $name {
            use super::*;
            pub(super) unsafe extern "C" fn body($($argument: $type,)* $list: *mut List) -> c_int $body
        }
    )* };
}
pub(crate) use variadic;
