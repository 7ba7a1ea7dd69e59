//! Splitting a line into words, with quotes.

/// Splits at white space. `"..."` keeps it, and knows `\n`, `\t`, `\"`, `\\`; `'...'` keeps everything. Quotes may
/// stand inside a word.
///
/// # Errors
/// When a quote is not closed or an escape is not known.
pub fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted(&mut characters, word.get_or_insert_default())?,
            '\'' => verbatim(&mut characters, word.get_or_insert_default())?,
            space if space.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(characters: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    loop {
        match characters.next() {
            None => return Err("a quote is not closed".into()),
            Some('"') => return Ok(()),
            Some('\\') => word.push(match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(same @ ('"' | '\\')) => same,
                other => return Err(format!("unknown escape: {other:?}")),
            }),
            Some(other) => word.push(other),
        }
    }
}

fn verbatim(characters: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    let (text, rest) = characters.as_str().split_once('\'').ok_or("a quote is not closed")?;
    word.push_str(text);
    *characters = rest.chars();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_words_together() {
        assert_eq!(split(r#" 0:"a b\n" x "" "#), Ok(vec!["0:a b\n".into(), "x".into(), String::new()]));
        assert_eq!(split(r"'a \n' '' b"), Ok(vec![r"a \n".into(), String::new(), "b".into()]));
        assert_eq!(split(""), Ok(Vec::new()));
    }

    #[test]
    fn broken_quotes_are_errors() {
        assert!(split("\"a").is_err());
        assert!(split("'a").is_err());
        assert!(split(r#""\q""#).is_err());
    }
}
