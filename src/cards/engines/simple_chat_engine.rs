//! Simple Chat Engine: a conversation with a model.

use super::{MEMORY, MODEL, SYSTEM};
use crate::chains::conversation_chain::conversation;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::models::messages::past_messages;
use crate::kit::{Card, Category, Chain, ChainProgress, Factory, Memory, Model, Risk, RunContext, TokenSink};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "simpleChatEngine",
    label: "Simple Chat Engine",
    version: 1.0,
    category: Category::Engine,
    description: "Chats with a model that remembers the conversation.",
    base_classes: &["SimpleChatEngine"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[MODEL, MEMORY, SYSTEM],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        Ok(Arc::new(SimpleChat {
            label: inputs.label.to_owned(),
            model: inputs.model(MODEL.name)?,
            memory: inputs.memory(MEMORY.name)?,
            system: inputs.instructions(SYSTEM.name),
        }))
    }),
};

struct SimpleChat {
    label: String,
    model: Arc<Model>,
    memory: Arc<dyn Memory>,
    system: String,
}

impl Chain for SimpleChat {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        self.begin(turn, sink)?.complete(turn, sink)
    }

    fn begin(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<ChainProgress> {
        let past = past_messages(self.memory.messages(turn)?);
        let messages = conversation(&self.label, None, &self.system, past, turn.question)?;
        ChainProgress::from_model(&self.model, messages, turn, sink)
    }
}
