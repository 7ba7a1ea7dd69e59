//! The processors of the machine, and who runs on which.
//!
//! Where there is one processor for each worker, a worker and its program take turns, and never run at the same time:
//! they share a processor, and hand it over. Where there are two, each has one. The program is still told of all
//! processors, for some decide by it how many threads to start.

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::{Pid, SysconfVar, sysconf};
use rscale_protocol::arena::PROCESSOR_WORDS;
use std::sync::OnceLock;

/// A set of processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Processors(CpuSet);

impl Processors {
    /// Those that the calling thread may run on.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn mine() -> Result<Processors, Errno> {
        sched_getaffinity(Pid::from_raw(0)).map(Processors)
    }

    /// Those that rscale was given, whatever part of them the calling thread keeps to.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn all() -> Result<Processors, Errno> {
        static ALL: OnceLock<Result<Processors, Errno>> = OnceLock::new();
        *ALL.get_or_init(Processors::mine)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.numbers().count()
    }

    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        (0..CpuSet::count()).filter(|&number| self.0.is_set(number).unwrap_or(false))
    }

    /// Whether more wants to run on the machine than there are processors here.
    #[must_use]
    pub fn are_busy(&self) -> bool {
        Processors::running().is_some_and(|running| running > self.count())
    }

    /// How many threads run on the machine, or could run.
    #[must_use]
    pub fn running() -> Option<usize> {
        running(&std::fs::read_to_string("/proc/loadavg").ok()?)
    }

    /// How many processors the machine has, whoever may use them.
    #[must_use]
    pub fn online() -> Option<usize> {
        usize::try_from(sysconf(SysconfVar::_NPROCESSORS_ONLN).ok()??).ok()
    }

    /// As bits, the first processor in the lowest one.
    #[must_use]
    pub fn words(&self) -> [u64; PROCESSOR_WORDS] {
        let mut words = [0; PROCESSOR_WORDS];
        for number in self.numbers() {
            if let Some(word) = words.get_mut(number / 64) {
                *word |= 1 << (number % 64);
            }
        }
        words
    }

    /// Which of them the calling thread runs on.
    #[must_use]
    pub fn here(&self) -> usize {
        let here = sched_getcpu().unwrap_or(0);
        self.numbers().position(|number| number == here).unwrap_or(0)
    }

    /// Has a thread, by its id, and what it starts from now on, run on one of them: in turn, by this number.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn keep_on(&self, thread: Pid, place: usize) -> Result<(), Errno> {
        let mut one = CpuSet::new();
        let number = self.numbers().nth(place % self.count().max(1)).ok_or(Errno::EINVAL)?;
        one.set(number)?;
        sched_setaffinity(thread, &one)
    }

    /// Has a thread run on any of them.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn let_go(&self, thread: Pid) -> Result<(), Errno> {
        sched_setaffinity(thread, &self.0)
    }
}

/// How many threads run or could run, as the kernel tells it.
fn running(load: &str) -> Option<usize> {
    load.split_whitespace().nth(3)?.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_how_much_runs() {
        assert_eq!(running("12.69 15.51 14.10 13/229 28931\n"), Some(13));
        assert_eq!(running(""), None);
        assert!(Processors::running() > Some(0), "this test runs");
        assert!(Processors::online() >= Processors::mine().ok().map(|mine| mine.count()));
    }

    #[test]
    fn a_thread_stays_where_it_is_put() {
        let all = Processors::mine().expect("known");
        assert!(all.count() > 0);
        assert_eq!(all.words().iter().map(|word| word.count_ones() as usize).sum::<usize>(), all.count());
        std::thread::spawn(move || {
            all.keep_on(Pid::from_raw(0), all.count() + 1).expect("allowed");
            let mine = Processors::mine().expect("known");
            assert_eq!(mine.numbers().collect::<Vec<_>>(), [all.numbers().nth(1 % all.count()).expect("one")]);
        })
        .join()
        .expect("as it should be");
        assert_eq!(Processors::mine(), Ok(all), "others are where they were");
    }
}
