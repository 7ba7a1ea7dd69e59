//! Synthetic trees, and walking through them in depth.

use crate::explore::{Branches, Order, Stream};
use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, ThreadId};

/// The shape of a tree: how many steps lead on from each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Two everywhere, so deep: one writer and so many readers.
    Binary(u32),
    /// So many everywhere, so deep: threads that meet a few times, as in the indexer or at a barrier.
    Wide(u64, u32),
    /// About so many leaves, in parts of which each is as likely to be large as small, as thread pools and random
    /// programs have; with a seed.
    Irregular(u64, u64),
}

/// Leaves of an irregular tree are split off as this part of the rest, at most.
const PARTS: u64 = 1000;

/// A step of a tree.
pub(super) fn token(child: u64) -> Token {
    Token { thread: ThreadId(child as u16), choice: Choice::Proceed }
}

fn child(token: Token) -> u64 {
    token.thread.0.into()
}

impl Shape {
    /// How many leaves it has.
    #[must_use]
    pub fn leaves(&self) -> u64 {
        match *self {
            Shape::Binary(depth) => 1 << depth,
            Shape::Wide(ways, depth) => ways.pow(depth),
            Shape::Irregular(leaves, _) => leaves,
        }
    }

    /// The steps from the state behind a path; none from a leaf.
    #[must_use]
    pub fn steps(&self, path: &[Token]) -> Vec<Token> {
        let ways = match *self {
            Shape::Binary(depth) => {
                if path.len() < depth as usize {
                    2
                } else {
                    0
                }
            }
            Shape::Wide(ways, depth) => {
                if path.len() < depth as usize {
                    ways
                } else {
                    0
                }
            }
            Shape::Irregular(leaves, seed) => {
                if Self::left(leaves, seed, path) > 1 {
                    2
                } else {
                    0
                }
            }
        };
        (0..ways).map(token).collect()
    }

    /// Leaves behind a path of an irregular tree: every state splits those that it has in two, by chance.
    fn left(leaves: u64, seed: u64, path: &[Token]) -> u64 {
        let (mut leaves, mut stream) = (leaves, Stream::new(seed));
        for &step in path {
            let number = stream.next_number();
            let first = 1 + (leaves - 2) * (number % PARTS) / PARTS;
            leaves = if child(step) == 0 { first } else { leaves - first };
            stream = Stream::new(number ^ child(step));
        }
        leaves
    }
}

/// A worker on its way through a part of a tree.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    shape: Shape,
    path: Vec<Token>,
    /// What is left beside the path, by the number of steps before it.
    open: Vec<Vec<Token>>,
}

impl Walk {
    /// The steps behind a path, and all behind them; it stands at the first leaf.
    pub(super) fn new(shape: Shape, path: Vec<Token>, steps: Vec<Token>) -> Walk {
        let mut open = vec![Vec::new(); path.len()];
        open.push(steps);
        let mut walk = Walk { shape, path, open };
        walk.descend();
        walk
    }

    /// Goes to the first leaf behind what is left in the last state.
    fn descend(&mut self) {
        while let Some(steps) = self.open.last_mut()
            && !steps.is_empty()
        {
            self.path.push(steps.remove(0));
            self.open.push(self.shape.steps(&self.path));
        }
    }

    /// Goes on to the next leaf. Returns whether there is one.
    pub(super) fn advance(&mut self) -> bool {
        while self.open.last().is_some_and(Vec::is_empty) {
            self.open.pop();
            if self.path.pop().is_none() {
                return false;
            }
        }
        self.descend();
        !self.open.is_empty()
    }

    /// Gives away all steps that are left in the first states with some left, so many of them.
    pub(super) fn give_away(&mut self, batch: usize) -> Vec<Branches> {
        let mut given = Vec::new();
        for depth in 0..self.open.len() {
            if given.len() < batch && !self.open[depth].is_empty() {
                let steps = std::mem::take(&mut self.open[depth]);
                given.push(Branches::of_parts(&self.path[..depth], &steps, Order::new(0), 0.0));
            }
        }
        given
    }
}
