//! Words of a header line: bare where that is safe, quoted where it is not.
//!
//! Every byte survives, and no value can end its line or look like another header line: whatever is not printable
//! ASCII becomes `\xNN` inside quotes.

/// Writes one word, quoted if it must be.
pub fn push_word(line: &mut String, bytes: &[u8]) {
    let is_bare = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    if !bytes.is_empty() && bytes.iter().all(is_bare) {
        line.extend(bytes.iter().map(|&byte| char::from(byte)));
        return;
    }
    line.push('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => line.extend(['\\', char::from(byte)]),
            b'\n' => line.push_str("\\n"),
            b' '..=b'~' => line.push(char::from(byte)),
            _ => line.push_str(&format!("\\x{byte:02x}")),
        }
    }
    line.push('"');
}

/// Splits a line into its words. The error is the offset of what could not be read.
pub fn split(line: &[u8]) -> Result<Vec<Vec<u8>>, usize> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        at += line[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if at == line.len() {
            return Ok(words);
        }
        let (word, end) = if line[at] == b'"' { quoted(line, at)? } else { bare(line, at) };
        if line.get(end).is_some_and(|byte| !byte.is_ascii_whitespace()) {
            return Err(end);
        }
        words.push(word);
        at = end;
    }
}

fn bare(line: &[u8], start: usize) -> (Vec<u8>, usize) {
    let word: Vec<u8> = line[start..].iter().copied().take_while(|byte| !byte.is_ascii_whitespace()).collect();
    let end = start + word.len();
    (word, end)
}

fn quoted(line: &[u8], start: usize) -> Result<(Vec<u8>, usize), usize> {
    let mut word = Vec::new();
    let mut at = start + 1;
    loop {
        match line.get(at) {
            None => return Err(start),
            Some(b'"') => return Ok((word, at + 1)),
            Some(b'\\') => {
                let (byte, length) = escaped(&line[at + 1..]).ok_or(at)?;
                word.push(byte);
                at += 1 + length;
            }
            Some(&byte) => {
                word.push(byte);
                at += 1;
            }
        }
    }
}

/// The byte behind a backslash, and how long its escape is.
fn escaped(rest: &[u8]) -> Option<(u8, usize)> {
    match rest.first()? {
        b'n' => Some((b'\n', 1)),
        &byte @ (b'"' | b'\\') => Some((byte, 1)),
        b'x' => {
            let digit = |i: usize| rest.get(i).and_then(|&byte| char::from(byte).to_digit(16));
            Some(((digit(1)? * 16 + digit(2)?) as u8, 3))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(bytes: &[u8]) -> String {
        let mut line = String::new();
        push_word(&mut line, bytes);
        line
    }

    #[test]
    fn plain_words_stay_plain() {
        assert_eq!(word(b"./a.out"), "./a.out");
        assert_eq!(word(b""), "\"\"");
        assert_eq!(word(b"a b"), "\"a b\"");
        assert_eq!(word(b"say \"hi\"\n# steps: 3"), r#""say \"hi\"\n# steps: 3""#);
        assert_eq!(word(b"\xff\x1b"), r#""\xff\x1b""#);
    }

    #[test]
    fn broken_quoting_is_located() {
        assert_eq!(split(br#"a "b"#), Err(2));
        assert_eq!(split(br#""a"b"#), Err(3));
        assert_eq!(split(br#""\q""#), Err(1));
        assert_eq!(split(br#""\x4""#), Err(1));
    }

    proptest! {
        #[test]
        fn words_survive(words in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..5)) {
            let mut line = String::new();
            for word in &words {
                line.push(' ');
                push_word(&mut line, word);
            }
            prop_assert!(line.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            prop_assert_eq!(split(line.as_bytes()), Ok(words));
        }

        #[test]
        fn arbitrary_lines_never_panic(line in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = split(&line);
        }
    }
}
