//! Ollama: embedding models on a machine of your own.

use crate::chat_models::ollama::{BASE_URL, MODEL_NAME, NUM_GPU, NUM_THREAD};
use crate::kit::models::openai_compatible::{address, endpoint};
use crate::kit::models::provider_embeddings::provider_embeddings;
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::OLLAMA_BASE;
use crate::llm::embeddings::OllamaEmbeddings;
use serde_json::{Map, Value};

pub(crate) const CARD: Card = Card {
    name: "ollamaEmbedding",
    label: "Ollama Embedding",
    version: 2.0,
    category: Category::Embeddings,
    description: "Embedding models served by Ollama on a machine of your own.",
    base_classes: &["OllamaEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        BASE_URL,
        MODEL_NAME,
        NUM_GPU,
        NUM_THREAD,
        Input::switch("useMMap", "Use MMap")
            .or("true")
            .additional()
            .help("Maps the model into memory instead of reading it whole."),
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let mut options = Map::new();
        for (input, option) in [(NUM_GPU.name, "num_gpu"), (NUM_THREAD.name, "num_thread")] {
            if let Some(number) = inputs.whole(input)? {
                options.insert(option.to_owned(), number.into());
            }
        }
        options.insert("use_mmap".to_owned(), Value::Bool(inputs.switch("useMMap")));
        let base = address(inputs).unwrap_or_else(|| OLLAMA_BASE.to_owned());
        let endpoint = endpoint(inputs, &base, OLLAMA_BASE)?;
        let model = inputs.text(MODEL_NAME.name)?;
        Ok(provider_embeddings(inputs, OllamaEmbeddings { endpoint, model, options }))
    }),
};
