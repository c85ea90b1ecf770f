//! What a step of an agentflow sees beside its inputs.

use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::human_input::Decision;
use crate::domain::predictions::prediction::HistoryMessage;
use crate::kit::build::component::RunContext;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a step sees of its run. It is what came before it along the connections that were taken, and never what merely happened
/// earlier, so a step sees the same whatever runs beside it.
pub struct StepContext<'a> {
    /// The id of its node.
    pub node: &'a str,
    /// The question, its files, the history that the request brought along, and the world.
    pub turn: &'a RunContext<'a>,
    pub start: &'a StartValues,
    /// What was said in this run before the step: the person's words once, then what steps replied.
    pub said: &'a [HistoryMessage],
    /// What was said in the conversation before this run.
    pub past: &'a dyn ConversationPast,
    /// The values that the steps before it left.
    pub state: &'a Map<String, Value>,
    /// No step follows it: what it writes is the answer.
    pub is_last: bool,
    /// The step goes on from where it paused.
    pub resume: Option<&'a StepResume>,
}

impl StepContext<'_> {
    /// True for a model that nobody spoke before in this run: it is the one that is given the question.
    #[must_use]
    pub(crate) const fn speaks_first(&self) -> bool {
        self.said.is_empty()
    }
}

/// The messages of a conversation before a run.
pub trait ConversationPast: Send + Sync {
    /// Oldest first; none where the flow forgets what was said before.
    ///
    /// # Errors
    /// When they cannot be read.
    fn messages(&self) -> Result<Vec<HistoryMessage>>;

    /// As [`Self::messages`], with the text of the documents that came with them: what a model is told.
    ///
    /// # Errors
    /// As [`Self::messages`], and when the run ends while a document is read.
    fn told_messages(&self) -> Result<Vec<HistoryMessage>> {
        self.messages()
    }

    /// A picture of one of these messages, or of this run, that is stored with the conversation. `None` where nothing is stored,
    /// for one that is gone, and for one that is larger.
    ///
    /// # Errors
    /// When it cannot be read.
    fn picture(&self, _file: &MessageFile, _bytes_max: usize) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

/// What started the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StartValues {
    /// The values of a form, by the names of its fields.
    pub form: Option<Map<String, Value>>,
    /// Body, headers and query of a call.
    pub webhook: Option<Value>,
}

/// A step that paused goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResume {
    pub decision: Decision,
    /// What the person wrote beside it.
    pub feedback: Option<String>,
    /// What the step kept for this moment.
    pub kept: Value,
}
