//! The schedule as a table: one line per step, one column per thread, so that the interleaving can be seen.
//!
//! A table must fit the terminal to be readable at all. Cells are cut where there is little room, and where there are
//! too many threads for columns, each step names its thread instead.

use super::escape;
use crate::finding::{StepView, ThreadView};
use rscale_protocol::ThreadId;
use std::collections::BTreeSet;
use std::iter::once;
use std::ops::Range;

/// More steps than this are cut in the middle.
const LONGEST: usize = 200;
const HEAD: usize = 50;
const TAIL: usize = 100;
/// A column that is narrower shows nothing worth reading.
const NARROWEST: usize = 10;
const GAP: usize = 2;

/// The steps of a schedule that its table shows: all, or the first and the last.
#[must_use]
pub fn shown(count: usize) -> [Range<usize>; 2] {
    if count > LONGEST { [0..HEAD, count - TAIL..count] } else { [0..count, count..count] }
}

/// The lines of the schedule, at most `width` characters wide.
#[must_use]
pub fn schedule(steps: &[StepView], threads: &[ThreadView], width: usize) -> Vec<String> {
    let columns: BTreeSet<ThreadId> = steps.iter().map(|step| step.token.thread).collect();
    let is_narrow = (columns.len() + 2) * (NARROWEST + GAP) > width;
    let names = if is_narrow {
        vec!["thread".to_owned(), "operation".to_owned()]
    } else {
        columns.iter().map(|&thread| label(thread, threads)).collect()
    };
    let cells = |step: &StepView| {
        let (thread, operation) = (step.token.thread, escape::text(&step.summary()));
        if is_narrow {
            return vec![label(thread, threads), operation];
        }
        let cell = |&column: &ThreadId| if column == thread { operation.clone() } else { String::new() };
        columns.iter().map(cell).collect()
    };
    let row = |(index, step): (usize, &StepView)| {
        let location = escape::text(file_name(&step.location));
        once((index + 1).to_string()).chain(cells(step)).chain(once(location)).collect()
    };
    let header = once("step".to_owned()).chain(names).chain(once("where".to_owned())).collect();
    let [head, tail] = shown(steps.len());
    let cut = head.end..tail.start;
    let shown = steps.iter().enumerate().filter(|(index, _)| !cut.contains(index));
    let mut lines = grid(header, shown.map(row).collect(), width);
    if !cut.is_empty() {
        lines.insert(1 + HEAD, format!("... {} steps ...", cut.len()));
    }
    lines
}

/// The stacks of a finding show whole paths; a table has no room for them.
pub fn file_name(location: &str) -> &str {
    location.rsplit('/').next().unwrap_or(location)
}

/// A thread as it is named in reports: `1 worker`.
#[must_use]
pub fn label(thread: ThreadId, threads: &[ThreadView]) -> String {
    let name = threads.iter().find(|view| view.id == thread).map_or("", |view| view.name.as_str());
    if name.is_empty() { thread.to_string() } else { format!("{thread} {}", escape::text(name)) }
}

/// Columns with a header. The first is aligned to the right; the last is cut at its beginning, the others in the
/// middle.
#[must_use]
pub fn grid(header: Vec<String>, rows: Vec<Vec<String>>, width: usize) -> Vec<String> {
    let rows: Vec<Vec<String>> = once(header).chain(rows).collect();
    let widths = widths(&rows, width);
    rows.iter().map(|row| line(row, &widths)).collect()
}

/// As [`grid`], but nothing is cut: what a cell has no room for stands in the lines below, and columns without a word
/// are left out.
#[must_use]
pub fn folded(header: Vec<String>, rows: Vec<Vec<String>>, width: usize) -> Vec<String> {
    let is_used: Vec<bool> = (0..header.len()).map(|column| rows.iter().any(|row| !row[column].is_empty())).collect();
    let used =
        |row: Vec<String>| row.into_iter().zip(&is_used).filter_map(|(cell, used)| used.then_some(cell)).collect();
    let rows: Vec<Vec<String>> = once(header).chain(rows).map(used).collect();
    let widths = widths(&rows, width);
    let lines = |row: &Vec<String>| {
        let cells: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, &width)| fold(cell, width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let part = |index: usize| -> Vec<String> {
            cells.iter().map(|cell| cell.get(index).cloned().unwrap_or_default()).collect()
        };
        (0..height).map(|index| line(&part(index), &widths)).collect::<Vec<_>>()
    };
    rows.iter().flat_map(lines).collect()
}

/// A text in pieces of at most `width` characters, parted behind a space where that leaves no more than half of a line
/// empty.
fn fold(text: &str, width: usize) -> Vec<String> {
    let mut rest: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    while rest.len() > width.max(1) {
        let space = (width / 2..width).rev().find(|&index| rest[index] == ' ');
        let next = rest.split_off(space.map_or(width.max(1), |index| index + 1));
        pieces.push(rest.iter().collect::<String>().trim_end().to_owned());
        rest = next;
    }
    pieces.push(rest.into_iter().collect());
    pieces
}

/// The widths of the columns, with the gaps between them at most `width` in all.
fn widths(rows: &[Vec<String>], width: usize) -> Vec<usize> {
    let count = rows[0].len();
    let widest = |column: usize| rows.iter().map(|row| length(&row[column])).max().unwrap_or(0);
    let natural: Vec<usize> = (0..count).map(widest).collect();
    share(&natural, width.saturating_sub(GAP * (count - 1)))
}

fn line(row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
        let is_last = column + 1 == row.len();
        let cell = if is_last { cut_front(cell, width) } else { cut_middle(cell, width) };
        let padding = " ".repeat(width - length(&cell));
        let gap = if column == 0 { "" } else { "  " };
        let (before, after) = if column == 0 { (padding.as_str(), "") } else { ("", padding.as_str()) };
        line.extend([gap, before, &cell, after]);
    }
    line.truncate(line.trim_end().len());
    line
}

/// Gives every column what it wants, or an equal share of what the more modest ones leave.
fn share(natural: &[usize], total: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..natural.len()).collect();
    order.sort_by_key(|&column| natural[column]);
    let mut widths = vec![0; natural.len()];
    let mut left = total;
    for (done, &column) in order.iter().enumerate() {
        widths[column] = natural[column].min(left / (natural.len() - done));
        left -= widths[column];
    }
    widths
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// At most `width` characters of a text, from its beginning.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain("…".chars().take(width)).collect()
}

/// At most `width` characters of a text: what is done stands at its beginning, with what value at its end.
fn cut_middle(text: &str, width: usize) -> String {
    let surplus = length(text).saturating_sub(width);
    if surplus == 0 {
        return text.to_owned();
    }
    let head = width * 2 / 5;
    let tail = text.chars().skip(head + 1 + surplus);
    text.chars().take(head).chain("…".chars().take(width)).chain(tail).collect()
}

fn cut_front(text: &str, width: usize) -> String {
    let surplus = length(text).saturating_sub(width);
    if surplus == 0 {
        return text.to_owned();
    }
    "…".chars().take(width).chain(text.chars().skip(surplus + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::samples::{deadlock, step, thread};
    use proptest::prelude::*;

    #[test]
    fn a_column_per_thread() {
        let finding = deadlock();
        let expected = [
            "step  0 main           1 left  2 right  where",
            "   1  create thread 1                   ab.c:20",
            "   2  create thread 2                   ab.c:21",
            "   3                   lock a           ab.c:7",
            "   4                           lock b   ab.c:12",
        ];
        assert_eq!(schedule(&finding.steps, &finding.threads, 80), expected);
    }

    #[test]
    fn many_threads_become_a_list() {
        let steps: Vec<_> = (0..20).map(|i| step(i, "lock", &["m"], "x.c:1")).collect();
        let lines = schedule(&steps, &[thread(3, "worker", "", "")], 80);
        assert_eq!(lines[0], "step  thread    operation  where");
        assert_eq!(lines[4], "   4  3 worker  lock m     x.c:1");
    }

    #[test]
    fn long_schedules_are_cut_in_the_middle() {
        let steps: Vec<_> = (0..1000).map(|i| step(i % 2, "yield", &[], "x.c:1")).collect();
        let lines = schedule(&steps, &[], 80);
        assert_eq!(lines.len(), 1 + HEAD + 1 + TAIL);
        assert_eq!(lines[1 + HEAD], "... 850 steps ...");
        assert!(lines[HEAD].starts_with("  50") && lines[2 + HEAD].starts_with(" 901"));
    }

    #[test]
    fn locations_keep_their_end() {
        assert_eq!(
            [file_name("/a/b/file.c:12"), file_name("file.c:12"), file_name("")],
            ["file.c:12", "file.c:12", ""]
        );
        assert_eq!(cut_front("a_very_long_file.c:12", 10), "…file.c:12");
        assert_eq!(cut("operation", 5), "oper…");
        assert_eq!(cut_middle("write a_very_long_name: 0 -> 1", 20), "write a_…ame: 0 -> 1");
        assert_eq!(["", "…", "…c"], [0, 1, 2].map(|width| cut_middle("abc", width)));
        assert_eq!([cut("abc", 0), cut_front("abc", 0), cut("abc", 1)], ["", "", "…"]);
    }

    #[test]
    fn what_has_no_room_stands_below() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        assert_eq!(folded(row(["step", "what", "where"]), vec![row(["1", "", "x"])], 80), ["step  where", "   1  x"]);
        let rows = vec![row(["1", "write", "*heap object from main.c:12 + 8"]), row(["2", "read", "x"])];
        let expected = [
            "step  what   where",
            "   1  write  *heap object",
            "             from main.c:12",
            "             + 8",
            "   2  read   x",
        ];
        assert_eq!(folded(row(["step", "what", "where"]), rows, 28), expected);
        assert_eq!(fold("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(fold("", 3), [""]);
    }

    proptest! {
        #[test]
        fn folding_loses_nothing(text in "[a-z ]{0,90}", width in 1usize..40) {
            let pieces = fold(&text, width);
            prop_assert!(pieces.iter().all(|piece| length(piece) <= width));
            let letters = |text: &str| text.chars().filter(|letter| *letter != ' ').collect::<String>();
            prop_assert_eq!(letters(&pieces.concat()), letters(&text));
        }

        #[test]
        fn no_line_is_too_wide(threads in 1u16..30, count in 1usize..300, width in 20usize..200,
                               name in "\\PC{0,40}", location in ".{0,90}") {
            let steps: Vec<_> = (0..count).map(|i| step(i as u16 % threads, &name, &["\x1b[31m"], &location)).collect();
            for line in schedule(&steps, &[thread(0, &name, "", "")], width) {
                prop_assert!(length(&line) <= width, "{} > {width}: {line}", length(&line));
                prop_assert!(!line.chars().any(escape::is_harmful));
            }
        }
    }
}
