//! The routine that takes indirect jumps from the original code to the clones.
//!
//! A clone that jumps to a computed address pushes it and goes here. If the address has a clone it is exchanged for
//! that, and in any case execution continues there. Registers and flags stay as they are, since the target may expect
//! anything in them.

use super::code::Code;
use super::hooks::{POP_RAX, POP_RCX, PUSH_RAX, PUSH_RCX, RED_ZONE, RESTORE_FLAGS, SAVE_FLAGS};

/// An area as the routine sees it, in addresses of the process.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) start: u64,
    pub(super) length: u32,
    pub(super) table: u64,
}

/// `mov rcx,[rsp+24]`: the pushed address, below the three saved registers.
const LOAD_TARGET: [u8; 5] = [0x48, 0x8b, 0x4c, 0x24, 24];
/// `mov [rsp+24],rax`
const STORE_TARGET: [u8; 5] = [0x48, 0x89, 0x44, 0x24, 24];
const LEA_RAX: [u8; 3] = [0x48, 0x8d, 0x05];
const LEA_RCX: [u8; 3] = [0x48, 0x8d, 0x0d];
/// `sub rcx,rax`
const SUBTRACT: [u8; 3] = [0x48, 0x29, 0xc1];
/// `add rcx,rax`
const ADD_BACK: [u8; 3] = [0x48, 0x01, 0xc1];
/// `add rax,rcx`
const ADD_BASE: [u8; 3] = [0x48, 0x01, 0xc8];
/// `cmp rcx,imm32`
const COMPARE: [u8; 3] = [0x48, 0x81, 0xf9];
/// `mov eax,[rax+rcx*4]; test eax,eax`
const LOOK_UP: [u8; 5] = [0x8b, 0x04, 0x88, 0x85, 0xc0];
const JUMP_IF_NOT_BELOW: [u8; 2] = [0x0f, 0x83];
const JUMP_IF_ZERO: [u8; 2] = [0x0f, 0x84];
const JUMP: [u8; 1] = [0xe9];
/// `lea rsp,[rsp+8]; jmp [rsp-8]`: returns would confuse the processor's guesses for all callers. What lies right below
/// the stack pointer is safe from signal handlers.
const GO: [u8; 9] = [0x48, 0x8d, 0x64, 0x24, 8, 0xff, 0x64, 0x24, 0xf8];
const RETURN_OVER: u8 = 0xc2;
const ALIGNMENT: usize = 16;
const BREAKPOINT: u8 = 0xcc;

/// The routine in both forms.
#[derive(Clone, Copy)]
pub(super) struct Routines {
    /// Where they begin.
    pub(super) plain: u32,
    /// For functions with a red zone: removes 128 bytes behind the address, which is then too far below for a jump.
    pub(super) over_red_zone: u32,
}

/// Puts both routines into the code of the region at `base`. Their size does not depend on the addresses in `targets`.
pub(super) fn put(code: &mut Code, base: u64, targets: &[Target]) -> Routines {
    let plain = put_one(code, base, targets, false);
    Routines { plain, over_red_zone: put_one(code, base, targets, true) }
}

fn put_one(code: &mut Code, base: u64, targets: &[Target], skips_red_zone: bool) -> u32 {
    code.align(ALIGNMENT, BREAKPOINT);
    let start = code.offset();
    code.put(&[PUSH_RAX, PUSH_RCX]);
    code.put(&SAVE_FLAGS);
    code.put(&LOAD_TARGET);
    let mut exits = Vec::new();
    for target in targets {
        code.put_jump(&LEA_RAX, target.start);
        code.put(&SUBTRACT);
        code.put(&COMPARE);
        code.put(&target.length.to_le_bytes());
        let next = put_forward(code, &JUMP_IF_NOT_BELOW);
        code.put_jump(&LEA_RAX, target.table);
        code.put(&LOOK_UP);
        exits.push(put_forward(code, &JUMP_IF_ZERO));
        code.put_jump(&LEA_RCX, base);
        code.put(&ADD_BASE);
        code.put(&STORE_TARGET);
        exits.push(put_forward(code, &JUMP));
        land(code, base, next);
        code.put(&ADD_BACK);
    }
    exits.into_iter().for_each(|exit| land(code, base, exit));
    code.put(&RESTORE_FLAGS);
    code.put(&[POP_RCX, POP_RAX]);
    if skips_red_zone {
        code.put(&[RETURN_OVER, RED_ZONE as u8, 0]);
    } else {
        code.put(&GO);
    }
    start
}

/// A jump to a place that is not known yet.
fn put_forward(code: &mut Code, opcode: &[u8]) -> usize {
    code.put(opcode);
    code.put(&[0; 4]);
    code.bytes.len() - 4
}

/// Lets such a jump lead here.
fn land(code: &mut Code, base: u64, jump: usize) {
    code.set_distance(jump, 4, base + u64::from(code.offset()));
}
