//! Thread-local storage for fibers.
//!
//! Only glibc can make a valid `struct pthread` with its TLS block. So real threads are created once, before the
//! snapshot, and parked for ever; a fiber borrows the FS base of its parked thread, and with it `pthread_self`,
//! `errno`, `__thread` variables and everything else that hangs on it.

use crate::syscalls::process;
use crate::{arena, control, fs_base, heap, start, sys};
use core::arch::asm;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};
use rscale_protocol::{MAX_THREADS, ThreadId};

type Create = unsafe extern "C" fn(
    *mut libc::pthread_t,
    *const libc::pthread_attr_t,
    extern "C" fn(*mut c_void) -> *mut c_void,
    *mut c_void,
) -> c_int;

/// The parked threads never run on their stacks again: enough for the TLS block and one call.
const PARKED_STACK: usize = 256 << 10;

static PARKED: AtomicU32 = AtomicU32::new(0);

/// The kernel's numbers of the parked threads, where libc still has them in its thread descriptors and signals by them.
static NUMBERS: [AtomicU32; MAX_THREADS] = [const { AtomicU32::new(0) }; MAX_THREADS];
/// Where glibc keeps the number of a thread in its `struct pthread`.
const NUMBER_OFFSET: u64 = 0x2d0;

/// Prepares thread-local storage for this many threads, the main thread included; and for one more, in which functions
/// of the program can be evaluated, if there is room.
pub fn create(threads: usize, with_evaluator: bool) -> bool {
    let control = control::get();
    let wanted = threads.clamp(1, MAX_THREADS);
    let threads = (wanted + usize::from(with_evaluator)).min(MAX_THREADS);
    control.pool[0].set(fs_base::get());
    name_thread(0);
    control.pool_size.set(wanted);
    let Some(real) = start::libc_function(c"pthread_create") else { return false };
    // SAFETY: the address is that of glibc's function, which has this type.
    let real: Create = unsafe { core::mem::transmute(real) };
    let mut all_signals = core::mem::MaybeUninit::<libc::sigset_t>::uninit();
    let mut old_mask = core::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: plain calls before the snapshot; the parked threads inherit a mask that blocks every signal.
    unsafe {
        libc::sigfillset(all_signals.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, all_signals.as_ptr(), old_mask.as_mut_ptr());
    }
    let created = (1..threads).all(|index| create_one(real, index));
    // SAFETY: the old mask was filled in above.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, old_mask.as_ptr(), core::ptr::null_mut()) };
    while created && PARKED.load(SeqCst) < threads as u32 - 1 {
        let parked = PARKED.load(SeqCst);
        if parked < threads as u32 - 1 {
            sys::futex_wait(&PARKED, parked);
        }
    }
    if created && threads > wanted {
        control.evaluator_fs.set(control.pool[wanted].get());
    }
    created
}

fn create_one(real: Create, index: usize) -> bool {
    let mut thread = 0;
    let mut attributes = core::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: the attributes are initialised before use; `park` does not use its argument as a pointer.
    unsafe {
        libc::pthread_attr_init(attributes.as_mut_ptr());
        libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), PARKED_STACK);
        // Without guards the stacks are one mapping: a fork copies every mapping.
        libc::pthread_attr_setguardsize(attributes.as_mut_ptr(), 0);
        heap::apart(|| real(&raw mut thread, attributes.as_ptr(), park, index as *mut c_void)) == 0
    }
}

extern "C" fn park(index: *mut c_void) -> *mut c_void {
    control::get().pool[index as usize].set(fs_base::get());
    name_thread(index as usize);
    // From the moment it is counted the thread must not touch its stack: the snapshot protects it any time after that.
    // SAFETY: counts itself, wakes whoever waits for the count, and sleeps for ever, all in registers.
    unsafe {
        asm!(
            "lock inc dword ptr [rdi]",
            "syscall",
            "2:",
            "mov eax, {pause}",
            "syscall",
            "jmp 2b",
            pause = const libc::SYS_pause,
            in("rax") libc::SYS_futex,
            in("rdi") PARKED.as_ptr(),
            in("rsi") libc::FUTEX_WAKE,
            in("rdx") 1,
            options(noreturn, nostack),
        )
    }
}

/// Makes libc know the calling thread by the number that the program sees, if it keeps it where it is expected.
/// Otherwise the number that it has is remembered.
fn name_thread(index: usize) {
    // SAFETY: has no effect but its result.
    let number = unsafe { sys::call(libc::SYS_gettid, [0; 6]) } as i32;
    let place = (fs_base::get() + NUMBER_OFFSET) as *mut i32;
    let watched = arena::get().setup.watch_syscalls.load(SeqCst) != 0;
    // SAFETY: inside the thread descriptor, which is larger in every version of glibc.
    unsafe {
        if watched && *place == number {
            *place = process::number_of(ThreadId(index as u16));
        } else {
            NUMBERS[index].store(number as u32, SeqCst);
        }
    }
}

/// The thread whose `pthread_t` this is.
pub fn thread_of(handle: u64) -> Option<ThreadId> {
    let control = control::get();
    let index = control.pool[..control.pool_size.get()].iter().position(|base| base.get() == handle)?;
    ThreadId::from_index(index)
}

/// The thread whose number this is for the kernel.
pub fn thread_with_number(number: i32) -> Option<ThreadId> {
    let index = NUMBERS.iter().position(|known| number > 0 && known.load(SeqCst) == number as u32)?;
    ThreadId::from_index(index)
}
