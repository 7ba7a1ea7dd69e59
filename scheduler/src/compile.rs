//! The program under test: an executable, or a source file that is compiled first.
//!
//! Compiling here is a convenience for trying things out. The executable lives in a private directory that is gone
//! when rscale is; traces therefore name, and carry the hash of, the source.

use crate::digest;
use crate::exit::Failure;
use nix::unistd::{AccessFlags, access, mkdtemp};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// What is tested.
#[derive(Debug)]
pub struct Subject {
    /// What the user typed: the executable or the source file.
    pub given: PathBuf,
    /// The absolute path of the executable.
    pub executable: PathBuf,
    /// BLAKE3 hash, in hexadecimal, of the file that the user named.
    pub hash: String,
    /// Keeps a compiled executable until rscale ends.
    _guard: Option<TemporaryDirectory>,
}

impl Subject {
    /// Finds the program, compiling it if it is a source file.
    ///
    /// # Errors
    /// When there is no such program, it is not executable, or it does not compile.
    pub fn prepare(given: &Path) -> Result<Subject, Failure> {
        let found = find(given)?;
        let hash = digest::of_file(&found)
            .map_err(|cause| Failure::CannotRun(format!("can not read {}: {cause}", given.display())))?;
        let (executable, guard) = match Language::of(&found) {
            Some(language) => compile(&found, language).map(|(executable, guard)| (executable, Some(guard)))?,
            None => (check_executable(&found)?, None),
        };
        Ok(Subject { given: given.to_owned(), executable, hash: hash.to_hex().to_string(), _guard: guard })
    }

    /// A subject that names no real program.
    #[cfg(test)]
    pub fn sample(given: &str) -> Subject {
        Subject { given: given.into(), executable: given.into(), hash: "00ff".into(), _guard: None }
    }
}

/// The file as it is named, or, like a shell, a bare name in `PATH`.
fn find(given: &Path) -> Result<PathBuf, Failure> {
    let is_bare = given.components().count() == 1 && !given.as_os_str().to_string_lossy().contains('/');
    match fs::metadata(given) {
        Ok(found) if found.is_dir() => {
            Err(Failure::Usage(format!("{} is a directory; name the program in it", given.display())))
        }
        Ok(found) if !found.is_file() => {
            Err(Failure::Usage(format!("{} is not a regular file; name a program", given.display())))
        }
        Ok(_) => Ok(given.to_owned()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound && is_bare => env::var_os("PATH")
            .iter()
            .flat_map(env::split_paths)
            .map(|directory| directory.join(given))
            .find(|candidate| candidate.is_file() && access(candidate, AccessFlags::X_OK).is_ok())
            .ok_or_else(|| missing(given, &cause)),
        Err(cause) => Err(missing(given, &cause)),
    }
}

fn missing(given: &Path, cause: &io::Error) -> Failure {
    Failure::CannotRun(format!("can not run {}: {cause}; check the name of the program", given.display()))
}

fn check_executable(found: &Path) -> Result<PathBuf, Failure> {
    access(found, AccessFlags::X_OK)
        .map_err(|_| Failure::CannotRun(format!("{0} is not executable; try: chmod +x {0}", found.display())))?;
    std::path::absolute(found).map_err(|cause| missing(found, &cause))
}

/// The languages that are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    C,
    Cpp,
}

impl Language {
    fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cc" | "cpp" | "cxx" => Some(Language::Cpp),
            _ => None,
        }
    }

    /// The compiler and the arguments that the user always wants it to have.
    fn compiler(self) -> Vec<OsString> {
        let (variable, default) = match self {
            Language::C => ("CC", "cc"),
            Language::Cpp => ("CXX", "c++"),
        };
        let chosen = env::var(variable).unwrap_or_default();
        let words: Vec<OsString> = chosen.split_whitespace().map(OsString::from).collect();
        if words.is_empty() { vec![default.into()] } else { words }
    }
}

/// The compiler for C, as `rscale doctor` shows it.
#[must_use]
pub fn c_compiler() -> Vec<OsString> {
    Language::C.compiler()
}

fn compile(source: &Path, language: Language) -> Result<(PathBuf, TemporaryDirectory), Failure> {
    let directory = TemporaryDirectory::create()
        .map_err(|cause| Failure::CannotRun(format!("can not make a directory to compile in: {cause}; set TMPDIR")))?;
    let executable = directory.path().join(source.file_stem().unwrap_or_default());
    let compiler = language.compiler();
    // A name that begins with a dash must not become an option.
    let source = if source.is_absolute() { source.to_owned() } else { Path::new(".").join(source) };
    let output = Command::new(&compiler[0])
        .args(&compiler[1..])
        .args(["-g", "-O1", "-pthread", "-o"])
        .arg(&executable)
        .arg(&source)
        .output()
        .map_err(|cause| {
            let name = compiler[0].to_string_lossy();
            Failure::CannotRun(format!("can not run the compiler {name}: {cause}; install it or set $CC or $CXX"))
        })?;
    if output.status.success() {
        return Ok((executable, directory));
    }
    Err(compiler_failure(&source, output.status, &output.stderr))
}

fn compiler_failure(source: &Path, status: ExitStatus, messages: &[u8]) -> Failure {
    if status.signal() == Some(libc::SIGINT) {
        return Failure::Interrupted;
    }
    let messages = String::from_utf8_lossy(messages);
    Failure::CannotRun(format!("{} does not compile:\n{}", source.display(), messages.trim_end()))
}

/// A directory of our own that disappears with this value.
#[derive(Debug)]
pub struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    /// Makes one that nobody else can enter.
    ///
    /// # Errors
    /// When the directory for temporary files can not be written.
    pub fn create() -> io::Result<TemporaryDirectory> {
        Ok(TemporaryDirectory(mkdtemp(&std::path::absolute(env::temp_dir())?.join("rscale-XXXXXX"))?))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // Nothing more can be done about a directory that can not be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn message(path: &Path) -> String {
        Subject::prepare(path).expect_err("refused").to_string()
    }

    #[test]
    fn sources_are_compiled_and_cleaned_up() {
        let directory = TemporaryDirectory::create().expect("a directory");
        assert_eq!(fs::metadata(directory.path()).expect("there").permissions().mode() & 0o777, 0o700);
        let source = directory.path().join("hello.c");
        fs::write(&source, "int main(void) { return 3; }").expect("written");
        let subject = Subject::prepare(&source).expect("compiles");
        assert_eq!((subject.given.as_path(), subject.hash.len()), (source.as_path(), 64));
        assert_eq!(Command::new(&subject.executable).status().expect("runs").code(), Some(3));
        let executable = subject.executable.clone();
        drop(subject);
        assert!(!executable.parent().expect("a directory").exists());
    }

    #[test]
    fn the_compiler_has_its_say() {
        let directory = TemporaryDirectory::create().expect("a directory");
        let source = directory.path().join("broken.cpp");
        fs::write(&source, "int main() { return nothing; }").expect("written");
        let message = message(&source);
        assert!(message.contains("broken.cpp does not compile:\n") && message.contains("nothing"), "{message}");
    }

    #[test]
    fn programs_that_can_not_be_run_are_refused() {
        let directory = TemporaryDirectory::create().expect("a directory");
        let text = directory.path().join("notes");
        fs::write(&text, "hello").expect("written");
        fs::set_permissions(&text, fs::Permissions::from_mode(0o600)).expect("changed");
        assert!(message(&text).contains("is not executable; try: chmod +x"));
        assert!(message(directory.path()).contains("is a directory"));
        assert!(message(Path::new("/dev/zero")).contains("is not a regular file"));
        assert!(message(&directory.path().join("absent")).contains("No such file or directory"));
        assert!(message(Path::new("no-such-program-anywhere")).contains("check the name"));
    }

    #[test]
    fn bare_names_are_found_like_a_shell_does() {
        assert!(Subject::prepare(Path::new("true")).expect("in PATH").executable.is_absolute());
    }

    #[test]
    fn extensions_choose_the_compiler() {
        let language = |name: &str| Language::of(Path::new(name));
        assert_eq!(language("a.c"), Some(Language::C));
        assert_eq!([language("a.cc"), language("a.cpp"), language("a.cxx")], [Some(Language::Cpp); 3]);
        assert_eq!([language("a.out"), language("c"), language("a")], [None; 3]);
    }
}
