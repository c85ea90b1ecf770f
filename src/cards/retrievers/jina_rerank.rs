//! Jina AI Rerank Retriever: chunks in the order that Jina's model gives them.

use crate::embeddings::jina::HOME;
use crate::kit::knowledge::rerank_retriever::rerank_retriever;
use crate::kit::knowledge::retrieving::{BASE_RETRIEVER, QUERY, TOP_K, outputs};
use crate::kit::models::openai_compatible::{BASE_PATH, address, endpoint};
use crate::kit::{Card, Category, Choice, Factory, Input, Output, Risk};
use crate::llm::{KeyStyle, Reranker};
use serde_json::Map;

const CLASSES: &[&str] = &["JinaRerankRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] = &outputs(CLASSES, "Jina AI Rerank Retriever");

const MODELS: &[Choice] = &[
    Choice::new("jina-reranker-v2-base-multilingual", "jina-reranker-v2-base-multilingual"),
    Choice::new("jina-colbert-v2", "jina-colbert-v2"),
];

pub(crate) const CARD: Card = Card {
    name: "JinaRerankRetriever",
    label: "Jina AI Rerank Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "Puts found chunks in the order of how much they bear on the question.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["jinaAIApi"]),
        BASE_RETRIEVER,
        Input::choice("model", "Model Name", MODELS).or("jina-reranker-v2-base-multilingual").optional(),
        QUERY,
        Input { name: "topN", label: "Top N", ..TOP_K }.or("4"),
        BASE_PATH,
    ],
    outputs: OUTPUTS,
    make: Factory::Retriever(|inputs| {
        let base = address(inputs).unwrap_or_else(|| HOME.to_owned());
        let mut extra = Map::new();
        // The chunks are here already.
        extra.insert("return_documents".into(), false.into());
        let model = Reranker {
            endpoint: endpoint(inputs, &base, HOME)?,
            path: "/rerank",
            key_style: KeyStyle::Bearer,
            model: inputs.text("model")?,
            most_field: "top_n",
            extra,
        };
        rerank_retriever(inputs, model, inputs.whole("topN")?)
    }),
};
