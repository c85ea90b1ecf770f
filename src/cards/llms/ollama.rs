//! Ollama: models on a machine of your own, which complete a text.

use crate::chat_models::ollama::{
    BASE_URL, MIROSTAT, MIROSTAT_ETA, MIROSTAT_TAU, MODEL_NAME, NUM_CTX, NUM_GPU, NUM_THREAD, REPEAT_LAST_N,
    REPEAT_PENALTY, STOP, TEMPERATURE, TFS_Z, TOP_K, TOP_P, model,
};
use crate::kit::models::openai_compatible::CACHE;
use crate::kit::{Card, Category, Factory, Risk};

pub(crate) const CARD: Card = Card {
    name: "ollama",
    label: "Ollama",
    version: 2.1,
    category: Category::Llms,
    description: "Models served by Ollama on a machine of your own, completing a text.",
    base_classes: &["Ollama", "LLM", "BaseLLM", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        CACHE,
        BASE_URL,
        MODEL_NAME,
        TEMPERATURE,
        TOP_P,
        TOP_K,
        MIROSTAT,
        MIROSTAT_ETA,
        MIROSTAT_TAU,
        NUM_CTX,
        NUM_GPU,
        NUM_THREAD,
        REPEAT_LAST_N,
        REPEAT_PENALTY,
        STOP,
        TFS_Z,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let mut model = model(inputs)?;
        model.completes = true;
        Ok(Box::new(model))
    }),
};
