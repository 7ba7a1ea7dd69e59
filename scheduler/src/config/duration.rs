//! Durations on the command line: a whole number and a unit.

use std::time::Duration;

/// Reads `500ms`, `30s`, `5m` or `1h`.
///
/// # Errors
/// When it is none of these, or zero.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("write a whole number and a unit: 500ms, 30s, 5m or 1h".into()),
    };
    let number: u64 = number.parse().map_err(|_| "write a whole number before the unit, as in 30s".to_owned())?;
    match number.checked_mul(milliseconds) {
        None => Err("that is too long".into()),
        Some(0) => Err("it must be more than zero".into()),
        Some(total) => Ok(Duration::from_millis(total)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_are_understood() {
        let milliseconds = |text| parse_duration(text).map(|duration| duration.as_millis());
        assert_eq!(milliseconds("500ms"), Ok(500));
        assert_eq!(milliseconds("30s"), Ok(30_000));
        assert_eq!(milliseconds("5m"), Ok(300_000));
        assert_eq!(milliseconds("1h"), Ok(3_600_000));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "30", "s", "1.5s", "-1s", "30 s", "30S", "5min", "0s", "99999999999999999999s", "9999999999999999h"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text: String) {
            let _ = parse_duration(&text);
        }
    }
}
