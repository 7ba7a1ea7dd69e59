//! Prints what a model of many workers predicts (`scripts/scale`, docs/scale.md).

use rscale::parallel::model::{Outcome, Setting, Shape, simulate};

/// Workers.
const WORKERS: [usize; 13] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
/// A doubling of workers that gives less than this is the end of scaling.
const WORTH_IT: f64 = 1.3;

fn main() {
    // Times of a run as measured on one worker, in nanoseconds.
    let trees = [
        ("readers 20 (binary, 2^20 runs of 45 us)", Shape::Binary(20), 45_000),
        ("indexer (8 ways, 6 deep, 262144 runs of 130 us)", Shape::Wide(8, 6), 130_000),
        ("thread pool (irregular, 500000 runs of 60 us)", Shape::Irregular(500_000, 1), 60_000),
    ];
    // A lock in one process; a switch between machines; machines far apart.
    let links = [("lock", 200, 1_000), ("50 us", 50_000, 5_000), ("1 ms", 1_000_000, 5_000)];
    for (name, shape, run) in trees {
        for (link_name, link, service) in links {
            for batch in [1, 4, 16] {
                println!(
                    "\n{name}; link {link_name}, controller {} us a message, batch {batch}",
                    service as f64 / 1000.0
                );
                table(Setting { workers: 1, shape, run, link, service, batch });
            }
        }
    }
}

fn table(setting: Setting) {
    println!(
        "{:>8} {:>9} {:>11} {:>11} {:>10} {:>14}",
        "workers", "speed-up", "efficiency", "controller", "messages", "bytes/message"
    );
    let (mut last, mut end) = (0.0, None);
    for workers in WORKERS {
        let Outcome { speed_up, load, messages, bytes, .. } = simulate(Setting { workers, ..setting });
        let efficiency = 100.0 * speed_up / workers as f64;
        let size = bytes as f64 / messages.max(1) as f64;
        println!(
            "{workers:>8} {speed_up:>9.1} {efficiency:>10.0}% {:>10.1}% {messages:>10} {size:>14.0}",
            100.0 * load
        );
        if workers > 1 && speed_up < WORTH_IT * last && end.is_none() {
            end = Some(workers / 2);
        }
        last = speed_up;
    }
    match end {
        Some(workers) => println!("saturates at {workers} workers"),
        None => println!("does not saturate"),
    }
}
