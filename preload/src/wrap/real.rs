//! The functions of libc behind the wrapped ones that only watch memory, and one variable, which is found in the same
//! way.
//!
//! Their addresses are looked up when the program starts, or at their first call if a constructor makes one before. The
//! table lies outside the snapshot.

use super::early;
use crate::access::clocks::Own;
use crate::{start, sys};
use core::cell::Cell;
use core::ffi::CStr;

macro_rules! functions {
    ($($name:ident)*) => {
        /// A function of libc.
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types, missing_docs)] // the names are those of C
        #[repr(usize)]
        pub enum Function { $($name,)* }

        const NAMES: &[&CStr] = &[$(
            // The name has no zero before the one that is put behind it.
            match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!(),
            },
        )*];
    };
}

functions! {
    memcpy memmove memset bzero explicit_bzero mempcpy bcopy memcmp bcmp memchr memrchr rawmemchr memmem memccpy
    __memcpy_chk __memmove_chk __memset_chk __mempcpy_chk __explicit_bzero_chk
    strlen strnlen strcpy strncpy stpcpy stpncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr strrchr
    index rindex strchrnul strstr strcasestr strspn strcspn strpbrk strsep strtok strtok_r __strtok_r strdup strndup
    __strdup __strndup strcoll strxfrm
    __strcpy_chk __strncpy_chk __stpcpy_chk __stpncpy_chk __strcat_chk __strncat_chk
    strtol strtoul strtoll strtoull strtoimax strtoumax strtod strtof strtold atoi atol atoll atof
    __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull __isoc23_strtoimax __isoc23_strtoumax
    wmemcpy wmemmove wmemset wmempcpy wmemcmp wmemchr wcslen wcsnlen wcscpy wcsncpy wcscat wcscmp wcsncmp wcschr wcsrchr
    __wmemcpy_chk __wmemmove_chk __wmemset_chk __wmempcpy_chk __wcscpy_chk __wcsncpy_chk __wcscat_chk
    qsort qsort_r
    getenv secure_getenv setenv putenv unsetenv clearenv gmtime localtime gmtime_r localtime_r asctime ctime mktime timegm
    rand random srand srandom rand_r drand48 lrand48 mrand48 srand48 erand48 nrand48
    sprintf snprintf vsprintf vsnprintf __sprintf_chk __snprintf_chk __vsprintf_chk __vsnprintf_chk
    printf fprintf dprintf vprintf vfprintf vdprintf __printf_chk __fprintf_chk __dprintf_chk __vprintf_chk
    __vfprintf_chk __vdprintf_chk asprintf vasprintf __asprintf_chk __vasprintf_chk
    wprintf fwprintf swprintf vwprintf vfwprintf vswprintf __wprintf_chk __fwprintf_chk __swprintf_chk __vwprintf_chk
    __vfwprintf_chk __vswprintf_chk
    sscanf vsscanf fscanf vfscanf scanf vscanf __isoc99_sscanf __isoc99_vsscanf __isoc99_fscanf __isoc99_vfscanf
    __isoc99_scanf __isoc99_vscanf __isoc23_sscanf __isoc23_vsscanf __isoc23_fscanf __isoc23_vfscanf __isoc23_scanf
    __isoc23_vscanf
    puts fputs fwrite fread fgets fputs_unlocked fwrite_unlocked fread_unlocked fgets_unlocked __fgets_chk __fread_chk
    __fgets_unlocked_chk __fread_unlocked_chk getline getdelim __getdelim
    putchar putc fputc putchar_unlocked putc_unlocked fputc_unlocked __overflow putw getchar getc fgetc getchar_unlocked
    getc_unlocked fgetc_unlocked __uflow getw ungetc fflush fflush_unlocked ftell ftello ftello64 fseek fseeko fseeko64
    rewind feof ferror clearerr setvbuf setbuf fclose flockfile ftrylockfile funlockfile
    write writev pwrite pwrite64 read __read_chk readv pread pread64 lseek lseek64 ftruncate ftruncate64 stdin stdout
    __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort
}

type Address = *const ();

/// The addresses, by [`Function`]; null where it is not known yet. The stubs jump through it.
pub static ADDRESSES: [Own<Address>; NAMES.len()] = early_forms();

/// What the shim's own calls use, by [`Function`]; null for those that have no simple form. libc's forms use vector
/// registers whose upper halves nobody saves when an access of the program leads to the shim.
pub static OWN: [Own<Address>; NAMES.len()] = early_forms();

const fn early_forms() -> [Own<Address>; NAMES.len()] {
    let mut addresses = [const { Own(Cell::new(core::ptr::null())) }; NAMES.len()];
    addresses[Function::memcpy as usize] = Own(Cell::new(early::copy as Address));
    addresses[Function::memmove as usize] = Own(Cell::new(early::copy as Address));
    addresses[Function::memset as usize] = Own(Cell::new(early::set as Address));
    addresses[Function::memcmp as usize] = Own(Cell::new(early::compare as Address));
    addresses[Function::bcmp as usize] = Own(Cell::new(early::compare as Address));
    addresses[Function::strlen as usize] = Own(Cell::new(early::length as Address));
    addresses
}

/// Looks up all of them. Before the snapshot.
pub fn find_all() {
    for (entry, name) in ADDRESSES.iter().zip(NAMES) {
        entry.0.set(start::libc_function(name).unwrap_or(0) as Address);
    }
}

/// The address of a function whose entry is empty: of one that is called before [`find_all`].
extern "C" fn find(index: usize) -> Address {
    match start::libc_function(NAMES[index]) {
        Some(address) => {
            ADDRESSES[index].0.set(address as Address);
            address as Address
        }
        None => sys::exit_group(127), // a program can not have been linked with a function that libc does not have
    }
}

/// The address of a function.
pub fn address(function: Function) -> Address {
    let known = ADDRESSES[function as usize].0.get();
    if known.is_null() { find(function as usize) } else { known }
}

/// Continues a call to the function whose number is in r11, with all arguments as they are.
#[unsafe(naked)]
pub unsafe extern "C" fn find_and_jump() {
    core::arch::naked_asm!(
        "push rax",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "sub rsp, 128",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "movups [rsp + 32], xmm2",
        "movups [rsp + 48], xmm3",
        "movups [rsp + 64], xmm4",
        "movups [rsp + 80], xmm5",
        "movups [rsp + 96], xmm6",
        "movups [rsp + 112], xmm7",
        "mov rdi, r11",
        "call {find}",
        "mov r11, rax",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "movups xmm2, [rsp + 32]",
        "movups xmm3, [rsp + 48]",
        "movups xmm4, [rsp + 64]",
        "movups xmm5, [rsp + 80]",
        "movups xmm6, [rsp + 96]",
        "movups xmm7, [rsp + 112]",
        "add rsp, 128",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "pop rax",
        "jmp r11",
        find = sym find,
    )
}

/// libc's function of a name, as a function of the given type.
macro_rules! real {
    ($name:ident: $type:ty) => {
        // SAFETY: the address is that of libc's function of this name, which has this type.
        unsafe {
            core::mem::transmute::<*const (), $type>($crate::wrap::real::address($crate::wrap::real::Function::$name))
        }
    };
}
pub(crate) use real;

/// Copies; the ranges may overlap.
///
/// # Safety
/// As for `memmove`.
pub unsafe fn copy(to: u64, from: u64, length: u64) {
    let real = real!(memmove: unsafe extern "C" fn(u64, u64, u64) -> u64);
    // SAFETY: as the caller promises.
    unsafe { real(to, from, length) };
}

/// Fills.
///
/// # Safety
/// As for `memset`.
pub unsafe fn set(to: u64, value: u8, length: u64) {
    let real = real!(memset: unsafe extern "C" fn(u64, i32, u64) -> u64);
    // SAFETY: as the caller promises.
    unsafe { real(to, value.into(), length) };
}

/// The offset of the first byte with this value.
///
/// # Safety
/// The range must be readable up to that byte.
pub unsafe fn find_byte(from: u64, value: u8, length: u64) -> Option<u64> {
    let real = real!(memchr: unsafe extern "C" fn(u64, i32, u64) -> u64);
    // SAFETY: as the caller promises.
    unsafe { real(from, value.into(), length) }.checked_sub(from)
}
