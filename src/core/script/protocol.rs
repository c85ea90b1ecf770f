//! What the service and a worker for code say to each other: JSON, one message a frame.
//!
//! The service greets with [`ScriptWorkerSetup`] and the worker answers when it is ready. For a run the service sends a
//! [`ToWorker::Run`] and, as a frame of its own, the scope as the JSON text the engine reads. The worker says that it
//! began, asks for requests with [`FromWorker::Fetch`], for calls with [`FromWorker::Call`] and for databases with
//! [`FromWorker::Query`], and ends the run with [`FromWorker::Done`].

use super::database::{DatabaseAnswer, DatabaseError, DatabaseRequest};
use super::fetch::{FetchRequest, FetchResponse};
use serde::{Deserialize, Serialize};

/// The first message, which says what the worker may use.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ScriptWorkerSetup {
    /// Bytes the engine may use.
    pub heap_bytes: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToWorker {
    /// Runs code; the scope follows.
    Run(ScriptJob),
    /// The answer to a request; late ones, of a run that is over, are dropped.
    Fetched { id: u32, answer: Result<FetchResponse, String> },
    /// The answer to a call; late ones are dropped too.
    Called { id: u32, answer: Result<String, String> },
    /// The answer of a database; late ones are dropped too.
    Queried { id: u32, answer: Result<DatabaseAnswer, DatabaseError> },
}

/// What one run of code needs beside its scope.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ScriptJob {
    pub source: String,
    /// Whether there is a `fetch`.
    pub fetch: bool,
    /// The names under which the service takes calls.
    pub calls: Vec<String>,
    pub databases: bool,
    pub processor_ms: u64,
    pub wall_ms: u64,
    pub result_bytes_max: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromWorker {
    /// The code runs; before this nothing of it did.
    Began,
    Fetch {
        id: u32,
        request: FetchRequest,
    },
    /// Wants something called; the arguments are JSON.
    Call {
        id: u32,
        name: String,
        arguments: String,
    },
    Query {
        id: u32,
        ask: DatabaseRequest,
    },
    Done {
        ended: RunEnd,
        lines: Vec<ConsoleLine>,
        cut: bool,
    },
}

/// How a run ended: its value, or why there is none.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RunEnd {
    /// With a result, as JSON text.
    Returned(String),
    Syntax {
        message: String,
        line: Option<u32>,
    },
    Threw {
        message: String,
        line: Option<u32>,
    },
    Timeout,
    Memory,
    Stack,
    NeverSettles,
    ResultTooLarge,
    NotJson(String),
}

impl RunEnd {
    /// An engine without any memory left cannot even say so: it throws nothing at all, or drops the promise that the code
    /// waits for. `memory_was_full` tells whether that is what happened.
    pub(super) fn or_memory(self, memory_was_full: impl FnOnce() -> bool) -> Self {
        let silent = match &self {
            Self::Threw { message, .. } => message == "null",
            other => *other == Self::NeverSettles,
        };
        if silent && memory_was_full() { Self::Memory } else { self }
    }

    /// Whether the worker can be trusted to be as new: not after it ran into a wall.
    pub(super) const fn keeps_worker_clean(&self) -> bool {
        !matches!(self, Self::Timeout | Self::Memory | Self::Stack)
    }
}

/// How loudly a line was said: `console.log`, `info` and `debug`; `warn`; `error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConsoleLevel {
    /// `console.log`, `console.info`, `console.debug`.
    Log,
    /// `console.warn`.
    Warn,
    /// `console.error`.
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleLine {
    pub loudness: ConsoleLevel,
    /// What was said, cut to a bounded length.
    pub text: String,
}
