//! `code::survey` on assembly whose accesses are known, and on what compilers and distributions make.

use std::path::Path;
use std::process::Command;

use rscale_instrument::code::functions::{Origin, Role};
use rscale_instrument::code::sites::{OperandClass, Shape, Site};
use rscale_instrument::code::survey::{Survey, SurveyError, Surveyed};

use crate::support::{Compilers, Workshop, compilers};

fn survey(path: &Path) -> Survey {
    Survey::of(path).expect("has code")
}

fn function<'a>(survey: &'a Survey, name: &str) -> &'a Surveyed {
    let has_name = |surveyed: &&Surveyed| surveyed.function.names.iter().any(|known| known == name);
    survey.functions.iter().find(has_name).unwrap_or_else(|| panic!("no {name}: {}", survey.coverage_line()))
}

/// `+offset/length kind size class shape`, with the usual class and shape left out.
fn shown(surveyed: &Surveyed, site: &Site) -> String {
    let offset = site.address - surveyed.function.range.start;
    let mut text = format!("+{offset}/{} {:?} {}", site.length, site.kind, site.size);
    if site.class != OperandClass::Shared {
        text += &format!(" {:?}", site.class);
    }
    match site.shape {
        Shape::Word => text,
        Shape::Wide { is_aligned: true } => text + " aligned",
        Shape::Wide { is_aligned: false } => text + " unaligned",
        shape => text + &format!(" {shape:?}"),
    }
}

fn sites(survey: &Survey, name: &str) -> Vec<String> {
    let surveyed = function(survey, name);
    surveyed.sites.iter().map(|site| shown(surveyed, site)).collect()
}

#[test]
fn hand_written_accesses_are_classified() {
    let workshop = Workshop::new();
    let library = workshop.compile("accesses.s", "accesses.so", &["-shared", "-nostdlib"]);
    let survey = survey(&library);
    assert_eq!(survey.skipped, []);
    assert_eq!(sites(&survey, "plain"), ["+0/2 Read 4", "+2/3 Write 1", "+5/4 Update 2", "+9/4 Read 8"]);
    let atomic = [
        "+0/3 Atomic 4",
        "+3/3 Atomic 8",
        "+6/5 Atomic 16 aligned",
        "+11/3 Update 4",
        "+14/3 Fence 0",
        "+17/6 Fence 0",
    ];
    assert_eq!(sites(&survey, "atomic"), atomic);
    let stack = ["+8/3 Write 4 OwnStack", "+11/4 Read 4 OwnStack", "+15/2 Read 8", "+17/2 Write 8", "+19/3 Read 8"];
    assert_eq!(sites(&survey, "stack"), stack);
    assert_eq!(sites(&survey, "escaping"), ["+0/8 Write 4"]);
    let segments = [
        "+0/9 Read 8 ThreadLocal",
        "+9/3 Read 4 ThreadLocal",
        "+12/6 Read 4 Constant",
        "+18/6 Read 4",
        "+24/6 Write 4",
    ];
    assert_eq!(sites(&survey, "segments"), segments);
    let strings = [
        "+0/2 Read 1 Repeated",
        "+0/2 Write 1 Repeated",
        "+2/2 Read 8",
        "+2/2 Write 8",
        "+4/2 Read 1 Repeated",
        "+6/2 Write 4 Repeated",
    ];
    let mut found = sites(&survey, "strings");
    found.sort();
    assert_eq!(found, strings);
    let vectors = [
        "+0/3 Read 16 aligned",
        "+3/3 Write 16 unaligned",
        "+6/4 Read 16 aligned",
        "+10/4 Read 32 unaligned",
        "+14/4 Write 32 aligned",
        "+18/6 Read 4 Gathered",
        "+24/3 Update 4 BitIndexed",
        "+27/2 Read 10 unaligned",
    ];
    assert_eq!(sites(&survey, "vectors"), vectors);
}

#[test]
fn hand_written_functions_have_the_facts_that_cloning_needs() {
    let workshop = Workshop::new();
    let survey = survey(&workshop.compile("accesses.s", "accesses.so", &["-shared", "-nostdlib"]));
    let live: Vec<bool> = function(&survey, "flags").sites.iter().map(|site| site.flags_live).collect();
    assert_eq!(live, [true, false]);
    let jumping = function(&survey, "jumping");
    assert_eq!((jumping.indirect_jumps, jumping.leaving_jumps, jumping.falls_through), (2, 1, false));
    assert!(function(&survey, "escaping").uses_red_zone && function(&survey, "escaping").takes_stack_address);
    assert!(!function(&survey, "stack").uses_red_zone && !function(&survey, "stack").is_leaf);
    assert!(!function(&survey, "plain").uses_red_zone && function(&survey, "plain").is_leaf);
    assert!(!survey.takes_thread_local_address);
    let line = survey.coverage_line();
    assert!(line.starts_with("10 functions, ") && line.ends_with(", none skipped"), "{line}");
}

/// Where functions lie and what they access, whoever they are.
fn anonymous(survey: &Survey) -> Vec<(u64, Vec<Site>)> {
    let entry = |surveyed: &Surveyed| (surveyed.function.range.start, surveyed.sites.clone());
    survey.functions.iter().map(entry).collect()
}

fn ranges(survey: &Survey) -> Vec<(u64, u64)> {
    let instrumentable = survey.functions.iter().map(|surveyed| &surveyed.function);
    let skipped = survey.skipped.iter().map(|skipped| &skipped.function);
    let all = instrumentable.chain(skipped).chain(&survey.support);
    let mut ranges: Vec<(u64, u64)> = all.map(|function| (function.range.start, function.range.end)).collect();
    ranges.sort_unstable();
    ranges
}

#[test]
fn stripping_changes_nothing_but_names() {
    for family in compilers() {
        for source in ["stack.c", "names.c", "names.cc"] {
            for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
                for position in [["-pie", "-fPIE"], ["-no-pie", "-fno-pie"]] {
                    check_stripped(family, source, &[&["-g", level], &position[..]].concat());
                }
            }
        }
    }
}

fn check_stripped(family: Compilers, source: &str, flags: &[&str]) {
    let workshop = Workshop::with(family);
    let program = workshop.compile(source, "named", flags);
    workshop.run(Command::new("strip").args(["-o", "stripped", "named"]));
    let (named, stripped) = (survey(&program), survey(&workshop.path("stripped")));
    let context = format!("{family:?} {source} {flags:?}: {}", stripped.coverage_line());
    assert_eq!(ranges(&named), ranges(&stripped), "{context}");
    // Some start code is only known by its name.
    let anonymous_stripped = anonymous(&stripped);
    assert!(anonymous(&named).iter().all(|entry| anonymous_stripped.contains(entry)), "{context}");
    assert!(stripped.skipped.is_empty(), "{context}");
    assert!(function(&named, "main").function.role == Role::Program);
}

#[test]
fn start_code_and_stubs_are_told_apart() {
    let workshop = Workshop::new();
    let survey = survey(&workshop.compile("stack.c", "a.out", &["-O2"]));
    let support = |role| survey.support.iter().filter(move |function| function.role == role);
    let names: Vec<String> = support(Role::Startup).map(|function| function.label()).collect();
    for expected in ["_start", "_init", "_fini", "frame_dummy", "register_tm_clones", "__do_global_dtors_aux"] {
        assert!(names.iter().any(|name| name == expected), "{expected}: {names:?}");
    }
    assert!(support(Role::Plt).any(|function| function.label() == ".plt"));
    assert!(survey.functions.iter().all(|surveyed| surveyed.function.origin == Origin::Symbol));
}

#[test]
fn cold_parts_are_known_with_and_without_names() {
    let source = b"void sink(int *);\n\
        __attribute__((noinline, cold)) void fail(int n) { __builtin_printf(\"%d\", n); }\n\
        __attribute__((noinline)) int work(int n) { int local[9] = {n}; sink(local);\n\
        if (n > 9) { fail(local[n & 7]); fail(local[1]); } return local[n]; }\n\
        __attribute__((noinline)) void sink(int *p) { __asm__ volatile(\"\" :: \"r\"(p) : \"memory\"); }\n\
        int main(int argc, char **argv) { (void)argv; return work(argc); }\n";
    let workshop = Workshop::new();
    workshop.write("cold.c", source);
    workshop.run(Command::new("gcc").args(["-O2", "-o", "named", "cold.c"]));
    workshop.run(Command::new("strip").args(["-o", "stripped", "named"]));
    let parts = |name: &str| {
        let survey = survey(&workshop.path(name));
        let parts = survey.functions.iter().filter(|surveyed| surveyed.function.is_part);
        parts.map(|surveyed| (surveyed.function.range.clone(), surveyed.takes_stack_address)).collect::<Vec<_>>()
    };
    let named = survey(&workshop.path("named"));
    assert_eq!(parts("named"), [(function(&named, "work.cold").function.range.clone(), true)]);
    assert_eq!(parts("stripped"), parts("named"));
    assert!(function(&named, "work").leaving_jumps >= 1);
}

#[test]
fn a_program_without_symbols_and_unwind_tables_is_swept() {
    let flags = ["-O1", "-fcf-protection=none", "-fno-asynchronous-unwind-tables", "-fno-exceptions"];
    for pie in ["-pie", "-no-pie"] {
        let workshop = Workshop::new();
        let position = if pie == "-pie" { "-fPIE" } else { "-fno-pie" };
        let program = workshop.compile("stack.c", "named", &[&flags[..], &[pie, position]].concat());
        workshop.run(Command::new("strip").args(["-o", "stripped", "named"]));
        let (named, stripped) = (survey(&program), survey(&workshop.path("stripped")));
        let found = |name: &str| {
            let start = function(&named, name).function.range.start;
            let surveyed = stripped.functions.iter().find(|surveyed| surveyed.function.range.start == start);
            surveyed.map(|surveyed| surveyed.function.origin)
        };
        assert_eq!(found("main"), Some(Origin::Address), "{}", stripped.coverage_line());
        assert_eq!(found("thread"), Some(Origin::Address), "{}", stripped.coverage_line());
    }
}

#[test]
fn a_survey_is_the_same_each_time() {
    let workshop = Workshop::new();
    let program = workshop.compile("names.cc", "a.out", &["-O2"]);
    assert_eq!(survey(&program), survey(&program));
}

#[test]
fn a_program_without_sections_is_read_through_its_segments() {
    let workshop = Workshop::new();
    let program = workshop.compile("stack.c", "a.out", &["-O2"]);
    let named = survey(&program);
    let mut bytes = std::fs::read(program).expect("was just built");
    bytes[0x28..0x30].fill(0); // e_shoff
    bytes[0x3c..0x40].fill(0); // e_shnum, e_shstrndx
    let bare = survey(&workshop.write("bare", &bytes));
    let main = &function(&named, "main").function.range;
    let found = bare.functions.iter().find(|surveyed| surveyed.function.range.start == main.start);
    assert_eq!(found.map(|surveyed| surveyed.sites.len()), Some(function(&named, "main").sites.len()));
}

#[test]
fn programs_of_the_distribution_are_covered() {
    let candidates = ["/bin/bash", "/usr/bin/python3", "/usr/bin/perl"];
    let present: Vec<_> = candidates.iter().map(Path::new).filter(|path| path.exists()).collect();
    assert!(!present.is_empty(), "none of {candidates:?}");
    for path in present {
        let survey = survey(path);
        let (skipped, all) = (survey.skipped.len(), survey.function_count());
        assert!(all > 500 && skipped * 100 < all, "{}: {}", path.display(), survey.coverage_line());
        assert!(survey.counts().hooked() > 10 * all);
    }
}

#[test]
fn files_without_code_are_refused() {
    let workshop = Workshop::new();
    assert!(matches!(Survey::of(&workshop.path("missing")), Err(SurveyError::Unreadable(..))));
    assert!(matches!(Survey::of(&workshop.path("")), Err(SurveyError::NotSuitable(..))));
    let text = workshop.write("text", b"int main;");
    let error = Survey::of(&text).expect_err("is a text");
    assert!(error.to_string().contains("is not an ELF"), "{error}");
    let mut header = b"\x7fELF\x02\x01\x01".to_vec();
    header.resize(64, 0);
    header[16..20].copy_from_slice(&[3, 0, 62, 0]);
    header[52] = 64;
    let error = Survey::of(&workshop.write("empty", &header)).expect_err("has nothing");
    assert!(matches!(error, SurveyError::NoCode(_)), "{error}");
}
