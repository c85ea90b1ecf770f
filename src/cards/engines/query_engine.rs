//! Query Engine: finds chunks in an index and answers from them, with the model of the index.

use super::{RETRIEVER, RETURN_SOURCES, SYNTHESIZER, synthesis};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::models::synthesis::Synthesis;
use crate::kit::{
    Card, Category, Chain, Factory, Model, Risk, RunContext, TokenSink, VectorQuery, VectorStore,
};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "queryEngine",
    label: "Query Engine",
    version: 2.0,
    category: Category::Engine,
    description: "Answers from the chunks of an index, without memory.",
    base_classes: &["QueryEngine", "BaseQueryEngine"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[RETRIEVER, SYNTHESIZER, RETURN_SOURCES],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        let index = inputs.vector_store(RETRIEVER.name)?;
        let model = index.model().ok_or_else(|| {
            inputs.input_error(
                RETRIEVER.name,
                "its store has no Chat Model to answer with; connect one to the store",
            )
        })?;
        let synthesis = synthesis(inputs)?;
        Ok(Arc::new(QueryEngine {
            index,
            model,
            synthesis,
            returns_sources: inputs.switch(RETURN_SOURCES.name),
        }))
    }),
};

struct QueryEngine {
    index: Arc<dyn VectorStore>,
    model: Arc<Model>,
    synthesis: Arc<Synthesis>,
    returns_sources: bool,
}

impl Chain for QueryEngine {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        let query = VectorQuery { text: turn.question, most: self.index.top_k(), filter: None };
        let found: Vec<_> = self.index.nearest(&query, turn)?.into_iter().map(|found| found.chunk).collect();
        let text = self.synthesis.answer(&found, &self.model, turn, sink)?;
        let source_documents = if self.returns_sources { found } else { Vec::new() };
        Ok(RunOutput { text, source_documents, ..RunOutput::default() })
    }
}
