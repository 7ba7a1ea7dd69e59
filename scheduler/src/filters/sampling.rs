//! `random`, `pct=D`, `pos`: samples of the schedules, which are strategies of their own; and `swaps`, a test of
//! rscale.

use super::{FilterInfo, Make, Needs};
use crate::reduce::Swaps;
use crate::sample::Sample;
use rscale_protocol::arena::MAX_CHANGES;

pub(super) const RANDOM: FilterInfo = FilterInfo {
    name: "random",
    argument: None,
    range: 0..=0,
    summary: "sample: each step by chance among all that can be taken; needs --max-executions or --time-limit",
    needs: Needs::NOTHING,
    make: Make::Sample(|_, terms| Box::new(Sample::random(terms.seed))),
};

pub(super) const PCT: FilterInfo = FilterInfo {
    name: "pct",
    argument: Some("D"),
    range: 1..=MAX_CHANGES as u64 + 1,
    summary: "sample: random priorities that change D-1 times, with a bound for bugs of depth D (Burckhardt et al.)",
    needs: Needs::NOTHING,
    make: Make::Sample(|depth, terms| Box::new(Sample::priorities(depth.unwrap_or(1), terms.seed))),
};

pub(super) const POS: FilterInfo = FilterInfo {
    name: "pos",
    argument: None,
    range: 0..=0,
    summary: "sample: random priorities of steps, drawn anew after a conflict (partial order sampling, Yuan et al.)",
    needs: Needs::NOTHING,
    make: Make::Sample(|_, terms| Box::new(Sample::events(terms.seed))),
};

pub(super) const SWAPS: FilterInfo = FilterInfo {
    name: "swaps",
    argument: None,
    range: 0..=0,
    summary: "test of rscale: random, and independent neighbours are swapped, which must make no difference",
    needs: Needs::NOTHING,
    make: Make::Test(|terms| Box::new(Swaps::new(terms))),
};
