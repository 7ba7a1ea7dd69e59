//! `--annotations github`: the findings as commands of a GitHub workflow, which shows them beside the changed lines.

use super::places;
use crate::summary::{Summary, Verdict};

/// A line for each finding, or one that says why there is no result.
#[must_use]
pub fn github(summary: &Summary) -> String {
    let mut lines: Vec<String> = summary
        .findings
        .iter()
        .map(|finding| {
            let place = places::of_finding(finding).into_iter().next();
            let place =
                place.map_or_else(String::new, |place| format!("file={},line={},", property(&place.file), place.line));
            let title = property(&format!("rscale: {}", finding.kind.as_str()));
            let mut text = vec![finding.headline()];
            text.extend(finding.explanation.iter().cloned());
            text.extend(finding.orderings.iter().map(|ordering| ordering.text.clone()));
            format!("::error {place}title={title}::{}\n", data(&text.join("\n")))
        })
        .collect();
    let program = &summary.program;
    match summary.verdict {
        Verdict::Clean | Verdict::Bug => {}
        Verdict::Incomplete => {
            lines.push(format!("::warning title=rscale::{}\n", data(&format!("{program}: {}", summary.guarantee))));
        }
        Verdict::Error | Verdict::Nondeterministic => {
            lines
                .push(format!("::error title=rscale::{}\n", data(&format!("{program}: {}", summary.notes.join("; ")))));
        }
    }
    lines.concat()
}

/// The text of a command: on one line, whatever it holds.
fn data(text: &str) -> String {
    let safe = super::escape::lines(text);
    safe.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::finding::{Finding, samples};

    #[test]
    fn findings_are_errors_at_their_lines() {
        let mut summary = Summary { verdict: Verdict::Bug, ..Summary::new(&RunConfig::sample()) };
        let hostile = Finding {
            message: "100%\n::stop-commands::x".into(),
            location: Some("a,b:c.c:3".into()),
            explanation: Vec::new(),
            ..samples::deadlock()
        };
        summary.findings = vec![samples::deadlock(), hostile];
        let expected = "::error file=ab.c,line=8,title=rscale%3A deadlock::deadlock: 2 threads wait for each other%0A\
                        thread 1 holds a and waits for b%0Athread 2 holds b and waits for a\n\
                        ::error file=a%2Cb%3Ac.c,line=3,title=rscale%3A deadlock::deadlock: 100%25%0A::stop-commands::x\n";
        assert_eq!(github(&summary), expected);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let summary =
            |verdict| Summary { verdict, guarantee: "incomplete: x".into(), ..Summary::new(&RunConfig::sample()) };
        assert_eq!(github(&summary(Verdict::Clean)), "");
        assert_eq!(github(&summary(Verdict::Incomplete)), "::warning title=rscale::./a.out: incomplete: x\n");
        assert!(github(&summary(Verdict::Error)).starts_with("::error title=rscale::./a.out"));
    }
}
