//! What came of a step of an agentflow.

use crate::domain::predictions::prediction::{Document, HistoryMessage, UsedTool};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// What a step did, as the record shows it, and where the run goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepOutcome {
    /// What it worked with.
    pub input: Map<String, Value>,
    /// What it made: `content` is its text.
    pub output: Map<String, Value>,
    pub next: NextSteps,
    /// What it adds to what was said in the run.
    pub said: Vec<HistoryMessage>,
    pub used_tools: Vec<UsedTool>,
    /// Chunks that the answer leans on.
    pub sources: Vec<Document>,
    /// Values for the state of the run.
    pub state: Map<String, Value>,
}

impl StepOutcome {
    /// Of a step that made a text.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        let mut outcome = Self::default();
        outcome.output.insert(CONTENT.to_owned(), text.into().into());
        outcome
    }

    /// With what the step worked with.
    #[must_use]
    pub fn with_input(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.input.insert(name.to_owned(), value.into());
        self
    }

    /// The text of the step; empty where it made none.
    #[must_use]
    pub fn text(&self) -> &str {
        text_in(&self.output)
    }
}

/// The entry of an output that holds its text.
pub const CONTENT: &str = "content";

/// The text in what a step made; empty where there is none.
#[must_use]
pub(crate) fn text_in(output: &Map<String, Value>) -> &str {
    output.get(CONTENT).and_then(Value::as_str).unwrap_or_default()
}

/// A call of a tool as a model made it, in the form by which clients know it: without what came of it.
#[must_use]
pub fn called_tool(tool: &str, input: &Value) -> Value {
    json!({"tool": tool, "toolInput": input, "toolOutput": ""})
}

/// When something began and ended, and how long it took, in milliseconds; `None` where the clock was put back meanwhile.
#[must_use]
pub fn time_metadata(began: Timestamp, ended: Timestamp) -> Option<Value> {
    let (start, end) = (began.as_millisecond(), ended.as_millisecond());
    (start <= end).then(|| json!({ "start": start, "end": end, "delta": end - start }))
}

/// Where the run goes on from a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum NextSteps {
    /// With all that follow.
    #[default]
    All,
    /// With what follows these outputs, by their places.
    Outputs(Vec<usize>),
    /// From the step that the card names, as long as it did not do so too often.
    Back(LoopBack),
    /// Nowhere until a person decides.
    Pause(Pause),
    /// With what stands inside the card, once for each item, and then with all that follow.
    Items(ItemRuns),
}

/// A jump back.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopBack {
    /// How often the steps between run in all.
    pub runs_max: u64,
    /// What the step says instead once they did.
    pub fallback: String,
}

/// A step that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Pause {
    /// What the person is asked to decide, as clients show it.
    pub action: Value,
    /// What the step needs to go on; it is stored with the run.
    pub kept: Value,
    /// After so many seconds it counts as rejected.
    pub timeout_seconds: Option<u64>,
}

/// Runs of what stands inside a card.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemRuns {
    pub items: Vec<Value>,
    /// How many run at once.
    pub at_once: usize,
}
