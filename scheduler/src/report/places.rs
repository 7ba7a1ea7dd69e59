//! Places in source files, for the tools of others: reports hold them as text, `file.c:12`.

use crate::finding::Finding;
use std::collections::BTreeSet;
use std::path::Path;

/// A line of a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The file, seen from the directory that rscale runs in, if it lies below it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
}

impl Place {
    /// Reads `file.c:12`; None for what is no line of a source, such as `program+0x12`.
    #[must_use]
    pub fn parse(location: &str) -> Option<Place> {
        let (file, line) = location.rsplit_once(':')?;
        let line = line.parse().ok().filter(|&line| line > 0)?;
        (!file.is_empty()).then(|| Place { file: below_here(file), line })
    }

    /// The place of a frame of a stack: of the innermost function, if others are inlined.
    #[must_use]
    pub fn of_frame(frame: &str) -> Option<Place> {
        let innermost = frame.split(", inlined into ").next()?;
        let (_, location) = innermost.rsplit_once(" at ")?;
        Place::parse(location)
    }

    /// The file as a reference of RFC 3986: whatever is not plain is encoded.
    #[must_use]
    pub fn uri(&self) -> String {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        let encode = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        let path: String = self.file.bytes().map(encode).collect();
        if path.starts_with('/') { format!("file://{path}") } else { path }
    }
}

/// Where a finding is: what it says itself, or else where its threads stand.
#[must_use]
pub fn of_finding(finding: &Finding) -> Vec<Place> {
    if let Some(place) = finding.location.as_deref().and_then(Place::parse) {
        return vec![place];
    }
    let mut seen = BTreeSet::new();
    let frames =
        finding.threads.iter().filter_map(|thread| thread.stack.iter().find_map(|frame| Place::of_frame(frame)));
    let mut places: Vec<Place> = frames.filter(|place| seen.insert(place.clone())).collect();
    // The main thread, which comes first, mostly waits for the others.
    if places.len() > 1 {
        places.rotate_left(1);
    }
    places
}

fn below_here(file: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| Path::new(file).strip_prefix(here).ok().map(Path::to_path_buf));
    below.map_or_else(|| file.to_owned(), |path| path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::samples;

    #[test]
    fn lines_are_understood() {
        let place = |text: &str| Place::parse(text).map(|place| (place.file, place.line));
        assert_eq!(place("src/a b.c:12"), Some(("src/a b.c".into(), 12)));
        assert_eq!([place("a.out+0x12"), place("a.c:0"), place(":3"), place("")], [const { None }; 4]);
        let here = std::env::current_dir().expect("there is one").join("x.c:3");
        assert_eq!(place(&here.to_string_lossy()), Some(("x.c".into(), 3)));
        let frame = "receive at a.c:33, inlined into main at a.c:43";
        assert_eq!(Place::of_frame(frame), Place::parse("a.c:33"));
        assert_eq!(Place::of_frame("libc.so.6+0x123"), None);
    }

    #[test]
    fn references_are_plain() {
        let uri = |text: &str| Place::parse(text).map(|place| place.uri());
        assert_eq!(uri("/src/a b#?.c:1").as_deref(), Some("file:///src/a%20b%23%3F.c"));
        assert_eq!(uri("ä.c:1").as_deref(), Some("%C3%A4.c"));
    }

    #[test]
    fn a_deadlock_is_where_its_threads_are() {
        let mut finding = samples::deadlock();
        assert_eq!(of_finding(&finding), [Place { file: "ab.c".into(), line: 8 }]);
        finding.location = None;
        let lines: Vec<u32> = of_finding(&finding).iter().map(|place| place.line).collect();
        assert_eq!(lines, [8, 13, 22], "main, which only waits for the others, comes last");
    }
}
