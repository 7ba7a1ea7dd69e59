//! Strategies: what decides which schedule is run next (SCALE, section 5.3.4).

use super::{Counts, Frontier, Level, Saved, Visited};
use crate::backend::Returns;
use crate::filters::Preserves;
use crate::frontend::{Execution, Fingerprint};
use crate::reduce::Sharing;
use crate::sample::Sample;
use rscale_protocol::arena::{Beyond, Step, Token};
use rscale_protocol::{Ending, ThreadSet};

/// The next run.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The schedule to follow.
    pub schedule: &'a [Token],
    /// The order in which threads run beyond it.
    pub order: Beyond,
    /// Threads that are not to run beyond it until something happens that their next step depends on.
    pub sleep: ThreadSet,
    /// Whether it may go on from a state that an earlier run went through, instead of from the start.
    pub goes_on: bool,
    /// The search is going to come back to these states, or to later ones.
    pub comes_back_to: Returns,
}

impl Plan<'_> {
    /// A schedule that is followed from the start to its end, and then the fixed order.
    #[must_use]
    pub fn of(schedule: &[Token]) -> Plan<'_> {
        Plan { schedule, order: Beyond::FIXED, sleep: ThreadSet::EMPTY, goes_on: false, comes_back_to: Returns::NONE }
    }
}

/// What became of a run.
#[derive(Debug)]
pub enum Absorbed {
    /// It is part of the search now.
    Added,
    /// The program did something else than when the same schedule was run before.
    Diverged(Box<Divergence>),
    /// It did not follow a schedule that another process of the program has followed, or this one a while ago.
    Astray,
}

/// Where a program did something else.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Number of the step.
    pub index: usize,
    /// What the program did before.
    pub expected: Step,
    /// What it did now, if it took the step at all.
    pub got: Option<Step>,
}

/// A search: gives schedules and reads the executions that come of them.
pub trait Strategy {
    /// The next run; the first one follows no schedule. None when everything has been explored.
    fn next_schedule(&mut self) -> Option<Plan<'_>>;

    /// The run that is likely to follow the one that [`Strategy::next_schedule`] asked for, before that is added; and
    /// the one that does follow it, behind [`Strategy::begin_absorbing`]. What it comes back to need not be right.
    fn foreseen(&mut self) -> Option<Plan<'_>> {
        None
    }

    /// Adds the run that [`Strategy::next_schedule`] asked for.
    fn absorb(&mut self, execution: &Execution) -> Absorbed;

    /// Adds it as far as that decides what comes next. Nothing but [`Strategy::foreseen`] may be asked for before
    /// [`Strategy::finish_absorbing`].
    fn begin_absorbing(&mut self, execution: &Execution) -> Absorbed {
        self.absorb(execution)
    }

    /// Adds what is left of it, if it was added.
    fn finish_absorbing(&mut self) {}

    /// The process of the program was lost in the run that [`Strategy::next_schedule`] asked for, whenever it was
    /// tried: what lies behind it is left out.
    fn give_up(&mut self);

    /// Begins anew, because what a step is has changed, or what was taken for granted: the runs so far, and those that
    /// were not added, count as cut.
    fn begin_anew(&mut self, discarded: u64);

    /// Whether something was left out for a reason that has turned out to be wrong.
    fn was_wrong(&self) -> bool {
        false
    }

    /// Whether [`Strategy::note_output`] is to be called.
    fn reads_output(&self) -> bool {
        false
    }

    /// What the run that is about to be added has written to its standard output.
    fn note_output(&mut self, _output: &[u8]) {}

    /// So many things were found by the run that was given last, and not before.
    fn note_findings(&mut self, _count: u64) {}

    /// Keeps what the bound cuts, for [`Strategy::raise`], or does not.
    fn keep_cut(&mut self, _is_wanted: bool) {}

    /// Everything within the bound has been explored: goes on with a larger one, without what was explored. False if
    /// that is not possible.
    fn raise(&mut self, _bound: u64) -> bool {
        false
    }

    /// What the bound has cut, if that is kept.
    fn take_frontier(&mut self) -> Option<Frontier> {
        None
    }

    /// Others have cut this of the same search.
    fn add_frontier(&mut self, _frontier: Frontier) {}

    /// All who shared the search have left, who have done so much together: it has nothing left within its bound.
    fn come_together(&mut self, _counts: &Counts) {}

    /// Goes on to the next bound, if there is one.
    fn next_level(&mut self) -> bool {
        false
    }

    /// What came of each bound, where several are searched one after the other.
    fn levels(&self) -> Vec<Level> {
        Vec::new()
    }

    /// The search as it stands between two runs, if another process can go on with it.
    fn save(&self) -> Option<Saved> {
        None
    }

    /// Whether [`Strategy::save`] gives something once the search has begun.
    fn can_be_saved(&self) -> bool {
        false
    }

    /// Goes on where another process was, instead of beginning. The execution follows the schedule that was saved.
    /// False if that is not what was saved: the program is another one.
    fn go_on(&mut self, _saved: &Saved, _execution: &Execution) -> bool {
        false
    }

    /// Whether it is written down how the search stands: then it takes note of the states that it visits.
    fn note_states(&mut self) {}

    /// The states that were visited since the last call.
    fn take_visited(&mut self) -> Option<Visited> {
        None
    }

    /// These were visited by another process.
    fn add_visited(&mut self, _states: &[Fingerprint]) {}

    /// These were visited by several workers in another process, and these threads slept there.
    fn add_claims(&mut self, _claims: &[(Fingerprint, ThreadSet)]) {}

    /// Goes by what another process has learned about steps that are taken at once.
    fn restore_quiet(&mut self, _quiet: &(u32, Vec<(u64, u16)>)) {}

    /// How often each filter has cut something at its bound.
    fn cut(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Others have cut that much of the same search.
    fn add_cut(&mut self, _cut: &[u64]) {}

    /// The search as one that several workers can share, if it is one.
    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        None
    }

    /// The search as a sample, if it is one.
    fn sample(&mut self) -> Option<&mut Sample> {
        None
    }

    /// What has been done so far.
    fn counts(&self) -> Counts;

    /// The part of the search that is done, if what lies behind one step from a state is like what lies behind another.
    /// None where that can not be told.
    fn explored(&self) -> Option<f64> {
        None
    }

    /// What the search still covers.
    fn preserves(&self) -> Vec<Preserves>;

    /// Bytes that are kept.
    fn memory(&self) -> usize;
}

/// The part of a search in depth that is done: each state of the path, from the first one on, says how many steps from
/// it have been explored, and how many there are with the one that the path takes.
pub fn explored(path: impl Iterator<Item = (usize, usize)>) -> f64 {
    let (mut done, mut weight) = (0.0, 1.0);
    for (explored, all) in path.filter(|&(_, all)| all > 1) {
        weight /= all as f64;
        done += weight * explored as f64;
    }
    done
}

/// Where a run did not repeat the steps that are known.
pub fn divergence<'a>(
    execution: &Execution,
    known: usize,
    step: impl Fn(usize) -> Option<&'a Step>,
) -> Option<Divergence> {
    let end = execution.end.as_ref();
    let refused = end.filter(|end| end.ending == Ending::Diverged).map(|end| end.value as usize);
    // What the last run that was added did, too, needs no second look.
    let first = execution.steps.unchanged().min(refused.unwrap_or(known));
    (first..known).find_map(|index| {
        let expected = *step(index)?;
        let got = execution.steps.get(index).copied();
        let is_same = refused != Some(index) && got.is_some_and(|got| is_same_step(&expected, &got));
        (!is_same).then_some(Divergence { index, expected, got })
    })
}

fn is_same_step(expected: &Step, got: &Step) -> bool {
    expected.action.same_effect(&got.action)
        && expected.choice == got.choice
        && expected.result == got.result
        && expected.enabled == got.enabled
}
