//! The processors that a worker and its program stay on: one that they hand over to each other, or one each.
//!
//! Where they take turns they stay on one: to wake somebody up on another takes tens of microseconds, and to have a
//! second processor look out for news takes all of that. If others want to run there, they move on.
//!
//! Where the program runs ahead they have one each. Left to itself the kernel takes two that hand over to each other
//! every few microseconds for two that belong together: it may keep both on one processor for seconds, with another one
//! idle beside it, and the search takes three times as long. If others want to run there, the kernel is to decide for a
//! while.
//!
//! Seats are taken after a few runs: a search that takes no longer has nothing to gain, and may be beside many others.

use super::process_stat;
use crate::launch::Processors;
use nix::time::ClockId;
use nix::unistd::Pid;
use std::time::{Duration, Instant};

/// Runs before seats are taken, and between two looks at the clock.
const FIRST_RUNS: u32 = 16;
const BETWEEN_LOOKS: u32 = 256;
/// Time between two looks at how much of the processors they had.
const INTERVAL: Duration = Duration::from_millis(200);
/// They move on if they had less than this part of it, in tenths.
const ENOUGH: u32 = 7;
/// So many intervals the kernel decides, where others want the processors.
const STANDING: u32 = 10;

/// Seats on some processors.
#[derive(Clone, Debug)]
pub struct Seat {
    all: Processors,
    /// Which of them the worker has, and the program if they share one.
    place: usize,
    is_shared: bool,
    runs: u32,
    looked: Instant,
    /// Processor time that both had used then.
    used: Duration,
    /// Whether they have sat down once, and in how many intervals they do so again if they have stood up.
    is_taken: bool,
    standing: u32,
}

impl Seat {
    /// A seat for two on one of these.
    #[must_use]
    pub fn shared(all: Processors, place: usize) -> Seat {
        let (looked, used) = (Instant::now(), Duration::ZERO);
        Seat { all, place, is_shared: true, runs: 0, looked, used, is_taken: false, standing: 0 }
    }

    /// A seat for each on two of these, which there have to be.
    #[must_use]
    pub fn apart(all: Processors, place: usize) -> Seat {
        Seat { is_shared: false, ..Seat::shared(all, place) }
    }

    /// The processors.
    #[must_use]
    pub fn all(&self) -> Processors {
        self.all
    }

    /// Whether worker and program have the same one.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// There is another process of the program: it stays where the one before it did.
    pub fn welcome(&mut self, program: Pid) {
        match self.is_taken && self.standing == 0 {
            true => self.sit(Some(program)),
            false => self.note_time(Some(program)),
        }
    }

    /// Has the calling thread, and the program if there is one, stay there. It is no matter if the kernel refuses.
    fn sit(&mut self, program: Option<Pid>) {
        let beside = usize::from(!self.is_shared);
        let _ = self.all.keep_on(Pid::from_raw(0), self.place);
        if let Some(program) = program {
            let _ = self.all.keep_on(program, self.place + beside);
        }
        (self.is_taken, self.standing) = (true, 0);
        self.note_time(program);
    }

    /// Has them run anywhere again.
    pub fn leave(&self, program: Option<Pid>) {
        for pid in [Pid::from_raw(0)].into_iter().chain(program) {
            let _ = self.all.let_go(pid);
        }
    }

    /// Another run begins: now and then, makes room if others were there, too.
    pub fn look(&mut self, program: Option<Pid>) {
        self.runs += 1;
        if !self.is_taken && self.runs == FIRST_RUNS {
            self.sit(program);
        }
        if !self.runs.is_multiple_of(BETWEEN_LOOKS) {
            return;
        }
        let elapsed = self.looked.elapsed();
        if elapsed >= INTERVAL {
            let used = processor_time(program).saturating_sub(self.used);
            self.make_room(used, elapsed, program);
        }
    }

    fn note_time(&mut self, program: Option<Pid>) {
        self.looked = Instant::now();
        self.used = processor_time(program);
    }

    fn make_room(&mut self, used: Duration, elapsed: Duration, program: Option<Pid>) {
        let seats = if self.is_shared { 1 } else { 2 };
        let is_crowded = used * 10 < elapsed * ENOUGH * seats;
        match self.standing {
            0 if is_crowded && !self.is_shared => {
                self.leave(program);
                self.standing = STANDING;
                self.note_time(program);
            }
            0 => {
                // Two that are in each other's way should not move on together for ever.
                let is_lucky = (elapsed.subsec_nanos() / 64).is_multiple_of(2);
                self.place += usize::from(is_crowded && is_lucky);
                self.sit(program);
            }
            1 => {
                self.place += 1;
                self.sit(program);
            }
            _ => {
                self.standing -= 1;
                self.note_time(program);
            }
        }
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
            let mut seat = Seat::shared(all, all.here());
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

    #[test]
    fn seats_apart_are_left_for_a_while() {
        std::thread::spawn(|| {
            let all = Processors::mine().expect("known");
            let mut seat = Seat::apart(all, all.here());
            let stays = || Processors::mine() == Ok(all);
            seat.sit(None);
            assert_eq!(Processors::mine().map(|mine| mine.count()), Ok(1));
            seat.make_room(2 * INTERVAL, INTERVAL, None);
            assert_eq!(Processors::mine().map(|mine| mine.count()), Ok(1), "nobody else was there");
            seat.make_room(INTERVAL, INTERVAL, None);
            assert!(stays(), "others had one of the two");
            for _ in 1..STANDING {
                seat.make_room(2 * INTERVAL, INTERVAL, None);
                assert!(stays());
            }
            seat.make_room(INTERVAL, INTERVAL, None);
            assert_eq!(Processors::mine().map(|mine| mine.count()), Ok(1), "it is time to try again");
            seat.leave(None);
        })
        .join()
        .expect("as it should be");
    }
}
