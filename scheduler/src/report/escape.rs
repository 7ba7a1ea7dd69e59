//! Strings that come from the tested program, made harmless.
//!
//! Thread names, output, symbols and paths are untrusted: on a terminal they could move the cursor, change colours or
//! turn the direction of the text, and so forge a report. What is shown is printable and stays on its line.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

/// A text on one line, without control characters, escape sequences and invisible characters.
#[must_use]
pub fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    text.chars().for_each(|character| push(&mut shown, character));
    shown
}

/// The same for bytes; those that are no UTF-8 become `\xNN`.
#[must_use]
pub fn bytes(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|character| push(&mut shown, character));
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

/// Like [`text`], but line breaks stay: for messages of several lines.
#[must_use]
pub fn lines(message: &str) -> String {
    message.lines().map(text).collect::<Vec<_>>().join("\n")
}

fn push(shown: &mut String, character: char) {
    match character {
        '\n' => shown.push_str("\\n"),
        '\t' => shown.push_str("\\t"),
        '\r' => shown.push_str("\\r"),
        '\0'..='\x7f' if character.is_control() => {
            let _ = write!(shown, "\\x{:02x}", u32::from(character));
        }
        _ if is_harmful(character) => {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        }
        _ => shown.push(character),
    }
}

/// Characters that change what a reader sees beyond their own place.
#[must_use]
pub fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{ad}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A word for the shell: the same bytes, typed so that a person can copy the line.
#[must_use]
pub fn shell_word(word: &OsStr) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./:=@%+,-".contains(byte);
    let bytes = word.as_bytes();
    match word.to_str() {
        Some(text) if !text.is_empty() && bytes.iter().all(is_plain) => text.to_owned(),
        Some(text) if !text.chars().any(is_harmful) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            bytes.iter().fold("$'".to_owned(), |mut quoted, &byte| {
                match byte {
                    b'\'' | b'\\' => quoted.extend(['\\', char::from(byte)]),
                    b' '..=b'~' => quoted.push(char::from(byte)),
                    _ => {
                        let _ = write!(quoted, "\\x{byte:02x}");
                    }
                }
                quoted
            }) + "'"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::process::Command;

    #[test]
    fn harmful_characters_are_shown() {
        assert_eq!(text("plain ä €"), "plain ä €");
        assert_eq!(text("a\nb\tc\rd"), "a\\nb\\tc\\rd");
        assert_eq!(text("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
        assert_eq!(text("\u{9b}2J \u{202e}evil"), "\\u{9b}2J \\u{202e}evil");
        assert_eq!(bytes(b"ok \xff\xfe end"), "ok \\xff\\xfe end");
        assert_eq!(lines("a\x07\nb"), "a\\x07\nb");
    }

    #[test]
    fn shell_words_are_quoted_when_they_must_be() {
        assert_eq!(shell_word(OsStr::new("a/trace-2.txt")), "a/trace-2.txt");
        assert_eq!(shell_word(OsStr::new("")), "''");
        assert_eq!(shell_word(OsStr::new("it's $5")), r"'it'\''s $5'");
        assert_eq!(shell_word(OsStr::from_bytes(b"a\n\xff'")), r"$'a\x0a\xff\''");
    }

    #[test]
    fn bash_reads_back_what_was_quoted() {
        let words: Vec<OsString> =
            ["a b", "it's", "$HOME `x` \"q\" \\ !", "\u{202e}x", "\x01'\\"].map(OsString::from).into_iter().collect();
        for word in words.into_iter().chain([OsString::from_vec(b"\xff ab".to_vec())]) {
            let script = format!("printf %s {}", shell_word(&word));
            let Ok(output) = Command::new("bash").arg("-c").arg(&script).output() else { return };
            assert_eq!(OsString::from_vec(output.stdout), word, "{script}");
        }
    }

    proptest! {
        #[test]
        fn nothing_harmful_comes_out(raw in prop::collection::vec(any::<u8>(), 0..100), given: String) {
            prop_assert!(!bytes(&raw).chars().any(is_harmful));
            prop_assert!(!text(&given).chars().any(is_harmful));
            prop_assert!(!shell_word(OsStr::from_bytes(&raw)).chars().any(is_harmful));
        }
    }
}
