//! Google Vertex AI's embeddings.

use crate::kit::models::provider_embeddings::provider_embeddings;
use crate::kit::web::vertex::{BASE_URL, REGION, endpoint};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::embeddings::VertexEmbeddings;

pub(crate) const CARD: Card = Card {
    name: "googlevertexaiEmbeddings",
    label: "GoogleVertexAI Embedding",
    version: 2.1,
    category: Category::Embeddings,
    description: "Embedding models of a project at Google Cloud.",
    base_classes: &["GoogleVertexAIEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["googleVertexAuth"])
            .optional()
            .help("The JSON key of a service account. This server's own rights are not lent to flows."),
        Input::model(&[
            "text-embedding-004",
            "text-embedding-005",
            "text-multilingual-embedding-002",
            "gemini-embedding-001",
        ])
        .or("text-embedding-004"),
        REGION,
        BASE_URL,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let (endpoint, root) = endpoint(inputs)?;
        Ok(provider_embeddings(inputs, VertexEmbeddings { endpoint, root, model: inputs.text("modelName")? }))
    }),
};
