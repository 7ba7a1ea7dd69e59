//! Explaining: from addresses and numbers to threads, functions, lines and variables.

mod allocation;
mod atomics;
mod frames;
mod heap;
mod lvalues;
mod moment;
mod names;
mod orderings;
mod stacks;
mod values;
mod waiting;
mod witness;

pub use atomics::{Code, Subject};
pub use orderings::tell;
pub use waiting::verb;
pub use witness::{Seen, Witness};

use crate::backend::{Backend, Block, RunEnd, Target, ThreadState};
use crate::finding::{Finding, Identity, StepView, ThreadView};
use crate::frontend::Execution;
use crate::property::Violation;
use crate::spin::{Call, Spin};
use moment::Moment;
use names::Names;
use rscale_instrument::code::loops::Loops;
use rscale_instrument::maps::Module;
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::ending::HeapError;
use rscale_protocol::{Action, Ending, Family, Op, ThreadId, Variable};
use stacks::Stacks;
use std::path::PathBuf;

/// Knows the program's names, and walks its stacks while an execution is halted.
pub struct Explainer {
    /// What the process has loaded.
    modules: Vec<Module>,
    names: Names,
    stacks: Stacks,
    loops: Loops,
}

impl Explainer {
    /// An explainer for the process that runs the program now.
    #[must_use]
    pub fn new(target: &Target) -> Explainer {
        let modules = names::modules_of(target);
        let (stacks, loops) = (Stacks::new(modules.clone()), Loops::new(modules.clone()));
        Explainer { names: Names::new(modules.clone()), modules, stacks, loops }
    }

    /// The same explainer for another execution, if the process that runs the program now has the same code in the same
    /// places.
    #[must_use]
    pub fn again(self, target: &Target) -> Option<Explainer> {
        self.names.begin_report();
        (names::modules_of(target) == self.modules).then_some(self)
    }

    /// The finding that the halted execution shows.
    #[must_use]
    pub fn finding(&self, target: &Target, violation: Violation, end: &RunEnd, ran: &Execution) -> Finding {
        let steps = &ran.steps[..];
        let moment = Moment::new(target, &self.stacks, Some(end));
        let threads: Vec<ThreadView> = moment.states.iter().map(|state| self.thread(state, end, &moment)).collect();
        let culprit = threads.iter().find(|thread| thread.id == end.thread);
        let [stdout, stderr] = target.output();
        Finding {
            kind: violation.kind,
            message: violation.message,
            location: self.location(end, culprit, steps),
            explanation: self.explanation(end, &moment, steps),
            spin: self.spin(end, &moment),
            threads,
            steps: steps.iter().map(|step| self.step(step, &moment)).collect(),
            schedule: schedule(steps),
            preemptions: crate::explore::preemptions(steps, &ran.pending),
            minimised_from: None,
            orderings: Vec::new(),
            stdout,
            stderr,
            trace: None,
        }
    }

    /// What makes the finding that the halted execution shows the same as another one: less than all about it.
    #[must_use]
    pub fn identity(&self, target: &Target, violation: Violation, end: &RunEnd, steps: &[Step]) -> Identity {
        let moment = Moment::new(target, &self.stacks, Some(end));
        let culprit = moment.states.iter().find(|state| state.id == end.thread);
        let culprit = culprit.map(|state| self.thread(state, end, &moment));
        let location = self.location(end, culprit.as_ref(), steps);
        Identity::new(violation, location, self.explanation(end, &moment, steps)).spinning(self.spin(end, &moment))
    }

    /// Where a thread computes that takes no step any more.
    fn spin(&self, end: &RunEnd, moment: &Moment<'_>) -> Spin {
        let hanging = moment.states.iter().find(|state| end.ending == Ending::Hang && state.id == end.thread);
        let frames = hanging.map_or_else(Vec::new, |state| moment.frames_of(state));
        let call = |address| Call { address, loop_start: self.loops.start(address) };
        Spin { calls: frames.iter().rev().map(|frame| call(frame.lookup_address())).collect() }
    }

    /// More about it: the wait-for relation of a deadlock, the block of a heap error.
    fn explanation(&self, end: &RunEnd, moment: &Moment<'_>, steps: &[Step]) -> Vec<String> {
        match end.ending {
            Ending::Deadlock => waiting::explain(end, moment, &self.names),
            Ending::Invariant => vec![self.last_step(moment, steps)],
            Ending::Memory => self.block(&end.block),
            Ending::Hang => self.unwatched_loop(end, moment).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The library whose code a thread computes in, if that is not watched: there it may wait for another thread, which
    /// is not let run.
    fn unwatched_loop(&self, end: &RunEnd, moment: &Moment<'_>) -> Option<String> {
        let hanging = moment.states.iter().find(|state| state.id == end.thread && end.value == 0)?;
        let regions = moment.target.regions();
        let is_watched = |path: &PathBuf| regions.planned().iter().any(|planned| planned.path() == path);
        let frames = moment.frames_of(hanging);
        let modules = frames.iter().filter_map(|frame| self.names.module_of(frame.lookup_address()));
        let mut names = modules.take_while(|path| !is_watched(path)).filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            regions.unwatched().contains(&name).then_some(name)
        });
        names.next().map(|name| {
            format!(
                "it computes in {name}, which is not watched: where it waits there for another thread, that one is not let \
                 run; --instrument {name} watches it"
            )
        })
    }

    /// Where a block of the heap comes from, and where it went.
    fn block(&self, block: &Block) -> Vec<String> {
        let Block { site, size, freed_by } = *block;
        let place = |pc| self.names.location(pc);
        let allocated = (site != 0)
            .then(|| format!("the block of {size} bytes was allocated at {}", self.names.allocation_place(site)));
        let freed = freed_by.map(|(thread, pc)| format!("thread {} has freed it at {}", thread.0, place(pc)));
        allocated.into_iter().chain(freed).collect()
    }

    /// The step after which an invariant failed.
    fn last_step(&self, moment: &Moment<'_>, steps: &[Step]) -> String {
        let Some(last) = steps.last() else { return "it fails in the initial state, before the first step".into() };
        let view = self.step(last, moment);
        let place = if view.location.is_empty() { String::new() } else { format!(" at {}", view.location) };
        format!("it fails after step {}: thread {} {}{place}", steps.len(), view.token.thread, view.summary())
    }

    /// Where it happened: the innermost line of the program's own code, or its innermost address, or where the last
    /// step was called from.
    fn location(&self, end: &RunEnd, culprit: Option<&ThreadView>, steps: &[Step]) -> Option<String> {
        if end.ending == Ending::Deadlock {
            return None;
        }
        if end.ending == Ending::Invariant {
            let last = steps.last().filter(|step| step.action.pc != 0)?;
            return Some(self.names.location(last.action.pc));
        }
        if end.ending == Ending::Memory && end.value == HeapError::Leak as u64 && end.block.site != 0 {
            return Some(self.names.location(end.block.site));
        }
        // Of a process that is gone, the last step is all that is known.
        let from_stack = culprit.filter(|_| !end.is_lost()).and_then(|thread| frames::innermost(&thread.stack));
        from_stack.or_else(|| {
            let last = steps.iter().rev().find(|step| step.action.thread == end.thread)?;
            (last.action.pc != 0).then(|| self.names.location(last.action.pc))
        })
    }

    fn thread(&self, state: &ThreadState, end: &RunEnd, moment: &Moment<'_>) -> ThreadView {
        let stack = moment.frames_of(state).iter().map(|frame| self.names.frame(frame)).collect();
        ThreadView {
            id: state.id,
            name: self.names.thread(state),
            state: waiting::describe(state, end, moment, &self.names),
            stack: frames::trim(stack, end),
        }
    }

    /// Every thread with its stack.
    #[must_use]
    pub fn stacks(&self, target: &Target, end: &RunEnd) -> Vec<ThreadView> {
        let moment = Moment::new(target, &self.stacks, Some(end));
        moment.states.iter().map(|state| self.thread(state, end, &moment)).collect()
    }

    /// All threads of the execution, by name.
    #[must_use]
    pub fn threads(&self, target: &Target) -> Vec<ThreadView> {
        let named = |state: &ThreadState| ThreadView {
            id: state.id,
            name: self.names.thread(state),
            state: String::new(),
            stack: Vec::new(),
        };
        target.threads().iter().map(named).collect()
    }

    /// The steps as a person sees them, with the names that things have now.
    #[must_use]
    pub fn steps(&self, steps: &[Step], target: &Target) -> Vec<StepView> {
        let moment = Moment::new(target, &self.stacks, None);
        steps.iter().map(|step| self.step(step, &moment)).collect()
    }

    /// The name of what an access of memory is about.
    #[must_use]
    pub fn name(&self, action: &Action, target: &Target) -> String {
        let moment = Moment::new(target, &self.stacks, None);
        self.names.named(action.object, length(action), &moment).name
    }

    fn step(&self, step: &Step, moment: &Moment<'_>) -> StepView {
        let action = &step.action;
        StepView {
            token: Token { thread: actor(action), ..step.token() },
            operation: names::operation(action),
            variables: objects(action).map(|object| self.names.named(object, length(action), moment).name).collect(),
            value: String::new(),
            location: if action.pc == 0 { String::new() } else { self.names.location(action.pc) },
            result: names::result(step),
        }
    }
}

/// The variables of an action that are worth naming: that a thread starts and ends itself goes without saying.
fn objects(action: &Action) -> impl Iterator<Item = Variable> + use<> {
    let thread = action.thread;
    // A store has no name of its own.
    let own = (action.op == Op::OwnRead).then_some(action.object);
    let others = action.objects().filter(|variable| variable.as_store().is_none());
    own.into_iter().chain(others.filter(move |variable| variable.as_thread() != Some(thread)))
}

/// The thread of the program that an action belongs to: a flush to the one that made the store.
fn actor(action: &Action) -> ThreadId {
    let owner = action.second.as_store().filter(|_| action.op == Op::Flush);
    owner.map_or(action.thread, |(owner, _)| owner)
}

/// Bytes of the variable of an action, where that is plain memory; else it is a thing of its own.
fn length(action: &Action) -> u64 {
    if action.op.family() == Family::Memory { u64::from(action.count).max(1) } else { 1 }
}

/// The schedule that the steps followed.
#[must_use]
pub fn schedule(steps: &[Step]) -> Vec<Token> {
    steps.iter().map(Step::token).collect()
}
