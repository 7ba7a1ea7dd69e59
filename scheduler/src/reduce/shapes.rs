//! What atomic sections touch, from execution to execution.
//!
//! A section is one event with many accesses, and which ones may depend on what it reads. Then what it would touch in
//! another place can not be told from what it touches here. That is rare, and it shows: the same section of a thread
//! touches other variables in another execution.

use super::event::Event;
use super::footprint::VariableId;
use smallvec::SmallVec;
use std::collections::HashMap;

/// A section: its thread, the number of the event in that thread, and where the program enters it.
type Name = (u16, u32, u64);

/// The sections that have been seen.
#[derive(Debug, Default)]
pub struct Shapes {
    seen: HashMap<Name, SmallVec<[VariableId; 4]>>,
    vary: bool,
    is_news: bool,
}

impl Shapes {
    /// Looks at an event that is about to be added, the so-and-so-many-th of its thread.
    pub fn see(&mut self, event: &Event, number: u32) {
        if self.vary || event.footprint.steps == 1 {
            return;
        }
        let touched: SmallVec<[VariableId; 4]> = event.footprint.touches.iter().map(|touch| touch.variable).collect();
        let name = (event.footprint.thread().0, number, event.pc);
        let known = self.seen.entry(name).or_insert_with(|| touched.clone());
        if *known != touched {
            (self.vary, self.is_news) = (true, true);
        }
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

    /// The search begins anew; variables have other numbers then.
    pub fn restart(&mut self) {
        self.seen.clear();
        self.is_news = false;
    }
}
