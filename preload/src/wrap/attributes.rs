//! The attributes that a thread is created with: what glibc's `pthread_attr_t` says, and what glibc refuses.

use crate::snapshot::PAGE;
use crate::syscalls::scheduling::{Processors, Urgency, available, check};
use crate::{control, finish, sys, world};
use core::ffi::{c_int, c_void};
use rscale_protocol::arena::{MOST_STACK, STACK_GUARD};
use rscale_protocol::{Ending, ThreadId};

type Raw = libc::pthread_attr_t;

const EXPLICIT_SCHEDULING: c_int = 1;
/// No set of processors was given: glibc says all that there could be.
const ALL: Processors = [u64::MAX; size_of::<Processors>() / 8];

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const Raw, state: *mut c_int) -> c_int;
    fn pthread_attr_getinheritsched(attributes: *const Raw, inherit: *mut c_int) -> c_int;
    fn pthread_attr_getschedpolicy(attributes: *const Raw, policy: *mut c_int) -> c_int;
    fn pthread_attr_getschedparam(attributes: *const Raw, parameters: *mut c_int) -> c_int;
    fn pthread_attr_getaffinity_np(attributes: *const Raw, size: usize, set: *mut Processors) -> c_int;
}

/// How a thread is to be created.
#[derive(Default)]
pub struct Attributes {
    /// Whether nobody is going to join it.
    pub detached: bool,
    /// Where the program wants its stack to be, if it does: lowest address and end.
    pub stack: Option<(u64, u64)>,
    urgency: Option<Urgency>,
    processors: Option<Processors>,
}

impl Attributes {
    /// Schedules the new thread as wanted.
    pub fn schedule(&self, thread: ThreadId) {
        let scheduling = &world::get().scheduling;
        if let Some(urgency) = self.urgency {
            scheduling.set_urgency(thread, urgency);
        }
        if let Some(processors) = self.processors {
            scheduling.set_processors(thread, processors);
        }
    }
}

/// Reads attributes; an error number where no thread can be created with them.
pub fn read(attributes: *const Raw) -> Result<Attributes, c_int> {
    if attributes.is_null() {
        return Ok(Attributes::default());
    }
    let mut state = 0;
    // SAFETY: the program passes attributes; the function reads them and keeps no state.
    unsafe { pthread_attr_getdetachstate(attributes, &raw mut state) };
    let stack = read_stack(attributes)?;
    let processors = match read_processors(attributes) {
        ALL => None,
        wanted => Some(available(&wanted)?),
    };
    let detached = state == libc::PTHREAD_CREATE_DETACHED;
    Ok(Attributes { detached, stack, urgency: read_urgency(attributes)?, processors })
}

fn read_stack(attributes: *const Raw) -> Result<Option<(u64, u64)>, c_int> {
    let (mut low, mut size, mut guard) = (core::ptr::null_mut::<c_void>(), 0, 0);
    // SAFETY: as in `read`.
    unsafe {
        libc::pthread_attr_getstack(attributes, &raw mut low, &raw mut size);
        libc::pthread_attr_getguardsize(attributes, &raw mut guard);
    }
    // glibc gives a null end minus the size where no stack was set.
    let end = (low as u64).wrapping_add(size as u64);
    if end != 0 && low as i64 > 0 {
        return Ok(Some((low as u64, end)));
    }
    let mut size = 0;
    // SAFETY: as in `read`.
    unsafe { libc::pthread_attr_getstacksize(attributes, &raw mut size) };
    let rounded = (guard as u64).checked_next_multiple_of(PAGE);
    let whole = rounded.and_then(|guard| guard.checked_add(size as u64)).ok_or(libc::EINVAL)?;
    provide(size as u64, whole).map(|()| None)
}

/// Sees to it that stacks are of this size at least; with its guard it would take `whole`.
fn provide(size: u64, whole: u64) -> Result<(), c_int> {
    let needed = size.saturating_add(STACK_GUARD);
    if needed <= control::get().stack_size.get() && whole <= MOST_STACK {
        return Ok(());
    }
    if needed > MOST_STACK || whole > MOST_STACK || !could_be_mapped(whole) {
        return Err(libc::EAGAIN);
    }
    finish::end(Ending::NeedStack, needed)
}

/// Whether the kernel would give that much memory to a process.
fn could_be_mapped(size: u64) -> bool {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
    // SAFETY: a fresh mapping, given back at once.
    unsafe {
        let mapped = sys::call(libc::SYS_mmap, [0, size, protection, flags, u64::MAX, 0]);
        if mapped > 0 {
            sys::unmap(mapped as u64, size);
        }
        mapped > 0
    }
}

fn read_urgency(attributes: *const Raw) -> Result<Option<Urgency>, c_int> {
    let (mut inherit, mut urgency) = (0, Urgency { policy: 0, priority: 0 });
    // SAFETY: as in `read`; the parameters are the priority.
    unsafe {
        pthread_attr_getinheritsched(attributes, &raw mut inherit);
        pthread_attr_getschedpolicy(attributes, &raw mut urgency.policy);
        pthread_attr_getschedparam(attributes, &raw mut urgency.priority);
    }
    if inherit != EXPLICIT_SCHEDULING {
        return Ok(None);
    }
    let world = world::get();
    check(world.scheduling.urgency(world.current.get()), urgency)?;
    Ok(Some(urgency))
}

fn read_processors(attributes: *const Raw) -> Processors {
    let mut processors = ALL;
    // SAFETY: as in `read`; the set has room for as many as glibc knows.
    unsafe { pthread_attr_getaffinity_np(attributes, size_of::<Processors>(), &raw mut processors) };
    processors
}
