//! Hugging Face: embedding models on its servers, or behind an endpoint of your own.

use crate::kit::models::openai_compatible::{address, common_base};
use crate::kit::models::provider_embeddings::single_line_embeddings;
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::HUGGING_FACE_MODELS;
use crate::llm::embeddings::FeatureExtraction;
use crate::llms::hugging_face::name_in_address;

/// A small model that anybody may use.
const MODEL: &str = "sentence-transformers/all-MiniLM-L6-v2";

pub(crate) const CARD: Card = Card {
    name: "huggingFaceInferenceEmbeddings",
    label: "HuggingFace Inference Embedding",
    version: 1.0,
    category: Category::Embeddings,
    description: "Embedding models on Hugging Face, or behind an inference endpoint of your own.",
    base_classes: &["HuggingFaceInferenceEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["huggingFaceApi"]),
        Input::text("modelName", "Model")
            .optional()
            .help("Its name on the hub; not needed with an endpoint."),
        Input::address("endpoint", "Endpoint").optional().help("An inference endpoint of your own."),
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let key = inputs.secret("huggingFaceApiKey")?;
        let model = inputs.optional_text("modelName").unwrap_or_else(|| MODEL.to_owned());
        let base = match address(inputs) {
            Some(address) => address,
            None => {
                let name = name_in_address(inputs, "modelName", &model)?;
                format!("{HUGGING_FACE_MODELS}/{name}/pipeline/feature-extraction")
            }
        };
        let endpoint = common_base(inputs, &base, Some(key))?;
        Ok(single_line_embeddings(inputs, FeatureExtraction { endpoint, model }))
    }),
};
