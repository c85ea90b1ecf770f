//! Conversation Summary Buffer Memory: the newest messages as they are, older ones summed up by a model.

use super::buffer_window::SESSION_INPUTS;
use super::conversation_summary::MODEL;
use super::summarizer::Summarizer;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::HistoryMessage;
use crate::kit::models::notes::newest_from;
use crate::kit::{Capability, Card, Category, Factory, Host, Input, Memory, Need, Risk, RunContext};
use std::sync::Arc;

const TOKENS_DEFAULT: u64 = 2_000;

pub(crate) const CARD: Card = Card {
    name: "conversationSummaryBufferMemory",
    label: "Conversation Summary Buffer Memory",
    version: 1.0,
    category: Category::Memory,
    description: "Sends the newest messages and a summary of the older ones to the model.",
    base_classes: &[
        "ConversationSummaryBufferMemory",
        "BaseConversationSummaryMemory",
        "BaseChatMemory",
        "BaseMemory",
    ],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Conversations), Need::required(Capability::Replies)],
    inputs: &[
        MODEL,
        Input::whole("maxTokenLimit", "Max Token Limit", 0.0, 1_000_000.0)
            .or("2000")
            .help("What the newest messages may have in tokens, estimated; older ones go into the summary."),
        SESSION_INPUTS[0],
        SESSION_INPUTS[1],
    ],
    outputs: &[],
    make: Factory::Memory(|inputs| {
        let tokens = inputs.whole("maxTokenLimit")?.unwrap_or(TOKENS_DEFAULT);
        Ok(Arc::new(SummaryBuffer {
            summarizer: Summarizer::from_inputs(inputs)?,
            tokens_max: usize::try_from(tokens).unwrap_or(usize::MAX),
        }))
    }),
};

struct SummaryBuffer {
    summarizer: Summarizer,
    tokens_max: usize,
}

impl Memory for SummaryBuffer {
    fn messages(&self, turn: &RunContext<'_>) -> Result<Vec<HistoryMessage>> {
        self.summarizer.messages(turn, |messages| newest_from(messages, self.tokens_max))
    }

    fn picture(&self, file: &MessageFile, bytes_max: usize, host: &dyn Host) -> Result<Option<Vec<u8>>> {
        self.summarizer.session.picture(file, bytes_max, host)
    }
}
