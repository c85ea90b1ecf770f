//! Conversation Summary Memory: the messages so far, summed up by a model.

use super::buffer_window::SESSION_INPUTS;
use super::summarizer::Summarizer;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::HistoryMessage;
use crate::kit::{Capability, Card, Category, Factory, Input, Memory, Need, Risk, RunContext, WireType};
use std::sync::Arc;

/// The model that writes the summary.
pub(crate) const MODEL: Input = Input::wire("model", "Chat Model", WireType::ChatModel);

pub(crate) const CARD: Card = Card {
    name: "conversationSummaryMemory",
    label: "Conversation Summary Memory",
    version: 2.0,
    category: Category::Memory,
    description: "Sends a summary of the conversation to the model.",
    base_classes: &[
        "ConversationSummaryMemory",
        "BaseConversationSummaryMemory",
        "BaseChatMemory",
        "BaseMemory",
    ],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Conversations), Need::required(Capability::Replies)],
    inputs: &[MODEL, SESSION_INPUTS[0], SESSION_INPUTS[1]],
    outputs: &[],
    make: Factory::Memory(|inputs| Ok(Arc::new(Summary(Summarizer::from_inputs(inputs)?)))),
};

struct Summary(Summarizer);

impl Memory for Summary {
    fn messages(&self, turn: &RunContext<'_>) -> Result<Vec<HistoryMessage>> {
        self.0.messages(turn, <[HistoryMessage]>::len)
    }
}
