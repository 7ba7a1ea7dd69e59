//! How an execution can end, and the ways a program can misuse the thread library.

/// Added to the signal that a program was killed by: it sent that itself, and rscale had no need to let it die.
pub const OWN_SIGNAL: u64 = 1 << 32;

macro_rules! coded {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $code:literal $variant:ident $text:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant = $code,)* }

        impl $name {
            /// Every one there is.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The one with this number in the arena.
            #[must_use]
            pub fn from_code(code: u8) -> Option<$name> {
                match code { $($code => Some($name::$variant),)* _ => None }
            }

            /// What it says to a person.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

coded! {
    /// Why the shim stopped an execution. The arena holds a value and a text beside it, whose meaning stands here.
    Ending {
        /// The process ended; the value is its exit status.
        1 Exit "the program ended";
        /// Threads are left and none is enabled.
        2 Deadlock "deadlock";
        /// `assert` failed; the text is its message.
        3 Assertion "assertion failed";
        /// `abort` or an uncaught exception; the text says which.
        4 Abort "aborted";
        /// A fault of the machine; the value is the signal, the address beside it the faulting one.
        5 Crash "crashed";
        /// The thread library was misused; the value is a [`Misuse`].
        6 Misuse "misuse";
        /// The heap was misused; the value is a [`HeapError`].
        7 Memory "memory error";
        /// The step budget was used up.
        8 StepBudget "step budget used up";
        /// A step of the given schedule was not possible; the value is its index.
        9 Diverged "the schedule could not be followed";
        /// Only threads of the sleep set were enabled.
        10 Sleeping "only sleeping threads are enabled";
        /// The program created more threads than the shim was set up for; the value is how many it needs.
        11 NeedThreads "more threads needed";
        /// The program did what memory restore can not undo; the text says what.
        12 NeedIsolation "can not be undone";
        /// The program did what rscale can not control; the text says what.
        13 Unsupported "unsupported";
        /// The shim failed; the text says how.
        14 Internal "internal error of the shim";
        /// As many new steps as were asked for have been taken.
        15 Paused "paused";
        /// Killed by a signal; the value is the signal, with [`OWN_SIGNAL`] if one of its own threads sent it.
        16 Killed "killed by a signal";
        /// It takes no step any more, as the watchdog of the scheduler sees it; the value is 0 if it computes, 1 if it
        /// sleeps.
        17 Hang "hangs";
        /// All threads that could take a step go round in loops that change nothing.
        18 Livelock "livelock";
        /// The program said that what happened is not to be looked at (`rscale_assume`).
        19 Assumption "an assumption does not hold";
        /// A global invariant does not hold; the value is its number.
        20 Invariant "an invariant does not hold";
        /// An invariant could not be evaluated; the value is its number, the text says why.
        21 BadInvariant "an invariant could not be evaluated";
        /// The program created a thread with a larger stack than the shim was set up for; the value is the size it
        /// needs.
        22 NeedStack "a larger stack needed";
    }
}

coded! {
    /// What a program may not do with a thread or a synchronisation object.
    Misuse {
        /// A normal mutex that nobody holds.
        1 UnlockFree "unlock of a mutex that is not locked";
        /// A normal mutex that another thread holds.
        2 UnlockForeign "unlock of a mutex that another thread holds";
        /// A mutex in use.
        3 DestroyHeld "destroy of a mutex that is held";
        /// Any object after its end.
        4 UseDestroyed "use of an object after it was destroyed";
        /// An object that was never initialised.
        5 Uninitialised "use of an object that was never initialised";
        /// A wait without the mutex.
        6 WaitWithoutMutex "condition wait with a mutex that the thread does not hold";
        /// Two mutexes for one condition at a time.
        7 TwoMutexes "concurrent condition waits with different mutexes";
        /// A condition variable in use.
        8 DestroyWaitedOn "destroy of a condition variable that threads wait on";
        /// A thread that waits for itself.
        9 JoinSelf "join of the calling thread itself";
        /// A thread that can not be joined.
        10 JoinDetached "join of a detached thread";
        /// A thread that was joined before.
        11 JoinTwice "join of a thread that was joined before, or that another thread is joining";
        /// A number that names no thread.
        12 NoSuchThread "use of a thread identifier that names no thread";
        /// A thread detached before.
        13 DetachTwice "detach of a thread that was detached before";
        /// A read-write lock that the thread does not hold.
        14 RwUnlockNotHeld "unlock of a read-write lock that the thread does not hold";
        /// A read-write lock in use.
        15 RwDestroyHeld "destroy of a read-write lock that is held";
        /// A spin lock that the thread does not hold.
        16 SpinUnlockNotHeld "unlock of a spin lock that the thread does not hold";
        /// A spin lock in use.
        17 SpinDestroyHeld "destroy of a spin lock that is held";
        /// A barrier in use.
        18 BarrierDestroyBusy "destroy of a barrier that threads wait at";
        /// A semaphore in use.
        19 SemDestroyBusy "destroy of a semaphore that threads wait on";
        /// One kind of object used as another.
        20 WrongKind "use of an object as one of another kind";
        /// Two threads join each other.
        21 JoinCycle "two threads join each other";
        /// A mutex initialised while held.
        22 InitHeld "initialisation of a mutex that is held";
        /// A mutex of a thread that ended.
        23 ExitHolding "the thread ended while it held a mutex";
        /// A mutex that lies in freed memory.
        24 FreedMemory "use of a synchronisation object in freed memory";
        /// Any object but a mutex initialised while held or waited on.
        25 InitInUse "initialisation of an object that threads hold or wait on";
    }
}

coded! {
    /// What a program may not do with the heap.
    HeapError {
        /// Freed before.
        1 DoubleFree "double free";
        /// Never allocated.
        2 InvalidFree "free of a pointer that was not allocated";
        /// Written after it was freed.
        3 WriteAfterFree "write after free";
        /// Written beyond its end.
        4 Overflow "write beyond the end of an allocation";
        /// A pointer read from freed memory was followed.
        5 UseAfterFree "use after free";
        /// Not freed at the end.
        6 Leak "memory was not freed";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_found() {
        assert!(Ending::ALL.iter().all(|&e| Ending::from_code(e as u8) == Some(e) && !e.text().is_empty()));
        assert!(Misuse::ALL.iter().all(|&m| Misuse::from_code(m as u8) == Some(m) && !m.text().is_empty()));
        assert!(HeapError::ALL.iter().all(|&h| HeapError::from_code(h as u8) == Some(h) && !h.text().is_empty()));
        assert_eq!((Ending::from_code(0), Misuse::from_code(0), HeapError::from_code(0)), (None, None, None));
    }
}
