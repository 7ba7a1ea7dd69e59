//! Variables: what threads communicate through, and so what two actions can conflict about (SCALE, Definition 9).
//!
//! Not all of them lie in memory: a thread's life, a descriptor and a store that is still in a buffer are variables,
//! too. One number names each of them, so that whatever asks whether two actions touch the same compares two words.

use crate::thread_set::ThreadId;

/// The name of a communication variable, the same in every interleaving.
///
/// Addresses of user space are below 2^47, so the numbers above are free for things that have no address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Variable(pub u64);

impl Variable {
    const THREAD: u64 = 1 << 63;
    const DESCRIPTOR: u64 = 1 << 62;
    /// Memory as a whole: every action reads it, since the code behind it may; the few that depend on what any thread
    /// did to it write it. So these are ordered with everything, and nothing else is.
    pub const MEMORY: Variable = Variable(1 << 61);
    /// What invariants see: whatever changes something that one reads writes it, so that no reduction takes two such
    /// steps for independent and leaves out the state between them.
    pub const OBSERVED: Variable = Variable(1 << 61 | 1);

    const STORE: u64 = 1 << 60;

    /// A store of a thread while it is in the buffer, by its number among that thread's.
    #[must_use]
    pub fn store(owner: ThreadId, number: u32) -> Variable {
        Variable(Self::STORE | u64::from(owner.0) << 32 | u64::from(number))
    }

    /// Whose store this is, and its number.
    #[must_use]
    pub fn as_store(self) -> Option<(ThreadId, u32)> {
        (self.0 >> 60 == 1).then_some((ThreadId((self.0 >> 32) as u16), self.0 as u32))
    }

    /// The life of a thread, which create, start, exit, join, detach and cancel access.
    #[must_use]
    pub fn thread(thread: ThreadId) -> Variable {
        Variable(Self::THREAD | u64::from(thread.0))
    }

    /// What can be read from or written to a file descriptor.
    #[must_use]
    pub fn descriptor(number: u32) -> Variable {
        Variable(Self::DESCRIPTOR | u64::from(number))
    }

    /// The thread whose life this is.
    #[must_use]
    pub fn as_thread(self) -> Option<ThreadId> {
        (self.0 & Self::THREAD != 0).then_some(ThreadId(self.0 as u16))
    }

    /// The descriptor this is.
    #[must_use]
    pub fn as_descriptor(self) -> Option<u32> {
        (self.0 >> 61 == 0b010).then_some(self.0 as u32)
    }

    /// The address, for everything that lives in memory.
    #[must_use]
    pub fn as_address(self) -> Option<u64> {
        (self.0 != 0 && self.0 >> 60 == 0).then_some(self.0)
    }
}

/// How an action accesses a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// Sees the variable.
    Read,
    /// Sees and changes the variable. Every access to a synchronisation object counts as one (Definition 9).
    Write,
}

/// One variable that an action accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The variable.
    pub variable: Variable,
    /// Read or write.
    pub kind: AccessKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_keep_their_kinds_apart() {
        let thread = Variable::thread(ThreadId(5));
        assert_eq!((thread.as_thread(), thread.as_address(), thread.as_descriptor()), (Some(ThreadId(5)), None, None));
        let pipe = Variable::descriptor(7);
        assert_eq!((pipe.as_thread(), pipe.as_address(), pipe.as_descriptor()), (None, None, Some(7)));
        assert_eq!(Variable(0x4000).as_address(), Some(0x4000));
        let store = Variable::store(ThreadId(63), u32::MAX);
        assert_eq!(
            (store.as_store(), store.as_address(), store.as_thread()),
            (Some((ThreadId(63), u32::MAX)), None, None)
        );
        assert_eq!((store.as_descriptor(), Variable(0x4000).as_store(), thread.as_store()), (None, None, None));
        for whole in [Variable::MEMORY, Variable::OBSERVED] {
            assert_eq!((whole.as_thread(), whole.as_address(), whole.as_descriptor()), (None, None, None));
        }
    }
}
