//! rscale and brute force agree on what random programs can do under TSO and PSO: store buffers lose no outcome and
//! invent none, whatever the widths of accesses, the bound of the buffers and the filters. Nor is anything lost that
//! few preemptions are enough for, where these are bounded.
//!
//! `scripts/oracle` runs ten times as many programs; `campaign.rs` says how to look at a single one.

mod bench;
mod case;

use bench::MOST_PATHS_UNREDUCED;
use case::Case;
use rscale_tests::campaign::Campaign;
use rscale_tests::oracle::Cost;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 200;
/// Programs with functions of the library.
const LIBRARY_PROGRAMS: u64 = 40;
/// Programs that are run with a bound on preemptions, the bounds, and the filters that miss nothing within them.
const BOUNDED_PROGRAMS: u64 = 40;
const BOUNDS: [usize; 3] = [0, 1, 2];
const COMPLETE: [&str; 3] = ["bpor", "source-bpor", "lazy-bpor"];
/// Filters that run every schedule within a bound, and up to how many there may be without it.
const ALL_SCHEDULES: [(&str, Cost, u64); 2] =
    [("pb", Cost::Preemptions, MOST_PATHS_UNREDUCED), ("delay", Cost::Delays, 10 * MOST_PATHS_UNREDUCED)];
/// It promises nothing. It must not invent anything all the same.
const INCOMPLETE: &str = "naive-bpor";

/// What a campaign has come to.
struct Compared {
    programs: u64,
    /// Of how many of them something holds.
    holds: u64,
    is_single: bool,
    drawn: Drawn,
}

/// Programs that were drawn again, as long as a campaign goes on.
#[derive(Default)]
struct Drawn {
    too_large: AtomicU64,
    dull: AtomicU64,
}

impl Drawn {
    fn count(&self, case: &Case) {
        self.too_large.fetch_add(case.redrawn.too_large, Ordering::Relaxed);
        self.dull.fetch_add(case.redrawn.dull, Ordering::Relaxed);
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [too_large, dull] = [&self.too_large, &self.dull].map(|count| count.load(Ordering::Relaxed));
        write!(formatter, "drawn again: {too_large} that were too large and {dull} without anything of interest")
    }
}

/// Compares all programs, and says of how many of them something holds.
fn compare_all(programs: u64, case: fn(u64) -> Case, holds: fn(&Case) -> bool) -> Compared {
    let campaign = Campaign::new(programs);
    let (count, drawn) = (AtomicU64::new(0), Drawn::default());
    let mismatches = bench::run(&campaign, case, |bench, case| {
        drawn.count(case);
        count.fetch_add(holds(case).into(), Ordering::Relaxed);
        bench.compare(case)
    });
    mismatches.expect_none();
    Compared { programs: campaign.len(), holds: count.into_inner(), is_single: campaign.is_single(), drawn }
}

#[test]
fn rscale_agrees_with_explicit_store_buffers() {
    let Compared { programs, holds: weak, is_single, drawn } = compare_all(PROGRAMS, Case::of, |case| case.is_weak);
    println!("{programs} programs, {weak} of them with outcomes that sequential consistency does not have; {drawn}");
    assert!(is_single || weak * 2 > programs, "the programs have become too simple");
}

/// A thread that waits for ever in a loop of many accesses is seen to do so in every execution, or in none.
#[test]
fn a_loop_is_recognised_whatever_was_below_its_frames_before() {
    const NUMBER: u64 = 800_404;
    bench::run(&Campaign::of(1), |_| Case::of(NUMBER), |bench, case| bench.compare(case)).expect_none();
}

/// What the library stores is delayed like other stores. Where all accesses are of words, the outcomes are the same;
/// where some are smaller, a library may copy in pieces of any size in any order.
#[test]
fn library_functions_store_to_buffers() {
    let Compared { programs, holds: exact, is_single, drawn } =
        compare_all(LIBRARY_PROGRAMS, Case::with_library, |case| case::is_exact(&case.program));
    println!("{programs} programs, of {exact} of them all outcomes are known; {drawn}");
    assert!(is_single || (programs / 4..programs * 3 / 4).contains(&exact), "{exact}: too few of one kind");
}

/// What can be done with few preemptions is found; what becomes visible when is nobody's turn.
#[test]
fn bounds_on_preemptions_lose_nothing_within_them() {
    let campaign = Campaign::new(BOUNDED_PROGRAMS);
    let drawn = Drawn::default();
    let [cut, missed, exactly] = compare_bounds(&campaign, |number| {
        let case = Case::to_bound(number);
        drawn.count(&case);
        case
    });
    let programs = campaign.len();
    println!(
        "{programs} programs; the bound matters {cut} times; {INCOMPLETE} misses something {missed} times; {drawn}"
    );
    println!("of {exactly} searches of all schedules within a bound it is known exactly what they come to");
    let is_enough = cut * 4 > programs && exactly > programs;
    assert!(campaign.is_single() || is_enough, "the programs have become too simple");
}

#[test]
fn what_is_shared_beyond_the_bound_changes_nothing_within_it() {
    let [cut, ..] = compare_bounds(&Campaign::of(1), |_| Case::sharing_late());
    assert!(cut > 0, "the bound does not matter");
}

/// Compares all programs with each bound. How often the bound matters, how often something is missed that may be, and
/// how often it is known exactly what all schedules within a bound come to.
fn compare_bounds(campaign: &Campaign, case: impl Fn(u64) -> Case + Sync) -> [u64; 3] {
    let [cut, missed, exactly] = [const { AtomicU64::new(0) }; 3];
    let count = |counter: &AtomicU64, holds: bool| counter.fetch_add(holds.into(), Ordering::Relaxed);
    let mismatches = bench::run(campaign, case, |bench, case| {
        for bound in BOUNDS {
            let within = case.within(bound);
            count(&cut, within.least.outcomes != case.truth.least.outcomes);
            let compare = |method: &str| {
                let filters = format!("{method}={bound}");
                // Half of the searches are shared.
                let jobs = if (case.number as usize + bound).is_multiple_of(2) { "1" } else { "3" };
                let summary = bench.explore(case, &["--filters", &filters, "--jobs", jobs, "--alone", "0"])?;
                let compared = within.compare(&summary).map_err(|problem| format!("{method}={bound}: {problem}"));
                within.allows(&summary).map(|()| compared)
            };
            COMPLETE.into_iter().try_for_each(|method| compare(method)?)?;
            count(&missed, compare(INCOMPLETE)?.is_err());
            for (filter, cost, most_paths) in ALL_SCHEDULES {
                if case.paths <= most_paths && !case.program.has_loops() {
                    let exact = case.exactly_within(cost, bound);
                    let summary = bench.explore(case, &["--filters", &format!("{filter}={bound}")])?;
                    exact.compare(&summary).map_err(|problem| format!("{filter}={bound}: {problem}"))?;
                    count(&exactly, exact.least.outcomes == exact.most.outcomes);
                }
            }
        }
        Ok(())
    });
    mismatches.expect_none();
    [cut, missed, exactly].map(AtomicU64::into_inner)
}
