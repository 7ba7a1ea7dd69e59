//! Writes the region of a program to a file, for where the kernel loads it without randomisation, and says how long
//! that took.

use std::path::Path;
use std::time::Instant;

use rscale_instrument::code::survey::Survey;
use rscale_instrument::rewrite::{Placement, Plan, length_bound};

const DYNAMIC: u8 = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, program, output] = &arguments[..] else { return Err("usage: region PROGRAM OUTPUT".into()) };
    let is_position_independent = std::fs::read(program)?.get(16) == Some(&DYNAMIC);
    let start = Instant::now();
    let survey = Survey::of(Path::new(program))?;
    let surveyed = start.elapsed();
    let bound = length_bound(&survey);
    let (bias, base) = if is_position_independent {
        (0x5555_5555_4000, 0x5555_5555_4000 - bound.next_multiple_of(4096) - 0x100_0000)
    } else {
        (0, 0x5000_0000)
    };
    let start = Instant::now();
    let plan = Plan::build(Path::new(program), &survey, Placement { bias, base }, &|_| false)?;
    println!(
        "{program}: text {} bytes, {} functions, {} skipped, {} omitted, {} unhooked, {} traps; region {} (bound {bound}); \
         survey {surveyed:?}, plan {:?}",
        survey.text_bytes,
        survey.functions.len(),
        survey.skipped.len(),
        plan.omitted.len(),
        plan.unhooked.len(),
        plan.traps.len(),
        plan.region.len(),
        start.elapsed(),
    );
    std::fs::write(output, &plan.region)?;
    Ok(())
}
