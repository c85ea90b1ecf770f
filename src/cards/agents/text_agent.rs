//! What the agents that talk to tools in text have in common.

use super::inputs::ROUNDS_DEFAULT;
use crate::chains::conversation_chain::conversation;
use crate::chains::llm_chain::answer_with;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{HistoryMessage, RunOutput};
use crate::kit::build::component::moderate;
use crate::kit::models::messages::{attach_images, past_messages};
use crate::kit::models::past_pictures::remembered;
use crate::kit::models::text_loop::instructions;
use crate::kit::{
    Chain, Inputs, Memory, Model, Moderation, ModerationVerdict, RunContext, TextLoop, TextProtocol,
    TokenSink, Tool,
};
use crate::llm::ChatMessage;
use std::sync::Arc;

/// An agent whose model writes its calls as text.
pub(crate) struct TextAgent {
    label: String,
    pub tools: Vec<Arc<dyn Tool>>,
    memory: Option<Arc<dyn Memory>>,
    model: Arc<Model>,
    pub system: String,
    moderations: Vec<Arc<dyn Moderation>>,
    rounds_max: u64,
    protocol: &'static dyn TextProtocol,
    takes_images: bool,
}

impl TextAgent {
    /// From the inputs all of them have; `system` is the owner's text.
    ///
    /// # Errors
    /// When no model is wired, or something else than what belongs there.
    pub(crate) fn from_inputs(
        inputs: &Inputs<'_>,
        protocol: &'static dyn TextProtocol,
        system: String,
    ) -> Result<Self> {
        let remembers = inputs.card.input("memory").is_some();
        Ok(Self {
            label: inputs.label.to_owned(),
            tools: inputs.tools("tools")?,
            memory: if remembers { inputs.optional_memory("memory")? } else { None },
            model: inputs.model("model")?,
            system,
            moderations: inputs.moderations("inputModeration")?,
            rounds_max: inputs.whole("maxIterations")?.unwrap_or(ROUNDS_DEFAULT),
            protocol,
            takes_images: false,
        })
    }

    /// It hands images of the question on to its model.
    #[must_use]
    pub(crate) fn with_images(mut self) -> Self {
        self.takes_images = true;
        self
    }

    /// Answers from the messages that `begin` makes of the earlier ones.
    ///
    /// # Errors
    /// What failed, naming the card.
    pub(crate) fn answer(
        &self,
        turn: &RunContext<'_>,
        sink: &mut dyn TokenSink,
        begin: impl FnOnce(&[HistoryMessage]) -> Result<Vec<ChatMessage>>,
    ) -> Result<RunOutput> {
        if let ModerationVerdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink);
        }
        let past = match &self.memory {
            Some(memory) => memory.messages(turn)?,
            None => turn.history.to_vec(),
        };
        let mut messages = begin(&past)?;
        if self.takes_images {
            attach_images(&mut messages, turn, &self.model);
        }
        let text_loop = TextLoop {
            label: &self.label,
            model: &self.model,
            tools: &self.tools,
            rounds_max: self.rounds_max,
            protocol: self.protocol,
        };
        text_loop.run(messages, turn, sink)
    }

    /// The owner's instructions, and how tools are called.
    #[must_use]
    pub(crate) fn instructions(&self) -> String {
        format!("{}\n\n{}", self.system, instructions(self.protocol, &self.tools)).trim().to_owned()
    }
}

impl Chain for TextAgent {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        self.answer(turn, sink, |past| {
            let past = if self.takes_images {
                remembered(past.to_vec(), self.memory.as_deref(), turn, &self.model)?
            } else {
                past_messages(past.to_vec())
            };
            conversation(&self.label, None, &self.instructions(), past, turn.question)
        })
    }
}
