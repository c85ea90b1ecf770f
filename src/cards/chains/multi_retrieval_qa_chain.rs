//! Multi Retrieval QA Chain: chooses the store that fits a question, and answers from it.

use super::llm_chain::{MODERATION, answer_with};
use super::multi_prompt_chain::answer_with_instructions;
use super::retrieval_qa_chain::{RETURN_SOURCES, answer_from};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::build::component::moderate;
use crate::kit::models::router::{RouteTarget, Router};
use crate::kit::{
    Card, Category, Chain, Factory, Input, Model, Moderation, ModerationVerdict, Risk, RunContext, TokenSink,
    WireType,
};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "multiRetrievalQAChain",
    label: "Multi Retrieval QA Chain",
    version: 2.0,
    category: Category::Chains,
    description: "Answers each question from the store that fits it best.",
    base_classes: &["MultiRetrievalQAChain", "MultiRouteChain", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::wire("model", "Language Model", WireType::LanguageModel),
        Input::wires("vectorStoreRetriever", "Vector Store Retriever", WireType::VectorStoreRetriever),
        RETURN_SOURCES,
        MODERATION,
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        let model = inputs.model("model")?;
        let routes =
            inputs.routes("vectorStoreRetriever", |with| matches!(with, RouteTarget::Retriever(_)))?;
        Ok(Arc::new(MultiRetrieval {
            router: Router::new(inputs.label, model.clone(), routes)?,
            model,
            returns_sources: inputs.switch("returnSourceDocuments"),
            moderations: inputs.moderations("inputModeration")?,
        }))
    }),
};

/// What a model reads about a question that none of the stores is for.
const NO_STORE: &str = "Nothing was looked up for this question, because none of the stores you can search is about it. Say that, and \
                        answer only what anyone would agree with.";

struct MultiRetrieval {
    router: Router,
    model: Arc<Model>,
    returns_sources: bool,
    moderations: Vec<Arc<dyn Moderation>>,
}

impl Chain for MultiRetrieval {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        if let ModerationVerdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink);
        }
        let Some(RouteTarget::Retriever(store)) = self.router.choose(turn)?.map(|route| &route.target) else {
            return answer_with_instructions(NO_STORE, &self.model, turn, sink);
        };
        let found = store.retrieve(turn.question, turn)?;
        let text = answer_from(&found, &self.model, turn, sink)?;
        let source_documents = if self.returns_sources { found } else { Vec::new() };
        Ok(RunOutput { text, source_documents, ..RunOutput::default() })
    }
}
