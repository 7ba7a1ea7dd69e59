//! The simulator: follows one recorded schedule and shows it (SCALE, section 5.4).

use super::host::{Host, Setting};
use super::{admit, flushes, functions, racing, stepping};
use crate::backend::Backend;
use crate::config::ReplayConfig;
use crate::exit::Failure;
use crate::explain::{self, Seen, Witness};
use crate::explore::Locations;
use crate::finding::{Finding, ThreadView};
use crate::frontend::Execution;
use crate::launch::Function;
use crate::property::{self, Shown};
use crate::simulate_view::{Answer, Replay, ReplayEnd};
use rscale_protocol::arena::{LocalStates, Token};
use rscale_protocol::model::Life;
use rscale_protocol::{Choice, Ending};

/// Replays a schedule.
///
/// # Errors
/// Where the program can not be run.
pub fn replay(config: &ReplayConfig) -> Result<Replay, Failure> {
    play(config).map(|played| played.replay)
}

/// A replay, and the program as it left it.
pub struct Played {
    /// What there was to see.
    pub replay: Replay,
    /// The steps that were taken.
    pub execution: Execution,
    /// The program.
    pub host: Host,
}

/// Replays a schedule, for more than its text.
pub fn play(config: &ReplayConfig) -> Result<Played, Failure> {
    let mut notes = Vec::new();
    let program = admit::inspect(&config.subject.executable, &mut notes)?;
    let resolve = |names: &[(String, &str)]| functions::resolve(names, &config.subject, &config.watched);
    let functions = config.query.functions.iter();
    let asked = resolve(&functions.map(|name| ("--eval".to_owned(), name.as_str())).collect::<Vec<_>>())?;
    let setting = Setting {
        subject: &config.subject,
        args: &config.args,
        rules: &config.rules,
        watched: &config.watched,
        invariants: resolve(&config.invariants.asked())?,
        evaluates: !asked.is_empty(),
        engine: config.engine,
        local_states: LocalStates::None,
    };
    let mut host = Host::start(&setting, &program)?;
    let header = &config.schedule.trace.header;
    host.set_thread_origins(&header.threads);
    host.set_locations(&config.locations, &Locations::default());
    host.expect_hang(config.expects_hang());
    let mut execution = Execution::default();
    let mut seen = Vec::new();
    let end = follow(config, &mut host, &mut execution, &mut seen)?;
    let answers = answer(&asked, &mut host)?;
    let stacks = if config.query.back_trace { stacks(&mut host, &execution)? } else { Vec::new() };
    let explainer = host.explainer();
    let mut steps = explainer.steps(&execution.steps, host.target());
    for (step, seen) in steps.iter_mut().zip(seen) {
        seen.tell(step);
    }
    let [stdout, stderr] = host.output();
    let replay = Replay {
        program: config.subject.given.to_string_lossy().into_owned(),
        args: config.args.iter().map(|argument| argument.to_string_lossy().into_owned()).collect(),
        trace: config.path.to_string_lossy().into_owned(),
        threads: explainer.threads(host.target()),
        steps,
        stdout,
        stderr,
        expected: header.finding.clone(),
        answers,
        stacks,
        end,
    };
    Ok(Played { replay, execution, host })
}

/// What the functions return in the state that the execution is in (SCALE's EvaluateFunctionCall).
fn answer(functions: &[Function], host: &mut Host) -> Result<Vec<Answer>, Failure> {
    let answer = |function: &Function| Ok(Answer { function: function.name.clone(), value: host.evaluate(function)? });
    functions.iter().map(answer).collect()
}

/// The stacks of all threads in the state that the execution is in (SCALE's GetCurrentBackTrace).
fn stacks(host: &mut Host, execution: &Execution) -> Result<Vec<ThreadView>, Failure> {
    host.back_trace()?;
    let Some(end) = &execution.end else { return Ok(Vec::new()) };
    Ok(host.explainer().stacks(host.target(), end))
}

/// Follows the schedule step by step. Before each step the thread must be active and enabled.
fn follow(
    config: &ReplayConfig,
    host: &mut Host,
    execution: &mut Execution,
    seen: &mut Vec<Seen>,
) -> Result<ReplayEnd, Failure> {
    let all = &flushes::resolve(config, host)?;
    let tokens = &all[..config.query.after.map_or(all.len(), |after| after.min(all.len()))];
    // A first run in one piece finds out what the program needs (threads, isolation); then it is stepped.
    host.run_and_pause(tokens, execution)?;
    host.run_and_pause(&[], execution)?;
    let witness = Witness::new(host.explainer());
    for (index, &token) in tokens.iter().enumerate() {
        let Some(end) = &execution.end else { break };
        if end.ending != Ending::Paused {
            let place = config.place_of_step(index);
            return Ok(ReplayEnd::Refused(format!("{place}: the execution has ended before this step")));
        }
        if !end.enabled[token.choice as usize].contains(token.thread) {
            return Ok(ReplayEnd::Refused(refusal(config, host, index)));
        }
        seen.push(stepping::take(token, host, &witness, execution)?);
    }
    if tokens.len() < all.len() && execution.ending() == Some(Ending::Paused) {
        return Ok(ReplayEnd::Stopped { left: all.len() - tokens.len() });
    }
    host.look_for_races(execution, None)?;
    let found = finding(config, host, execution, seen);
    Ok(found.map_or(ReplayEnd::NothingFound, |finding| ReplayEnd::Found(Box::new(finding))))
}

/// What the schedule shows: of several findings the one that the trace is about, else the one that it ends with.
fn finding(config: &ReplayConfig, host: &mut Host, execution: &Execution, seen: &[Seen]) -> Option<Finding> {
    let is_expected = |shown: &Shown| config.schedule.trace.header.finding == Some(shown.violation.headline());
    let shown = property::violations(execution, &config.rules).into_iter();
    let Shown { violation, .. } = shown.max_by_key(|shown| (is_expected(shown), shown.steps))?;
    let mut finding = host.explainer().finding(host.target(), violation, execution.end.as_ref()?, execution);
    finding.steps.iter_mut().zip(seen).for_each(|(step, seen)| seen.clone().tell(step));
    Some(racing::told(finding, host))
}

/// Why a step can not be taken: the thread must be active, and it must be enabled.
fn refusal(config: &ReplayConfig, host: &Host, index: usize) -> String {
    let place = config.place_of_step(index);
    let Some(&Token { thread, choice }) = config.schedule.trace.tokens.get(index) else { return place };
    let threads = host.target().threads();
    let owner = config.rules.memory.owner(thread).map(|(owner, _)| owner);
    let why = match (threads.iter().find(|state| state.id == thread), owner) {
        (_, Some(owner)) => format!("thread {owner} has no store in its buffer that could become visible here"),
        (None, _) => format!("thread {thread} does not exist here"),
        (Some(state), _) if state.life != Life::Live => format!("thread {thread} has ended"),
        (Some(state), _) => {
            let next = state.next.map_or("take a step", |action| explain::verb(action.op));
            let how = match choice {
                Choice::Proceed => "",
                Choice::TimeOut => " by timing out",
                Choice::Spurious => " by a spurious wake-up",
            };
            format!("thread {thread} can not {next}{how} here: it is not enabled")
        }
    };
    format!("{place}: {why}")
}
