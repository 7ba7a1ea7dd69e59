//! Why a C++ program aborted: what its runtime wrote to standard error before it did.

/// The reason, if `std::terminate` gave one. The last one counts: the program may print what it likes before.
pub fn reason(standard_error: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(standard_error);
    let (_, said) = text.rsplit_once("terminate called ")?;
    let mut lines = said.lines();
    let first = lines.next()?;
    if first == "without an active exception" {
        return Some("std::terminate was called without an exception".into());
    }
    let kind = first.strip_prefix("after throwing an instance of '")?.strip_suffix('\'')?;
    let what = lines.next().and_then(|line| line.trim_start().strip_prefix("what():"));
    let what = what.map_or_else(String::new, |what| format!(": {}", what.trim_start()));
    Some(format!("uncaught exception {kind}{what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_was_thrown() {
        let said = |text: &str| reason(text.as_bytes());
        let thrown = "noise\nterminate called after throwing an instance of 'std::runtime_error'\n  what():  boom\n";
        assert_eq!(said(thrown).as_deref(), Some("uncaught exception std::runtime_error: boom"));
        let number = "terminate called after throwing an instance of 'int'\n";
        assert_eq!(said(number).as_deref(), Some("uncaught exception int"));
        let none = "terminate called without an active exception\n";
        assert_eq!(said(none).as_deref(), Some("std::terminate was called without an exception"));
        assert_eq!(said("terminate called by hand"), None);
        assert_eq!(said(""), None);
    }
}
