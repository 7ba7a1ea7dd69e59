//! A process that is stopped under ptrace: its registers, its memory, and system calls that it is made to make.

use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;

/// The instruction `syscall`.
const SYSCALL: [u8; 2] = [0x0f, 0x05];
/// System calls return errors as small negative numbers.
const MOST_ERRORS: u64 = 4095;
/// In the place of the number of a system call: the process is in none that would have to be begun again.
const NO_CALL: u64 = u64::MAX;

/// The stopped process.
pub struct Tracee {
    pid: Pid,
    memory: File,
}

impl Tracee {
    /// The process with this number, which this thread traces.
    ///
    /// # Errors
    /// Where its memory can not be opened.
    pub fn of(pid: Pid) -> io::Result<Tracee> {
        let memory = OpenOptions::new().read(true).write(true).open(format!("/proc/{pid}/mem"))?;
        Ok(Tracee { pid, memory })
    }

    /// Its process number.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Where it is, and where its stack ends.
    ///
    /// # Errors
    /// Where it is not stopped any more.
    pub fn instruction_and_stack(&self) -> io::Result<(u64, u64)> {
        let registers = ptrace::getregs(self.pid)?;
        Ok((registers.rip, registers.rsp))
    }

    /// Words of its memory.
    ///
    /// # Errors
    /// Where there is none.
    pub fn words(&self, address: u64, count: usize) -> io::Result<Vec<u64>> {
        let mut bytes = vec![0; count * 8];
        self.memory.read_exact_at(&mut bytes, address)?;
        Ok(bytes.chunks_exact(8).filter_map(|word| word.try_into().ok()).map(u64::from_ne_bytes).collect())
    }

    /// Writes words to its memory.
    ///
    /// # Errors
    /// Where there is none.
    pub fn write_words(&self, address: u64, words: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        self.memory.write_all_at(&bytes, address)
    }

    /// Has it make a system call. Registers and code are afterwards what they were before.
    ///
    /// # Errors
    /// That of the system call, or of tracing.
    pub fn call(&self, number: i64, arguments: [u64; 6]) -> io::Result<u64> {
        let before = ptrace::getregs(self.pid)?;
        let mut code = [0; SYSCALL.len()];
        self.memory.read_exact_at(&mut code, before.rip)?;
        self.memory.write_all_at(&SYSCALL, before.rip)?;
        let [rdi, rsi, rdx, r10, r8, r9] = arguments;
        let rax = number.cast_unsigned();
        ptrace::setregs(
            self.pid,
            libc::user_regs_struct { rax, rdi, rsi, rdx, r10, r8, r9, orig_rax: NO_CALL, ..before },
        )?;
        let result = self.step().and_then(|()| Ok(ptrace::getregs(self.pid)?.rax));
        self.memory.write_all_at(&code, before.rip)?;
        ptrace::setregs(self.pid, before)?;
        match result? {
            error if error.wrapping_neg() <= MOST_ERRORS && error != 0 => {
                Err(io::Error::from_raw_os_error(error.wrapping_neg() as i32))
            }
            value => Ok(value),
        }
    }

    /// Has it execute one instruction.
    fn step(&self) -> io::Result<()> {
        ptrace::step(self.pid, None)?;
        loop {
            match waitpid(self.pid, None) {
                Ok(WaitStatus::Stopped(_, Signal::SIGTRAP)) => return Ok(()),
                Err(Errno::EINTR) => {}
                Ok(status) => {
                    return Err(io::Error::other(format!("it did not stop behind an instruction: {status:?}")));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}
