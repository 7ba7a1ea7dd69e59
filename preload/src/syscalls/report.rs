//! Calls that end an execution: what the program did, in words.

use super::{Call, table};
use crate::{arena, finish};
use core::ffi::{CStr, c_char};
use core::fmt::Write;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::Ending;
use rscale_protocol::arena::Isolation;

/// Beside [`Ending::NeedIsolation`]: a fresh process per execution, without the system-call filter, which its children
/// would inherit without being able to live with it.
const WITHOUT_FILTER: u64 = 2;

/// A message that is built up without allocating.
struct Text {
    bytes: [u8; 512],
    length: usize,
}

impl Text {
    fn new(what: &str) -> Text {
        let mut text = Text { bytes: [0; 512], length: 0 };
        text.push(what.as_bytes());
        text
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = &mut self.bytes[self.length..];
        let taken = bytes.len().min(room.len());
        room[..taken].copy_from_slice(&bytes[..taken]);
        self.length += taken;
    }

    /// Adds the name of the call.
    fn with_call(mut self, call: &Call) -> Text {
        let _ = match table::name(call.number) {
            Some(name) => write!(self, " ({name})"),
            None => write!(self, " {}", call.number),
        }; // writing to the buffer can not fail
        self
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

/// Whether executions share this process, so that everything has to be undone.
pub fn executions_share_process() -> bool {
    arena::get().setup.isolation.load(Relaxed) == Isolation::Snapshot as u32
}

/// The program does what memory restore can not undo: ends the execution. Returns where every execution has a process
/// of its own.
pub fn isolate(call: &Call, what: &str) {
    if executions_share_process() {
        finish::need_isolation(Text::new(what).with_call(call).bytes());
    }
}

/// As [`isolate`], with the file that it is about.
pub fn isolate_for_file(what: &str, path: *const c_char) {
    if executions_share_process() {
        let mut text = Text::new(what);
        text.push(b": ");
        // SAFETY: the program passes a terminated path; a wrong pointer faults here and is the program's crash.
        text.push(unsafe { CStr::from_ptr(path) }.to_bytes());
        finish::need_isolation(text.bytes());
    }
}

/// The program creates a child process, or becomes another program.
pub fn child_process() -> ! {
    finish::end_with(Ending::NeedIsolation, WITHOUT_FILTER, b"creates a child process")
}

/// The program does what rscale can not control.
pub fn unsupported(call: &Call, what: &str) -> ! {
    finish::unsupported(Text::new(what).with_call(call).bytes())
}

/// The program makes a call that is not in the table.
pub fn unknown(call: &Call) -> ! {
    if call.number < 0 {
        finish::unsupported(b"makes a system call of 32-bit programs");
    }
    unsupported(call, "makes a system call that rscale does not know, number")
}
