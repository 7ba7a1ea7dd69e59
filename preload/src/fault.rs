//! Faults of the machine: first writes to protected pages, and crashes of the program.
//!
//! The handlers run on a stack of their own, because the stack of the fiber may be what is protected or exhausted.

use crate::{access, arena, control, evaluation, finish, heap, kernel_threads, snapshot, stack_code, sys, syscalls};
use core::ffi::{c_int, c_void};
use rscale_protocol::Ending;
use rscale_protocol::arena::STACK_GUARD;
use rscale_protocol::ending::HeapError;

const HANDLER_STACK: u64 = 256 << 10;
/// Page-fault error code: the access was a write.
const WRITE: i64 = 2;
/// Page-fault error code: an instruction was to be fetched.
const FETCH: i64 = 16;
/// `si_code` of a protection fault that no address explains.
const SENT_BY_KERNEL: c_int = 0x80;
const FATAL: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

/// Installs the handlers.
pub fn install() -> bool {
    let Some(stack) = sys::map(0, HANDLER_STACK, libc::PROT_READ | libc::PROT_WRITE) else { return false };
    snapshot::exclude(stack, stack + HANDLER_STACK);
    let alternate = libc::stack_t { ss_sp: stack as *mut c_void, ss_flags: 0, ss_size: HANDLER_STACK as usize };
    // SAFETY: the stack is a fresh mapping that lives for ever.
    if unsafe { libc::sigaltstack(&raw const alternate, core::ptr::null_mut()) } != 0 {
        return false;
    }
    syscalls::signals::read_dispositions();
    FATAL.iter().all(|&signal| handle(signal, on_fault))
        && handle(libc::SIGSYS, syscalls::trap::on_trap)
        && handle(libc::SIGSTKFLT, on_watchdog)
        // Fibers do not get this far: the filter sees the system call that sends the signal.
        && (!kernel_threads::are_used() || handle(libc::SIGABRT, on_abort))
}

/// The scheduler process finds that the program takes no step any more: this is where it is.
extern "C" fn on_watchdog(signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    if crate::world::get().running.get() && !kernel_threads::pass_on(signal) {
        // SAFETY: the kernel passes the context of the interrupted code.
        let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
        if !access::hanging::interrupt(context) {
            finish::end_at(Ending::Hang, 0, 0, &registers(context));
        }
    }
}

/// The program aborts itself.
extern "C" fn on_abort(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let world = crate::world::get();
    if world.running.get() {
        // SAFETY: the kernel passes the context of the interrupted code.
        let context = unsafe { &*context.cast::<libc::ucontext_t>() };
        let failed = world.assertion_failed.get();
        finish::end_at(if failed { Ending::Assertion } else { Ending::Abort }, 0, 0, &registers(context));
    }
}

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

fn handle(signal: c_int, handler: Handler) -> bool {
    // SAFETY: an all-zero sigaction is a valid one.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
    // SAFETY: before the snapshot; the handler has the type that SA_SIGINFO asks for.
    unsafe { libc::sigaction(signal, &raw const action, core::ptr::null_mut()) == 0 }
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both to a handler with SA_SIGINFO.
    let (info, context) = unsafe { (&*info, &mut *context.cast::<libc::ucontext_t>()) };
    // SAFETY: the signals of this handler carry an address.
    let address = unsafe { info.si_addr() } as u64;
    let is_write = context.uc_mcontext.gregs[libc::REG_ERR as usize] & WRITE != 0;
    let is_fetch = context.uc_mcontext.gregs[libc::REG_ERR as usize] & FETCH != 0;
    if signal == libc::SIGSEGV && is_write && (snapshot::make_writable(address) || access::make_writable(address)) {
        return;
    }
    if signal == libc::SIGSEGV && is_fetch && stack_code::allow(address) {
        return;
    }
    if matches!(signal, libc::SIGSEGV | libc::SIGBUS) && access::careful::recovers(context) {
        return;
    }
    let has_stepped = signal == libc::SIGTRAP && info.si_code == libc::TRAP_TRACE;
    if has_stepped && access::hanging::on_step(context) {
        return;
    }
    if signal == libc::SIGTRAP && (access::tearing::on_step(context) || goes_on_in_clone(context)) {
        return;
    }
    if signal == libc::SIGSEGV && info.si_code == SENT_BY_KERNEL && syscalls::time_stamps::emulate(context) {
        return;
    }
    if evaluation::is_under_way() {
        if signal == libc::SIGSEGV && is_fetch && evaluation::reads::enters_unwatched_code(address) {
            return;
        }
    } else if control::get().armed.get() && syscalls::signals::handle_fault(signal, info, context) {
        return;
    }
    crash(signal, address, &registers(context))
}

/// Original code that was reached in a way that nobody foresaw ends in a breakpoint: goes on with its clone.
fn goes_on_in_clone(context: &mut libc::ucontext_t) -> bool {
    let pc = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
    let clone = crate::access::region::clone_of(*pc as u64 - 1);
    if let Some(clone) = clone {
        *pc = clone as i64;
    }
    clone.is_some()
}

/// The program crashed.
fn crash(signal: c_int, address: u64, registers: &[u64; 17]) -> ! {
    if let Some(invariant) = evaluation::crashing_invariant() {
        finish::end_with(Ending::BadInvariant, invariant as u64, b"reads memory that is not there any more");
    }
    let message = explain(signal, address, registers);
    if let Some(arena) = arena::attached() {
        arena.store_text(message);
    }
    if heap::is_poison(address) || registers[..16].iter().any(|&value| address == 0 && heap::is_poison(value)) {
        finish::end_at(Ending::Memory, HeapError::UseAfterFree as u64, address, registers);
    }
    finish::end_at(Ending::Crash, signal as u64, address, registers)
}

/// The name of a signal that this file handles.
pub fn signal_name(signal: c_int) -> &'static str {
    match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        _ => "a signal",
    }
}

/// What can be said about a crash beyond its signal.
fn explain(signal: c_int, address: u64, registers: &[u64; 17]) -> &'static [u8] {
    let (stacks, end) = (control::get().stacks.get(), control::get().stacks_end.get());
    if signal != libc::SIGSEGV {
        return b"";
    }
    if (stacks..end).contains(&address) && (address - stacks) % control::get().stack_size.get() < STACK_GUARD {
        return b"stack overflow";
    }
    if address < snapshot::PAGE {
        return if registers[16] == address { b"call of a null function pointer" } else { b"null pointer" };
    }
    b""
}

/// The registers of a context in DWARF order, `rip` last.
pub fn registers(context: &libc::ucontext_t) -> [u64; 17] {
    use libc::{
        REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RAX, REG_RBP, REG_RBX, REG_RCX,
        REG_RDI, REG_RDX, REG_RIP, REG_RSI, REG_RSP,
    };
    let order = [
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11,
        REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
    ];
    order.map(|register| context.uc_mcontext.gregs[register as usize] as u64)
}
