//! Together AI: open embedding models.

use crate::kit::models::openai_compatible::{ANY_MODEL, BASE_PATH, CACHE};
use crate::kit::models::provider_embeddings::{openai_like, provider_embeddings};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://api.together.xyz/v1";

pub(crate) const CARD: Card = Card {
    name: "togetherAIEmbedding",
    label: "TogetherAI Embedding",
    version: 1.0,
    category: Category::Embeddings,
    description: "Open embedding models hosted by Together AI.",
    base_classes: &["TogetherAIEmbedding", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["togetherAIApi"]),
        CACHE.help(
            "Kept for canvases drawn elsewhere: a cache holds replies of models, and vectors are none.",
        ),
        ANY_MODEL,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        Ok(provider_embeddings(inputs, openai_like(inputs, HOME, &inputs.text(ANY_MODEL.name)?)?))
    }),
};
