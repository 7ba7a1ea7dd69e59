//! What the session asks of a depth-first search.

use super::Search;
use crate::backend::Returns;
use crate::explore::{
    Absorbed, Candidates, Counts, Frontier, Node, Path, Plan, Saved, Strategy, Visited, Way, divergence, explored,
};
use crate::filters::Preserves;
use crate::frontend::{Configuration, Execution, Fingerprint};
use crate::reduce::Sharing;
use rscale_protocol::ThreadSet;

impl Strategy for Search {
    fn next_schedule(&mut self) -> Option<Plan<'_>> {
        let order = self.beyond();
        let mut sleep = ThreadSet::EMPTY;
        if self.has_begun {
            sleep = self.advance()?;
        }
        let comes_back_to = Returns::to(self.path.last_open());
        Some(Plan { schedule: &self.prefix, order, sleep, goes_on: true, comes_back_to })
    }

    fn absorb(&mut self, execution: &Execution) -> Absorbed {
        let known = self.path.nodes().len().saturating_sub(1);
        if let Some(divergence) = divergence(execution, known, |index| self.path.nodes()[index].taken.as_ref()) {
            return Absorbed::Diverged(Box::new(divergence));
        }
        self.has_begun = true;
        if self.is_configured {
            self.configuration.begin(execution, known);
        }
        let complete = self.walk(execution, known);
        if complete && execution.ends_unannounced() && !execution.pending.is_empty() {
            self.quiet.learn_of_early_end();
            self.path.end_early();
            self.filters.iter_mut().for_each(|filter| filter.ended_early(&mut self.path, &self.configuration));
        }
        if self.is_astray() {
            return Absorbed::Astray;
        }
        self.counts.add_run(execution.ending(), complete);
        Absorbed::Added
    }

    fn give_up(&mut self) {
        let tried = self.prefix.get(self.path.depth()).copied();
        if let (Some(node), Some(token)) = (self.path.last_mut(), tried) {
            node.candidates.remove(token);
        }
        self.counts.add_run(None, false);
    }

    fn begin_anew(&mut self, discarded: u64) {
        self.counts = self.counts.anew(discarded);
        self.path = Path::default();
        self.configuration = Configuration::initial();
        self.quiet.restart();
        self.filters.iter_mut().for_each(|filter| filter.restart());
        self.prefix.clear();
        self.has_begun = false;
        (self.roots, self.root) = (Vec::new(), None);
        self.frontier = self.frontier.take().map(|_| Frontier::default());
    }

    fn keep_cut(&mut self, is_wanted: bool) {
        self.frontier = is_wanted.then(Frontier::default);
    }

    fn raise(&mut self, bound: u64) -> bool {
        let Some(frontier) = self.frontier.as_mut().filter(|frontier| frontier.is_whole()) else { return false };
        self.roots = frontier.within(bound);
        self.has_begun = true;
        let still_cut = frontier.count() as u64;
        self.filters.iter_mut().map(|filter| u32::from(filter.raise(bound, still_cut))).sum::<u32>() == 1
    }

    fn was_wrong(&self) -> bool {
        self.quiet.was_wrong() || self.filters.iter().any(|filter| filter.was_wrong())
    }

    fn cut(&self) -> Vec<u64> {
        self.filters.iter().map(|filter| filter.cut()).collect()
    }

    fn add_cut(&mut self, cut: &[u64]) {
        self.filters.iter_mut().zip(cut).for_each(|(filter, &cut)| filter.add_cut(cut));
    }

    fn can_be_saved(&self) -> bool {
        true
    }

    fn save(&self) -> Option<Saved> {
        self.has_begun.then(|| Saved::Depth(Box::new(self.saved())))
    }

    fn go_on(&mut self, saved: &Saved, execution: &Execution) -> bool {
        matches!(saved, Saved::Depth(saved) if self.restored(saved, execution).is_some())
    }

    fn note_states(&mut self) {
        self.filters.iter_mut().for_each(|filter| filter.note_states());
    }

    fn take_visited(&mut self) -> Option<Visited> {
        self.filters.iter_mut().find_map(|filter| filter.take_visited())
    }

    fn add_visited(&mut self, states: &[Fingerprint]) {
        self.filters.iter_mut().for_each(|filter| filter.add_visited(states));
    }

    fn add_claims(&mut self, claims: &[(Fingerprint, ThreadSet)]) {
        self.filters.iter_mut().for_each(|filter| filter.add_claims(claims));
    }

    fn restore_quiet(&mut self, quiet: &(u32, Vec<(u64, u16)>)) {
        self.quiet.restore(quiet);
    }

    fn take_frontier(&mut self) -> Option<Frontier> {
        self.frontier.as_mut().map(std::mem::take)
    }

    fn add_frontier(&mut self, frontier: Frontier) {
        if let Some(own) = &mut self.frontier {
            own.add_all(frontier);
        }
    }

    fn come_together(&mut self, counts: &Counts) {
        self.counts = *counts;
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        Some(self)
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn explored(&self) -> Option<f64> {
        let of_node = |node: &Node| {
            let all = Candidates::all(node.enabled).len();
            (all.saturating_sub(node.candidates.len() + 1), all)
        };
        Some(explored(self.path.nodes().iter().map(of_node)))
    }

    fn preserves(&self) -> Vec<Preserves> {
        let delays = (!self.quiet.kinds().is_empty()).then_some(Preserves::AllButDelays);
        self.filters.iter().map(|filter| filter.preserves()).chain(delays).collect()
    }

    fn memory(&self) -> usize {
        let roots: usize = self.roots.iter().map(Way::memory).sum();
        let kept = self.frontier.as_ref().map_or(0, Frontier::memory);
        roots + kept + self.filters.iter().map(|filter| filter.memory()).sum::<usize>()
    }
}
