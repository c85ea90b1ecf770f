//! OpenAI chat models, and every server that speaks the same protocol behind another base address.

use super::common_base;
use crate::cards::kit::{Card, Category, Choice, Connects, Input, Inputs, Make, Risk};
use crate::domain::error::Result;
use crate::llm::{OPENAI_BASE, OpenAi};

const EFFORTS: &[Choice] = &[
    Choice { name: "low", label: "Low" },
    Choice { name: "medium", label: "Medium" },
    Choice { name: "high", label: "High" },
    Choice { name: "xhigh", label: "Extra High" },
];

const DETAILS: &[Choice] = &[
    Choice { name: "low", label: "Low" },
    Choice { name: "high", label: "High" },
    Choice { name: "auto", label: "Auto" },
];

/// The inputs that every model of this protocol has.
pub(super) const CACHE: Input = Input::wire("cache", "Cache", Connects::Cache).optional();
pub(super) const TEMPERATURE: Input = Input::number("temperature", "Temperature", 0.0, 2.0).optional();
pub(super) const MAX_TOKENS: Input = Input::whole("maxTokens", "Max Tokens", 1.0, 10_000_000.0).additional();
pub(super) const TOP_P: Input = Input::number("topP", "Top Probability", 0.0, 1.0).additional();
pub(super) const FREQUENCY_PENALTY: Input =
    Input::number("frequencyPenalty", "Frequency Penalty", -2.0, 2.0).additional();
pub(super) const PRESENCE_PENALTY: Input =
    Input::number("presencePenalty", "Presence Penalty", -2.0, 2.0).additional();
pub(super) const TIMEOUT: Input = Input::whole("timeout", "Timeout", 0.0, 3_600_000.0)
    .additional()
    .help("Milliseconds a provider may stay silent; empty or 0 leaves it to the limit of the run.");
pub(super) const STREAMING: Input = Input::switch("streaming", "Streaming").or("true").additional();
pub(super) const IMAGES: Input = Input::switch("allowImageUploads", "Allow Image Uploads")
    .optional()
    .help("Lets people send images with their question.");
pub(super) const BASE_OPTIONS: Input = Input::headers("baseOptions", "Base Options")
    .additional()
    .help("Further HTTP headers, as a JSON object.");

/// The card.
pub const CARD: Card = Card {
    name: "chatOpenAI",
    label: "OpenAI",
    version: 8.3,
    category: Category::ChatModels,
    description: "OpenAI's chat models, or any server that speaks the same protocol.",
    base_classes: &["ChatOpenAI", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    inputs: &[
        Input::credential(&["openAIApi"]),
        CACHE,
        Input::model(&[
            "gpt-4o-mini",
            "gpt-4o",
            "gpt-4.1",
            "gpt-4.1-mini",
            "gpt-5",
            "gpt-5-mini",
            "o3",
            "o4-mini",
        ])
        .or("gpt-4o-mini"),
        TEMPERATURE,
        STREAMING,
        IMAGES,
        Input::choice("imageResolution", "Image Resolution", DETAILS)
            .additional()
            .when("allowImageUploads", "true"),
        Input::switch("reasoning", "Reasoning").additional(),
        Input::choice("reasoningEffort", "Reasoning Effort", EFFORTS).additional().when("reasoning", "true"),
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        Input::switch("strictToolCalling", "Strict Tool Calling").additional(),
        Input::text("stopSequence", "Stop Sequence")
            .additional()
            .help("Words at which the model stops, separated by commas."),
        Input::address("basepath", "Base Path").additional(),
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Make::ChatModel(|inputs| {
        let base = inputs.address("basepath").unwrap_or_else(|| OPENAI_BASE.to_owned());
        // Another server at another address may need no key; OpenAI itself always does.
        let own = base == OPENAI_BASE;
        let key =
            if own { Some(inputs.secret("openAIApiKey")?) } else { inputs.maybe_secret("openAIApiKey") };
        let mut model = common(inputs, &base, key)?;
        model.strict_tools = inputs.switch("strictToolCalling");
        model.stop = inputs.comma_list("stopSequence");
        model.images = inputs.switch("allowImageUploads");
        model.image_detail = inputs.maybe_text("imageResolution").filter(|_| model.images);
        if inputs.switch("reasoning") {
            model.reasoning_effort = inputs.maybe_text("reasoningEffort");
        }
        Ok(Box::new(model))
    }),
};

/// What all cards of this protocol read alike.
///
/// # Errors
/// When an input does not fit its declaration.
pub(super) fn common(inputs: &Inputs<'_>, base: &str, key: Option<String>) -> Result<OpenAi> {
    let mut model = OpenAi::new(common_base(inputs, base, key)?, &inputs.text("modelName")?);
    model.temperature = inputs.number("temperature")?;
    model.max_tokens = inputs.whole("maxTokens")?;
    model.top_p = inputs.number("topP")?;
    model.frequency_penalty = inputs.number("frequencyPenalty")?;
    model.presence_penalty = inputs.number("presencePenalty")?;
    model.streaming = inputs.switch("streaming");
    Ok(model)
}
