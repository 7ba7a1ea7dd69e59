//! A function of the program that rscale calls: `int f(void)`, or one that returns less than an `int`.

/// Where the address ends in the code of a callee: addresses of programs have 47 bits.
const BYTES_SHIFT: u32 = 56;
const SIGN_SHIFT: u32 = 63;

/// A function without arguments, and how much of a register its result takes: the rest of the register may hold
/// anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Callee {
    /// Its address.
    pub address: u64,
    /// Bytes of its result, at most four.
    pub bytes: u8,
    /// Whether the result may be negative.
    pub is_signed: bool,
}

impl Callee {
    /// As a number, for the other process.
    #[must_use]
    pub fn to_code(self) -> u64 {
        let address = self.address & ((1 << BYTES_SHIFT) - 1);
        address | u64::from(self.bytes & 7) << BYTES_SHIFT | u64::from(self.is_signed) << SIGN_SHIFT
    }

    /// The other way round.
    #[must_use]
    pub fn from_code(code: u64) -> Callee {
        Callee {
            address: code & ((1 << BYTES_SHIFT) - 1),
            bytes: (code >> BYTES_SHIFT) as u8 & 7,
            is_signed: code >> SIGN_SHIFT != 0,
        }
    }

    /// What it has returned, where this is in the register.
    #[must_use]
    pub fn result(self, register: u64) -> i32 {
        let unused = u64::BITS - u32::from(self.bytes.clamp(1, 4)) * 8;
        let shifted = register << unused;
        if self.is_signed { (shifted as i64 >> unused) as i32 } else { (shifted >> unused) as i32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_way_to_the_other_process() {
        for (bytes, is_signed) in [(1, false), (1, true), (2, true), (4, true), (4, false)] {
            let callee = Callee { address: 0x5555_5555_5139, bytes, is_signed };
            assert_eq!(Callee::from_code(callee.to_code()), callee);
        }
    }

    #[test]
    fn only_the_result_counts() {
        let result = |bytes, is_signed, register| Callee { address: 1, bytes, is_signed }.result(register);
        assert_eq!(result(1, false, 0x300), 0, "false, and what was in the register before");
        assert_eq!(result(1, false, 0x301), 1);
        assert_eq!(result(1, true, 0x1ff), -1);
        assert_eq!(result(2, true, 0x1_0000), 0);
        assert_eq!(result(4, true, 0xffff_ffff), -1);
        assert_eq!(result(4, true, 7 << 32), 0);
    }
}
