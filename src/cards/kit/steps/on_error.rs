//! What becomes of a run when a step fails, as the step's card says it (manual 16.4).

use crate::domain::error::Result;
use crate::kit::build::inputs::Inputs;
use crate::kit::schema::input::{Choice, Input};
use serde::{Deserialize, Serialize};

const ON_ERROR: &str = "onError";
const RETRIES: &str = "retries";
const RETRY_WAIT: &str = "retryWaitSeconds";

/// What a card says of its failures.
pub(crate) const INPUTS: &[Input] = &[CHOICE, RETRIES_INPUT, WAIT_INPUT];

const CHOICE: Input = Input::choice(
    ON_ERROR,
    "On Error",
    &[
        Choice::new("stop", "Stop the run"),
        Choice::new("continue", "Continue without a result"),
        Choice::new("branch", "Take the error output"),
    ],
)
.or("stop")
.additional();

/// The same for a card of which a part may fail without the whole; there is nothing that it could try again.
pub(crate) const CONTINUING_CHOICE: Input = CHOICE.or("continue");

const RETRIES_INPUT: Input = Input::whole(RETRIES, "Retries", 0.0, 5.0)
    .additional()
    .help("How often the step is tried again when the other side is busy, unreachable or too slow.");

const WAIT_INPUT: Input = Input::whole(RETRY_WAIT, "Wait before a retry (seconds)", 0.0, 60.0)
    .additional()
    .help("Doubles with each retry. What a provider asks for counts where it is longer.");

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnError {
    /// The run fails.
    #[default]
    Stop,
    /// What follows runs without a result.
    Continue,
    /// What follows the error output runs, and nothing else that follows.
    Branch,
}

impl OnError {
    /// What the card says; a card that has no such input stops.
    #[must_use]
    pub fn from_inputs(inputs: &Inputs<'_>) -> Self {
        let chosen = if inputs.declares(ON_ERROR) { inputs.optional_text(ON_ERROR) } else { None };
        match chosen.as_deref() {
            Some("continue") => Self::Continue,
            Some("branch") => Self::Branch,
            _ => Self::Stop,
        }
    }
}

/// How often a step is tried again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retries {
    pub max: u64,
    /// Before the first retry; it doubles with each.
    pub wait_seconds: u64,
}

impl Retries {
    /// What the card says; a card that has no such inputs is tried once.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        if !inputs.declares(RETRIES) {
            return Ok(Self::default());
        }
        let wait_seconds = inputs.whole(RETRY_WAIT)?.unwrap_or(1);
        Ok(Self { max: inputs.whole(RETRIES)?.unwrap_or(0), wait_seconds })
    }
}
