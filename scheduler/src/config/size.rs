//! Amounts of memory on the command line: a whole number and a unit.

use std::fmt;

/// An amount of memory, as the user wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Size {
    /// In bytes.
    pub bytes: u64,
    text: String,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Reads `500M`, `2G` and the like, with or without `iB` or `B` behind.
///
/// # Errors
/// When it is none of these, zero, or more than there can be.
pub fn parse_size(text: &str) -> Result<Size, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("write a whole number and a unit: 500M, 2G or 1T".into()),
    };
    let number: u64 = number.parse().map_err(|_| "write a whole number before the unit, as in 2G".to_owned())?;
    match number.checked_mul(1 << shift) {
        None => Err("that is more than there can be".into()),
        Some(0) => Err("it must be more than zero".into()),
        Some(bytes) => Ok(Size { bytes, text: text.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_are_understood() {
        for (text, bytes) in [("1K", 1 << 10), ("500M", 500 << 20), ("2GiB", 2 << 30), ("3TB", 3 << 40)] {
            let size = parse_size(text).expect("a size");
            assert_eq!((size.bytes, size.to_string()), (bytes, text.to_owned()));
        }
        for text in ["", "5", "G", "0G", "-1G", "1.5G", "1X", "99999999999T", "1 G"] {
            assert!(parse_size(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text: String) {
            let _ = parse_size(&text);
        }
    }
}
