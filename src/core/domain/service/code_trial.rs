//! Code that somebody tries while they write it (manual 11.7).

use serde_json::{Map, Value};
use std::time::Duration;

/// The code, and what it finds: examples, since nothing runs around it.
#[derive(Debug, Default)]
pub struct CodeTrial {
    pub source: String,
    /// `$name` for each.
    pub inputs: Map<String, Value>,
    /// Members of `$vars` by their names.
    pub variables: Map<String, Value>,
    /// Members of `$flow` by their names.
    pub flow: Map<String, Value>,
}

/// How it went.
#[derive(Debug)]
pub struct CodeOutcome {
    /// What it returned.
    pub result: Result<Value, CodeFault>,
    /// What it printed, in that order.
    pub lines: Vec<PrintedLine>,
    /// Whether later lines were dropped.
    pub is_cut: bool,
    pub took: Duration,
}

/// Why code has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFault {
    pub message: String,
    /// The line it is in, counted from 1, where that is known.
    pub line: Option<u32>,
}

/// A line of its console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedLine {
    pub level: PrintLevel,
    pub text: String,
}

/// How loudly a line was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintLevel {
    Log,
    Warn,
    Error,
}
