//! `rscale report --html`: the page of a trace.

use crate::cli::memory::STORE_BUFFERING;
use crate::cli::subjects::{DEADLOCK, Place, expect_status};
use std::fs;

fn page(place: &Place, trace: &str, status: i32) -> String {
    let finished = place.rscale(&["report", trace, "--program", "./program", "--html", "out.html"]);
    expect_status(&finished, status);
    assert_eq!(finished.out(), "wrote out.html\n");
    fs::read_to_string(place.scratch.file("out.html")).expect("written")
}

#[test]
fn a_trace_becomes_a_page() {
    let place = Place::with("program", DEADLOCK);
    expect_status(&place.rscale(&["run", "./program", "--quiet"]), 1);
    let page = page(&place, "trace.txt", 1);
    for part in [
        "<title>deadlock: no thread can go on - rscale</title>",
        "<span>1 forth</span>",
        "<tr id=\"s6\"",
        "<b>lock a</b>",
        "wait-for cycle: thread 1 -&gt; thread 2 -&gt; thread 1",
        "<div class=\"orderings\">",
        "class=\"wake\"",
        "class=\"decisive\"",
        "a held</title></rect>",
        "static void *forth(void *unused) { both(&amp;a, &amp;b); return unused; }",
    ] {
        assert!(page.contains(part), "{part:?} is missing: {page}");
    }
    assert_eq!(page.matches("<tr id=\"s").count(), 6);
    for tag in ["div", "tr", "table", "svg", "pre", "section", "aside", "header", "main", "ol", "details"] {
        let (open, closed) = (page.matches(&format!("<{tag}")).count(), page.matches(&format!("</{tag}>")).count());
        // `<section` and the like begin no other name; `<pre` and `<tr` do not either.
        assert_eq!(open, closed, "<{tag}>");
    }
}

/// Stores are drawn from where they are made to where they become visible, or to the end.
#[test]
fn store_buffers_are_shown() {
    let place = Place::with("program", STORE_BUFFERING);
    expect_status(&place.rscale(&["run", "./program", "--memory", "tso", "--quiet"]), 1);
    let whole = page(&place, "trace.txt", 1);
    for part in [
        "<title>store to x: not visible yet</title></rect>",
        "<title>store to y: not visible yet</title></rect>",
        "<b>visible: x</b>: 0 -&gt; 1<small>:",
        "<span class=\"l-buffer\">store that is not visible yet</span>",
    ] {
        assert!(whole.contains(part), "{part:?} is missing: {whole}");
    }
    assert_eq!(whole.matches("<rect class=\"buffer\"").count(), 2);
    // Thread 1 has stored, and nobody has seen it.
    let trace = fs::read_to_string(place.scratch.file("trace.txt")).expect("written");
    let (header, steps) = trace.rsplit_once("# steps: ").expect("a schedule");
    let tokens: Vec<&str> = steps.split_whitespace().skip(1).take_while(|token| !token.ends_with('!')).collect();
    place.scratch.write("short.txt", format!("{header}# steps: {}\n{}\n", tokens.len(), tokens.join(" ")));
    let short = page(&place, "short.txt", 0);
    assert!(short.contains("<title>store to ") && short.contains(": not visible yet</title></rect>"), "{short}");
}

#[test]
fn a_schedule_without_a_finding_has_a_page_too() {
    let place = Place::with("program", DEADLOCK);
    place.scratch.write("short.txt", "0 0 1 1");
    assert!(page(&place, "short.txt", 0).contains("The schedule ends without a finding"));
}

/// Names, arguments and output of a program that wants to be more than text.
#[test]
fn hostile_programs_stay_text() {
    let hostile = "<script>alert(1)</script>";
    let source = DEADLOCK
        .replace("pthread_create(&one", "puts(\"<img src=x onerror=alert(1)>\"); fflush(stdout); pthread_create(&one");
    let source =
        source.replace("{ both(&a, &b);", "{ pthread_setname_np(pthread_self(), \"<b>&'\\\"\"); both(&a, &b);");
    let place = Place::with("program", &format!("#define _GNU_SOURCE\n{source}"));
    expect_status(&place.rscale(&["run", "./program", "--quiet", "--", hostile]), 1);
    let page = page(&place, "trace.txt", 1);
    assert_eq!(page.matches("<script>").count(), 1, "the page's own");
    assert!(
        page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("1 &lt;b&gt;&amp;&#39;&quot;"),
        "{page}"
    );
    assert!(!page.contains("<img"), "{page}");
}

#[test]
fn what_can_not_be_drawn_is_refused() {
    let place = Place::with("program", DEADLOCK);
    place.scratch.write("wrong.txt", "0 0 7");
    let words = "wrong.txt: line 1, column 5: thread 7 does not exist here";
    place.refuses(&["report", "wrong.txt", "--program", "./program", "--html", "out.html"], words);
    place.refuses(&["report", "wrong.txt"], "--html");
    place.refuses(&["report", "wrong.txt", "--html", "no/such/x.html"], "there is no directory no/such");
    assert!(!place.scratch.names().contains(&"out.html".to_owned()));
}
