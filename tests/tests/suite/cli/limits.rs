//! `--max-memory`: a search that needs more stops, and says so.

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
