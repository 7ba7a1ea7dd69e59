//! `nsb`: not seen before (SCALE, Algorithm 3).
//!
//! A successor whose representation was visited before is pruned. Representations are compared by their 128-bit hashes.
//! `nsb=N` keeps at most N of them: a state that was forgotten is explored again, nothing is lost but time.
//!
//! Several workers share one memory, and explore what they have claimed there ([`super::shared`]). While one goes on,
//! others may come to what it has left for later; so it looks again before it goes there.

use super::seen::{MOST_STATES, States};
use super::shared::{Claim, SharedStates};
use super::{Filter, FilterInfo, Heritage, Make, Needs, Preserves};
use crate::explore::{Candidates, Path, Visited};
use crate::frontend::{Configuration, Fingerprint};
use rscale_protocol::arena::Token;
use rscale_protocol::{ThreadId, ThreadSet};
use std::sync::Arc;

pub(super) const INFO: FilterInfo = FilterInfo {
    name: "nsb",
    argument: Some("[N]"),
    range: 1..=MOST_STATES,
    summary: "not seen before: a state is explored once, however it is reached; with N, as many are remembered",
    needs: Needs::NOTHING,
    make: Make::Filter(|most| {
        let states = most.map_or_else(States::all, States::at_most);
        Box::new(NotSeenBefore { seen: Seen::Alone(states), targets: Vec::new(), noted: None })
    }),
};

/// Prunes what was visited.
struct NotSeenBefore {
    seen: Seen,
    /// For each state of the path, where the steps that are left lead to: only if others may come there before.
    targets: Vec<Vec<Target>>,
    /// What was remembered since that was asked for, if it is to be written down, and whether all was forgotten before.
    noted: Option<(bool, Vec<Fingerprint>)>,
}

/// Where a step leads to, and whose next steps do not depend on it: who sleeps sleeps on there.
struct Target {
    step: Token,
    state: Fingerprint,
    independent: ThreadSet,
}

impl Target {
    fn of(step: Token, proceeding: ThreadSet, configuration: &mut Configuration) -> Option<Target> {
        let state = configuration.fingerprint_after(step)?;
        let action = configuration.next_action(step.thread)?;
        let is_independent =
            |thread: &ThreadId| configuration.next_action(*thread).is_some_and(|other| !other.is_dependent(&action));
        Some(Target { step, state, independent: proceeding.iter().filter(is_independent).collect() })
    }
}

/// What was visited.
enum Seen {
    Alone(States),
    Together(Arc<SharedStates>),
}

impl Seen {
    fn contains(&self, state: Fingerprint) -> bool {
        match self {
            Seen::Alone(states) => states.contains(state),
            // Who will sleep there is not known yet.
            Seen::Together(states) => states.covers(state, ThreadSet::EMPTY),
        }
    }
}

impl NotSeenBefore {
    /// Remembers where the steps from the last state of the path lead to.
    fn note_targets(&mut self, path: &Path, configuration: &mut Configuration, candidates: &Candidates) {
        if let Seen::Alone(_) = self.seen {
            return;
        }
        let depth = path.depth();
        if self.targets.len() <= depth {
            self.targets.resize_with(depth + 1, Vec::new);
        }
        let proceeding = path.nodes().last().map_or(ThreadSet::EMPTY, |node| node.enabled[0]);
        let target = |step| Target::of(step, proceeding, configuration);
        self.targets[depth].clear();
        self.targets[depth].extend(candidates.iter().filter_map(target));
    }
}

impl Filter for NotSeenBefore {
    fn visit(&mut self, path: &Path, configuration: &mut Configuration, candidates: &mut Candidates) {
        candidates.retain(|token| {
            configuration.fingerprint_after(token).is_none_or(|fingerprint| !self.seen.contains(fingerprint))
        });
        self.note_targets(path, configuration, candidates);
    }

    fn pass(&mut self, path: &Path, configuration: &mut Configuration, candidates: &mut Candidates, _: &Heritage) {
        self.note_targets(path, configuration, candidates);
    }

    fn is_needless(&self, depth: usize, step: Token, asleep: ThreadSet) -> bool {
        let (Seen::Together(states), Some(targets)) = (&self.seen, self.targets.get(depth)) else { return false };
        let Some(target) = targets.iter().find(|target| target.step == step) else { return false };
        let woken = asleep.without(target.independent);
        states.covers(target.state, asleep.without(woken))
    }

    fn visited(&mut self, path: &Path, configuration: &Configuration, candidates: &Candidates) -> Claim {
        if candidates.is_partial() {
            return Claim::Everything;
        }
        match &mut self.seen {
            Seen::Alone(states) => {
                states.insert(configuration.fingerprint());
                self.noted.iter_mut().for_each(|(_, noted)| noted.push(configuration.fingerprint()));
                Claim::Everything
            }
            Seen::Together(states) => {
                let asleep = path.nodes().last().map_or(ThreadSet::EMPTY, |node| node.sleep);
                states.claim(configuration.fingerprint(), asleep)
            }
        }
    }

    fn share(&mut self) -> Option<Arc<SharedStates>> {
        if let Seen::Alone(states) = &self.seen {
            self.seen = Seen::Together(Arc::new(SharedStates::of(states)));
        }
        match &self.seen {
            Seen::Alone(_) => None,
            Seen::Together(states) => Some(states.clone()),
        }
    }

    fn agree_with(&mut self, states: &Arc<SharedStates>) {
        self.seen = Seen::Together(states.clone());
    }

    /// What is shared is exchanged by whoever leads.
    fn restart(&mut self) {
        if let Seen::Alone(states) = &mut self.seen {
            *states = states.emptied();
            self.noted.iter_mut().for_each(|noted| *noted = (true, Vec::new()));
        }
    }

    fn note_states(&mut self) {
        self.noted.get_or_insert_default();
    }

    fn take_visited(&mut self) -> Option<Visited> {
        let (anew, states) = self.noted.as_mut().map(std::mem::take)?;
        Some(Visited::of(anew, &states))
    }

    fn add_visited(&mut self, visited: &[Fingerprint]) {
        if let Seen::Alone(states) = &mut self.seen {
            visited.iter().for_each(|&state| states.insert(state));
        }
    }

    fn add_claims(&mut self, claims: &[(Fingerprint, ThreadSet)]) {
        if !claims.is_empty()
            && let Some(states) = self.share()
        {
            claims.iter().for_each(|&(state, asleep)| states.restore(state, asleep));
        }
    }

    fn knows_explored(&self) -> bool {
        true
    }

    fn preserves(&self) -> Preserves {
        Preserves::EveryState
    }

    fn memory(&self) -> usize {
        match &self.seen {
            Seen::Alone(states) => states.memory(),
            Seen::Together(states) => states.memory(),
        }
    }
}
