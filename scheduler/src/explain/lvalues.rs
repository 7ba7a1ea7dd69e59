//! Whether code accesses something atomic, by what the source names there.
//!
//! In C an object that is declared `_Atomic` is read like any other: `if (message->ready)`. Where it is not known what
//! lies at an address (a local that clang has no place for, a heap block from somebody's allocator), the line of the
//! access tells what the code takes it for. clang gives each load the column of its own expression, so the word that
//! stands there is what is read; other compilers give the column of what the value is used for, and then it is only
//! known what can be meant.

use super::allocation::statement;
use super::atomics::Code;
use rscale_instrument::symbols::{Declared, Dialect, Word};

/// As large as a pointer: what is read on the way to an element, at the same column.
const POINTER_SIZE: u64 = 8;

/// Words that name nothing.
const KEYWORDS: [&str; 35] = [
    "_Bool", "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "false", "float", "for", "goto", "if", "int", "long", "register", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "true", "typedef", "union", "unsigned", "void", "while",
];

/// Something that is read: the last word of `message->slots[1][2]`, a member, behind which two elements are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lvalue<'a> {
    word: &'a str,
    is_member: bool,
    /// How many `[]` and `*` lead from there to what is read.
    steps: usize,
    /// Whether what is read on this way has the same column.
    is_mixed: bool,
}

/// What the source says of an access to this many bytes, at a line (counted from 1) and column (from 0, if known).
pub fn code_of(
    source: &str,
    (line, column): (usize, Option<usize>),
    length: u64,
    dialect: &Dialect,
    meanings: &dyn Fn(&[&str]) -> Option<Vec<Word>>,
) -> Code {
    let lines: Vec<&str> = source.lines().collect();
    let Some(text) = line.checked_sub(1).and_then(|index| lines.get(index)) else { return Code::Unclear };
    if dialect.is_by_clang
        && let Some(lvalue) = column.and_then(|column| lvalue_at(text, column))
        && !is_macro(&lines, lvalue.word)
        && let Some(code) = meanings(&[lvalue.word]).and_then(|found| lvalue.code(found.first()?, length))
    {
        return code;
    }
    let Some(statement) = statement(&lines, line - 1) else { return Code::Unclear };
    let words: Vec<&str> = words(&statement).collect();
    let Some(found) = meanings(&words) else { return Code::Unclear };
    let is_atomic = |one: &Declared| one.levels.is_empty() || one.levels.iter().any(|level| level.is_atomic);
    let may_be = |word: &Word| !word.is_known || word.declared.iter().any(is_atomic);
    if found.iter().any(may_be) { Code::Unclear } else { Code::Plain }
}

impl Lvalue<'_> {
    /// What is certain if everything of this name is of one mind.
    fn code(&self, meant: &Word, length: u64) -> Option<Code> {
        let candidates: Vec<&Declared> = meant.declared.iter().filter(|one| one.is_member == self.is_member).collect();
        if candidates.is_empty() || self.is_mixed && length >= POINTER_SIZE {
            return None;
        }
        let is_atomic = |one: &&Declared| {
            one.levels.get(self.steps).is_some_and(|level| level.is_atomic && level.size == Some(length))
        };
        let is_plain = |one: &&Declared| !one.levels.is_empty() && one.levels.iter().all(|level| !level.is_atomic);
        if candidates.iter().all(is_atomic) {
            Some(Code::AtomicByName)
        } else if candidates.iter().all(is_plain) {
            Some(Code::Plain)
        } else {
            None
        }
    }
}

/// What clang means by a column.
fn lvalue_at(line: &str, column: usize) -> Option<Lvalue<'_>> {
    let (before, text) = (line.get(..column)?.trim_end(), line.get(column..)?);
    if before.ends_with("->") || before.ends_with('.') {
        let (word, rest) = word_at(text)?;
        let (steps, rest) = subscripts(rest)?;
        return (!rest.starts_with('(')).then_some(Lvalue { word, is_member: true, steps, is_mixed: steps > 0 });
    }
    if let Some(pointer) = text.strip_prefix('*') {
        let (word, rest) = word_at(pointer)?;
        let goes_on = ["[", ".", "->", "(", "++", "--"].iter().any(|sign| rest.starts_with(sign));
        return (!goes_on).then_some(Lvalue { word, is_member: false, steps: 1, is_mixed: false });
    }
    element_at(text)
}

/// A variable, or an element of what is named last.
fn element_at(text: &str) -> Option<Lvalue<'_>> {
    let (mut word, mut rest) = word_at(text)?;
    let mut is_member = false;
    loop {
        let (steps, behind) = subscripts(rest)?;
        let Some(member) = behind.strip_prefix("->").or_else(|| behind.strip_prefix('.')) else {
            let is_one = steps > 0 || !is_member;
            let is_call = behind.starts_with('(');
            return (is_one && !is_call).then_some(Lvalue { word, is_member, steps, is_mixed: steps > 0 });
        };
        (word, rest) = word_at(member.trim_start())?;
        is_member = true;
    }
}

/// The word at the start of a text, and what follows.
fn word_at(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !is_of_word(letter)).unwrap_or(text.len());
    let is_name = text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    let (word, rest) = text.split_at(end);
    (is_name && !KEYWORDS.contains(&word)).then(|| (word, rest.trim_start()))
}

/// How many elements are chosen, one within the other, and what follows; none if a bracket is open at the end.
fn subscripts(text: &str) -> Option<(usize, &str)> {
    let (mut count, mut rest) = (0, text);
    while rest.starts_with('[') {
        let mut depth = 0;
        let end = rest.find(|letter| {
            match letter {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        rest = rest[end + 1..].trim_start();
        count += 1;
    }
    Some((count, rest))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |word: &&str| word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    text.split(|letter| !is_of_word(letter)).filter(is_name).filter(|word| !KEYWORDS.contains(word))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether a file makes a macro of a word: then it may stand for anything.
fn is_macro(lines: &[&str], word: &str) -> bool {
    lines.iter().any(|line| {
        let directive = line.trim_start().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("define"));
        directive.is_some_and(|rest| word_at(rest.trim_start()).is_some_and(|(name, _)| name == word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_instrument::symbols::Level;

    const SOURCE: &str = "#define hidden data\nif (m->ready == m->data && *p && m->slots[i])\n    x = plain;\n\
                          y = table[1][k] + m->hidden; z = m->both;\nw = MACRO(m);\n";

    fn level(is_atomic: bool, is_array: bool, size: u64) -> Level {
        Level { is_atomic, is_array, size: Some(size) }
    }

    fn meanings(words: &[&str]) -> Option<Vec<Word>> {
        let int = || vec![level(false, false, 4)];
        let atomic = || vec![level(true, false, 4)];
        let member = |levels| Declared { is_member: true, levels };
        let variable = |levels| Declared { is_member: false, levels };
        let meaning = |word: &&str| {
            let declared = match *word {
                "ready" | "hidden" => vec![member(atomic())],
                "data" => vec![member(int())],
                "both" => vec![member(int()), member(atomic())],
                "slots" => vec![member([&[level(false, true, 16)][..], &atomic()].concat())],
                "p" => vec![variable([&[level(false, false, 8)][..], &atomic()].concat())],
                "table" => vec![variable([&[level(false, true, 32); 2][..], &atomic()].concat())],
                "m" | "i" | "k" | "w" | "x" | "y" | "z" | "plain" => vec![variable(int())],
                _ => return Word::default(),
            };
            Word { declared, is_known: true }
        };
        Some(words.iter().map(meaning).collect())
    }

    fn at(text: &str, length: u64, is_by_clang: bool) -> Code {
        let start = SOURCE.find(text).expect("there");
        let line = SOURCE[..start].lines().count().max(1) - usize::from(!SOURCE[..start].ends_with('\n')) + 1;
        let column = start - SOURCE[..start].rfind('\n').map_or(0, |end| end + 1);
        let dialect = Dialect { has_atomic_objects: true, is_by_clang };
        code_of(SOURCE, (line, Some(column)), length, &dialect, &meanings)
    }

    #[test]
    fn clang_says_what_is_read() {
        for (text, code) in [
            ("ready ==", Code::AtomicByName),
            ("data &&", Code::Plain),
            ("*p &&", Code::AtomicByName),
            ("m->slots", Code::AtomicByName),
            ("table", Code::AtomicByName),
            ("both", Code::Unclear),
            ("hidden;", Code::Unclear),
            ("==", Code::Unclear),
        ] {
            assert_eq!(at(text, 4, true), code, "{text}");
        }
        assert_eq!(at("ready ==", 2, true), Code::Unclear, "an atomic access is never of a part");
        assert_eq!(at("m->slots", 8, true), Code::Unclear, "that may be the pointer");
    }

    #[test]
    fn others_say_what_can_be_read() {
        assert_eq!(at("ready ==", 4, false), Code::Unclear);
        assert_eq!(at("w =", 4, false), Code::Unclear, "a macro may stand for anything");
        assert_eq!(
            code_of(
                "x = m->data;",
                (1, Some(5)),
                4,
                &Dialect { has_atomic_objects: true, is_by_clang: false },
                &meanings
            ),
            Code::Plain
        );
    }
}
