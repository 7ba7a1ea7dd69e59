//! Builds test programs in a directory that goes away again, and runs them with a deadline.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Seconds that a compiler or a test program may take.
const DEADLINE: &str = "120";

/// The C and the C++ compiler of a family.
pub type Compilers = [&'static str; 2];
const GCC: Compilers = ["gcc", "g++"];
const CLANG: Compilers = ["clang", "clang++"];

/// The compilers that are installed; gcc must be.
pub fn compilers() -> Vec<Compilers> {
    let answers = |command: &str| {
        let mut command = Command::new(command);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    [GCC, CLANG].into_iter().filter(|family| *family == GCC || answers(family[1])).collect()
}

/// A directory for one test.
pub struct Workshop {
    directory: PathBuf,
    compilers: Compilers,
}

impl Workshop {
    /// One that builds with gcc.
    pub fn new() -> Self {
        Self::with(GCC)
    }

    /// One that builds with these compilers.
    pub fn with(compilers: Compilers) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("instrument-{}-{number}", std::process::id());
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&directory).expect("the temporary directory is writable");
        Self { directory, compilers }
    }

    /// Whether it builds with clang.
    pub fn is_clang(&self) -> bool {
        self.compilers == CLANG
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Writes a file and returns its path.
    pub fn write(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("the file is writable");
        path
    }

    /// Compiles `sources/<source>` into `output`, from within the directory, as a user would.
    pub fn compile(&self, source: &str, output: &str, flags: &[&str]) -> PathBuf {
        let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/sources").join(source);
        std::fs::copy(original, self.path(source)).expect("the source is there");
        let [c, cpp] = self.compilers;
        let compiler = if source.ends_with(".c") { c } else { cpp };
        self.run(Command::new("timeout").args([DEADLINE, compiler, "-pthread", "-o", output, source]).args(flags));
        self.path(output)
    }

    /// Runs a command in the directory and returns what it printed.
    pub fn run(&self, command: &mut Command) -> String {
        let output =
            command.current_dir(&self.directory).stdin(Stdio::null()).output().expect("the command can be started");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs a built program, whose own alarm ends it if it hangs.
    pub fn output_of(&self, program: &Path) -> String {
        self.run(&mut Command::new(program))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A child process that does not outlive its test.
pub struct Target(pub Child);

impl Target {
    pub fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
