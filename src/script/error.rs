//! Why a run of code has no result.

use crate::base::cancel::CancelReason;
use std::fmt;

/// Why a run of code has no result. The text says what happened in words for the flow's owner; what the code itself
/// said (`message`) is its own text, cut to a bounded length, and holds nothing of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptError {
    /// The code is not JavaScript.
    Syntax {
        message: String,
        /// The line, counted from 1, where the engine knows it.
        line: Option<u32>,
    },
    /// The code threw, or a promise it waited for was rejected.
    Threw {
        /// Kind and message of the error, or the thrown value as text.
        message: String,
        /// The line, counted from 1, where the engine knows it.
        line: Option<u32>,
    },
    /// It ran, or waited, too long.
    Timeout,
    /// It needed more memory than it may use.
    Memory,
    Stack,
    /// It waits for a promise that nothing can settle any more.
    NeverSettles,
    /// The code is longer than this many bytes.
    SourceTooLarge(usize),
    /// Its variables and inputs are together longer than this many bytes.
    ScopeTooLarge(usize),
    /// Its result is longer than this many bytes.
    ResultTooLarge(usize),
    /// Its result is nested deeper than this.
    ResultTooDeep(usize),
    /// Its result has no JSON form; says why.
    NotJson(String),
    /// Too much other code ran at the same time, for as long as one waits.
    Busy,
    /// The run of the flow was cancelled.
    Cancelled(CancelReason),
    /// The worker ended for no reason of these.
    Crashed,
    Unavailable,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |line: &Option<u32>| line.map(|line| format!(" (line {line})")).unwrap_or_default();
        match self {
            Self::Syntax { message, line } => write!(f, "the code cannot be read: {message}{}", at(line)),
            Self::Threw { message, line } => write!(f, "{message}{}", at(line)),
            Self::Timeout => f.write_str("the code took longer than it may"),
            Self::Memory => f.write_str("the code used more memory than it may"),
            Self::Stack => f.write_str("the code calls itself too deeply"),
            Self::NeverSettles => f.write_str("the code waits for something that will never happen"),
            Self::SourceTooLarge(most) => write!(f, "the code is longer than {} KiB", most / 1024),
            Self::ScopeTooLarge(most) => {
                write!(f, "the variables and inputs of the code are longer than {} KiB", most / 1024)
            }
            Self::ResultTooLarge(most) => {
                write!(f, "the result of the code is longer than {} KiB", most / 1024)
            }
            Self::ResultTooDeep(most) => {
                write!(f, "the result of the code is nested deeper than {most} levels")
            }
            Self::NotJson(why) => write!(f, "the result of the code cannot be used: {why}"),
            Self::Busy => f.write_str("too much other code is running; try again in a moment"),
            Self::Cancelled(_) => f.write_str("the run was stopped"),
            Self::Crashed => f.write_str("the code ended its engine"),
            Self::Unavailable => f.write_str("code cannot be run on this server at the moment"),
        }
    }
}

impl std::error::Error for ScriptError {}
