//! Which code accesses memory atomically, as far as debug information tells.
//!
//! A locked instruction is atomic by itself. An atomic load, and on x86 most atomic stores, are plain `mov`s: that they
//! are meant to synchronise is known by the type of what they access, by the function that they belong to (inlined or
//! not), and, for the built-in functions of compilers on plain types, by what the source has at their line and column.
//! Libraries for C (GLib, Concurrency Kit, userspace RCU) have macros and functions of their own for that. In C, an
//! object that is declared atomic is read without any of these: [`lvalues`]. What libraries do that count as the
//! program's (OpenMP's, GLib) is there to synchronise, and comes without debug information. So do strings in libstdc++
//! that share what they hold, as they did before C++11: they look at how many they are by atomic loads; and functions of
//! libc++ that count who shares an object, or let something happen once.

use super::Explainer;
use super::lvalues;
use super::moment::Moment;
use super::names::unchanged_source;
use crate::backend::Target;
use crate::launch::{belongs_to_program, has_containers};
use rscale_instrument::symbols::Place;
use rscale_protocol::{Action, Variable};

/// What the functions of atomic classes begin with, and those of libraries that have nothing but atomic accesses.
const FUNCTIONS: [&str; 10] = [
    "std::atomic",
    "std::__atomic",
    "std::__1::atomic",
    "std::__1::__atomic",
    "std::__1::__cxx_atomic",
    "core::sync::atomic::",
    "core::intrinsics::atomic",
    "__atomic_",
    "ck_pr_",
    "_urcu_",
];
/// Built-in functions, which take plain types, too, and macros of libraries that are made of them.
const BUILT_IN: [&str; 12] = [
    "__atomic_",
    "__sync_",
    "__c11_atomic_",
    "g_atomic_",
    "g_once",
    "uatomic_",
    "rcu_dereference",
    "rcu_assign_pointer",
    "rcu_set_pointer",
    "CMM_LOAD_SHARED",
    "CMM_STORE_SHARED",
    "CMM_ACCESS_ONCE",
];
/// Those that read, and name first what they read.
const LOADS: [&str; 7] = [
    "__atomic_load",
    "g_atomic_int_get",
    "g_atomic_pointer_get",
    "g_once",
    "uatomic_read",
    "rcu_dereference",
    "CMM_LOAD_SHARED",
];
/// Macros for atomic types.
const MACROS: [&str; 1] = ["atomic_"];
/// What the functions of strings of libstdc++ begin with that share what they hold.
const SHARING: [&str; 2] = ["std::string::", "std::basic_string<"];
/// Functions of libc++ whose accesses order threads.
const ORDERING: [&str; 4] = [
    "std::__1::__shared_count::",
    "std::__1::__shared_weak_count::",
    "std::__1::__call_once",
    "std::__1::__thread_local_data",
];
/// What the linker calls the guard of a local static, which C++ reads atomically.
const GUARD: &str = "guard variable for ";

/// What is known of the code that makes an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Code {
    /// It is atomic.
    Atomic,
    /// It is, if the type of what it accesses is not known.
    AtomicByName,
    /// Whether it is can not be told, if the type of what it accesses is not known.
    Unclear,
    /// A read is, if this is the last word of what it reads: the built-in function on its line reads that.
    AtomicRead(String),
    /// A write is.
    AtomicWrite,
    /// Nothing says that it is.
    Plain,
}

/// What an access is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Whether its type makes accesses atomic; None if the type is not known.
    pub is_atomic: Option<bool>,
}

impl Subject {
    fn new(name: String, place: Option<&Place>) -> Subject {
        let is_atomic = match place {
            _ if name.starts_with(GUARD) => Some(true),
            Some(place) if place.is_atomic() => Some(true),
            Some(place) if place.has_type() => Some(false),
            _ => None,
        };
        Subject { name, is_atomic }
    }

    /// The last word of its name: of `queue.head[3]`, it is `head`.
    #[must_use]
    pub fn last_word(&self) -> &str {
        last_word(self.name.trim_end_matches(')'))
    }
}

impl Explainer {
    /// Whether the instruction before an address accesses memory atomically, by the code that it belongs to.
    #[must_use]
    pub fn code(&self, pc: u64, length: u64) -> Code {
        let module = self.names.module_of(pc);
        let file = module.as_ref().and_then(|path| path.file_name()).unwrap_or_default().to_string_lossy();
        if belongs_to_program(&file) {
            return Code::Atomic;
        }
        let frames = self.names.frames_of_call(pc);
        if has_containers(&file)
            && let Some(code) = frames.iter().filter_map(|frame| frame.function.as_deref()).find_map(code_of_library)
        {
            return code;
        }
        let is_function = |name: &str| FUNCTIONS.iter().any(|start| own_name(name).starts_with(start));
        if frames.iter().any(|frame| frame.function.as_deref().is_some_and(is_function)) {
            return Code::Atomic;
        }
        let source = frames.first().and_then(|frame| unchanged_source(frame, module.as_ref()?));
        let position = frames.first().and_then(|frame| {
            Some((frame.line? as usize, frame.column.and_then(|column| (column as usize).checked_sub(1))))
        });
        let from_source = || {
            let (line, column) = position?;
            let mut lines = source.as_ref()?.lines().skip(line.saturating_sub(2));
            let before = if line > 1 { lines.next()? } else { "" };
            let at = lines.next()?;
            [before, at].into_iter().find_map(directive).or_else(|| Some(code_in(at, column?)))
        };
        let code = from_source().unwrap_or(Code::Plain);
        let dialect = || self.names.dialect_of_call(pc).filter(|dialect| dialect.has_atomic_objects);
        match (code, position, &source) {
            (Code::Plain, position, source) => dialect().map_or(Code::Plain, |dialect| {
                let (Some(position), Some(source)) = (position, source) else { return Code::Unclear };
                lvalues::code_of(source, position, length, &dialect, &|words| self.names.words_at_call(pc, words))
            }),
            (code, ..) => code,
        }
    }

    /// What an access is about that has a fixed place in the program.
    #[must_use]
    pub fn fixed_subject(&self, action: &Action) -> Option<Subject> {
        let place = self.names.fixed(action.object.0, super::length(action))?;
        Some(Subject::new(place.name.clone(), Some(&place)))
    }

    /// What an access is about that is made now.
    #[must_use]
    pub fn subject(&self, variable: Variable, length: u64, target: &Target) -> Subject {
        let moment = Moment::new(target, &self.stacks, None);
        let named = self.names.named(variable, length, &moment);
        Subject::new(named.name, named.place.as_ref())
    }

    /// `file.c:12` of the instruction before an address.
    #[must_use]
    pub fn place_of(&self, pc: u64) -> String {
        self.names.location(pc)
    }
}

/// What is known of a function in a library of C++.
fn code_of_library(function: &str) -> Option<Code> {
    let is_one_of = |names: &[&str]| names.iter().any(|start| own_name(function).starts_with(start));
    // What strings share is written by locked instructions, and what only one has is no race.
    let sharing = is_one_of(&SHARING).then(|| Code::AtomicRead(String::new()));
    is_one_of(&ORDERING).then_some(Code::Atomic).or(sharing)
}

/// What a directive of OpenMP says about the statement behind it. Where it reads and writes, the instruction is locked.
fn directive(line: &str) -> Option<Code> {
    let mut words = line.trim_start().strip_prefix('#')?.split_whitespace();
    let is_atomic = ["pragma", "omp", "atomic"].into_iter().all(|word| words.next() == Some(word));
    is_atomic.then(|| {
        match words.find_map(|word| [("read", true), ("write", false)].into_iter().find(|it| it.0 == word)) {
            Some((_, true)) => Code::AtomicRead(String::new()),
            Some((_, false)) => Code::AtomicWrite,
            None => Code::Plain,
        }
    })
}

/// What a line of the source says about an instruction that belongs to this place in it. A compiler may make one
/// instruction of a load and of what is done with the value, which then belongs to another place.
fn code_in(line: &str, column: usize) -> Code {
    let text = line.get(column..).unwrap_or_default();
    let starts = |text: &str, names: &[&str]| names.iter().any(|name| text.starts_with(name));
    if starts(text, &BUILT_IN) {
        return Code::Atomic;
    }
    if starts(text, &MACROS) {
        return Code::AtomicByName;
    }
    let load = LOADS.iter().find_map(|name| line[line.find(name)?..].split_once('('));
    let Some((_, arguments)) = load else { return Code::Plain };
    let argument = arguments.split([',', ')']).next().unwrap_or_default().trim();
    match argument.strip_prefix('&') {
        Some(variable) => Code::AtomicRead(last_word(variable).to_owned()),
        // Where a pointer leads is not known.
        None => Code::AtomicRead(String::new()),
    }
}

/// The last name in an expression, without what stands in brackets behind it.
fn last_word(expression: &str) -> &str {
    let end = expression.find('[').map_or(expression, |bracket| &expression[..bracket]);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    end.trim_end_matches(|letter| !is_word(letter)).rsplit(|letter| !is_word(letter)).next().unwrap_or_default()
}

/// The name of a function without what it returns: templates say that first.
fn own_name(function: &str) -> &str {
    let head = function.split('(').next().unwrap_or(function);
    match head.find(" std::") {
        Some(space) if !head[..space].contains('<') => &head[space + 1..],
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_by_their_own_names() {
        let is_atomic = |name: &str| FUNCTIONS.iter().any(|start| own_name(name).starts_with(start));
        assert!(is_atomic("std::atomic<unsigned long>::load(std::memory_order) const"));
        assert!(is_atomic("std::__atomic_base<int>::operator int() const"));
        assert!(is_atomic("int std::atomic_load<int>(std::atomic<int> const*)"));
        assert!(is_atomic("core::sync::atomic::AtomicBool::store"));
        assert!(!is_atomic("publish(std::atomic<int>&)"));
        assert!(!is_atomic("std::vector<std::atomic<int>>::size() const"));
    }

    #[test]
    fn functions_of_libraries_are_known_by_name() {
        let once = "std::__1::__call_once(unsigned long volatile&, void*, void (*)(void*))";
        assert_eq!(code_of_library(once), Some(Code::Atomic));
        let before = "std::string::append(char const*, unsigned long)";
        assert_eq!(code_of_library(before), Some(Code::AtomicRead(String::new())));
        let since =
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append(char const*)";
        assert_eq!(code_of_library(since), None);
    }

    #[test]
    fn the_source_tells_built_in_functions() {
        let line = "    if (__atomic_load_n(&queue->head[3], __ATOMIC_ACQUIRE) == x) atomic_load(&y);";
        let at = |text: &str| code_in(line, line.find(text).expect("there"));
        assert_eq!((at("__atomic"), at("atomic_load(")), (Code::Atomic, Code::AtomicByName));
        assert_eq!(at("if"), Code::AtomicRead("head".into()), "load and comparison are one instruction");
        assert_eq!(code_in("if (__atomic_load_n(pointer, 0))", 0), Code::AtomicRead(String::new()));
        assert_eq!((code_in("x = y;", 0), code_in("x", 99)), (Code::Plain, Code::Plain));
    }

    #[test]
    fn the_source_tells_macros_of_libraries() {
        let line = "if (g_atomic_int_get (&self->ready)) rcu_assign_pointer(first, x);";
        let at = |text: &str| code_in(line, line.find(text).expect("there"));
        assert_eq!((at("g_atomic"), at("rcu_")), (Code::Atomic, Code::Atomic));
        assert_eq!(at("if"), Code::AtomicRead("ready".into()), "load and comparison are one instruction");
        assert_eq!(code_in("if (g_once_init_enter(&made)) {", 0), Code::AtomicRead("made".into()));
        assert_eq!(code_in("big_atomic_thing = g_other;", 0), Code::Plain);
    }

    #[test]
    fn directives_tell_which_side_is_atomic() {
        assert_eq!(directive("  #pragma omp atomic read seq_cst"), Some(Code::AtomicRead(String::new())));
        assert_eq!(directive("# pragma omp atomic seq_cst write"), Some(Code::AtomicWrite));
        assert_eq!(directive("#pragma omp atomic"), Some(Code::Plain));
        assert_eq!((directive("#pragma omp critical"), directive("x = 1;")), (None, None));
    }

    #[test]
    fn the_last_word_of_a_name_is_the_variable() {
        let last = |name: &str| Subject { name: name.into(), is_atomic: None }.last_word().to_owned();
        assert_eq!([last("queue.head[3]"), last("flag")], ["head", "flag"]);
        assert_eq!(last("*heap object from a.c:12 + 8 (field next)"), "next");
    }
}
