//! What the cards of Multi-Agent and Sequential Agent flows become: members of a run that take turns over one shared state.

pub(crate) mod approval;
pub(crate) mod flow_values;
pub(crate) mod judging;
pub(crate) mod prompting;
pub(crate) mod state;
pub(crate) mod state_keeper;
pub(crate) mod table_or_code;
pub(crate) mod tool_rounds;
pub(crate) mod updates;
pub(crate) mod voice;

pub use self::approval::{Approval, ApprovalAnswer};
pub use self::state::{SharedMessage, SharedState, StateKey};
pub use self::state_keeper::{RunState, StateKeeper};

use super::build::component::{Moderation, RunContext, Tool};
use super::models::model::Model;
use super::models::token_sink::TokenSink;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{Artifact, Document, UsedTool};
use crate::llm::{ChatMessage, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A built card of such a flow.
pub enum Member {
    /// What a run begins with, and what its members have in common.
    Start(Opening),
    /// The member that chooses who works next; it begins the run too.
    Supervisor(Opening, NamedStep),
    Step(NamedStep),
    /// The keys of the shared state.
    State(Vec<StateKey>),
    /// Where the state of conversations is kept; `None` for the database of the service.
    Saver(Option<Arc<dyn StateKeeper>>),
    /// A card that only says where the run goes.
    Mark,
}

/// What the members of a run have in common.
pub struct Opening {
    /// The model of members that have none of their own.
    pub model: Arc<Model>,
    pub moderations: Vec<Arc<dyn Moderation>>,
    pub keys: Vec<StateKey>,
    /// Where the state is kept; `None` for the database of the service.
    pub keeper: Option<Arc<dyn StateKeeper>>,
    /// Most turns of one run.
    pub turns_max: usize,
}

/// A member that takes turns.
pub struct NamedStep {
    /// What events and other members call it.
    pub name: String,
    /// True when a turn of it counts as one of those that a run may take.
    pub counts: bool,
    /// Tools that it runs for the LLM Node that it is wired to.
    pub tools: Vec<Arc<dyn Tool>>,
    pub step: Box<dyn MemberStep>,
}

/// Something that takes turns.
pub trait MemberStep: Send + Sync {
    /// Takes a turn, or goes on with one for which a person was asked. `words` takes what it says as it says it, where
    /// that is the answer; a member that may yet say something else leaves it alone.
    ///
    /// # Errors
    /// What failed, naming the card.
    fn take_turn(
        &self,
        view: &TurnView<'_>,
        turn: &RunContext<'_>,
        words: &mut dyn TokenSink,
    ) -> Result<MemberTurn>;
}

/// What a member sees of the run when its turn comes.
pub struct TurnView<'a> {
    /// The id of its node.
    pub node: &'a str,
    pub state: &'a SharedState,
    /// The model of the run, for a member without one of its own.
    pub model: &'a Arc<Model>,
    /// Tools of the Tool Nodes behind an LLM Node.
    pub tools: &'a [Arc<dyn Tool>],
    /// The workers of a supervisor, by name.
    pub workers: &'a [String],
    /// Variables, with the values of the request over the saved ones.
    pub variables: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// What a person decided, where the member asked.
    pub answered: Option<&'a ApprovalAnswer>,
}

/// What a turn came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MemberTurn {
    /// What is added to the messages of the state.
    pub messages: Vec<ChatMessage>,
    /// What is written into the other keys.
    pub updates: Map<String, Value>,
    /// What of it is shown to who asked.
    #[serde(skip)]
    pub shown: ShownTurn,
    #[serde(skip)]
    pub way: Way,
    /// What a person is asked before the member goes on.
    pub approval: Option<Approval>,
    /// True when the messages look like a person's own.
    pub as_person: bool,
}

/// What of a turn is shown to who asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShownTurn {
    pub texts: Vec<String>,
    /// All that its model said on the way to its message, where that is more than the message.
    pub spoken: Option<String>,
    pub next: Option<String>,
    pub instructions: Option<String>,
    pub used_tools: Vec<UsedTool>,
    pub sources: Vec<Document>,
    pub artifacts: Vec<Artifact>,
}

/// Where the run goes after a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Way {
    /// Along every edge.
    #[default]
    Everywhere,
    /// Along the edges of one named output.
    Output(String),
    /// To the Tool Nodes, or to everything else.
    Tools(bool),
    /// To the worker of this name.
    Worker(String),
    /// Nowhere.
    Finish,
}

impl MemberTurn {
    /// A turn in which the member said this.
    #[must_use]
    pub fn said(text: String) -> Self {
        let shown = ShownTurn { texts: vec![text.clone()], ..ShownTurn::default() };
        Self { messages: vec![ChatMessage::assistant(text)], shown, ..Self::default() }
    }

    #[must_use]
    pub(crate) fn with_updates(self, updates: Map<String, Value>) -> Self {
        Self { updates, ..self }
    }
}

impl TurnView<'_> {
    /// The tool calls that the newest message of the state asks for.
    #[must_use]
    pub(crate) fn open_calls(&self) -> &[ToolCall] {
        match self.state.messages.last().map(|said| &said.message) {
            Some(ChatMessage::Assistant { calls, .. }) => calls,
            _ => &[],
        }
    }
}

/// A failure that names its card.
pub(crate) fn fault(label: &str, what: &str) -> Error {
    Error::RunFailed(format!("{label}: {what}"))
}
