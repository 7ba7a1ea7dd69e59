//! The mappings of the process, from `/proc/self/maps`.

use super::Range;
use crate::sys;

/// Calls `act` for every private writable mapping; stops with false where `act` does, or the list can not be read.
pub fn for_each_writable(mut act: impl FnMut(Range) -> bool) -> bool {
    for_each_mapping(|start, end, permissions| {
        let is_private_and_writable = permissions[1] == b'w' && permissions[3] == b'p';
        !is_private_and_writable || act(Range { start, end })
    })
}

/// Calls `act` for every mapping: its start, its end and its permissions, such as `r-xp`. Stops with false as above.
pub fn for_each_mapping(mut act: impl FnMut(u64, u64, [u8; 4]) -> bool) -> bool {
    let Some(descriptor) = sys::open_to_read(c"/proc/self/maps") else { return false };
    let mut lines = Lines { descriptor: descriptor as u64, buffer: [0; 4096], start: 0, end: 0 };
    let mut complete = true;
    while let Some(range) = lines.next_mapping() {
        if let Some((start, end, permissions)) = range {
            complete &= act(start, end, permissions);
        }
    }
    sys::close(descriptor);
    complete
}

/// The lines of the file, read in pieces.
struct Lines {
    descriptor: u64,
    buffer: [u8; 4096],
    start: usize,
    end: usize,
}

impl Lines {
    /// The next mapping: Some(None) if the line makes no sense, None at the end of the file.
    fn next_mapping(&mut self) -> Option<Option<Mapping>> {
        let length = loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(length) = unread.iter().position(|&byte| byte == b'\n') {
                break length;
            }
            self.read_more()?;
        };
        let line = &self.buffer[self.start..self.start + length];
        let mapping = parse(line);
        self.start += length + 1;
        Some(mapping)
    }

    fn read_more(&mut self) -> Option<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let room = &mut self.buffer[self.end..];
        // SAFETY: reads into the unused part of the buffer.
        let read = unsafe {
            sys::call(libc::SYS_read, [self.descriptor, room.as_mut_ptr() as u64, room.len() as u64, 0, 0, 0])
        };
        if read <= 0 {
            return None;
        }
        self.end += read as usize;
        Some(())
    }
}

/// Start, end and permissions.
type Mapping = (u64, u64, [u8; 4]);

/// `start-end rwxp ...`
fn parse(line: &[u8]) -> Option<Mapping> {
    let dash = line.iter().position(|&byte| byte == b'-')?;
    let space = line.iter().position(|&byte| byte == b' ')?;
    let permissions = line.get(space + 1..space + 5)?.try_into().ok()?;
    let hex = |digits: &[u8]| u64::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok();
    Some((hex(&line[..dash])?, hex(&line[dash + 1..space])?, permissions))
}
