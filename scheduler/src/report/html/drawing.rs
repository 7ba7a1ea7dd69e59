//! Arrows and bars over the table, at places that follow from the numbers of rows and lanes.

use super::lanes::{Lanes, NUMBERS, ROW};
use crate::picture::Hold;
use crate::report::markup;
use crate::session::Depicted;
use rscale_protocol::ThreadId;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Pixels between the border of a lane and a step in it; bars lie there.
const GUTTER: usize = 24;
/// Bars beside each other in one lane; more of them share the last place.
const BARS: usize = 3;
const BAR: usize = 5;
/// Arrows that are drawn: more would hide each other, and make the page slow.
const MOST_ARROWS: usize = 4_000;
/// Colours that locks take in turn.
const COLOURS: usize = 6;

/// The drawing.
pub fn render(page: &mut String, lanes: &Lanes<'_>) {
    let (width, height) = (NUMBERS + lanes.width * lanes.threads.len(), ROW * (lanes.rows() + 1));
    let _ = writeln!(
        page,
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">\n<defs>"
    );
    for kind in ["order", "wake", "decisive"] {
        let _ = writeln!(
            page,
            "<marker id=\"m-{kind}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker>"
        );
    }
    page.push_str("</defs>\n");
    bars(page, lanes);
    buffers(page, lanes);
    arrows(page, lanes);
    page.push_str("</svg>\n");
}

/// The middle of a row; the header is the first one.
fn middle(row: usize) -> usize {
    ROW * (row + 1) + ROW / 2
}

fn bars(page: &mut String, lanes: &Lanes<'_>) {
    let colours = colours(&lanes.depicted.holds);
    let mut open: HashMap<ThreadId, Vec<Option<usize>>> = HashMap::new();
    for (hold, name) in &lanes.depicted.holds {
        let colour = colours.iter().position(|known| known == name).unwrap_or(0) % COLOURS;
        let place = place(open.entry(hold.thread).or_default(), hold.from, hold.to);
        let end = hold.to.unwrap_or(lanes.rows());
        let (top, bottom) = (middle(hold.from), if hold.to.is_some() { middle(end) } else { ROW * (end + 1) });
        let x = NUMBERS + lanes.width * lanes.of(hold.thread) + 4 + place * (BAR + 1);
        let _ = writeln!(
            page,
            "<rect class=\"k{colour}\" x=\"{x}\" y=\"{top}\" width=\"{BAR}\" height=\"{}\" rx=\"2\"><title>{} held</title></rect>",
            bottom.saturating_sub(top).max(BAR),
            markup::text(name)
        );
    }
}

/// Stores that only their own thread sees, at the other border of its lane.
fn buffers(page: &mut String, lanes: &Lanes<'_>) {
    let mut open: HashMap<ThreadId, Vec<Option<usize>>> = HashMap::new();
    for (store, name) in &lanes.depicted.buffers {
        let place = place(open.entry(store.thread).or_default(), store.from, store.to);
        // It was made behind the step, and is gone in the middle of the other.
        let top = ROW * (store.from + 2) - BAR;
        let bottom = store.to.map_or(ROW * (lanes.rows() + 1), middle);
        let x = NUMBERS + lanes.width * (lanes.of(store.thread) + 1) - (place + 1) * (BAR + 1);
        let _ = writeln!(
            page,
            "<rect class=\"buffer\" x=\"{x}\" y=\"{top}\" width=\"{BAR}\" height=\"{}\" rx=\"2\"><title>store to {}: not \
             visible yet</title></rect>",
            bottom.saturating_sub(top).max(BAR),
            markup::text(name)
        );
    }
}

/// The names of the locks, in the order of their colours.
fn colours(holds: &[(Hold, String)]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in holds {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// What the bars mean; only so many locks as there are colours.
pub fn legend(page: &mut String, depicted: &Depicted) {
    if !depicted.buffers.is_empty() {
        page.push_str("<span class=\"l-buffer\">store that is not visible yet</span>");
    }
    for (colour, name) in colours(&depicted.holds).iter().enumerate().take(COLOURS) {
        let _ = write!(page, "<span class=\"l-hold k{colour}\">{} held</span>", markup::text(name));
    }
}

/// The first place where no bar lies that ends later than this one begins.
fn place(ends: &mut Vec<Option<usize>>, from: usize, to: Option<usize>) -> usize {
    let free = ends.iter().position(|end| end.is_some_and(|end| end <= from)).unwrap_or(ends.len());
    if free == ends.len() {
        ends.push(to);
    } else {
        ends[free] = to;
    }
    free.min(BARS - 1)
}

fn arrows(page: &mut String, lanes: &Lanes<'_>) {
    let lane = |index: usize| lanes.depicted.replay.steps.get(index).map_or(0, |step| lanes.of(step.token.thread));
    for arrow in lanes.depicted.arrows.iter().take(MOST_ARROWS) {
        let kind = if arrow.is_wake_up { "wake" } else { "order" };
        draw(page, lanes, kind, (arrow.from, lane(arrow.from)), (arrow.to, lane(arrow.to)));
    }
    let orderings = lanes.finding.map_or(&[][..], |finding| &finding.orderings);
    for ordering in orderings {
        // What the execution did not come to lies in the row of the end.
        let row = ordering.second.unwrap_or(lanes.rows() - 1);
        let to = (row, lanes.of(ordering.second_thread));
        draw(page, lanes, "decisive", (ordering.first, lane(ordering.first)), to);
    }
}

/// An arrow from one step to another, each given by row and lane.
fn draw(page: &mut String, lanes: &Lanes<'_>, kind: &str, from: (usize, usize), to: (usize, usize)) {
    let left = |lane: usize| NUMBERS + lanes.width * lane + GUTTER;
    let right = |lane: usize| NUMBERS + lanes.width * (lane + 1) - 6;
    // Out of the side that is nearer to the other one, and into the side that is nearer to where it comes from.
    let (x1, x2) = if to.1 > from.1 { (right(from.1), left(to.1)) } else { (left(from.1), right(to.1)) };
    let (y1, y2) = (middle(from.0), middle(to.0));
    let bend = if to.1 > from.1 { 28 } else { -28 };
    let (c1, c2) = (x1 as isize + bend, x2 as isize - bend);
    let _ = writeln!(
        page,
        "<path class=\"{kind}\" data-a=\"{}\" data-b=\"{}\" d=\"M{x1} {y1}C{c1} {y1} {c2} {y2} {x2} {y2}\" \
         marker-end=\"url(#m-{kind})\"/>",
        from.0 + 1,
        to.0 + 1
    );
}
