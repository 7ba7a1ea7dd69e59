//! Brute force: every reachable state, and which accesses can be made next there.

use super::program::{Op, Program, VARIABLES};
use std::collections::{BTreeSet, HashSet};

/// Everything that decides what can happen next. Plain variables do not.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    flags: [bool; VARIABLES],
    /// Who holds a mutex.
    mutexes: [Option<usize>; VARIABLES],
    /// Who holds a lock for writing, and how many do for reading.
    rwlocks: [(Option<usize>, u8); VARIABLES],
    semaphores: [u8; VARIABLES],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    is_there: bool,
    at: usize,
    register: bool,
}

/// How a plain variable is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Read,
    Write,
    Locked,
}

/// The plain variables that a program races for; None if it has more states than this.
#[must_use]
pub fn racy_variables(program: &Program, most_states: usize) -> Option<BTreeSet<u8>> {
    let thread = |index| Thread { is_there: index == 0, at: 0, register: false };
    let start = State {
        threads: (0..program.threads.len()).map(thread).collect(),
        flags: [false; VARIABLES],
        mutexes: [None; VARIABLES],
        rwlocks: [(None, 0); VARIABLES],
        semaphores: [0; VARIABLES],
    };
    let (mut seen, mut left, mut racy) = (HashSet::from([start.clone()]), vec![start], BTreeSet::new());
    while let Some(state) = left.pop() {
        racy.extend(state.races(program));
        for index in 0..program.threads.len() {
            if let Some(next) = state.after(program, index)
                && seen.insert(next.clone())
            {
                left.push(next);
            }
        }
        if seen.len() > most_states {
            return None;
        }
    }
    Some(racy)
}

impl State {
    fn next_op(&self, program: &Program, index: usize) -> Option<Op> {
        let thread = &self.threads[index];
        program.threads[index].get(thread.at).copied().filter(|_| thread.is_there)
    }

    /// The variables that two threads can access at the same time, in a way that conflicts.
    fn races(&self, program: &Program) -> Vec<u8> {
        let access = |index| match self.next_op(program, index)? {
            Op::Read(variable) => Some((variable, Access::Read)),
            Op::Write(variable) => Some((variable, Access::Write)),
            Op::LockedAdd(variable) => Some((variable, Access::Locked)),
            _ => None,
        };
        let accesses: Vec<(u8, Access)> = (0..self.threads.len()).filter_map(access).collect();
        let mut racy = Vec::new();
        for (index, &(variable, first)) in accesses.iter().enumerate() {
            let others = accesses[index + 1..].iter().filter(|(other, _)| *other == variable);
            let conflicts = |&&(_, second): &&(u8, Access)| first != second || first == Access::Write;
            racy.extend(others.filter(conflicts).map(|&(variable, _)| variable));
        }
        racy
    }

    /// The state after the next operation of a thread; None if it can not be taken.
    fn after(&self, program: &Program, index: usize) -> Option<State> {
        let op = self.next_op(program, index)?;
        let mut next = self.clone();
        next.threads[index].at += 1;
        match op {
            Op::Read(_) | Op::Write(_) | Op::LockedAdd(_) => {}
            Op::Load(flag) => next.threads[index].register = self.flags[usize::from(flag)],
            Op::Store(flag) => next.flags[usize::from(flag)] = true,
            Op::Exchange(flag) => {
                next.threads[index].register = std::mem::replace(&mut next.flags[usize::from(flag)], true);
            }
            Op::SkipIfZero(count) if !self.threads[index].register => next.threads[index].at += usize::from(count),
            Op::SkipIfZero(_) => {}
            Op::Lock(mutex) => take(&mut next.mutexes[usize::from(mutex)], index)?,
            Op::Unlock(mutex) => next.mutexes[usize::from(mutex)] = None,
            Op::ReadLock(_) | Op::WriteLock(_) | Op::RwUnlock(_) => next.rwlock(op, index)?,
            Op::Post(semaphore) => next.semaphores[usize::from(semaphore)] += 1,
            Op::Wait(semaphore) => {
                let value = &mut next.semaphores[usize::from(semaphore)];
                *value = value.checked_sub(1)?;
            }
            Op::Create(thread) => next.threads[usize::from(thread)].is_there = true,
            Op::Join(thread) => {
                let joined = &self.threads[usize::from(thread)];
                let has_ended = joined.is_there && joined.at >= program.threads[usize::from(thread)].len();
                has_ended.then_some(())?;
            }
        }
        Some(next)
    }

    fn rwlock(&mut self, op: Op, index: usize) -> Option<()> {
        match op {
            Op::ReadLock(lock) => {
                let (writer, readers) = &mut self.rwlocks[usize::from(lock)];
                writer.is_none().then_some(())?;
                *readers += 1;
            }
            Op::WriteLock(lock) => {
                let (writer, readers) = &mut self.rwlocks[usize::from(lock)];
                (*readers == 0).then_some(())?;
                take(writer, index)?;
            }
            Op::RwUnlock(lock) => match &mut self.rwlocks[usize::from(lock)] {
                (writer @ Some(_), _) => *writer = None,
                (_, readers) => *readers -= 1,
            },
            _ => {}
        }
        Some(())
    }
}

/// Takes a lock that is free.
fn take(holder: &mut Option<usize>, index: usize) -> Option<()> {
    holder.is_none().then(|| *holder = Some(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn racy(threads: &[&[Op]]) -> Vec<u8> {
        let mut main: Vec<Op> = (1..=threads.len() as u8).map(Op::Create).collect();
        main.extend((1..=threads.len() as u8).map(Op::Join));
        main.push(Op::Read(0));
        let threads = std::iter::once(main).chain(threads.iter().map(|thread| thread.to_vec())).collect();
        racy_variables(&Program { threads }, 10_000).expect("small").into_iter().collect()
    }

    #[test]
    fn known_programs_race_as_they_should() {
        use Op::{Exchange, Load, Lock, LockedAdd, Post, Read, SkipIfZero, Store, Unlock, Wait, Write};
        assert_eq!(racy(&[&[Write(0)], &[Write(0), Read(1)]]), [0]);
        assert_eq!(racy(&[&[Read(0)], &[Read(0)]]), [0u8; 0]);
        assert_eq!(racy(&[&[LockedAdd(0), LockedAdd(1)], &[LockedAdd(0), Read(1)]]), [1]);
        assert_eq!(racy(&[&[Lock(0), Write(0), Unlock(0)], &[Lock(0), Write(0), Unlock(0)]]), [0u8; 0]);
        assert_eq!(racy(&[&[Lock(0), Write(0), Unlock(0)], &[Lock(1), Write(0), Unlock(1)]]), [0]);
        assert_eq!(racy(&[&[Write(0), Store(0)], &[Load(0), SkipIfZero(1), Write(0)]]), [0u8; 0]);
        assert_eq!(racy(&[&[Write(0), Exchange(0)], &[Load(1), SkipIfZero(1), Write(0)]]), [0u8; 0], "never set");
        assert_eq!(racy(&[&[Write(0), Post(0)], &[Wait(0), Write(0)]]), [0u8; 0]);
        assert_eq!(racy(&[&[Write(0), Post(0)], &[Wait(0), Write(0)], &[Post(0)]]), [0]);
    }
}
