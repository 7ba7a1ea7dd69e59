//! Counts accesses by stepping through the program as it was built, which needs no rewriting to be right.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register, UsedMemory,
};
use nix::libc::user_regs_struct;
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use object::{Object, ObjectSegment};
use rscale_instrument::code::sites::{AccessKind, OperandClass, Shape, Site};

use crate::rewriting_support::{Counts, Rewritten};
use crate::support::Target;

/// An instruction that hooks should see.
struct Watched {
    instruction: Instruction,
    hooks: u64,
    is_fence: bool,
    is_repeated: bool,
}

/// Runs the program step by step. What it prints is lost.
pub fn stepped(rewritten: &Rewritten<'_>, arguments: &[&str]) -> Counts {
    let command = rewritten.command(arguments, true);
    let child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program can be started");
    let target = Target(child);
    let pid = Pid::from_raw(target.id() as i32);
    let stopped = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).expect("the loader stops");
    assert_eq!(stopped, WaitStatus::Stopped(pid, Signal::SIGSTOP));
    ptrace::attach(pid).expect("own children can be traced");
    waitpid(pid, None).expect("attaching stops");
    count(pid, &watched(rewritten))
}

fn count(pid: Pid, watched: &HashMap<u64, Watched>) -> Counts {
    let mut counts = Counts { hooks: 0, addresses: 0, traps: 0 };
    let (mut previous, mut signal) = (0, None);
    loop {
        ptrace::step(pid, signal.take()).expect("is stopped");
        match waitpid(pid, None).expect("is traced") {
            WaitStatus::Exited(..) => return counts,
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
            WaitStatus::Stopped(_, Signal::SIGSTOP) => continue,
            WaitStatus::Stopped(_, other) => {
                signal = Some(other);
                continue;
            }
            other => panic!("{other:?}"),
        }
        let registers = ptrace::getregs(pid).expect("is stopped");
        if let Some(watched) = watched.get(&registers.rip) {
            // Each repetition is a step.
            if !(watched.is_repeated && previous == registers.rip) {
                counts.hooks += watched.hooks;
                counts.addresses = counts.addresses.wrapping_add(addresses(watched, &registers));
            }
        }
        previous = registers.rip;
    }
}

/// All instructions with hooks, by address in the process.
fn watched(rewritten: &Rewritten<'_>) -> HashMap<u64, Watched> {
    let bytes = std::fs::read(&rewritten.program).expect("the program is there");
    let file = object::File::parse(&*bytes).expect("is an ELF file");
    let mut watched: HashMap<u64, Watched> = HashMap::new();
    let is_hooked = |site: &&Site| match site.class {
        OperandClass::Shared => true,
        OperandClass::ThreadLocal => rewritten.survey.takes_thread_local_address,
        OperandClass::OwnStack | OperandClass::Constant => false,
    };
    for site in rewritten.survey.functions.iter().flat_map(|surveyed| &surveyed.sites).filter(is_hooked) {
        let entry = watched.entry(site.address + rewritten.bias).or_insert_with(|| Watched {
            instruction: instruction(&file, site),
            hooks: 0,
            is_fence: site.kind == AccessKind::Fence,
            is_repeated: site.shape == Shape::Repeated,
        });
        // A string instruction that accesses two places has one hook.
        entry.hooks = 1;
    }
    watched
}

fn instruction(file: &object::File<'_>, site: &Site) -> Instruction {
    let data = |segment: object::Segment<'_, '_>| {
        segment.data_range(site.address, site.length.into()).ok().flatten().map(<[u8]>::to_vec)
    };
    let bytes = file.segments().find_map(data).expect("code is in the file");
    Decoder::with_ip(64, &bytes, site.address, DecoderOptions::NONE).decode()
}

/// The sum of the addresses that an instruction is about to access, by the decoder's account of it.
fn addresses(watched: &Watched, registers: &user_regs_struct) -> u64 {
    let instruction = &watched.instruction;
    if watched.is_fence {
        return 0;
    }
    // What follows the instruction in the file follows it in the process.
    let moved = registers.rip.wrapping_sub(instruction.ip());
    let moved = if instruction.is_ip_rel_memory_operand() { moved } else { 0 };
    let value = |register, _, _| value(register, registers);
    if instruction.is_stack_instruction() {
        let address = instruction.virtual_address(0, 0, value).expect("has a memory operand");
        let is_late = instruction.mnemonic() == Mnemonic::Pop && instruction.memory_base() == Register::RSP;
        return address.wrapping_add(moved).wrapping_add(if is_late { 8 } else { 0 });
    }
    let mut factory = InstructionInfoFactory::new();
    // A string instruction is hooked with the address of its source, if it has one.
    let is_source = |memory: &UsedMemory| memory.base().full_register() == Register::RSI;
    if instruction.is_string_instruction() && factory.info(instruction).used_memory().iter().any(is_source) {
        return registers.rsi;
    }
    let memory = factory.info(instruction).used_memory().iter();
    memory
        .filter(|memory| !matches!(memory.access(), OpAccess::None | OpAccess::NoMemAccess))
        .map(|memory| memory.virtual_address(0, value).expect("a known register").wrapping_add(moved))
        .fold(0, u64::wrapping_add)
}

fn value(register: Register, registers: &user_regs_struct) -> Option<u64> {
    let full = match register.full_register() {
        Register::RAX => registers.rax,
        Register::RBX => registers.rbx,
        Register::RCX => registers.rcx,
        Register::RDX => registers.rdx,
        Register::RSI => registers.rsi,
        Register::RDI => registers.rdi,
        Register::RSP => registers.rsp,
        Register::RBP => registers.rbp,
        Register::R8 => registers.r8,
        Register::R9 => registers.r9,
        Register::R10 => registers.r10,
        Register::R11 => registers.r11,
        Register::R12 => registers.r12,
        Register::R13 => registers.r13,
        Register::R14 => registers.r14,
        Register::R15 => registers.r15,
        Register::FS => registers.fs_base,
        // Vectors of addresses are hooked with what these are relative to.
        _ if register.is_vector_register() => 0,
        Register::RIP | Register::CS | Register::DS | Register::ES | Register::SS => 0,
        _ => return None,
    };
    Some(match register.size() {
        1 => full & 0xff,
        4 => full & 0xffff_ffff,
        _ => full,
    })
}
