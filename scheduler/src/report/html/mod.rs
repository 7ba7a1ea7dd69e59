//! `rscale report --html`: one page that shows an execution, with nothing outside of it.
//!
//! The page is a table, a column per thread and a row per step, which is readable as it is. Rows and columns have fixed
//! sizes, so that arrows and bars can be drawn over it without measuring anything; a small script moves a cursor.
//! Whatever the program says is [escaped](super::markup).

mod drawing;
mod lanes;
mod source;

use super::{count, markup};
use crate::finding::{Finding, ThreadView};
use crate::session::Depicted;
use crate::simulate_view::{Replay, ReplayEnd};
use lanes::Lanes;
use source::Sources;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page.
#[must_use]
pub fn render(depicted: &Depicted) -> String {
    let replay = &depicted.replay;
    let finding = match &replay.end {
        ReplayEnd::Found(finding) => Some(finding.as_ref()),
        _ => None,
    };
    let threads = finding.map_or(&replay.threads, |finding| &finding.threads);
    let sources = Sources::of(replay, threads);
    let lanes = Lanes::new(depicted, threads, finding);
    let mut page = String::with_capacity(64 * 1024);
    let title = finding.map_or_else(|| "no finding".to_owned(), Finding::headline);
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>{} - rscale</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n",
        markup::text(&title)
    );
    header(&mut page, depicted, finding, threads);
    page.push_str("<main>\n<section class=\"execution\" aria-label=\"execution\">\n");
    lanes.render(&mut page, &sources);
    page.push_str("</section>\n<aside aria-label=\"source\">\n");
    page.push_str("<div id=\"detail\">Click a step, or use the arrow keys, j and k, Home and End.</div>\n");
    sources.render(&mut page);
    let _ = write!(page, "</aside>\n</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

/// What was found, and what made the difference.
fn header(page: &mut String, depicted: &Depicted, finding: Option<&Finding>, threads: &[ThreadView]) {
    let replay = &depicted.replay;
    page.push_str("<header>\n");
    match finding {
        None => page.push_str("<h1 class=\"fine\">The schedule ends without a finding</h1>\n"),
        Some(finding) => {
            let (kind, message) = (finding.kind.as_str(), markup::text(&finding.message));
            let _ = writeln!(page, "<h1><span class=\"kind\">{kind}</span> {message}</h1>");
            if let Some(location) = &finding.location {
                let _ = writeln!(page, "<p class=\"at\">at {}</p>", markup::text(location));
            }
        }
    }
    let command: Vec<String> =
        std::iter::once(&replay.program).chain(&replay.args).map(|word| markup::text(word)).collect();
    let preemptions =
        finding.map_or_else(String::new, |finding| format!(", {}", count(finding.preemptions as u64, "preemption")));
    let _ = writeln!(
        page,
        "<p class=\"facts\"><code>{}</code> &middot; {}{preemptions} &middot; {} &middot; trace <code>{}</code></p>",
        command.join(" "),
        count(replay.steps.len() as u64, "step"),
        count(threads.len() as u64, "thread"),
        markup::text(&replay.trace)
    );
    if let Some(finding) = finding {
        orderings(page, finding);
        details(page, "Explanation", &finding.explanation, true);
    }
    stacks(page, threads);
    output(page, replay);
    page.push_str(LEGEND);
    drawing::legend(page, depicted);
    page.push_str("</p>\n</header>\n");
}

const LEGEND: &str = "<p class=\"legend\"><span class=\"l-order\">happens before</span><span class=\"l-wake\">wakes up</span>\
                      <span class=\"l-decisive\">decisive order</span>";

fn orderings(page: &mut String, finding: &Finding) {
    if finding.orderings.is_empty() {
        return;
    }
    page.push_str(
        "<div class=\"orderings\"><h2>Decisive orderings</h2><p>The other way round, it does not happen.</p>\n<ol>\n",
    );
    for ordering in &finding.orderings {
        let (first, text) = (ordering.first + 1, code(&markup::text(&ordering.text)));
        let _ = writeln!(page, "<li><a href=\"#s{first}\">{text}</a></li>");
    }
    page.push_str("</ol></div>\n");
}

/// Names between backquotes as code.
fn code(text: &str) -> String {
    let mut parts = text.split('`');
    let mut html = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        html.push_str(if index.is_multiple_of(2) { "<code>" } else { "</code>" });
        html.push_str(part);
    }
    // An odd number of backquotes: the name itself has one.
    if text.matches('`').count().is_multiple_of(2) { html } else { text.to_owned() }
}

fn details(page: &mut String, title: &str, lines: &[String], is_open: bool) {
    if lines.is_empty() {
        return;
    }
    let open = if is_open { " open" } else { "" };
    let lines: Vec<String> = lines.iter().map(|line| markup::text(line)).collect();
    let _ = writeln!(page, "<details{open}><summary>{title}</summary><pre>{}</pre></details>", lines.join("\n"));
}

fn stacks(page: &mut String, threads: &[ThreadView]) {
    let line = |thread: &ThreadView| {
        let head = format!("{} {}: {}", thread.id, thread.name, thread.state);
        std::iter::once(head).chain(thread.stack.iter().map(|frame| format!("    {frame}"))).collect::<Vec<_>>()
    };
    let known = threads.iter().filter(|thread| !thread.state.is_empty() || !thread.stack.is_empty());
    details(page, "Threads and stacks", &known.flat_map(line).collect::<Vec<_>>(), false);
}

fn output(page: &mut String, replay: &Replay) {
    let lines = |stream: &str, bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.lines().map(|line| format!("{stream} | {line}")).collect()
    };
    let all = [lines("stdout", &replay.stdout), lines("stderr", &replay.stderr)].concat();
    details(page, "Output of the program", &all, false);
}

#[cfg(test)]
mod tests;
