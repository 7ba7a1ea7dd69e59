//! `dpor`, `source`, `optimal`, `epor`, and `bpor` and its relatives with a bound on preemptions: dynamic partial order
//! reduction, which is a strategy of its own.

use super::{FilterInfo, Make, Needs, Terms};
use crate::explore::Strategy;
use crate::reduce::{Bounded, Eager, Lazy, Length, Method, Optimal, Persistent, Reduction, Source};

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
    make: Make::Strategy(|_, terms| Box::new(Reduction::new(Box::new(Optimal::default()), terms))),
};

pub(super) const EPOR: FilterInfo = FilterInfo {
    name: "epor",
    argument: None,
    range: 0..=0,
    summary: "eager partial order reduction: the orders of whole sections are planned from one execution of them",
    needs: Needs::NOTHING,
    make: Make::Strategy(|_, terms| Box::new(Reduction::new(Box::new(Eager::new(Length::Long)), terms))),
};

pub(super) const EPOR_SH: FilterInfo = FilterInfo {
    name: "epor-sh",
    argument: None,
    range: 0..=0,
    summary: "epor with short sections: one event of each thread that depends on others",
    needs: Needs::NOTHING,
    make: Make::Strategy(|_, terms| Box::new(Reduction::new(Box::new(Eager::new(Length::Short)), terms))),
};

pub(super) const NAIVE_BPOR: FilterInfo = FilterInfo {
    name: "naive-bpor",
    argument: Some("N"),
    range: 0..=u64::MAX,
    summary: "source with at most N preemptions: fast, but misses executions within the bound",
    needs: Needs::NOTHING,
    make: Make::Strategy(|bound, terms| bounded(Method::Naive, bound, terms)),
};

pub(super) const BPOR: FilterInfo = FilterInfo {
    name: "bpor",
    argument: Some("N|N..M"),
    range: 0..=u64::MAX,
    summary: "dpor among the executions with at most N preemptions: misses none of their traces",
    needs: Needs::NOTHING,
    make: Make::Strategy(|bound, terms| bounded(Method::Persistent, bound, terms)),
};

pub(super) const SOURCE_BPOR: FilterInfo = FilterInfo {
    name: "source-bpor",
    argument: Some("N|N..M"),
    range: 0..=u64::MAX,
    summary: "source among the executions with at most N preemptions: misses none of their traces",
    needs: Needs::NOTHING,
    make: Make::Strategy(|bound, terms| bounded(Method::Source, bound, terms)),
};

pub(super) const LAZY_BPOR: FilterInfo = FilterInfo {
    name: "lazy-bpor",
    argument: Some("N|N..M"),
    range: 0..=u64::MAX,
    summary: "source among the traces that need at most N preemptions: misses none, and runs each once",
    needs: Needs::NOTHING,
    make: Make::Strategy(|bound, terms| Box::new(Reduction::new(Box::new(Lazy::new(bound.unwrap_or(0))), terms))),
};

/// The order is always the same: a program that runs on beyond its schedule stays on a thread then, and preempts none.
fn bounded(method: Method, bound: Option<u64>, terms: Terms) -> Box<dyn Strategy> {
    Box::new(Reduction::new(Box::new(Bounded::new(method, bound.unwrap_or(0))), Terms { seed: 0, ..terms }))
}
