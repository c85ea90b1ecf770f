//! MCP servers that are programs of this machine: a message is a line of their input, and a line of their output.

use super::message::{GREET, McpError, answer_to, answers, greeting, ready, request, result_of};
use crate::base::cancel::CancelToken;
use crate::domain::local_program::CommandLine;
use crate::programs::{ProgramProcess, Programs};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Seconds in which a local program must be ready (manual 14.7).
const PROGRAM_START_SECONDS: u64 = 60;
/// Seconds in which a local program must answer (manual 14.7).
const PROGRAM_ANSWER_SECONDS: u64 = 120;
/// Most messages of an MCP server that are no answer to what it was asked (manual 14.7).
const MCP_OTHER_MESSAGES_MAX: usize = 1_000;

/// A server that was started for one run and was greeted.
pub(super) struct StdioTransport(Mutex<StdioSession>);

struct StdioSession {
    program: ProgramProcess,
    last_id: u64,
}

impl StdioTransport {
    pub(super) fn start(
        line: &CommandLine,
        programs: &Programs,
        cancel: &CancelToken,
    ) -> Result<Self, McpError> {
        let mut talk = StdioSession { program: programs.start(line, cancel)?, last_id: 0 };
        let end = Instant::now() + Duration::from_secs(PROGRAM_START_SECONDS);
        talk.ask(GREET, &greeting(), end)?;
        talk.program.send(&ready().to_string(), end)?;
        Ok(Self(Mutex::new(talk)))
    }

    pub(super) fn ask(&self, method: &str, params: &Value) -> Result<Value, McpError> {
        let end = Instant::now() + Duration::from_secs(PROGRAM_ANSWER_SECONDS);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).ask(method, params, end)
    }
}

impl StdioSession {
    fn ask(&mut self, method: &str, params: &Value, end: Instant) -> Result<Value, McpError> {
        self.last_id += 1;
        let id = self.last_id;
        self.program.send(&request(id, method, params).to_string(), end)?;
        for _ in 0..MCP_OTHER_MESSAGES_MAX {
            let line = self.program.receive(end)?;
            // Some programs greet people on the same output; what is no message is none.
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            if answers(&message, id) {
                return result_of(message);
            }
            if let Some(answer) = answer_to(&message) {
                self.program.send(&answer.to_string(), end)?;
            }
        }
        Err(McpError::Malformed("it says much and answers nothing"))
    }
}
