//! Code inputs: JavaScript of a flow's owner, run in a worker process that can reach nothing (manual 11.1).
//!
//! The code is the body of an async function. It sees `$input`, `$vars`, `$flow`, one `$name` for each input of its
//! [`ScriptScope`], `console`, timers, what functions of flows use of Node and the web (`prelude/`) and, where the scope has
//! one, `fetch`, which runs here in the service and not in the worker. What it returns becomes JSON. Every run has globals
//! of its own, so nothing that one run leaves behind reaches another.
//!
//! [`ScriptRunner`] is the service's side; `worker` is the other, and `protocol` is what they say to each other.

#[cfg(unix)]
mod bytes;
mod call_handler;
mod database;
#[cfg(unix)]
mod engine;
mod error;
mod fetch;
mod guarded_fetch;
#[cfg(unix)]
mod host_functions;
mod protocol;
mod run;
mod value;
#[cfg(unix)]
mod worker;

use crate::limits;
pub use crate::script::call_handler::CallHandler;
pub use crate::script::guarded_fetch::{FetchError, FetchedBytes, GuardedFetch};
pub use crate::worker::Tenant;
pub use database::{
    DatabaseAnswer, DatabaseColumn, DatabaseError, DatabaseHandler, DatabaseKind, DatabaseOperation,
    DatabaseRequest, DatabaseTarget, DatabaseValue,
};
pub use error::ScriptError;
pub use fetch::{Fetch, FetchRequest, FetchResponse};
pub use protocol::{ConsoleLevel, ConsoleLine};
pub use run::{Console, ScriptResult, ScriptRunner, ScriptScope, ScriptServices};
use std::path::PathBuf;
use std::time::Duration;
#[cfg(unix)]
pub use worker::work;

/// Time on the wall of one code input, waiting included, unless `SERVICE_CODE_SECONDS` says otherwise (manual 14.12).
const CODE_WALL_SECONDS: u64 = 30;
/// Fewest workers that may run code at the same time, however few cores there are (manual 14.12).
const CODE_WORKERS_MIN_COUNT: usize = 4;
/// How long code waits for its turn (manual 14.12).
const CODE_QUEUE_SECONDS: u64 = 30;

/// Windows has no walls for a worker, so there is none.
#[cfg(not(unix))]
#[must_use]
pub fn work() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}

/// The argument that makes this program a worker for code.
pub const ROLE: &str = "worker-script";

/// What one run of code may use (manual 11.1), and how many run at the same time.
#[derive(Debug, Clone)]
pub struct ScriptLimits {
    pub processor: Duration,
    /// Time on the clock on the wall, waiting for answers of `fetch` included.
    pub wall: Duration,
    /// Memory of the engine, in bytes.
    pub heap_bytes: usize,
    pub workers_max: usize,
    /// How long a run waits for its turn.
    pub queue: Duration,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            processor: Duration::from_secs(limits::CODE_SECONDS),
            wall: Duration::from_secs(CODE_WALL_SECONDS),
            heap_bytes: usize::try_from(limits::CODE_MEMORY_MB).unwrap_or(usize::MAX) << 20,
            // More than cores, because code that waits for an answer uses none.
            workers_max: (cores * 2).max(CODE_WORKERS_MIN_COUNT),
            queue: Duration::from_secs(CODE_QUEUE_SECONDS),
        }
    }
}

impl ScriptLimits {
    /// Those of the settings `SERVICE_CODE_SECONDS` and `SERVICE_CODE_MEMORY_MB`; the wall is three times the
    /// processor's time.
    #[must_use]
    pub fn from_settings(seconds: u64, memory_mb: u64) -> Self {
        Self {
            processor: Duration::from_secs(seconds),
            wall: Duration::from_secs(seconds * 3),
            heap_bytes: usize::try_from(memory_mb).unwrap_or(usize::MAX) << 20,
            ..Self::default()
        }
    }
}

/// The program workers are made of. On Linux a name for the running program itself, which holds even after an update
/// replaced its file; elsewhere its path.
#[must_use]
pub fn worker_program(path: PathBuf) -> PathBuf {
    if cfg!(target_os = "linux") { PathBuf::from("/proc/self/exe") } else { path }
}
