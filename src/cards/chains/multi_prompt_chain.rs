//! Multi Prompt Chain: chooses the instructions that fit a question, and answers with them.

use super::llm_chain::{MODERATION, answer_with};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::build::component::moderate;
use crate::kit::models::router::{RouteTarget, Router};
use crate::kit::{
    Card, Category, Chain, Factory, Input, Model, Moderation, ModerationVerdict, Risk, RunContext, TokenSink,
    WireType,
};
use crate::llm::{ChatMessage, ChatRequest};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "multiPromptChain",
    label: "Multi Prompt Chain",
    version: 2.0,
    category: Category::Chains,
    description: "Answers each question with the instructions that fit it best.",
    base_classes: &["MultiPromptChain", "MultiRouteChain", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::wire("model", "Language Model", WireType::LanguageModel),
        Input::wires("promptRetriever", "Prompt Retriever", WireType::PromptRetriever),
        MODERATION,
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        let model = inputs.model("model")?;
        let routes = inputs.routes("promptRetriever", |with| matches!(with, RouteTarget::Instructions(_)))?;
        Ok(Arc::new(MultiPrompt {
            router: Router::new(inputs.label, model.clone(), routes)?,
            model,
            moderations: inputs.moderations("inputModeration")?,
        }))
    }),
};

/// The instructions for a question that none of the owner's instructions is for.
const DEFAULT: &str =
    "You are a helpful assistant. Answer clearly, and say so when you do not know something.";

struct MultiPrompt {
    router: Router,
    model: Arc<Model>,
    moderations: Vec<Arc<dyn Moderation>>,
}

impl Chain for MultiPrompt {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        if let ModerationVerdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink);
        }
        let instructions = match self.router.choose(turn)?.map(|route| &route.target) {
            Some(RouteTarget::Instructions(own)) => own,
            _ => DEFAULT,
        };
        answer_with_instructions(instructions, &self.model, turn, sink)
    }
}

/// The answer to a question under these instructions alone.
///
/// # Errors
/// When the model fails.
pub(crate) fn answer_with_instructions(
    instructions: &str,
    model: &Model,
    turn: &RunContext<'_>,
    sink: &mut dyn TokenSink,
) -> Result<RunOutput> {
    let messages = vec![ChatMessage::System(instructions.to_owned()), ChatMessage::user(turn.question)];
    let completion = model.ask(&ChatRequest { messages, ..ChatRequest::default() }, turn.host, sink)?;
    Ok(RunOutput { text: completion.text, ..RunOutput::default() })
}
