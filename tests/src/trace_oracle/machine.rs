//! The state of a program between two steps, what a step does, and what it touches: the table of dependence.
//!
//! Two steps of different threads depend on each other if they touch the same object and one of them writes it. What a
//! step writes is known when it is taken: an atomic update that leaves the value as it was is a read, and so are an
//! attempt in vain to take a mutex and a signal that nobody waits for. A plain store is a write whatever it stores.

use super::program::{Op, Program};

/// Registers of a thread.
pub const REGISTERS: usize = 3;
/// Shared variables.
pub const VARIABLES: usize = 20;
/// Mutexes, and condition variables.
pub const OBJECTS: usize = 3;

/// Something through which threads influence each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// A shared variable.
    Variable(u8),
    /// A mutex.
    Mutex(u8),
    /// A condition variable: who waits there.
    Condition(u8),
}

/// What a step touches, and how.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Touch {
    /// What.
    pub object: Object,
    /// Whether it is written.
    pub writes: bool,
}

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Stage {
    /// Nobody has created it.
    Unborn,
    /// At the operation of its counter.
    Running,
    /// Waits on a condition variable.
    Waiting(u8),
    /// Was woken: its next step takes the mutex back.
    Woken(u8),
    /// Has done all.
    Ended,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    stage: Stage,
    counter: usize,
    registers: [i8; REGISTERS],
    /// Between the load and the store of one operation: what was loaded.
    loaded: Option<i8>,
}

/// Everything about an execution that matters for how it goes on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    threads: Vec<Thread>,
    variables: [i8; VARIABLES],
    owners: [Option<usize>; OBJECTS],
}

/// A step that can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// By whom.
    pub thread: usize,
    /// The waiter that a signal wakes.
    wakes: Option<usize>,
}

/// What a step has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// What it touched.
    pub touches: Vec<Touch>,
    /// The threads that it woke.
    pub wakes: Vec<usize>,
    /// The thread that it created.
    pub creates: Option<usize>,
    /// The thread whose end it waited for.
    pub joins: Option<usize>,
}

impl Effect {
    fn touch(object: Object, writes: bool) -> Effect {
        Effect { touches: vec![Touch { object, writes }], ..Effect::default() }
    }
}

impl Machine {
    /// Before the main thread does anything.
    #[must_use]
    pub fn initial(program: &Program) -> Machine {
        let thread = Thread { stage: Stage::Unborn, counter: 0, registers: [0; REGISTERS], loaded: None };
        let threads = vec![thread; program.threads.len()];
        let mut machine = Machine { threads, variables: [0; VARIABLES], owners: [None; OBJECTS] };
        machine.threads[0].stage = Stage::Running;
        machine.run_on(program, 0);
        machine
    }

    /// How many threads there are.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// All steps that can be taken.
    #[must_use]
    pub fn steps(&self, program: &Program) -> Vec<Step> {
        (0..self.threads.len()).flat_map(|thread| self.steps_of(program, thread)).collect()
    }

    fn steps_of(&self, program: &Program, thread: usize) -> Vec<Step> {
        let is_free = |mutex: u8| self.owners[usize::from(mutex)].is_none();
        let one_if = |is_enabled: bool| is_enabled.then_some(Step { thread, wakes: None }).into_iter().collect();
        match self.threads[thread].stage {
            Stage::Unborn | Stage::Ended | Stage::Waiting(_) => Vec::new(),
            Stage::Woken(condition) => one_if(is_free(condition)),
            Stage::Running => match self.op(program, thread) {
                Op::Lock(mutex) => one_if(is_free(mutex)),
                Op::Join(other) => one_if(self.threads[usize::from(other)].stage == Stage::Ended),
                Op::Signal(condition) => match self.waiters(condition).as_slice() {
                    [] => one_if(true),
                    waiters => waiters.iter().map(|&waiter| Step { thread, wakes: Some(waiter) }).collect(),
                },
                _ => one_if(true),
            },
        }
    }

    fn op(&self, program: &Program, thread: usize) -> Op {
        program.threads[thread][self.threads[thread].counter]
    }

    fn waiters(&self, condition: u8) -> Vec<usize> {
        let waits = |thread: &usize| self.threads[*thread].stage == Stage::Waiting(condition);
        (0..self.threads.len()).filter(waits).collect()
    }

    /// Takes a step.
    pub fn take(&mut self, program: &Program, step: Step) -> Effect {
        let thread = step.thread;
        if let Stage::Woken(mutex) = self.threads[thread].stage {
            self.threads[thread].stage = Stage::Running;
            self.owners[usize::from(mutex)] = Some(thread);
            self.run_on(program, thread);
            return Effect::touch(Object::Mutex(mutex), true);
        }
        if self.op(program, thread) == Op::AtomicBegin {
            return self.take_section(program, thread);
        }
        self.take_part(program, step)
    }

    /// All of an atomic section: one touch of each variable, which writes if any of them did.
    fn take_section(&mut self, program: &Program, thread: usize) -> Effect {
        self.pass(program, thread);
        let mut touches = Vec::new();
        while self.op(program, thread) != Op::AtomicEnd {
            touches.extend(self.take_part(program, Step { thread, wakes: None }).touches);
        }
        self.pass(program, thread);
        touches.sort();
        touches.reverse();
        touches.dedup_by_key(|touch| touch.object); // the first of equal ones stays: one that writes, if there is any
        Effect { touches, ..Effect::default() }
    }

    /// The next access of an operation, or all of it.
    fn take_part(&mut self, program: &Program, step: Step) -> Effect {
        let thread = step.thread;
        let op = self.op(program, thread);
        let effect = match op {
            Op::Copy { from, .. } | Op::Increase { variable: from, .. } if self.threads[thread].loaded.is_none() => {
                self.threads[thread].loaded = Some(self.variables[usize::from(from)]);
                return Effect::touch(Object::Variable(from), false);
            }
            Op::Lock(_) | Op::TryLock { .. } | Op::Unlock(_) => self.on_mutex(thread, op),
            Op::Wait(_) | Op::Signal(_) | Op::Broadcast(_) => self.on_condition(step, op),
            Op::Create(other) => {
                self.threads[usize::from(other)].stage = Stage::Running;
                self.run_on(program, other.into());
                Effect { creates: Some(other.into()), ..Effect::default() }
            }
            Op::Join(other) => Effect { joins: Some(other.into()), ..Effect::default() },
            _ => self.on_variable(thread, op),
        };
        self.pass(program, thread);
        effect
    }

    /// The operation is done.
    fn pass(&mut self, program: &Program, thread: usize) {
        self.threads[thread].counter += 1;
        self.run_on(program, thread);
    }

    /// Up to the next operation that is a step, or to the end.
    fn run_on(&mut self, program: &Program, thread: usize) {
        let Thread { stage, counter, registers, .. } = &mut self.threads[thread];
        while let Some(&op) = program.threads[thread].get(*counter) {
            let distance = match op {
                Op::Add { register, value } => {
                    registers[usize::from(register)] += value;
                    0
                }
                Op::Unless { register, value, .. } if registers[usize::from(register)] == value => 0,
                Op::Unless { skip: distance, .. } | Op::Jump(distance) => distance,
                _ => return,
            };
            *counter = (*counter + 1).wrapping_add_signed(distance.into());
        }
        *stage = Stage::Ended;
    }

    fn on_variable(&mut self, thread: usize, op: Op) -> Effect {
        let Thread { registers, loaded, .. } = &mut self.threads[thread];
        let (variable, new) = match op {
            Op::Load { variable, .. } => (variable, None),
            Op::Store { variable, value } | Op::Exchange { variable, value, .. } => (variable, Some(value)),
            Op::StoreRegister { variable, register } => (variable, Some(registers[usize::from(register)])),
            Op::Copy { to, .. } => (to, loaded.take()),
            Op::Increase { variable, by } => (variable, loaded.take().map(|value| value + by)),
            Op::CompareAndSwap { variable, expected, desired, .. } => {
                (variable, (self.variables[usize::from(variable)] == expected).then_some(desired))
            }
            other => unreachable!("{other} does not access a variable"),
        };
        let place = &mut self.variables[usize::from(variable)];
        let old = *place;
        *place = new.unwrap_or(old);
        if let Op::Load { register, .. } | Op::Exchange { register, .. } | Op::CompareAndSwap { register, .. } = op {
            registers[usize::from(register)] = old;
        }
        let is_atomic = matches!(op, Op::Exchange { .. } | Op::CompareAndSwap { .. });
        let writes = if is_atomic { *place != old } else { new.is_some() };
        Effect::touch(Object::Variable(variable), writes)
    }

    fn on_mutex(&mut self, thread: usize, op: Op) -> Effect {
        let (mutex, register) = match op {
            Op::TryLock { mutex, register } => (mutex, Some(register)),
            Op::Lock(mutex) | Op::Unlock(mutex) => (mutex, None),
            other => unreachable!("{other} is not about a mutex"),
        };
        let owner = &mut self.owners[usize::from(mutex)];
        let is_free = owner.is_none();
        match op {
            Op::Unlock(_) => *owner = None,
            _ => *owner = owner.or(Some(thread)),
        }
        if let Some(register) = register {
            self.threads[thread].registers[usize::from(register)] = is_free.into();
        }
        Effect::touch(Object::Mutex(mutex), register.is_none() || is_free)
    }

    fn on_condition(&mut self, step: Step, op: Op) -> Effect {
        if let Op::Wait(condition) = op {
            self.owners[usize::from(condition)] = None;
            self.threads[step.thread].stage = Stage::Waiting(condition);
            let released = Touch { object: Object::Mutex(condition), writes: true };
            let joined = Touch { object: Object::Condition(condition), writes: true };
            return Effect { touches: vec![released, joined], ..Effect::default() };
        }
        let (condition, wakes) = match op {
            Op::Broadcast(condition) => (condition, self.waiters(condition)),
            Op::Signal(condition) => (condition, step.wakes.into_iter().collect()),
            other => unreachable!("{other} is not about a condition variable"),
        };
        for &waiter in &wakes {
            self.threads[waiter].stage = Stage::Woken(condition);
        }
        Effect { wakes: wakes.clone(), ..Effect::touch(Object::Condition(condition), !wakes.is_empty()) }
    }

    /// What the main thread prints at its end; None while it has not come there.
    #[must_use]
    pub fn outcome(&self) -> Option<String> {
        if self.threads[0].stage != Stage::Ended {
            return None;
        }
        let numbers = |numbers: &[i8]| numbers.iter().map(i8::to_string).collect::<Vec<_>>().join(" ");
        let registers: Vec<String> = self.threads.iter().map(|thread| numbers(&thread.registers)).collect();
        Some(format!("{} = {}", registers.join(", "), numbers(&self.variables)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;
    use crate::oracle::Random;

    fn is_dependent(first: &Effect, first_thread: usize, second: &Effect, second_thread: usize) -> bool {
        let conflict = |mine: &Touch, other: &Touch| mine.object == other.object && (mine.writes || other.writes);
        first.creates == Some(second_thread)
            || second.joins == Some(first_thread)
            || first.wakes.contains(&second_thread)
            || first.touches.iter().any(|mine| second.touches.iter().any(|other| conflict(mine, other)))
    }

    /// Steps that the table calls independent can change places: both are possible in either order, do the same, and
    /// lead to the same state.
    #[test]
    fn independent_steps_commute() {
        let mut random = Random::new(7);
        let (mut swapped, mut kept) = (0, 0);
        for _ in 0..400 {
            let program = generate(&mut random);
            let mut machine = Machine::initial(&program);
            let mut steps = machine.steps(&program);
            while !steps.is_empty() {
                for &first in &steps {
                    let mut between = machine.clone();
                    let first_effect = between.take(&program, first);
                    for second in between.steps(&program).into_iter().filter(|second| second.thread != first.thread) {
                        let mut behind = between.clone();
                        let second_effect = behind.take(&program, second);
                        if is_dependent(&first_effect, first.thread, &second_effect, second.thread) {
                            kept += 1;
                            continue;
                        }
                        swapped += 1;
                        assert!(steps.contains(&second), "{program}: {second:?} became possible by {first:?}");
                        let mut other = machine.clone();
                        assert_eq!(other.take(&program, second), second_effect, "{program}");
                        assert_eq!(other.take(&program, first), first_effect, "{program}");
                        assert_eq!(other, behind, "{program}");
                    }
                }
                let step = random.pick(&steps);
                machine.take(&program, step);
                steps = machine.steps(&program);
            }
        }
        assert!(swapped > 1000 && kept > 1000, "{swapped} and {kept}");
    }
}
