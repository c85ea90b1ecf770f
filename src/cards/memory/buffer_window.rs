//! Buffer Window Memory: the last few questions and answers.

use super::buffer::Buffer;
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};
use crate::limits::MEMORY_MESSAGES_MAX;
use std::sync::Arc;

/// What every memory kept by this server asks for.
pub(crate) const SESSION_INPUTS: &[Input] = &[
    Input::text("sessionId", "Session Id").additional().help(
        "Empty: each conversation has its own memory. A fixed text shares one memory between all who ask.",
    ),
    Input::text("memoryKey", "Memory Key").or("chat_history").additional(),
];

pub(crate) const CARD: Card = Card {
    name: "bufferWindowMemory",
    label: "Buffer Window Memory",
    version: 2.0,
    category: Category::Memory,
    description: "Sends the last few questions and answers of the conversation to the model.",
    base_classes: &["BufferWindowMemory", "BaseChatMemory", "BaseMemory"],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Conversations)],
    inputs: &[
        Input::whole("k", "Size", 0.0, 10_000.0)
            .or("4")
            .help("How many pairs of question and answer are sent."),
        SESSION_INPUTS[0],
        SESSION_INPUTS[1],
    ],
    outputs: &[],
    make: Factory::Memory(|inputs| {
        let pairs = usize::try_from(inputs.whole("k")?.unwrap_or(4)).unwrap_or(MEMORY_MESSAGES_MAX);
        let newest = pairs.saturating_mul(2).min(MEMORY_MESSAGES_MAX);
        Ok(Arc::new(Buffer {
            session: inputs.optional_text("sessionId"),
            newest,
            conversations: inputs.need()?,
        }))
    }),
};
