//! What the processes say to each other through the mailbox.

/// What the scheduler asks of the shim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Command {
    /// Restore, follow the prefix, go on by the policy, stop at the end or where the request says.
    Run = 1,
    /// SCALE's Step: take one step with the given thread, from the state the execution is paused in.
    Step = 2,
    /// SCALE's GetNextAction: publish the next action of every thread.
    GetNextAction = 3,
    /// SCALE's GetCurrentBackTrace: publish the registers of a thread and the hash of its stack.
    GetCurrentBackTrace = 4,
    /// SCALE's EvaluateFunctionCall: call `int f(void)` in the context of a thread.
    EvaluateFunctionCall = 5,
    /// SCALE's Exit: end the process.
    Exit = 6,
    /// The log chunk has been read: go on with the execution.
    Continue = 7,
}

impl Command {
    /// The command with this number.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Command> {
        use Command::{Continue, EvaluateFunctionCall, Exit, GetCurrentBackTrace, GetNextAction, Run, Step};
        [Run, Step, GetNextAction, GetCurrentBackTrace, EvaluateFunctionCall, Exit, Continue]
            .into_iter()
            .find(|&command| command as u32 == code)
    }
}

/// Why the shim replies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Reply {
    /// The shim is set up and waits for its first command.
    Ready = 1,
    /// The execution has ended, or is paused: see the result.
    Done = 2,
    /// The log is full: read it and say [`Command::Continue`].
    LogFull = 3,
    /// Answer to a query.
    Answer = 4,
    /// Everything is loaded, nothing of the program has run: plan the regions and say [`Command::Continue`].
    Loaded = 5,
}

impl Reply {
    /// The reply with this number.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Reply> {
        [Reply::Ready, Reply::Done, Reply::LogFull, Reply::Answer, Reply::Loaded]
            .into_iter()
            .find(|&reply| reply as u32 == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_replies_are_found_by_number() {
        assert_eq!(Command::from_code(Command::Run as u32), Some(Command::Run));
        assert_eq!(Command::from_code(0), None);
        assert_eq!(Reply::from_code(Reply::LogFull as u32), Some(Reply::LogFull));
        assert_eq!(Reply::from_code(9), None);
    }
}
