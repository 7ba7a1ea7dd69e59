//! Saving a reduction, so that another process can go on with it.
//!
//! The events of the path are not saved: its schedule is run again, and shows them. What is saved is what is left to
//! explore beside the path, and what need not be. Numbers of variables belong to a search, so they are saved by name.

use super::eager::SavedSections;
use super::event::Event;
use super::footprint::{Footprint, Mode, Parts, Reach, Role, Touch};
use super::history::History;
use super::item::{Begun, Explored};
use super::plan::Node;
use super::shapes::SavedShape;
use super::sleep::{Sleep, staying};
use super::wakeup::Tree;
use super::{Reduction, Second};
use crate::explore::{Counts, Order};
use crate::frontend::Execution;
use rscale_protocol::arena::Token;
use rscale_protocol::{ThreadId, Variable};
use serde::{Deserialize, Serialize};

/// A reduction on its way.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub struct SavedReduction {
    /// The tokens of the path.
    schedule: Vec<u16>,
    /// The states on it that have something to say.
    nodes: Vec<SavedNode>,
    /// Whether atomic sections may touch anything in another place, and what they have touched so far.
    sections_vary: bool,
    #[serde(default)]
    sections_seen: Vec<SavedShape>,
    order: Order,
    counts: Counts,
    /// The first state that belongs to it alone.
    #[serde(default)]
    owned: usize,
    /// Whether others may have to go past what it explores.
    #[serde(default)]
    is_recorded: bool,
    /// What it has cut at a bound.
    #[serde(default)]
    bound: Option<SavedBound>,
    /// What it has planned ahead.
    #[serde(default)]
    sections: Option<SavedSections>,
}

/// What a search knows of its path that cuts something at a bound.
#[derive(Clone, Default, Serialize, Deserialize, PartialEq, Debug)]
pub struct SavedBound {
    /// How much was cut, by reasons.
    pub(super) cut: Vec<u64>,
    /// So many events of the path have something behind them that was cut.
    pub(super) cut_behind: usize,
    /// The states of the path, where more has to be known of them.
    pub(super) states: Vec<SavedPassed>,
    /// Of so many shared ones, others know what was cut.
    pub(super) told: usize,
}

/// A state of the path, as far as a bound is concerned.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub struct SavedPassed {
    /// What can be done there.
    pub(super) enabled: [[u64; 2]; 3],
    /// What needs too many preemptions.
    pub(super) refused: Vec<u16>,
    pub(super) is_cut: bool,
}

/// A state of the path.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
struct SavedNode {
    /// Events before it.
    at: usize,
    /// What fell asleep here; the rest follows from the state before.
    sleep: Vec<SavedEvent>,
    done: Vec<u16>,
    tree: Vec<SavedBranch>,
    /// Whether it lies inside a planned sequence.
    is_inner: bool,
    /// How much of what sleeps there slept before the plan.
    lingering: usize,
    /// Whether a sequence was dropped there.
    #[serde(default)]
    is_crowded: bool,
    /// What was explored from it, where others may have to go past it.
    #[serde(default)]
    explored: Vec<SavedExplored>,
}

/// A planned event that has been explored.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
struct SavedExplored {
    event: SavedEvent,
    steps: Vec<u16>,
    inside: Option<Vec<SavedExplored>>,
}

/// Events that follow each other, and what is to follow them.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub struct SavedBranch {
    line: Vec<SavedEvent>,
    rest: Vec<SavedBranch>,
}

/// An event by name.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub(super) struct SavedEvent {
    token: u16,
    touches: Vec<SavedTouch>,
    reach: SavedReach,
    steps: u32,
}

#[derive(Clone, Copy, Serialize, Deserialize, PartialEq, Debug)]
struct SavedTouch {
    variable: u64,
    /// Places in the lists below.
    mode: usize,
    role: usize,
    may_write: bool,
}

const MODES: [Mode; 3] = [Mode::Read, Mode::Add, Mode::Write];
const ROLES: [Role; 4] = [Role::None, Role::Take, Role::Give, Role::Claim];

fn place<T: PartialEq>(list: &[T], member: &T) -> usize {
    list.iter().position(|other| other == member).unwrap_or(list.len())
}

#[derive(Clone, Copy, Serialize, Deserialize, PartialEq, Debug)]
enum SavedReach {
    Own,
    Thread(u16),
    Everyone,
}

impl Reduction {
    /// The search as it stands between two runs.
    pub(super) fn saved(&self) -> SavedReduction {
        let names = self.history.names();
        let mut nodes = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let inherited = at.checked_sub(1).map_or(0, |before| self.inherited(before));
            let saved = SavedNode {
                at,
                sleep: node.sleep[inherited..].iter().map(|event| SavedEvent::of(event, &names)).collect(),
                done: node.done.iter().map(|token| token.to_code()).collect(),
                tree: saved_tree(&node.tree, &names),
                is_inner: node.is_inner,
                lingering: node.lingering,
                is_crowded: node.is_crowded,
                explored: saved_record(&node.explored, &names),
            };
            if saved.is_inner
                || saved.is_crowded
                || !(saved.sleep.is_empty() && saved.done.is_empty() && saved.tree.is_empty())
            {
                nodes.push(saved);
            }
        }
        SavedReduction {
            schedule: self.steps.iter().map(|step| step.token().to_code()).collect(),
            nodes,
            sections_vary: self.history.sections_vary(),
            sections_seen: self.history.sections().saved(self.history.numbers()),
            order: self.order,
            counts: self.counts,
            owned: self.owned,
            is_recorded: self.record.is_some(),
            bound: self.planner.saved(),
            sections: self.planner.saved_sections(&self.history),
        }
    }

    /// How many events are still asleep behind the event that follows a state; those that fell asleep later come after
    /// them.
    pub(super) fn inherited(&self, before: usize) -> usize {
        let event = &self.history.events()[before].footprint;
        staying(&self.nodes[before].sleep, event)
    }

    /// Goes on with a search. The execution follows its path. None if that is another one, or makes no sense.
    pub(super) fn restored(&mut self, saved: &SavedReduction, execution: &Execution) -> Option<()> {
        let taken = execution.steps.iter().map(|step| step.token().to_code());
        if execution.steps.len() < saved.schedule.len() || !taken.zip(&saved.schedule).all(|(one, &other)| one == other)
        {
            return None;
        }
        self.history.set_sections_vary(saved.sections_vary);
        self.history.sections().restore(&saved.sections_seen, self.history.numbers());
        let mut nodes = saved.nodes.iter().peekable();
        let mut sleep = Sleep::default();
        loop {
            let at = self.nodes.len();
            let here = nodes.next_if(|node| node.at == at);
            self.nodes.push(restored_node(sleep, here, &mut self.history)?);
            if self.steps.len() >= saved.schedule.len() {
                break;
            }
            let event = self.next_event(execution)?;
            sleep = self.nodes.last()?.sleep.behind(&event.footprint);
            let (start, end) = (event.step as usize, (event.step + event.footprint.steps) as usize);
            self.take_steps(&execution.steps[start..end]);
            self.follow(event, execution);
        }
        self.races.retain(|race| matches!(race.second, Second::Executed(_) | Second::Late(_)));
        self.order = saved.order;
        self.counts = saved.counts;
        self.owned = saved.owned;
        self.record = saved.is_recorded.then(Vec::new);
        saved.bound.as_ref().map_or(Some(()), |bound| self.planner.restore(bound))?;
        let sections = saved.sections.as_ref();
        sections.map_or(Some(()), |sections| self.planner.restore_sections(sections, &mut self.history))?;
        nodes.next().is_none().then_some(())
    }

    /// The event of the execution behind those that are known.
    pub(super) fn next_event(&mut self, execution: &Execution) -> Option<Event> {
        let start = self.steps.len();
        let mut event = Event::at(&execution.steps, start, &mut self.history, self.sees_accesses)?;
        let is_last = start + event.footprint.steps as usize == execution.steps.len();
        if is_last && execution.ends_unannounced() {
            event.ends_early();
        }
        Some(event)
    }
}

fn restored_node(mut sleep: Sleep, saved: Option<&SavedNode>, history: &mut History) -> Option<Node> {
    let Some(saved) = saved else { return Some(Node { lingering: sleep.len(), sleep, ..Node::default() }) };
    for event in &saved.sleep {
        sleep.push(event.restored(history)?);
    }
    let done = saved.done.iter().map(|&code| Token::from_code(code)).collect::<Option<_>>()?;
    let (tree, is_inner, is_crowded) = (restored_tree(&saved.tree, history)?, saved.is_inner, saved.is_crowded);
    let (lingering, explored) = (saved.lingering.min(sleep.len()), restored_record(&saved.explored, history)?);
    Some(Node { sleep, lingering, done, tree, is_inner, is_crowded, explored })
}

fn saved_record(explored: &[Explored], names: &[Variable]) -> Vec<SavedExplored> {
    let saved = |Explored { taken, inside }: &Explored| SavedExplored {
        event: SavedEvent::of(&taken.event, names),
        steps: taken.steps.iter().map(|token| token.to_code()).collect(),
        inside: inside.as_ref().map(|inside| saved_record(inside, names)),
    };
    explored.iter().map(saved).collect()
}

fn restored_record(saved: &[SavedExplored], history: &mut History) -> Option<Vec<Explored>> {
    let mut restored = |SavedExplored { event, steps, inside }: &SavedExplored| {
        let steps = steps.iter().map(|&code| Token::from_code(code)).collect::<Option<_>>()?;
        let taken = Begun { event: event.restored(history)?, steps, sleeps: true };
        let inside = match inside {
            Some(inside) => Some(restored_record(inside, history)?),
            None => None,
        };
        Some(Explored { taken, inside })
    };
    saved.iter().map(&mut restored).collect()
}

fn saved_tree(tree: &Tree, names: &[Variable]) -> Vec<SavedBranch> {
    let branch = |(line, rest): (&[Footprint], &Tree)| SavedBranch {
        line: line.iter().rev().map(|event| SavedEvent::of(event, names)).collect(),
        rest: saved_tree(rest, names),
    };
    tree.branches().map(branch).collect()
}

fn restored_tree(branches: &[SavedBranch], history: &mut History) -> Option<Tree> {
    let mut tree = Tree::default();
    for branch in branches {
        let line: Option<Vec<Footprint>> = branch.line.iter().rev().map(|event| event.restored(history)).collect();
        tree.push_branch(line.filter(|line| !line.is_empty())?, restored_tree(&branch.rest, history)?);
    }
    Some(tree)
}

impl SavedEvent {
    pub(super) fn of(event: &Footprint, names: &[Variable]) -> SavedEvent {
        let touch = |touch: &Touch| SavedTouch {
            variable: names[touch.variable as usize].0,
            mode: place(&MODES, &touch.mode),
            role: place(&ROLES, &touch.role),
            may_write: touch.may_write,
        };
        let reach = match event.reach {
            Reach::Own => SavedReach::Own,
            Reach::Thread(thread) => SavedReach::Thread(thread.0),
            Reach::Everyone => SavedReach::Everyone,
        };
        let touches = event.touches.iter().map(touch).collect();
        SavedEvent { token: event.token.to_code(), touches, reach, steps: event.steps }
    }

    pub(super) fn restored(&self, history: &mut History) -> Option<Footprint> {
        let mut touch = |touch: &SavedTouch| {
            let variable = history.variable(Variable(touch.variable));
            let (mode, role) = (*MODES.get(touch.mode)?, *ROLES.get(touch.role)?);
            Some(Touch { variable, mode, role, may_write: touch.may_write })
        };
        let touches = self.touches.iter().map(&mut touch).collect::<Option<_>>()?;
        let reach = match self.reach {
            SavedReach::Own => Reach::Own,
            SavedReach::Thread(number) => Reach::Thread(ThreadId::from_index(number.into())?),
            SavedReach::Everyone => Reach::Everyone,
        };
        Some(Parts { token: Token::from_code(self.token)?, touches, reach, steps: self.steps }.into())
    }
}

impl SavedReduction {
    /// How much was cut at a bound, by reasons.
    pub(super) fn cut(&self) -> &[u64] {
        self.bound.as_ref().map_or(&[], |bound| &bound.cut)
    }

    /// Whether atomic sections may touch anything in another place.
    #[must_use]
    pub fn sections_vary(&self) -> bool {
        self.sections_vary
    }

    /// The schedule that has to be run to go on.
    #[must_use]
    pub fn schedule(&self) -> Option<Vec<Token>> {
        self.schedule.iter().map(|&code| Token::from_code(code)).collect()
    }
}
