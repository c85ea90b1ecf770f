//! VectorDB QA Chain: a Retrieval QA Chain over a vector store itself.

use super::llm_chain::MODERATION;
use super::retrieval_qa_chain::{RETURN_SOURCES, RetrievalQa};
use crate::kit::{Card, Category, Factory, Input, Risk, StoreRetriever, WireType};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "vectorDBQAChain",
    label: "VectorDB QA Chain",
    version: 2.0,
    category: Category::Chains,
    description: "Looks up the nearest chunks of a vector store and answers from them.",
    base_classes: &["VectorDBQAChain", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::wire("model", "Language Model", WireType::LanguageModel),
        Input::wire("vectorStore", "Vector Store", WireType::VectorStore),
        MODERATION,
        RETURN_SOURCES,
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        let store = inputs.vector_store("vectorStore")?;
        Ok(Arc::new(RetrievalQa::from_inputs(inputs, Arc::new(StoreRetriever(store)))?))
    }),
};
