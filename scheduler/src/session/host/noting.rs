//! What an execution shows that is no finding, but that the user should know of: each said once.

use super::Host;
use rscale_protocol::arena::Unseen;
use std::sync::atomic::Ordering::Relaxed;

/// What has been said.
#[derive(Clone, Copy, Default, Debug)]
pub struct Noted {
    end_of_heap: bool,
    exit_status: bool,
    signals: bool,
    /// Of [`Unseen`].
    memory: u32,
}

impl Host {
    /// Looks for it in the last execution, which exited with this status, if it did.
    pub(super) fn note_oddities(&mut self, status: Option<u64>) {
        // Where `malloc` has failed, that is a matter of this machine.
        if let (Some(limit), false) = (self.target().heap_limit_met(), self.noted.end_of_heap) {
            self.noted.end_of_heap = true;
            self.notes.push(format!(
                "the program asked for more memory than there is for it, {} MiB: malloc failed there",
                limit >> 20
            ));
        }
        if !self.noted.signals && self.target().arena().result.signals_handled.load(Relaxed) != 0 {
            self.noted.signals = true;
            self.notes.push(
                "threads send each other signals that are handled: a handler runs behind the step that its thread takes \
                 next, which need not be the only place where it could"
                    .into(),
            );
        }
        self.note_memory();
        // Many programs say in this way that something is wrong: a Rust program that panics, for instance.
        let status = status.filter(|&status| status != 0 && !self.rules.exit_status && !self.noted.exit_status);
        if let Some(status) = status {
            self.noted.exit_status = true;
            self.notes
                .push(format!("an execution exited with status {status}, which is a finding with --exit-status only"));
        }
    }
    /// What was done to memory that is not seen as an access of it.
    fn note_memory(&mut self) {
        let unseen = self.target().arena().result.unseen_memory.load(Relaxed) & !self.noted.memory;
        self.noted.memory |= unseen;
        if unseen & Unseen::LARGE != 0 {
            self.notes.push(
                "much memory is protected, replaced or discarded at once: in which order that and other threads' first \
                 accesses of it come is not explored"
                    .into(),
            );
        }
        if unseen & Unseen::ALIASED != 0 {
            self.notes.push(
                "a file is mapped with MAP_SHARED, and mapped again, read or written as well: that these are the same \
                 bytes is not seen, so the order of such accesses is not explored"
                    .into(),
            );
        }
    }
}
