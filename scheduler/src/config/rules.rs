//! The rules of an execution: whatever changes what a schedule of thread numbers means, or what counts as a finding.
//!
//! A search and the replay of its traces must agree on them, so they travel in the header of the trace.

use super::parse_duration;
use rscale_protocol::MemoryModel;
use rscale_protocol::arena::{Isolation, MAX_STEPS, UNBOUNDED};
use std::time::Duration;

/// Which operations are scheduling points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Operations of the thread library.
    Sync,
    /// Memory accesses too.
    All,
}

/// What a schedule means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The scheduling points.
    pub scope: Scope,
    /// The memory model.
    pub memory: MemoryModel,
    /// Stores that a buffer has room for; None for any number.
    pub buffer: Option<u32>,
    /// Whether a thread that waits in a loop can be scheduled before another thread has written what it waits for.
    pub schedules_waiting: bool,
    /// How executions are kept apart.
    pub isolation: Isolation,
    /// Seed of all random choices and of what the program sees as random.
    pub seed: u64,
    /// Spurious wake-ups per execution.
    pub spurious: u64,
    /// Steps per execution.
    pub max_steps: u64,
    /// CPU time without a step after which a thread counts as hanging.
    pub hang_limit: Duration,
    /// Whether memory that is not freed is a finding.
    pub leaks: bool,
    /// Whether an exit status other than 0 is a finding.
    pub exit_status: bool,
    /// Whether a data race is a finding.
    pub races: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            scope: Scope::All,
            memory: MemoryModel::Sc,
            buffer: None,
            schedules_waiting: false,
            isolation: Isolation::Snapshot,
            seed: 0,
            spurious: 0,
            max_steps: 100_000,
            hang_limit: Duration::from_secs(5),
            leaks: false,
            exit_status: false,
            races: false,
        }
    }
}

impl Rules {
    /// The rules as options of a trace header.
    #[must_use]
    pub fn to_options(self) -> Vec<(String, String)> {
        let scope = match self.scope {
            Scope::Sync => "sync",
            Scope::All => "all",
        };
        let mut options = vec![("scope", scope.to_owned()), ("memory", self.memory.name().to_owned())];
        options.extend(self.buffer.map(|bound| ("buffer", bound.to_string())));
        options.extend([
            ("schedules-waiting", self.schedules_waiting.to_string()),
            ("isolation", crate::summary::isolation_name(self.isolation).to_owned()),
            ("seed", self.seed.to_string()),
            ("spurious", self.spurious.to_string()),
            ("max-steps", self.max_steps.to_string()),
            ("hang-limit", format!("{}ms", self.hang_limit.as_millis())),
            ("leaks", self.leaks.to_string()),
            ("exit-status", self.exit_status.to_string()),
            ("races", self.races.to_string()),
        ]);
        options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The rules out of a trace header; what it does not name has its default.
    ///
    /// # Errors
    /// When an option is not known or its value is wrong: replaying under other rules would mislead.
    pub fn from_options(options: &[(String, String)]) -> Result<Rules, String> {
        let mut rules = Rules::default();
        for (name, value) in options {
            rules.set(name, value).ok_or_else(|| {
                format!("this rscale does not know the option {name:?} {value:?}; replay with the rscale that wrote it")
            })?;
        }
        Ok(rules)
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match (name, value) {
            ("scope", "sync") => self.scope = Scope::Sync,
            ("scope", "all") => self.scope = Scope::All,
            ("memory", _) => self.memory = MemoryModel::from_name(value)?,
            ("buffer", _) => self.buffer = Some(value.parse().ok().filter(|&bound| bound != UNBOUNDED)?),
            ("schedules-waiting", _) => self.schedules_waiting = value.parse().ok()?,
            ("isolation", "snapshot") => self.isolation = Isolation::Snapshot,
            ("isolation", "fork") => self.isolation = Isolation::Fork,
            ("isolation", "exec") => self.isolation = Isolation::Exec,
            ("seed", _) => self.seed = value.parse().ok()?,
            ("spurious", _) => self.spurious = value.parse().ok()?,
            ("max-steps", _) => {
                self.max_steps = value.parse().ok().filter(|steps| (1..=MAX_STEPS as u64).contains(steps))?;
            }
            ("hang-limit", _) => self.hang_limit = parse_duration(value).ok()?,
            ("leaks", _) => self.leaks = value.parse().ok()?,
            ("exit-status", _) => self.exit_status = value.parse().ok()?,
            ("races", _) => self.races = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rules_survive_a_trace(seed: u64, spurious: u64, max_steps in 1..=MAX_STEPS as u64, hang in 1u64..1_000_000,
                                 isolation in 0..3usize, flags: [bool; 5]) {
            let rules = Rules {
                scope: if flags[0] { Scope::All } else { Scope::Sync },
                memory: MemoryModel::ALL[isolation],
                buffer: flags[0].then_some(isolation as u32),
                schedules_waiting: flags[3],
                isolation: [Isolation::Snapshot, Isolation::Fork, Isolation::Exec][isolation],
                seed,
                spurious,
                max_steps,
                hang_limit: Duration::from_millis(hang),
                leaks: flags[1],
                exit_status: flags[2],
                races: flags[4],
            };
            prop_assert_eq!(Rules::from_options(&rules.to_options()), Ok(rules));
        }
    }

    #[test]
    fn unknown_rules_are_refused() {
        let error = |name: &str, value: &str| Rules::from_options(&[(name.into(), value.into())]).expect_err("unknown");
        assert!(error("memory", "arm").contains("\"memory\" \"arm\""));
        assert!(error("colour", "red").contains("replay with the rscale that wrote it"));
        assert!(error("max-steps", "0").contains("max-steps"));
    }
}
