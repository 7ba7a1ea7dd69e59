//! Stacks in words: which frames are worth showing, and which one is where it happened.

use crate::backend::RunEnd;
use rscale_protocol::Ending;

/// Leaves out what a person need not see: the C library's frames below `main` or the start routine, and those above the
/// place that gave up.
pub fn trim(mut stack: Vec<String>, end: &RunEnd) -> Vec<String> {
    const OUTSIDE: [&str; 5] = ["__libc_start", "_start+", "_start ", "libc.so.", "clone"];
    while stack.len() > 1 && stack.last().is_some_and(|frame| OUTSIDE.iter().any(|start| frame.starts_with(start))) {
        stack.pop();
    }
    if matches!(end.ending, Ending::Assertion | Ending::Abort) {
        let is_libc = |frame: &String| frame.starts_with("libc.so.") || frame.contains(" (libc.so.");
        let inside = stack.iter().take_while(|frame| is_libc(frame)).count();
        stack.drain(..inside.min(stack.len().saturating_sub(1)));
    }
    stack
}

/// Where a stack came to: its innermost line, or its innermost address where no frame has a line.
pub fn innermost(stack: &[String]) -> Option<String> {
    innermost_line(stack).or_else(|| innermost_address(stack))
}

/// The innermost line of a stack, those that were inlined included; a line of the program rather than one of a header
/// of the system or of a library that comes with the compiler.
fn innermost_line(stack: &[String]) -> Option<String> {
    own_line(stack).or_else(|| lines(stack).next())
}

/// The innermost line of the program's own source.
pub fn own_line(stack: &[String]) -> Option<String> {
    lines(stack).find(|line| !is_foreign(line))
}

fn lines(stack: &[String]) -> impl Iterator<Item = String> {
    stack.iter().flat_map(|frame| frame.split(", inlined into ")).filter_map(line_in)
}

/// Whether a place is none of the program's own source: a line of what came with the compiler, or an address.
pub fn is_foreign(place: &str) -> bool {
    const FOREIGN: [&str; 5] = ["/usr/", "/rustc/", "library/std/", "library/core/", "library/alloc/"];
    FOREIGN.iter().any(|start| place.starts_with(start)) || !has_line(place)
}

fn has_line(place: &str) -> bool {
    let line = place.rsplit_once(':').map_or("", |(_, line)| line);
    !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

/// The `module+0x12` of the innermost frame of a stack without lines, the program's own rather than a library's.
fn innermost_address(stack: &[String]) -> Option<String> {
    let places = || stack.iter().filter_map(|frame| address_in(frame));
    let is_foreign = |place: &&str| place.starts_with("lib") || place.starts_with("ld-linux");
    places().find(|place| !is_foreign(place)).or_else(|| places().next()).map(str::to_owned)
}

/// The `module+0x12` of a frame, which may have the name of a function before it.
fn address_in(frame: &str) -> Option<&str> {
    let place = frame.strip_suffix(')').and_then(|frame| frame.rsplit_once(" (")).map_or(frame, |(_, place)| place);
    place.contains("+0x").then_some(place)
}

/// The `file:line` at the end of a frame.
fn line_in(frame: &str) -> Option<String> {
    let (_, place) = frame.rsplit_once(" at ")?;
    has_line(place).then(|| place.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(stack: &[&str]) -> Option<String> {
        innermost(&stack.iter().map(|&frame| frame.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn lines_of_the_program_come_first() {
        let inlined = "std::f at /usr/include/c++/12/f.h:3, inlined into run at main.cc:7";
        assert_eq!(place(&["strlen+0x4 (libc.so.6+0x9)", inlined, "main at main.cc:9"]).as_deref(), Some("main.cc:7"));
        assert_eq!(place(&["f at /usr/include/f.h:3"]).as_deref(), Some("/usr/include/f.h:3"));
        let panicking = ["abort at library/std/src/process.rs:9", "main at src/library/std.rs:4"];
        assert_eq!(place(&panicking).as_deref(), Some("src/library/std.rs:4"));
        for (place, foreign) in
            [("main.cc:7", false), ("libc.so.6+0x9", true), ("/rustc/1/core.rs:3", true), ("", true)]
        {
            assert_eq!(is_foreign(place), foreign, "{place}");
        }
    }

    #[test]
    fn without_lines_the_address_tells() {
        let stack = ["strlen+0x4 (libc.so.6+0x9)", "f(int)+0x10 (a.out+0x1210)", "main+0x4 (a.out+0x1300)"];
        assert_eq!(place(&stack).as_deref(), Some("a.out+0x1210"));
        assert_eq!(place(&["a.out+0x1234"]).as_deref(), Some("a.out+0x1234"));
        assert_eq!(place(&["strlen+0x4 (libc.so.6+0x9)"]).as_deref(), Some("libc.so.6+0x9"));
        assert_eq!(place(&[]), None);
    }
}
