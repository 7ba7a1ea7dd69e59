//! Reading the memory of the program, to walk stacks and look at variables.

use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use std::io::IoSliceMut;

/// The memory of a process.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pid: Pid,
}

impl Memory {
    /// The memory of the process with this number.
    #[must_use]
    pub fn of(pid: Pid) -> Memory {
        Memory { pid }
    }

    /// The process.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Fills the buffer from an address; false if not all of it can be read.
    #[must_use]
    pub fn read(&self, address: u64, buffer: &mut [u8]) -> bool {
        let length = buffer.len();
        let remote = [RemoteIoVec { base: address as usize, len: length }];
        process_vm_readv(self.pid, &mut [IoSliceMut::new(buffer)], &remote) == Ok(length)
    }

    /// The word at an address.
    #[must_use]
    pub fn word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes).then(|| u64::from_ne_bytes(bytes))
    }
}
