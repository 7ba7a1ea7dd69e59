//! Starting processes that may hang: every one gets a time limit, and is killed by its own handle when it is over.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time for one run of anything. Generous: the machine may be busy with something else.
pub const LIMIT: Duration = Duration::from_secs(60);
/// Between two looks at a condition that is waited for.
const PAUSE: Duration = Duration::from_millis(2);

/// A process that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How.
    pub status: ExitStatus,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error.
    pub stderr: Vec<u8>,
}

impl Finished {
    /// Its standard output as text.
    #[must_use]
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Its standard error as text.
    #[must_use]
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// The exit status; None for a process that a signal ended.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Everything about it, for the message of a failed test.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("{}\n--- stdout\n{}\n--- stderr\n{}", self.status, self.out(), self.err())
    }
}

/// Runs a command to its end.
///
/// # Errors
/// When it can not be started, or does not end within [`LIMIT`].
pub fn run(command: &mut Command) -> Result<Finished, String> {
    Running::start(command)?.finish()
}

/// A process that runs, with its output being read. It is killed when this value goes away.
pub struct Running {
    child: Child,
    outputs: [Receiver<Vec<u8>>; 2],
    deadline: Instant,
    shown: String,
}

impl Running {
    /// Starts a command, without an input unless it has one.
    ///
    /// # Errors
    /// When it can not be started.
    pub fn start(command: &mut Command) -> Result<Running, String> {
        let shown = show(command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(command).map_err(|cause| format!("can not start {shown}: {cause}"))?;
        let outputs = [read(child.stdout.take()), read(child.stderr.take())];
        Ok(Running { child, outputs, deadline: Instant::now() + LIMIT, shown })
    }

    /// Its process number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Waits for its end. Its output ends with it, so waiting for that costs no polling.
    ///
    /// # Errors
    /// When the time is over; the process is killed then.
    pub fn finish(mut self) -> Result<Finished, String> {
        let [stdout, stderr] = [0, 1].map(|index| self.rest_of(index));
        let status = self.wait();
        match (status, stdout, stderr) {
            (Some(status), Some(stdout), Some(stderr)) => Ok(Finished { status, stdout, stderr }),
            _ => Err(format!("did not end within {} s: {}", LIMIT.as_secs(), self.shown)),
        }
    }

    fn rest_of(&self, index: usize) -> Option<Vec<u8>> {
        self.outputs[index].recv_timeout(self.deadline.saturating_duration_since(Instant::now())).ok()
    }

    fn wait(&mut self) -> Option<ExitStatus> {
        let child = &mut self.child;
        poll(self.deadline, || child.try_wait().ok().flatten())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail for a process that has been waited for, which is the usual case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Looks at a condition until it holds; None if it does not within [`LIMIT`].
pub fn wait_for<T>(condition: impl FnMut() -> Option<T>) -> Option<T> {
    poll(Instant::now() + LIMIT, condition)
}

fn poll<T>(deadline: Instant, mut condition: impl FnMut() -> Option<T>) -> Option<T> {
    loop {
        if let Some(value) = condition() {
            return Some(value);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(PAUSE);
    }
}

/// Starts a process. A program that this process has just written may seem busy for a moment: where another test starts a
/// process meanwhile, that one has the file open for writing until it is a program itself.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let deadline = Instant::now() + LIMIT;
    loop {
        match command.spawn() {
            Err(cause) if cause.kind() == io::ErrorKind::ExecutableFileBusy && Instant::now() < deadline => {
                thread::sleep(PAUSE);
            }
            other => return other,
        }
    }
}

fn read(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes); // what could be read is what there is to compare
        }
        let _ = sender.send(bytes); // nobody listens to a process that took too long
    });
    receiver
}

/// The command as one would type it, nearly.
fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).map(|word| format!("{word:?} ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_status_arrive() {
        let finished = run(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"])).expect("it ends");
        assert_eq!((finished.code(), finished.out(), finished.err()), (Some(3), "out\n".into(), "err\n".into()));
    }

    #[test]
    fn a_program_that_is_busy_for_a_moment_is_started_then() {
        let scratch = crate::scratch::Scratch::new(&std::env::temp_dir().to_string_lossy());
        let path = scratch.file("program");
        std::fs::copy("/bin/true", &path).expect("there is room");
        let writer = std::fs::File::options().append(true).open(&path).expect("it is ours");
        assert_eq!(Command::new(&path).spawn().expect_err("it is busy").kind(), io::ErrorKind::ExecutableFileBusy);
        let closing = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            drop(writer);
        });
        let finished = run(&mut Command::new(&path)).expect("it is not busy for long");
        assert_eq!(finished.code(), Some(0));
        closing.join().expect("it only waits");
    }

    #[test]
    fn what_can_not_be_started_is_an_error() {
        let error = run(&mut Command::new("/no/such/program")).expect_err("there is none");
        assert!(error.starts_with("can not start \"/no/such/program\""), "{error}");
    }

    #[test]
    fn a_process_that_is_given_up_is_gone() {
        let running = Running::start(Command::new("sleep").arg("1000")).expect("it starts");
        let directory = format!("/proc/{}", running.id());
        assert!(std::path::Path::new(&directory).exists());
        drop(running);
        assert!(!std::path::Path::new(&directory).exists());
    }
}
