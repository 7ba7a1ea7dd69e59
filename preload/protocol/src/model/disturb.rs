//! Which steps can change what another thread can do: so that not every thread is asked again after every step.

use super::Model;
use crate::action::Action;
use crate::ops::Op;

impl Model {
    /// Whether a step, or the arrival at it, may have changed the [choices](Model::choices) of another thread for its
    /// pending action. The answer may be yes without need; for steps that are not known here it is.
    #[must_use]
    #[inline(always)]
    pub fn disturbs(&self, done: &Action, pending: &Action) -> bool {
        use Op::{
            AtomicUpdate, BufferRoom, CondBroadcast, CondRetake, CondSignal, CondWait, CondWake, Fence, Flush,
            MutexAbandon, MutexConsistent, MutexDestroy, MutexInit, MutexLock, MutexTryLock, MutexUnlock, OwnRead,
            Preempt, Read, SemGetValue, SemPost, SemTryWait, SemWait, SpinDestroy, SpinInit, SpinLock, SpinTryLock,
            SpinUnlock, ThreadCreate, ThreadExit, ThreadJoin, ThreadStart, Write, Yield,
        };
        let is_about = |object| pending.object == object || pending.second == object;
        let same_object = is_about(done.object);
        match done.op {
            // What descriptors and signals allow is asked elsewhere, and a request to cancel a thread reaches it
            // wherever it waits.
            _ if matches!(pending.op, Op::DescriptorWait | Op::SignalWait) || self.threads.has_cancellations() => true,
            MutexLock | MutexTryLock | MutexUnlock | MutexAbandon => same_object,
            MutexConsistent | MutexInit | MutexDestroy => same_object,
            CondSignal | CondBroadcast | CondWake | CondRetake => same_object,
            CondWait => same_object || is_about(done.second),
            SpinLock | SpinTryLock | SpinUnlock | SpinInit | SpinDestroy => same_object,
            SemPost | SemTryWait | SemGetValue => same_object,
            // These change what is known of a thread: its life, whom it joins, what it waits on.
            SemWait => same_object || depends_on_waits(pending.op),
            ThreadCreate | ThreadJoin | ThreadExit => pending.op == ThreadJoin || depends_on_waits(pending.op),
            ThreadStart | Yield | Preempt | Read | Write | AtomicUpdate => false,
            // Whoever waits for a flush is asked again when it takes place.
            OwnRead | Flush | Fence | BufferRoom => false,
            _ => true,
        }
    }
}

/// Whether what a thread can do depends on the [wait](super::Wait) of others.
fn depends_on_waits(pending: Op) -> bool {
    !matches!(pending, Op::MutexLock | Op::SpinLock | Op::SemWait | Op::OnceEnter | Op::ThreadJoin)
}
