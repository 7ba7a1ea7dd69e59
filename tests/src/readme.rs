//! The commands of the README, and what it says they print.
//!
//! A fenced block marked `console` holds commands, on lines that begin with `$ `, each followed by the output that the
//! reader is promised. In the output, a line `...` stands for any number of lines, and `...` inside a line for any
//! text. A block marked `sh` holds nothing but commands, one per line.

/// A command and its promised output.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Example {
    /// The heading that it stands under.
    pub heading: String,
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The command.
    pub command: String,
    /// Whether it stands in a `console` block, and not in a `sh` one.
    pub is_console: bool,
    /// The promised output, line by line; empty where nothing is promised.
    pub output: Vec<String>,
}

/// All commands of a Markdown text, in order.
///
/// # Errors
/// When a block is not closed, or begins with something that is not a command.
pub fn examples(text: &str) -> Result<Vec<Example>, String> {
    let mut examples: Vec<Example> = Vec::new();
    let mut heading = String::new();
    let mut fence: Option<Fence> = None;
    for (index, line) in text.lines().enumerate() {
        if let Some(mark) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(Fence::of(mark.trim())) };
        } else if let Some(open) = &mut fence {
            match open.command(line) {
                Some(command) => examples.push(Example {
                    heading: heading.clone(),
                    line: index + 1,
                    command: command.to_owned(),
                    is_console: *open != Fence::Script,
                    output: Vec::new(),
                }),
                None if *open == Fence::FreshConsole => {
                    return Err(format!("line {}: a console block begins with \"$ \" and a command", index + 1));
                }
                None if *open == Fence::Console => {
                    examples.last_mut().into_iter().for_each(|last| last.output.push(line.to_owned()))
                }
                None => {}
            }
        } else if line.starts_with('#') {
            heading = line.to_owned();
        }
    }
    if fence.is_some() { Err("a fenced block is not closed".into()) } else { Ok(examples) }
}

/// A fenced block that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fence {
    /// Commands and outputs, before the first command.
    FreshConsole,
    /// Commands and outputs.
    Console,
    /// Commands.
    Script,
    /// Something else.
    Other,
}

impl Fence {
    fn of(mark: &str) -> Fence {
        match mark {
            "console" => Fence::FreshConsole,
            "sh" => Fence::Script,
            _ => Fence::Other,
        }
    }

    /// The command on a line, if there is one.
    fn command<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        match self {
            Fence::FreshConsole | Fence::Console => {
                let command = line.strip_prefix("$ ")?;
                *self = Fence::Console;
                Some(command)
            }
            Fence::Script => Some(line).filter(|line| !line.trim().is_empty()),
            Fence::Other => None,
        }
    }
}

/// Whether an output is what was promised.
#[must_use]
pub fn matches(promised: &[String], printed: &[&str]) -> bool {
    match promised {
        [] => printed.is_empty(),
        [first, rest @ ..] if first.trim() == "..." => (0..=printed.len()).any(|skip| matches(rest, &printed[skip..])),
        [first, rest @ ..] => match printed {
            [line, others @ ..] => line_matches(first.trim_end(), line.trim_end()) && matches(rest, others),
            [] => false,
        },
    }
}

fn line_matches(promised: &str, printed: &str) -> bool {
    let Some((before, after)) = promised.split_once("...") else { return promised == printed };
    let Some(rest) = printed.strip_prefix(before) else { return false };
    let starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    starts.into_iter().any(|at| line_matches(after, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promised(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn commands_and_outputs_are_found() {
        let text =
            "# Title\n## Use\n```c\nint x;\n```\n```console\n$ one\nout\n$ two\n```\n## More\n```sh\nthree\n```\n";
        let found = examples(text).expect("well-formed");
        let commands: Vec<_> =
            found.iter().map(|example| (example.heading.as_str(), example.command.as_str())).collect();
        assert_eq!(commands, [("## Use", "one"), ("## Use", "two"), ("## More", "three")]);
        assert_eq!((found[0].output.as_slice(), found[0].line), (&["out".to_owned()][..], 7));
        assert!(found[1].output.is_empty());
        assert_eq!(found.iter().map(|example| example.is_console).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn broken_blocks_are_errors() {
        assert!(examples("```console\n$ one\n").is_err());
        assert!(examples("```console\nout\n```\n").is_err());
    }

    #[test]
    fn dots_stand_for_anything() {
        assert!(matches(&promised("a\n...\nb"), &["a", "x", "y", "b"]));
        assert!(matches(&promised("a\n...\nb"), &["a", "b"]));
        assert!(matches(&promised("took ... s, ... runs"), &["took 0.1 s, 12 runs"]));
        assert!(!matches(&promised("took ... s"), &["took 0.1 m"]));
        assert!(!matches(&promised("a"), &["a", "b"]));
        assert!(!matches(&promised("a\nb"), &["a"]));
    }
}
