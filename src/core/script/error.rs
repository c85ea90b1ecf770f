//! Why a run of code has no result.

use crate::base::cancel::CancelReason;

/// Why a run of code has no result. The text says what happened in words for the flow's owner; what the code itself
/// said (`message`) is its own text, cut to a bounded length, and holds nothing of the service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// The code is not JavaScript.
    #[error("the code cannot be read: {message}{}", place(*line))]
    Syntax {
        message: String,
        /// The line, counted from 1, where the engine knows it.
        line: Option<u32>,
    },
    /// The code threw, or a promise it waited for was rejected.
    #[error("{message}{}", place(*line))]
    Threw {
        /// Kind and message of the error, or the thrown value as text.
        message: String,
        /// The line, counted from 1, where the engine knows it.
        line: Option<u32>,
    },
    /// It ran, or waited, too long.
    #[error("the code took longer than it may")]
    Timeout,
    /// It needed more memory than it may use.
    #[error("the code used more memory than it may")]
    Memory,
    #[error("the code calls itself too deeply")]
    Stack,
    /// It waits for a promise that nothing can settle any more.
    #[error("the code waits for something that will never happen")]
    NeverSettles,
    /// The code is longer than this many bytes.
    #[error("the code is longer than {} KiB", .0 / 1024)]
    SourceTooLarge(usize),
    /// Its variables and inputs are together longer than this many bytes.
    #[error("the variables and inputs of the code are longer than {} KiB", .0 / 1024)]
    ScopeTooLarge(usize),
    /// Its result is longer than this many bytes.
    #[error("the result of the code is longer than {} KiB", .0 / 1024)]
    ResultTooLarge(usize),
    /// Its result is nested deeper than this.
    #[error("the result of the code is nested deeper than {0} levels")]
    ResultTooDeep(usize),
    /// Its result has no JSON form; says why.
    #[error("the result of the code cannot be used: {0}")]
    NotJson(String),
    /// Too much other code ran at the same time, for as long as one waits.
    #[error("too much other code is running; try again in a moment")]
    Busy,
    /// The run of the flow was cancelled.
    #[error("the run was stopped")]
    Cancelled(CancelReason),
    /// The worker ended for no reason of these.
    #[error("the code ended its engine")]
    Crashed,
    #[error("code cannot be run on this server at the moment")]
    Unavailable,
}

/// Where it happened, behind what happened.
fn place(line: Option<u32>) -> String {
    line.map(|line| format!(" (line {line})")).unwrap_or_default()
}
