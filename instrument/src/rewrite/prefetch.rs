//! What is done where a program fetches memory ahead of its accesses.
//!
//! A program that knows what it will access, and says so in time, need not wait for memory. Its hooks would: they look
//! at the shadow first, and nobody has fetched that. So the shadow of what is fetched is fetched as well. Of `zstd -9`
//! this is an eighth of all time.

use rscale_protocol::region::{SHADOW_ADDRESS_BITS, SHADOW_BASE_BIT};

use super::code::Code;
use super::hooks::{
    POP_RAX, POP_RCX, PUSH_RAX, PUSH_RCX, RED_ZONE, RESTORE_FLAGS, SAVE_FLAGS, SKIP_RED_ZONE, UNSKIP_RED_ZONE,
};
use super::operand::Operand;

const UNUSED_BITS: u8 = (u64::BITS - SHADOW_ADDRESS_BITS) as u8;

/// From the address in RCX to its shadow: `shl rcx,20; shr rcx,19; bts rcx,45`. Then back to the start of what belongs
/// to one cache line of the program's, which is two of the shadow's: `and rcx,-128; prefetcht0 [rcx]; prefetcht0
/// [rcx+64]`.
const FETCH_SHADOW: [u8; 24] = [
    0x48,
    0xc1,
    0xe1,
    UNUSED_BITS, // shl
    0x48,
    0xc1,
    0xe9,
    UNUSED_BITS - 1, // shr
    0x48,
    0x0f,
    0xba,
    0xe9,
    SHADOW_BASE_BIT as u8, // bts
    0x48,
    0x83,
    0xe1,
    0x80, // and
    0x0f,
    0x18,
    0x09, // prefetcht0
    0x0f,
    0x18,
    0x49,
    0x40,
];

/// Fetches the shadow of an operand. Whatever it points to: a fetch does not fault.
pub(super) fn put(code: &mut Code, operand: &Operand, flags_live: bool, uses_red_zone: bool) {
    let red_zone = if uses_red_zone { RED_ZONE } else { 0 };
    if uses_red_zone {
        code.put(&SKIP_RED_ZONE);
    }
    if flags_live {
        code.put(&[PUSH_RAX, PUSH_RCX]);
        code.put_address(operand, red_zone + 16);
        code.put(&SAVE_FLAGS);
    } else {
        code.put(&[PUSH_RCX]);
        code.put_address(operand, red_zone + 8);
    }
    code.put(&FETCH_SHADOW);
    if flags_live {
        code.put(&RESTORE_FLAGS);
    }
    code.put(&[POP_RCX]);
    if flags_live {
        code.put(&[POP_RAX]);
    }
    if uses_red_zone {
        code.put(&UNSKIP_RED_ZONE);
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic};
    use rscale_protocol::region::SHADOW_BASE;

    use super::*;
    use crate::rewrite::operand::Place;

    fn decoded(flags_live: bool, uses_red_zone: bool) -> Vec<Instruction> {
        let place = Place::Registers { base: Some(4), index: None, scale: 0, displacement: 8 };
        let mut code = Code::new(0x1000, 0);
        put(&mut code, &Operand { place, is_narrow: false, segment: None }, flags_live, uses_red_zone);
        Decoder::with_ip(64, &code.bytes, 0x1000, DecoderOptions::NONE).iter().collect()
    }

    #[test]
    fn the_shadow_is_fetched_with_everything_in_place_again() {
        for (flags_live, uses_red_zone, displacement) in
            [(false, false, 16), (true, false, 24), (false, true, 144), (true, true, 152)]
        {
            let found = decoded(flags_live, uses_red_zone);
            let moved: i32 = found.iter().map(Instruction::stack_pointer_increment).sum();
            assert_eq!(moved, 0);
            let is_address = |one: &&Instruction| one.mnemonic() == Mnemonic::Lea && one.op0_register().number() == 1;
            let address = found.iter().find(is_address).expect("the address");
            assert_eq!(address.memory_displacement64(), displacement, "of what RSP was before");
            assert_eq!(found.iter().filter(|one| one.mnemonic() == Mnemonic::Prefetcht0).count(), 2);
            assert_eq!(found.iter().any(|one| one.mnemonic() == Mnemonic::Sahf), flags_live);
        }
    }

    #[test]
    fn the_shadow_is_where_the_shim_has_it() {
        let address: u64 = 0x7fff_1234_5678;
        let computed = (address << UNUSED_BITS >> (UNUSED_BITS - 1) | 1 << SHADOW_BASE_BIT) & !127;
        assert_eq!(computed, SHADOW_BASE + 2 * (address & !63 & ((1 << SHADOW_ADDRESS_BITS) - 1)));
    }
}
