//! What tests look at in the JSON that rscale writes.

use serde_json::Value;
use std::collections::BTreeSet;

/// A parsed `--json` output.
#[derive(Clone, Debug)]
pub struct Summary(pub Value);

impl Summary {
    /// Reads JSON.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn parse(text: &[u8]) -> Result<Summary, String> {
        let parsed = serde_json::from_slice(text);
        parsed.map(Summary).map_err(|cause| format!("no JSON ({cause}): {}", String::from_utf8_lossy(text)))
    }

    /// A field that is a text; empty if it is not there.
    #[must_use]
    pub fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or_default()
    }

    /// A field that is a number.
    #[must_use]
    pub fn number(&self, field: &str) -> Option<u64> {
        self.0[field].as_u64()
    }

    /// The findings.
    #[must_use]
    pub fn findings(&self) -> &[Value] {
        self.0["findings"].as_array().map_or(&[], Vec::as_slice)
    }

    /// A text of the first finding; empty if there is none.
    #[must_use]
    pub fn of_first_finding(&self, field: &str) -> &str {
        self.findings().first().and_then(|finding| finding[field].as_str()).unwrap_or_default()
    }

    /// Whether one of the findings is of this kind.
    #[must_use]
    pub fn has_finding(&self, kind: &str) -> bool {
        self.findings().iter().any(|finding| finding["kind"] == kind)
    }

    /// The distinct ends of the executions: exit status and standard output. What only runs ended with that were cut is
    /// none of them.
    #[must_use]
    pub fn outcomes(&self) -> BTreeSet<(i64, String)> {
        let rows = self.0["outcomes"].as_array().map_or(&[][..], Vec::as_slice);
        let end = |row: &Value| (row["exit"].as_i64().unwrap_or(-1), row["stdout"].as_str().unwrap_or("").to_owned());
        rows.iter().filter(|row| row["executions"] != 0).map(end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_runs_ended_with_that_were_cut_is_no_outcome() {
        let text = br#"{"outcomes":[{"exit":0,"stdout":"a","executions":2},{"exit":1,"stdout":"b","executions":0}]}"#;
        let summary = Summary::parse(text).expect("JSON");
        assert_eq!(summary.outcomes(), BTreeSet::from([(0, "a".to_owned())]));
    }
}
