//! Buffer Memory: all messages of the session so far.

use super::stored_messages;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::HistoryMessage;
use crate::kit::{
    Capability, Card, Category, Conversations, Factory, Grant, Host, Memory, Need, Risk, RunContext,
};
use crate::limits::MEMORY_MESSAGES_MAX;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "bufferMemory",
    label: "Buffer Memory",
    version: 2.0,
    category: Category::Memory,
    description: "Sends all earlier messages of the conversation to the model.",
    base_classes: &["BufferMemory", "BaseChatMemory", "BaseMemory"],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Conversations)],
    inputs: super::buffer_window::SESSION_INPUTS,
    outputs: &[],
    make: Factory::Memory(|inputs| {
        Ok(Arc::new(Buffer {
            session: inputs.optional_text("sessionId"),
            newest: MEMORY_MESSAGES_MAX,
            conversations: inputs.need()?,
        }))
    }),
};

/// The newest messages of a session.
pub(crate) struct Buffer {
    /// A fixed session the owner chose; `None` is the conversation of the request.
    pub session: Option<String>,
    /// How many messages at the most.
    pub newest: usize,
    pub conversations: Grant<dyn Conversations>,
}

impl Memory for Buffer {
    fn messages(&self, turn: &RunContext<'_>) -> Result<Vec<HistoryMessage>> {
        Ok(stored_messages::messages_to_send(
            turn,
            self.conversations.of(turn.host)?.told_history(self.session.as_deref(), self.newest)?,
            self.newest,
        ))
    }

    fn picture(&self, file: &MessageFile, bytes_max: usize, host: &dyn Host) -> Result<Option<Vec<u8>>> {
        self.conversations.of(host)?.picture(file, bytes_max)
    }
}
