//! Compiling programs to be tested.

use crate::process;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A compiler family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    /// `gcc` and `g++`, which must be there.
    Gcc,
    /// `clang` and `clang++`.
    Clang,
}

impl Compiler {
    /// Those that are installed, gcc first.
    #[must_use]
    pub fn all() -> &'static [Compiler] {
        static ALL: OnceLock<Vec<Compiler>> = OnceLock::new();
        let is_there = |compiler: &Compiler| *compiler == Compiler::Gcc || answers(compiler.command(true));
        ALL.get_or_init(|| [Compiler::Gcc, Compiler::Clang].into_iter().filter(is_there).collect())
    }

    /// The command that compiles C or C++.
    #[must_use]
    pub fn command(self, is_cpp: bool) -> &'static str {
        match (self, is_cpp) {
            (Compiler::Gcc, false) => "gcc",
            (Compiler::Gcc, true) => "g++",
            (Compiler::Clang, false) => "clang",
            (Compiler::Clang, true) => "clang++",
        }
    }
}

fn answers(command: &str) -> bool {
    let mut command = Command::new(command);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Compiles a C or C++ file the way users do, with these options on top.
///
/// # Errors
/// What the compiler says.
pub fn compile<S: AsRef<OsStr>>(source: &Path, executable: &Path, options: &[S]) -> Result<(), String> {
    compile_with(&Compiler::Gcc, source, executable, options)
}

/// The same with a compiler of one's choice.
///
/// # Errors
/// What the compiler says.
pub fn compile_with<S: AsRef<OsStr>>(
    compiler: &Compiler,
    source: &Path,
    executable: &Path,
    options: &[S],
) -> Result<(), String> {
    let is_cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let mut command = Command::new(compiler.command(is_cpp));
    if is_cpp {
        command.arg("-std=c++17");
    }
    command.args(["-g", "-pthread"]).arg("-o").arg(executable).arg(source).args(options);
    let finished = process::run(&mut command)?;
    if finished.status.success() { Ok(()) } else { Err(format!("does not compile:\n{}", finished.err())) }
}
