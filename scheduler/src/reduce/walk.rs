//! Reading an execution: the steps beyond those that are known become events, each with its races and the state behind
//! it.

use super::event::Event;
use super::history::History;
use super::plan::Node;
use super::preemptions::State;
use super::repeats::Mark;
use super::reversal::{Race, Second};
use super::wakeup::Tree;
use super::{Reduction, farewell, races};
use crate::explore::Candidates;
use crate::frontend::Execution;
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Choice, ThreadSet};

impl Reduction {
    /// Adds the events of the run beyond those that are known. Returns whether it was not found to be redundant.
    pub(super) fn walk(&mut self, execution: &Execution) -> bool {
        let mut planned = std::mem::take(&mut self.planned).into_iter();
        let (known, farewell) = (self.nodes.len(), farewell::begin(execution));
        while self.steps.len() < execution.steps.len() && !self.is_left_inside_section(execution) {
            if planned.len() == 0 && self.steps.len() >= farewell && self.is_left_in_peace(execution) {
                self.count_farewell(execution);
                break;
            }
            let Some(event) = self.next_event(execution) else { break };
            let start = self.steps.len();
            let end = start + event.footprint.steps as usize;
            let tree = planned.next().map(|(_, rest)| rest).unwrap_or_default();
            let is_inner = planned.len() > 0;
            self.take_steps(&execution.steps[start..end]);
            if !self.add(event, is_inner, tree, execution) {
                self.give_back_steps(start);
                self.nodes[known..].last_mut().into_iter().for_each(Node::end_plan);
                self.go_on_otherwise(&execution.steps[start].enabled, execution);
                return false;
            }
        }
        if execution.ends_process() && !execution.is_lost() {
            // What others may have planned behind the end can not be run.
            self.nodes.last_mut().into_iter().for_each(|node| node.tree = Tree::default());
        }
        true
    }

    pub(super) fn take_steps(&mut self, steps: &[Step]) {
        self.schedule.truncate(self.steps.len());
        self.schedule.extend(steps.iter().map(Step::token));
        self.steps.extend_from_slice(steps);
    }

    pub(super) fn give_back_steps(&mut self, count: usize) {
        self.steps.truncate(count);
        self.schedule.truncate(count);
    }

    /// Adds an event, and the state behind it. Returns false if whatever begins with it was explored already, or is not
    /// to be explored.
    fn add(&mut self, event: Event, is_inner: bool, tree: Tree, execution: &Execution) -> bool {
        let Some(node) = self.nodes.last() else { return false };
        if node.sleep.has(&event.footprint) {
            return false;
        }
        let behind = node.behind(&event.footprint, is_inner, tree);
        if self.planner.is_bounded() {
            let state = state_before(&event, &self.history, execution);
            if !self.planner.admits(event.footprint.token, &state, &self.history) {
                return false;
            }
        }
        self.append(event, execution);
        self.nodes.push(behind);
        self.counts.states += 1;
        self.counts.transitions += 1;
        true
    }

    /// Puts an event of a path behind the others that is known to be explored.
    pub(super) fn follow(&mut self, event: Event, execution: &Execution) {
        let state = state_before(&event, &self.history, execution);
        self.planner.follow(event.footprint.token, &state, &self.history);
        self.append(event, execution);
    }

    /// Puts an event behind the others, and finds its races.
    #[inline]
    fn append(&mut self, event: Event, execution: &Execution) {
        let index = self.history.len();
        let step = &execution.steps[event.step as usize];
        self.counts.dependence_checks += self.history.predecessors(&event, &mut self.predecessors);
        races::rivals(&self.history, &event, &self.predecessors, &mut self.rivals);
        self.races.extend(self.rivals.iter().map(|&first| Race::new(first, Second::Executed(index))));
        races::patience(&self.history, &event, &self.predecessors, &mut self.rivals);
        self.races.extend(self.rivals.iter().map(|&first| Race::new(first, Second::Late(index))));
        let Token { thread, choice } = event.footprint.token;
        let has_one_way = choice == Choice::Proceed && !step.enabled[1..].iter().any(|set| set.contains(thread));
        if !has_one_way || event.is_pick() {
            self.races.extend(alternatives(&event, &step.enabled).map(|second| Race::new(index, second)));
        }
        let mark = match event.footprint.steps {
            1 => Mark::of(step, execution.steps.local_state(event.step as usize)),
            _ => Mark::default(),
        };
        self.history.push(event, &self.predecessors);
        self.history.mark(mark);
    }
}

/// The state behind all events, where the execution goes on with one more.
fn state_before<'a>(event: &'a Event, history: &History, execution: &'a Execution) -> State<'a> {
    let later = &execution.steps[event.step as usize..];
    let (enabled, is_pick, pending) = (later[0].enabled, event.is_pick(), &execution.pending[..]);
    State { at: history.len(), enabled, event: Some(event), is_pick, later, pending }
}

/// The other ways in which the thread could have taken the event; where it says whom a signal wakes, the other waiters.
fn alternatives(event: &Event, enabled: &[ThreadSet; 3]) -> impl Iterator<Item = Second> {
    let mine = event.footprint.token;
    let of_thread =
        |set: ThreadSet| if set.contains(mine.thread) { ThreadSet::from_iter([mine.thread]) } else { ThreadSet::EMPTY };
    let ways = if event.is_pick() { *enabled } else { enabled.map(of_thread) };
    let others = Candidates::all(ways).iter().filter(move |&token| token != mine);
    others.map(|token| Second::Instead(event.footprint.with(|parts| parts.token = token)))
}
