//! Jina AI's embeddings.

use crate::kit::models::openai_compatible::BASE_PATH;
use crate::kit::models::provider_embeddings::{openai_like, provider_embeddings};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::embeddings::{AimField, BatchLimits};

pub(crate) const HOME: &str = "https://api.jina.ai/v1";
const AIM: AimField = AimField { name: "task", query: "retrieval.query", documents: "retrieval.passage" };
/// What one request of any plan takes.
const BATCH: BatchLimits = BatchLimits { texts: 128, bytes: 128 * 1024 };

pub(crate) const CARD: Card = Card {
    name: "jinaEmbeddings",
    label: "Jina Embedding",
    version: 3.0,
    category: Category::Embeddings,
    description: "Jina AI's embedding models.",
    base_classes: &["JinaEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["jinaAIApi"]),
        Input::text("modelName", "Model Name").or("jina-embeddings-v3"),
        Input::whole("modelDimensions", "Dimensions", 1.0, 65_536.0).or("1024"),
        Input::switch("allowLateChunking", "Allow Late Chunking")
            .optional()
            .help("Each chunk is read together with the other chunks of its request."),
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let name = inputs.text("modelName")?;
        let mut model = openai_like(inputs, HOME, &name)?;
        model.batch = BATCH;
        // Models of the second generation have one length and know no tasks.
        if !name.starts_with("jina-embeddings-v2") {
            model.aim = name.starts_with("jina-embeddings-v").then_some(AIM);
            if let Some(dimensions) = inputs.whole("modelDimensions")? {
                model.extra.insert("dimensions".into(), dimensions.into());
            }
        }
        if inputs.switch("allowLateChunking") {
            model.extra.insert("late_chunking".into(), true.into());
        }
        Ok(provider_embeddings(inputs, model))
    }),
};
