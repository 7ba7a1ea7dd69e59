//! How the search is doing: one line on the terminal, or a line in a log now and then.
//!
//! An execution takes microseconds and reading the clock takes a good part of one, so the clock is read once in a
//! while only; how often follows from how fast the executions come.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The line is written at most this often.
const PERIOD: Duration = Duration::from_millis(100);
/// The clock is read about this often.
const GLANCE: Duration = Duration::from_millis(20);
const MOST_CALLS: u32 = 1 << 14;

/// What the line shows.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counters {
    /// Executions so far.
    pub executions: u64,
    /// Steps of the last execution.
    pub depth: u64,
    /// Findings so far.
    pub findings: u64,
    /// The part of the search that is done, as far as can be told.
    pub explored: Option<f64>,
}

/// The progress line; it disappears with this value.
pub struct Progress {
    terminal: Option<Box<dyn Write>>,
    /// How often to write a line to the log, and when that was done last.
    log: Option<(Duration, Instant)>,
    start: Instant,
    last_glance: Instant,
    last_line: Instant,
    executions_then: u64,
    calls_between: u32,
    calls_left: u32,
    is_visible: bool,
}

impl Progress {
    /// Shows progress on standard error if that is a terminal and `wanted`.
    #[must_use]
    pub fn new(wanted: bool) -> Progress {
        let is_shown = wanted && io::stderr().is_terminal();
        Progress::on(is_shown.then(|| Box::new(io::stderr()) as Box<dyn Write>))
    }

    fn on(terminal: Option<Box<dyn Write>>) -> Progress {
        let now = Instant::now();
        Progress {
            terminal,
            log: None,
            start: now,
            last_glance: now,
            last_line: now,
            executions_then: 0,
            calls_between: 1,
            calls_left: 1,
            is_visible: false,
        }
    }

    /// Writes lines to standard error, too, so often, whether it is a terminal or not.
    #[must_use]
    pub fn logging(mut self, interval: Option<Duration>) -> Progress {
        self.log = interval.map(|interval| (interval, self.start));
        self
    }

    /// Called after every execution; nearly always returns at once.
    pub fn tick(&mut self, counters: impl FnOnce() -> Counters) {
        self.calls_left -= 1;
        if self.calls_left == 0 {
            if self.terminal.is_some() || self.log.is_some() {
                self.glance(&counters(), Instant::now());
            } else {
                self.calls_between = MOST_CALLS;
            }
            self.calls_left = self.calls_between;
        }
    }

    /// Called some ten times a second, by whoever does not run executions.
    pub fn look(&mut self, counters: impl FnOnce() -> Counters) {
        if self.terminal.is_some() || self.log.is_some() {
            self.glance(&counters(), Instant::now());
        }
    }

    fn glance(&mut self, counters: &Counters, now: Instant) {
        let since = now - self.last_glance;
        self.last_glance = now;
        self.calls_between = match since {
            _ if since < GLANCE / 2 => (self.calls_between * 2).min(MOST_CALLS),
            _ if since > GLANCE * 2 => (self.calls_between / 2).max(1),
            _ => self.calls_between,
        };
        if now - self.last_line >= PERIOD {
            let rate = (counters.executions - self.executions_then.min(counters.executions)) as f64
                / (now - self.last_line).as_secs_f64();
            self.show(&line(counters, rate, now - self.start));
            self.last_line = now;
            self.executions_then = counters.executions;
        }
        self.note(counters, now);
    }

    /// Writes a line to the log, if it is time to.
    fn note(&mut self, counters: &Counters, now: Instant) {
        let Some((_, last)) = self.log.as_mut().filter(|(interval, last)| now - *last >= *interval) else { return };
        *last = now;
        let elapsed = now - self.start;
        let rate = counters.executions as f64 / elapsed.as_secs_f64().max(f64::EPSILON);
        self.erase();
        // As with the terminal: who reads the log may be gone.
        let _ = writeln!(io::stderr(), "rscale: {}", line(counters, rate, elapsed));
    }

    fn show(&mut self, line: &str) {
        if let Some(terminal) = &mut self.terminal {
            // A terminal that is gone must not end the search.
            let _ = write!(terminal, "\r\x1b[K{line}").and_then(|()| terminal.flush());
            self.is_visible = true;
        }
    }

    /// Removes the line, before something else is printed.
    pub fn erase(&mut self) {
        if self.is_visible {
            self.show("");
            self.is_visible = false;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.erase();
    }
}

/// Short enough for any terminal, so that it never wraps.
fn line(counters: &Counters, rate: f64, elapsed: Duration) -> String {
    let Counters { executions, depth, findings, explored } = counters;
    let (time, left) = (clock(elapsed), explored.map_or_else(String::new, |part| left(part, elapsed)));
    format!("{executions} executions, {rate:.0}/s, depth {depth}, {findings} found, {time}{left}")
}

/// How much is done, and how long the rest takes if it is like that.
fn left(part: f64, elapsed: Duration) -> String {
    let percent = (part * 100.0).floor();
    let rest = elapsed.as_secs_f64() * (1.0 - part) / part.max(f64::MIN_POSITIVE);
    match Duration::try_from_secs_f64(rest) {
        Ok(rest) if percent >= 1.0 => format!(", about {percent} %, {} left", clock(rest)),
        _ => ", below 1 %".to_owned(),
    }
}

/// Hours where there are some, minutes and seconds.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("not poisoned").write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_line_says_how_the_search_is_doing() {
        let counters = Counters { executions: 12345, depth: 41, findings: 1, explored: None };
        let shown = |explored| line(&Counters { explored, ..counters }, 98765.4, Duration::from_secs(75));
        let always = "12345 executions, 98765/s, depth 41, 1 found, 1:15";
        assert_eq!(shown(None), always);
        assert_eq!(shown(Some(0.25)), format!("{always}, about 25 %, 3:45 left"));
        assert_eq!(shown(Some(0.01)), format!("{always}, about 1 %, 2:03:45 left"));
        assert_eq!((shown(Some(0.0)), shown(Some(0.0099))), (format!("{always}, below 1 %"), shown(Some(0.0))));
    }

    #[test]
    fn it_is_written_ten_times_a_second_and_erased() {
        let screen = Screen::default();
        let mut progress = Progress::on(Some(Box::new(screen.clone())));
        let counters = Counters { executions: 100, depth: 3, ..Counters::default() };
        for millisecond in 0..1000 {
            let now = progress.start + Duration::from_millis(millisecond);
            progress.glance(&counters, now);
        }
        drop(progress);
        let shown = String::from_utf8(screen.0.lock().expect("not poisoned").clone()).expect("text");
        assert_eq!(shown.matches("executions").count(), 9);
        assert!(shown.ends_with("\r\x1b[K"), "{shown:?}");
    }

    #[test]
    fn the_clock_is_read_less_often_when_executions_are_fast() {
        let mut progress = Progress::on(Some(Box::new(io::sink())));
        let counters = Counters::default();
        (0..10_000).for_each(|_| progress.tick(|| counters));
        assert!(progress.calls_between >= 256, "{}", progress.calls_between);
        let slow = progress.last_glance + GLANCE * 3;
        let before = progress.calls_between;
        progress.glance(&counters, slow);
        assert_eq!(progress.calls_between, before / 2);
    }

    #[test]
    fn nothing_is_written_without_a_terminal() {
        let mut progress = Progress::on(None);
        (0..100_000).for_each(|_| progress.tick(Counters::default));
        assert!(!progress.is_visible);
    }
}
