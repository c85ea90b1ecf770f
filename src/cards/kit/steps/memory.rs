//! What a step of an agentflow remembers of its conversation.

use super::context::StepContext;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{HistoryMessage, MessageRole};
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::replies::ReplyStore;
use crate::kit::models::model::Model;
use crate::kit::models::model_tally::ModelTally;
use crate::kit::models::notes::{NoteTaker, newest_from};
use crate::kit::models::past_pictures::with_pictures;
use crate::kit::schema::input::{Choice, Input};
use crate::llm::ChatMessage;

const WINDOW_DEFAULT: u64 = 20;
const TOKENS_DEFAULT: u64 = 2_000;

const KINDS: &[Choice] = &[
    Choice::new("allMessages", "All Messages"),
    Choice::new("windowSize", "Newest Messages"),
    Choice::new("conversationSummary", "Summary"),
    Choice::new("conversationSummaryBuffer", "Summary and Newest Messages"),
];

/// The names of a card's inputs about its memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryNames {
    pub enable: &'static str,
    pub kind: &'static str,
    pub window: &'static str,
    pub tokens: &'static str,
}

impl MemoryNames {
    /// The inputs, in the order the editor shows them.
    #[must_use]
    pub(crate) const fn inputs(self) -> [Input; 4] {
        [
            Input::switch(self.enable, "Enable Memory")
                .or("true")
                .optional()
                .help("Sends the conversation along, and what was said in this run before."),
            Input::choice(self.kind, "Memory Type", KINDS)
                .or("allMessages")
                .optional()
                .when(self.enable, "true"),
            Input::whole(self.window, "Window Size", 1.0, 1_000.0)
                .or("20")
                .when(self.kind, "windowSize")
                .help("So many pairs of question and answer are sent."),
            Input::whole(self.tokens, "Max Token Limit", 0.0, 1_000_000.0)
                .or("2000")
                .when(self.kind, "conversationSummaryBuffer")
                .help("What the newest messages may have in tokens, estimated; older ones are summed up."),
        ]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepMemory {
    pub is_on: bool,
    kind: MemoryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryKind {
    All,
    /// The newest of so many pairs.
    Window(u64),
    Summary,
    /// What the newest messages may have in tokens.
    SummaryBuffer(u64),
}

impl StepMemory {
    /// What the card says.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, names: MemoryNames) -> Result<Self> {
        let kind = match inputs.optional_text(names.kind).as_deref() {
            Some("windowSize") => MemoryKind::Window(inputs.whole(names.window)?.unwrap_or(WINDOW_DEFAULT)),
            Some("conversationSummary") => MemoryKind::Summary,
            Some("conversationSummaryBuffer") => {
                MemoryKind::SummaryBuffer(inputs.whole(names.tokens)?.unwrap_or(TOKENS_DEFAULT))
            }
            _ => MemoryKind::All,
        };
        Ok(Self { is_on: inputs.switch(names.enable), kind })
    }

    /// What a card says that has no switch: it remembers nothing but what is chosen, in full or the newest of it.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub(crate) fn chosen(inputs: &Inputs<'_>, kind: &str, window: &str) -> Result<Self> {
        let kind = match inputs.optional_text(kind).as_deref() {
            Some("allMessages") => MemoryKind::All,
            Some("windowSize") => MemoryKind::Window(inputs.whole(window)?.unwrap_or(WINDOW_DEFAULT)),
            _ => return Ok(Self { is_on: false, kind: MemoryKind::All }),
        };
        Ok(Self { is_on: true, kind })
    }

    /// What was said before the step; of a question that it is the first to hear, nothing. Pictures go with what is sent as it
    /// is.
    ///
    /// # Errors
    /// When the conversation cannot be read, or the model cannot sum it up.
    pub(crate) fn messages(
        &self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
        model: &Model,
        tally: &mut ModelTally,
    ) -> Result<Vec<ChatMessage>> {
        let mut newer = context.past.told_messages()?;
        newer.extend_from_slice(context.said);
        let older = newer.drain(..self.older(&newer, context)).collect::<Vec<_>>();
        let notes = match self.kind {
            MemoryKind::All | MemoryKind::Window(_) => None,
            MemoryKind::Summary | MemoryKind::SummaryBuffer(_) => {
                let replies = inputs.want::<dyn ReplyStore>();
                NoteTaker { model, replies }.message(&older, context.turn.host, tally)?
            }
        };
        let read = |file: &MessageFile, bytes_max: usize| context.past.picture(file, bytes_max);
        with_pictures(notes.into_iter().chain(newer).collect(), &read, model)
    }

    /// How many of the messages are not sent as they are. The newest message of the person always is, so that the model
    /// knows what it is asked; where the step is the first to hear the question, that is the question.
    fn older(&self, messages: &[HistoryMessage], context: &StepContext<'_>) -> usize {
        let is_users = |message: &HistoryMessage| message.role == MessageRole::User;
        let asked = match messages.iter().rposition(is_users) {
            Some(at) if !context.speaks_first() => at,
            _ => messages.len(),
        };
        match self.kind {
            MemoryKind::All => 0,
            MemoryKind::Window(pairs) => {
                let room = usize::try_from(pairs.saturating_mul(2)).unwrap_or(usize::MAX);
                let question = usize::from(context.speaks_first());
                messages.len().saturating_sub(room.saturating_sub(question))
            }
            MemoryKind::Summary => asked,
            MemoryKind::SummaryBuffer(tokens) => {
                newest_from(messages, usize::try_from(tokens).unwrap_or(usize::MAX)).min(asked)
            }
        }
    }
}
