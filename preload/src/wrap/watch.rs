//! How functions are wrapped that only access memory: when nobody watches, or the shim itself calls, they are libc's.

/// The beginning of a stub: goes on at `4` with the return address in r11 if memory is watched and the call is not one
/// of the shim itself; else to libc. The shim calls such functions too, wherever the compiler puts a copy: that must
/// neither be watched nor forget where the program called.
macro_rules! watched_or_libc {
    () => {
        ".hidden __ehdr_start
         .hidden _end
         cmp byte ptr [rip + {watching}], 0
         je 2f
         mov r11, [rsp]
         lea r10, [rip + __ehdr_start]
         cmp r11, r10
         jb 4f
         lea r10, [rip + _end]
         cmp r11, r10
         jae 4f
         mov r11, [rip + {own} + 8 * {index}]
         test r11, r11
         jz 2f
         jmp r11
         2: mov r11, [rip + {addresses} + 8 * {index}]
         test r11, r11
         jz 3f
         jmp r11
         3: mov r11d, {index}
         jmp {find}
         4: mov [rip + {caller}], r11
        "
    };
}
pub(crate) use watched_or_libc;

/// Defines exported functions whose bodies run only while memory is watched. In a body, `libc!(name)` is libc's.
macro_rules! watch {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                $crate::wrap::watch::watched_or_libc!(),
                "jmp {body}",
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
        pub(super) mod $name {
            #[allow(unused_imports)]
            use super::*;
            pub unsafe extern "C" fn body($($argument: $type),*) $(-> $result)? $body
            /// libc's function.
            #[allow(dead_code)]
            pub fn libc() -> unsafe extern "C" fn($($type),*) $(-> $result)? {
                $crate::wrap::real::real!($name: unsafe extern "C" fn($($type),*) $(-> $result)?)
            }
        }
    )* };
}
pub(crate) use watch;
