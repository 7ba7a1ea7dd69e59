//! Extended actions (SCALE, section 5.3.4): a step, with what the happens-before graph says of it, and its hash.

use rscale_protocol::{Choice, ThreadId, Variable};
use std::hash::Hasher;

/// The hash of a state.
pub type Fingerprint = u128;

/// An action with what distinguishes it from others like it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtendedAction {
    pub thread: ThreadId,
    pub step: u32,
    pub requests: u32,
    pub op: u8,
    pub choice: Choice,
    pub accesses: [(Variable, u32); 3],
}

impl ExtendedAction {
    /// One that no thread takes.
    const NONE: ExtendedAction = ExtendedAction {
        thread: ThreadId(u16::MAX),
        step: 0,
        requests: 0,
        op: 0,
        choice: Choice::Proceed,
        accesses: [(Variable(0), 0); 3],
    };

    /// A number that is mostly another one for another action.
    fn place(&self) -> usize {
        let mut hasher = VariableHasher::default();
        hasher.write_u64(u64::from(self.thread.0) << 48 | u64::from(self.op) << 40 | u64::from(self.step));
        hasher.write_u64(self.requests.into());
        for (variable, version) in &self.accesses {
            hasher.write_u64(variable.0 ^ u64::from(*version) << 40);
        }
        hasher.finish() as usize
    }

    /// 128 bits of BLAKE3 of its parts, each at a fixed place.
    fn hash(&self) -> Fingerprint {
        let mut bytes = [0; 12 + 3 * 12];
        bytes[0..2].copy_from_slice(&self.thread.0.to_le_bytes());
        bytes[2] = self.op;
        bytes[3] = self.choice as u8;
        bytes[4..8].copy_from_slice(&self.step.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.requests.to_le_bytes());
        for ((variable, version), place) in self.accesses.iter().zip(bytes[12..].chunks_exact_mut(12)) {
            place[..8].copy_from_slice(&variable.0.to_le_bytes());
            place[8..].copy_from_slice(&version.to_le_bytes());
        }
        let digest = blake3::hash(&bytes);
        let mut half = [0; 16];
        half.copy_from_slice(&digest.as_bytes()[..16]);
        u128::from_le_bytes(half)
    }
}

/// Hashes that were asked for. A search in depth asks for most of them many times. Each has one place, which it may
/// lose to another.
#[derive(Debug, Default)]
pub struct Memo {
    places: Vec<(ExtendedAction, Fingerprint)>,
}

impl Memo {
    /// A power of two.
    const PLACES: usize = 1 << 10;

    /// The hash of an action.
    pub fn hash_of(&mut self, extended: &ExtendedAction) -> Fingerprint {
        if self.places.is_empty() {
            self.places = vec![(ExtendedAction::NONE, ExtendedAction::NONE.hash()); Self::PLACES];
        }
        let (known, hash) = &mut self.places[extended.place() % Self::PLACES];
        if known != extended {
            (*known, *hash) = (*extended, extended.hash());
        }
        *hash
    }
}

/// Spreads addresses, which are all alike in their low bits, and mixes a few words. In maps collisions cost time,
/// nothing else; each word changes all bits above it and most below, so that among 64 bits they are as rare as chance
/// has it.
#[derive(Default)]
pub struct VariableHasher(u64);

impl Hasher for VariableHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }
}
