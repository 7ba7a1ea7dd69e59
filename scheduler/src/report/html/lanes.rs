//! The execution as a table: a lane per thread, a row per step.

use super::drawing;
use super::source::Sources;
use crate::finding::{Finding, StepView, ThreadView};
use crate::report::{markup, table};
use crate::session::Depicted;
use rscale_protocol::{Op, ThreadId};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

/// Pixels; `page.css` has the same.
pub const ROW: usize = 28;
/// Width of the column of step numbers.
pub const NUMBERS: usize = 52;
/// Widths of a lane: the more there are, the narrower they are.
const WIDE: usize = 250;
const MEDIUM: usize = 210;
const NARROW: usize = 150;
/// Colours that lanes take in turn.
const COLOURS: usize = 8;

/// The lanes of an execution.
pub struct Lanes<'a> {
    /// What is shown.
    pub depicted: &'a Depicted,
    /// The threads, by their lane.
    pub threads: Vec<ThreadId>,
    views: &'a [ThreadView],
    /// What was found, if something was.
    pub finding: Option<&'a Finding>,
    /// Width of a lane.
    pub width: usize,
}

impl<'a> Lanes<'a> {
    /// A lane for every thread that takes a step or is left at the end.
    pub fn new(depicted: &'a Depicted, views: &'a [ThreadView], finding: Option<&'a Finding>) -> Lanes<'a> {
        let acting = depicted.replay.steps.iter().map(|step| step.token.thread);
        let threads: BTreeSet<ThreadId> = acting.chain(views.iter().map(|view| view.id)).collect();
        let width = match threads.len() {
            0..=3 => WIDE,
            4 | 5 => MEDIUM,
            _ => NARROW,
        };
        Lanes { depicted, threads: threads.into_iter().collect(), views, finding, width }
    }

    /// The lane of a thread.
    pub fn of(&self, thread: ThreadId) -> usize {
        self.threads.binary_search(&thread).unwrap_or(0)
    }

    fn steps(&self) -> &'a [StepView] {
        &self.depicted.replay.steps
    }

    /// Rows of the table behind the header: the steps, and the end.
    pub fn rows(&self) -> usize {
        self.steps().len() + 1
    }

    /// Table and drawing.
    pub fn render(&self, page: &mut String, sources: &Sources) {
        let width = NUMBERS + self.width * self.threads.len();
        let _ = writeln!(page, "<div class=\"lanes\" style=\"width:{width}px;--lane:{}px\">", self.width);
        drawing::render(page, self);
        page.push_str("<table>\n<thead><tr><th>step</th>");
        for (lane, &thread) in self.threads.iter().enumerate() {
            let label = markup::text(&table::label(thread, self.views));
            let _ = write!(page, "<th class=\"t{}\" title=\"{label}\"><span>{label}</span></th>", lane % COLOURS);
        }
        page.push_str("</tr></thead>\n<tbody>\n");
        let decisive = self.decisive();
        for (index, step) in self.steps().iter().enumerate() {
            self.row(page, index, step, decisive.contains(&index), sources);
        }
        self.end(page);
        page.push_str("</tbody></table>\n</div>\n");
    }

    fn decisive(&self) -> HashSet<usize> {
        let orderings = self.finding.map_or(&[][..], |finding| &finding.orderings);
        orderings.iter().flat_map(|ordering| [Some(ordering.first), ordering.second]).flatten().collect()
    }

    fn row(&self, page: &mut String, index: usize, step: &StepView, is_decisive: bool, sources: &Sources) {
        let (number, lane) = (index + 1, self.of(step.token.thread));
        let anchor = sources.anchor(&step.location).map_or_else(String::new, |anchor| format!(" data-l=\"{anchor}\""));
        let _ = write!(page, "<tr id=\"s{number}\"{anchor}><td class=\"n\">{number}</td>");
        if lane > 0 {
            let _ = write!(page, "<td colspan=\"{lane}\"></td>");
        }
        let class = if is_decisive { " decisive" } else { "" };
        let [what, outcome] = halves(step).map(|half| markup::text(&half));
        let place = place(sources.short(&step.location));
        let whole = markup::text(&format!("{}  {}", step.summary(), step.location));
        let _ = write!(
            page,
            "<td><div class=\"s t{}{class}\" title=\"{whole}\"><b>{what}</b>{outcome}{place}</div></td>",
            lane % COLOURS
        );
        // Rows are coloured as far as they have cells.
        let behind = self.threads.len() - lane - 1;
        if behind > 0 {
            let _ = write!(page, "<td colspan=\"{behind}\"></td>");
        }
        page.push_str("</tr>\n");
    }

    /// Where every thread stands at the end.
    fn end(&self, page: &mut String) {
        page.push_str("<tr id=\"end\"><td class=\"n\">end</td>");
        for (lane, thread) in self.threads.iter().enumerate() {
            let state = self.views.iter().find(|view| view.id == *thread).map_or("", |view| &view.state);
            let is_stuck = state.starts_with("waits") || state == "running";
            let class = if self.finding.is_some() && is_stuck { " stuck" } else { "" };
            // Whoever ran when it happened is where it happened.
            let happened = self.finding.filter(|_| state == "running").map(Finding::headline);
            let state = markup::text(happened.as_deref().unwrap_or(state));
            let _ =
                write!(page, "<td><div class=\"e t{}{class}\" title=\"{state}\">{state}</div></td>", lane % COLOURS);
        }
        page.push_str("</tr>\n");
    }
}

/// What was done, and what came of it. Of a store that becomes visible its name matters, for which there is little
/// room.
fn halves(step: &StepView) -> [String; 2] {
    let [what, outcome] = step.halves();
    [what.replacen(Op::Flush.name(), "visible:", 1), outcome]
}

/// Where a step is: of a long label the name of the file makes way, and the number of the line never does.
fn place(short: &str) -> String {
    let (file, line) = short.rfind(':').map_or((short, ""), |colon| short.split_at(colon));
    let [file, line] = [file, line].map(markup::text);
    let file = if file.is_empty() { file } else { format!("<i>{file}</i>") };
    format!("{file}<small>{line}</small>")
}
