//! What a bound has cut: where the search goes on when the bound grows.

use super::{SavedFrontier, Way};
use rscale_protocol::arena::Token;

/// Steps of all schedules that are kept; with more, the next bound begins from the start.
const MOST_STEPS: usize = 1 << 24;

/// Schedules that were cut, and what they cost.
#[derive(Debug, Default)]
pub struct Frontier {
    roots: Vec<(Vec<Token>, u64)>,
    /// The steps of all of them.
    steps: usize,
    /// Whether there were too many to keep.
    is_lost: bool,
}

impl Frontier {
    /// What leads to a state and then takes this step costs too much.
    pub fn add(&mut self, schedule: &[Token], token: Token, cost: u64) {
        self.steps += schedule.len() + 1;
        self.is_lost |= self.steps > MOST_STEPS;
        if self.is_lost {
            self.roots = Vec::new();
        } else {
            self.roots.push(([schedule, &[token]].concat(), cost));
        }
    }

    /// Adds all that another one has.
    pub fn add_all(&mut self, other: Frontier) {
        self.steps += other.steps;
        self.is_lost |= other.is_lost || self.steps > MOST_STEPS;
        self.roots.extend(other.roots);
        if self.is_lost {
            self.roots = Vec::new();
        }
    }

    /// Whether all that was cut is known.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.is_lost
    }

    /// Takes out all that a bound allows, the last one last.
    pub fn within(&mut self, bound: u64) -> Vec<Way> {
        let (within, beyond) = std::mem::take(&mut self.roots).into_iter().partition(|root| root.1 <= bound);
        self.roots = beyond;
        self.steps = self.roots.iter().map(|root| root.0.len()).sum();
        let within: Vec<(Vec<Token>, u64)> = within;
        let way = |mut schedule: Vec<Token>| {
            let step = schedule.pop();
            Way::to(schedule, step.into_iter().collect())
        };
        within.into_iter().map(|root| way(root.0)).collect()
    }

    /// The same for another process.
    #[must_use]
    pub fn saved(&self) -> SavedFrontier {
        let before = std::iter::once(&[][..]).chain(self.roots.iter().map(|root| &root.0[..]));
        let root = |((schedule, cost), before): (&(Vec<Token>, u64), &[Token])| {
            let shared = before.iter().zip(schedule).take_while(|(one, other)| one == other).count();
            (shared, schedule[shared..].iter().map(|token| token.to_code()).collect(), *cost)
        };
        SavedFrontier { roots: self.roots.iter().zip(before).map(root).collect(), is_lost: self.is_lost }
    }

    /// What another process has kept. None if that makes no sense.
    #[must_use]
    pub fn restored(saved: &SavedFrontier) -> Option<Frontier> {
        let mut schedule = Vec::new();
        let root = |(shared, codes, cost): &(usize, Vec<u16>, u64)| {
            schedule.truncate(*shared);
            for &code in codes {
                schedule.push(Token::from_code(code)?);
            }
            Some((schedule.clone(), *cost))
        };
        let roots = saved.roots.iter().map(root).collect::<Option<Vec<_>>>()?;
        let steps = roots.iter().map(|root| root.0.len()).sum();
        Some(Frontier { roots, steps, is_lost: saved.is_lost })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.roots.len()
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.steps * size_of::<Token>() + self.roots.capacity() * size_of::<(Vec<Token>, u64)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{Choice, ThreadId};

    fn token(thread: u16) -> Token {
        Token { thread: ThreadId(thread), choice: Choice::Proceed }
    }

    #[test]
    fn what_costs_more_stays() {
        let mut frontier = Frontier::default();
        frontier.add(&[token(0)], token(1), 1);
        frontier.add(&[], token(2), 2);
        assert_eq!(frontier.within(1), [Way::to(vec![token(0)], vec![token(1)])]);
        assert_eq!((frontier.count(), frontier.steps, frontier.is_whole()), (1, 1, true));
        assert_eq!(frontier.within(2), [Way::to(vec![], vec![token(2)])]);
    }

    #[test]
    fn what_is_saved_is_restored() {
        let mut frontier = Frontier::default();
        for (schedule, last) in [(&[0, 1, 2][..], 3), (&[0, 1], 4), (&[], 0), (&[5, 1], 2)] {
            frontier.add(&schedule.iter().map(|&thread| token(thread)).collect::<Vec<_>>(), token(last), 1);
        }
        let saved = frontier.saved();
        assert_eq!(saved.roots[1], (2, vec![token(4).to_code()], 1));
        let restored = Frontier::restored(&saved).expect("it makes sense");
        assert_eq!((restored.roots, restored.steps), (frontier.roots, frontier.steps));
    }

    #[test]
    fn too_much_is_not_kept() {
        let mut frontier = Frontier::default();
        let long = vec![token(0); MOST_STEPS / 2];
        frontier.add(&long, token(1), 1);
        assert!(frontier.is_whole());
        frontier.add(&long, token(1), 1);
        assert!(!frontier.is_whole() && frontier.count() == 0);
    }
}
