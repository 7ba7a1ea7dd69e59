//! Compiling programs to be tested.

use crate::process;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Compiles a C or C++ file the way users do, with these options on top.
///
/// # Errors
/// What the compiler says.
pub fn compile<S: AsRef<OsStr>>(source: &Path, executable: &Path, options: &[S]) -> Result<(), String> {
    let is_cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let mut command = Command::new(if is_cpp { "g++" } else { "gcc" });
    if is_cpp {
        command.arg("-std=c++17");
    }
    command.args(["-g", "-pthread"]).arg("-o").arg(executable).arg(source).args(options);
    let finished = process::run(&mut command)?;
    if finished.status.success() { Ok(()) } else { Err(format!("does not compile:\n{}", finished.err())) }
}
