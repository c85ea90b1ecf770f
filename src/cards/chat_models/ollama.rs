//! Ollama: models on a machine of your own.

use crate::cards::kit::compatible::{CACHE, IMAGES, STREAMING, common_base};
use crate::cards::kit::{Card, Category, Input, Inputs, Make, Risk};
use crate::domain::error::Result;
use crate::llm::Ollama;
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

/// The card.
pub const CARD: Card = Card {
    name: "chatOllama",
    label: "Ollama",
    version: 5.0,
    category: Category::ChatModels,
    description: "Models served by Ollama on a machine of your own.",
    base_classes: &["ChatOllama", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    inputs: &[
        Input::credential(&["ollamaApi"]).optional(),
        CACHE,
        Input::address("baseUrl", "Base URL").or("http://localhost:11434"),
        Input::text("modelName", "Model Name"),
        Input::number("temperature", "Temperature", 0.0, 2.0).starting("0.9").optional(),
        STREAMING,
        IMAGES,
        Input::switch("think", "Think").optional(),
        Input::switch("jsonMode", "JSON Mode").additional(),
        Input::text("keepAlive", "Keep Alive").or("5m").additional(),
        Input::number("topP", "Top P", 0.0, 1.0).additional(),
        Input::whole("topK", "Top K", 0.0, 10_000.0).additional(),
        Input::whole("mirostat", "Mirostat", 0.0, 2.0).additional(),
        Input::number("mirostatEta", "Mirostat ETA", 0.0, 1.0).additional(),
        Input::number("mirostatTau", "Mirostat TAU", 0.0, 100.0).additional(),
        Input::whole("numCtx", "Context Window Size", 1.0, 100_000_000.0).additional(),
        Input::whole("numGpu", "Number of GPU", 0.0, 1_000.0).additional(),
        Input::whole("numThread", "Number of Thread", 0.0, 1_000.0).additional(),
        Input::whole("repeatLastN", "Repeat Last N", -1.0, 1_000_000.0).additional(),
        Input::number("repeatPenalty", "Repeat Penalty", 0.0, 10.0).additional(),
        Input::text("stop", "Stop Sequence")
            .additional()
            .help("Words at which the model stops, separated by commas."),
        Input::number("tfsZ", "Tail Free Sampling", 0.0, 100.0).additional(),
    ],
    outputs: &[],
    make: Make::ChatModel(|inputs| {
        let base = inputs.address("baseUrl").unwrap_or_default();
        let endpoint = common_base(inputs, &base, inputs.maybe_secret("ollamaApiKey"))?;
        let mut model = Ollama::new(endpoint, &inputs.text("modelName")?);
        model.options = options(inputs)?;
        model.stop = inputs.comma_list("stop");
        model.keep_alive = inputs.maybe_text("keepAlive");
        model.think = Some(Value::Bool(inputs.switch("think")));
        model.format = inputs.switch("jsonMode").then(|| Value::from("json"));
        model.images = inputs.switch("allowImageUploads");
        model.streaming = inputs.switch("streaming");
        Ok(Box::new(model))
    }),
};

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
