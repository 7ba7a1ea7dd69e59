//! Semaphores, unnamed and named.
//!
//! Named semaphores exist within the tested program only: an execution begins without any, and leaves none behind. A
//! name keeps its place in a fixed table, chosen by its hash, so that the same name has the same address in every
//! interleaving. What a name refers to is shared by all threads, so opening and unlinking are steps of their own.

use super::{fail, mutex, object, with_errno, wrap, wrap_in_loops};
use crate::access::Here;
use crate::access::local;
use crate::{clock, finish, gate, world};
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_uint};
use rscale_protocol::model::Semaphore;
use rscale_protocol::{Action, Op, Variable};

type Handle = *mut libc::sem_t;

const MAX_NAMES: usize = 64;
/// `NAME_MAX`. glibc has another error for names beyond it than the kernel has for those that are a little shorter.
const MAX_FILE_NAME_LENGTH: usize = 255;
/// The longest file name less the `sem.` that glibc puts before it.
const MAX_NAME_LENGTH: usize = 251;
/// The value of a step that looks at a semaphore and leaves it as it is: the model refuses it without effect.
const LOOK: c_uint = c_uint::MAX;

/// A place for a named semaphore.
struct Named {
    semaphore: Cell<[u64; 4]>,
    /// The name, padded with zeroes; empty for a place that no name refers to.
    name: Cell<[u8; MAX_NAME_LENGTH + 1]>,
    /// Whether the name exists.
    linked: Cell<bool>,
    /// How often it is open.
    open: Cell<u32>,
}

/// The named semaphores.
pub struct Names([Named; MAX_NAMES]);

impl Names {
    /// None.
    pub const fn new() -> Names {
        Names(
            [const {
                Named {
                    semaphore: Cell::new([0; 4]),
                    name: Cell::new([0; MAX_NAME_LENGTH + 1]),
                    linked: Cell::new(false),
                    open: Cell::new(0),
                }
            }; MAX_NAMES],
        )
    }

    /// The place of a name; it is the name's from now on.
    fn place_of(&self, name: &[u8; MAX_NAME_LENGTH + 1]) -> &Named {
        let hash = name.iter().fold(0usize, |hash, &byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        let probes = (0..MAX_NAMES).map(|step| &self.0[(hash + step) % MAX_NAMES]);
        let place = probes.clone().find(|place| place.name.get() == *name);
        let Some(place) = place.or_else(|| probes.clone().find(|place| place.is_unused())) else {
            finish::unsupported(b"more than 64 named semaphores");
        };
        place.name.set(*name);
        place
    }

    fn at(&self, semaphore: Handle) -> Option<&Named> {
        self.0.iter().find(|place| place.handle() == semaphore && place.open.get() > 0)
    }
}

impl Named {
    fn handle(&self) -> Handle {
        self.semaphore.as_ptr().cast()
    }

    fn is_unused(&self) -> bool {
        self.name.get()[0] == 0 && self.open.get() == 0
    }

    /// Opens it, or creates it with this value: the result is an error number.
    fn open(&self, flags: c_int, value: c_uint) -> c_int {
        let error = match (self.linked.get(), flags & libc::O_CREAT != 0) {
            (true, true) if flags & libc::O_EXCL != 0 => libc::EEXIST,
            (false, false) => libc::ENOENT,
            (false, true) if value > Semaphore::MAX => libc::EINVAL,
            _ => 0,
        };
        if error == 0 {
            self.linked.set(true);
            self.open.set(self.open.get() + 1);
        }
        error
    }

    /// Takes the name away: the result is an error number. Who has it open keeps it.
    fn unlink(&self) -> c_int {
        if !self.linked.replace(false) {
            return libc::ENOENT;
        }
        if self.open.get() > 0 {
            self.name.set([0; MAX_NAME_LENGTH + 1]);
        }
        0
    }
}

/// The name that the program passes, or an error number.
fn read_name(name: *const c_char) -> Result<[u8; MAX_NAME_LENGTH + 1], c_int> {
    // SAFETY: the program passes a terminated string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let start = name.iter().position(|&byte| byte != b'/').unwrap_or(name.len());
    let name = &name[start..];
    if name.is_empty() || name.contains(&b'/') || name.len() > MAX_FILE_NAME_LENGTH {
        return Err(libc::EINVAL);
    }
    let mut padded = [0; MAX_NAME_LENGTH + 1];
    let room = padded[..MAX_NAME_LENGTH].get_mut(..name.len()).ok_or(libc::ENAMETOOLONG)?;
    room.copy_from_slice(name);
    Ok(padded)
}

/// Looks up a name as a step of its own, and does what `act` says at that moment; `act` may also change the step.
fn on_name(name: *const c_char, act: impl Fn(&'static Named, &mut Action) -> c_int) -> Result<Handle, c_int> {
    let name = read_name(name)?;
    let names = &world::get().library.named_semaphores;
    let step = Action { count: LOOK, ..gate::action_at(Op::SemInit, names.place_of(&name).handle()) };
    let mut result = Ok(core::ptr::null_mut());
    gate::pass_with(step, |step| {
        let place = names.place_of(&name);
        step.object = Variable(place.handle() as u64);
        let error = act(place, step);
        result = if error == 0 { Ok(place.handle()) } else { Err(error) };
    });
    result
}

fn open(name: *const c_char, flags: c_int, value: c_uint) -> Result<Handle, c_int> {
    on_name(name, |place, step| {
        let existed = place.linked.get();
        let error = place.open(flags, value);
        if error == 0 && !existed {
            step.count = value;
        }
        error
    })
}

fn operate(op: Op, semaphore: Handle) -> c_int {
    object::check_memory(semaphore);
    with_errno(gate::pass(gate::action_at(op, semaphore)))
}

fn wait_action(semaphore: Handle) -> Action {
    object::check_memory(semaphore);
    Action { flags: Action::CANCELLATION_POINT, ..gate::action_at(Op::SemWait, semaphore) }
}

/// Waits, or gives up when the clock shows the time. As in glibc, the time is checked before anything else.
fn wait_until(semaphore: Handle, clock: c_int, time: *const libc::timespec) -> c_int {
    // SAFETY: the program passes a time; a wrong pointer faults here as it would in libc.
    match clock::deadline(clock, unsafe { &*time }) {
        Some(deadline) => with_errno(gate::pass(Action { deadline, ..wait_action(semaphore) })),
        None => fail(libc::EINVAL),
    }
}

wrap_in_loops! {
    /// Lowers the value if it is positive.
    fn sem_trywait(semaphore: Handle) -> c_int {
        object::check_memory(semaphore);
        with_errno(local::pass_in_loop(gate::action_at(Op::SemTryWait, semaphore)))
    }
}

wrap! {
    /// Makes a semaphore.
    fn sem_init(semaphore: Handle, _shared: c_int, value: c_uint) -> c_int {
        object::check_memory(semaphore);
        with_errno(gate::pass(Action { count: value, ..gate::action_at(Op::SemInit, semaphore) }))
    }

    /// Ends the life of a semaphore.
    fn sem_destroy(semaphore: Handle) -> c_int {
        operate(Op::SemDestroy, semaphore)
    }

    /// Waits until the value is positive and lowers it.
    fn sem_wait(semaphore: Handle) -> c_int {
        with_errno(gate::pass(wait_action(semaphore)))
    }

    /// Waits, or gives up at a time.
    fn sem_timedwait(semaphore: Handle, time: *const libc::timespec) -> c_int {
        wait_until(semaphore, libc::CLOCK_REALTIME, time)
    }

    /// Waits, or gives up at a time of the given clock.
    fn sem_clockwait(semaphore: Handle, clock: c_int, time: *const libc::timespec) -> c_int {
        if mutex::is_clock(clock) { wait_until(semaphore, clock, time) } else { fail(libc::EINVAL) }
    }

    /// Raises the value.
    fn sem_post(semaphore: Handle) -> c_int {
        operate(Op::SemPost, semaphore)
    }

    /// Reads the value.
    fn sem_getvalue(semaphore: Handle, value: *mut c_int) -> c_int {
        object::check_memory(semaphore);
        let result = gate::pass(gate::action_at(Op::SemGetValue, semaphore));
        Here::caller().stores(value, result);
        0
    }

    /// Opens a named semaphore. In C the last two arguments are there only with `O_CREAT`, and only then are they read.
    fn sem_open(name: *const c_char, flags: c_int, _mode: c_uint, value: c_uint) -> Handle {
        open(name, flags, value).unwrap_or_else(|error| {
            fail(error);
            libc::SEM_FAILED
        })
    }

    /// Closes a named semaphore.
    fn sem_close(semaphore: Handle) -> c_int {
        let Some(place) = world::get().library.named_semaphores.at(semaphore) else { return fail(libc::EINVAL) };
        place.open.set(place.open.get() - 1);
        0
    }

    /// Takes away the name of a semaphore.
    fn sem_unlink(name: *const c_char) -> c_int {
        match on_name(name, |place, _| place.unlink()) {
            // A name that no semaphore can have is one that none has.
            Err(libc::EINVAL | libc::ENAMETOOLONG) => fail(libc::ENOENT),
            result => with_errno(result.err().unwrap_or(0)),
        }
    }
}
