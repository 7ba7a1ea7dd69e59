//! Start-up: between the loader and `main`.
//!
//! `__libc_start_main` is the hook. Without an arena the program runs as if the shim were not there. With one, `main`
//! is replaced by [`before_main`], which runs after the constructors: it prepares threads, stacks and handlers, takes
//! the snapshot, and from then on serves the scheduler process.

use crate::wrap::process::exit_process;
use crate::{
    access, arena, checkpoint, control, fault, fiber, finish, fs_base, kernel_threads, query, snapshot, switch, sys,
    syscalls, tls_pool,
};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{ARENA_VARIABLE, Isolation};
use rscale_protocol::{Ending, MAX_THREADS, ThreadId};

type Main = extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;
type StartMain =
    unsafe extern "C" fn(Main, c_int, *mut *mut c_char, *mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int;

const CONTROL_STACK: u64 = 1 << 20;

/// The libc function of this name behind the shim's own. Only before the snapshot: it keeps state.
pub fn libc_function(name: &CStr) -> Option<usize> {
    // SAFETY: looks up a symbol.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) } as usize;
    (address != 0).then_some(address)
}

/// # Safety
/// Called by the start code of the program, as glibc's function of the same name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __libc_start_main(
    main: Main,
    argument_count: c_int,
    arguments: *mut *mut c_char,
    init: *mut c_void,
    fini: *mut c_void,
    loader_fini: *mut c_void,
    stack_end: *mut c_void,
) -> c_int {
    crate::wrap::real::find_all();
    let Some(real) = libc_function(c"__libc_start_main") else { sys::exit_group(127) };
    // SAFETY: the address is that of glibc's function, which has this type.
    let real: StartMain = unsafe { core::mem::transmute(real) };
    control::get().fsgsbase.set(fs_base::instructions_available());
    let program = &control::get().program;
    program.main.set(main as usize as u64);
    if !attach_arena() {
        // SAFETY: the arguments are those the start code gave.
        return unsafe { real(main, argument_count, arguments, init, fini, loader_fini, stack_end) };
    }
    crate::image::prepare();
    crate::wrap::process::register_last_exit_handler();
    program.start.set([real as usize as u64, init as u64, fini as u64, loader_fini as u64, stack_end as u64]);
    if arena::get().setup.before_constructors.load(Relaxed) != 0 {
        // SAFETY: the environment follows the arguments and their terminator.
        let environment = unsafe { arguments.add(argument_count as usize + 1) };
        return before_main(argument_count, arguments, environment);
    }
    // SAFETY: as above, with another main.
    unsafe { real(before_main, argument_count, arguments, init, fini, loader_fini, stack_end) }
}

/// Maps the arena that the environment names, and closes the descriptors that the program is not to see.
fn attach_arena() -> bool {
    let mut name = [0u8; 32];
    name[..ARENA_VARIABLE.len()].copy_from_slice(ARENA_VARIABLE.as_bytes());
    // SAFETY: the name is terminated; the environment has been set up by the loader.
    let value = unsafe { libc::getenv(name.as_ptr().cast()) };
    if value.is_null() {
        return false;
    }
    // SAFETY: getenv returns a terminated string.
    let value = unsafe { CStr::from_ptr(value) }.to_bytes();
    let mut descriptors = value.split(|&byte| byte == b',').map(parse_number);
    let attached = descriptors.next().flatten().is_some_and(|descriptor| {
        let attached = arena::attach(descriptor);
        close(descriptor);
        attached
    });
    if !attached {
        sys::exit_group(124); // the scheduler process names this status: shim and rscale do not belong together
    }
    let mut rest = descriptors.flatten();
    rest.next().inspect(|&shim| close(shim));
    let regions = rest.next();
    let installed = match regions {
        Some(regions) if arena::get().setup.instrument.load(Relaxed) != 0 => access::install(regions),
        _ => Ok(()),
    };
    regions.inspect(|&regions| close(regions));
    if let Err(what) = installed {
        finish::end_with(Ending::Internal, 0, what);
    }
    true
}

fn parse_number(digits: &[u8]) -> Option<i32> {
    core::str::from_utf8(digits).ok()?.parse().ok()
}

fn close(descriptor: i32) {
    // SAFETY: the descriptors that the scheduler process passed are the shim's own.
    unsafe { libc::close(descriptor) };
}

/// Takes the place of `main`.
extern "C" fn before_main(argument_count: c_int, arguments: *mut *mut c_char, environment: *mut *mut c_char) -> c_int {
    let control = control::get();
    // SAFETY: the environment is the terminated array that the start code passed.
    unsafe { hide_from_environment(environment) };
    control.program.argument_count.set(argument_count);
    control.program.arguments.set(arguments as u64);
    control.program.environment.set(environment as u64);
    // SAFETY: has no effect but its result.
    control.pid.set(unsafe { libc::getpid() });
    arena::get().setup.pid.store(control.pid.get() as u32, Relaxed);
    crate::wrap::process::find_libc_functions();
    control.stream_allocator.set(libc_function(c"_IO_file_doallocate").unwrap_or(0) as u64);
    if let Err(what) = prepare() {
        finish::end_with(Ending::Internal, 0, what);
    }
    if kernel_threads::are_used() {
        control.own_fs.set(fs_base::get());
        kernel_threads::run_program();
    }
    let Some(stack) = sys::map(0, CONTROL_STACK, libc::PROT_READ | libc::PROT_WRITE) else {
        finish::end_with(Ending::Internal, 0, b"no memory for the stack of the shim");
    };
    snapshot::exclude(stack, stack + CONTROL_STACK);
    control.own_fs.set(fs_base::get());
    let mut unused = 0;
    // SAFETY: the stack is fresh. The stack of this call is left for good.
    unsafe { switch::switch(&raw mut unused, switch::prepare(stack + CONTROL_STACK, arm_and_serve)) };
    0
}

/// Everything that must exist before the snapshot.
fn prepare() -> Result<(), &'static [u8]> {
    let setup = &arena::get().setup;
    crate::random::seed(setup.seed.load(Relaxed));
    crate::cancel::load_unwinder(setup.unwinder.load(Relaxed) != 0);
    let threads = match kernel_threads::are_used() {
        true => MAX_THREADS,
        false => (setup.thread_pool.load(Relaxed) as usize).clamp(1, MAX_THREADS),
    };
    if !fiber::map_stacks(threads) {
        return Err(b"no memory for the stacks of the threads");
    }
    kernel_threads::prepare();
    let evaluates = setup.evaluates.load(Relaxed) != 0;
    if !kernel_threads::are_used() && !tls_pool::create(threads, evaluates) {
        return Err(b"could not create the threads of the pool");
    }
    if evaluates {
        crate::evaluation::prepare();
    }
    if !fault::install() {
        return Err(b"could not install the signal handlers");
    }
    Ok(())
}

/// Takes the snapshot and serves commands. From here on the shim runs on its own stack.
extern "C" fn arm_and_serve() -> ! {
    crate::heap::mark_start_of_main();
    // A process that runs one execution has nothing to go back to: its memory stays writable.
    let is_restored = arena::get().setup.isolation.load(Relaxed) == Isolation::Snapshot as u32;
    checkpoint::prepare();
    if is_restored && !snapshot::take() {
        finish::end_with(Ending::Internal, 0, b"could not write-protect the memory of the program");
    }
    if arena::get().setup.watch_syscalls.load(Relaxed) != 0 {
        syscalls::prepare();
        if !syscalls::filter::install() {
            finish::end_with(Ending::Internal, 0, b"could not install the system-call filter");
        }
    }
    control::get().armed.set(true);
    query::serve()
}

/// Makes the main thread exist, about to call `main`.
pub fn create_main_fiber() {
    fiber::create(ThreadId::MAIN, control::get().program.main.get(), 0, None);
}

/// The body of the main thread: `main`, or the constructors and then `main`.
pub fn run_main() -> ! {
    if arena::get().setup.before_constructors.load(Relaxed) == 0 {
        exit_process(call_main());
    }
    let program = &control::get().program;
    let [real, init, fini, loader_fini, stack_end] = program.start.get();
    // SAFETY: glibc's function, called for the first time in this execution, with what the start code passed.
    unsafe {
        let real: StartMain = core::mem::transmute(real as usize);
        let arguments = program.arguments.get() as *mut *mut c_char;
        let pointers = [init, fini, loader_fini, stack_end].map(|address| address as *mut c_void);
        real(
            main_after_constructors,
            program.argument_count.get(),
            arguments,
            pointers[0],
            pointers[1],
            pointers[2],
            pointers[3],
        );
    }
    exit_process(0)
}

extern "C" fn main_after_constructors(_: c_int, _: *mut *mut c_char, _: *mut *mut c_char) -> c_int {
    exit_process(call_main())
}

/// Calls the program's `main`.
fn call_main() -> i32 {
    let program = &control::get().program;
    // SAFETY: the address came as `main` from the start code, with these arguments.
    let main: Main = unsafe { core::mem::transmute(program.main.get() as usize) };
    main(
        program.argument_count.get(),
        program.arguments.get() as *mut *mut c_char,
        program.environment.get() as *mut *mut c_char,
    )
}

/// Takes out of the environment what rscale put there: the program and its children must not see it.
///
/// # Safety
/// `environment` must be a terminated array of terminated strings that may be changed.
unsafe fn hide_from_environment(environment: *mut *mut c_char) {
    let mut kept = 0;
    let mut index = 0;
    loop {
        // SAFETY: the array is terminated, and `index` has not passed the end.
        let entry = unsafe { *environment.add(index) };
        if entry.is_null() {
            break;
        }
        // SAFETY: entries are terminated strings that may be changed.
        if unsafe { without_own_part(entry) } {
            // SAFETY: `kept` is at most `index`.
            unsafe { *environment.add(kept) = entry };
            kept += 1;
        }
        index += 1;
    }
    // SAFETY: as above.
    unsafe { *environment.add(kept) = core::ptr::null_mut() };
}

/// Cuts rscale's part out of an entry of the environment; false if nothing is left.
///
/// # Safety
/// `entry` must be a terminated string that may be changed.
unsafe fn without_own_part(entry: *mut c_char) -> bool {
    // SAFETY: as the caller promises.
    let bytes = unsafe { CStr::from_ptr(entry) }.to_bytes();
    if bytes.starts_with(ARENA_VARIABLE.as_bytes()) {
        return false;
    }
    for name in [&b"LD_PRELOAD="[..], b"GLIBC_TUNABLES="] {
        if !bytes.starts_with(name) {
            continue;
        }
        // rscale's part comes first; what follows a colon is the user's.
        let Some(colon) = bytes.iter().position(|&byte| byte == b':') else { return false };
        let rest = bytes.len() - colon; // the terminator included
        // SAFETY: both ranges lie in the string; copy allows overlap.
        unsafe { core::ptr::copy(entry.add(colon + 1), entry.add(name.len()), rest) };
    }
    true
}
