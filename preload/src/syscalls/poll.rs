//! Waiting for several descriptors: `poll`, `select`, `epoll_wait`.
//!
//! The kernel looks at one descriptor after the other, and again after it has slept. So does this: each look is a step
//! on the object behind the descriptor, and what it sees is what counts. A step on the first descriptor alone would
//! hide from the search that the outcome depends on the others too.

use super::{Call, failure, kernel, report, signals, time, wait};
use crate::access::Here;
use crate::{clock, gate};
use rscale_protocol::{Action, Op};

/// Most descriptors in one call.
const MOST: usize = 256;
const NONE: libc::pollfd = libc::pollfd { fd: -1, events: 0, revents: 0 };
/// What `select` takes for readable and writable.
const READABLE: i16 = libc::POLLIN | libc::POLLRDNORM | libc::POLLRDBAND | libc::POLLHUP | libc::POLLERR;
const WRITABLE: i16 = libc::POLLOUT | libc::POLLWRNORM | libc::POLLWRBAND | libc::POLLERR;

/// How long a call may wait.
#[derive(Clone, Copy, PartialEq)]
enum Patience {
    None,
    Until(u64),
    Endless,
}

impl Patience {
    fn nanoseconds(duration: u64) -> Patience {
        if duration == 0 {
            Patience::None
        } else {
            Patience::Until(clock::now().saturating_add(duration).min(Action::NEVER - 1))
        }
    }

    fn milliseconds(duration: i32) -> Patience {
        if duration < 0 { Patience::Endless } else { Patience::nanoseconds(duration as u64 * 1_000_000) }
    }

    /// From a `struct timespec` that may be null.
    fn timespec(address: u64) -> Result<Patience, i64> {
        match time::read_timespec(address) {
            None => Ok(Patience::Endless),
            Some(time) => clock::system_time(&time).map(Patience::nanoseconds).ok_or(failure(libc::EINVAL)),
        }
    }

    /// From a `struct timeval` that may be null.
    fn timeval(address: u64) -> Result<Patience, i64> {
        match time::read_timespec(address) {
            None => Ok(Patience::Endless),
            Some(time) if time.tv_sec < 0 || time.tv_nsec < 0 => Err(failure(libc::EINVAL)),
            Some(time) => {
                let seconds = (time.tv_sec as u64).saturating_mul(clock::SECOND);
                Ok(Patience::nanoseconds(seconds.saturating_add((time.tv_nsec as u64).saturating_mul(1_000))))
            }
        }
    }

    fn deadline(self) -> u64 {
        match self {
            Patience::Until(deadline) => deadline,
            Patience::None | Patience::Endless => Action::NEVER,
        }
    }
}

/// Looks at each object in turn; how many descriptors are ready.
fn look(call: &Call, set: &mut [libc::pollfd]) -> i64 {
    let mut ready = 0;
    for index in 0..set.len() {
        let variable = wait::variable(set[index].fd);
        let seen = set[..index].iter().any(|earlier| earlier.fd >= 0 && wait::variable(earlier.fd) == variable);
        if set[index].fd >= 0 && !seen {
            gate::pass(call.action(Op::DescriptorUse, variable));
        }
        ready += kernel::poll(&mut set[index..=index]).max(0);
    }
    ready
}

fn has_one_object(set: &[libc::pollfd]) -> bool {
    let mut variables = set.iter().filter(|entry| entry.fd >= 0).map(|entry| wait::variable(entry.fd));
    let first = variables.next();
    variables.all(|variable| Some(variable) == first)
}

/// Waits until something in the set is ready; how many are, or the error.
fn wait_for(call: &Call, set: &mut [libc::pollfd], patience: Patience) -> i64 {
    if set.iter().all(|entry| entry.fd < 0) {
        return wait_for_nothing(call, patience);
    }
    if patience == Patience::None {
        return look(call, set);
    }
    let single = has_one_object(set);
    let handled = signals::handlers_run();
    let mut in_time = true;
    loop {
        if !single {
            let ready = look(call, set);
            if ready > 0 || !in_time {
                return ready;
            }
        }
        in_time = wait::until_ready(call, set, patience.deadline());
        if single {
            let ready = kernel::poll(set);
            if ready != 0 || !in_time {
                return ready;
            }
        }
        if signals::handlers_run() != handled {
            return failure(libc::EINTR);
        }
    }
}

/// No descriptors at all: a sleep.
fn wait_for_nothing(call: &Call, patience: Patience) -> i64 {
    match patience {
        Patience::None => 0,
        Patience::Until(deadline) => time::sleep_until(call, deadline),
        Patience::Endless => signals::wait::pause(call),
    }
}

/// `poll` and `ppoll` on the program's array.
fn poll_array(call: &Call, patience: Patience) -> i64 {
    let count = call.arguments[1] as usize;
    if count > MOST {
        report::unsupported(call, "waits for more than 256 descriptors at once");
    }
    let mut copy = [NONE; MOST];
    let copy = &mut copy[..count];
    let array = call.arguments[0] as *mut libc::pollfd;
    // SAFETY: the program passes an array of this length; a wrong pointer faults here and is the program's crash.
    (0..count).for_each(|index| copy[index] = unsafe { *array.add(index) });
    let result = wait_for(call, copy, patience);
    let here = Here::at(call.pc);
    for (index, polled) in copy.iter().enumerate() {
        // SAFETY: as above.
        let place = unsafe { &raw mut (*array.add(index)).revents };
        here.stores(place, if result >= 0 { polled.revents } else { 0 });
    }
    result
}

/// `poll`.
pub fn poll(call: &Call) -> i64 {
    poll_array(call, Patience::milliseconds(call.arguments[2] as i32))
}

/// `ppoll`.
pub fn ppoll(call: &Call) -> i64 {
    let [_, _, time, mask, ..] = call.arguments;
    let wait = |patience| signals::wait::with_mask_at(mask, || poll_array(call, patience));
    Patience::timespec(time).map_or_else(|error| error, wait)
}

/// One of the three sets of `select`, which may be null.
#[derive(Clone, Copy)]
struct Bits(*mut u64);

impl Bits {
    fn has(self, descriptor: usize) -> bool {
        // SAFETY: the program passes a set with room for the descriptors that it asks for.
        !self.0.is_null() && unsafe { *self.0.add(descriptor / 64) } >> (descriptor % 64) & 1 == 1
    }

    /// Keeps the descriptor in the set or takes it out; whether it stays.
    fn keep(self, descriptor: usize, stays: bool) -> bool {
        if self.has(descriptor) && !stays {
            // SAFETY: as in `has`, which has found the bit.
            unsafe { *self.0.add(descriptor / 64) &= !(1 << (descriptor % 64)) };
        }
        self.has(descriptor)
    }
}

fn select_sets(call: &Call, patience: Patience) -> i64 {
    let [count, read, write, except, ..] = call.arguments;
    if (count as i32) < 0 {
        return failure(libc::EINVAL);
    }
    let sets = [read, write, except].map(|address| Bits(address as *mut u64));
    let mut copy = [NONE; MOST];
    let mut used = 0;
    for descriptor in 0..(count as usize).min(libc::FD_SETSIZE) {
        let wanted = [libc::POLLIN, libc::POLLOUT, libc::POLLPRI];
        let events =
            sets.iter().zip(wanted).filter(|(set, _)| set.has(descriptor)).fold(0, |all, (_, event)| all | event);
        if events == 0 {
            continue;
        }
        if used == MOST {
            report::unsupported(call, "waits for more than 256 descriptors at once");
        }
        copy[used] = wait::one(descriptor as i32, events);
        used += 1;
    }
    let set = &mut copy[..used];
    let result = wait_for(call, set, patience);
    if result < 0 {
        return result;
    }
    if set.iter().any(|entry| entry.revents & libc::POLLNVAL != 0) {
        return failure(libc::EBADF);
    }
    let mut bits = 0;
    for entry in set {
        for (bit_set, matching) in sets.iter().zip([READABLE, WRITABLE, libc::POLLPRI]) {
            bits += i64::from(bit_set.keep(entry.fd as usize, entry.revents & matching != 0));
        }
    }
    bits
}

/// `select`.
pub fn select(call: &Call) -> i64 {
    Patience::timeval(call.arguments[4]).map_or_else(|error| error, |patience| select_sets(call, patience))
}

/// `pselect6`.
pub fn pselect6(call: &Call) -> i64 {
    let [.., time, masks] = call.arguments;
    // SAFETY: the program passes null, or a set with its size behind it; a wrong pointer is the program's crash.
    let mask = if masks == 0 { 0 } else { unsafe { *(masks as *const u64) } };
    let wait = |patience| signals::wait::with_mask_at(mask, || select_sets(call, patience));
    Patience::timespec(time).map_or_else(|error| error, wait)
}

/// The set of an epoll descriptor is known to the kernel: it is ready when one of its members is.
fn epoll(call: &Call, patience: Patience) -> i64 {
    let mut set = [wait::one(call.descriptor(), libc::POLLIN)];
    let ready = match patience {
        Patience::None => {
            wait::use_object(call, call.descriptor());
            1
        }
        _ => wait_for(call, &mut set, patience),
    };
    if ready <= 0 {
        return ready;
    }
    let [descriptor, events, most, ..] = call.arguments;
    Call { number: libc::SYS_epoll_wait, arguments: [descriptor, events, most, 0, 0, 0], ..*call }.pass()
}

/// `epoll_wait`.
pub fn epoll_wait(call: &Call) -> i64 {
    epoll(call, Patience::milliseconds(call.arguments[3] as i32))
}

/// `epoll_pwait`.
pub fn epoll_pwait(call: &Call) -> i64 {
    signals::wait::with_mask_at(call.arguments[4], || epoll_wait(call))
}

/// `epoll_pwait2`.
pub fn epoll_pwait2(call: &Call) -> i64 {
    let [_, _, _, time, mask, _] = call.arguments;
    let wait = |patience| signals::wait::with_mask_at(mask, || epoll(call, patience));
    Patience::timespec(time).map_or_else(|error| error, wait)
}
