//! Which steps are possible, and what they do.
//!
//! A step is one operation and the code behind it, up to the next operation. A thread's first step is to start and its
//! last one is to end. A wait on a condition variable is two steps: one releases the mutex; another one, when the
//! thread has been woken and the mutex is free, takes it back. A signal with several threads to choose from is followed
//! by a step of the one that it wakes; until then nobody else can do anything. A barrier is two steps for all but the
//! thread that opens it. The main thread takes no steps while it is alone, but for creating threads.

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
        if let Some(condition) = self.undecided {
            return self.at(Stage::Asleep(condition)).collect();
        }
        (0..self.threads.len()).filter(|&thread| self.is_enabled(program, thread)).collect()
    }

    fn is_enabled(&self, program: &Program, thread: usize) -> bool {
        match self.threads[thread].stage {
            Stage::Created | Stage::Leaving => true,
            Stage::Unborn | Stage::Ended | Stage::Joined | Stage::Arrived(_) | Stage::Asleep(_) => false,
            Stage::Awake(condition) => !self.owners.contains_key(&mutex_of(condition)),
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
            Stage::Asleep(condition) => {
                self.undecided = None;
                self.threads[thread].stage = Stage::Awake(condition);
            }
            Stage::Awake(condition) => {
                self.threads[thread].stage = Stage::Running;
                self.take(mutex_of(condition), thread);
            }
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
            Op::Signal(condition) if self.at(Stage::Asleep(condition)).count() > 1 => self.undecided = Some(condition),
            Op::Signal(condition) | Op::Broadcast(condition) => self.wake_all(condition),
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

    /// Everybody who is asleep there wakes up.
    fn wake_all(&mut self, condition: char) {
        for thread in &mut self.threads {
            if thread.stage == Stage::Asleep(condition) {
                thread.stage = Stage::Awake(condition);
            }
        }
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
