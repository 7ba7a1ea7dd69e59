//! Finds and classifies the instructions of a function that access memory.
//!
//! The decoder's tables say which memory an instruction touches. What they can not say is whose memory that is: the
//! thread's own stack, its thread-local variables, a constant, or memory that others may see. The stack part of `push`,
//! `pop`, `call` and `ret` is nobody else's business and no site; an explicit memory operand of theirs is one, and so
//! is the function pointer that `call [rax+8]` reads.

use iced_x86::{
    EncodingKind, FlowControl, Instruction, InstructionInfoFactory, MemorySize, Mnemonic, OpAccess, OpKind, Register,
    UsedMemory,
};

use rscale_protocol::region;

use super::layout::Layout;
use super::liveness::FlagLiveness;
use super::stack::StackUse;

/// The largest access that is one machine word.
const WORD: usize = 8;

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads and writes it, and another thread may come between.
    Update,
    /// Reads and writes it in one step: a `lock` prefix, or `xchg`.
    Atomic,
    /// Only orders other accesses; a locked instruction on private memory does no more.
    Fence,
}

/// Whose memory an operand is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperandClass {
    /// Other threads may see it.
    Shared,
    /// A stack slot whose address never leaves the function.
    OwnStack,
    /// Addressed through FS.
    ThreadLocal,
    /// A fixed address that can not be written while the program runs.
    Constant,
}

/// How the bytes of an access lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// Up to eight bytes at the operand's address.
    Word,
    /// More than eight bytes at the operand's address.
    Wide {
        /// The processor insists on natural alignment.
        is_aligned: bool,
    },
    /// A string instruction with a repeat prefix: a range of elements, counted by RCX, in the direction of DF.
    Repeated,
    /// One element for each lane of a vector of addresses.
    Gathered,
    /// Those elements, one behind the other, whose lanes a vector chooses.
    Masked,
    /// A bit that a register counts from the operand's address on, which may lie anywhere.
    BitIndexed,
    /// An area whose extent depends on the processor (`xsave` and relatives).
    Unbounded,
}

/// One access of one instruction. An instruction that copies memory has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The instruction's address in the file.
    pub address: u64,
    /// The instruction's length.
    pub length: u8,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes of the access, or of one element of it; 0 if unknown; of a fence, what it orders (as in a region).
    pub size: u16,
    /// Whose memory it is.
    pub class: OperandClass,
    /// How the bytes lie.
    pub shape: Shape,
    /// Whether a hook before the instruction must preserve the arithmetic flags.
    pub flags_live: bool,
}

/// An instruction that fetches memory into the caches, and does nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefetch {
    /// The instruction's address in the file.
    pub address: u64,
    /// Whether code before the instruction must preserve the arithmetic flags.
    pub flags_live: bool,
}

/// What is known about the memory that a function's operands point to.
pub(super) struct Surroundings<'a> {
    pub(super) layout: &'a Layout<'a>,
    /// Of this range of code.
    pub(super) own: StackUse,
    /// Of all parts of the function.
    pub(super) joined: StackUse,
}

impl Surroundings<'_> {
    fn class(&self, instruction: &Instruction, place: (Register, Register), is_read: bool) -> OperandClass {
        let (segment, base) = place;
        if segment == Register::FS {
            return OperandClass::ThreadLocal;
        }
        if self.is_stack_slot(base) && !self.joined.takes_address() {
            return OperandClass::OwnStack;
        }
        match fixed_address(instruction) {
            Some(address) if is_read && self.layout.is_constant(address) => OperandClass::Constant,
            _ => OperandClass::Shared,
        }
    }

    fn is_stack_slot(&self, base: Register) -> bool {
        base == Register::RSP || (base == Register::RBP && self.own.has_frame_pointer())
    }
}

/// The accesses of a function's instructions, in order.
pub(super) fn find(instructions: &[Instruction], around: &Surroundings<'_>, flags: &FlagLiveness) -> Vec<Site> {
    let mut factory = InstructionInfoFactory::new();
    let mut sites = Vec::new();
    for (index, instruction) in instructions.iter().enumerate() {
        let first = sites.len();
        if is_fence(instruction) {
            sites.push(site(instruction, AccessKind::Fence, strength(instruction), OperandClass::Shared, Shape::Word));
        } else if touches_memory(instruction) {
            accesses(instruction, around, &mut factory, &mut sites);
        }
        if sites.len() > first {
            let is_live = flags.is_live_before(index);
            sites[first..].iter_mut().for_each(|site| site.flags_live = is_live);
        }
    }
    sites
}

/// Where the instructions fetch memory that is accessed later, in order.
pub(super) fn prefetches(instructions: &[Instruction], flags: &FlagLiveness) -> Vec<Prefetch> {
    use Mnemonic::{Prefetch as Old, Prefetchnta, Prefetcht0, Prefetcht1, Prefetcht2, Prefetchw};
    let is_prefetch = |one: &Instruction| {
        matches!(one.mnemonic(), Old | Prefetchnta | Prefetcht0 | Prefetcht1 | Prefetcht2 | Prefetchw)
            && one.segment_prefix() == Register::None
    };
    let found = instructions.iter().enumerate().filter(|(_, instruction)| is_prefetch(instruction));
    found
        .map(|(index, instruction)| Prefetch { address: instruction.ip(), flags_live: flags.is_live_before(index) })
        .collect()
}

/// Whether an operand is addressed through GS.
pub(super) fn uses_other_segment(instruction: &Instruction) -> bool {
    instruction.segment_prefix() == Register::GS && touches_memory(instruction) && !is_mere_address(instruction)
}

fn accesses(
    instruction: &Instruction,
    around: &Surroundings<'_>,
    factory: &mut InstructionInfoFactory,
    sites: &mut Vec<Site>,
) {
    if instruction.is_stack_instruction() {
        let is_read = instruction.mnemonic() != Mnemonic::Pop;
        let kind = if is_read { AccessKind::Read } else { AccessKind::Write };
        let class = around.class(instruction, (instruction.memory_segment(), instruction.memory_base()), is_read);
        sites.push(site(instruction, kind, size(instruction.memory_size()), class, Shape::Word));
        return;
    }
    for memory in factory.info(instruction).used_memory() {
        let Some(kind) = kind(instruction, memory.access()) else { continue };
        let class = around.class(instruction, (memory.segment(), memory.base()), kind == AccessKind::Read);
        let is_private_lock = kind == AccessKind::Atomic && class == OperandClass::OwnStack;
        if is_private_lock || is_dummy_lock(instruction) {
            sites.push(site(instruction, AccessKind::Fence, 0, OperandClass::Shared, Shape::Word));
            continue;
        }
        let shape = shape(instruction, memory);
        // The extent of a repeated access is not known; that of its elements is.
        let extent = if shape == Shape::Repeated { instruction.memory_size() } else { memory.memory_size() };
        sites.push(site(instruction, kind, size(extent), class, shape));
    }
}

fn site(instruction: &Instruction, kind: AccessKind, size: u16, class: OperandClass, shape: Shape) -> Site {
    let length = instruction.len() as u8;
    Site { address: instruction.ip(), length, kind, size, class, shape, flags_live: true }
}

fn size(size: MemorySize) -> u16 {
    size.size() as u16
}

/// What a fence orders.
fn strength(fence: &Instruction) -> u16 {
    match fence.mnemonic() {
        Mnemonic::Lfence => region::Site::ORDERS_LOADS,
        Mnemonic::Sfence | Mnemonic::Clflush => region::Site::ORDERS_STORES,
        _ => region::Site::ORDERS_ALL,
    }
}

/// Instructions that order memory without accessing it. Those that serialise drain the store buffer; `clflush` is
/// ordered with all stores.
fn is_fence(instruction: &Instruction) -> bool {
    let is_pure = matches!(instruction.mnemonic(), Mnemonic::Mfence | Mnemonic::Lfence | Mnemonic::Sfence);
    let serialises = matches!(instruction.mnemonic(), Mnemonic::Cpuid | Mnemonic::Serialize);
    is_pure || serialises || instruction.mnemonic() == Mnemonic::Clflush
}

/// Whether any operand is in memory, explicitly or as string instructions have it.
fn touches_memory(instruction: &Instruction) -> bool {
    let is_memory = |operand| !is_register_or_value(instruction.op_kind(operand));
    (0..instruction.op_count()).any(is_memory) || instruction.mnemonic() == Mnemonic::Clzero
}

fn is_register_or_value(kind: OpKind) -> bool {
    !matches!(
        kind,
        OpKind::Memory
            | OpKind::MemorySegSI
            | OpKind::MemorySegESI
            | OpKind::MemorySegRSI
            | OpKind::MemorySegDI
            | OpKind::MemorySegEDI
            | OpKind::MemorySegRDI
            | OpKind::MemoryESDI
            | OpKind::MemoryESEDI
            | OpKind::MemoryESRDI
    )
}

fn is_mere_address(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Nop)
}

fn kind(instruction: &Instruction, access: OpAccess) -> Option<AccessKind> {
    let is_atomic = instruction.has_lock_prefix() || instruction.mnemonic() == Mnemonic::Xchg;
    match access {
        OpAccess::Read | OpAccess::CondRead => Some(AccessKind::Read),
        OpAccess::Write | OpAccess::CondWrite => Some(AccessKind::Write),
        OpAccess::ReadWrite | OpAccess::ReadCondWrite if is_atomic => Some(AccessKind::Atomic),
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => Some(AccessKind::Update),
        OpAccess::None | OpAccess::NoMemAccess => None,
    }
}

/// `lock or qword [rsp], 0` and the like: compilers use it as a cheap `mfence`.
fn is_dummy_lock(instruction: &Instruction) -> bool {
    let is_neutral = match instruction.mnemonic() {
        Mnemonic::Add | Mnemonic::Or | Mnemonic::Sub | Mnemonic::Xor => is_immediate(instruction, 0),
        Mnemonic::And => is_immediate(instruction, u64::MAX),
        _ => false,
    };
    is_neutral && instruction.has_lock_prefix() && instruction.memory_base() == Register::RSP
}

fn is_immediate(instruction: &Instruction, value: u64) -> bool {
    instruction.try_immediate(1).is_ok_and(|immediate| immediate == value)
}

/// The address of an operand that is the same at each execution, relative to the file's.
fn fixed_address(instruction: &Instruction) -> Option<u64> {
    if instruction.is_ip_rel_memory_operand() {
        return Some(instruction.ip_rel_memory_address());
    }
    let has_operand = (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    let has_base = instruction.memory_base() != Register::None;
    // A jump table is indexed, but nothing jumps through what lies beyond it.
    let has_index = instruction.memory_index() != Register::None;
    let is_jump_table = instruction.flow_control() == FlowControl::IndirectBranch;
    (has_operand && !has_base && (!has_index || is_jump_table)).then(|| instruction.memory_displacement64())
}

fn shape(instruction: &Instruction, memory: &UsedMemory) -> Shape {
    let size = memory.memory_size().size();
    let is_bit_test = matches!(instruction.mnemonic(), Mnemonic::Bt | Mnemonic::Btc | Mnemonic::Btr | Mnemonic::Bts);
    if memory.vsib_size() != 0 {
        Shape::Gathered
    } else if is_masked(instruction) {
        Shape::Masked
    } else if is_bit_test && instruction.op1_kind() == OpKind::Register {
        Shape::BitIndexed
    } else if instruction.is_string_instruction() && (instruction.has_rep_prefix() || instruction.has_repne_prefix()) {
        Shape::Repeated
    } else if size == 0 {
        Shape::Unbounded
    } else if size > WORD {
        Shape::Wide { is_aligned: is_aligned(instruction, size) }
    } else {
        Shape::Word
    }
}

/// Whether a vector register chooses what is accessed. What mask registers choose is taken for all of it.
fn is_masked(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    matches!(
        instruction.mnemonic(),
        M::Vmaskmovps | M::Vmaskmovpd | M::Vpmaskmovd | M::Vpmaskmovq | M::Maskmovdqu | M::Vmaskmovdqu
    )
}

/// Whether a wide operand faults unless it is aligned to its size.
fn is_aligned(instruction: &Instruction, size: usize) -> bool {
    use Mnemonic as M;
    match instruction.mnemonic() {
        M::Vmovaps | M::Vmovapd | M::Vmovdqa | M::Vmovdqa32 | M::Vmovdqa64 => true,
        M::Vmovntps | M::Vmovntpd | M::Vmovntdq | M::Vmovntdqa | M::Cmpxchg16b => true,
        M::Movups | M::Movupd | M::Movdqu | M::Lddqu | M::Maskmovdqu => false,
        M::Pcmpestri | M::Pcmpestrm | M::Pcmpistri | M::Pcmpistrm => false,
        _ => size == 16 && instruction.encoding() == EncodingKind::Legacy,
    }
}
