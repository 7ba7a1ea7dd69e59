//! A run that was begun before anybody asked for it, because it is likely to be the next one.
//!
//! While the program runs it, the scheduler process reads the execution before. If another run is asked for in the end,
//! the result is thrown away. A wrong guess costs the time that is left of the run, so after each one some runs pass
//! without a guess: twice as many as the last time, and fewer with each guess that is right. Where three in four are
//! right, hardly any do; where one in two is wrong, nearly all.

use super::RunRequest;
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::{Beyond, Token};

/// So many runs pass without a guess behind a wrong one, at most.
const LONGEST_PAUSE: u32 = 1024;
/// A pause gets shorter by so much of it with each right guess.
const SHARE: u32 = 4;
/// Pauses are kept in parts of a run.
const PARTS: u32 = 16;

/// How sure it is that a run will be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Guess {
    /// It is likely: how often that is right is counted.
    #[default]
    Bold,
    /// It is what comes next, unless the search ends or begins anew.
    Certain,
}

/// What was begun, and how well guesses did.
#[derive(Debug, Default)]
pub struct Ahead {
    begun: Option<Begun>,
    guess: Guess,
    prefix: Vec<Token>,
    /// How many runs pass behind the next wrong guess, in parts.
    pause: u32,
    /// How many are to pass now.
    left: u32,
}

/// The request of a run, but for its schedule.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Begun {
    new_steps: Option<u64>,
    sleep: ThreadSet,
    step_budget: u64,
    spurious: u64,
    order: Beyond,
    goes_on: bool,
}

impl Begun {
    fn of(request: &RunRequest<'_>) -> Begun {
        let &RunRequest { prefix: _, new_steps, sleep, step_budget, spurious, order, goes_on, comes_back_to: _ } =
            request;
        Begun { new_steps, sleep, step_budget, spurious, order, goes_on }
    }
}

impl Ahead {
    /// Whether to make a guess.
    pub fn dares(&mut self) -> bool {
        let dares = self.left == 0;
        self.left = self.left.saturating_sub(1);
        dares
    }

    /// A run has begun.
    pub fn begin(&mut self, request: &RunRequest<'_>, guess: Guess) {
        self.guess = guess;
        self.begun = Some(Begun::of(request));
        self.prefix.clear();
        self.prefix.extend_from_slice(request.prefix);
    }

    /// Whether a run has begun that nobody has asked for yet.
    pub fn is_under_way(&self) -> bool {
        self.begun.is_some()
    }

    /// A run is asked for. True if it is the one that has begun, which is then under way like any other.
    pub fn take_over(&mut self, request: &RunRequest<'_>) -> bool {
        let is_it = self.begun == Some(Begun::of(request)) && self.prefix == request.prefix;
        if is_it {
            self.begun = None;
            self.pause -= if self.guess == Guess::Bold { self.pause / SHARE } else { 0 };
        }
        is_it
    }

    /// What has begun is of no use.
    pub fn give_up(&mut self) {
        if self.begun.take().is_some() && self.guess == Guess::Bold {
            self.pause = (2 * self.pause).clamp(PARTS, LONGEST_PAUSE * PARTS);
            self.left = self.pause / PARTS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Returns;
    use super::*;

    fn request(prefix: &[Token]) -> RunRequest<'_> {
        let sleep = ThreadSet::EMPTY;
        let (order, goes_on, comes_back_to) = (Beyond::FIXED, true, Returns::NONE);
        RunRequest { prefix, new_steps: None, sleep, step_budget: 9, spurious: 0, order, goes_on, comes_back_to }
    }

    /// Of a thousand runs, as many as are begun ahead if every so-and-so-many-th guess is wrong.
    fn begun_if_wrong(every: u32) -> u32 {
        let (mut ahead, mut begun) = (Ahead::default(), 0);
        for _ in 0..1000 {
            if ahead.dares() {
                begun += 1;
                ahead.begin(&request(&[]), Guess::Bold);
                if begun % every == 0 { ahead.give_up() } else { assert!(ahead.take_over(&request(&[]))) }
            }
        }
        begun
    }

    #[test]
    fn guesses_are_made_while_they_are_right() {
        assert!(begun_if_wrong(u32::MAX) == 1000);
        assert!(begun_if_wrong(10) > 850, "{}", begun_if_wrong(10));
        assert!(begun_if_wrong(2) < 50, "{}", begun_if_wrong(2));
        assert!(begun_if_wrong(1) < 15, "{}", begun_if_wrong(1));
    }

    #[test]
    fn only_the_same_run_is_taken_over() {
        let token = Token { thread: rscale_protocol::ThreadId(1), choice: rscale_protocol::Choice::Proceed };
        let mut ahead = Ahead::default();
        assert!(!ahead.take_over(&request(&[])), "nothing has begun");
        ahead.begin(&request(&[token]), Guess::Bold);
        assert!(!ahead.take_over(&request(&[])));
        assert!(!ahead.take_over(&RunRequest { spurious: 1, ..request(&[token]) }));
        assert!(!ahead.take_over(&RunRequest { sleep: ThreadSet::from_iter([token.thread]), ..request(&[token]) }));
        assert!(ahead.is_under_way());
        assert!(ahead.take_over(&RunRequest { comes_back_to: Returns::to(1), ..request(&[token]) }), "that is advice");
        assert!(!ahead.is_under_way());
    }
}
