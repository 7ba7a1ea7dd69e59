//! The debuggers: which program is started, and how.

use crate::exit::Failure;
use crate::launch;
use crate::session::Debuggee;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

/// The variable with which the user names another gdb.
const GDB_VARIABLE: &str = "RSCALE_GDB";
/// The variable that tells the commands which process to attach to.
const DEBUGGEE_VARIABLE: &str = "RSCALE_DEBUGGEE";

/// What the user wants to debug with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Front {
    /// gdb, here.
    Gdb,
    /// gdbserver at an address, for a gdb elsewhere.
    Server(Address),
}

/// Where gdbserver listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address(String);

impl std::str::FromStr for Address {
    type Err = String;

    /// `PORT` of this machine, or `HOST:PORT`; nobody else is to reach the port unless the user says so.
    fn from_str(text: &str) -> Result<Address, String> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("localhost", text));
        match port.parse::<u16>() {
            Ok(port) if port > 0 => Ok(Address(format!("{host}:{port}"))),
            _ => Err("give a port between 1 and 65535, or HOST:PORT".into()),
        }
    }
}

/// A debugger that is there.
pub struct Tool {
    program: OsString,
    front: Front,
    /// Whether it runs Python, which the commands are written in.
    has_python: bool,
}

impl Tool {
    /// Finds the debugger that the user wants.
    ///
    /// # Errors
    /// Where it is not installed.
    pub fn find(front: &Front) -> Result<Tool, Failure> {
        let (program, package) = match front {
            Front::Gdb => (env::var_os(GDB_VARIABLE).unwrap_or_else(|| "gdb".into()), "gdb"),
            Front::Server(_) => ("gdbserver".into(), "gdbserver"),
        };
        let version = Command::new(&program).arg("--version").stdin(Stdio::null()).output();
        if let Err(cause) = version {
            return Err(missing(&program, package, &cause));
        }
        let has_python = *front == Front::Gdb && runs_python(&program);
        Ok(Tool { program, front: front.clone(), has_python })
    }

    /// Starts it on the program, which waits.
    ///
    /// # Errors
    /// Where that is not possible.
    pub fn start(&self, debuggee: &Debuggee, directory: &Path) -> Result<Child, Failure> {
        let mut command = Command::new(&self.program);
        let pid = debuggee.pid().to_string();
        match &self.front {
            Front::Gdb if self.has_python => {
                command.arg("-q").arg("-x").arg(directory.join(super::COMMANDS_FILE)).arg(debuggee.executable());
                command.env(DEBUGGEE_VARIABLE, &pid);
            }
            Front::Gdb => {
                command.arg("-q").arg("-p").arg(&pid).arg(debuggee.executable());
            }
            Front::Server(address) => {
                command.arg("--once").arg("--attach").arg(&address.0).arg(&pid);
                command.stdin(Stdio::null()).stdout(Stdio::null());
                launch::end_with_parent(&mut command);
            }
        }
        command.spawn().map_err(|cause| missing(&self.program, &self.program.to_string_lossy(), &cause))
    }

    /// Whether it is a server, which ends with the process that it was started for.
    #[must_use]
    pub fn is_server(&self) -> bool {
        self.front != Front::Gdb
    }

    /// Whether Ctrl-C is meant for it, and not for rscale.
    #[must_use]
    pub fn takes_interrupts(&self) -> bool {
        !self.is_server()
    }

    /// What the user has to know once it holds the program.
    #[must_use]
    pub fn announcement(&self, commands: &Path) -> Option<String> {
        match &self.front {
            Front::Server(Address(address)) => Some(format!(
                "gdbserver waits for a gdb, which is told:\n  target remote {address}\n  source {}\n",
                commands.display()
            )),
            Front::Gdb if !self.has_python => Some(
                "this gdb runs no Python: rscale-step and rscale-back are missing; choose a step with --break\n".into(),
            ),
            Front::Gdb => None,
        }
    }

    /// It ended without having attached.
    #[must_use]
    pub fn refused(&self, status: ExitStatus) -> Failure {
        let name = self.program.to_string_lossy();
        Failure::CannotRun(format!(
            "{name} could not attach to the program ({status}): what it says stands above; in a container, allow ptrace \
             (--cap-add=SYS_PTRACE), or see `rscale doctor`"
        ))
    }
}

fn missing(program: &OsString, package: &str, cause: &io::Error) -> Failure {
    let name = program.to_string_lossy();
    let advice = match cause.kind() {
        io::ErrorKind::NotFound => format!("; install it (package {package})"),
        _ => String::new(),
    };
    Failure::CannotRun(format!("can not run {name}: {cause}{advice}"))
}

/// Whether this gdb was built with Python.
fn runs_python(program: &OsString) -> bool {
    let mut command = Command::new(program);
    command.args(["-nx", "-batch", "-ex", "python print('yes')"]).stdin(Stdio::null());
    command.output().is_ok_and(|output| output.stdout.starts_with(b"yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_those_of_this_machine_unless_said_otherwise() {
        let address = |text: &str| text.parse::<Address>().map(|address| address.0);
        assert_eq!(address("2345").as_deref(), Ok("localhost:2345"));
        assert_eq!(address("0.0.0.0:80").as_deref(), Ok("0.0.0.0:80"));
        for wrong in ["", "0", "x", "localhost:", "70000", "host:0"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_debugger_that_is_not_there_is_named() {
        let cause = io::Error::from(io::ErrorKind::NotFound);
        let failure = missing(&"gdb".into(), "gdb", &cause).to_string();
        assert!(failure.starts_with("can not run gdb: ") && failure.ends_with("install it (package gdb)"), "{failure}");
    }
}
