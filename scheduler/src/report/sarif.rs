//! `--sarif`: the findings in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS).
//!
//! A finding is a result; its schedule is a code flow with one thread flow per thread, whose locations carry the
//! order of the whole execution.

use super::places::{self, Place};
use crate::finding::{Finding, StepView, ThreadView};
use crate::property;
use crate::report::table;
use crate::summary::{Summary, Verdict};
use rscale_protocol::{Op, ThreadId};
use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The whole document.
#[must_use]
pub fn document(summary: &Summary) -> Value {
    let is_done = !matches!(summary.verdict, Verdict::Error | Verdict::Nondeterministic);
    let level = if is_done { "note" } else { "error" };
    let mut notifications: Vec<Value> =
        summary.notes.iter().map(|note| json!({ "level": level, "message": { "text": note } })).collect();
    if summary.verdict == Verdict::Incomplete {
        notifications.push(json!({ "level": "warning", "message": { "text": summary.guarantee } }));
    }
    let invocation = json!({
        "executionSuccessful": is_done,
        "exitCode": summary.exit_code() as u8,
        "toolExecutionNotifications": notifications,
    });
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver(&summary.rscale) },
            "invocations": [invocation],
            "results": summary.findings.iter().map(|finding| result(finding, &summary.program)).collect::<Vec<_>>(),
            "columnKind": "utf16CodeUnits",
        }],
    })
}

/// The tool and its rules: the properties that it checks.
fn driver(version: &str) -> Value {
    let rules: Vec<Value> = property::registry()
        .iter()
        .map(|property| json!({ "id": property.name, "shortDescription": { "text": property.summary } }))
        .collect();
    json!({ "name": "rscale", "version": version, "semanticVersion": version, "rules": rules })
}

fn result(finding: &Finding, program: &str) -> Value {
    let mut text = vec![finding.headline()];
    text.extend(finding.explanation.iter().cloned());
    text.extend(finding.orderings.iter().map(|ordering| format!("decisive: {}", ordering.text)));
    let places: Vec<Value> =
        places::of_finding(finding).iter().map(|place| json!({ "physicalLocation": physical(place) })).collect();
    let fingerprint = blake3::hash(format!("{}\n{:?}", finding.headline(), finding.location).as_bytes()).to_hex();
    let mut result = json!({
        "ruleId": finding.kind.as_str(),
        "level": "error",
        "message": { "text": text.join("\n") },
        "locations": places,
        "stacks": finding.threads.iter().filter_map(|thread| stack(thread, &finding.threads)).collect::<Vec<_>>(),
        "partialFingerprints": { "rscaleFinding/v1": fingerprint.as_str() },
        "properties": {
            "program": program,
            "trace": finding.trace.as_ref().map(|path| path.to_string_lossy()),
            "preemptions": finding.preemptions,
            "steps": finding.schedule.len(),
        },
    });
    if let Some(index) = property::registry().iter().position(|property| property.name == finding.kind.as_str()) {
        result["ruleIndex"] = index.into();
    }
    if !finding.steps.is_empty() {
        result["codeFlows"] = json!([code_flow(finding)]);
    }
    result
}

fn physical(place: &Place) -> Value {
    json!({ "artifactLocation": { "uri": place.uri() }, "region": { "startLine": place.line } })
}

fn stack(thread: &ThreadView, threads: &[ThreadView]) -> Option<Value> {
    let frame = |frame: &String| {
        let mut location = json!({ "message": { "text": frame } });
        if let Some(place) = Place::of_frame(frame) {
            location["physicalLocation"] = physical(&place);
        }
        json!({ "location": location })
    };
    let text = format!("{}: {}", table::label(thread.id, threads), thread.state);
    let frames: Vec<Value> = thread.stack.iter().map(frame).collect();
    (!frames.is_empty()).then(|| json!({ "message": { "text": text }, "frames": frames }))
}

/// The schedule, by threads.
fn code_flow(finding: &Finding) -> Value {
    let mut threads: Vec<ThreadId> = finding.steps.iter().map(|step| step.token.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let flow = |&thread: &ThreadId| {
        let own = finding.steps.iter().enumerate().filter(|(_, step)| step.token.thread == thread);
        let locations: Vec<Value> = own.map(|(index, step)| flow_location(index, step, finding)).collect();
        let name = format!("thread {}", table::label(thread, &finding.threads));
        json!({ "id": thread.to_string(), "message": { "text": name }, "locations": locations })
    };
    json!({ "threadFlows": threads.iter().map(flow).collect::<Vec<_>>() })
}

fn flow_location(index: usize, step: &StepView, finding: &Finding) -> Value {
    let mut location = json!({ "message": { "text": step.summary() } });
    if let Some(place) = Place::parse(&step.location) {
        location["physicalLocation"] = physical(&place);
    }
    let is_decisive = finding.orderings.iter().any(|order| order.first == index || order.second == Some(index));
    let importance = if is_decisive { "essential" } else { "important" };
    json!({ "location": location, "executionOrder": index + 1, "importance": importance, "kinds": kinds(step) })
}

/// What kind of step it is, in the words of the standard.
fn kinds(step: &StepView) -> Vec<&'static str> {
    let is = |op: Op| step.operation == op.name();
    match () {
        () if is(Op::MutexLock) || is(Op::SpinLock) || is(Op::RwRead) || is(Op::RwWrite) => vec!["acquire", "lock"],
        () if is(Op::MutexUnlock) || is(Op::MutexAbandon) || is(Op::SpinUnlock) || is(Op::RwUnlock) => {
            vec!["release", "lock"]
        }
        () if is(Op::Read) || is(Op::Write) || is(Op::AtomicUpdate) => vec!["memory"],
        () => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::finding::{Ordering, samples};

    fn found() -> Value {
        let mut finding = samples::deadlock();
        finding.orderings =
            vec![Ordering { text: "left before right".into(), first: 2, second: None, second_thread: ThreadId(2) }];
        document(&Summary { verdict: Verdict::Bug, findings: vec![finding], ..Summary::new(&RunConfig::sample()) })
    }

    #[test]
    fn a_finding_is_a_result_with_a_flow_per_thread() {
        let document = found();
        let result = &document["runs"][0]["results"][0];
        assert_eq!((&result["ruleId"], &result["level"]), (&json!("deadlock"), &json!("error")));
        let rule = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(document["runs"][0]["tool"]["driver"]["rules"][rule]["id"], "deadlock");
        let place = json!({ "artifactLocation": { "uri": "ab.c" }, "region": { "startLine": 8 } });
        assert_eq!(result["locations"], json!([{ "physicalLocation": place }]));
        let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("a list");
        let orders: Vec<Vec<u64>> = flows
            .iter()
            .map(|flow| {
                flow["locations"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .filter_map(|l| l["executionOrder"].as_u64())
                    .collect()
            })
            .collect();
        assert_eq!(orders, [vec![1, 2], vec![3], vec![4]]);
        assert_eq!(flows[1]["locations"][0]["importance"], "essential");
        assert_eq!(flows[1]["locations"][0]["kinds"], json!(["acquire", "lock"]));
        assert!(result["message"]["text"].as_str().is_some_and(|text| text.ends_with("decisive: left before right")));
        assert_eq!(result["stacks"].as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn a_run_without_findings_has_no_results() {
        let summary = Summary { guarantee: "incomplete: x".into(), ..Summary::new(&RunConfig::sample()) };
        let document = document(&summary);
        let run = &document["runs"][0];
        assert_eq!((&run["results"], &run["invocations"][0]["exitCode"]), (&json!([]), &json!(3)));
        let note = &run["invocations"][0]["toolExecutionNotifications"][0];
        assert_eq!(note, &json!({ "level": "warning", "message": { "text": "incomplete: x" } }));
        let failed = Summary::failed(&RunConfig::sample(), &crate::exit::Failure::CannotRun("gone".into()));
        assert_eq!(super::document(&failed)["runs"][0]["invocations"][0]["executionSuccessful"], false);
    }
}
