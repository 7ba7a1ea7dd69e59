//! Policies, priorities and processors of threads, as the program sees them. Who runs when is decided elsewhere, so
//! none of it has an effect; but what is asked for is checked as the kernel checks it, and what was set is what is
//! read.

use super::process::{PROCESS, store};
use super::{Call, failure, process};
use crate::{arena, sys, tls_pool, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::PROCESSOR_WORDS;
use rscale_protocol::model::Life;
use rscale_protocol::{MAX_THREADS, ThreadId};

/// A set of processors, a bit each.
pub type Processors = [u64; PROCESSOR_WORDS];

/// The policy bit that says what children get; they get what their parent has.
const RESET_ON_FORK: i32 = 0x4000_0000;
const MOST_URGENT: i32 = 99;
const CAP_SYS_NICE: u32 = 23;

/// How a thread is scheduled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Urgency {
    /// `SCHED_OTHER` and the like.
    pub policy: i32,
    /// From 1 to 99 where the policy is one of real time, else 0.
    pub priority: i32,
}

/// What the program has set: a part of the world. All zeroes is the state at its start.
pub struct Scheduling {
    /// Whether anything was set.
    used: Cell<bool>,
    urgency: [Cell<Urgency>; MAX_THREADS],
    /// No processor at all stands for all that there are.
    processors: [Cell<Processors>; MAX_THREADS],
}

impl Scheduling {
    /// Nothing was set.
    pub const fn new() -> Scheduling {
        Scheduling {
            used: Cell::new(false),
            urgency: [const { Cell::new(Urgency { policy: 0, priority: 0 }) }; MAX_THREADS],
            processors: [const { Cell::new([0; PROCESSOR_WORDS]) }; MAX_THREADS],
        }
    }

    /// How the thread is scheduled.
    pub fn urgency(&self, thread: ThreadId) -> Urgency {
        self.urgency[thread.index()].get()
    }

    /// Schedules a thread in this way from now on.
    pub fn set_urgency(&self, thread: ThreadId, urgency: Urgency) {
        self.used.set(true);
        self.urgency[thread.index()].set(urgency);
    }

    /// Has a thread run on these processors only.
    pub fn set_processors(&self, thread: ThreadId, processors: Processors) {
        self.used.set(true);
        self.processors[thread.index()].set(processors);
    }

    /// A new thread is scheduled like the one that makes it.
    pub fn inherit(&self, child: ThreadId) {
        if self.used.get() {
            let parent = world::get().current.get().index();
            self.urgency[child.index()].set(self.urgency[parent].get());
            self.processors[child.index()].set(self.processors[parent].get());
        }
    }

    fn processors(&self, thread: ThreadId) -> Processors {
        match self.processors[thread.index()].get() {
            chosen if chosen != [0; PROCESSOR_WORDS] => chosen,
            _ => all_processors(),
        }
    }

    /// The processor that a thread is said to be on.
    pub fn processor(&self, thread: ThreadId) -> u32 {
        match self.used.get() {
            true => first(&self.processors(thread)),
            false => 0,
        }
    }
}

fn first(processors: &Processors) -> u32 {
    let word = processors.iter().position(|&word| word != 0).unwrap_or(0);
    word as u32 * u64::BITS + processors[word].trailing_zeros() % u64::BITS
}

/// The processors that the program would have without rscale, which may have chosen one for it.
fn all_processors() -> Processors {
    let given: Processors = core::array::from_fn(|word| arena::get().setup.processors[word].load(Relaxed));
    if given != [0; PROCESSOR_WORDS] {
        return given;
    }
    let mut own = [0u64; PROCESSOR_WORDS];
    // SAFETY: the kernel fills in at most the given length.
    unsafe {
        sys::call(libc::SYS_sched_getaffinity, [0, size_of::<Processors>() as u64, own.as_mut_ptr() as u64, 0, 0, 0])
    };
    own
}

/// Those of the wanted processors that there are; an error number if there is none.
pub fn available(wanted: &Processors) -> Result<Processors, i32> {
    let all = all_processors();
    let common: Processors = core::array::from_fn(|word| wanted[word] & all[word]);
    if common == [0; PROCESSOR_WORDS] { Err(libc::EINVAL) } else { Ok(common) }
}

/// Whether a thread that is scheduled one way may be scheduled another; the error number if not.
pub fn check(now: Urgency, wanted: Urgency) -> Result<(), i32> {
    let is_real_time = matches!(wanted.policy, libc::SCHED_FIFO | libc::SCHED_RR);
    let is_ordinary = matches!(wanted.policy, libc::SCHED_OTHER | libc::SCHED_BATCH | libc::SCHED_IDLE);
    let fits = if is_real_time { (1..=MOST_URGENT).contains(&wanted.priority) } else { wanted.priority == 0 };
    if !fits || !is_real_time && !is_ordinary {
        return Err(libc::EINVAL);
    }
    let limit = real_time_limit();
    let is_more = wanted.policy != now.policy && limit == 0
        || wanted.priority > now.priority && i64::from(wanted.priority) > limit;
    if is_real_time && is_more && !is_privileged() { Err(libc::EPERM) } else { Ok(()) }
}

/// The highest priority that a process without privileges may ask for.
fn real_time_limit() -> i64 {
    let mut limits = [0u64; 2];
    // SAFETY: reads the limits of this process into memory of their size.
    unsafe { sys::call(libc::SYS_prlimit64, [0, libc::RLIMIT_RTPRIO.into(), 0, limits.as_mut_ptr() as u64, 0, 0]) };
    i64::try_from(limits[0]).unwrap_or(i64::MAX)
}

fn is_privileged() -> bool {
    const VERSION_3: u32 = 0x2008_0522;
    let header = [VERSION_3, 0];
    let mut sets = [0u32; 6];
    // SAFETY: reads the capabilities of this thread into memory of their size; the first word is the effective set.
    unsafe { sys::call(libc::SYS_capget, [header.as_ptr() as u64, sets.as_mut_ptr() as u64, 0, 0, 0, 0]) };
    sets[0] >> CAP_SYS_NICE & 1 == 1
}

/// The living thread that a call is about; 0 is the calling one.
fn subject(call: &Call) -> Result<ThreadId, i64> {
    let number = call.arguments[0] as i32;
    if number < 0 {
        return Err(failure(libc::EINVAL));
    }
    if number == 0 {
        return Ok(world::get().current.get());
    }
    let told = usize::try_from(number - PROCESS).ok().and_then(ThreadId::from_index);
    let thread = told.or_else(|| tls_pool::thread_with_number(number));
    let is_there = |thread: &ThreadId| world::get().look(|model| model.threads.life(*thread)) != Life::Unborn;
    thread.filter(is_there).ok_or(failure(libc::ESRCH))
}

fn answer(result: Result<i64, i64>) -> i64 {
    result.unwrap_or_else(|error| error)
}

fn read_priority(address: u64) -> Result<i32, i64> {
    // SAFETY: the program passes a `struct sched_param`, whose only member is the priority.
    if address == 0 { Err(failure(libc::EINVAL)) } else { Ok(unsafe { *(address as *const i32) }) }
}

fn change(thread: ThreadId, wanted: Urgency) -> Result<i64, i64> {
    let scheduling = &world::get().scheduling;
    check(scheduling.urgency(thread), wanted).map_err(failure)?;
    scheduling.set_urgency(thread, wanted);
    Ok(0)
}

/// `sched_setscheduler`.
pub fn sched_setscheduler(call: &Call) -> i64 {
    answer(subject(call).and_then(|thread| {
        let priority = read_priority(call.arguments[2])?;
        change(thread, Urgency { policy: call.arguments[1] as i32 & !RESET_ON_FORK, priority })
    }))
}

/// `sched_setparam`.
pub fn sched_setparam(call: &Call) -> i64 {
    answer(subject(call).and_then(|thread| {
        let priority = read_priority(call.arguments[1])?;
        change(thread, Urgency { priority, ..world::get().scheduling.urgency(thread) })
    }))
}

/// `sched_getscheduler`.
pub fn sched_getscheduler(call: &Call) -> i64 {
    answer(subject(call).map(|thread| world::get().scheduling.urgency(thread).policy.into()))
}

/// `sched_getparam`.
pub fn sched_getparam(call: &Call) -> i64 {
    answer(subject(call).and_then(|thread| {
        read_priority(call.arguments[1])?;
        store(call.arguments[1], world::get().scheduling.urgency(thread).priority);
        Ok(0)
    }))
}

/// `sched_setaffinity`.
pub fn sched_setaffinity(call: &Call) -> i64 {
    let [_, length, set, ..] = call.arguments;
    let wanted: Processors = core::array::from_fn(|word| {
        let bytes: [u8; 8] = core::array::from_fn(|byte| {
            let place = (word * 8 + byte) as u64;
            // SAFETY: the program passes a set of this length; a wrong pointer faults here and is the program's crash.
            if place < length { unsafe { *((set + place) as *const u8) } } else { 0 }
        });
        u64::from_ne_bytes(bytes)
    });
    answer(subject(call).and_then(|thread| {
        let processors = available(&wanted).map_err(failure)?;
        world::get().scheduling.set_processors(thread, processors);
        Ok(0)
    }))
}

/// `sched_getaffinity`. The kernel says whether the length will do, and how much of it it uses.
pub fn sched_getaffinity(call: &Call) -> i64 {
    answer(subject(call).map(|thread| {
        let [_, length, set, ..] = call.arguments;
        let bytes = Call { arguments: [0, length, set, 0, 0, 0], ..*call }.pass();
        let words = usize::try_from(bytes).unwrap_or(0) / size_of::<u64>();
        for (index, word) in world::get().scheduling.processors(thread).into_iter().take(words).enumerate() {
            store(set + (index * size_of::<u64>()) as u64, word);
        }
        bytes
    }))
}

/// `getcpu`: always the first one that the thread may run on.
pub fn getcpu(call: &Call) -> i64 {
    let world = world::get();
    process::store(call.arguments[0], world.scheduling.processor(world.current.get()));
    process::store(call.arguments[1], 0u32);
    0
}
