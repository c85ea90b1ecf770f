//! LocalAI: embedding models on a machine of your own, behind OpenAI's protocol.

use crate::kit::models::openai_compatible::{ANY_MODEL, SERVER, address, endpoint};
use crate::kit::models::provider_embeddings::provider_embeddings;
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::embeddings::OpenAiEmbeddings;

pub(crate) const CARD: Card = Card {
    name: "localAIEmbeddings",
    label: "LocalAI Embedding",
    version: 1.0,
    category: Category::Embeddings,
    description: "Embedding models served by LocalAI on a machine of your own.",
    base_classes: &["LocalAI Embeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["localAIApi"]).optional(), SERVER, ANY_MODEL],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let base = address(inputs).ok_or_else(|| inputs.input_error(SERVER.name, "fill this in"))?;
        let model = inputs.text(ANY_MODEL.name)?;
        Ok(provider_embeddings(inputs, OpenAiEmbeddings::new(endpoint(inputs, &base, "")?, &model)))
    }),
};
