//! How a function uses its stack: whether another thread may ever learn an address in it.
//!
//! Operands based on RSP or a frame pointer are private as long as the code never computes the address of a slot.
//! This is decided without following control flow: one suspicious instruction anywhere spoils the function.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::decode::is_call;

/// The facts of one range of code. A function in several parts has the facts of all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StackUse {
    /// An address derived from RSP goes somewhere else, or RSP comes from somewhere else.
    leaks_stack_pointer: bool,
    /// RBP is set from RSP, as a frame pointer is.
    sets_frame: bool,
    /// RBP is written in other ways than a frame pointer.
    writes_frame_register: bool,
    /// RBP, or an address derived from it, goes somewhere else.
    copies_frame_register: bool,
    /// It is set up as a frame pointer in one place and written in another.
    misuses_frame: bool,
    /// RBP is pushed, and has been before or has been written.
    pushes_frame_register_again: bool,
    /// RBP is pushed.
    pushes_frame_register: bool,
    calls: bool,
    is_below_stack_pointer: bool,
    is_below_frame: bool,
}

impl StackUse {
    pub(super) fn of(instructions: &[Instruction]) -> Self {
        let mut usage = Self::default();
        for instruction in instructions {
            usage.note_push(instruction);
            usage.note_memory_operand(instruction);
            usage.note_registers(instruction);
            usage.calls |= is_call(instruction);
            usage.sets_frame |= instruction.mnemonic() == Mnemonic::Enter;
        }
        usage.misuses_frame = usage.sets_frame && usage.writes_frame_register;
        usage
    }

    /// The facts of two parts of one function.
    pub(super) fn joined(self, other: Self) -> Self {
        Self {
            leaks_stack_pointer: self.leaks_stack_pointer | other.leaks_stack_pointer,
            sets_frame: self.sets_frame | other.sets_frame,
            writes_frame_register: self.writes_frame_register | other.writes_frame_register,
            copies_frame_register: self.copies_frame_register | other.copies_frame_register,
            pushes_frame_register: self.pushes_frame_register | other.pushes_frame_register,
            pushes_frame_register_again: self.pushes_frame_register_again | other.pushes_frame_register_again,
            misuses_frame: self.misuses_frame | other.misuses_frame,
            calls: self.calls | other.calls,
            is_below_stack_pointer: self.is_below_stack_pointer | other.is_below_stack_pointer,
            is_below_frame: self.is_below_frame | other.is_below_frame,
        }
    }

    /// The facts of a part of a function, which has no caller whose registers it would save.
    pub(super) fn of_part(self) -> Self {
        Self { pushes_frame_register_again: self.pushes_frame_register, ..self }
    }

    /// The facts of a range whose frame belongs to code that is not known.
    pub(super) fn with_leak(self) -> Self {
        Self { leaks_stack_pointer: true, ..self }
    }

    /// Whether the address of a stack slot may be known elsewhere.
    pub(super) fn takes_address(self) -> bool {
        let copies_frame_register = self.copies_frame_register || self.pushes_frame_register_again;
        self.leaks_stack_pointer || self.misuses_frame || (self.sets_frame && copies_frame_register)
    }

    /// Whether RBP is a frame pointer wherever an operand is based on it.
    pub(super) fn has_frame_pointer(self) -> bool {
        self.sets_frame && !self.writes_frame_register
    }

    /// Whether it calls nothing.
    pub(super) fn is_leaf(self) -> bool {
        !self.calls
    }

    /// Whether there may be live data below RSP. Compilers do this in leaf functions only.
    pub(super) fn uses_red_zone(self) -> bool {
        self.is_below_stack_pointer || (!self.calls && (self.is_below_frame || self.takes_address()))
    }

    /// The first `push rbp` saves what the caller has there; another one may be an argument on the stack.
    fn note_push(&mut self, instruction: &Instruction) {
        if instruction.mnemonic() == Mnemonic::Push && instruction.op0_register() == Register::RBP {
            self.pushes_frame_register_again |=
                self.pushes_frame_register | self.sets_frame | self.writes_frame_register;
            self.pushes_frame_register = true;
        }
    }

    fn note_memory_operand(&mut self, instruction: &Instruction) {
        let base = instruction.memory_base();
        let is_address = instruction.mnemonic() == Mnemonic::Lea;
        // RSP is never an index.
        self.copies_frame_register |= is_address && instruction.memory_index() == Register::RBP;
        if !matches!(base, Register::RSP | Register::RBP) {
            return;
        }
        let target = instruction.op0_register().full_register();
        if is_address {
            match (base, target) {
                (_, Register::RSP) => return,
                (Register::RSP, Register::RBP) => self.sets_frame = true,
                (Register::RSP, _) => self.leaks_stack_pointer = true,
                _ => self.copies_frame_register = true,
            }
        }
        let is_below = (instruction.memory_displacement64() as i64) < 0;
        self.is_below_stack_pointer |= is_below && base == Register::RSP;
        self.is_below_frame |= is_below && base == Register::RBP;
    }

    fn note_registers(&mut self, instruction: &Instruction) {
        for operand in 0..instruction.op_count() {
            if instruction.op_kind(operand) != OpKind::Register {
                continue;
            }
            match instruction.op_register(operand).full_register() {
                Register::RSP => self.leaks_stack_pointer |= !keeps_stack_pointer(instruction, operand),
                Register::RBP => self.note_frame_register(instruction, operand),
                _ => {}
            }
        }
        // The frame is set here, not leaked.
        self.sets_frame |= is_register_move(instruction, Register::RBP, Register::RSP);
    }

    fn note_frame_register(&mut self, instruction: &Instruction, operand: u32) {
        let is_set_from_stack = is_register_move(instruction, Register::RBP, Register::RSP)
            || (instruction.mnemonic() == Mnemonic::Lea && instruction.memory_base() == Register::RSP);
        match instruction.mnemonic() {
            Mnemonic::Push | Mnemonic::Pop | Mnemonic::Cmp | Mnemonic::Test => {}
            Mnemonic::Xchg | Mnemonic::Xadd | Mnemonic::Mulx => self.writes_frame_register = true,
            _ if operand == 0 => self.writes_frame_register |= !is_set_from_stack,
            _ => self.copies_frame_register |= !is_register_move(instruction, Register::RSP, Register::RBP),
        }
    }
}

/// Whether an instruction with RSP as this operand neither copies it nor loads it from elsewhere.
fn keeps_stack_pointer(instruction: &Instruction, operand: u32) -> bool {
    match instruction.mnemonic() {
        Mnemonic::Cmp | Mnemonic::Test => true,
        Mnemonic::Add | Mnemonic::Sub | Mnemonic::And => operand == 0,
        Mnemonic::Lea => matches!(instruction.memory_base(), Register::RSP | Register::RBP),
        _ => {
            is_register_move(instruction, Register::RBP, Register::RSP)
                || is_register_move(instruction, Register::RSP, Register::RBP)
        }
    }
}

fn is_register_move(instruction: &Instruction, target: Register, source: Register) -> bool {
    instruction.mnemonic() == Mnemonic::Mov
        && instruction.op0_register() == target
        && instruction.op1_kind() == OpKind::Register
        && instruction.op1_register() == source
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    fn usage(bytes: &[u8]) -> StackUse {
        let mut instructions = Vec::new();
        decode(bytes, 0x1000, &mut instructions).expect("valid code");
        StackUse::of(&instructions)
    }

    const PUSH_RBP: u8 = 0x55;
    const MOV_RBP_RSP: [u8; 3] = [0x48, 0x89, 0xe5];
    const MOV_LOCAL_EDI: [u8; 3] = [0x89, 0x7d, 0xfc]; // mov [rbp-4],edi
    const LEAVE_RET: [u8; 2] = [0xc9, 0xc3];

    fn framed(body: &[u8]) -> StackUse {
        usage(&[&[PUSH_RBP][..], &MOV_RBP_RSP, &MOV_LOCAL_EDI, body, &LEAVE_RET].concat())
    }

    #[test]
    fn a_plain_frame_is_private() {
        let plain = framed(&[]);
        assert!(plain.has_frame_pointer() && !plain.takes_address());
        assert!(plain.uses_red_zone() && plain.is_leaf(), "its local lies below RSP");
        let calling = framed(&[0xe8, 0, 0, 0, 0]);
        assert!(!calling.uses_red_zone() && !calling.is_leaf());
    }

    #[test]
    fn an_address_in_another_register_is_taken() {
        assert!(framed(&[0x48, 0x8d, 0x45, 0xfc]).takes_address(), "lea rax,[rbp-4]");
        assert!(framed(&[0x48, 0x89, 0xe8]).takes_address(), "mov rax,rbp");
        assert!(framed(&[0x48, 0x89, 0xe7]).takes_address(), "mov rdi,rsp");
        assert!(framed(&[0x54]).takes_address(), "push rsp");
        assert!(framed(&[0x48, 0x89, 0xfc]).takes_address(), "mov rsp,rdi");
        assert!(framed(&[0x48, 0x01, 0xe0]).takes_address(), "add rax,rsp");
        let reused = framed(&[0x48, 0x89, 0xc5]); // mov rbp,rax
        assert!(reused.takes_address() && !reused.has_frame_pointer());
    }

    #[test]
    fn an_address_among_the_arguments_on_the_stack_is_taken() {
        assert!(framed(&[PUSH_RBP]).takes_address(), "push rbp, behind mov rbp,rsp");
        assert!(framed(&[0x48, 0x8d, 0x3c, 0x28]).takes_address(), "lea rdi,[rax+rbp]");
        let pushing = usage(&[PUSH_RBP, 0xe8, 0, 0, 0, 0, 0xc3]);
        assert!(!framed(&[]).joined(pushing).takes_address(), "it saves what its caller has there");
        assert!(framed(&[]).joined(pushing.of_part()).takes_address(), "parts have no caller");
    }

    #[test]
    fn adjusting_the_stack_takes_no_address() {
        assert!(!framed(&[0x48, 0x83, 0xec, 0x20, 0x48, 0x83, 0xe4, 0xf0]).takes_address(), "sub, and");
        assert!(!framed(&[0x48, 0x8d, 0x65, 0xf0]).takes_address(), "lea rsp,[rbp-16]");
        assert!(!framed(&[0x48, 0x39, 0xc4]).takes_address(), "cmp rsp,rax");
    }

    #[test]
    fn parts_leak_for_each_other() {
        let part = usage(&[0x48, 0x8d, 0x45, 0xfc, 0xc3]); // lea rax,[rbp-4]; ret
        assert!(!part.takes_address(), "RBP may be anything here");
        assert!(framed(&[]).joined(part).takes_address());
    }

    #[test]
    fn accesses_below_the_stack_pointer_are_the_red_zone() {
        assert!(usage(&[0x89, 0x7c, 0x24, 0xf8, 0xc3]).uses_red_zone(), "mov [rsp-8],edi");
        assert!(!usage(&[0x8b, 0x44, 0x24, 0x08, 0xc3]).uses_red_zone(), "mov eax,[rsp+8]");
    }
}
