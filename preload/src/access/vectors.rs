//! The registers that the stubs do not save: x87, and the upper parts of the vector registers.
//!
//! The shim does not use them, but where it lets other code of the program run, they have to be kept. Most programs
//! have nothing in them most of the time. The processor knows, and asking it takes a twentieth of the time of saving.

use super::clocks::Own;
use core::arch::asm;
use core::arch::x86_64::__cpuid_count;
use core::cell::Cell;
use core::mem::MaybeUninit;

/// x87, AVX and AVX-512. The stub has saved the SSE registers.
const PARTS: u32 = 0b1110_0101;
const HEADER: usize = 512;
/// The first word that `xsave` writes where x87 is not in use: its control word.
const INITIAL_X87: u64 = 0x037f;
const HEADER_BYTES: usize = 64;

/// Room for what `xsave` saves of these parts.
#[repr(C, align(64))]
struct Saved([u8; 3072]);

/// What `xrstor` makes the initial state of: its header says that there is nothing in any part.
static NOTHING: Saved = Saved([0; 3072]);

/// The upper halves of the vector registers.
pub type Upper = [[u8; 16]; 16];

/// Whether the processor says which parts are in use.
static SAYS_WHAT_IS_USED: Own<bool> = Own(Cell::new(false));

/// Bytes that `xsave` and the like may access: what is in use, or less.
static SAVED_BYTES: Own<u32> = Own(Cell::new(0));

/// Bytes that instructions access which save or restore the state of the processor, at most.
pub fn saved_bytes() -> u64 {
    SAVED_BYTES.0.get().into()
}

/// Asks what the processor can do.
pub fn prepare() {
    const EXTENDED_STATE: u32 = 0xd;
    SAVED_BYTES.0.set(__cpuid_count(EXTENDED_STATE, 0).ebx);
    const SAYS_WHAT_IS_USED_BIT: u32 = 1 << 2;
    // Every processor that runs instrumented code has the leaf: it has `xsave`.
    let features = __cpuid_count(EXTENDED_STATE, 1).eax;
    SAYS_WHAT_IS_USED.0.set(features & SAYS_WHAT_IS_USED_BIT != 0);
}

/// Calls a function during which other code of the program may run.
#[inline(always)]
pub fn kept(call: impl FnOnce()) {
    if are_used() {
        return saved(call);
    }
    call();
    forget();
}

/// Whatever ran last has left nothing behind that whoever runs next could find.
#[inline(always)]
pub fn forget() {
    if are_used() {
        clear();
    }
}

/// Whether there may be something in these registers.
#[inline(always)]
fn are_used() -> bool {
    if !SAYS_WHAT_IS_USED.0.get() {
        return true;
    }
    let used: u32;
    // SAFETY: reads a register that the processor has, as `prepare` has seen.
    unsafe { asm!("xgetbv", in("ecx") 1, out("eax") used, out("edx") _, options(nomem, nostack, preserves_flags)) };
    used & PARTS != 0
}

/// The part of [`PARTS`] that has the upper halves, and where `xsave` puts it.
const AVX: u32 = 0b100;
const UPPER: usize = 576;
/// Which parts have something in them: the first word of the header.
const IN_USE: usize = HEADER;

/// What is in the upper halves of the vector registers now. Nothing on a processor that has none.
#[inline(never)] // its buffer is large, and threads that wait are on their stacks with all their callers
pub fn upper_halves() -> Upper {
    let mut state = Saved([0; 3072]);
    let place = state.0.as_mut_ptr();
    // SAFETY: the buffer is aligned and has room, and its header is zero.
    unsafe { asm!("xsave64 [{}]", in(reg) place, in("eax") AVX, in("edx") 0, options(nostack)) };
    // SAFETY: within the buffer, where the processor has put it; bytes have no alignment.
    unsafe { place.add(UPPER).cast::<Upper>().read() }
}

/// Changes what is in them.
#[inline(never)] // as above
pub fn set_upper_halves(upper: &Upper) {
    let mut state = Saved([0; 3072]);
    let place = state.0.as_mut_ptr();
    // SAFETY: as above. What the processor restores beside them, it has saved there before.
    unsafe {
        asm!("xsave64 [{}]", in(reg) place, in("eax") AVX, in("edx") 0, options(nostack));
        place.add(UPPER).cast::<Upper>().write(*upper);
        place.add(IN_USE).cast::<u64>().write(AVX.into());
        asm!("xrstor64 [{}]", in(reg) place, in("eax") AVX, in("edx") 0, options(nostack));
    }
}

/// A hash of what is in these registers, beginning with another one: a thread that counts there does not wait in a
/// loop.
#[inline(always)]
pub fn mixed_into(hash: u64, mix: impl Fn(u64, u64) -> u64) -> u64 {
    if are_used() { mixed(hash, mix) } else { hash }
}

#[inline(never)]
fn mixed(hash: u64, mix: impl Fn(u64, u64) -> u64) -> u64 {
    let mut state = Saved([0; 3072]);
    save(state.0.as_mut_ptr());
    let (words, _) = state.0.as_chunks::<8>();
    let words = words.iter().map(|&bytes| u64::from_ne_bytes(bytes));
    // Of x87, its control, status and tags, and its registers. Where it executed something last is no part of the
    // state.
    let counts = |place: &usize| *place == 0 || (4..20).contains(place) || *place >= (HEADER + HEADER_BYTES) / 8;
    let counted = words.enumerate().filter(|(place, _)| counts(place));
    let contents =
        counted.map(|(place, word)| (place, if place == 0 { word & 0xff_ffff_ffff ^ INITIAL_X87 } else { word }));
    // The processor may take registers for used in which there is nothing: that is the same state.
    contents.filter(|&(_, word)| word != 0).fold(hash, |hash, (place, word)| mix(mix(hash, place as u64), word))
}

/// Saves the registers.
fn save(place: *mut u8) {
    // SAFETY: the callers' buffers are aligned and have room for the parts that are asked for; the header must be zero
    // before.
    unsafe {
        place.add(HEADER).cast::<[u64; HEADER_BYTES / 8]>().write([0; HEADER_BYTES / 8]);
        asm!("xsave64 [{}]", in(reg) place, in("eax") PARTS, in("edx") 0, options(nostack));
    }
}

#[inline(never)]
fn saved(call: impl FnOnce()) {
    let mut state = MaybeUninit::<Saved>::uninit();
    let place = state.as_mut_ptr().cast::<u8>();
    save(place);
    // Other threads have values of their own, and one that starts has none.
    clear();
    call();
    // SAFETY: restores what was saved above.
    unsafe { asm!("xrstor64 [{}]", in(reg) place, in("eax") PARTS, in("edx") 0, options(nostack)) };
}

/// Brings the registers to their initial state.
#[cold]
fn clear() {
    let mut control = 0u32;
    // SAFETY: the buffer is aligned, large enough, and has the header of an initial state. The control word of vector
    // arithmetic is restored with the upper halves, whatever the header says: it stays the thread's own.
    unsafe {
        asm!(
            "stmxcsr [{control}]",
            "xrstor64 [{nothing}]",
            "ldmxcsr [{control}]",
            control = in(reg) &raw mut control,
            nothing = in(reg) NOTHING.0.as_ptr(),
            in("eax") PARTS,
            in("edx") 0,
            options(nostack),
        );
    }
}
