//! `rscale replay --gdb`: a debugger on a replay.
//!
//! The program runs to the chosen step under rscale's usual control, and waits there, each thread a kernel thread. Then
//! gdb attaches, or gdbserver does, and the program follows the rest of its schedule whenever it is let run. rscale
//! stays behind: through a [socket](requests) it says what each state means, where the next stop is, and it runs the
//! program anew to go back.

mod requests;
mod tool;

pub use tool::{Address, Front};

use crate::compile::TemporaryDirectory;
use crate::config::ReplayConfig;
use crate::exit::{Exit, Failure};
use crate::interrupt;
use crate::report::{Target, print};
use crate::session::Debuggee;
use requests::Requests;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::Duration;
use tool::Tool;

/// What gdb is to read: the commands, and the shim with its symbols.
const COMMANDS: &str = include_str!("commands.py");
const COMMANDS_FILE: &str = "commands.py";
const SHIM_FILE: &str = "librscale_preload.so";
/// Between two looks at the debugger, before it holds the program and afterwards.
const SHORT_LOOK: Duration = Duration::from_millis(5);
const LOOK: Duration = Duration::from_millis(50);

/// Opens a debugger on the replay after so many steps, or where it ends, and waits until it is closed.
///
/// # Errors
/// Where the schedule can not be followed, or there is no debugger that works.
pub fn open(config: &ReplayConfig, stop_after: Option<usize>, front: &Front) -> Result<Exit, Failure> {
    let tool = Tool::find(front)?;
    let directory = prepare_files()?;
    let requests = Requests::listen(directory.path()).map_err(cannot("make a socket for gdb"))?;
    let mut debuggee = Debuggee::start(config, &directory.path().join(SHIM_FILE))?;
    debuggee.go_to(stop_after)?;
    let process = tool.start(&debuggee, directory.path())?;
    let _shield = tool.takes_interrupts().then(interrupt::shield);
    let mut session = Session { tool, process, debuggee, directory: directory.path(), is_attached: false };
    let result = session.serve(&requests);
    session.end();
    result
}

fn cannot(what: &'static str) -> impl Fn(std::io::Error) -> Failure {
    move |cause| Failure::CannotRun(format!("can not {what}: {cause}"))
}

/// The files of a session, in a directory that goes away with it.
fn prepare_files() -> Result<TemporaryDirectory, Failure> {
    let directory = TemporaryDirectory::create().map_err(cannot("make a directory for gdb (set TMPDIR)"))?;
    let name = directory.path().to_string_lossy().into_owned();
    // The loader takes these for the end of the shim's name.
    if name.contains([' ', '\t', ':', '"', '\\', '\n']) {
        return Err(Failure::CannotRun(format!("{name}: can not be read by the loader; set TMPDIR to a plainer name")));
    }
    crate::launch::Shim::write(&directory.path().join(SHIM_FILE)).map_err(cannot("unpack the shim"))?;
    fs::write(directory.path().join(COMMANDS_FILE), COMMANDS.replace("@DIRECTORY@", &name))
        .map_err(cannot("write the commands for gdb"))?;
    Ok(directory)
}

/// A debugger that runs, and the program that it looks at.
struct Session<'a> {
    tool: Tool,
    process: Child,
    debuggee: Debuggee,
    directory: &'a Path,
    is_attached: bool,
}

impl Session<'_> {
    /// Answers until the debugger ends.
    fn serve(&mut self, requests: &Requests) -> Result<Exit, Failure> {
        loop {
            if !self.is_attached && self.debuggee.is_held() {
                self.attached()?;
            }
            if let Some(status) = self.process.try_wait().map_err(cannot("wait for the debugger"))? {
                return if self.is_attached { Ok(Exit::Clean) } else { Err(self.tool.refused(status)) };
            }
            if interrupt::requested() {
                return Err(Failure::Interrupted);
            }
            let look = if self.is_attached { LOOK } else { SHORT_LOOK };
            if let Some(mut request) = requests.next(look).map_err(cannot("listen to gdb"))? {
                self.is_attached = true;
                self.debuggee.attached();
                // A debugger that does not wait for its answer has gone, or been interrupted.
                let _ = request.answer(self);
            }
        }
    }

    /// The debugger holds all threads: from now on the program runs when the debugger lets it.
    fn attached(&mut self) -> Result<(), Failure> {
        self.is_attached = true;
        self.debuggee.attached();
        match self.tool.announcement(&self.directory.join(COMMANDS_FILE)) {
            Some(text) => print(Target::Stdout, &text),
            None => Ok(()),
        }
    }

    /// Runs the program anew to an earlier state; the debugger has let go of the process before. One that can not be
    /// told to attach to another is started anew, too.
    fn go_back(&mut self, steps: usize) -> Result<(), Failure> {
        let server_ended = self.tool.is_server().then(|| self.process.wait());
        self.debuggee.go_to(Some(steps))?;
        if server_ended.is_some() {
            self.process = self.tool.start(&self.debuggee, self.directory)?;
            while !self.debuggee.is_held() {
                if let Some(status) = self.process.try_wait().map_err(cannot("wait for the debugger"))? {
                    return Err(self.tool.refused(status));
                }
                std::thread::sleep(SHORT_LOOK);
            }
        }
        Ok(())
    }

    /// Leaves nothing behind: neither the debugger nor, by its own end, the program.
    fn end(&mut self) {
        let _ = self.process.kill(); // the usual case is that it has ended
        let _ = self.process.wait();
    }
}
