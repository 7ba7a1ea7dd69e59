//! Messages that are built up without allocating.

use core::fmt::{Result, Write};

/// A text of at most so many bytes; what does not fit is left out.
pub struct Message<const CAPACITY: usize> {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl<const CAPACITY: usize> Message<CAPACITY> {
    /// No text.
    pub const fn new() -> Self {
        Message { bytes: [0; CAPACITY], length: 0 }
    }

    /// The text of a format.
    pub fn of(text: core::fmt::Arguments<'_>) -> Self {
        let mut message = Self::new();
        let _ = message.write_fmt(text); // writing to the buffer can not fail
        message
    }

    /// The text so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl<const CAPACITY: usize> Write for Message<CAPACITY> {
    fn write_str(&mut self, text: &str) -> Result {
        let room = &mut self.bytes[self.length..];
        let taken = text.len().min(room.len());
        room[..taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken;
        Ok(())
    }
}
