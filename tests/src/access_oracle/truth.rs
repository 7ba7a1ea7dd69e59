//! What is known of a program: what it does at least, and at most. A library has more freedom than one machine uses.

use super::enumerate::Enumeration;
use crate::campaign::SHOWN;
use crate::summary::Summary;
use serde_json::Value;
use std::collections::BTreeSet;

/// What a search has to show at least, and may show at most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// What has to be found.
    pub least: Enumeration,
    /// What can be.
    pub most: Enumeration,
}

impl Truth {
    /// Whether threads can wait for ever.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.most.has_livelock || self.most.has_deadlock
    }

    /// Whether a search shows nothing that can not be.
    ///
    /// # Errors
    /// What can not be.
    pub fn allows(&self, summary: &Summary) -> Result<(), String> {
        Truth { least: Enumeration::default(), most: self.most.clone() }.compare(summary)
    }

    /// Compares what a search came to.
    ///
    /// # Errors
    /// What is missing, or can not be.
    pub fn compare(&self, summary: &Summary) -> Result<(), String> {
        let Truth { least, most } = self;
        for (kind, least, most) in
            [("livelock", least.has_livelock, most.has_livelock), ("deadlock", least.has_deadlock, most.has_deadlock)]
        {
            let found = summary.has_finding(kind);
            if found && !most || !found && least {
                return Err(format!("a {kind}: enumerated {least} to {most}, findings {}", summary.0["findings"]));
            }
        }
        let is_other = |finding: &&Value| finding["kind"] != "livelock" && finding["kind"] != "deadlock";
        if let Some(other) = summary.findings().iter().find(is_other) {
            return Err(format!("an unexpected finding: {other}"));
        }
        let (least, most, got) = (printed(&least.outcomes), printed(&most.outcomes), summary.outcomes());
        let missing: Vec<_> = least.difference(&got).take(SHOWN).collect();
        let surplus: Vec<_> = got.difference(&most).take(SHOWN).collect();
        if missing.is_empty() && surplus.is_empty() {
            return Ok(());
        }
        let (of, got) = (least.len(), got.len());
        Err(format!("of {of} outcomes, {got} found; missing: {missing:?}; that can not be: {surplus:?}"))
    }
}

fn printed(outcomes: &BTreeSet<String>) -> BTreeSet<(i64, String)> {
    outcomes.iter().map(|text| (0, format!("{text}\n"))).collect()
}
