//! Our stacks against those of glibc's `backtrace`, taken at the same place.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use object::{Object, ObjectSection};
use rscale_instrument::maps::{self, Module};
use rscale_instrument::symbols::Symbolizer;
use rscale_instrument::unwind::{Frame, Registers, Unwinder};

use crate::support::{Compilers, Target, Workshop, compilers};

/// A program that has stopped itself in the middle of something.
struct Stopped {
    target: Target,
    registers: Registers,
    expected: Vec<u64>,
}

impl Stopped {
    fn start(program: &Path, kind: &str) -> Self {
        let mut child = Command::new(program)
            .arg(kind)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("is piped"));
        let target = Target(child);
        let (mut values, mut expected) = (Vec::new(), Vec::new());
        // The program's alarm ends the output if it never gets there.
        for line in output.lines().map_while(Result::ok) {
            let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16);
            match line.split_once(' ') {
                Some(("frame", text)) => expected.push(number(text).expect("an address")),
                Some(("register", text)) => values.push(number(text).expect("a value")),
                _ => break,
            }
        }
        wait_until_stopped(target.id());
        Self { target, registers: Registers { values: values.try_into().expect("17 registers") }, expected }
    }

    fn unwind(&self, limit: usize) -> Vec<Frame> {
        let id = self.target.id();
        let memory = File::open(format!("/proc/{id}/mem")).expect("own child");
        let read = |address| {
            let mut bytes = [0; 8];
            memory.read_exact_at(&mut bytes, address).ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        let modules = maps::modules_of_process(id).expect("own child");
        Unwinder::new(modules).unwind(self.registers, &read, limit)
    }
}

fn wait_until_stopped(pid: u32) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("own child");
        let state = status.rsplit_once(") ").expect("is a stat line").1;
        if state.starts_with('T') {
            return;
        }
        assert!(Instant::now() < deadline, "the program does not stop: {status}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The functions on a stack, innermost first.
fn names(stopped: &Stopped) -> Vec<String> {
    let modules = maps::modules_of_process(stopped.target.id()).expect("own child");
    let symbolizer = Symbolizer::new(modules);
    let frames = stopped.unwind(50);
    frames.iter().filter_map(|frame| symbolizer.frames(frame.lookup_address()).pop()?.function).collect()
}

/// With every compiler; the frames are those of gcc's program.
fn check(flags: &[&str], kind: &str, at_least: usize) -> Vec<Frame> {
    let mut all = compilers().into_iter().map(|family| check_with(family, flags, kind, at_least));
    let first = all.next().expect("gcc is there");
    all.for_each(drop);
    first
}

fn check_with(family: Compilers, flags: &[&str], kind: &str, at_least: usize) -> Vec<Frame> {
    let workshop = Workshop::with(family);
    let program = workshop.compile("stack.c", "a.out", flags);
    let stopped = Stopped::start(&program, kind);
    let frames = stopped.unwind(100);
    let found: Vec<_> = frames.iter().skip(1).map(|frame| frame.pc).collect();
    // Both start within the same function, but not at the same instruction.
    assert_eq!(found, stopped.expected[1..], "{family:?} {kind} {flags:?}");
    assert!(frames.len() >= at_least, "{family:?} {kind}: only {} frames", frames.len());
    assert_eq!(stopped.unwind(3), frames[..3]);
    frames
}

#[test]
fn recursion_with_and_without_frame_pointers() {
    check(&["-O0"], "recursion", 13);
    check(&["-O2", "-fomit-frame-pointer"], "recursion", 4);
    check(&["-O1", "-no-pie", "-s"], "recursion", 13);
}

#[test]
fn stacks_of_unusual_shape() {
    check(&["-O0"], "realigned", 6);
    check(&["-O2"], "realigned", 4);
}

#[test]
fn through_a_library_and_from_a_thread() {
    check(&["-O2"], "callback", 4);
    check(&["-O2"], "thread", 4);
}

#[test]
fn through_signal_frames() {
    for kind in ["signal", "alternate"] {
        let frames = check(&["-O2"], kind, 6);
        let interrupted = frames.iter().skip(1).filter(|frame| !frame.is_return_address);
        assert_eq!(interrupted.count(), 1, "{kind}: {frames:?}");
    }
}

/// glibc's own walk ends at address 0, so the names are checked instead.
#[test]
fn a_call_through_a_null_pointer_shows_who_called() {
    let workshop = Workshop::new();
    let program = workshop.compile("stack.c", "a.out", &["-g", "-O1"]);
    let stopped = Stopped::start(&program, "null");
    let names = names(&stopped);
    let position = names.iter().position(|name| name == "call_nothing");
    assert!(position.is_some_and(|position| names[position + 1] == "main"), "{names:?}");
}

#[test]
fn frames_have_the_lines_of_their_calls() {
    let workshop = Workshop::new();
    let program = workshop.compile("stack.c", "a.out", &["-g", "-O0"]);
    let stopped = Stopped::start(&program, "recursion");
    let names = names(&stopped);
    assert_eq!(names[0], "leaf");
    assert!(names[1..12].iter().all(|name| name == "recurse"), "{names:?}");
    assert_eq!(names[12], "main");
}

/// Between the push of the relocation index and the jump, the stack of a PLT stub is one word deeper: its unwind
/// rule is an expression on the program counter.
#[test]
fn procedure_linkage_stubs() {
    let workshop = Workshop::new();
    let flags = ["-no-pie", "-fcf-protection=none", "-Wl,-z,lazy"];
    let program = workshop.compile("stack.c", "a.out", &flags);
    let bytes = std::fs::read(&program).expect("was just built");
    let file = object::File::parse(&*bytes).expect("is intact");
    let section = |name| file.section_by_name(name).expect("is there").address();
    let (stub, text) = (section(".plt") + 16, section(".text"));
    let unwinder = Unwinder::new(vec![Module { path: program, bias: 0, start: stub & !0xfff, end: text + 0x1000 }]);
    let return_address = text + 8;
    for (pc, stack_offset) in [(stub, 0), (stub + 6, 0), (stub + 11, 8)] {
        let mut registers = Registers::default();
        registers.values[Registers::RIP] = pc;
        registers.values[Registers::RSP] = 0x7000;
        let read = |address| (address == 0x7000 + stack_offset).then_some(return_address);
        let frames = unwinder.unwind(registers, &read, 10);
        assert_eq!(frames[0].cfa, 0x7008 + stack_offset, "at {pc:#x}");
        assert_eq!(frames[1].pc, return_address);
    }
}
