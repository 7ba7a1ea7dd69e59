//! Data races, on request.

use super::{Check, PropertyInfo, Shown, Violation};
use crate::finding::Kind;
use crate::races::Race;

pub(super) const INFO: PropertyInfo = PropertyInfo {
    name: "race",
    summary: "with --races: no two accesses to the same bytes, one a write, one not atomic, that nothing orders",
    check: Check::Way(|execution| execution.races.iter().map(shown).collect()),
};

fn shown(race: &Race) -> Shown {
    Shown { violation: Violation { kind: Kind::Race, message: race.message() }, steps: race.steps() }
}
