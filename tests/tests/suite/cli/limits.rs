//! Memory comes to an end: of the heap, of what `--max-memory` allows.

use crate::cli::subjects::{ENDLESS, Place, expect_status, summary};

/// A thread that allocates for as long as it gets something.
const GREEDY: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *eat(void *unused)
{
    for (char *block; (block = malloc(1 << 20)) != NULL;)
        memset(block, 1, 1 << 20);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, eat, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"#;

#[test]
fn a_program_that_eats_all_memory_is_stopped() {
    let place = Place::with("program", GREEDY);
    let finished = place.rscale(&["run", "./program", "--max-memory", "300M"]);
    expect_status(&finished, 3);
    assert!(finished.err().contains("the memory limit was reached"), "{}", finished.describe());
}

/// Takes all there is, and does not expect that it ends.
const CARELESS: &str = r#"
#include <pthread.h>
#include <stdlib.h>
static void *volatile last;
static void *take(void *unused)
{
    for (;;) {
        char *block = malloc(64 << 20);
        last = block;
        block[0] = 1;
    }
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, take, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"#;

#[test]
fn where_malloc_fails_the_report_says_why() {
    let place = Place::with("program", CARELESS);
    let finished = place.rscale(&["run", "./program", "--json", "result.json"]);
    expect_status(&finished, 1);
    let summary = summary(&place);
    assert!(summary.has_finding("crash"), "{}", finished.describe());
    assert!(finished.out().contains("more memory than there is for it"), "{}", finished.describe());
}

#[test]
fn a_search_that_needs_more_than_allowed_is_incomplete() {
    let place = Place::with("program", ENDLESS);
    for jobs in ["1", "2"] {
        // Less than rscale needs to begin with.
        let line = ["run", "./program", "--max-memory", "2M", "--jobs", jobs, "--alone", "0", "--json", "result.json"];
        let finished = place.rscale(&line);
        expect_status(&finished, 3);
        let summary = summary(&place);
        assert_eq!(summary.text("verdict"), "incomplete", "{}", finished.describe());
        assert!(summary.text("guarantee").contains("stopped at the memory limit of 2M"), "{}", finished.describe());
    }
}

#[test]
fn sizes_are_checked() {
    let place = Place::with("program", ENDLESS);
    for wrong in ["5", "0G", "lots"] {
        expect_status(&place.rscale(&["run", "./program", "--max-memory", wrong]), 2);
    }
}
