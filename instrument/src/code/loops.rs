//! Which loop a program counter is in.
//!
//! A program that computes without end is interrupted anywhere in its loop, elsewhere each time. To call two such
//! places the same needs the loop: all code from which control can come back to itself, by the jumps of one function.

use std::collections::HashMap;
use std::sync::OnceLock;

use iced_x86::{FlowControl, Instruction};

use super::decode::{self, index_at, jump_target};
use crate::image::Image;
use crate::maps::Module;
use crate::unwind::tables::UnwindTables;

/// Knows the loops of the code that is mapped into one process.
pub struct Loops {
    modules: Vec<(Module, OnceLock<Option<Contents>>)>,
}

/// What is read of a module's file.
struct Contents {
    image: Image,
    tables: UnwindTables,
}

impl Loops {
    /// Prepares to answer for these modules. Their files are read when first needed.
    #[must_use]
    pub fn new(modules: Vec<Module>) -> Self {
        Self { modules: modules.into_iter().map(|module| (module, OnceLock::new())).collect() }
    }

    /// The lowest address of the outermost loop, within one function, that the instruction at or around an address is
    /// in.
    #[must_use]
    pub fn start(&self, address: u64) -> Option<u64> {
        let (module, contents) = self.modules.iter().find(|(module, _)| module.contains(address))?;
        let contents = contents.get_or_init(|| {
            let image = Image::read(&module.path)?;
            UnwindTables::new(&image).map(|tables| Contents { image, tables })
        });
        let start = contents.as_ref()?.start(address.wrapping_sub(module.bias))?;
        Some(start.wrapping_add(module.bias))
    }
}

impl Contents {
    fn start(&self, address: u64) -> Option<u64> {
        let range = self.tables.range(address)?;
        let area = self.image.rest_of_segment(range.start)?;
        let bytes = area.data.bytes().get(..usize::try_from(range.end - range.start).ok()?)?;
        let mut instructions = Vec::new();
        // What stands before bytes that are no code may be a loop none the less.
        let _ = decode::decode(bytes, range.start, &mut instructions);
        start_in(&instructions, address)
    }
}

/// The same within the instructions of one function.
fn start_in(instructions: &[Instruction], address: u64) -> Option<u64> {
    let index = instructions.partition_point(|instruction| instruction.ip() <= address).checked_sub(1)?;
    let forward: Vec<Vec<usize>> = (0..instructions.len()).map(|from| successors(instructions, from)).collect();
    let mut backward: HashMap<usize, Vec<usize>> = HashMap::new();
    for (from, targets) in forward.iter().enumerate() {
        targets.iter().for_each(|&to| backward.entry(to).or_default().push(from));
    }
    let behind = reached(index, instructions.len(), |from| forward[from].as_slice());
    let before = reached(index, instructions.len(), |to| backward.get(&to).map_or(&[], Vec::as_slice));
    let first = (0..instructions.len()).find(|&place| behind[place] && before[place])?;
    Some(instructions[first].ip())
}

/// Where control may be next.
fn successors(instructions: &[Instruction], from: usize) -> Vec<usize> {
    let instruction = &instructions[from];
    if instruction.flow_control() == FlowControl::IndirectBranch {
        // Perhaps by a table, to any of its cases.
        return (0..instructions.len()).collect();
    }
    let target = jump_target(instruction).and_then(|target| index_at(instructions, target));
    let next = (!decode::ends_flow(instruction)).then_some(from + 1).filter(|&next| next < instructions.len());
    target.into_iter().chain(next).collect()
}

/// What is reached from a place in one step or more.
fn reached<'a>(start: usize, count: usize, steps: impl Fn(usize) -> &'a [usize]) -> Vec<bool> {
    let mut reached = vec![false; count];
    let mut open = vec![start];
    while let Some(place) = open.pop() {
        for &next in steps(place) {
            if !std::mem::replace(&mut reached[next], true) {
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(bytes: &[u8], address: u64) -> Option<u64> {
        let mut instructions = Vec::new();
        decode::decode(bytes, 0x1000, &mut instructions).expect("code");
        start_in(&instructions, address)
    }

    #[test]
    fn loops_are_told_apart() {
        // nop; 1: pause; jmp 1b; 2: test eax,eax; jne 2b; jmp 3f; 3: ret
        let code = [0x90, 0xf3, 0x90, 0xeb, 0xfc, 0x85, 0xc0, 0x75, 0xfc, 0xeb, 0x00, 0xc3];
        let starts: Vec<Option<u64>> = (0..12).map(|offset| start(&code, 0x1000 + offset)).collect();
        let (first, second) = (Some(0x1001), Some(0x1005));
        let expected = [None, first, first, first, first, second, second, second, second, None, None, None];
        assert_eq!(starts, expected);
    }

    #[test]
    fn an_inner_loop_is_part_of_the_outer_one() {
        // 1: nop; 2: test eax,eax; jne 2b; jmp 1b
        let code = [0x90, 0x85, 0xc0, 0x75, 0xfc, 0xeb, 0xf9];
        assert!((0..7).all(|offset| start(&code, 0x1000 + offset) == Some(0x1000)));
    }

    #[test]
    fn a_table_may_lead_anywhere() {
        // nop; jmp rax; ret
        let code = [0x90, 0xff, 0xe0, 0xc3];
        let starts: Vec<Option<u64>> = [0, 1, 3].iter().map(|offset| start(&code, 0x1000 + offset)).collect();
        assert_eq!(starts, [Some(0x1000), Some(0x1000), None]);
    }

    #[test]
    fn what_is_nowhere_is_in_no_loop() {
        assert_eq!(start(&[0x90], 0xfff), None);
        assert_eq!(Loops::new(Vec::new()).start(0x1000), None);
        let missing = Module { path: "/nonexistent".into(), bias: 0, start: 0x1000, end: 0x2000 };
        assert_eq!(Loops::new(vec![missing]).start(0x1000), None);
    }
}
