//! Whether the arithmetic flags hold a value that is still needed.
//!
//! A hook that must preserve the flags costs more than one that need not, and compilers leave them dead at most
//! accesses. This is backward liveness within one function. Where execution goes is unknown at an indirect
//! jump, at a jump out of the range and at its end: there, all flags count as live.
//!
//! By the calling convention no flag survives a call or a return. Assembly may do otherwise, and shows it:
//! a flag is read behind a call, or at the start of a function, before anything sets it. A file in which that
//! happens is analysed again with [`CallFlags::Kept`].

use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register, RflagsBits};

use super::decode::{index_at, is_call, is_padding, jump_target};

const ALL: u32 = RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;

/// Rounds of the analysis; compiled functions need fewer than ten.
const MAX_ROUNDS: usize = 100;

/// What calls and returns do with the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFlags {
    /// Neither caller nor callee expects anything in them, as the calling convention says.
    Lost,
    /// They may carry arguments and results.
    Kept,
}

/// The flags that are live before an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Live {
    /// Those that may be read.
    possibly: u32,
    /// Those that the function itself reads on some path.
    surely: u32,
}

/// Where in one function the flags are live.
#[derive(Clone, Debug)]
pub struct FlagLiveness {
    before: Vec<Live>,
    crosses_call: bool,
}

/// Where execution continues behind an instruction.
#[derive(Clone, Copy)]
struct Successors {
    next: bool,
    target: Option<usize>,
    /// Flags that an unknown continuation may read.
    elsewhere: u32,
}

impl FlagLiveness {
    /// Analyses the instructions of one function, in the order of their addresses.
    #[must_use]
    pub fn of(instructions: &[Instruction], calls: CallFlags) -> Self {
        let successors: Vec<Successors> =
            instructions.iter().map(|instruction| successors(instructions, instruction, calls)).collect();
        let before = fixed_point(instructions, &successors, calls);
        let crosses_call = crosses_call(instructions, &successors, &before);
        Self { before, crosses_call }
    }

    /// Whether a hook before this instruction must preserve the flags.
    #[must_use]
    pub fn is_live_before(&self, index: usize) -> bool {
        self.before.get(index).is_none_or(|live| live.possibly != 0)
    }

    /// Whether a flag is read that the function did not set since it was entered.
    #[must_use]
    pub fn reads_flags_at_entry(&self) -> bool {
        self.before.first().is_some_and(|live| live.surely != 0)
    }

    /// Whether a flag is read that a called function left behind.
    #[must_use]
    pub fn reads_flags_of_callee(&self) -> bool {
        self.crosses_call
    }
}

/// Goes backwards over the function until nothing changes. Loops take a round each; code made to take more than
/// any compiler's is given up, with everything live.
fn fixed_point(instructions: &[Instruction], successors: &[Successors], calls: CallFlags) -> Vec<Live> {
    let mut before = vec![Live::default(); instructions.len()];
    for _ in 0..MAX_ROUNDS {
        let mut has_changed = false;
        for index in (0..instructions.len()).rev() {
            let behind = live_behind(&before, index, successors[index]);
            let live = live_before(&instructions[index], behind, calls);
            has_changed |= live != before[index];
            before[index] = live;
        }
        if !has_changed {
            return before;
        }
    }
    vec![Live { possibly: ALL, surely: ALL }; instructions.len()]
}

fn successors(instructions: &[Instruction], instruction: &Instruction, calls: CallFlags) -> Successors {
    let target = jump_target(instruction).and_then(|target| index_at(instructions, target));
    let unless_found = if target.is_some() { 0 } else { ALL };
    let (next, elsewhere) = match instruction.flow_control() {
        FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => (true, 0),
        FlowControl::UnconditionalBranch => (false, unless_found),
        FlowControl::ConditionalBranch => (true, unless_found),
        FlowControl::Return => (false, if calls == CallFlags::Kept { ALL } else { 0 }),
        FlowControl::Interrupt | FlowControl::XbeginXabortXend => (true, ALL),
        FlowControl::IndirectBranch | FlowControl::Exception => (false, ALL),
    };
    Successors { next, target, elsewhere }
}

fn live_behind(before: &[Live], index: usize, successors: Successors) -> Live {
    let mut live = Live { possibly: successors.elsewhere, surely: 0 };
    let unknown = Live { possibly: ALL, surely: 0 };
    let next = successors.next.then(|| before.get(index + 1).copied().unwrap_or(unknown));
    let target = successors.target.map(|target| before[target]);
    for successor in next.into_iter().chain(target) {
        live.possibly |= successor.possibly;
        live.surely |= successor.surely;
    }
    live
}

fn live_before(instruction: &Instruction, behind: Live, calls: CallFlags) -> Live {
    if is_call(instruction) {
        let possibly = if calls == CallFlags::Kept { ALL } else { 0 };
        return Live { possibly, surely: 0 };
    }
    if instruction.mnemonic() == Mnemonic::Syscall {
        // The kernel restores the flags, and their copy in R11 serves no one.
        return behind;
    }
    let read = instruction.rflags_read() & ALL;
    let kept = if may_keep_flags(instruction) { ALL } else { !instruction.rflags_modified() & ALL };
    Live { possibly: behind.possibly & kept | read, surely: behind.surely & kept | read }
}

/// Shifts by a variable number, and repeated comparisons: no round, no change.
fn may_keep_flags(instruction: &Instruction) -> bool {
    use Mnemonic::{Rcl, Rcr, Rol, Ror, Sal, Sar, Shl, Shld, Shr, Shrd};
    let is_shift = matches!(instruction.mnemonic(), Rcl | Rcr | Rol | Ror | Sal | Sar | Shl | Shld | Shr | Shrd);
    let last = instruction.op_count().saturating_sub(1);
    let is_variable = instruction.op_count() > 0
        && instruction.op_kind(last) == OpKind::Register
        && instruction.op_register(last) == Register::CL;
    let is_repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    (is_shift && is_variable) || (is_repeated && instruction.is_string_instruction())
}

/// Whether the code behind a call reads flags. Code that is also jumped to says nothing: the call before it may
/// never return, as that of `abort` does.
fn crosses_call(instructions: &[Instruction], successors: &[Successors], before: &[Live]) -> bool {
    let is_jumped_to = |index: usize| successors.iter().any(|successor| successor.target == Some(index));
    instructions.iter().enumerate().filter(|(_, instruction)| is_call(instruction)).any(|(index, _)| {
        let behind = index + 1;
        let padding = instructions[behind..].iter().take_while(|instruction| is_padding(instruction)).count();
        let reads = before.get(behind).is_some_and(|live| live.surely != 0);
        reads && !(behind..=behind + padding).any(is_jumped_to)
    })
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    fn liveness(bytes: &[u8], calls: CallFlags) -> FlagLiveness {
        let mut instructions = Vec::new();
        decode(bytes, 0x1000, &mut instructions).expect("valid code");
        FlagLiveness::of(&instructions, calls)
    }

    fn live(bytes: &[u8]) -> Vec<bool> {
        let liveness = liveness(bytes, CallFlags::Lost);
        (0..liveness.before.len()).map(|index| liveness.is_live_before(index)).collect()
    }

    const LOAD: [u8; 2] = [0x8b, 0x07]; // mov eax,[rdi]
    const COMPARE: [u8; 2] = [0x85, 0xc0]; // test eax,eax
    const CALL: [u8; 5] = [0xe8, 0, 0, 0, 0];
    const SETE: [u8; 3] = [0x0f, 0x94, 0xc0];
    const RET: u8 = 0xc3;

    #[test]
    fn flags_are_live_between_a_comparison_and_its_use() {
        let code = [&LOAD[..], &COMPARE, &LOAD, &SETE, &LOAD, &[RET]].concat();
        assert_eq!(live(&code), [false, false, true, true, false, false]);
    }

    #[test]
    fn a_loop_carries_liveness_backwards() {
        // cmp; 1: mov eax,[rdi]; jne 1b; ret
        let code = [&COMPARE[..], &LOAD, &[0x75, 0xfc, RET]].concat();
        assert_eq!(live(&code), [false, true, true, false]);
    }

    #[test]
    fn unknown_continuations_keep_all_flags() {
        assert_eq!(live(&[&LOAD[..], &[0xff, 0xe0]].concat()), [true, true], "jmp rax");
        assert_eq!(live(&[&LOAD[..], &[0xeb, 0x40]].concat()), [true, true], "a jump out of the range");
        assert_eq!(live(&LOAD), [true], "the end of the range");
    }

    #[test]
    fn conditional_writers_do_not_kill() {
        // test; mov eax,[rdi]; shl edx,cl; sete al; ret
        let code = [&COMPARE[..], &LOAD, &[0xd3, 0xe2], &SETE, &[RET]].concat();
        assert_eq!(live(&code), [false, true, true, true, false]);
        // The same with shl edx,1, which always sets them.
        let code = [&COMPARE[..], &LOAD, &[0xd1, 0xe2], &SETE, &[RET]].concat();
        assert_eq!(live(&code), [false, false, false, true, false]);
    }

    #[test]
    fn increments_leave_the_carry_alive() {
        // cmp-like; mov eax,[rdi]; inc edx; adc eax,0; ret
        let code = [&COMPARE[..], &LOAD, &[0xff, 0xc2], &[0x83, 0xd0, 0x00], &[RET]].concat();
        assert_eq!(live(&code), [false, true, true, true, false]);
    }

    #[test]
    fn calls_end_liveness_unless_flags_are_results() {
        let plain = [&LOAD[..], &CALL, &LOAD, &[RET]].concat();
        assert_eq!(live(&plain), [false; 4]);
        assert!(!liveness(&plain, CallFlags::Lost).reads_flags_of_callee());
        let odd = [&LOAD[..], &CALL, &SETE, &[RET]].concat();
        assert!(liveness(&odd, CallFlags::Lost).reads_flags_of_callee());
        assert!(!liveness(&odd, CallFlags::Lost).reads_flags_at_entry());
        let asking = [&LOAD[..], &[0x0f, 0x05], &[RET]].concat();
        assert_eq!(live(&asking), [false; 3], "a system call reads no flags");
        // jmp 1f; call; 1: sete al; ret
        let aborting = [&[0xeb, 0x05][..], &CALL, &SETE, &[RET]].concat();
        assert!(!liveness(&aborting, CallFlags::Lost).reads_flags_of_callee());
        assert!(liveness(&SETE, CallFlags::Lost).reads_flags_at_entry());
        assert!(liveness(&plain, CallFlags::Kept).is_live_before(0));
    }
}
