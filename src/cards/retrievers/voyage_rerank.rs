//! Voyage AI Rerank Retriever: chunks in the order that Voyage's model gives them.

use crate::embeddings::voyage;
use crate::kit::knowledge::rerank_retriever::rerank_retriever;
use crate::kit::knowledge::retrieving::{BASE_RETRIEVER, QUERY, TOP_K, outputs};
use crate::kit::models::openai_compatible::endpoint;
use crate::kit::{Card, Category, Choice, Factory, Input, Output, Risk};
use crate::llm::{KeyStyle, Reranker};
use serde_json::Map;

const CLASSES: &[&str] = &["VoyageAIRerankRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] = &outputs(CLASSES, "Voyage AI Rerank Retriever");

const MODELS: &[Choice] = &[
    Choice::new("rerank-lite-1", "rerank-lite-1"),
    Choice::new("rerank-lite-2", "rerank-lite-2"),
    Choice::new("rerank-1", "rerank-1"),
    Choice::new("rerank-2", "rerank-2"),
];

pub(crate) const CARD: Card = Card {
    name: "voyageAIRerankRetriever",
    label: "Voyage AI Rerank Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "Puts found chunks in the order of how much they bear on the question.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["voyageAIApi"]),
        BASE_RETRIEVER,
        Input::choice("model", "Model Name", MODELS).or("rerank-lite-1").optional(),
        QUERY,
        TOP_K,
    ],
    outputs: OUTPUTS,
    make: Factory::Retriever(|inputs| {
        // The credential holds the address of embeddings, whose neighbour this is.
        let address = voyage::address(inputs);
        let base = address.strip_suffix("/embeddings").unwrap_or(&address);
        let mut extra = Map::new();
        extra.insert("return_documents".into(), false.into());
        let model = Reranker {
            endpoint: endpoint(inputs, base, base)?,
            path: "/rerank",
            key_style: KeyStyle::Bearer,
            model: inputs.text("model")?,
            most_field: "top_k",
            extra,
        };
        rerank_retriever(inputs, model, inputs.whole(TOP_K.name)?)
    }),
};
