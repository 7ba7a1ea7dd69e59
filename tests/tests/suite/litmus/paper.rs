//! The examples of Zhang, Kusano and Wang (PLDI 2015): what the paper counts, and what a reduction can make of it.
//!
//! The paper's "possible executions" are interleavings of the four accesses. Those of rscale are found by replaying
//! every order of their steps; those that exist at all are counted by brute force.

use super::{MODELS, counted, outcomes};
use rscale_tests::binary::{rscale, workspace};
use rscale_tests::compile::compile;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// All orders of what is left, behind an order.
fn extend<'a>(order: &[&'a str], left: &[&'a str], all: &mut BTreeSet<Vec<&'a str>>) {
    if left.is_empty() {
        all.insert(order.to_vec());
    }
    for (index, item) in left.iter().enumerate() {
        let rest = [&left[..index], &left[index + 1..]].concat();
        extend(&[order, &[*item]].concat(), &rest, all);
    }
}

/// The orders of accesses in which each of these pairs has its order, and how many there are of them that are not
/// equivalent: those that differ in the order of accesses that depend on each other.
fn orders(accesses: &[&'static str], pairs: &[(&str, &str)], dependent: &[(&str, &str)]) -> (usize, usize) {
    let mut all = BTreeSet::new();
    extend(&[], accesses, &mut all);
    // The second read of figure 2 is there only if the first one has seen the flag.
    let as_executed = |order: Vec<&'static str>| {
        let place = |name| order.iter().position(|access| *access == name);
        let is_early = place("if y") < place("y = 1");
        order.into_iter().filter(|access| !(is_early && *access == "x == 0")).collect::<Vec<_>>()
    };
    let mut all: BTreeSet<_> = all.into_iter().map(as_executed).collect();
    let has = |order: &[&str], (first, second): (&str, &str)| {
        let place = |name| order.iter().position(|access| *access == name);
        place(first).zip(place(second)).is_none_or(|(first, second)| first < second)
    };
    all.retain(|order| pairs.iter().all(|&pair| has(order, pair)));
    let kind = |order: &Vec<&'static str>| {
        let mut names = order.clone();
        names.sort_unstable();
        (names, dependent.iter().map(|&pair| has(order, pair)).collect::<Vec<bool>>())
    };
    (all.len(), all.iter().map(kind).collect::<BTreeSet<_>>().len())
}

/// What the paper counts, and what a reduction can make of it: interleavings and Mazurkiewicz traces.
#[test]
fn the_examples_of_the_paper_have_their_interleavings() {
    let accesses = ["x = 1", "a = y", "y = 1", "b = x"];
    let dependent = [("x = 1", "b = x"), ("y = 1", "a = y")];
    let strong = [("x = 1", "a = y"), ("y = 1", "b = x")];
    assert_eq!(orders(&accesses, &strong, &dependent), (6, 3), "figure 1, SC");
    assert_eq!(orders(&accesses, &[], &dependent), (24, 4), "figure 1, TSO");
    let accesses = ["x = 1", "y = 1", "if y", "x == 0"];
    let dependent = [("y = 1", "if y"), ("x = 1", "x == 0")];
    let reads = ("if y", "x == 0");
    assert_eq!(orders(&accesses, &[("x = 1", "y = 1"), reads], &dependent), (3, 2), "figure 2, SC and TSO");
    assert_eq!(orders(&accesses, &[reads], &dependent), (7, 3), "figure 2, PSO");
}

/// Figures 1 and 2 of Zhang, Kusano and Wang (PLDI 2015).
#[test]
fn the_examples_of_the_paper_have_their_numbers_of_executions() {
    let executions = |name: &str| {
        let example = Example::new(name);
        MODELS.map(|model| counted(&example.program, &example.trace, &["--memory", model]).1)
    };
    assert_eq!(executions("paper-figure-1"), [3, 4, 4]);
    assert_eq!(executions("paper-figure-2"), [2, 2, 3]);
}

/// An example of the paper, compiled.
struct Example {
    scratch: Scratch,
    program: PathBuf,
    trace: PathBuf,
}

impl Example {
    fn new(name: &str) -> Example {
        let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
        let (program, trace) = (scratch.file("program"), scratch.file("trace.txt"));
        let source = workspace().join(format!("examples/litmus/{name}.c"));
        compile(&source, &program, &["-O1"]).expect("a litmus test compiles");
        Example { scratch, program, trace }
    }

    /// The orders in which the accesses take place, if these steps of both threads are tried in every order.
    fn interleavings(&self, model: &str, steps: [&str; 4]) -> BTreeSet<Vec<String>> {
        // Any finding does for a trace; races are one here, and make both variables shared.
        outcomes(&self.program, &self.trace, &["--memory", model, "--races"]);
        let found = fs::read_to_string(&self.trace).expect("a trace");
        let is_kept =
            |line: &&str| line.starts_with("# ") && !line.starts_with("# finding") && !line.starts_with("# steps");
        let head: Vec<&str> = found.lines().filter(is_kept).collect();
        let head = head.join("\n").replace("races true", "races false");
        let mut orders = BTreeSet::new();
        extend(&[], &steps, &mut orders);
        orders.iter().map(|order| self.accesses(&head, order)).collect()
    }

    /// The accesses in a replay of these steps, behind those that start the threads.
    fn accesses(&self, head: &str, steps: &[&str]) -> Vec<String> {
        let trace = self.scratch.file("order.txt");
        let steps = [&["0", "0", "1", "2"], steps].concat();
        fs::write(&trace, format!("{head}\n# steps: {}\n{}\n", steps.len(), steps.join(" "))).expect("a trace");
        let replay = process::run(Command::new(rscale()).arg("replay").arg(&trace)).expect("rscale ends");
        assert!(replay.out().contains("the schedule ends without a finding, after 8 steps"), "{}", replay.describe());
        let is_access = |line: &&str| [" read ", " write ", " store becomes"].iter().any(|kind| line.contains(kind));
        let words = |line: &str| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
        replay.out().lines().filter(is_access).map(words).collect()
    }
}

/// The paper's three possible executions of figure 2 under SC and TSO, its seven under PSO, and its six and twenty-four
/// of figure 1.
#[test]
fn the_examples_of_the_paper_can_be_executed_as_it_says() {
    let example = Example::new("paper-figure-1");
    let count = |model, steps| example.interleavings(model, steps).len();
    assert_eq!(count("sc", ["1", "1", "2", "2"]), 6, "figure 1, SC");
    assert_eq!(count("tso", ["1!", "1", "2!", "2"]), 24, "figure 1, TSO");
    assert_eq!(count("pso", ["1!x", "1", "2!y", "2"]), 24, "figure 1, PSO");
    let example = Example::new("paper-figure-2");
    for (model, steps, executions, errors) in [
        ("sc", ["1", "1", "2", "2"], 3, 0),
        ("tso", ["1!", "1!", "2", "2"], 3, 0),
        ("pso", ["1!x", "1!y", "2", "2"], 7, 1),
    ] {
        let found = example.interleavings(model, steps);
        let fails = |order: &&Vec<String>| order.iter().any(|access| access.ends_with("read x 0"));
        assert_eq!((found.len(), found.iter().filter(fails).count()), (executions, errors), "{model}: {found:#?}");
    }
}
