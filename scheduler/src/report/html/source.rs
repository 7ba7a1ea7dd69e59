//! The source files that the steps come from, beside the picture.

use crate::finding::ThreadView;
use crate::report::markup;
use crate::report::places::Place;
use crate::report::table;
use crate::simulate_view::{Replay, ReplayEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Files that are shown.
const MOST_FILES: usize = 20;
/// Files with at most so many lines are shown whole; of others, what is near to a step.
const WHOLE: usize = 1_500;
const AROUND: u32 = 25;

/// The source files of an execution.
pub struct Sources {
    files: Vec<File>,
}

struct File {
    name: String,
    /// Its lines; None if it can not be read.
    text: Option<String>,
    /// Lines that steps name.
    named: BTreeSet<u32>,
}

impl Sources {
    /// The files of all steps, and of where the finding is; those that are named most come first.
    pub fn of(replay: &Replay, threads: &[ThreadView]) -> Sources {
        let mut named: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let found = match &replay.end {
            ReplayEnd::Found(finding) => finding.location.clone(),
            _ => None,
        };
        let steps = replay.steps.iter().map(|step| step.location.clone()).chain(found);
        let frames = threads.iter().flat_map(|thread| &thread.stack).filter_map(|frame| Place::of_frame(frame));
        for place in steps.filter_map(|location| Place::parse(&location)).chain(frames) {
            named.entry(place.file).or_default().insert(place.line);
        }
        let mut files: Vec<(String, BTreeSet<u32>)> = named.into_iter().collect();
        files.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.len()));
        files.truncate(MOST_FILES);
        let read = |(name, named): (String, BTreeSet<u32>)| {
            let text = std::fs::read(&name).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            File { name, text, named }
        };
        Sources { files: files.into_iter().map(read).collect() }
    }

    /// The mark of a line: `f0l12`.
    pub fn anchor(&self, location: &str) -> Option<String> {
        let place = Place::parse(location)?;
        let file = self.files.iter().position(|file| file.name == place.file)?;
        self.files[file].text.as_ref()?;
        Some(format!("f{file}l{}", place.line))
    }

    /// A place as there is room for it: where there is one file only, its line.
    pub fn short<'a>(&self, location: &'a str) -> &'a str {
        let line = location.rfind(':').filter(|_| self.files.len() == 1 && Place::parse(location).is_some());
        line.map_or_else(|| table::file_name(location), |at| &location[at..])
    }

    /// All files, one below the other.
    pub fn render(&self, page: &mut String) {
        for (number, file) in self.files.iter().enumerate() {
            let _ = writeln!(page, "<section class=\"file\" id=\"f{number}\"><h2>{}</h2>", markup::text(&file.name));
            match &file.text {
                None => page.push_str("<p>(this file is not here)</p>\n"),
                Some(text) => file.lines(page, number, text),
            }
            page.push_str("</section>\n");
        }
        if self.files.is_empty() {
            page.push_str("<p>No source is known: compile with -g to see it here.</p>\n");
        }
    }
}

impl File {
    fn lines(&self, page: &mut String, number: usize, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let is_near = |line: u32| self.named.range(line.saturating_sub(AROUND)..=line + AROUND).next().is_some();
        let mut was_left_out = false;
        page.push_str("<pre>");
        for (line, text) in (1..).zip(&lines) {
            if lines.len() > WHOLE && !is_near(line) {
                was_left_out = true;
                continue;
            }
            if std::mem::take(&mut was_left_out) {
                page.push_str("<i>...</i>\n");
            }
            let class = if self.named.contains(&line) { " class=\"named\"" } else { "" };
            let text = markup::text(&text.replace('\t', "    "));
            let _ = writeln!(page, "<span id=\"f{number}l{line}\"{class}><u>{line}</u>{text}</span>");
        }
        page.push_str("</pre>\n");
    }
}
