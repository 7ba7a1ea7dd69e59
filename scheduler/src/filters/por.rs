//! `dpor`, `source`, `optimal`: dynamic partial order reduction, which is a strategy of its own.

use super::{FilterInfo, Make, Needs};
use crate::reduce::{Optimal, Persistent, Reduction, Source};

pub(super) const DPOR: FilterInfo = FilterInfo {
    name: "dpor",
    argument: None,
    range: 0..=0,
    summary: "classic partial order reduction: persistent sets, found as races show (Flanagan and Godefroid)",
    needs: Needs::NOTHING,
    make: Make::Strategy(|_, terms| Box::new(Reduction::new(Box::new(Persistent), terms))),
};

pub(super) const SOURCE: FilterInfo = FilterInfo {
    name: "source",
    argument: None,
    range: 0..=0,
    summary: "partial order reduction with source sets and sleep sets: fewer runs are cut than with dpor",
    needs: Needs::NOTHING,
    make: Make::Strategy(|_, terms| Box::new(Reduction::new(Box::new(Source), terms))),
};

pub(super) const OPTIMAL: FilterInfo = FilterInfo {
    name: "optimal",
    argument: None,
    range: 0..=0,
    summary: "partial order reduction with wakeup trees: exactly one execution per Mazurkiewicz trace",
    needs: Needs::NOTHING,
    make: Make::Strategy(|_, terms| Box::new(Reduction::new(Box::new(Optimal), terms))),
};
