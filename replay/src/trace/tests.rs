//! A trace survives the disk, and everything else is an error that says where.

use super::*;
use proptest::prelude::*;
use rscale_protocol::Choice;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

fn tokens(numbers: &[u16]) -> Vec<Token> {
    numbers.iter().map(|&number| Token { thread: ThreadId(number), choice: Choice::Proceed }).collect()
}

fn sample() -> Trace {
    let header = Header {
        version: Some("0.1.0".into()),
        program: Some("./a b".into()),
        program_hash: Some("00ff".into()),
        arguments: vec!["-n".into(), "3".into(), "".into()],
        options: vec![("scope".into(), "sync".into()), ("seed".into(), "0".into())],
        finding: Some("deadlock: all threads\n# steps: 0".into()),
        minimised: Some("found with 9 steps".into()),
        threads: vec![ThreadOrigin { thread: ThreadId(1), parent: ThreadId(0), child: 0 }],
    };
    Trace { header, tokens: tokens(&[0, 0, 1, 12]), ..Trace::default() }
}

/// A directory of its own for one test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("rscale-replay-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary directory");
        Directory(path)
    }

    fn names(&self) -> Vec<OsString> {
        fs::read_dir(&self.0).expect("readable").map(|entry| entry.expect("an entry").file_name()).collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_file_reads_like_this() {
    let expected = "\
# rscale trace 1
# version: 0.1.0
# program: \"./a b\"
# hash: 00ff
# arguments: -n 3 \"\"
# option: scope sync
# option: seed 0
# finding: \"deadlock: all threads\\n# steps: 0\"
# minimised: \"found with 9 steps\"
# thread: 1 is child 0 of 0
# steps: 4
0 0 1 12
";
    assert_eq!(render(&sample()), expected);
    assert_eq!(parse(expected.as_bytes()).expect("valid").trace, sample());
}

#[test]
fn bare_numbers_are_a_trace() {
    let parsed = parse(b"# my schedule\n0 1\n\t2t 3s\r\n  # steps: 99\n0").expect("valid");
    let marked = |thread, choice| Token { thread: ThreadId(thread), choice };
    let expected = [
        marked(0, Choice::Proceed),
        marked(1, Choice::Proceed),
        marked(2, Choice::TimeOut),
        marked(3, Choice::Spurious),
        marked(0, Choice::Proceed),
    ];
    assert_eq!(parsed.trace, Trace { tokens: expected.to_vec(), ..Trace::default() });
    assert_eq!(parsed.positions[2], Position { line: 3, column: 2 });
}

#[test]
fn errors_say_where_what_and_what_to_do() {
    let message = |text: &str| parse(text.as_bytes()).expect_err("not a trace").to_string();
    assert_eq!(
        message("0 1\n0 x1"),
        "line 2, column 3: \"x1\" is not a step; a step is a thread number, with the mark t or s if need be"
    );
    assert_eq!(
        message("0 2!"),
        "line 1, column 3: \"2!\" flushes a buffered store; that needs the line \"# option: memory tso\""
    );
    assert_eq!(
        message("2!counter"),
        "line 1, column 1: \"2!counter\" flushes a buffered store; that needs the line \"# option: memory pso\""
    );
    assert!(message("3q").contains("unknown mark"));
    assert!(message("128").contains("thread numbers go from 0 to 127"));
    assert!(message("99999999999999999999999").contains("names no thread"));
    assert!(message("").contains("holds no schedule"));
    assert!(message("# rscale trace 2\n# steps: 0\n").contains("format \"2\""));
    assert!(message("# rscale trace 1\n# program: \"a\n# steps: 0\n").starts_with("line 2, column 12: broken quotes"));
    assert!(message("# rscale trace 1\n# hash: a\n# hash: b\n# steps: 0\n").starts_with("line 3"));
    assert!(message("# rscale trace 1\n# steps: 99999999\n").contains("at most 1048576"));
    assert!(message("# rscale trace 1\n# thread: 1 is child x of 0\n").contains("2 is child 1 of 0"));
    assert_eq!(
        message("# rscale trace 1\n# steps: 1\n0 1\n"),
        "line 3, column 3: 2 steps, but the header says 1; if you added some, correct \"# steps:\""
    );
}

#[test]
fn unknown_header_lines_are_comments() {
    assert!(parse(b"# rscale trace 1\n# a note\n#\n# later: x\n# steps: 1\n0\n# the end\n").is_ok());
}

#[test]
fn every_cut_is_noticed() {
    let text = render(&sample());
    for length in 0..text.len() {
        assert!(parse(&text.as_bytes()[..length]).is_err(), "cut to {length} bytes");
    }
}

#[test]
fn steps_are_wrapped() {
    let trace = Trace { tokens: tokens(&[100; 200]), ..Trace::default() };
    let text = render(&trace);
    assert!(text.lines().all(|line| line.len() <= 100));
    assert_eq!(parse(text.as_bytes()).expect("valid").trace, trace);
}

#[test]
fn writing_replaces_the_file_and_leaves_nothing_else() {
    let directory = Directory::new("replace");
    let path = directory.0.join("trace.txt");
    fs::write(&path, "old").expect("writable");
    write(&path, &sample()).expect("written");
    assert_eq!(read(&path).expect("readable").trace, sample());
    assert_eq!(directory.names(), ["trace.txt"]);
}

#[test]
fn a_failed_write_names_the_path_and_leaves_nothing() {
    let directory = Directory::new("failure");
    let missing = directory.0.join("missing/trace.txt");
    let error = write(&missing, &sample()).expect_err("no such directory").to_string();
    assert!(error.contains("missing/trace.txt") && error.contains("No such file"), "{error}");
    let error = write(Path::new("/dev/full"), &sample()).expect_err("no space").to_string();
    assert!(error.contains("/dev/full: No space left"), "{error}");
    assert!(write(&directory.0, &sample()).is_err(), "a directory");
    assert!(write(Path::new("/"), &sample()).is_err() && write(Path::new(""), &sample()).is_err());
    assert!(directory.names().is_empty());
    assert!(read(&directory.0).expect_err("a directory").to_string().contains("can not read the trace"));
}

#[test]
fn further_findings_get_a_number() {
    assert_eq!(numbered_path(Path::new("a/trace.txt"), 1), Path::new("a/trace.txt"));
    assert_eq!(numbered_path(Path::new("a/trace.txt"), 2), Path::new("a/trace-2.txt"));
    assert_eq!(numbered_path(Path::new("trace"), 3), Path::new("trace-3"));
}

fn any_token() -> impl Strategy<Value = Token> {
    let choice = prop_oneof![Just(Choice::Proceed), Just(Choice::TimeOut), Just(Choice::Spurious)];
    (0..128u16, choice).prop_map(|(thread, choice)| Token { thread: ThreadId(thread), choice })
}

fn any_bytes() -> impl Strategy<Value = OsString> {
    prop::collection::vec(any::<u8>(), 0..20).prop_map(OsString::from_vec)
}

fn any_header() -> impl Strategy<Value = Header> {
    let origin = (0..128u16, 0..128u16, any::<u32>()).prop_map(|(thread, parent, child)| ThreadOrigin {
        thread: ThreadId(thread),
        parent: ThreadId(parent),
        child,
    });
    let text = any::<Option<String>>;
    let texts = (text(), text(), text(), text());
    let options = prop::collection::vec(any::<(String, String)>(), 0..4);
    let arguments = prop::collection::vec(any_bytes(), 0..4);
    let threads = prop::collection::vec(origin, 0..4);
    (texts, prop::option::of(any_bytes()), arguments, options, threads).prop_map(
        |((version, program_hash, finding, minimised), program, arguments, options, threads)| Header {
            version,
            program,
            program_hash,
            arguments,
            options,
            finding,
            minimised,
            threads,
        },
    )
}

proptest! {
    #[test]
    fn writing_and_reading_is_the_identity(header in any_header(), tokens in prop::collection::vec(any_token(), 0..80)) {
        let trace = Trace { header, tokens, ..Trace::default() };
        let text = render(&trace);
        prop_assert!(text.is_ascii());
        let parsed = parse(text.as_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(parsed.positions.len(), parsed.trace.tokens.len());
        prop_assert_eq!(parsed.trace, trace);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
        let headed = [&b"# rscale trace 1\n# "[..], &bytes].concat();
        if let Err(error) = parse(&headed) {
            prop_assert!(error.to_string().is_ascii());
        }
    }

    #[test]
    fn header_like_bytes_never_panic(text in "# rscale trace 1\n(# (program|hash|arguments|option|thread|steps|finding):[ \"\\\\x0-9a]{0,12}\n){0,5}[0-9 ts!]{0,10}") {
        let _ = parse(text.as_bytes());
    }
}
