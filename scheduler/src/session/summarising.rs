//! What the summary says of a search that has ended.

use super::bounds::Stop;
use super::outcomes::Outcomes;
use super::{Exploration, containers, guarantee, unseen};
use crate::config::{RunConfig, Scope};
use crate::interrupt;
use crate::journal::Journal;
use crate::summary::{Summary, Verdict};
use rscale_instrument::elf::Program;

impl Exploration<'_> {
    pub(super) fn summarise(mut self, stop: Stop, summary: &mut Summary) {
        let counts = self.together.unwrap_or_else(|| self.search.counts());
        summary.jobs = if self.was_together { self.jobs } else { 1 };
        let elapsed = self.bounds.elapsed().as_secs_f64();
        summary.runs = counts.runs;
        summary.executions = counts.executions;
        summary.blocked = counts.blocked;
        summary.discarded = counts.discarded;
        summary.race_checks = counts.race_checks;
        summary.dependence_checks = counts.dependence_checks;
        summary.unsatisfiable_systems = counts.unsatisfiable;
        summary.states = counts.states;
        summary.transitions = counts.transitions;
        summary.max_depth = counts.max_depth;
        summary.elapsed_s = elapsed;
        summary.executions_per_s = if elapsed > 0.0 { counts.started() as f64 / elapsed } else { 0.0 };
        summary.peak_rss_kib = peak_memory();
        summary.search_bytes = self.search.memory() as u64;
        summary.isolation = crate::summary::isolation_name(self.host.isolation()).into();
        summary.notes.append(&mut self.host.take_notes());
        summary.notes.append(&mut self.notes);
        summary.notes.extend(self.journal.as_mut().and_then(Journal::trouble).map(str::to_owned));
        summary.outcomes = self.outcomes.map(Outcomes::into_table).unwrap_or_default();
        let stop = if interrupt::requested() { Stop::Interrupted } else { stop };
        summary.levels = self.search.levels();
        let found = self.recorder.count() > 0;
        let end = guarantee::End { stop, found, counts, lost: self.lost };
        let covered = guarantee::of(&*self.search, end, self.config, self.host.target());
        if stop == Stop::Exhausted && guarantee::was_cut_at_bound(&*self.search) {
            summary.notes.extend(self.recorder.findings_from_before().map(guarantee::beyond));
        }
        summary.findings = self.recorder.into_findings();
        summary.complete = covered.complete;
        summary.guarantee = covered.text;
        summary.unwatched = covered.unwatched;
        summary.verdict = match (summary.findings.is_empty(), covered.complete) {
            (false, _) => Verdict::Bug,
            (true, true) => Verdict::Clean,
            (true, false) => Verdict::Incomplete,
        };
    }
}

/// Notes about programs with several threads, and with one. Libraries may start threads for a program that does not seem
/// to, and many programs start none unless there is much to do: what has happened counts.
pub(super) fn note_threads(config: &RunConfig, program: &Program, summary: &mut Summary) {
    if summary.max_depth > 0 && config.rules.scope == Scope::All {
        summary.notes.extend(unseen::note(program));
        summary.notes.extend(containers::note(program, &config.watched.libraries));
    }
    if summary.max_depth == 0 && summary.executions > 0 {
        summary.notes.push("the program has created no threads: there is one schedule".into());
    }
}

/// Most memory that this process has used, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
