//! Damaged files: any answer will do, as long as there is one.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rscale_instrument::code::survey::Survey;
use rscale_instrument::elf::inspect;
use rscale_instrument::maps::Module;
use rscale_instrument::rewrite::{Placement, Plan, length_bound};
use rscale_instrument::symbols::Symbolizer;
use rscale_instrument::unwind::{Registers, Unwinder};

use crate::support::Workshop;

/// A fixed sequence, so that a failure shows again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Asks everything there is to ask about a file.
fn exercise(path: PathBuf, random: &mut Random) {
    let _ = inspect(&path).is_ok();
    if let Ok(survey) = Survey::of(&path) {
        assert!(!survey.coverage_line().is_empty());
        let placement = Placement { bias: 0x5000_0000, base: 0x4000_0000 };
        if let Ok(plan) = Plan::build(&path, &survey, placement, &|_| false) {
            assert!(plan.region.len() as u64 <= length_bound(&survey));
        }
    }
    let module = Module { path, bias: 0, start: 0, end: 0x10000 };
    let symbolizer = Symbolizer::new(vec![module.clone()]);
    let unwinder = Unwinder::new(vec![module]);
    for _ in 0..60 {
        let pc = random.below(0x6000) as u64;
        let _ = symbolizer.frames(pc);
        let _ = symbolizer.variable(pc);
        let mut registers = Registers { values: [pc & !7; Registers::COUNT] };
        registers.values[Registers::RIP] = pc;
        let frames = unwinder.unwind(registers, &|address| Some(address ^ pc), 64);
        assert!(frames.len() <= 64);
    }
}

fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let is_in_header = random.below(3) == 0;
    for _ in 0..1 + random.below(40) {
        let limit = if is_in_header { 1024 } else { damaged.len() };
        let position = random.below(limit);
        damaged[position] = match random.below(4) {
            0 => 0xff,
            1 => 0,
            _ => random.below(256) as u8,
        };
    }
    if random.below(10) == 0 {
        damaged.truncate(random.below(bytes.len()));
    }
    damaged
}

#[test]
fn damaged_files_are_survived() {
    let seconds = Duration::from_secs(5);
    for (seed, source) in [(1, "names.c"), (2, "names.cc")] {
        let workshop = Workshop::new();
        let program = workshop.compile(source, "a.out", &["-g", "-O2"]);
        let bytes = std::fs::read(program).expect("was just built");
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
        let start = Instant::now();
        for _ in 0..400 {
            let damaged = damage(&bytes, &mut random);
            exercise(workshop.write("damaged", &damaged), &mut random);
            if start.elapsed() > seconds {
                break;
            }
        }
    }
}

#[test]
fn random_bytes_behind_a_valid_start_are_survived() {
    let workshop = Workshop::new();
    let mut random = Random(42);
    for _ in 0..200 {
        let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0".to_vec();
        let length = random.below(4000);
        bytes.extend((0..length).map(|_| random.below(256) as u8));
        exercise(workshop.write("random", &bytes), &mut random);
    }
}
