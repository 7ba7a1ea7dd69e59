//! Writing a trace.

use super::error::TraceError;
use super::words::push_word;
use super::{FORMAT, Header, Trace, token_text};
use crate::atomic;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Steps are wrapped before this column.
const WIDTH: usize = 100;

/// The file name of the n-th finding: `trace.txt`, then `trace-2.txt`, `trace-3.txt`, ... A device or a pipe takes them
/// all: there is no other beside `/dev/null`, and nobody may make one.
#[must_use]
pub fn numbered_path(path: &Path, number: usize) -> PathBuf {
    if number < 2 || atomic::is_device(path) {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The text of a trace file.
#[must_use]
pub fn render(trace: &Trace) -> String {
    let mut text = format!("# rscale trace {FORMAT}\n");
    render_header(&mut text, &trace.header);
    let _ = writeln!(text, "# steps: {}", trace.tokens.len());
    let mut column = 0;
    let memory = trace.header.memory();
    for (place, &token) in trace.tokens.iter().enumerate() {
        let token = token_text(token, memory, trace.flushed.get(&place).map(String::as_str));
        if column > 0 && column + 1 + token.len() > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        column += token.len();
        text.push_str(&token);
    }
    if column > 0 {
        text.push('\n');
    }
    text
}

fn render_header(text: &mut String, header: &Header) {
    let mut line = |name: &str, words: &[&[u8]]| {
        let _ = write!(text, "# {name}:");
        for word in words {
            text.push(' ');
            push_word(text, word);
        }
        text.push('\n');
    };
    if let Some(version) = &header.version {
        line("version", &[version.as_bytes()]);
    }
    if let Some(program) = &header.program {
        line("program", &[program.as_bytes()]);
    }
    if let Some(hash) = &header.program_hash {
        line("hash", &[hash.as_bytes()]);
    }
    if !header.arguments.is_empty() {
        line("arguments", &header.arguments.iter().map(|argument| argument.as_bytes()).collect::<Vec<_>>());
    }
    for (name, value) in &header.options {
        line("option", &[name.as_bytes(), value.as_bytes()]);
    }
    if let Some(finding) = &header.finding {
        line("finding", &[finding.as_bytes()]);
    }
    if let Some(minimised) = &header.minimised {
        line("minimised", &[minimised.as_bytes()]);
    }
    for origin in &header.threads {
        let [thread, child, parent] = [u32::from(origin.thread.0), origin.child, u32::from(origin.parent.0)];
        let words = [&thread.to_string(), "is", "child", &child.to_string(), "of", &parent.to_string()];
        line("thread", &words.map(str::as_bytes));
    }
}

/// Writes a trace file, [whole or not at all](atomic::write).
///
/// # Errors
/// When the disk is full, the directory can not be written, or `path` is one; nothing is left behind then.
pub fn write(path: &Path, trace: &Trace) -> Result<(), TraceError> {
    atomic::write(path, render(trace).as_bytes()).map_err(|cause| TraceError::Write { path: path.to_owned(), cause })
}
