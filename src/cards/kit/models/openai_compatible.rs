//! What the cards of model providers share: inputs, addresses and keys, and how the models of those that speak OpenAI's
//! protocol are built.

use crate::domain::error::Result;
use crate::domain::workspace::credential_types::{self, FieldKind};
use crate::kit::{Card, Choice, Input, InputKind, Inputs, JsonShape, WireType};
use crate::llm::{Endpoint, OpenAi, ProviderKey};
use crate::net::ResponseLimits;
use serde_json::Value;
use std::time::Duration;

pub(crate) const CACHE: Input = Input::wire("cache", "Cache", WireType::Cache).optional();
pub(crate) const TEMPERATURE: Input =
    Input::number("temperature", "Temperature", 0.0, 2.0).starting("0.9").optional();
pub(crate) const MAX_TOKENS: Input = Input::whole("maxTokens", "Max Tokens", 1.0, 10_000_000.0).additional();
pub(crate) const TOP_P: Input = Input::number("topP", "Top Probability", 0.0, 1.0).additional();
pub(crate) const TOP_K: Input = Input::whole("topK", "Top K", 0.0, 10_000.0).additional();
pub(crate) const FREQUENCY_PENALTY: Input =
    Input::number("frequencyPenalty", "Frequency Penalty", -2.0, 2.0).additional();
pub(crate) const PRESENCE_PENALTY: Input =
    Input::number("presencePenalty", "Presence Penalty", -2.0, 2.0).additional();
pub(crate) const TIMEOUT: Input = Input::whole("timeout", "Timeout", 0.0, 3_600_000.0)
    .additional()
    .help("Milliseconds a provider may stay silent; empty or 0 leaves it to the limit of the run.");
pub(crate) const STREAMING: Input = Input::switch("streaming", "Streaming").or("true").additional();
pub(crate) const IMAGES: Input = Input::switch("allowImageUploads", "Allow Image Uploads")
    .optional()
    .help("Lets people send images with their question.");
pub(crate) const BASE_OPTIONS: Input = Input::headers("baseOptions", "Base Options")
    .shape(JsonShape::Texts)
    .additional()
    .help("Further HTTP headers, as a JSON object.");
pub(crate) const STOP_SEQUENCE: Input = Input::text("stopSequence", "Stop Sequence")
    .additional()
    .help("Words at which the model stops, separated by commas.");
pub(crate) const BASE_PATH: Input = Input::address("basepath", "Base Path")
    .additional()
    .help("Another address of the same protocol, such as a gateway in front of the provider.");
pub(crate) const SERVER: Input =
    Input::address("basePath", "Base Path").help("Where the server is, with its /v1.");
pub(crate) const ANY_MODEL: Input = Input::text("modelName", "Model Name");
pub(crate) const REASONING: Input = Input::switch("reasoning", "Reasoning").additional();
pub(crate) const REASONING_SUMMARY: Input =
    Input::choice("reasoningSummary", "Reasoning Summary", SUMMARIES)
        .additional()
        .when("reasoning", "true")
        .help("What is shown of the reasoning where an Agent uses OpenAI's built-in tools; chat completions carry no summary.");

const SUMMARIES: &[Choice] = &[
    Choice { name: "auto", label: "Auto" },
    Choice { name: "concise", label: "Concise" },
    Choice { name: "detailed", label: "Detailed" },
];

/// The model of a card whose provider is at `home`, unless the owner gave another address.
///
/// # Errors
/// When an input does not fit its declaration or the key is missing.
pub(crate) fn model(inputs: &Inputs<'_>, home: &str) -> Result<OpenAi> {
    let base = address(inputs).unwrap_or_else(|| home.to_owned());
    with_settings(inputs, endpoint(inputs, &base, home)?)
}

/// The model of a card whose owner must say where its server is.
///
/// # Errors
/// As [`model`], and when the address is missing.
pub(crate) fn model_at_server(inputs: &Inputs<'_>) -> Result<OpenAi> {
    let base = address(inputs).ok_or_else(|| inputs.input_error(SERVER.name, "fill this in"))?;
    with_settings(inputs, common_base(inputs, &base, key(inputs))?)
}

/// Where a provider is, with the key of the card's credential. A server at another address than `home` may need no
/// key; at home a card that declares its credential as needed has one.
///
/// # Errors
/// When the key is missing or an input does not fit its declaration.
pub(crate) fn endpoint(inputs: &Inputs<'_>, base: &str, home: &str) -> Result<Endpoint> {
    let key = key(inputs);
    let needs_key = inputs
        .card
        .inputs
        .iter()
        .any(|input| matches!(input.kind, InputKind::Credential(_)) && !input.optional);
    if key.is_none() && needs_key && base == home {
        return Err(inputs.input_error("credential", "select a credential with an API key"));
    }
    common_base(inputs, base, key)
}

/// The model with every setting that the card declares.
///
/// # Errors
/// When an input does not fit its declaration.
pub(crate) fn with_settings(inputs: &Inputs<'_>, endpoint: Endpoint) -> Result<OpenAi> {
    let name = if inputs.declares("model") { "model" } else { ANY_MODEL.name };
    let mut model = OpenAi::new(endpoint, &inputs.text(name)?);
    model.temperature = number(inputs, TEMPERATURE.name)?;
    model.max_tokens = whole(inputs, MAX_TOKENS.name)?;
    model.top_p = number(inputs, TOP_P.name)?;
    model.frequency_penalty = number(inputs, FREQUENCY_PENALTY.name)?;
    model.presence_penalty = number(inputs, PRESENCE_PENALTY.name)?;
    for stop in [STOP_SEQUENCE.name, "stop"] {
        if inputs.declares(stop) {
            model.stop = inputs.comma_list(stop);
        }
    }
    model.images = inputs.declares(IMAGES.name) && inputs.switch(IMAGES.name);
    // A card without the switch streams: whoever asks for a whole answer gets it whole all the same.
    model.streaming = !inputs.declares(STREAMING.name) || inputs.switch(STREAMING.name);
    if inputs.declares(REASONING.name) && inputs.switch(REASONING.name) {
        model.reasoning_effort = inputs.optional_text("reasoningEffort");
    }
    Ok(model)
}

/// A number, if the card has an input for it.
///
/// # Errors
/// As [`Inputs::number`].
pub(crate) fn number(inputs: &Inputs<'_>, name: &str) -> Result<Option<f64>> {
    if inputs.declares(name) { inputs.number(name) } else { Ok(None) }
}

/// A whole number, if the card has an input for it.
///
/// # Errors
/// As [`Inputs::whole`].
pub(crate) fn whole(inputs: &Inputs<'_>, name: &str) -> Result<Option<u64>> {
    if inputs.declares(name) { inputs.whole(name) } else { Ok(None) }
}

/// What stands in the card's input for an address, whatever it is called.
pub(crate) fn address(inputs: &Inputs<'_>) -> Option<String> {
    let input = inputs.card.inputs.iter().find(|input| input.kind == InputKind::Address)?;
    inputs.address(input.name)
}

/// An address that ends in the version of the protocol, which owners write or leave out, also with the path behind it.
pub(crate) fn with_version(address: &str) -> String {
    let base = address.trim_end_matches("/chat/completions").trim_end_matches('/');
    if base.ends_with("/v1") { base.to_owned() } else { format!("{base}/v1") }
}

/// The key of the card's credential.
fn key(inputs: &Inputs<'_>) -> Option<String> {
    inputs.optional_secret(password(inputs.card)?)
}

/// Where a key is: the first password among the fields of the card's credential type.
pub(crate) fn password(card: &Card) -> Option<&'static str> {
    let kind = credential_types::find_type(card.credential_types().first()?)?;
    kind.fields.iter().find(|field| field.kind == FieldKind::Password).map(|field| field.name)
}

/// Where a provider's model is: base address, key, and the headers of the card's Base Options where it has them.
///
/// # Errors
/// When Base Options is no JSON object or Timeout no number.
pub(crate) fn common_base(inputs: &Inputs<'_>, base: &str, key: Option<String>) -> Result<Endpoint> {
    let mut endpoint =
        Endpoint::new(inputs.host.outgoing().clone(), base, key.as_deref().map(ProviderKey::new));
    if inputs.declares("baseOptions") {
        let headers = inputs.object("baseOptions")?.into_iter().map(|(name, value)| match value {
            Value::String(text) => (name, text),
            other => (name, other.to_string()),
        });
        endpoint.headers = headers.collect();
    }
    if inputs.declares("timeout")
        && let Some(milliseconds) = inputs.whole("timeout")?.filter(|milliseconds| *milliseconds > 0)
    {
        let wait = Duration::from_millis(milliseconds);
        endpoint.limits = ResponseLimits { first_byte: wait, stall: wait, ..endpoint.limits };
    }
    Ok(endpoint)
}
