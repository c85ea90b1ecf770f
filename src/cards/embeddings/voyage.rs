//! Voyage AI's embeddings. The address is a field of the credential.

use crate::kit::models::openai_compatible::endpoint;
use crate::kit::models::provider_embeddings::provider_embeddings;
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use crate::llm::embeddings::{AimField, BatchLimits, OpenAiEmbeddings};

const HOME: &str = "https://api.voyageai.com/v1/embeddings";
const AIM: AimField = AimField { name: "input_type", query: "query", documents: "document" };
/// The smallest of the models takes 120,000 tokens in one request.
const BATCH: BatchLimits = BatchLimits { texts: 128, bytes: 256 * 1024 };

pub(crate) const CARD: Card = Card {
    name: "voyageAIEmbeddings",
    label: "VoyageAI Embedding",
    version: 2.0,
    category: Category::Embeddings,
    description: "Voyage AI's embedding models.",
    base_classes: &["VoyageAIEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["voyageAIApi"]),
        Input::model(&[
            "voyage-3.5",
            "voyage-3.5-lite",
            "voyage-3-large",
            "voyage-code-3",
            "voyage-finance-2",
            "voyage-law-2",
            "voyage-2",
        ])
        .or("voyage-2"),
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let mut model =
            OpenAiEmbeddings::new(endpoint(inputs, &address(inputs), HOME)?, &inputs.text("modelName")?);
        // The credential holds the whole address.
        model.path = "";
        model.aim = Some(AIM);
        model.batch = BATCH;
        Ok(provider_embeddings(inputs, model))
    }),
};

/// The address of embeddings out of the credential.
pub(crate) fn address(inputs: &Inputs<'_>) -> String {
    let written = inputs.optional_secret("endpoint").unwrap_or_else(|| HOME.to_owned());
    written.trim_end_matches('/').to_owned()
}
