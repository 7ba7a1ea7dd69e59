//! The processor that a worker and its program share, and hand over to each other.
//!
//! Where they take turns they stay on one: to wake somebody up on another takes tens of microseconds, and to have a second
//! processor look out for news takes all of that. If others want to run there, they move on.

use super::process_stat;
use crate::launch::Processors;
use nix::time::ClockId;
use nix::unistd::Pid;
use std::time::{Duration, Instant};

/// Runs between two looks at the clock.
const BETWEEN_LOOKS: u32 = 256;
/// Time between two looks at how much of the processor they had.
const INTERVAL: Duration = Duration::from_millis(200);
/// They move on if they had less than this part of it, in tenths.
const ENOUGH: u32 = 7;

/// A seat on one of some processors.
#[derive(Clone, Debug)]
pub struct Seat {
    all: Processors,
    /// Which of them.
    place: usize,
    runs: u32,
    looked: Instant,
    /// Processor time that both had used then.
    used: Duration,
}

impl Seat {
    /// A seat on one of these.
    #[must_use]
    pub fn new(all: Processors, place: usize) -> Seat {
        Seat { all, place, runs: 0, looked: Instant::now(), used: Duration::ZERO }
    }

    /// The processors.
    #[must_use]
    pub fn all(&self) -> Processors {
        self.all
    }

    /// Has the calling thread, and the program if there is one, stay there. It is no matter if the kernel refuses.
    pub fn sit(&mut self, program: Option<Pid>) {
        for pid in [Pid::from_raw(0)].into_iter().chain(program) {
            let _ = self.all.keep_on(pid, self.place);
        }
        self.looked = Instant::now();
        self.used = processor_time(program);
    }

    /// Has them run anywhere again.
    pub fn leave(&self, program: Option<Pid>) {
        for pid in [Pid::from_raw(0)].into_iter().chain(program) {
            let _ = self.all.let_go(pid);
        }
    }

    /// Another run begins: now and then, moves on if others were there, too.
    pub fn look(&mut self, program: Option<Pid>) {
        self.runs += 1;
        if !self.runs.is_multiple_of(BETWEEN_LOOKS) {
            return;
        }
        let elapsed = self.looked.elapsed();
        if elapsed < INTERVAL {
            return;
        }
        let used = processor_time(program).saturating_sub(self.used);
        // Two that are in each other's way should not move on together for ever.
        let is_lucky = (elapsed.subsec_nanos() / 64).is_multiple_of(2);
        if used * 10 < elapsed * ENOUGH && is_lucky {
            self.place += 1;
        }
        self.sit(program);
    }
}

/// Processor time of the calling thread and of the program.
fn processor_time(program: Option<Pid>) -> Duration {
    let own = ClockId::CLOCK_THREAD_CPUTIME_ID.now().map_or(Duration::ZERO, Duration::from);
    own + program.map_or(Duration::ZERO, process_stat::processor_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_left_to_others() {
        std::thread::spawn(|| {
            let all = Processors::mine().expect("known");
            let mut seat = Seat::new(all, all.here());
            seat.sit(None);
            assert_eq!(Processors::mine().map(|mine| mine.count()), Ok(1));
            let place = seat.place;
            for _ in 0..64 {
                // As if others had had the processor for a long time.
                seat.looked = Instant::now().checked_sub(Duration::from_secs(3600)).unwrap_or(seat.looked);
                (0..BETWEEN_LOOKS).for_each(|_| seat.look(None));
            }
            assert!(seat.place > place && seat.place < place + 64, "{} to {}", place, seat.place);
            assert_eq!(Processors::mine().map(|mine| mine.count()), Ok(1));
            seat.leave(None);
            assert_eq!(Processors::mine(), Ok(all));
        })
        .join()
        .expect("as it should be");
    }
}
