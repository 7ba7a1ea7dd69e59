//! Text in XML and HTML: nothing that the tested program says can become markup.

use super::escape;

/// A text as the content of an element or the value of an attribute, on one line.
#[must_use]
pub fn text(text: &str) -> String {
    characters(&escape::text(text))
}

/// Like [`text`], but line breaks stay.
#[must_use]
pub fn lines(text: &str) -> String {
    characters(&escape::lines(text))
}

/// What has no control characters any more.
fn characters(shown: &str) -> String {
    let mut escaped = String::with_capacity(shown.len());
    for character in shown.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // No character of XML at all.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(text("<a href=\"x\">'&\n\x1b"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\\n\\x1b");
        assert_eq!(lines("a<\nb\u{ffff}"), "a&lt;\nb\u{fffd}");
    }

    proptest! {
        #[test]
        fn nothing_comes_through(given: String) {
            let escaped = text(&given);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            prop_assert!(!escaped.chars().any(escape::is_harmful));
        }
    }
}
