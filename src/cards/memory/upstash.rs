//! Upstash Redis-Backed Chat Memory: a conversation kept in a database of Upstash, in the form in which the memory over a
//! Redis server keeps it, so that both can share one.

use super::buffer_window::SESSION_INPUTS;
use super::redis::{RedisMemory, SESSION_TTL, seconds};
use super::stored_messages;
use crate::kit::stores::remote::missing_input;
use crate::kit::stores::upstash::Upstash;
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "upstashRedisBackedChatMemory",
    label: "Upstash Redis-Backed Chat Memory",
    version: 2.0,
    category: Category::Memory,
    description: "Keeps the conversation in a database of Upstash, where Flowise and programs like it can go on with it.",
    base_classes: &["UpstashRedisBackedChatMemory", "BaseChatMemory", "BaseMemory"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Conversations)],
    inputs: &[
        Input::credential(&["upstashRedisMemoryApi"]),
        Input::address("baseURL", "Upstash Redis REST URL").help("Such as https://yours.upstash.io."),
        SESSION_INPUTS[0],
        SESSION_TTL,
        SESSION_INPUTS[1],
    ],
    outputs: &[],
    make: Factory::Memory(|inputs| {
        let base = inputs.address("baseURL").ok_or_else(|| missing_input(inputs, "baseURL"))?;
        let token = inputs.secret("upstashRestToken")?;
        Ok(Arc::new(RedisMemory {
            label: inputs.label.to_owned(),
            session: inputs.optional_text("sessionId"),
            seconds: seconds(inputs)?,
            newest: stored_messages::window(None),
            conversations: inputs.need()?,
            commands: Box::new(Upstash::from_inputs(inputs, &base, &token)),
        }))
    }),
};
