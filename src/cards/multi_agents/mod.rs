//! The cards of Multi-Agent flows: a supervisor and its workers.

pub(crate) mod supervisor;
pub(crate) mod worker;

/// What the supervisor's model and the wiring of a run call a worker.
#[must_use]
pub fn worker_key(name: &str) -> String {
    name.trim().to_lowercase().replace(' ', "_")
}

/// What the supervisor chooses when nobody is to work any more.
pub const FINISH: &str = "FINISH";
/// The key of the state that says what the chosen worker is to do.
pub(super) const INSTRUCTIONS: &str = "instructions";
