//! Reading a trace. Arbitrary bytes give a trace or an error with line and column, never a panic.

use super::error::{ParseError, Position, Problem, TraceError};
use super::{FORMAT, Header, ThreadOrigin, Trace, is_flush_name, words};
use rscale_protocol::arena::{MAX_STEPS, Token};
use rscale_protocol::{Choice, MemoryModel, ThreadId};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// No trace is larger: a million steps, and room for the header.
const LARGEST_FILE: u64 = 64 << 20;
const MAGIC: &[u8] = b"# rscale trace ";
/// How much of a bad token an error shows.
const SHOWN: usize = 24;

/// A trace and where each of its steps stands in the file, for errors about a step that can not be taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parsed {
    /// The trace.
    pub trace: Trace,
    /// One position per token.
    pub positions: Vec<Position>,
}

/// Reads a trace file.
///
/// # Errors
/// When the file can not be read or is not a trace.
pub fn read(path: &Path) -> Result<Parsed, TraceError> {
    let failed = |cause| TraceError::Read { path: path.to_owned(), cause };
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    let parsed = if bytes.len() as u64 > LARGEST_FILE { Err(at(1, 1, Problem::TooLarge)) } else { parse(&bytes) };
    parsed.map_err(|error| TraceError::Parse { path: path.to_owned(), error })
}

/// Reads a trace out of bytes.
///
/// # Errors
/// When the bytes are not a trace.
pub fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut reader = Reader::default();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        reader.line(line, index + 1)?;
    }
    reader.finish(bytes)
}

/// The names of header lines, in the order in which they are written.
const HEADER_NAMES: [&str; 9] =
    ["version", "program", "hash", "arguments", "option", "finding", "minimised", "thread", "steps"];

fn at(line: usize, column: usize, problem: Problem) -> ParseError {
    let clip = |number| u32::try_from(number).unwrap_or(u32::MAX);
    ParseError { position: Position { line: clip(line), column: clip(column) }, problem }
}

/// What a `#` line is at this point of the file.
#[derive(Default, PartialEq, Eq)]
enum Section {
    /// The first line decides whether there is a header at all.
    #[default]
    Start,
    /// Header lines, until `# steps:`.
    Header,
    /// Steps and comments.
    Steps,
}

#[derive(Default)]
struct Reader {
    section: Section,
    has_header: bool,
    promised: Option<usize>,
    parsed: Parsed,
}

impl Reader {
    fn line(&mut self, line: &[u8], number: usize) -> Result<(), ParseError> {
        if self.section == Section::Start {
            if let Some(format) = line.strip_prefix(MAGIC) {
                return self.begin_header(format);
            }
            self.section = Section::Steps;
        }
        if line.trim_ascii_start().starts_with(b"#") {
            if self.section == Section::Header { self.header_line(line, number) } else { Ok(()) }
        } else {
            self.step_line(line, number)
        }
    }

    fn begin_header(&mut self, format: &[u8]) -> Result<(), ParseError> {
        if format.trim_ascii() != FORMAT.to_string().as_bytes() {
            return Err(at(1, MAGIC.len() + 1, Problem::UnknownFormat(shown(format.trim_ascii()))));
        }
        self.section = Section::Header;
        self.has_header = true;
        Ok(())
    }

    /// A header line is `# name: words`. Names that are not known are comments of people and of later versions.
    fn header_line(&mut self, line: &[u8], number: usize) -> Result<(), ParseError> {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { return Ok(()) };
        let hash = line.iter().position(|&byte| byte == b'#').unwrap_or(colon);
        let written = line.get(hash + 1..colon).unwrap_or_default().trim_ascii();
        let Some(&name) = HEADER_NAMES.iter().find(|known| known.as_bytes() == written) else { return Ok(()) };
        let values =
            words::split(&line[colon + 1..]).map_err(|offset| at(number, colon + 2 + offset, Problem::BadQuoting))?;
        if name == "steps" {
            self.section = Section::Steps;
            self.promised = Some(steps(&values).map_err(|problem| at(number, colon + 2, problem))?);
            return Ok(());
        }
        fill(&mut self.parsed.trace.header, name, values).map_err(|problem| at(number, 1, problem))
    }

    fn step_line(&mut self, line: &[u8], number: usize) -> Result<(), ParseError> {
        let mut column = 0;
        for word in line.split(u8::is_ascii_whitespace) {
            if !word.is_empty() {
                let memory = self.parsed.trace.header.memory();
                let (token, flushed) = token(word, memory).map_err(|problem| at(number, column + 1, problem))?;
                let error = at(number, column + 1, Problem::TooManySteps);
                if self.parsed.trace.tokens.len() == MAX_STEPS {
                    return Err(error);
                }
                self.parsed.trace.flushed.extend(flushed.map(|name| (self.parsed.trace.tokens.len(), name)));
                self.parsed.trace.tokens.push(token);
                self.parsed.positions.push(error.position);
            }
            column += word.len() + 1;
        }
        Ok(())
    }

    fn finish(self, bytes: &[u8]) -> Result<Parsed, ParseError> {
        let lines = bytes.split(|&byte| byte == b'\n');
        let end = |problem| at(lines.clone().count(), lines.clone().next_back().map_or(0, <[u8]>::len) + 1, problem);
        let found = self.parsed.trace.tokens.len();
        match self.promised {
            None if self.has_header => Err(end(Problem::Truncated { expected: None, found })),
            None if found == 0 => Err(end(Problem::Empty)),
            Some(expected) if found > expected => Err(ParseError {
                position: self.parsed.positions[expected],
                problem: Problem::Surplus { expected, found },
            }),
            Some(expected) if found < expected || bytes.last() != Some(&b'\n') => {
                Err(end(Problem::Truncated { expected: Some(expected), found }))
            }
            _ => Ok(self.parsed),
        }
    }
}

/// Puts the words of a header line where they belong.
fn fill(header: &mut Header, name: &'static str, mut values: Vec<Vec<u8>>) -> Result<(), Problem> {
    match name {
        "version" => once(&mut header.version, name, text(name, &values)?),
        "program" => {
            let [path] = values.as_mut_slice() else {
                return Err(Problem::BadHeader { name, expected: "one path" });
            };
            once(&mut header.program, name, OsString::from_vec(std::mem::take(path)))
        }
        "hash" => once(&mut header.program_hash, name, text(name, &values)?),
        "finding" => once(&mut header.finding, name, text(name, &values)?),
        "minimised" => once(&mut header.minimised, name, text(name, &values)?),
        "arguments" if !header.arguments.is_empty() => Err(Problem::Repeated(name)),
        "arguments" => {
            header.arguments = values.into_iter().map(OsString::from_vec).collect();
            Ok(())
        }
        "option" => {
            header.options.push(option(&values).ok_or(Problem::BadHeader { name, expected: "a name and a value" })?);
            Ok(())
        }
        _ => {
            let expected = "the form \"2 is child 1 of 0\"";
            header.threads.push(origin(&values).ok_or(Problem::BadHeader { name, expected })?);
            Ok(())
        }
    }
}

fn once<T>(place: &mut Option<T>, name: &'static str, value: T) -> Result<(), Problem> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Problem::Repeated(name)),
    }
}

fn text(name: &'static str, values: &[Vec<u8>]) -> Result<String, Problem> {
    match values {
        [value] => string(value),
        _ => None,
    }
    .ok_or(Problem::BadHeader { name, expected: "one text" })
}

fn string(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

fn option(values: &[Vec<u8>]) -> Option<(String, String)> {
    let [name, value] = values else { return None };
    Some((string(name)?, string(value)?))
}

fn origin(values: &[Vec<u8>]) -> Option<ThreadOrigin> {
    let [thread, is, child_word, child, of, parent] = values else { return None };
    let words = [is.as_slice(), child_word.as_slice(), of.as_slice()];
    let thread_id = |bytes: &[u8]| number(bytes).and_then(ThreadId::from_index);
    let child = u32::try_from(number(child)?).ok()?;
    (words == [&b"is"[..], b"child", b"of"]).then_some(())?;
    Some(ThreadOrigin { thread: thread_id(thread)?, parent: thread_id(parent)?, child })
}

fn steps(values: &[Vec<u8>]) -> Result<usize, Problem> {
    let [count] = values else { return Err(Problem::BadHeader { name: "steps", expected: "one number" }) };
    let count = number(count).ok_or(Problem::BadHeader { name: "steps", expected: "one number" })?;
    if count > MAX_STEPS { Err(Problem::TooManySteps) } else { Ok(count) }
}

fn number(digits: &[u8]) -> Option<usize> {
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(())?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A token, and the name of what it flushes.
fn token(word: &[u8], memory: MemoryModel) -> Result<(Token, Option<String>), Problem> {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (thread, mark) = word.split_at(digits);
    if thread.is_empty() {
        return Err(Problem::NotAToken(shown(word)));
    }
    let thread = number(thread).and_then(ThreadId::from_index).ok_or_else(|| Problem::ThreadTooLarge(shown(word)))?;
    let is_shadow = memory.owner(thread).is_some();
    let choice = match mark {
        _ if is_shadow => return Err(Problem::ThreadTooLarge(shown(word))),
        b"" => Choice::Proceed,
        b"t" => Choice::TimeOut,
        b"s" => Choice::Spurious,
        [b'!', queue @ ..] => return flush(word, thread, queue, memory),
        _ => return Err(Problem::UnknownMark(shown(word))),
    };
    Ok((Token { thread, choice }, None))
}

/// A flush: the token of a shadow thread. Which one it is may be said by a name.
fn flush(word: &[u8], owner: ThreadId, queue: &[u8], memory: MemoryModel) -> Result<(Token, Option<String>), Problem> {
    let name = string(queue).filter(|name| memory == MemoryModel::Pso && is_flush_name(name));
    let queue = match (memory, queue) {
        (MemoryModel::Tso, b"") => Some(0),
        (MemoryModel::Pso, _) if name.is_some() => Some(0),
        (MemoryModel::Pso, digits) => number(digits),
        _ => None,
    };
    let needed = if word.ends_with(b"!") { "tso" } else { "pso" };
    let shadow = queue.and_then(|queue| memory.shadow(owner, queue));
    let thread = shadow.ok_or_else(|| Problem::FlushMark { token: shown(word), memory: needed })?;
    Ok((Token { thread, choice: Choice::Proceed }, name))
}

/// A piece of the file as an error shows it: on one line, printable, short.
fn shown(bytes: &[u8]) -> String {
    let text = bytes.iter().take(SHOWN).flat_map(|&byte| byte.escape_ascii()).map(char::from);
    text.chain(if bytes.len() > SHOWN { "..." } else { "" }.chars()).collect()
}
