//! The code that the user chose: libraries to watch too, functions and files to leave out.
//!
//! A name that is not there is refused with the one that may have been meant: a search that silently watches less, or
//! more, than was asked for would prove something else.

use super::containers::{self, Extent, Members};
use super::regions::Planned;
use crate::nearest::nearest;
use rscale_instrument::code::functions::Function;
use rscale_instrument::code::survey::Survey;
use rscale_instrument::maps::Module;
use rscale_instrument::symbols::Symbolizer;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Files whose code needs no watching: what they do to the memory of the program is known.
const KNOWN: [&str; 4] = ["libc.so", "ld-linux", "libpthread.so", "linux-vdso"];
/// Libraries whose code counts as the program's, by the beginnings of their names. Compilers call it for atomic accesses
/// of many bytes and for OpenMP; others offer locks, queues and tasks. All of these are made of atomic accesses, loops
/// and futexes, not of functions of the thread library: unseen, nobody would be let run where two threads meet there.
const OWN: [&str; 8] =
    ["libatomic.so", "libgomp.so", "libomp.so", "libiomp5.so", "libglib-2.0.so", "libtbb.so", "libck.so", "liburcu"];
/// Mapped files without a name in the file system, the shim among them.
const NAMELESS: &str = "/memfd:";

/// The loaded modules whose code is to be watched: those that the user means, and what belongs to them.
pub fn modules<'a>(files: &[PathBuf], modules: &'a [Module]) -> Result<Vec<(&'a Module, Extent)>, String> {
    let meant = files.iter().map(|path| module(path, modules)).collect::<Result<Vec<_>, _>>()?;
    let others = libraries(modules).filter(|module| !files.is_empty() && !meant.contains(module));
    let own = others.filter_map(|module| Some((module, own_extent(&module.name())?)));
    Ok(meant.iter().map(|module| (*module, Extent::Whole)).chain(own).collect())
}

/// How much of a library of this name belongs to the program, if anything does.
fn own_extent(name: &str) -> Option<Extent> {
    let containers = containers::has_containers(name).then_some(Extent::Containers);
    belongs_to_program(name).then_some(Extent::Whole).or(containers)
}

/// The loaded module that the user means: by its path, or by its name alone.
fn module<'a>(path: &Path, modules: &'a [Module]) -> Result<&'a Module, String> {
    let wanted = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let is_name = path.components().count() == 1 && !path.exists();
    // `libx.so.1`, which is what programs ask for, stands for `libx.so.1.2.3`.
    let is_called = |name: &str| path.to_str().and_then(|path| name.strip_prefix(path)).is_some_and(is_version);
    let is_wanted = |module: &&Module| module.path == wanted || (is_name && is_called(&module.name()));
    modules.iter().find(is_wanted).ok_or_else(|| not_loaded(path, modules))
}

/// Whether this may follow the name of a library: nothing, or numbers.
fn is_version(rest: &str) -> bool {
    rest.is_empty()
        || rest.strip_prefix('.').is_some_and(|rest| rest.split('.').all(|part| part.parse::<u32>().is_ok()))
}

fn not_loaded(path: &Path, modules: &[Module]) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = libraries(modules).map(Module::name).collect();
    let near = nearest(&name, names.iter().map(String::as_str));
    let other = libraries(modules).find(|module| Some(module.name().as_str()) == near).map(|module| &module.path);
    let advice = match other {
        None if path.is_file() => {
            format!("what it loads later is there from the start with LD_PRELOAD={}", path.display())
        }
        Some(other) => format!("did you mean {}?", other.display()),
        None if names.is_empty() => "it loads no libraries".into(),
        None => format!("it loads {}", names.join(", ")),
    };
    format!("--instrument {}: the program does not load this when it starts; {advice}", path.display())
}

/// The shared libraries of the program.
fn libraries(modules: &[Module]) -> impl Iterator<Item = &Module> {
    modules.iter().filter(|module| module.name().contains(".so") && !is_nameless(module))
}

/// Whether a file of this name is a library that counts as the program's, and whose accesses synchronise.
pub fn belongs_to_program(name: &str) -> bool {
    OWN.iter().any(|own| name.starts_with(own))
}

/// Whether it has no name in the file system.
pub fn is_nameless(module: &Module) -> bool {
    module.path.to_string_lossy().starts_with(NAMELESS)
}

/// The libraries whose code runs as it is; of some, not all of it.
pub fn unwatched(modules: &[Module], planned: &[Rc<Planned>]) -> Vec<String> {
    let is_known = |name: &str| KNOWN.iter().any(|known| name.starts_with(known));
    let left_out = |module: &Module| match planned.iter().find(|planned| planned.path() == module.path) {
        None => Some(module.name()).filter(|name| !is_known(name)),
        Some(planned) => planned.remainder(),
    };
    libraries(modules).filter_map(left_out).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Why a name can not be left out.
pub fn unknown_exclusion(name: &str, modules: &[(&Module, Extent)]) -> String {
    let mut names = BTreeSet::new();
    for (module, extent) in modules {
        let Ok(survey) = Survey::of(&module.path) else { continue };
        let symbols = Symbolizer::new(vec![(*module).clone()]);
        let members = extent.members(&survey);
        for function in functions(&survey).filter(|function| members.contains(function)) {
            names.extend(function.names.iter().cloned());
            names.insert(function.label());
            let file = source_of(function, module, &symbols);
            names.extend(Path::new(&file).file_name().map(|file| file.to_string_lossy().into_owned()));
        }
    }
    let advice = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => "a function that is inlined everywhere has no code of its own".into(),
    };
    format!("--exclude {name}: no function or source file of the watched code has this name; {advice}")
}

fn functions(survey: &Survey) -> impl Iterator<Item = &Function> {
    let watched = survey.functions.iter().map(|surveyed| &surveyed.function);
    watched.chain(survey.skipped.iter().map(|skipped| &skipped.function))
}

/// The source file that a function comes from; empty if it is not known.
fn source_of(function: &Function, module: &Module, symbols: &Symbolizer) -> String {
    let frames = symbols.frames(function.range.start.wrapping_add(module.bias));
    frames.last().and_then(|frame| frame.file.clone()).unwrap_or_default()
}

/// The functions of a module that the user trusts: by name, or by the source file that they come from.
pub struct Exclusion<'a> {
    names: &'a [String],
    module: &'a Module,
    members: &'a Members,
    symbols: Option<Symbolizer>,
}

impl<'a> Exclusion<'a> {
    /// What has one of these names, and whatever is not among these functions of the module.
    pub fn new(module: &'a Module, members: &'a Members, names: &'a [String]) -> Exclusion<'a> {
        let symbols = (!names.is_empty()).then(|| Symbolizer::new(vec![module.clone()]));
        Exclusion { names, module, members, symbols }
    }

    /// Whether the function is left out.
    pub fn contains(&self, function: &Function) -> bool {
        !self.members.contains(function) || self.matches(function).next().is_some()
    }

    /// How many functions each name leaves out; names that leave out none are not there.
    pub fn counts(&self, survey: &Survey) -> Vec<(String, u32)> {
        let mut counts: Vec<(String, u32)> = self.names.iter().map(|name| (name.clone(), 0)).collect();
        for function in functions(survey).filter(|function| self.members.contains(function)) {
            for index in self.matches(function) {
                counts[index].1 += 1;
            }
        }
        counts.retain(|(_, count)| *count > 0);
        counts
    }

    /// The names, by index, that the function has.
    fn matches(&self, function: &Function) -> impl Iterator<Item = usize> {
        let file = self.symbols.as_ref().map(|symbols| source_of(function, self.module, symbols));
        let file = file.unwrap_or_default();
        self.names.iter().enumerate().filter_map(move |(index, name)| {
            // Parts of a function go with it.
            let is_part = |known: &String| known.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
            let is_match = function.names.iter().any(|known| known == name || is_part(known))
                || function.label() == *name
                || Path::new(&file).ends_with(name);
            is_match.then_some(index)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules() -> Vec<Module> {
        let module = |path: &str| Module { path: path.into(), bias: 0, start: 0, end: 1 };
        ["/bin/x", "/lib/libz.so.1.3", "/lib/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/memfd:rscale-shim.so"]
            .map(module)
            .into()
    }

    #[test]
    fn libraries_are_found_by_path_or_name() {
        let modules = modules();
        let path = |name: &str| module(Path::new(name), &modules).map(|module| module.path.display().to_string());
        assert_eq!(path("/lib/libz.so.1.3").as_deref(), Ok("/lib/libz.so.1.3"));
        assert_eq!(path("libz.so.1.3").as_deref(), Ok("/lib/libz.so.1.3"));
        assert_eq!(path("libz.so.1").as_deref(), Ok("/lib/libz.so.1.3"), "as programs name it");
        assert_eq!(path("libz.so").as_deref(), Ok("/lib/libz.so.1.3"));
        for wrong in ["libz.so.1.3.1", "libz.s"] {
            let start = format!("--instrument {wrong}: the program does not load this when it starts; ");
            assert_eq!(path(wrong), Err(format!("{start}did you mean /lib/libz.so.1.3?")));
        }
        let refused = path("/opt/libother.so").expect_err("not loaded");
        assert!(refused.ends_with("it loads libz.so.1.3, libc.so.6, ld-linux-x86-64.so.2"), "{refused}");
    }

    #[test]
    fn what_compilers_call_belongs_to_the_program() {
        let mut loaded = modules();
        loaded.push(Module { path: "/lib/libatomic.so.1.2.0".into(), bias: 0, start: 0, end: 1 });
        let names = |files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            let watched = super::modules(&files, &loaded).expect("all are loaded");
            watched.iter().map(|(module, _)| module.name()).collect::<Vec<_>>()
        };
        assert_eq!(names(&["/bin/x"]), ["x", "libatomic.so.1.2.0"]);
        assert_eq!(names(&["/bin/x", "libatomic.so.1.2.0"]), ["x", "libatomic.so.1.2.0"]);
        assert!(names(&[]).is_empty(), "nothing is watched");
        loaded.push(Module { path: "/lib/libgomp.so.1.0.0".into(), bias: 0, start: 0, end: 1 });
        let watched = super::modules(&["/bin/x".into()], &loaded).expect("all are loaded");
        assert_eq!(watched.len(), 3, "OpenMP belongs to it too");
    }

    #[test]
    fn of_the_library_of_cpp_a_part_belongs_to_the_program() {
        let mut loaded = modules();
        loaded.push(Module { path: "/lib/libstdc++.so.6.0.30".into(), bias: 0, start: 0, end: 1 });
        let extent = |files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            let watched = super::modules(&files, &loaded).expect("all are loaded");
            watched.into_iter().find(|(module, _)| module.name().contains("c++")).map(|(_, extent)| extent)
        };
        assert_eq!(extent(&["/bin/x"]), Some(Extent::Containers));
        assert_eq!(extent(&["/bin/x", "libstdc++.so.6"]), Some(Extent::Whole), "the user wants all of it");
        assert_eq!(extent(&[]), None, "nothing is watched");
    }

    #[test]
    fn libraries_that_run_as_they_are() {
        assert_eq!(unwatched(&modules(), &[]), ["libz.so.1.3"]);
    }
}
