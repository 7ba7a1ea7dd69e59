//! `--junit`: the result in the XML that CI servers show as tests.
//!
//! The program is one test. It passes where the search was complete and found nothing; a search that was cut short is
//! skipped, never passed. Further findings are tests of their own, since readers expect at most one failure in each.

use super::{markup, text};
use crate::finding::Finding;
use crate::report::Look;
use crate::summary::{Summary, Verdict};
use std::fmt::Write as _;

/// The whole document.
#[must_use]
pub fn render(summary: &Summary) -> String {
    let name = std::iter::once(&summary.program).chain(&summary.args).cloned().collect::<Vec<_>>().join(" ");
    let cases = cases(summary, &name);
    let (failures, errors, skipped) = match summary.verdict {
        Verdict::Clean => (0, 0, 0),
        Verdict::Bug => (summary.findings.len(), 0, 0),
        Verdict::Incomplete => (0, 0, 1),
        Verdict::Error | Verdict::Nondeterministic => (0, 1, 0),
    };
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{:.3}\"",
        cases.len(),
        summary.elapsed_s
    );
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<testsuites name=\"rscale\" {counts}>");
    let _ = writeln!(xml, "  <testsuite name=\"{}\" {counts}>", markup::text(&name));
    cases.iter().for_each(|case| xml.push_str(case));
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn cases(summary: &Summary, name: &str) -> Vec<String> {
    let guarantee = format!("guarantee: {}", summary.guarantee);
    let alone = |result: &str| vec![case(name, summary.elapsed_s, result, &guarantee)];
    match summary.verdict {
        Verdict::Clean => alone(""),
        Verdict::Incomplete => alone(&format!("      <skipped message=\"{}\"/>\n", markup::text(&summary.guarantee))),
        Verdict::Error | Verdict::Nondeterministic => {
            let (kind, reason) = (summary.verdict.as_str(), summary.notes.join("; "));
            let reason = markup::text(&reason);
            alone(&format!("      <error type=\"{kind}\" message=\"{reason}\">{reason}</error>\n"))
        }
        Verdict::Bug => summary
            .findings
            .iter()
            .enumerate()
            .map(|(index, finding)| {
                let name = if index == 0 { name.to_owned() } else { format!("{name}: finding {}", index + 1) };
                let time = if index == 0 { summary.elapsed_s } else { 0.0 };
                case(&name, time, &failure(finding), &guarantee)
            })
            .collect(),
    }
}

fn case(name: &str, time: f64, result: &str, output: &str) -> String {
    let (name, output) = (markup::text(name), markup::text(output));
    let output = format!("      <system-out>{output}</system-out>\n");
    format!("    <testcase classname=\"rscale\" name=\"{name}\" time=\"{time:.3}\">\n{result}{output}    </testcase>\n")
}

/// A finding, with the same words as on a terminal.
fn failure(finding: &Finding) -> String {
    let mut page = text::Page::new(Look { color: false, width: Look::WIDTH });
    text::render_finding(&mut page, finding);
    let (kind, message) = (finding.kind.as_str(), markup::text(&finding.message));
    let report = markup::lines(&page.finish());
    format!("      <failure type=\"{kind}\" message=\"{message}\">{report}</failure>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::finding::samples;

    fn summary(verdict: Verdict) -> Summary {
        let guarantee = "every schedule <was> executed".into();
        Summary { verdict, guarantee, elapsed_s: 0.25, ..Summary::new(&RunConfig::sample()) }
    }

    #[test]
    fn a_clean_run_is_a_test_that_passed() {
        let expected = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"rscale\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.250\">
  <testsuite name=\"./a.out 3\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.250\">
    <testcase classname=\"rscale\" name=\"./a.out 3\" time=\"0.250\">
      <system-out>guarantee: every schedule &lt;was&gt; executed</system-out>
    </testcase>
  </testsuite>
</testsuites>
";
        assert_eq!(render(&summary(Verdict::Clean)), expected);
    }

    #[test]
    fn every_finding_is_a_failure() {
        let mut summary = summary(Verdict::Bug);
        let hostile = Finding { message: "]]></failure><x a=\"\u{1b}".into(), ..samples::deadlock() };
        summary.findings = vec![samples::deadlock(), hostile];
        let xml = render(&summary);
        assert!(xml.contains("tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\""), "{xml}");
        assert!(
            xml.contains("<failure type=\"deadlock\" message=\"2 threads wait for each other\">deadlock: "),
            "{xml}"
        );
        assert!(xml.contains("name=\"./a.out 3: finding 2\" time=\"0.000\""), "{xml}");
        assert!(xml.contains("message=\"]]&gt;&lt;/failure&gt;&lt;x a=&quot;\\x1b\""), "{xml}");
        assert_eq!(xml.matches("</failure>").count(), 2);
    }

    #[test]
    fn what_was_cut_short_has_not_passed() {
        assert!(
            render(&summary(Verdict::Incomplete))
                .contains("<skipped message=\"every schedule &lt;was&gt; executed\"/>")
        );
        let mut failed = summary(Verdict::Error);
        failed.notes.push("no such program".into());
        assert!(render(&failed).contains("<error type=\"error\" message=\"no such program\">no such program</error>"));
    }
}
