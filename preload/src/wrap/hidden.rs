//! Functions with a state that libc keeps for all threads: the environment, the last broken-down time and its text, the
//! sequences of random numbers. Who comes first shows in what the others get, so each use is an access like any other.

use super::watch::watch;
use crate::access::Here;
use crate::access::clocks::Own;
use core::cell::Cell;
use core::ffi::{c_char, c_double, c_int, c_long, c_uint, c_void};
use core::ptr;

type Text = *const c_char;
type Target = *mut c_char;
type Moment = *const libc::time_t;
type Parts = *mut libc::tm;

/// Stand for the environment, and for the states of the two families of random numbers.
static ENVIRONMENT: Own<u64> = Own(Cell::new(0));
static RANDOM: Own<u64> = Own(Cell::new(0));
static RANDOM_48: Own<u64> = Own(Cell::new(0));
/// Where libc puts a broken-down time, and its text; null until it is known.
static PARTS: Own<Parts> = Own(Cell::new(ptr::null_mut()));
static TEXT: Own<Target> = Own(Cell::new(ptr::null_mut()));

/// The bytes of a time as text, with the end.
const TEXT_LENGTH: usize = 26;
/// A state of the functions with 48 bits.
const STATE_48: usize = 3 * size_of::<u16>();

fn reads_state(state: &'static Own<u64>) {
    Here::caller().reads(ptr::from_ref(state), size_of::<u64>());
}

fn writes_state(state: &'static Own<u64>) {
    Here::caller().writes(ptr::from_ref(state), size_of::<u64>());
}

/// The next random number: libc locks these itself.
fn draws() {
    Here::caller().protected().writes(&raw const RANDOM, size_of::<u64>());
}

/// Where libc puts a broken-down time. Nobody has seen it before it is asked for, so it may be overwritten then.
fn parts() -> Parts {
    if PARTS.0.get().is_null() {
        let beginning = 0;
        // SAFETY: a valid time.
        PARTS.0.set(unsafe { gmtime::libc()(&raw const beginning) });
    }
    PARTS.0.get()
}

/// The same for the text.
fn text() -> Target {
    if TEXT.0.get().is_null() {
        // SAFETY: all zeroes is a valid value of the plain structure.
        let mut beginning: libc::tm = unsafe { core::mem::zeroed() };
        beginning.tm_mday = 1;
        // SAFETY: a valid broken-down time.
        TEXT.0.set(unsafe { asctime::libc()(&raw mut beginning) });
    }
    TEXT.0.get()
}

/// A moment is broken down.
fn breaks_down(moment: Moment, to: Parts) {
    let here = Here::caller();
    here.reads(moment, size_of::<libc::time_t>());
    here.writes(to, size_of::<libc::tm>());
}

/// A broken-down time is brought into its usual form, and counted.
fn counts(parts: Parts) {
    let here = Here::caller();
    here.reads(parts, size_of::<libc::tm>());
    here.writes(parts, size_of::<libc::tm>());
}

watch! {
    /// A variable of the environment.
    fn getenv(name: Text) -> Target {
        reads_state(&ENVIRONMENT);
        // SAFETY: the arguments of the program.
        unsafe { libc()(name) }
    }

    /// The same, but for programs with more rights than their users.
    fn secure_getenv(name: Text) -> Target {
        reads_state(&ENVIRONMENT);
        // SAFETY: as above.
        unsafe { libc()(name) }
    }

    /// Sets a variable of the environment.
    fn setenv(name: Text, value: Text, overwrite: c_int) -> c_int {
        writes_state(&ENVIRONMENT);
        // SAFETY: as above.
        unsafe { libc()(name, value, overwrite) }
    }

    /// Puts a string into the environment.
    fn putenv(string: Target) -> c_int {
        writes_state(&ENVIRONMENT);
        // SAFETY: as above.
        unsafe { libc()(string) }
    }

    /// Takes a variable out of the environment.
    fn unsetenv(name: Text) -> c_int {
        writes_state(&ENVIRONMENT);
        // SAFETY: as above.
        unsafe { libc()(name) }
    }

    /// Empties the environment.
    fn clearenv() -> c_int {
        writes_state(&ENVIRONMENT);
        // SAFETY: takes nothing.
        unsafe { libc()() }
    }

    /// A moment in universal time, where libc keeps it.
    fn gmtime(moment: Moment) -> Parts {
        breaks_down(moment, parts());
        // SAFETY: the arguments of the program.
        unsafe { libc()(moment) }
    }

    /// A moment in local time, where libc keeps it.
    fn localtime(moment: Moment) -> Parts {
        breaks_down(moment, parts());
        // SAFETY: as above.
        unsafe { libc()(moment) }
    }

    /// A moment in universal time.
    fn gmtime_r(moment: Moment, to: Parts) -> Parts {
        breaks_down(moment, to);
        // SAFETY: as above.
        unsafe { libc()(moment, to) }
    }

    /// A moment in local time.
    fn localtime_r(moment: Moment, to: Parts) -> Parts {
        breaks_down(moment, to);
        // SAFETY: as above.
        unsafe { libc()(moment, to) }
    }

    /// A broken-down time as text, where libc keeps it.
    fn asctime(parts: Parts) -> Target {
        let here = Here::caller();
        here.reads(parts, size_of::<libc::tm>());
        here.writes(text(), TEXT_LENGTH);
        // SAFETY: as above.
        unsafe { libc()(parts) }
    }

    /// A moment as text, where libc keeps it.
    fn ctime(moment: Moment) -> Target {
        breaks_down(moment, parts());
        Here::caller().writes(text(), TEXT_LENGTH);
        // SAFETY: as above.
        unsafe { libc()(moment) }
    }

    /// A broken-down time in local time as a moment.
    fn mktime(parts: Parts) -> libc::time_t {
        counts(parts);
        // SAFETY: as above.
        unsafe { libc()(parts) }
    }

    /// A broken-down time in universal time as a moment.
    fn timegm(parts: Parts) -> libc::time_t {
        counts(parts);
        // SAFETY: as above.
        unsafe { libc()(parts) }
    }

    /// The next random number.
    fn rand() -> c_int {
        draws();
        // SAFETY: takes nothing.
        unsafe { libc()() }
    }

    /// The next random number.
    fn random() -> c_long {
        draws();
        // SAFETY: as above.
        unsafe { libc()() }
    }

    /// Begins a sequence of random numbers.
    fn srand(seed: c_uint) {
        draws();
        // SAFETY: any number will do.
        unsafe { libc()(seed) }
    }

    /// Begins a sequence of random numbers.
    fn srandom(seed: c_uint) {
        draws();
        // SAFETY: as above.
        unsafe { libc()(seed) }
    }

    /// The next random number of the program's own sequence.
    fn rand_r(seed: *mut c_uint) -> c_int {
        Here::caller().writes(seed, size_of::<c_uint>());
        // SAFETY: the arguments of the program.
        unsafe { libc()(seed) }
    }

    /// The next random number with 48 bits, between 0 and 1.
    fn drand48() -> c_double {
        writes_state(&RANDOM_48);
        // SAFETY: takes nothing.
        unsafe { libc()() }
    }

    /// The next one, not negative.
    fn lrand48() -> c_long {
        writes_state(&RANDOM_48);
        // SAFETY: as above.
        unsafe { libc()() }
    }

    /// The next one, of either sign.
    fn mrand48() -> c_long {
        writes_state(&RANDOM_48);
        // SAFETY: as above.
        unsafe { libc()() }
    }

    /// Begins a sequence of them.
    fn srand48(seed: c_long) {
        writes_state(&RANDOM_48);
        // SAFETY: any number will do.
        unsafe { libc()(seed) }
    }

    /// As `drand48`, of the program's own sequence.
    fn erand48(state: *mut c_void) -> c_double {
        Here::caller().writes(state, STATE_48);
        // SAFETY: the arguments of the program.
        unsafe { libc()(state) }
    }

    /// As `lrand48`, of the program's own sequence.
    fn nrand48(state: *mut c_void) -> c_long {
        Here::caller().writes(state, STATE_48);
        // SAFETY: as above.
        unsafe { libc()(state) }
    }
}
