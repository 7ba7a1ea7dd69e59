//! Which steps are possible, and what they do.
//!
//! A step is one operation and the code behind it, up to the next operation. A thread's first step is to start and its
//! last one is to end. A wait on a condition variable is two steps: it releases the mutex; once there is a signal that
//! this thread may take, and the mutex is free, it takes both. A barrier is two steps for all but the thread that
//! opens it. The main thread takes no steps while it is alone, but for creating threads.

use super::machine::{Machine, Stage};
use super::program::{Op, Program, mutex_of};

const MAIN: usize = 0;

impl Machine {
    /// The state in which the first step can be taken.
    #[must_use]
    pub fn initial(program: &Program, keeps_texts: bool) -> Machine {
        let mut machine = Machine::new(program, keeps_texts);
        machine.run_on(program, MAIN);
        machine
    }

    /// The threads that can take a step.
    #[must_use]
    pub fn enabled(&self, program: &Program) -> Vec<usize> {
        if self.over {
            return Vec::new();
        }
        (0..self.threads.len()).filter(|&thread| self.is_enabled(program, thread)).collect()
    }

    fn is_enabled(&self, program: &Program, thread: usize) -> bool {
        match self.threads[thread].stage {
            Stage::Created | Stage::Leaving => true,
            Stage::Unborn | Stage::Ended | Stage::Joined | Stage::Arrived(_) => false,
            Stage::Asleep(condition) => {
                let signals = self.wakeups.get(&condition).map_or(&[][..], Vec::as_slice);
                !self.owners.contains_key(&mutex_of(condition)) && signals.iter().any(|may| may.contains(&thread))
            }
            Stage::Running => self.op(program, thread).is_none_or(|op| self.is_possible(op, thread)),
        }
    }

    /// Whether the operation would return.
    fn is_possible(&self, op: Op, thread: usize) -> bool {
        match op {
            Op::Lock(mutex) => !self.owners.contains_key(&mutex),
            Op::SemWait(semaphore) => self.values[&semaphore] > 0,
            Op::Read(lock) => self.owners.get(&lock).is_none_or(|&writer| writer == thread),
            Op::Write(lock) => match self.owners.get(&lock) {
                Some(&writer) => writer == thread,
                None => self.has_no_readers(lock),
            },
            Op::Join(other) => self.threads[other].stage == Stage::Ended,
            _ => true,
        }
    }

    /// Whether the operation does nothing, because the thread does not hold what it is about; printing is local too.
    fn is_local(&self, op: Op, thread: usize) -> bool {
        match op {
            Op::Print(_) => true,
            Op::Unlock(mutex) => !self.owns(thread, mutex),
            Op::CondWait(condition) => !self.owns(thread, mutex_of(condition)),
            Op::RwUnlock(lock) => !self.owns(thread, lock) && !self.threads[thread].reads.contains(&lock),
            _ => false,
        }
    }

    /// Takes the next step of an enabled thread.
    pub fn step(&mut self, program: &Program, thread: usize) {
        match self.threads[thread].stage {
            Stage::Created => self.threads[thread].stage = Stage::Running,
            Stage::Asleep(condition) => self.wake(condition, thread),
            Stage::Leaving => {
                self.threads[thread].stage = Stage::Running;
                self.say(thread, '.');
            }
            _ => match self.op(program, thread) {
                Some(op) => self.perform(op, thread),
                None if thread == MAIN => self.over = true,
                None => self.threads[thread].stage = Stage::Ended,
            },
        }
        self.run_on(program, thread);
    }

    /// The code behind a step: up to the next operation that is a step, or to the end of the program.
    fn run_on(&mut self, program: &Program, thread: usize) {
        while self.threads[thread].stage == Stage::Running {
            let Some(op) = self.op(program, thread) else { break };
            let is_alone = thread == MAIN && self.main_is_alone() && !matches!(op, Op::Create(_));
            if let Op::Print(character) = op {
                self.say(thread, character);
                self.threads[thread].counter += 1;
            } else if self.is_local(op, thread) {
                self.threads[thread].counter += 1;
            } else if is_alone && self.is_possible(op, thread) {
                self.perform(op, thread);
            } else {
                return;
            }
        }
        if thread == MAIN && self.threads[MAIN].stage == Stage::Running && self.outcome.is_none() {
            self.outcome = Some(self.outcome_now());
            self.over = self.main_is_alone();
        }
    }

    fn perform(&mut self, op: Op, thread: usize) {
        self.threads[thread].counter += 1;
        match op {
            Op::Lock(mutex) => self.take(mutex, thread),
            Op::TryLock(mutex) => {
                let is_free = !self.owners.contains_key(&mutex);
                if is_free {
                    self.owners.insert(mutex, thread);
                }
                self.say_whether(is_free, thread);
            }
            Op::Unlock(lock) => {
                self.owners.remove(&lock);
            }
            Op::SemWait(semaphore) => self.add(semaphore, -1),
            Op::SemTryWait(semaphore) => {
                let is_positive = self.values[&semaphore] > 0;
                self.add(semaphore, -i8::from(is_positive));
                self.say_whether(is_positive, thread);
            }
            Op::SemPost(semaphore) => self.add(semaphore, 1),
            Op::CondWait(condition) => {
                self.owners.remove(&mutex_of(condition));
                self.threads[thread].stage = Stage::Asleep(condition);
            }
            Op::Signal(condition) => self.signal(condition, 1),
            Op::Broadcast(condition) => self.signal(condition, usize::MAX),
            Op::Barrier(barrier) => self.arrive(barrier, thread),
            Op::Read(_) | Op::Write(_) | Op::TryRead(_) | Op::TryWrite(_) | Op::RwUnlock(_) => {
                self.perform_rw(op, thread)
            }
            Op::Create(other) => self.threads[other].stage = Stage::Created,
            Op::Join(other) => self.threads[other].stage = Stage::Joined,
            Op::Print(_) => {}
        }
    }

    fn perform_rw(&mut self, op: Op, thread: usize) {
        match op {
            Op::Read(lock) | Op::Write(lock) if self.owns(thread, lock) => self.say(thread, 'D'),
            Op::Read(lock) => {
                self.threads[thread].reads.push(lock);
                let turn = self.turn(lock);
                self.say(thread, turn);
            }
            Op::Write(lock) => self.take(lock, thread),
            Op::TryRead(lock) => {
                let is_possible = !self.owners.contains_key(&lock);
                if is_possible {
                    self.threads[thread].reads.push(lock);
                }
                self.say_whether(is_possible, thread);
            }
            Op::TryWrite(lock) => {
                let is_possible = !self.owners.contains_key(&lock) && self.has_no_readers(lock);
                if is_possible {
                    self.owners.insert(lock, thread);
                }
                self.say_whether(is_possible, thread);
            }
            Op::RwUnlock(lock) if self.owns(thread, lock) => {
                self.owners.remove(&lock);
            }
            Op::RwUnlock(lock) => {
                let reads = &mut self.threads[thread].reads;
                if let Some(index) = reads.iter().position(|&held| held == lock) {
                    reads.remove(index);
                }
            }
            _ => {}
        }
    }

    fn say_whether(&mut self, success: bool, thread: usize) {
        self.say(thread, if success { '+' } else { '-' });
    }

    fn add(&mut self, semaphore: char, change: i8) {
        if let Some(value) = self.values.get_mut(&semaphore) {
            *value = value.saturating_add_signed(change);
        }
    }

    /// Sends signals that any present waiter may take, though not more than there are waiters to take signals.
    fn signal(&mut self, condition: char, most: usize) {
        let waiters: Vec<usize> = self.at(Stage::Asleep(condition)).collect();
        let signals = self.wakeups.entry(condition).or_default();
        let unclaimed = waiters.len() - signals.len();
        for _ in 0..unclaimed.min(most) {
            signals.push(waiters.clone());
        }
    }

    /// The thread takes the oldest signal that it may take, and its mutex.
    fn wake(&mut self, condition: char, thread: usize) {
        let signals = self.wakeups.entry(condition).or_default();
        if let Some(oldest) = signals.iter().position(|may| may.contains(&thread)) {
            signals.remove(oldest);
        }
        for may in signals {
            may.retain(|&waiter| waiter != thread);
        }
        self.threads[thread].stage = Stage::Running;
        self.take(mutex_of(condition), thread);
    }

    /// The value of a barrier is how many open it; those that wait there are counted.
    fn arrive(&mut self, barrier: char, thread: usize) {
        let waiting: Vec<usize> = self.at(Stage::Arrived(barrier)).collect();
        if waiting.len() + 1 < usize::from(self.values[&barrier]) {
            self.threads[thread].stage = Stage::Arrived(barrier);
            return;
        }
        for other in waiting {
            self.threads[other].stage = Stage::Leaving;
        }
        self.say(thread, '!');
    }
}
