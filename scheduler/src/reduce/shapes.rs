//! What atomic sections touch, from execution to execution.
//!
//! A section is one event with many accesses, and which ones may depend on what it reads. Then what it would touch in
//! another place can not be told from what it touches here. That is rare, and it shows: the same section of a thread
//! touches other variables in another execution, whoever runs that: another worker, or a process before this one.

use super::event::Event;
use super::footprint::VariableId;
use super::names::Names;
use rscale_protocol::Variable;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A section: its thread, the number of the event in that thread, and where the program enters it.
type Name = (u16, u32, u64);
/// The variables that it touches.
type Touched = SmallVec<[VariableId; 4]>;

/// What sections touched when they were first seen, for all searches that have a copy. Each remembers those that it has
/// seen, so this is asked once for each section.
#[derive(Clone, Debug, Default)]
pub struct Sections(Arc<Mutex<HashMap<Name, Touched>>>);

/// A section that was seen, with its variables by name.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub struct SavedShape {
    name: Name,
    variables: Vec<u64>,
}

impl Sections {
    fn all(&self) -> MutexGuard<'_, HashMap<Name, Touched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the section touched this when it was first seen, which may be now.
    fn agree(&self, name: Name, touched: &Touched) -> bool {
        self.all().entry(name).or_insert_with(|| touched.clone()) == touched
    }

    /// What is known, for another process.
    #[must_use]
    pub fn saved(&self, names: &Names) -> Vec<SavedShape> {
        let all = self.all();
        if all.is_empty() {
            return Vec::new();
        }
        let table = names.table();
        let variable = |&number: &VariableId| table.get(number as usize).map_or(0, |name| name.0);
        let saved = |(&name, touched): (&Name, &Touched)| SavedShape {
            name,
            variables: touched.iter().map(variable).collect(),
        };
        let mut sections: Vec<SavedShape> = all.iter().map(saved).collect();
        sections.sort_unstable_by_key(|section| section.name);
        sections
    }

    /// Takes over what another process knew.
    pub fn restore(&self, saved: &[SavedShape], names: &Names) {
        for SavedShape { name, variables } in saved {
            let touched = variables.iter().map(|&variable| names.number(Variable(variable))).collect();
            self.all().insert(*name, touched);
        }
    }
}

/// The sections that a search has seen.
#[derive(Debug, Default)]
pub struct Shapes {
    seen: HashMap<Name, Touched>,
    sections: Sections,
    vary: bool,
    is_news: bool,
}

impl Shapes {
    /// Looks at a section that is about to be added.
    pub fn see(&mut self, event: &Event) {
        if self.vary {
            return;
        }
        let touched: Touched = event.footprint.touches.iter().map(|touch| touch.variable).collect();
        let name = (event.footprint.thread().0, event.number, event.pc);
        let is_same = match self.seen.get(&name) {
            Some(known) => *known == touched,
            None => self.sections.agree(name, &touched),
        };
        if !is_same {
            (self.vary, self.is_news) = (true, true);
        }
        self.seen.entry(name).or_insert(touched);
    }

    /// What all searches have seen that share this one.
    #[must_use]
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// Shares what others see.
    pub fn agree_with(&mut self, sections: &Sections) {
        self.sections = sections.clone();
    }

    /// Whether sections may touch anything in another place.
    #[must_use]
    pub fn vary(&self) -> bool {
        self.vary
    }

    /// It is known from elsewhere that they may, or nothing is known.
    pub fn set_vary(&mut self, vary: bool) {
        self.vary = vary;
    }

    /// Whether that has come to light since the search began.
    #[must_use]
    pub fn are_news(&self) -> bool {
        self.is_news
    }

    /// The search begins anew, perhaps with other variables.
    pub fn restart(&mut self) {
        self.seen.clear();
        self.sections = Sections::default();
        self.is_news = false;
    }
}

#[cfg(test)]
mod tests {
    use super::super::footprint::Mode;
    use super::super::footprint::samples::event;
    use super::super::history::History;
    use super::*;
    use rscale_protocol::arena::Step;
    use rscale_protocol::{Action, Choice, Op, ThreadId, ThreadSet};

    /// A section of thread 1 that touches a variable, the so-and-so-many-th event there.
    fn section(variable: VariableId, number: u32) -> Event {
        let action = Action::new(ThreadId(1), Op::AtomicBegin, Variable(0));
        let step = Step { action, choice: Choice::Proceed, result: 0, enabled: [ThreadSet::EMPTY; 3] };
        let mut history = History::default();
        let mut section = Event::at(&[step], 0, &mut history, true).expect("an event");
        section.footprint = event(1, variable, Mode::Write).with(|parts| parts.steps = 3);
        section.number = number;
        section
    }

    #[test]
    fn what_another_worker_saw_counts() {
        let [mut one, mut other] = [Shapes::default(), Shapes::default()];
        other.agree_with(one.sections());
        one.see(&section(0, 7));
        other.see(&section(0, 7));
        other.see(&section(1, 8));
        assert!(!one.vary() && !other.vary() && !other.are_news());
        one.see(&section(2, 8));
        assert!(one.vary() && one.are_news(), "the other one saw that touch something else");
    }

    #[test]
    fn what_another_process_saw_counts() {
        let names = Names::default();
        let [x, y] = [64, 128].map(|name| names.number(Variable(name)));
        let mut before = Shapes::default();
        before.see(&section(x, 7));
        let saved = before.sections().saved(&names);
        let (mut now, names) = (Shapes::default(), Names::default());
        let [y_now, x_now] = [128, 64].map(|name| names.number(Variable(name)));
        assert_eq!((x_now, y_now), (y, x), "numbers are others");
        now.sections().restore(&saved, &names);
        now.see(&section(x_now, 7));
        assert!(!now.vary());
        now.see(&section(y_now, 7));
        assert!(now.vary() && now.are_news());
    }
}
