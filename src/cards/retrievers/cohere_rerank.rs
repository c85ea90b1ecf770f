//! Cohere Rerank Retriever: chunks in the order that Cohere's model gives them.

use crate::kit::knowledge::rerank_retriever::{MAX_CHUNKS, rerank_retriever};
use crate::kit::knowledge::retrieving::{BASE_RETRIEVER, QUERY, TOP_K, outputs};
use crate::kit::models::openai_compatible::{BASE_PATH, address, endpoint};
use crate::kit::{Card, Category, Choice, Factory, Input, Output, Risk};
use crate::llm::{COHERE_BASE, KeyStyle, Reranker};
use serde_json::Map;

const CLASSES: &[&str] = &["Cohere Rerank Retriever", "BaseRetriever"];
const OUTPUTS: &[Output] = &outputs(CLASSES, "Cohere Rerank Retriever");

const MODELS: &[Choice] = &[
    Choice::new("rerank-v3.5", "rerank-v3.5"),
    Choice::new("rerank-english-v3.0", "rerank-english-v3.0"),
    Choice::new("rerank-multilingual-v3.0", "rerank-multilingual-v3.0"),
];

pub(crate) const CARD: Card = Card {
    name: "cohereRerankRetriever",
    label: "Cohere Rerank Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "Puts found chunks in the order of how much they bear on the question.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["cohereApi"]),
        BASE_RETRIEVER,
        Input::choice("model", "Model Name", MODELS).or("rerank-v3.5").optional(),
        QUERY,
        TOP_K,
        MAX_CHUNKS,
        BASE_PATH,
    ],
    outputs: OUTPUTS,
    make: Factory::Retriever(|inputs| {
        let base = address(inputs).unwrap_or_else(|| COHERE_BASE.to_owned());
        let model = Reranker {
            endpoint: endpoint(inputs, &base, COHERE_BASE)?,
            path: "/v1/rerank",
            key_style: KeyStyle::Bearer,
            model: inputs.text("model")?,
            most_field: "top_n",
            extra: Map::new(),
        };
        rerank_retriever(inputs, model, inputs.whole(TOP_K.name)?)
    }),
};
