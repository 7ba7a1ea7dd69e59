//! Names and lines, checked against programs that print their own addresses.

use std::path::Path;

use rscale_instrument::maps;
use rscale_instrument::symbols::{SourceFrame, Symbolizer};

use crate::support::{Workshop, compilers};

const BUILDS: [&[&str]; 6] = [
    &["-g", "-O0", "-pie", "-fPIE"],
    &["-g", "-O2", "-pie", "-fPIE"],
    &["-g", "-O2", "-no-pie", "-gdwarf-4"],
    &["-g", "-O1", "-no-pie", "-fdebug-types-section"],
    &["-g", "-O2", "-flto"],
    &["-g", "-O2", "-gz"],
];

/// Every build with every compiler. For link-time optimisation clang needs a linker of its own.
fn builds() -> impl Iterator<Item = (Workshop, &'static [&'static str])> {
    let all = compilers().into_iter().flat_map(|family| BUILDS.map(|flags| (Workshop::with(family), flags)));
    all.filter(|(workshop, flags)| !(workshop.is_clang() && flags.contains(&"-flto")))
}

/// What a program printed about itself.
struct Answers {
    symbolizer: Symbolizer,
    lines: Vec<Vec<String>>,
}

impl Answers {
    fn of(workshop: &Workshop, program: &Path) -> Self {
        let output = workshop.output_of(program);
        let (lines, maps) = output.split_once("maps\n").expect("prints its maps");
        let mappings = maps::parse(maps);
        let modules = maps::modules(&mappings, &|path| std::fs::read(path).ok());
        let words = |line: &str| line.split(' ').map(str::to_owned).collect();
        Self { symbolizer: Symbolizer::new(modules), lines: lines.lines().map(words).collect() }
    }

    /// The lines that start with a word, without it.
    fn about<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a [String]> {
        let lines = self.lines.iter().filter(move |line| line[0] == kind);
        lines.map(|line| &line[1..])
    }
}

fn address(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("prints addresses")
}

fn functions(frames: &[SourceFrame]) -> String {
    let names: Vec<_> = frames.iter().map(|frame| frame.function.clone().unwrap_or_default()).collect();
    names.join("<")
}

fn check_variables(answers: &Answers, at_least: usize) {
    let mut checked = 0;
    for line in answers.about("variable") {
        let name = answers.symbolizer.variable(address(&line[1]));
        assert_eq!(name.as_deref(), Some(&*line[0]));
        checked += 1;
    }
    assert!(checked >= at_least, "only {checked} variables");
}

fn check_calls(answers: &Answers, file: &str) {
    let mut checked = 0;
    for line in answers.about("call") {
        let return_address = address(&line[2]);
        let frames = answers.symbolizer.frames_of_return_address(return_address);
        assert_eq!(functions(&frames), line[0]);
        assert_eq!(frames[0].location(), format!("{file}:{}", line[1]));
        let call = answers.symbolizer.location(return_address - 1);
        assert_eq!(call, frames[0].location());
        assert!(frames.iter().all(|frame| frame.line.is_some()));
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn c_programs_with_debug_information() {
    for (workshop, flags) in builds() {
        println!("clang: {} {flags:?}", workshop.is_clang());
        let program = workshop.compile("names.c", "a.out", flags);
        let answers = Answers::of(&workshop, &program);
        check_variables(&answers, 23);
        check_calls(&answers, "names.c");
        let entry = answers.about("function").next().expect("prints outer");
        let frames = answers.symbolizer.frames(address(&entry[1]));
        assert_eq!(frames.last().expect("one").function.as_deref(), Some("outer"));
    }
}

#[test]
fn cpp_programs_with_debug_information() {
    for (workshop, flags) in builds() {
        println!("clang: {} {flags:?}", workshop.is_clang());
        let program = workshop.compile("names.cc", "a.out", flags);
        let answers = Answers::of(&workshop, &program);
        check_variables(&answers, 11);
        check_calls(&answers, "names.cc");
        let anonymous = answers.about("anonymous").next().expect("is printed");
        assert_eq!(
            answers.symbolizer.variable(address(&anonymous[0])).as_deref(),
            Some("ns::(anonymous namespace)::ready")
        );
    }
}

#[test]
fn symbol_tables_serve_without_debug_information() {
    let workshop = Workshop::new();
    let program = workshop.compile("names.c", "a.out", &["-O1"]);
    let answers = Answers::of(&workshop, &program);
    let address_of = |name: &str| {
        let mut lines = answers.about("variable");
        let line = lines.find(|line| line[0] == name).expect("is printed");
        address(&line[1])
    };
    let variable = |name| answers.symbolizer.variable(address_of(name));
    assert_eq!(variable("counter").as_deref(), Some("counter"));
    assert_eq!(variable("counter+2").as_deref(), Some("counter+2"));
    assert_eq!(variable("queue.lock").as_deref(), Some("queue+16"));
    let call = answers.about("call").next().expect("is printed");
    let frames = answers.symbolizer.frames_of_return_address(address(&call[2]));
    assert_eq!(functions(&frames), "outer");
    assert!(frames[0].to_string().starts_with("outer+0x"), "{}", frames[0]);
    assert!(frames[0].location().starts_with("a.out+0x"));
}

#[test]
fn cpp_symbols_are_demangled_without_debug_information() {
    let workshop = Workshop::new();
    let program = workshop.compile("names.cc", "a.out", &["-O1"]);
    let answers = Answers::of(&workshop, &program);
    let lock = answers.about("variable").next().expect("is printed");
    assert_eq!(answers.symbolizer.variable(address(&lock[1])).as_deref(), Some("ns::lock"));
    let call = answers.about("call").next().expect("is printed");
    let frames = answers.symbolizer.frames_of_return_address(address(&call[2]));
    assert_eq!(functions(&frames), "ns::Pool::visit(int)");
}

#[test]
fn stripped_programs_leave_module_and_offset() {
    for flags in [["-s", "-pie"], ["-s", "-no-pie"]] {
        let workshop = Workshop::new();
        let program = workshop.compile("names.c", "a.out", &flags);
        let answers = Answers::of(&workshop, &program);
        for line in answers.about("variable") {
            assert_eq!(answers.symbolizer.variable(address(&line[1])), None);
        }
        let entry = answers.about("function").next().expect("is printed");
        let location = answers.symbolizer.location(address(&entry[1]));
        let offset = location.strip_prefix("a.out+0x").expect("module and offset");
        assert_eq!(address(offset) & 0xfff, address(&entry[1]) & 0xfff);
    }
}

#[test]
fn a_library_function_is_named() {
    let modules = maps::modules_of_process(std::process::id()).expect("own maps");
    let libc = modules.iter().find(|module| module.name().starts_with("libc.so")).expect("is loaded").clone();
    let bytes = std::fs::read(&libc.path).expect("is readable");
    let elf = goblin::elf::Elf::parse(&bytes).expect("is intact");
    let symbol = elf
        .dynsyms
        .iter()
        .find(|symbol| elf.dynstrtab.get_at(symbol.st_name) == Some("pthread_mutex_lock"))
        .expect("is exported");
    let pc = libc.bias + symbol.st_value + 3;
    let frames = Symbolizer::new(modules).frames(pc);
    assert_eq!(functions(&frames), "pthread_mutex_lock");
}
