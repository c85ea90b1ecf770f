//! Code inputs in workers of the built program: what code can do, what it can never do, and where it is stopped.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

mod databases;
mod fetching;
mod language;
mod limits;
mod modules;
mod sandbox_escapes;
mod workers;

use flowkeep::base::cancel::CancelToken;
use flowkeep::script::{
    Fetch, FetchRequest, FetchResponse, ScriptError, ScriptLimits, ScriptResult, ScriptRunner, ScriptScope,
    Tenant,
};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_flowkeep").into()
}

/// Workers with short limits that most tests share.
static SCRIPTS: LazyLock<ScriptRunner> = LazyLock::new(|| scripts(4));

fn scripts(workers_max: usize) -> ScriptRunner {
    let limits = ScriptLimits {
        processor: Duration::from_secs(1),
        wall: Duration::from_secs(2),
        heap_bytes: 32 << 20,
        workers_max,
        queue: Duration::from_secs(60),
    };
    ScriptRunner::new(program(), limits).unwrap()
}

fn run_script(source: &str) -> ScriptResult {
    SCRIPTS.run(source, &ScriptScope::default(), &CancelToken::new(None))
}

/// What the code returns.
#[track_caller]
fn value(source: &str) -> Value {
    let ran = run_script(source);
    ran.result.unwrap_or_else(|error| panic!("{source}: {error:?}"))
}

/// Why the code has no result.
#[track_caller]
fn error(source: &str) -> ScriptError {
    let ran = run_script(source);
    match ran.result {
        Err(error) => error,
        Ok(value) => panic!("{source}: {value}"),
    }
}

/// The message of what the code throws.
#[track_caller]
fn thrown_message(source: &str) -> String {
    match error(source) {
        ScriptError::Threw { message, .. } => message,
        other => panic!("{source}: {other:?}"),
    }
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}
