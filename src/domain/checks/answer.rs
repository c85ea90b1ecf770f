//! What one side of a check answered, once.

use serde_json::Value;

/// One answer of one side to one question of a check.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What was said, as far as it is compared. Empty where the run failed.
    pub text: String,
    /// The digest of all that was said, in lower case and with every run of white space as one space. So two answers are
    /// known to be the same although only their beginnings are kept.
    pub digest: String,
    /// Why the run failed.
    pub error: Option<String>,
    /// Tokens as the models reported them; `None` where none did.
    pub tokens: Option<u64>,
    pub ms: u64,
    /// It was asked once more because of what differed before, so it counts in no similarity, distance or median.
    pub again: bool,
    /// Names of the tools that were called, in order.
    pub tools: Vec<String>,
    /// Digests of the chunks that the answer was made of.
    pub sources: Vec<String>,
    /// The steps of an agentflow, in the order in which they ended.
    pub steps: Vec<StepTrace>,
    /// Where the flow declares the shape of its answer: whether the answer has it.
    pub structured: Option<bool>,
    /// The answer as JSON, where the flow answers with an object.
    pub json: Option<Value>,
}

/// What one step of an agentflow did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepTrace {
    pub node_id: String,
    pub node_label: String,
    /// How it ended, as records of runs say it.
    pub status: String,
    /// The digest of what it gave.
    pub output: String,
    /// Names of the tools that it called, in order.
    pub tools: Vec<String>,
}
