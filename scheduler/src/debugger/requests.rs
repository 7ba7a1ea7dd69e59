//! What the commands in gdb ask of rscale: one connection each, a line with the request, a line of JSON as the answer.

use super::Session;
use crate::exit::Failure;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

const SOCKET_FILE: &str = "socket";
/// How long gdb may take to say the rest, such as that it has ended a process.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where requests arrive.
pub struct Requests {
    listener: UnixListener,
}

impl Requests {
    /// Listens in a directory.
    pub fn listen(directory: &Path) -> io::Result<Requests> {
        let listener = UnixListener::bind(directory.join(SOCKET_FILE))?;
        listener.set_nonblocking(true)?;
        Ok(Requests { listener })
    }

    /// The next request, if there is one in this time.
    pub fn next(&self, limit: Duration) -> io::Result<Option<Request>> {
        let timeout = PollTimeout::try_from(limit).unwrap_or(PollTimeout::ZERO);
        // A signal ends the wait early: whoever calls looks around and comes back.
        let _ = poll(&mut [PollFd::new(self.listener.as_fd(), PollFlags::POLLIN)], timeout);
        match self.listener.accept() {
            Ok((stream, _)) => Request::new(stream).map(Some),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Somebody who has connected.
pub struct Request {
    stream: BufReader<UnixStream>,
}

/// What can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    /// Where the program stands.
    Where,
    /// To stop after so many more steps.
    Step(usize),
    /// To go so many steps back.
    Back(usize),
    /// What code an address in instrumented code is a copy of.
    Original(u64),
    /// Where the copy of the code at an address is.
    Copy(u64),
}

impl Question {
    fn parse(line: &str) -> Option<Question> {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["where"] => Some(Question::Where),
            ["step", count] => count.parse().ok().map(Question::Step),
            ["back", count] => count.parse().ok().map(Question::Back),
            ["original", pc] => pc.parse().ok().map(Question::Original),
            ["copy", pc] => pc.parse().ok().map(Question::Copy),
            _ => None,
        }
    }
}

impl Request {
    fn new(stream: UnixStream) -> io::Result<Request> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Request { stream: BufReader::new(stream) })
    }

    /// Reads the question and answers it.
    pub(super) fn answer(&mut self, session: &mut Session<'_>) -> io::Result<()> {
        let line = self.read()?;
        let answer = match Question::parse(&line) {
            None => Err(Failure::Usage(format!("rscale does not understand {line:?}"))),
            Some(Question::Where) => session.debuggee.position().map(|position| json!(position)),
            Some(Question::Step(count)) => session.debuggee.stop_after_more(count).map(|()| json!({})),
            Some(Question::Original(pc)) => Ok(json!({ "original": session.debuggee.original_of(pc) })),
            Some(Question::Copy(pc)) => Ok(json!({ "copy": session.debuggee.copy_of(pc) })),
            Some(Question::Back(count)) => self.go_back(session, count)?,
        };
        let answer = answer.unwrap_or_else(|failure| json!({ "error": failure.to_string() }));
        self.write(&answer.to_string())
    }

    /// The debugger ends the process first: only then another one can take its place.
    fn go_back(&mut self, session: &mut Session<'_>, count: usize) -> io::Result<Result<Value, Failure>> {
        let steps = match session.debuggee.steps_before(count) {
            Ok(steps) => steps,
            Err(failure) => return Ok(Err(failure)),
        };
        self.write("ready")?;
        self.read()?;
        let gone = session.go_back(steps);
        Ok(gone.map(|()| json!({ "pid": session.debuggee.pid() })))
    }

    fn read(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        self.stream.get_mut().write_all(format!("{line}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_understood() {
        assert_eq!(Question::parse("where"), Some(Question::Where));
        assert_eq!(Question::parse("step 3"), Some(Question::Step(3)));
        assert_eq!(Question::parse("back 1"), Some(Question::Back(1)));
        assert_eq!(Question::parse("original 4096"), Some(Question::Original(4096)));
        assert_eq!(Question::parse("copy 7"), Some(Question::Copy(7)));
        for line in ["", "step", "step -1", "back x", "where now", "original 0x10"] {
            assert_eq!(Question::parse(line), None, "{line}");
        }
    }
}
