//! Multi Prompt Chain: chooses the instructions that fit a question, and answers with them.

use super::llm_chain::{MODERATION, answer_with};
use crate::cards::kit::part::moderate;
use crate::cards::kit::router::{Router, With};
use crate::cards::kit::{
    Card, Category, Chain, Connects, Input, Make, Model, Moderation, Risk, Sink, Turn, Verdict,
};
use crate::domain::error::Result;
use crate::domain::prediction::Outcome;
use crate::llm::{ChatRequest, Message};
use std::sync::Arc;

/// The card.
pub const CARD: Card = Card {
    name: "multiPromptChain",
    label: "Multi Prompt Chain",
    version: 2.0,
    category: Category::Chains,
    description: "Answers each question with the instructions that fit it best.",
    base_classes: &["MultiPromptChain", "MultiRouteChain", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    inputs: &[
        Input::wire("model", "Language Model", Connects::LanguageModel),
        Input::wires("promptRetriever", "Prompt Retriever", Connects::PromptRetriever),
        MODERATION,
    ],
    outputs: &[],
    make: Make::Chain(|inputs| {
        let model = inputs.model("model")?;
        let routes = inputs.routes("promptRetriever", |with| matches!(with, With::Instructions(_)))?;
        Ok(Arc::new(MultiPrompt {
            router: Router::new(inputs.label, model.clone(), routes)?,
            model,
            moderations: inputs.moderations("inputModeration")?,
        }))
    }),
};

/// What a model is told about a question that none of the owner's instructions is for.
const DEFAULT: &str =
    "You are a helpful assistant. Answer clearly, and say so when you do not know something.";

struct MultiPrompt {
    router: Router,
    model: Arc<Model>,
    moderations: Vec<Arc<dyn Moderation>>,
}

impl Chain for MultiPrompt {
    fn run(&self, turn: &Turn<'_>, sink: &mut dyn Sink) -> Result<Outcome> {
        if let Verdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink);
        }
        let instructions = match self.router.choose(turn)?.map(|route| &route.with) {
            Some(With::Instructions(own)) => own,
            _ => DEFAULT,
        };
        unrouted(instructions, &self.model, turn, sink)
    }
}

/// The answer to a question under these instructions alone.
///
/// # Errors
/// When the model fails.
pub fn unrouted(instructions: &str, model: &Model, turn: &Turn<'_>, sink: &mut dyn Sink) -> Result<Outcome> {
    let messages = vec![Message::System(instructions.to_owned()), Message::user(turn.question)];
    let completion = model.ask(&ChatRequest { messages, ..ChatRequest::default() }, turn.host, sink)?;
    Ok(Outcome { text: completion.text, ..Outcome::default() })
}
