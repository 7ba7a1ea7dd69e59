//! The coverage line: how much of a program's code its report speaks about.

use super::survey::{Counts, Survey};

/// This many skipped functions are named; [`Survey::skipped`] has them all.
const MAX_NAMED: usize = 10;

impl Counts {
    /// Accesses that need a hook.
    #[must_use]
    pub fn hooked(&self) -> usize {
        self.reads + self.writes + self.updates + self.atomics + self.fences
    }
}

impl Survey {
    /// One line that says what can be instrumented and what can not.
    #[must_use]
    pub fn coverage_line(&self) -> String {
        let functions = counted(self.function_count(), "function");
        format!("{functions}, {}, {}", access_summary(&self.counts()), self.skip_summary())
    }

    fn skip_summary(&self) -> String {
        if self.skipped.is_empty() {
            return "none skipped".to_owned();
        }
        let mut named: Vec<String> = self.skipped.iter().take(MAX_NAMED).map(ToString::to_string).collect();
        if self.skipped.len() > MAX_NAMED {
            named.push(format!("and {} more", grouped(self.skipped.len() - MAX_NAMED)));
        }
        format!("{} skipped: {}", counted(self.skipped.len(), "function"), named.join(", "))
    }
}

/// `12 access sites (8 reads, 4 writes)`; what there is none of is not mentioned.
fn access_summary(counts: &Counts) -> String {
    let kinds =
        [(counts.reads, "read"), (counts.writes, "write"), (counts.updates, "update"), (counts.fences, "fence")];
    let mut parts: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
    if counts.atomics > 0 {
        parts.push(format!("{} atomic", grouped(counts.atomics)));
    }
    let sites = counted(counts.hooked(), "access site");
    if parts.is_empty() { sites } else { format!("{sites} ({})", parts.join(", ")) }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(count))
}

/// `1,234,567`
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::super::functions::{Function, Origin, Role};
    use super::super::liveness::CallFlags;
    use super::super::skips::{SkipReason, Skipped};
    use super::*;

    fn survey(skipped: usize) -> Survey {
        let function = |index| Function {
            range: 0..4,
            names: vec![format!("f{index}")],
            role: Role::Program,
            origin: Origin::Symbol,
            is_part: false,
        };
        let skip = |index| Skipped { function: function(index), reason: SkipReason::Undecodable { offset: 18 } };
        Survey {
            functions: Vec::new(),
            skipped: (0..skipped).map(skip).collect(),
            support: Vec::new(),
            text_bytes: 0,
            takes_thread_local_address: false,
            call_flags: CallFlags::Lost,
        }
    }

    #[test]
    fn numbers_are_grouped() {
        let shown: Vec<String> = [0, 12, 999, 1000, 1_234_567].into_iter().map(grouped).collect();
        assert_eq!(shown, ["0", "12", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn says_what_is_there_and_what_is_not() {
        let counts = Counts { reads: 1, writes: 3602, atomics: 169, own_stack: 7, ..Counts::default() };
        assert_eq!(access_summary(&counts), "3,772 access sites (1 read, 3,602 writes, 169 atomic)");
        assert_eq!(survey(0).coverage_line(), "0 functions, 0 access sites, none skipped");
        let line = "1 function, 0 access sites, 1 function skipped: f0 (undecodable bytes at +0x12)";
        assert_eq!(survey(1).coverage_line(), line);
        assert!(survey(1012).coverage_line().ends_with("f9 (undecodable bytes at +0x12), and 1,002 more"));
    }
}
