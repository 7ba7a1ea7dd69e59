//! rscale and brute force agree on what random programs can do under TSO and PSO: store buffers lose no outcome and invent
//! none, whatever the widths of accesses, the bound of the buffers and the filters. Nor is anything lost that few preemptions
//! are enough for, where these are bounded.
//!
//! `scripts/oracle` runs ten times as many programs; `campaign.rs` says how to look at a single one.

mod bench;
mod case;

use bench::MOST_PATHS_UNREDUCED;
use case::Case;
use rscale_tests::campaign::Campaign;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 200;
/// Programs with functions of the library.
const LIBRARY_PROGRAMS: u64 = 40;
/// Programs that are run with a bound on preemptions, the bounds, and the filters that miss nothing within them.
const BOUNDED_PROGRAMS: u64 = 40;
const BOUNDS: [usize; 3] = [0, 1, 2];
const COMPLETE: [&str; 3] = ["bpor", "source-bpor", "lazy-bpor"];
/// It promises nothing. It must not invent anything all the same.
const INCOMPLETE: &str = "naive-bpor";

/// Compares all programs, and says of how many of them something holds.
fn compare_all(programs: u64, case: fn(u64) -> Case, holds: fn(&Case) -> bool) -> (Campaign, u64) {
    let campaign = Campaign::new(programs);
    let count = AtomicU64::new(0);
    let mismatches = bench::run(&campaign, case, |bench, case| {
        count.fetch_add(holds(case).into(), Ordering::Relaxed);
        bench.compare(case)
    });
    mismatches.expect_none();
    (campaign, count.into_inner())
}

#[test]
fn rscale_agrees_with_explicit_store_buffers() {
    let (campaign, weak) = compare_all(PROGRAMS, Case::of, |case| case.is_weak);
    let wanted = campaign.len();
    println!("{wanted} programs, {weak} of them with outcomes that sequential consistency does not have");
    assert!(campaign.is_single() || weak * 2 > wanted, "the programs have become too simple");
}

/// What the library stores is delayed like other stores. Where all accesses are of words, the outcomes are the same; where
/// some are smaller, a library may copy in pieces of any size in any order.
#[test]
fn library_functions_store_to_buffers() {
    let (campaign, exact) = compare_all(LIBRARY_PROGRAMS, Case::with_library, |case| case::is_exact(&case.program));
    let programs = campaign.len();
    println!("{programs} programs, of {exact} of them all outcomes are known");
    assert!(campaign.is_single() || (programs / 4..programs * 3 / 4).contains(&exact), "{exact}: too few of one kind");
}

/// What can be done with few preemptions is found; what becomes visible when is nobody's turn.
#[test]
fn bounds_on_preemptions_lose_nothing_within_them() {
    let campaign = Campaign::new(BOUNDED_PROGRAMS);
    let [cut, missed] = compare_bounds(&campaign, Case::to_bound);
    let programs = campaign.len();
    println!("{programs} programs; the bound matters {cut} times; {INCOMPLETE} misses something {missed} times");
    assert!(campaign.is_single() || cut * 4 > programs, "the programs have become too simple");
}

#[test]
fn what_is_shared_beyond_the_bound_changes_nothing_within_it() {
    let [cut, _] = compare_bounds(&Campaign::of(1), |_| Case::sharing_late());
    assert!(cut > 0, "the bound does not matter");
}

/// Compares all programs with each bound. How often the bound matters, and how often something is missed that may be.
fn compare_bounds(campaign: &Campaign, case: fn(u64) -> Case) -> [u64; 2] {
    let [cut, missed] = [const { AtomicU64::new(0) }; 2];
    let count = |counter: &AtomicU64, holds: bool| counter.fetch_add(holds.into(), Ordering::Relaxed);
    let mismatches = bench::run(campaign, case, |bench, case| {
        for bound in BOUNDS {
            let within = case.within(bound);
            count(&cut, within.least.outcomes != case.truth.least.outcomes);
            let compare = |method: &str| {
                let summary = bench.explore(case, &["--filters", &format!("{method}={bound}")])?;
                let compared = within.compare(&summary).map_err(|problem| format!("{method}={bound}: {problem}"));
                within.allows(&summary).map(|()| compared)
            };
            COMPLETE.into_iter().try_for_each(|method| compare(method)?)?;
            count(&missed, compare(INCOMPLETE)?.is_err());
            if case.paths <= MOST_PATHS_UNREDUCED && !case.program.has_loops() {
                compare("pb")??;
            }
        }
        Ok(())
    });
    mismatches.expect_none();
    [cut, missed].map(AtomicU64::into_inner)
}
