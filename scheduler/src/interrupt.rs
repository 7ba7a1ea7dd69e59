//! Ctrl-C and friends: noted, and acted on at the next good moment.
#![allow(unsafe_code)]

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static REQUESTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: i32) {
    // The second time, the user means it: the default action takes over.
    if REQUESTED.swap(true, Relaxed) {
        // SAFETY: ends the process, with the status of an interrupted program; the child dies with its parent.
        unsafe { libc::_exit(130) };
    }
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

/// Whether the user asked to stop.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.load(Relaxed)
}
