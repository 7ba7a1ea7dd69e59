//! Watching memory accesses costs nothing where nothing is shared without synchronisation: the search with `--scope
//! all` takes exactly the runs of `--scope sync`.

use rscale_tests::binary::{rscale, workspace};
use rscale_tests::compile::compile;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::path::Path;
use std::process::Command;

/// Programs whose data is protected by mutexes, condition variables, semaphores, barriers, read-write locks and joins.
const ORDERED: [&str; 16] = [
    "examples/bank.c",
    "examples/barrier.c",
    "examples/indexer.c",
    "examples/inspectbug.c",
    "examples/lost_wakeup.c",
    "examples/philosophers.c",
    "examples/prodcons.c",
    "examples/threadpool.c",
    "tests/programs/access/heap_object_ok.c",
    "tests/programs/access/increment_ok.c",
    "tests/programs/access/neighbour_ok.c",
    "tests/programs/access/nothing_shared.c",
    "tests/programs/access/strcpy_ok.c",
    "tests/programs/access/virtual_call_ok.cpp",
    "tests/programs/barrier/rounds_ok.c",
    "tests/programs/condition/if_ok.c",
];

fn explore(program: &Path, scratch: &Scratch, options: &[&str]) -> Summary {
    let mut command = Command::new(rscale());
    command.arg("run").arg(program).args(["--keep-going", "--outcomes", "--quiet", "--json", "-", "--trace"]);
    command.arg(scratch.file("trace.txt")).args(options);
    let finished = process::run(&mut command).expect("rscale ends");
    Summary::parse(&finished.stdout).unwrap_or_else(|problem| panic!("{problem}\n{}", finished.describe()))
}

#[test]
fn ordered_programs_take_the_same_runs_in_both_scopes() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    for source in ORDERED {
        for level in ["-O0", "-O2"] {
            let program = scratch.file("program");
            compile(&workspace().join(source), &program, &[level, "-DNO_ASSERTION"]).expect(source);
            let [sync, all] = ["sync", "all"].map(|scope| explore(&program, &scratch, &["--scope", scope]));
            for field in ["verdict", "complete", "runs", "executions", "blocked", "states", "outcomes"] {
                assert_eq!(sync.0[field], all.0[field], "{source} {level}: {field}");
            }
            assert_eq!(sync.0["complete"], true, "{source} {level}");
        }
    }
}

/// Without `--scope`, memory accesses are scheduling points: a lost update needs that.
#[test]
fn accesses_are_scheduling_points_unless_they_are_not_wanted() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let program = scratch.file("program");
    compile(&workspace().join("tests/programs/access/increment_bug.c"), &program, &["-O2"]).expect("it compiles");
    assert_eq!(explore(&program, &scratch, &[]).text("verdict"), "bug");
    assert_eq!(explore(&program, &scratch, &["--scope", "sync"]).text("verdict"), "clean");
}
