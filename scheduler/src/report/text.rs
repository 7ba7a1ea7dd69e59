//! The report of a run for a person: the verdict first, then each finding, then what was covered.

use super::{Color, Look, count, escape, table, wrap};
use crate::explore::Level;
use crate::finding::{Finding, ThreadView};
use crate::summary::{Summary, Verdict};
use std::path::Path;

/// Lines of the program's output that a finding shows.
const OUTPUT_LINES: Option<usize> = Some(20);
/// Outcomes that are shown; `--json` has all.
const OUTCOME_LINES: usize = 40;

/// The whole report.
#[must_use]
pub fn render(summary: &Summary, look: &Look) -> String {
    let mut page = Page::new(*look);
    page.line(&verdict(summary, look));
    for (index, finding) in summary.findings.iter().enumerate() {
        page.blank();
        if summary.findings.len() > 1 {
            page.heading(&format!("finding {} of {}", index + 1, summary.findings.len()));
        }
        render_finding(&mut page, finding);
    }
    render_outcomes(&mut page, summary);
    page.blank();
    render_counts(&mut page, summary);
    page.finish()
}

/// The report of `--quiet`: nothing where nothing is wrong, else the verdict and the traces.
#[must_use]
pub fn render_quiet(summary: &Summary, look: &Look) -> String {
    if summary.verdict == Verdict::Clean {
        return String::new();
    }
    let mut page = Page::new(*look);
    page.line(&verdict(summary, look));
    for finding in &summary.findings {
        page.line(&headline(finding, look));
        render_trace(&mut page, finding);
    }
    page.finish()
}

fn verdict(summary: &Summary, look: &Look) -> String {
    let program = escape::text(&summary.program);
    let (color, text) = match summary.verdict {
        Verdict::Clean if summary.unwatched.is_empty() => (Color::Green, format!("nothing found in {program}")),
        Verdict::Clean => (Color::Yellow, format!("nothing found in {program}, as far as its code is watched")),
        Verdict::Bug => (Color::Red, format!("{} in {program}", count(summary.findings.len() as u64, "finding"))),
        Verdict::Incomplete => (Color::Yellow, format!("nothing found in {program}, but not every schedule was tried")),
        Verdict::Error => (Color::Red, format!("{program} could not be run")),
        Verdict::Nondeterministic => (Color::Red, format!("{program} does not do the same under the same schedule")),
    };
    format!("{} {text}", look.paint(color, &format!("{}:", summary.verdict.as_str())))
}

fn headline(finding: &Finding, look: &Look) -> String {
    format!("{} {}", look.paint(Color::Red, &format!("{}:", finding.kind.as_str())), escape::text(&finding.message))
}

/// Everything about one finding.
pub fn render_finding(page: &mut Page, finding: &Finding) {
    page.line(&headline(finding, &page.look));
    if let Some(location) = &finding.location {
        page.indented(&format!("at {}", escape::text(location)));
    }
    finding.explanation.iter().for_each(|line| page.indented(&escape::text(line)));
    render_orderings(page, finding);
    render_threads(page, &finding.threads);
    render_schedule(page, finding);
    render_output(page, finding);
    if finding.trace.is_some() {
        page.blank();
        render_trace(page, finding);
    }
}

/// The orders without which the finding is not there; each has been tried the other way round.
fn render_orderings(page: &mut Page, finding: &Finding) {
    if finding.orderings.is_empty() {
        return;
    }
    page.blank();
    page.heading("decisive orderings (the other way round, it does not happen)");
    finding.orderings.iter().for_each(|ordering| page.indented(&escape::text(&ordering.text)));
}

/// Every thread with its state and its stack.
pub fn render_threads(page: &mut Page, threads: &[ThreadView]) {
    if threads.is_empty() {
        return;
    }
    page.blank();
    page.heading("threads");
    for thread in threads {
        page.indented(&format!("{}: {}", table::label(thread.id, threads), escape::text(&thread.state)));
        for frame in &thread.stack {
            frame_lines(&escape::text(frame), page.look.width).iter().for_each(|line| page.line(line));
        }
    }
}

/// A frame of a stack; where it would be too long for a line, each function that was inlined has one of its own.
fn frame_lines(frame: &str, width: usize) -> Vec<String> {
    let whole = format!("      {frame}");
    if whole.chars().count() <= width {
        return vec![whole];
    }
    let outer = |part: &str| format!("        inlined into {part}");
    let mut parts = frame.split(", inlined into ");
    let inner = parts.next().map(|part| format!("      {part}"));
    inner.into_iter().chain(parts.map(outer)).collect()
}

fn render_schedule(page: &mut Page, finding: &Finding) {
    if finding.steps.is_empty() {
        return;
    }
    page.blank();
    let steps = count(finding.steps.len() as u64, "step");
    let found = found_with(finding).map_or_else(String::new, |found| format!(" ({found})"));
    page.heading(&format!("schedule: {steps}, {}{found}", count(finding.preemptions as u64, "preemption")));
    let lines = table::schedule(&finding.steps, &finding.threads, page.look.width - 2);
    let is_cut = lines.len() <= finding.steps.len();
    lines.iter().for_each(|line| page.line(&format!("  {line}")));
    if is_cut && finding.trace.is_some() {
        page.indented("(the trace file has all steps, and the replay below shows them)");
    }
}

/// The size that the schedule had when it was found, if it is another one now.
fn found_with(finding: &Finding) -> Option<String> {
    let found = finding.minimised_from?;
    let (steps, preemptions) = (found.steps as u64, found.preemptions as u64);
    let is_smaller = (found.steps, found.preemptions) != (finding.schedule.len(), finding.preemptions);
    is_smaller.then(|| format!("found with {}, {}", count(steps, "step"), count(preemptions, "preemption")))
}

fn render_output(page: &mut Page, finding: &Finding) {
    if finding.stdout.is_empty() && finding.stderr.is_empty() {
        return;
    }
    page.blank();
    page.heading("output of the program");
    output_lines(page, "stdout", &finding.stdout, OUTPUT_LINES);
    output_lines(page, "stderr", &finding.stderr, OUTPUT_LINES);
}

/// The program's output, escaped, with the stream in front: all of it, or so many lines as wide as the page.
pub fn output_lines(page: &mut Page, stream: &str, output: &[u8], most: Option<usize>) {
    if output.is_empty() {
        return;
    }
    let lines: Vec<&[u8]> = output.strip_suffix(b"\n").unwrap_or(output).split(|&byte| byte == b'\n').collect();
    let shown = most.unwrap_or(lines.len()).min(lines.len());
    for line in &lines[..shown] {
        let line = format!("  {stream} | {}", escape::bytes(line));
        page.line(if most.is_some() { table::cut(&line, page.look.width) } else { line }.trim_end());
    }
    if shown < lines.len() {
        page.indented(&format!("... {} of {stream}", count((lines.len() - shown) as u64, "more line")));
    }
}

fn render_trace(page: &mut Page, finding: &Finding) {
    if let Some(trace) = &finding.trace {
        page.line(&format!("trace   {}", escape::text(&trace.to_string_lossy())));
        page.line(&format!("replay  {}", replay_command(trace)));
    }
}

/// The command that shows a trace again, ready to be copied.
#[must_use]
pub fn replay_command(trace: &Path) -> String {
    let is_option_like = trace.to_string_lossy().starts_with('-');
    let trace = if is_option_like { Path::new(".").join(trace) } else { trace.to_owned() };
    format!("rscale replay {}", escape::shell_word(trace.as_os_str()))
}

fn render_outcomes(page: &mut Page, summary: &Summary) {
    if summary.outcomes.is_empty() {
        return;
    }
    page.blank();
    page.heading("outcomes");
    let row = |outcome: &crate::summary::Outcome| {
        let stdout = table::cut(&escape::text(&outcome.stdout), page.look.width.saturating_sub(24));
        vec![outcome.executions.to_string(), outcome.exit.to_string(), format!("\"{stdout}\"")]
    };
    let rows = summary.outcomes.iter().take(OUTCOME_LINES).map(row).collect();
    let header = ["executions", "exit", "stdout"].map(str::to_owned).into();
    table::grid(header, rows, page.look.width - 2).iter().for_each(|line| page.line(&format!("  {line}")));
    if summary.outcomes.len() > OUTCOME_LINES {
        page.indented(&format!("... {} more; --json has all", summary.outcomes.len() - OUTCOME_LINES));
    }
}

fn render_counts(page: &mut Page, summary: &Summary) {
    let blocked = if summary.blocked == 0 { String::new() } else { format!(" and {} cut short", summary.blocked) };
    let discarded = match summary.discarded {
        0 => String::new(),
        runs => format!(", after {} to see what is shared", count(runs, "run")),
    };
    page.wrapped(&format!(
        "{}{blocked}, {}, {}, depth {}{discarded}",
        count(summary.executions, "execution"),
        count(summary.states, "state"),
        count(summary.transitions, "transition"),
        summary.max_depth
    ));
    page.line(&format!(
        "{:.2} s, {:.0} executions per second, {}, {:.1} MiB, isolation {}",
        summary.elapsed_s,
        summary.executions_per_s,
        count(u64::from(summary.jobs), "worker"),
        summary.peak_rss_kib as f64 / 1024.0,
        summary.isolation
    ));
    render_checks(page, summary);
    summary.levels.iter().for_each(|level| page.line(&render_level(level)));
    let filters = if summary.filters.is_empty() { "none".to_owned() } else { summary.filters.join(",") };
    page.wrapped(&format!("filters: {filters}"));
    page.wrapped(&format!("guarantee: {}", escape::text(&summary.guarantee)));
    summary.notes.iter().for_each(|note| page.wrapped(&format!("note: {}", escape::text(note))));
}

/// What a reduction has compared; others compare nothing.
fn render_checks(page: &mut Page, summary: &Summary) {
    let counts = [
        (summary.race_checks, "race check"),
        (summary.dependence_checks, "dependence check"),
        (summary.unsatisfiable_systems, "unsatisfiable constraint system"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|row| row.0 > 0).map(|&(number, unit)| count(number, unit)).collect();
    if !counts.is_empty() {
        page.wrapped(&counts.join(", "));
    }
}

/// What came of one bound of several.
fn render_level(level: &Level) -> String {
    let (executions, findings) = (count(level.executions, "execution"), count(level.findings, "finding"));
    let rest = if level.complete { "" } else { ", not complete" };
    format!("bound {}: {executions}, {findings}{rest}", level.bound)
}

/// A report that grows line by line.
pub struct Page {
    /// How it looks.
    pub look: Look,
    text: String,
}

impl Page {
    /// An empty page.
    #[must_use]
    pub fn new(look: Look) -> Page {
        Page { look, text: String::new() }
    }

    /// Adds a line as it is.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Adds a line that names what follows.
    pub fn heading(&mut self, heading: &str) {
        let painted = self.look.paint(Color::Bold, heading);
        self.line(&painted);
    }

    /// Adds a text, broken where the page ends.
    pub fn wrapped(&mut self, text: &str) {
        wrap(text, self.look.width, 2).iter().for_each(|line| self.line(line));
    }

    /// Adds an indented text, broken where the page ends.
    pub fn indented(&mut self, text: &str) {
        wrap(text, self.look.width - 2, 2).iter().for_each(|line| self.line(&format!("  {line}")));
    }

    /// The report.
    #[must_use]
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests;
