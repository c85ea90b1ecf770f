//! Conversation Chain: instructions, the conversation so far, and the question.

use super::llm_chain::{MODERATION, answer_with};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::build::component::moderate;
use crate::kit::build::prompt::{Prompt, PromptForm};
use crate::kit::models::messages::attach_images;
use crate::kit::models::past_pictures::remembered;
use crate::kit::{
    Card, Category, Chain, ChainProgress, Factory, Input, Memory, Model, Moderation, ModerationVerdict, Risk,
    RunContext, TokenSink, WireType,
};
use crate::llm::ChatMessage;
use std::sync::Arc;

const DEFAULT_SYSTEM: &str = "You are a helpful assistant in a conversation with a person. Answer clearly and \
                              concretely, use what was said before, and say so when you do not know something.";

pub(crate) const CARD: Card = Card {
    name: "conversationChain",
    label: "Conversation Chain",
    version: 3.0,
    category: Category::Chains,
    description: "Chats with a model that remembers the conversation.",
    base_classes: &["ConversationChain", "LLMChain", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::wire("model", "Chat Model", WireType::ChatModel),
        Input::wire("memory", "Memory", WireType::Memory),
        Input::wire("chatPromptTemplate", "Chat Prompt Template", WireType::ChatPrompt)
            .optional()
            .help("Takes the place of the system message; its human message carries the question."),
        MODERATION,
        Input::lines("systemMessagePrompt", "System Message").or(DEFAULT_SYSTEM).additional(),
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        Ok(Arc::new(ConversationChain {
            label: inputs.label.to_owned(),
            model: inputs.model("model")?,
            memory: inputs.memory("memory")?,
            prompt: inputs.optional_prompt("chatPromptTemplate")?,
            system: inputs.instructions("systemMessagePrompt"),
            moderations: inputs.moderations("inputModeration")?,
        }))
    }),
};

struct ConversationChain {
    label: String,
    model: Arc<Model>,
    memory: Arc<dyn Memory>,
    prompt: Option<Arc<Prompt>>,
    system: String,
    moderations: Vec<Arc<dyn Moderation>>,
}

impl Chain for ConversationChain {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        self.begin(turn, sink)?.complete(turn, sink)
    }

    fn begin(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<ChainProgress> {
        if let ModerationVerdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink).map(ChainProgress::Done);
        }
        let past = self.memory.messages(turn)?;
        let past = remembered(past, Some(&*self.memory), turn, &self.model)?;
        let mut messages =
            conversation(&self.label, self.prompt.as_deref(), &self.system, past, turn.question)?;
        attach_images(&mut messages, turn, &self.model);
        ChainProgress::from_model(&self.model, messages, turn, sink)
    }
}

/// System text, past messages, question: with a prompt card in place of the system text when one is wired.
///
/// # Errors
/// When the prompt has variables without a value.
pub(crate) fn conversation(
    label: &str,
    prompt: Option<&Prompt>,
    system: &str,
    past: Vec<ChatMessage>,
    question: &str,
) -> Result<Vec<ChatMessage>> {
    let (system, history, human) = match prompt {
        None => (system.to_owned(), &[][..], question.to_owned()),
        Some(prompt) => {
            let values = prompt.fill(label, question)?;
            match &prompt.form {
                PromptForm::Chat { system, history, human } => {
                    (system.format(&values), history.as_slice(), human.format_or(&values, question))
                }
                PromptForm::Text(text) => (text.format(&values), &[][..], question.to_owned()),
            }
        }
    };
    let mut messages = Vec::with_capacity(history.len() + past.len() + 2);
    if !system.trim().is_empty() {
        messages.push(ChatMessage::System(system));
    }
    messages.extend_from_slice(history);
    messages.extend(past);
    messages.push(ChatMessage::user(human));
    Ok(messages)
}
