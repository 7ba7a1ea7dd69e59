//! The successors of a state that are still to be explored.

use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, ThreadId, ThreadSet};

const CHOICES: [Choice; 3] = [Choice::Proceed, Choice::TimeOut, Choice::Spurious];

/// A set of steps out of one state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Candidates {
    /// To be explored.
    open: [ThreadSet; 3],
    /// Held back: explored only if a filter releases them.
    held: [ThreadSet; 3],
    /// Whether some were left out because of the path that led here; another path to the same state needs them.
    is_partial: bool,
    /// Who goes first, before all others: nothing is lost, whatever the path.
    forced: Option<ThreadId>,
}

impl Candidates {
    /// All steps that are enabled.
    #[must_use]
    pub fn all(enabled: [ThreadSet; 3]) -> Candidates {
        Candidates { open: enabled, held: [ThreadSet::EMPTY; 3], is_partial: false, forced: None }
    }

    /// Whether nothing is left to explore.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.iter().all(|set| set.is_empty())
    }

    /// How many steps are left.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.iter().map(|set| set.len()).sum()
    }

    /// Whether the step is to be explored.
    #[must_use]
    pub fn contains(&self, token: Token) -> bool {
        self.open[token.choice as usize].contains(token.thread)
    }

    /// Takes a step out.
    pub fn remove(&mut self, token: Token) {
        self.open[token.choice as usize].remove(token.thread);
        self.held[token.choice as usize].remove(token.thread);
    }

    /// Keeps a step from being explored until it is released.
    pub fn hold(&mut self, token: Token) {
        if self.contains(token) {
            self.open[token.choice as usize].remove(token.thread);
            self.held[token.choice as usize].insert(token.thread);
        }
    }

    /// Lets a step that was held back be explored. False if it was not held back.
    pub fn release(&mut self, token: Token) -> bool {
        let was_held = self.held[token.choice as usize].contains(token.thread);
        if was_held {
            self.held[token.choice as usize].remove(token.thread);
            self.open[token.choice as usize].insert(token.thread);
        }
        was_held
    }

    /// Lets all steps that were held back be explored.
    pub fn release_all(&mut self) {
        for (open, held) in self.open.iter_mut().zip(&mut self.held) {
            held.iter().for_each(|thread| open.insert(thread));
            *held = ThreadSet::EMPTY;
        }
    }

    /// Lets a step be explored once more.
    pub fn reopen(&mut self, token: Token) {
        self.open[token.choice as usize].insert(token.thread);
    }

    /// Holds back all steps but those of one thread, for a reason that lies in the path that led here.
    pub fn restrict_to(&mut self, thread: ThreadId) {
        self.iter().filter(|token| token.thread != thread).for_each(|token| self.hold(token));
        self.is_partial = true;
    }

    /// Whether [`Candidates::restrict_to`] was used.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Leaves only the step by which one thread proceeds, because the others lose nothing by waiting for it.
    pub fn force(&mut self, thread: ThreadId) {
        self.retain(|token| token == Token { thread, choice: Choice::Proceed });
        self.forced = Some(thread);
    }

    /// Whether [`Candidates::force`] was used.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.forced.is_some()
    }

    /// Who goes first, if [`Candidates::force`] was used.
    #[must_use]
    pub fn forced(&self) -> Option<ThreadId> {
        self.forced
    }

    /// Whether nobody else has to go before the thread.
    #[must_use]
    pub fn may_be_first(&self, thread: ThreadId) -> bool {
        self.forced.is_none_or(|first| first == thread)
    }

    /// Takes out the steps for which `keep` does not hold.
    pub fn retain(&mut self, mut keep: impl FnMut(Token) -> bool) {
        for choice in CHOICES {
            for thread in self.open[choice as usize] {
                let token = Token { thread, choice };
                if !keep(token) {
                    self.remove(token);
                }
            }
        }
    }

    /// The steps to be explored: those that proceed first, each kind by thread number.
    pub fn iter(&self) -> impl Iterator<Item = Token> + use<> {
        let open = self.open;
        CHOICES
            .into_iter()
            .flat_map(move |choice| open[choice as usize].iter().map(move |thread| Token { thread, choice }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(thread: u16, choice: Choice) -> Token {
        Token { thread: ThreadId(thread), choice }
    }

    #[test]
    fn held_steps_come_back_only_when_released() {
        let set: ThreadSet = [1, 2].map(ThreadId).into_iter().collect();
        let mut candidates = Candidates::all([set, set, ThreadSet::EMPTY]);
        assert_eq!(candidates.len(), 4);
        candidates.hold(token(1, Choice::Proceed));
        assert!(!candidates.contains(token(1, Choice::Proceed)) && candidates.contains(token(1, Choice::TimeOut)));
        candidates.retain(|token| token.choice == Choice::Proceed);
        assert_eq!(candidates.iter().collect::<Vec<_>>(), [token(2, Choice::Proceed)]);
        assert!(candidates.release(token(1, Choice::Proceed)));
        assert!(!candidates.release(token(1, Choice::Proceed)));
        assert_eq!(candidates.iter().next(), Some(token(1, Choice::Proceed)));
        candidates.remove(token(1, Choice::Proceed));
        candidates.remove(token(2, Choice::Proceed));
        assert!(candidates.is_empty());
        candidates.reopen(token(2, Choice::TimeOut));
        assert_eq!(candidates.iter().collect::<Vec<_>>(), [token(2, Choice::TimeOut)]);
    }

    #[test]
    fn what_the_path_leaves_out_can_be_explored_all_the_same() {
        let set: ThreadSet = [1, 2].map(ThreadId).into_iter().collect();
        let mut candidates = Candidates::all([set, set, ThreadSet::EMPTY]);
        candidates.remove(token(2, Choice::TimeOut));
        candidates.restrict_to(ThreadId(1));
        assert!(candidates.is_partial() && candidates.iter().all(|token| token.thread == ThreadId(1)));
        candidates.remove(token(1, Choice::Proceed));
        candidates.release_all();
        let left = [token(2, Choice::Proceed), token(1, Choice::TimeOut)];
        assert_eq!(candidates.iter().collect::<Vec<_>>(), left, "neither what was pruned nor what was explored");
    }
}
