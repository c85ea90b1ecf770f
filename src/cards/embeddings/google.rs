//! Google's Gemini embeddings.

use crate::kit::models::openai_compatible::common_base;
use crate::kit::models::provider_embeddings::{STRIP_NEW_LINES, provider_embeddings};
use crate::kit::{Card, Category, Choice, Factory, Input, Risk};
use crate::llm::GOOGLE_BASE;
use crate::llm::embeddings::{GoogleEmbeddings, TaskType};

const TASKS: &[Choice] = &[
    Choice::new("TASK_TYPE_UNSPECIFIED", "Unspecified"),
    Choice::new("RETRIEVAL_QUERY", "Retrieval"),
    Choice::new("RETRIEVAL_DOCUMENT", "Retrieval of Documents"),
    Choice::new("SEMANTIC_SIMILARITY", "Semantic Similarity"),
    Choice::new("CLASSIFICATION", "Classification"),
    Choice::new("CLUSTERING", "Clustering"),
];

pub(crate) const CARD: Card = Card {
    name: "googleGenerativeAiEmbeddings",
    label: "Google Gemini Embedding",
    version: 2.0,
    category: Category::Embeddings,
    description: "Google's Gemini embedding models.",
    base_classes: &["GoogleGenerativeAiEmbeddings", "GoogleGenerativeAIEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["googleGenerativeAI"]),
        Input::model(&["gemini-embedding-001", "text-embedding-004"]).or("gemini-embedding-001"),
        Input::choice("tasktype", "Task Type", TASKS)
            .or("TASK_TYPE_UNSPECIFIED")
            .help("Either kind of retrieval tells the provider of questions and of chunks what they are."),
        STRIP_NEW_LINES,
        Input::address("baseUrl", "Base URL").additional(),
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let base = inputs.address("baseUrl").unwrap_or_else(|| GOOGLE_BASE.to_owned());
        let endpoint = common_base(inputs, &base, Some(inputs.secret("googleGenerativeAPIKey")?))?;
        let task = match inputs.text("tasktype")?.as_str() {
            "TASK_TYPE_UNSPECIFIED" => TaskType::Unspecified,
            "RETRIEVAL_QUERY" | "RETRIEVAL_DOCUMENT" => TaskType::Retrieval,
            other => TaskType::Fixed(other.to_owned()),
        };
        Ok(provider_embeddings(inputs, GoogleEmbeddings { endpoint, model: inputs.text("modelName")?, task }))
    }),
};
