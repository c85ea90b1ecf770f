//! Azure Rerank Retriever: chunks in the order that Cohere's models on Azure give them.

use crate::kit::knowledge::rerank_retriever::{MAX_CHUNKS, rerank_retriever};
use crate::kit::knowledge::retrieving::{BASE_RETRIEVER, QUERY, TOP_K, outputs};
use crate::kit::models::openai_compatible::common_base;
use crate::kit::{Card, Category, Choice, Factory, Input, Output, Risk};
use crate::llm::{KeyStyle, Reranker};
use serde_json::Map;

const CLASSES: &[&str] = &["Azure Rerank Retriever", "BaseRetriever"];
const OUTPUTS: &[Output] = &outputs(CLASSES, "Azure Rerank Retriever");

const MODELS: &[Choice] = &[
    Choice::new("rerank-v3.5", "rerank-v3.5"),
    Choice::new("rerank-english-v3.0", "rerank-english-v3.0"),
    Choice::new("rerank-multilingual-v3.0", "rerank-multilingual-v3.0"),
    Choice::new("Cohere-rerank-v4.0-fast", "Cohere-rerank-v4.0-fast"),
    Choice::new("Cohere-rerank-v4.0-pro", "Cohere-rerank-v4.0-pro"),
];

pub(crate) const CARD: Card = Card {
    name: "AzureRerankRetriever",
    label: "Azure Rerank Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "Puts found chunks in the order of how much they bear on the question.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["azureFoundryApi"]),
        BASE_RETRIEVER,
        Input::choice("model", "Model Name", MODELS).or("Cohere-rerank-v4.0-fast").optional(),
        QUERY,
        TOP_K,
        MAX_CHUNKS,
    ],
    outputs: OUTPUTS,
    make: Factory::Retriever(|inputs| {
        let key = inputs.secret("azureFoundryApiKey")?;
        let written = inputs.optional_secret("azureFoundryEndpoint");
        let written = written.ok_or_else(|| inputs.input_error("credential", "its endpoint is missing"))?;
        let written = written.trim_end_matches('/');
        // Owners copy the address of the resource, or the whole one of the model.
        let is_whole = written.split('?').next().is_some_and(|path| path.ends_with("/rerank"));
        let model = Reranker {
            endpoint: common_base(inputs, written, Some(key))?,
            path: if is_whole { "" } else { "/providers/cohere/v2/rerank" },
            key_style: KeyStyle::ApiKeyHeader,
            model: inputs.text("model")?,
            most_field: "top_n",
            extra: Map::new(),
        };
        rerank_retriever(inputs, model, inputs.whole(TOP_K.name)?)
    }),
};
