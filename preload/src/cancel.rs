//! Ending a thread from the middle: `pthread_exit` and cancellation.
//!
//! The stack is unwound with libgcc's forced unwinding, so that C++ destructors and cleanup handlers run; the C variant
//! of `pthread_cleanup_push` registers buffers, to which the unwinding jumps as it passes their frames. Without
//! libgcc (a C program that never asked for it), only the buffers are visited.

use crate::{start, world, wrap};
use core::cell::Cell;
use core::ffi::{c_int, c_void};

/// glibc's `PTHREAD_CANCELED`.
const CANCELED: u64 = u64::MAX;
/// `_URC_NO_REASON`.
const GO_ON: c_int = 0;
/// `_UA_END_OF_STACK`.
const END_OF_STACK: c_int = 16;

/// What the C library's `pthread_cleanup_push` puts on the stack: a jump buffer, then private words.
#[repr(C)]
pub struct CleanupBuffer {
    jump: [u64; 8],
    mask_was_saved: u64,
    outer: u64,
    unused: u64,
    /// The cancellation type to restore, for buffers that change it.
    pub kind: u64,
    reserved: u64,
}

/// What `_pthread_cleanup_push` of old programs puts on the stack.
#[repr(C)]
pub struct RoutineBuffer {
    routine: u64,
    argument: u64,
    kind: c_int,
    outer: u64,
}

/// Marks an entry of a thread's list of buffers as a [`RoutineBuffer`].
const IS_ROUTINE: u64 = 1;

/// libgcc's `struct _Unwind_Exception`.
#[repr(C, align(16))]
struct Exception {
    class: u64,
    cleanup: u64,
    private: [u64; 2],
}

type Stop = extern "C" fn(c_int, c_int, u64, *mut Exception, *mut c_void, *mut c_void) -> c_int;
type ForcedUnwind = unsafe extern "C" fn(*mut Exception, Stop, *mut c_void) -> c_int;
type FrameAddress = unsafe extern "C" fn(*mut c_void) -> u64;
type Jump = unsafe extern "C" fn(*mut c_void, c_int) -> !;

struct Unwinder {
    forced_unwind: Cell<u64>,
    frame_address: Cell<u64>,
    jump: Cell<u64>,
}

// SAFETY: filled before the snapshot, read by the kernel thread that runs the program.
unsafe impl Sync for Unwinder {}

static UNWINDER: Unwinder = Unwinder { forced_unwind: Cell::new(0), frame_address: Cell::new(0), jump: Cell::new(0) };

/// Finds the functions that unwinding needs; loads libgcc for them where the program may end threads in the middle.
pub fn load_unwinder(wanted: bool) {
    let jump = start::libc_function(c"_longjmp").or_else(|| start::libc_function(c"longjmp"));
    UNWINDER.jump.set(jump.unwrap_or(0) as u64);
    if !wanted {
        return;
    }
    // SAFETY: before the snapshot; loads a library and looks up two of its functions.
    unsafe {
        let library = libc::dlopen(c"libgcc_s.so.1".as_ptr(), libc::RTLD_NOW);
        if !library.is_null() {
            UNWINDER.forced_unwind.set(libc::dlsym(library, c"_Unwind_ForcedUnwind".as_ptr()) as u64);
            UNWINDER.frame_address.set(libc::dlsym(library, c"_Unwind_GetCFA".as_ptr()) as u64);
        }
    }
}

/// The running thread acts on a request to cancel it.
pub fn act() -> ! {
    let world = world::get();
    let thread = world.current.get();
    world.model(|model| model.threads.get_mut(thread).cancellation.disabled = true);
    unwind(CANCELED)
}

/// Ends the running thread with this result, unwinding its stack first.
pub fn unwind(result: u64) -> ! {
    let fiber = world::get().fiber();
    fiber.result.set(result);
    fiber.ending.set(true);
    go_on()
}

/// Goes on with the unwinding, from the cleanup buffer that was visited last.
pub fn go_on() -> ! {
    let unwinder = &UNWINDER;
    if unwinder.forced_unwind.get() != 0 && unwinder.frame_address.get() != 0 {
        let exception = exception_of_thread();
        // SAFETY: libgcc's function; the exception outlives the unwinding, which never returns here on success.
        unsafe {
            let forced: ForcedUnwind = core::mem::transmute(unwinder.forced_unwind.get() as usize);
            forced(exception, stop_at, core::ptr::null_mut());
        }
    }
    clean_up_below(u64::MAX);
    wrap::thread::end_thread()
}

/// One exception object per thread, at the far end of its stack: it must live while the stack is unwound.
fn exception_of_thread() -> *mut Exception {
    let low = world::get().fiber().stack.get().0;
    let exception = low.next_multiple_of(align_of::<Exception>() as u64) as *mut Exception;
    // SAFETY: the lowest bytes of the thread's own stack, which nobody can use without overflowing it.
    unsafe { exception.write(Exception { class: 0, cleanup: 0, private: [0; 2] }) };
    exception
}

/// Called by the unwinder for every frame.
extern "C" fn stop_at(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut Exception,
    context: *mut c_void,
    _argument: *mut c_void,
) -> c_int {
    // SAFETY: libgcc's function, with the context that libgcc passed.
    let frame = unsafe {
        let frame_address: FrameAddress = core::mem::transmute(UNWINDER.frame_address.get() as usize);
        frame_address(context)
    };
    let at_the_end = actions & END_OF_STACK != 0 || !world::get().fiber().owns_stack_address(frame);
    clean_up_below(if at_the_end { u64::MAX } else { frame });
    if at_the_end {
        wrap::thread::end_thread();
    }
    GO_ON
}

/// Leaves the frames below this address: calls their handlers, or jumps to them, the innermost first.
fn clean_up_below(limit: u64) {
    let innermost = &world::get().fiber().cleanup;
    loop {
        let entry = innermost.get();
        let address = entry & !IS_ROUTINE;
        let is_below = (1..limit).contains(&address);
        wrap::once::abandon_below(if is_below { address } else { limit });
        if !is_below {
            return;
        }
        if entry & IS_ROUTINE != 0 {
            unregister_routine(address as *mut RoutineBuffer, true);
        } else {
            jump_to(address as *mut CleanupBuffer);
        }
    }
}

/// Runs the handler behind a buffer; it comes back with `__pthread_unwind_next`.
fn jump_to(buffer: *mut CleanupBuffer) -> ! {
    unregister(buffer);
    // SAFETY: the program registered the buffer and has not left its frame, or it would have unregistered it. The jump
    // leads into that frame.
    unsafe {
        let jump: Jump = core::mem::transmute(UNWINDER.jump.get() as usize);
        jump(buffer.cast(), 1)
    }
}

/// `pthread_cleanup_push` of C.
pub fn register(buffer: *mut CleanupBuffer) {
    let innermost = &world::get().fiber().cleanup;
    // SAFETY: the program passes a buffer on its stack.
    unsafe { (*buffer).outer = innermost.get() };
    innermost.set(buffer as u64);
}

/// `pthread_cleanup_pop` of C.
pub fn unregister(buffer: *mut CleanupBuffer) {
    // SAFETY: as in `register`.
    world::get().fiber().cleanup.set(unsafe { (*buffer).outer });
}

/// `pthread_cleanup_push` of old programs; `kind` is the cancellation type to restore.
pub fn register_routine(buffer: *mut RoutineBuffer, routine: u64, argument: u64, kind: c_int) {
    let innermost = &world::get().fiber().cleanup;
    // SAFETY: as in `register`.
    unsafe { buffer.write(RoutineBuffer { routine, argument, kind, outer: innermost.get() }) };
    innermost.set(buffer as u64 | IS_ROUTINE);
}

/// `pthread_cleanup_pop` of old programs; returns the cancellation type to restore.
pub fn unregister_routine(buffer: *mut RoutineBuffer, execute: bool) -> c_int {
    // SAFETY: as in `register`.
    let (outer, kind) = unsafe { ((*buffer).outer, (*buffer).kind) };
    world::get().fiber().cleanup.set(outer);
    if execute {
        call_routine(buffer);
    }
    kind
}

/// Calls the handler of an old program.
pub fn call_routine(buffer: *mut RoutineBuffer) {
    // SAFETY: the buffer holds what the program registered: a handler and its argument.
    unsafe {
        let routine: extern "C" fn(u64) = core::mem::transmute((*buffer).routine as usize);
        routine((*buffer).argument);
    }
}
