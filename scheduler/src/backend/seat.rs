//! The processors that a worker and its program stay on: one that they hand over to each other, or one each.
//!
//! Where they take turns they stay on one: to wake somebody up on another takes tens of microseconds, and to have a
//! second processor look out for news takes all of that. If others want to run there, they move on.
//!
//! Where the program runs ahead they have one each. Left to itself the kernel takes two that hand over to each other
//! every few microseconds for two that belong together: it may keep both on one processor for seconds, with another one
//! idle beside it, and the search takes three times as long. But where others want to run, who keeps to one processor
//! waits for a whole slice of their time at each hand-over: they sit only while there is room, and the kernel decides
//! otherwise.

use super::process_stat::{self, ProcessStat};
use crate::launch::Processors;
use nix::time::ClockId;
use nix::unistd::Pid;
use std::time::{Duration, Instant};

/// Runs before the first look around, for a search that takes no longer has nothing to gain; and between two looks at
/// the clock.
const FIRST_RUNS: u32 = 16;
const BETWEEN_LOOKS: u32 = 64;
/// Time between two looks around: one takes some tens of microseconds, and as many glances as that where it is crowded,
/// for what the kernel does now and then is soon over.
const INTERVAL: Duration = Duration::from_millis(20);
const GLANCES: u32 = 3;
/// They are in somebody's way if they had less than this part of their processors, in tenths.
const ENOUGH: u32 = 7;
/// So many looks the kernel decides, if the machine had seemed to have room, but not where they sat.
const STANDING: u32 = 16;

/// Seats on some processors.
#[derive(Clone, Debug)]
pub struct Seat {
    all: Processors,
    /// Which of them the worker has, and the program if they share one.
    place: usize,
    is_shared: bool,
    posture: Posture,
    /// Runs before the next look at the clock.
    runs_left: u32,
    /// When they looked around last, and the processor time that both had used then.
    looked: Option<(Instant, Duration)>,
    luck: u32,
}

/// What somebody with a seat does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Posture {
    /// They keep to their processors.
    Sitting,
    /// They run anywhere, for at least this many looks.
    Standing(u32),
}

/// What they see when they look around.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// More wants to run on the machine than there are processors.
    is_crowded: bool,
    /// They did not get much of theirs.
    is_starved: bool,
}

impl Seat {
    /// A seat for two on one of these.
    #[must_use]
    pub fn shared(all: Processors, place: usize) -> Seat {
        Seat {
            all,
            place,
            is_shared: true,
            posture: Posture::Standing(0),
            runs_left: FIRST_RUNS,
            looked: None,
            luck: std::process::id().wrapping_add(place as u32) | 1,
        }
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
        if self.posture == Posture::Sitting {
            self.sit(Some(program));
        }
        if self.looked.is_some() {
            self.note_time(Some(program));
        }
    }

    /// Has them run anywhere again.
    pub fn leave(&self, program: Option<Pid>) {
        for pid in [Pid::from_raw(0)].into_iter().chain(program) {
            let _ = self.all.let_go(pid);
        }
    }

    /// Another run begins: now and then, sits down, or makes room if others are there, too.
    #[inline]
    pub fn look(&mut self, program: Option<Pid>) {
        self.runs_left = self.runs_left.saturating_sub(1);
        if self.runs_left == 0 {
            self.runs_left = BETWEEN_LOOKS;
            self.look_at_clock(program);
        }
    }

    fn look_at_clock(&mut self, program: Option<Pid>) {
        let is_starved = match self.looked {
            Some((looked, _)) if looked.elapsed() < INTERVAL => return,
            Some((looked, used)) => {
                let seats = if self.is_shared { 1 } else { 2 };
                processor_time(program).saturating_sub(used) * 10 < looked.elapsed() * ENOUGH * seats
            }
            None => false,
        };
        let is_crowded = !self.is_shared && is_crowded(program);
        let posture = self.after(Sight { is_crowded, is_starved });
        self.take_up(posture, program);
        self.note_time(program);
    }

    /// What they do after a look around.
    fn after(&mut self, sight: Sight) -> Posture {
        match self.posture {
            Posture::Sitting if self.is_shared => {
                self.place += usize::from(sight.is_starved && self.is_lucky());
                Posture::Sitting
            }
            Posture::Sitting if sight.is_starved => {
                self.place += 1; // the other way round the next time
                Posture::Standing(STANDING)
            }
            Posture::Standing(looks) if looks > 0 => Posture::Standing(looks - 1),
            _ if sight.is_crowded => Posture::Standing(0),
            _ => Posture::Sitting,
        }
    }

    /// Has the calling thread, and the program if there is one, do that.
    fn take_up(&mut self, posture: Posture, program: Option<Pid>) {
        match (self.posture, posture) {
            (_, Posture::Sitting) => self.sit(program),
            (Posture::Sitting, Posture::Standing(_)) => self.leave(program),
            (Posture::Standing(_), Posture::Standing(_)) => {}
        }
        self.posture = posture;
    }

    /// It is no matter if the kernel refuses.
    fn sit(&self, program: Option<Pid>) {
        let beside = usize::from(!self.is_shared);
        let _ = self.all.keep_on(Pid::from_raw(0), self.place);
        if let Some(program) = program {
            let _ = self.all.keep_on(program, self.place + beside);
        }
    }

    fn note_time(&mut self, program: Option<Pid>) {
        self.looked = Some((Instant::now(), processor_time(program)));
    }

    /// Two that are in each other's way should not move on together for ever: true every other time, by chance.
    fn is_lucky(&mut self) -> bool {
        self.luck ^= self.luck << 13;
        self.luck ^= self.luck >> 17;
        self.luck ^= self.luck << 5;
        self.luck.is_multiple_of(2)
    }
}

/// Processor time of the calling thread and of the program.
fn processor_time(program: Option<Pid>) -> Duration {
    let own = ClockId::CLOCK_THREAD_CPUTIME_ID.now().map_or(Duration::ZERO, Duration::from);
    own + program.map_or(Duration::ZERO, process_stat::processor_time)
}

/// Whether the calling thread, the program and all others are more than there are processors on the machine, and for
/// longer than a moment. The program is asked first: it may fall asleep meanwhile, but nobody else wakes it up.
fn is_crowded(program: Option<Pid>) -> bool {
    let Some(online) = Processors::online() else { return false };
    (0..GLANCES).all(|_| {
        let program_runs = program.and_then(ProcessStat::of).is_some_and(|stat| stat.is_running);
        let own = 1 + usize::from(program_runs);
        Processors::running().is_some_and(|running| running.saturating_sub(own) + 2 > online)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Sight = Sight { is_crowded: false, is_starved: false };
    const CROWD: Sight = Sight { is_crowded: true, ..ROOM };
    const STARVED: Sight = Sight { is_starved: true, ..ROOM };

    /// In a thread of its own, which has a place on the first of the processors.
    fn with_seat(seat: fn(Processors, usize) -> Seat, test: impl FnOnce(Seat) + Send) {
        std::thread::scope(|scope| {
            scope.spawn(|| test(seat(Processors::mine().expect("known"), 0)));
        });
    }

    fn see(seat: &mut Seat, sight: Sight) -> Posture {
        let posture = seat.after(sight);
        seat.take_up(posture, None);
        let (count, sits) = (Processors::mine().map(|mine| mine.count()), posture == Posture::Sitting);
        assert_eq!(count, Ok(if sits { 1 } else { seat.all.count() }));
        posture
    }

    #[test]
    fn a_shared_seat_moves_on_by_chance() {
        with_seat(Seat::shared, |mut seat| {
            (0..8).for_each(|_| assert_eq!(see(&mut seat, ROOM), Posture::Sitting));
            assert_eq!(seat.place, 0, "as long as there is enough");
            for _ in 0..64 {
                assert_eq!(see(&mut seat, STARVED), Posture::Sitting);
            }
            assert!((8..56).contains(&seat.place), "{}", seat.place);
        });
    }

    #[test]
    fn seats_apart_are_taken_while_there_is_room() {
        with_seat(Seat::apart, |mut seat| {
            for (sight, posture) in [
                (CROWD, Posture::Standing(0)),
                (STARVED, Posture::Sitting),
                (ROOM, Posture::Sitting),
                (CROWD, Posture::Standing(0)),
                (ROOM, Posture::Sitting),
            ] {
                assert_eq!(see(&mut seat, sight), posture);
            }
        });
    }

    #[test]
    fn seats_apart_are_left_for_a_while_if_somebody_else_is_there() {
        with_seat(Seat::apart, |mut seat| {
            assert_eq!(see(&mut seat, ROOM), Posture::Sitting);
            for left in (0..=STANDING).rev() {
                assert_eq!(see(&mut seat, STARVED), Posture::Standing(left));
            }
            assert_eq!(see(&mut seat, ROOM), Posture::Sitting);
            assert_eq!(seat.place, 1);
        });
    }

    #[test]
    fn a_few_runs_go_by_before_a_seat_is_taken() {
        with_seat(Seat::shared, |mut seat| {
            for _ in 1..FIRST_RUNS {
                seat.look(None);
                assert_eq!(seat.posture, Posture::Standing(0));
            }
            seat.look(None);
            assert_eq!(seat.posture, Posture::Sitting);
        });
    }
}
