//! The processors that a worker and its program stay on: one that they hand over to each other, or one each.
//!
//! Where they take turns they stay together on one: to wake somebody up on another takes tens of microseconds, and to
//! have a second processor look out for news takes all of that. If others want to run there, they move on.
//!
//! Where there are two processors for them the program runs ahead, and they have one each. Left to itself the kernel
//! takes two that hand over to each other every few microseconds for two that belong together: it may keep both on one
//! processor for seconds, with another one idle beside it, and the search takes three times as long. But where others
//! want to run, two that need each other wait for a whole slice of time of somebody else at each hand-over: then they
//! stay together, and need one processor instead of two that they mostly wait on.

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
/// So many looks they stay together, if the machine had seemed to have room, but not where they sat.
const WARNED: u32 = 16;

/// Seats on some processors.
#[derive(Clone, Debug)]
pub struct Seat {
    all: Processors,
    /// Which of them the worker has, and the program if they share one.
    place: usize,
    /// Whether they can have one each.
    can_part: bool,
    posture: Posture,
    /// Runs before the next look at the clock.
    runs_left: u32,
    /// When they looked around last, and the processor time that both had used then.
    looked: Option<(Instant, Duration)>,
    /// Whether they had one each, and did not get much of them.
    is_disturbed: bool,
    luck: u32,
}

/// How somebody sits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Posture {
    /// They run anywhere: they have not looked around yet.
    Standing,
    /// They hand one processor over to each other, for at least this many looks.
    Together(u32),
    /// They have one each.
    Apart,
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
            can_part: false,
            posture: Posture::Standing,
            runs_left: FIRST_RUNS,
            looked: None,
            is_disturbed: false,
            luck: std::process::id().wrapping_add(place as u32) | 1,
        }
    }

    /// A seat for each on two of these, which there have to be, while there is room.
    #[must_use]
    pub fn apart(all: Processors, place: usize) -> Seat {
        Seat { can_part: true, ..Seat::shared(all, place) }
    }

    /// The processors.
    #[must_use]
    pub fn all(&self) -> Processors {
        self.all
    }

    /// Whether worker and program have the same one.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        !self.can_part || matches!(self.posture, Posture::Together(_))
    }

    /// Whether they could not keep one each: nothing in sight wanted to run there, but somebody took the time, such as
    /// another machine on the same processors. Who was disturbed once will be again.
    #[must_use]
    pub fn is_disturbed(&self) -> bool {
        self.is_disturbed
    }

    /// There is another process of the program: it stays where the one before it did.
    pub fn welcome(&mut self, program: Pid) {
        if self.posture != Posture::Standing {
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

    /// Another run begins: now and then, they sit down as there is room. Returns whether that may have changed.
    #[inline]
    pub fn look(&mut self, program: Option<Pid>) -> bool {
        self.runs_left = self.runs_left.saturating_sub(1);
        let is_time = self.runs_left == 0;
        if is_time {
            self.runs_left = BETWEEN_LOOKS;
            self.look_at_clock(program);
        }
        is_time
    }

    fn look_at_clock(&mut self, program: Option<Pid>) {
        let is_starved = match self.looked {
            Some((looked, _)) if looked.elapsed() < INTERVAL => return,
            Some((looked, used)) => {
                let seats = if self.is_shared() { 1 } else { 2 };
                processor_time(program).saturating_sub(used) * 10 < looked.elapsed() * ENOUGH * seats
            }
            None => false,
        };
        let is_crowded = self.can_part && is_crowded(program);
        self.posture = self.after(Sight { is_crowded, is_starved });
        self.sit(program);
        self.note_time(program);
    }

    /// How they sit after a look around.
    fn after(&mut self, sight: Sight) -> Posture {
        let moves_on = sight.is_starved && self.is_lucky();
        match self.posture {
            Posture::Apart if sight.is_starved => {
                self.place += 1; // the other way round the next time
                self.is_disturbed = true;
                Posture::Together(WARNED)
            }
            Posture::Together(looks) if moves_on || looks > 0 => {
                self.place += usize::from(moves_on);
                Posture::Together(looks.saturating_sub(1))
            }
            _ if sight.is_crowded || !self.can_part => Posture::Together(0),
            _ => Posture::Apart,
        }
    }

    /// It is no matter if the kernel refuses.
    fn sit(&self, program: Option<Pid>) {
        let beside = usize::from(self.posture == Posture::Apart);
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
        seat.posture = seat.after(sight);
        seat.sit(None);
        assert_eq!(Processors::mine().map(|mine| mine.count()), Ok(1), "who has looked around sits");
        assert_eq!(seat.is_shared(), seat.posture != Posture::Apart);
        seat.posture
    }

    #[test]
    fn a_shared_seat_moves_on_by_chance() {
        with_seat(Seat::shared, |mut seat| {
            assert!(seat.is_shared(), "from the start");
            (0..8).for_each(|_| assert_eq!(see(&mut seat, ROOM), Posture::Together(0)));
            assert_eq!(seat.place, 0, "as long as there is enough");
            for _ in 0..64 {
                assert_eq!(see(&mut seat, STARVED), Posture::Together(0));
            }
            assert!((8..56).contains(&seat.place), "{}", seat.place);
        });
    }

    #[test]
    fn seats_apart_are_taken_while_there_is_room() {
        with_seat(Seat::apart, |mut seat| {
            assert!(!seat.is_shared(), "nobody has looked around");
            for (sight, posture) in [
                (CROWD, Posture::Together(0)),
                (ROOM, Posture::Apart),
                (ROOM, Posture::Apart),
                (CROWD, Posture::Together(0)),
                (CROWD, Posture::Together(0)),
                (ROOM, Posture::Apart),
            ] {
                assert_eq!(see(&mut seat, sight), posture);
            }
            assert_eq!(seat.place, 0);
        });
    }

    #[test]
    fn seats_apart_are_left_for_a_while_if_somebody_else_is_there() {
        with_seat(Seat::apart, |mut seat| {
            assert_eq!(see(&mut seat, ROOM), Posture::Apart);
            assert!(!seat.is_disturbed());
            assert_eq!(see(&mut seat, STARVED), Posture::Together(WARNED));
            assert!(seat.is_disturbed());
            assert_eq!(seat.place, 1);
            for left in (0..WARNED).rev() {
                assert_eq!(see(&mut seat, ROOM), Posture::Together(left));
            }
            assert_eq!(see(&mut seat, ROOM), Posture::Apart);
        });
    }

    #[test]
    fn a_few_runs_go_by_before_a_seat_is_taken() {
        with_seat(Seat::shared, |mut seat| {
            for _ in 1..FIRST_RUNS {
                assert!(!seat.look(None));
                assert_eq!(seat.posture, Posture::Standing);
            }
            assert!(seat.look(None));
            assert_eq!(seat.posture, Posture::Together(0));
        });
    }
}
