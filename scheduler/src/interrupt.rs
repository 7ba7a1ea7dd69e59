//! Ctrl-C and friends: noted, and acted on at the next good moment.
#![allow(unsafe_code)]

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// When that was, in milliseconds.
static WHEN: AtomicU64 = AtomicU64::new(0);
/// Some send a signal to the process and to its group: that is one request.
const AT_ONCE: u64 = 300;
/// Whether Ctrl-C is meant for another program on the same terminal.
static SHIELDED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(signal: i32) {
    if signal == libc::SIGINT && SHIELDED.load(Relaxed) {
        return;
    }
    let now = milliseconds();
    if !REQUESTED.swap(true, Relaxed) {
        WHEN.store(now, Relaxed);
    } else if now.saturating_sub(WHEN.load(Relaxed)) > AT_ONCE {
        // The second time, the user means it.
        // SAFETY: ends the process, with the status of an interrupted program; the child dies with its parent.
        unsafe { libc::_exit(130) };
    }
}

fn milliseconds() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to a local value; allowed in a signal handler.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
}

/// From now on, an interrupt ends the search in good order, and a limit on the size of files is an error of the write
/// that meets it.
pub fn install() {
    let ignore = SigAction::new(SigHandler::SigIgn, SaFlags::empty(), SigSet::empty());
    // SAFETY: no handler runs.
    let _ = unsafe { sigaction(Signal::SIGXFSZ, &ignore) }; // as before, the default action would end rscale
    let action = SigAction::new(SigHandler::Handler(note), SaFlags::empty(), SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // SAFETY: the handler only writes an atomic, or ends the process.
        let _ = unsafe { sigaction(signal, &action) }; // without a handler, the default action ends rscale as before
    }
}

/// Ctrl-C does nothing to rscale while this value lives.
pub struct Shield(());

/// Leaves Ctrl-C to another program on the same terminal.
#[must_use]
pub fn shield() -> Shield {
    SHIELDED.store(true, Relaxed);
    Shield(())
}

impl Drop for Shield {
    fn drop(&mut self) {
        SHIELDED.store(false, Relaxed);
    }
}

/// Whether the user asked to stop.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.load(Relaxed)
}
