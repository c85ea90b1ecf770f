//! Ollama: models on a machine of your own.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{CACHE, IMAGES, STREAMING, address, endpoint};
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use crate::llm::{OLLAMA_BASE, Ollama};
use serde_json::{Map, Value};

/// Inputs that become the server's options, by its own names for them.
const OPTIONS: &[(&str, &str)] = &[
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("topK", "top_k"),
    ("mirostat", "mirostat"),
    ("mirostatEta", "mirostat_eta"),
    ("mirostatTau", "mirostat_tau"),
    ("numCtx", "num_ctx"),
    ("numGpu", "num_gpu"),
    ("numThread", "num_thread"),
    ("repeatLastN", "repeat_last_n"),
    ("repeatPenalty", "repeat_penalty"),
    ("tfsZ", "tfs_z"),
];

pub(crate) const BASE_URL: Input = Input::address("baseUrl", "Base URL").or(OLLAMA_BASE);
pub(crate) const MODEL_NAME: Input = Input::text("modelName", "Model Name");
pub(crate) const TEMPERATURE: Input =
    Input::number("temperature", "Temperature", 0.0, 2.0).starting("0.9").optional();
pub(crate) const TOP_P: Input = Input::number("topP", "Top P", 0.0, 1.0).additional();
pub(crate) const TOP_K: Input = Input::whole("topK", "Top K", 0.0, 10_000.0).additional();
pub(crate) const MIROSTAT: Input = Input::whole("mirostat", "Mirostat", 0.0, 2.0).additional();
pub(crate) const MIROSTAT_ETA: Input = Input::number("mirostatEta", "Mirostat ETA", 0.0, 1.0).additional();
pub(crate) const MIROSTAT_TAU: Input = Input::number("mirostatTau", "Mirostat TAU", 0.0, 100.0).additional();
pub(crate) const NUM_CTX: Input =
    Input::whole("numCtx", "Context Window Size", 1.0, 100_000_000.0).additional();
pub(crate) const NUM_GPU: Input = Input::whole("numGpu", "Number of GPU", 0.0, 1_000.0).additional();
pub(crate) const NUM_THREAD: Input = Input::whole("numThread", "Number of Thread", 0.0, 1_000.0).additional();
pub(crate) const REPEAT_LAST_N: Input =
    Input::whole("repeatLastN", "Repeat Last N", -1.0, 1_000_000.0).additional();
pub(crate) const REPEAT_PENALTY: Input =
    Input::number("repeatPenalty", "Repeat Penalty", 0.0, 10.0).additional();
pub(crate) const STOP: Input = Input::text("stop", "Stop Sequence")
    .additional()
    .help("Words at which the model stops, separated by commas.");
pub(crate) const TFS_Z: Input = Input::number("tfsZ", "Tail Free Sampling", 0.0, 100.0).additional();

pub(crate) const CARD: Card = Card {
    name: "chatOllama",
    label: "Ollama",
    version: 5.0,
    category: Category::ChatModels,
    description: "Models served by Ollama on a machine of your own.",
    base_classes: &["ChatOllama", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["ollamaApi"]).optional(),
        CACHE,
        BASE_URL,
        MODEL_NAME,
        TEMPERATURE,
        STREAMING,
        IMAGES,
        Input::switch("think", "Think").optional(),
        Input::switch("jsonMode", "JSON Mode").additional(),
        Input::text("keepAlive", "Keep Alive").or("5m").additional(),
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
        model.keep_alive = inputs.optional_text("keepAlive");
        model.think = Some(Value::Bool(inputs.switch("think")));
        model.format = inputs.switch("jsonMode").then(|| Value::from("json"));
        model.images = inputs.switch("allowImageUploads");
        model.streaming = inputs.switch("streaming");
        Ok(Box::new(model))
    }),
};

/// The model with what both of Ollama's cards set: where it is, its name, its options and where it stops.
///
/// # Errors
/// When an input does not fit its declaration.
pub(crate) fn model(inputs: &Inputs<'_>) -> Result<Ollama> {
    let base = address(inputs).unwrap_or_else(|| OLLAMA_BASE.to_owned());
    let mut model = Ollama::new(endpoint(inputs, &base, OLLAMA_BASE)?, &inputs.text(MODEL_NAME.name)?);
    model.options = options(inputs)?;
    model.stop = inputs.comma_list(STOP.name);
    Ok(model)
}

fn options(inputs: &Inputs<'_>) -> Result<Map<String, Value>> {
    let mut options = Map::new();
    for (input, option) in OPTIONS {
        if let Some(number) = inputs.number(input)? {
            // The server wants whole numbers without a point.
            let whole = number.fract() == 0.0 && number.abs() < 1e15;
            options.insert(
                (*option).to_owned(),
                if whole { Value::from(number as i64) } else { Value::from(number) },
            );
        }
    }
    Ok(options)
}
