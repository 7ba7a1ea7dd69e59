//! `rewrite`: a rewritten program does what it did before, and its hooks see every access.

use std::path::Path;
use std::process::Command;

use crate::rewriting_support::{Rewritten, workshop, workshop_with};
use crate::stepping::stepped;
use crate::support::{Workshop, compilers};

const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];

/// Runs a program both ways. Returns how often a breakpoint had to help.
fn compare(workshop: &Workshop, program: &Path, arguments: &[&str], context: &str) -> u64 {
    let rewritten = Rewritten::new(workshop, program);
    assert_eq!(rewritten.plan.omitted, [], "{context}");
    assert_eq!(rewritten.plan.unhooked, [], "{context}");
    let (ending, counts) = rewritten.rewritten(arguments);
    assert_eq!(ending, rewritten.native(arguments), "{context}");
    assert!(counts.hooks > 100, "{context}: {counts:?}");
    counts.traps
}

/// What the start of a function and the addresses in it look like.
const PLAIN: [&str; 3] = ["-pie", "-fPIE", "-fcf-protection=none"];
const MARKED: [&str; 3] = ["-pie", "-fPIE", "-fcf-protection=full"];
const FIXED_PLAIN: [&str; 3] = ["-no-pie", "-fno-pie", "-fcf-protection=none"];
const FIXED_MARKED: [&str; 3] = ["-no-pie", "-fno-pie", "-fcf-protection=full"];

/// Every level, with symbols and without.
fn compare_builds(source: &str, builds: &[[&str; 3]], arguments: &[&str]) {
    for family in compilers() {
        let workshop = workshop_with(family);
        for (level, build) in LEVELS.iter().flat_map(|level| builds.iter().map(move |build| (level, build))) {
            let context = format!("{family:?} {source} {level} {build:?}");
            let program = workshop.compile(source, "named", &[&build[..], &[level]].concat());
            assert_eq!(compare(&workshop, &program, arguments, &context), 0, "{context}: traps");
            workshop.run(Command::new("strip").args(["-o", "stripped", "named"]));
            compare(&workshop, &workshop.path("stripped"), arguments, &context);
        }
    }
}

#[test]
fn programs_in_c_do_what_they_did() {
    compare_builds("forms.c", &[PLAIN, MARKED, FIXED_PLAIN, FIXED_MARKED], &["5"]);
}

#[test]
fn exceptions_find_their_way() {
    compare_builds("forms.cc", &[PLAIN, FIXED_MARKED], &[]);
}

#[test]
fn threads_run_in_clones() {
    compare_builds("crowd.c", &[MARKED, FIXED_PLAIN], &[]);
}

#[test]
fn hooks_see_every_access_that_stepping_sees() {
    for family in compilers() {
        let workshop = workshop_with(family);
        for (level, build) in LEVELS.iter().flat_map(|level| [PLAIN, FIXED_MARKED].map(|build| (level, build))) {
            let program = workshop.compile("forms.c", "a.out", &[&build[..], &[level]].concat());
            let rewritten = Rewritten::new(&workshop, &program);
            let (_, counts) = rewritten.rewritten(&["1"]);
            let seen = stepped(&rewritten, &["1"]);
            assert!(seen.hooks > 100);
            let context = format!("{family:?} {level} {build:?}");
            assert_eq!((counts.hooks, counts.addresses), (seen.hooks, seen.addresses), "{context}");
        }
    }
}

#[test]
fn what_is_excluded_runs_as_it_is() {
    use rscale_instrument::code::survey::Survey;
    use rscale_instrument::rewrite::{Omission, Plan};
    let workshop = workshop();
    let program = workshop.compile("forms.c", "a.out", &["-O1"]);
    let survey = Survey::of(&program).expect("has code");
    let placement = crate::rewriting_support::placement(&program, &survey);
    let is_excluded = |function: &rscale_instrument::code::functions::Function| function.label() != "chosen";
    let plan = Plan::build(&program, &survey, placement, &is_excluded).expect("can be rewritten");
    assert!(plan.omitted.iter().all(|omitted| omitted.omission == Omission::Excluded));
    assert_eq!(plan.omitted.len() + 1, survey.functions.len());
    let (first, address) = plan.clones[0];
    assert_eq!(plan.original_of(placement.base + u64::from(first)), Some(u64::from(address) + placement.bias));
    assert_eq!(plan.original_of(placement.base + u64::from(first) + 1), Some(u64::from(address) + placement.bias));
    assert_eq!(plan.original_of(placement.base), None);
    assert_eq!(plan.original_of(placement.base + plan.region.len() as u64), None);
}

#[test]
fn programs_of_the_distribution_do_what_they_did() {
    let script = "f() { local x=$1; [ $x -gt 0 ] && { echo $x; f $((x-1)); }; }; f 5; trap 'echo t' USR1; kill -USR1 $$; \
                  (exit 4); echo $? ${BASH##*/} $(echo sub); case abc in a*c) echo match;; esac; exit 3";
    let lines = "my %h; $h{$_ % 17} .= chr(65 + $_ % 26) for 1..2000; print \"$_ $h{$_}\\n\" for sort keys %h; \
                 eval { die \"x\\n\" }; print \"caught $@\"; printf \"%.3f\\n\", sqrt $_ for 1..20; exit 7";
    let candidates = [("/bin/bash", ["-c", script]), ("/usr/bin/perl", ["-e", lines])];
    let present: Vec<_> = candidates.into_iter().filter(|(path, _)| Path::new(path).exists()).collect();
    assert!(!present.is_empty(), "neither shell nor perl");
    for (path, arguments) in present {
        compare(&workshop(), Path::new(path), &arguments, path);
    }
}
