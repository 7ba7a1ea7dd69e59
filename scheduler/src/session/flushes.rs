//! The names of what is flushed, in traces of schedules under PSO: `2!counter`.
//!
//! Which shadow thread flushes what is a matter of the thread's own history, and known when the schedule gets there. So
//! a trace that says names is followed once, and each name is looked up among the stores that are in the buffer.

use super::host::Host;
use crate::backend::{Backend, RunEnd};
use crate::config::ReplayConfig;
use crate::exit::Failure;
use crate::finding::Finding;
use crate::frontend::Execution;
use rscale_protocol::arena::Token;
use rscale_protocol::{Action, Ending, Op, ThreadId};
use std::collections::{BTreeMap, HashMap};

/// The names for the trace of a finding: those that can mean one thing only.
pub fn names(finding: &Finding) -> BTreeMap<usize, String> {
    let is_flush = |index: &usize| finding.steps[*index].operation == Op::Flush.name();
    let flushes: Vec<(usize, &str)> = (0..finding.steps.len().min(finding.schedule.len()))
        .filter(is_flush)
        .filter_map(|index| Some((index, finding.steps[index].variables.first()?.as_str())))
        .collect();
    let mut meant: HashMap<(ThreadId, &str), Vec<ThreadId>> = HashMap::new();
    for &(index, name) in &flushes {
        let shadows = meant.entry((finding.steps[index].token.thread, name)).or_default();
        if !shadows.contains(&finding.schedule[index].thread) {
            shadows.push(finding.schedule[index].thread);
        }
    }
    let is_clear = |index: usize, name: &str| meant[&(finding.steps[index].token.thread, name)].len() == 1;
    let clear = flushes.iter().filter(|&&(index, name)| is_clear(index, name));
    clear.map(|&(index, name)| (index, name.to_owned())).collect()
}

/// The schedule of a trace with the shadow threads that the names in it stand for.
///
/// # Errors
/// Where the program can not be run, or nothing with that name is in the buffer.
pub fn resolve(config: &ReplayConfig, host: &mut Host) -> Result<Vec<Token>, Failure> {
    let trace = &config.schedule.trace;
    let mut tokens = trace.tokens.clone();
    if trace.flushed.is_empty() {
        return Ok(tokens);
    }
    let mut execution = Execution::default();
    host.run_and_pause(&[], &mut execution)?;
    for (index, token) in tokens.iter_mut().enumerate() {
        if let Some(name) = trace.flushed.get(&index) {
            let owner = config.rules.memory.program_thread(token.thread);
            token.thread = find(owner, name, host).ok_or_else(|| {
                let place = config.place_of_step(index);
                Failure::CannotRun(format!("{place}: thread {owner} has no store to {name} in its buffer here"))
            })?;
        }
        let is_possible =
            |end: &RunEnd| end.ending == Ending::Paused && end.enabled[token.choice as usize].contains(token.thread);
        if !execution.end.as_ref().is_some_and(is_possible) {
            break; // the replay says what is wrong
        }
        host.step(*token, &mut execution)?;
    }
    Ok(tokens)
}

/// The shadow thread of a thread that is about to flush what has this name.
fn find(owner: ThreadId, name: &str, host: &Host) -> Option<ThreadId> {
    let explainer = host.explainer();
    let is_own = |action: &&Action| action.second.as_store().is_some_and(|(thread, _)| thread == owner);
    let flushes = host.target().flushes();
    let found = flushes.iter().filter(is_own).find(|action| explainer.name(action, host.target()) == name)?;
    Some(found.thread)
}
