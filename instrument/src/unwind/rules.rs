//! Computes a caller's registers from the rules that hold at a program counter.

use gimli::{
    CfaRule, Evaluation, EvaluationResult, Location, Register, RegisterRule, UnwindContext, UnwindExpression, Value,
};

use super::tables::Entry;
use super::{ReadMemory, Registers};
use crate::image::Reader;

/// Bounds the operations of one DWARF expression. Real ones have about ten.
const MAX_OPERATIONS: u32 = 1000;

/// The state after returning from a function.
pub(super) struct Caller {
    pub(super) registers: Registers,
    /// The frame address of the function returned from.
    pub(super) cfa: u64,
    /// The function is the kernel's return from a signal handler: the caller was interrupted, it
    /// did not call.
    pub(super) is_signal_frame: bool,
}

impl Caller {
    /// A plain return: nothing but the stack pointer and the program counter changes.
    pub(super) fn returning(registers: &Registers, cfa: u64, return_address: u64) -> Self {
        let mut registers = *registers;
        registers.values[Registers::RSP] = cfa;
        registers.values[Registers::RIP] = return_address;
        Self { registers, cfa, is_signal_frame: false }
    }
}

/// Applies the unwind rules for `address`. `None` at the end of the stack and for anything invalid.
pub(super) fn apply(
    entry: &Entry<'_>,
    address: u64,
    registers: &Registers,
    read: ReadMemory<'_>,
    context: &mut UnwindContext<usize>,
) -> Option<Caller> {
    let description = &entry.description;
    let row = description.unwind_info_for_address(entry.section, entry.bases, context, address).ok()?;
    let state = State { entry, registers, read };
    let cfa = state.frame_address(row.cfa())?;
    let mut caller = Caller::returning(registers, cfa, 0);
    caller.is_signal_frame = description.is_signal_trampoline();
    let return_column = usize::from(description.cie().return_address_register().0);
    for number in 0..Registers::COUNT {
        let Some(rule) = row.register(Register(number as u16)) else {
            continue;
        };
        if rule == RegisterRule::Undefined {
            continue;
        }
        caller.registers.values[number] = state.recover(number, &rule, cfa)?;
    }
    // Column 16 is the return address on x86-64; without a rule it stays 0, which ends the stack.
    let is_end = caller.registers.pc() == 0 && !caller.is_signal_frame;
    (return_column == Registers::RIP && !is_end).then_some(caller)
}

/// What the rules of one frame may refer to.
struct State<'a> {
    entry: &'a Entry<'a>,
    registers: &'a Registers,
    read: ReadMemory<'a>,
}

impl State<'_> {
    fn frame_address(&self, rule: &CfaRule<usize>) -> Option<u64> {
        match rule {
            CfaRule::RegisterAndOffset { register, offset } => {
                Some(self.register(*register)?.wrapping_add_signed(*offset))
            }
            CfaRule::Expression(expression) => self.evaluate(expression, None),
        }
    }

    /// The caller's value of a register.
    fn recover(&self, number: usize, rule: &RegisterRule<usize>, cfa: u64) -> Option<u64> {
        match rule {
            RegisterRule::SameValue => Some(self.registers.values[number]),
            RegisterRule::Offset(offset) => (self.read)(cfa.wrapping_add_signed(*offset)),
            RegisterRule::ValOffset(offset) => Some(cfa.wrapping_add_signed(*offset)),
            RegisterRule::Register(other) => self.register(*other),
            RegisterRule::Expression(expression) => (self.read)(self.evaluate(expression, Some(cfa))?),
            RegisterRule::ValExpression(expression) => self.evaluate(expression, Some(cfa)),
            RegisterRule::Constant(value) => Some(*value),
            RegisterRule::Undefined | RegisterRule::Architectural => None,
        }
    }

    fn register(&self, register: Register) -> Option<u64> {
        self.registers.values.get(usize::from(register.0)).copied()
    }

    /// Runs an expression. Rules for registers start with the frame address on the stack.
    fn evaluate(&self, expression: &UnwindExpression<usize>, initial: Option<u64>) -> Option<u64> {
        let expression = expression.get(self.entry.section).ok()?;
        let mut evaluation = expression.evaluation(self.entry.description.cie().encoding());
        evaluation.set_max_iterations(MAX_OPERATIONS);
        if let Some(value) = initial {
            evaluation.set_initial_value(value);
        }
        let mut request = evaluation.evaluate().ok()?;
        loop {
            request = match request {
                EvaluationResult::Complete => return top_of_stack(&evaluation),
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = Value::Generic(self.register(register)?);
                    evaluation.resume_with_register(value).ok()?
                }
                EvaluationResult::RequiresMemory { address, size, .. } => {
                    let value = lowest_bytes((self.read)(address)?, size);
                    evaluation.resume_with_memory(Value::Generic(value)).ok()?
                }
                _ => return None,
            };
        }
    }
}

fn top_of_stack(evaluation: &Evaluation<Reader>) -> Option<u64> {
    match evaluation.as_result().last()?.location {
        Location::Address { address } => Some(address),
        _ => None,
    }
}

fn lowest_bytes(value: u64, size: u8) -> u64 {
    match size {
        0..8 => value & ((1 << (u32::from(size) * 8)) - 1),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_reads_drop_the_upper_bytes() {
        assert_eq!(lowest_bytes(0x1122_3344_5566_7788, 4), 0x5566_7788);
        assert_eq!(lowest_bytes(0x1122_3344_5566_7788, 1), 0x88);
        assert_eq!(lowest_bytes(u64::MAX, 8), u64::MAX);
        assert_eq!(lowest_bytes(u64::MAX, 0), 0);
    }
}
