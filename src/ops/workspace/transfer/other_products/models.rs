//! Which card stands for a model of another product, and how its settings are called there.

use super::blueprint::PlacedCard;
use serde_json::{Map, Value};

/// Inputs of a card that stands for a provider.
#[derive(Debug)]
pub(super) struct ModelCard {
    /// A word of the provider, as products write it in small letters without spaces and signs.
    words: &'static [&'static str],
    card: &'static str,
    model: &'static str,
    tokens: Option<&'static str>,
    address: Option<&'static str>,
}

const fn model_card(
    words: &'static [&'static str],
    card: &'static str,
    tokens: Option<&'static str>,
    address: Option<&'static str>,
) -> ModelCard {
    ModelCard { words, card, model: "modelName", tokens, address }
}

const MODEL_CARDS: &[ModelCard] = &[
    model_card(&["openai"], "chatOpenAI", Some("maxTokens"), Some("basepath")),
    model_card(&["anthropic"], "chatAnthropic", Some("maxTokensToSample"), Some("baseUrl")),
    model_card(
        &["googlegemini", "google", "gemini", "googlegenerativeai"],
        "chatGoogleGenerativeAI",
        Some("maxOutputTokens"),
        Some("baseUrl"),
    ),
    model_card(&["ollama"], "chatOllama", None, Some("baseUrl")),
    model_card(
        &["mistralcloud", "mistral", "mistralai"],
        "chatMistralAI",
        Some("maxOutputTokens"),
        Some("overrideEndpoint"),
    ),
    model_card(&["groq"], "groqChat", Some("maxTokens"), Some("basepath")),
    model_card(&["azureopenai"], "azureChatOpenAI", Some("maxTokens"), Some("basepath")),
    model_card(&["deepseek"], "chatDeepseek", Some("maxTokens"), Some("basepath")),
    model_card(&["openrouter"], "chatOpenRouter", Some("maxTokens"), Some("basepath")),
    model_card(&["cohere"], "chatCohere", None, Some("basepath")),
    model_card(&["xai", "xaigrok", "grok", "x"], "chatXAI", Some("maxTokens"), Some("basepath")),
    model_card(&["nvidia", "nvidianim"], "chatNvidiaNIM", Some("maxTokens"), Some("basePath")),
    model_card(&["sambanova"], "chatSambanova", None, None),
    model_card(&["tongyi", "alibabacloud"], "chatAlibabaTongyi", None, None),
    model_card(&["togetherai"], "chatTogetherAI", None, None),
    model_card(&["fireworks"], "chatFireworks", None, None),
    model_card(
        &["openaiapicompatible", "lmstudio", "vllm", "xinference", "litellm"],
        "chatOpenAICustom",
        Some("maxTokens"),
        Some("basepath"),
    ),
    ModelCard {
        words: &["perplexity"],
        card: "chatPerplexity",
        model: "model",
        tokens: Some("maxTokens"),
        address: None,
    },
    ModelCard {
        words: &["awsbedrock", "bedrock", "amazonbedrock"],
        card: "awsChatBedrock",
        model: "model",
        tokens: Some("max_tokens_to_sample"),
        address: None,
    },
];

/// Embeddings: words of the provider, card, input of the model.
const EMBEDDING_CARDS: &[(&[&str], &str, Option<&str>)] = &[
    (&["openai"], "openAIEmbeddings", Some("modelName")),
    (&["azureopenai"], "azureOpenAIEmbeddings", None),
    (
        &["googlegemini", "google", "gemini", "googlegenerativeai"],
        "googleGenerativeAiEmbeddings",
        Some("modelName"),
    ),
    (&["ollama"], "ollamaEmbedding", Some("modelName")),
    (&["mistralcloud", "mistral", "mistralai"], "mistralAIEmbeddings", Some("modelName")),
    (&["cohere"], "cohereEmbeddings", Some("modelName")),
];

/// The name of a provider or a tool as the tables hold it: in small letters without spaces and signs.
pub(super) fn word(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The card of the chat models of a provider.
pub(super) fn chat_model(provider: &str) -> Option<&'static ModelCard> {
    let word = word(provider);
    MODEL_CARDS.iter().find(|card| card.words.contains(&word.as_str()))
}

/// The card of a provider's embeddings, with the model that is named.
pub(super) fn embeddings(provider: &str, model: &str) -> Option<PlacedCard> {
    let word = word(provider);
    let (_, card, input) = EMBEDDING_CARDS.iter().find(|(words, ..)| words.contains(&word.as_str()))?;
    let card = PlacedCard::new(card);
    Some(match input {
        Some(input) => card.with_text(input, model.trim_start_matches("models/")),
        None => card,
    })
}

/// What a file says of a model beside its name.
#[derive(Debug, Default)]
pub(super) struct ModelSettings {
    pub temperature: Option<f64>,
    pub tokens_max: Option<u64>,
    pub address: String,
}

impl ModelCard {
    /// The card with these settings, and the names of those that it has no input for.
    pub(super) fn place(&self, model: &str, settings: &ModelSettings) -> (PlacedCard, Vec<&'static str>) {
        let mut left_out = Vec::new();
        let mut card = PlacedCard::new(self.card).with_text(self.model, model.trim_start_matches("models/"));
        if let Some(temperature) = settings.temperature {
            card = card.with("temperature", temperature.to_string());
        }
        match (settings.tokens_max, self.tokens) {
            (Some(tokens), Some(input)) => card = card.with(input, tokens.to_string()),
            (Some(_), None) => left_out.push("the longest answer"),
            (None, _) => {}
        }
        match self.address {
            Some(input) => card = card.with_text(input, &settings.address),
            None if !settings.address.is_empty() => left_out.push("the address"),
            None => {}
        }
        (card, left_out)
    }
}

/// A number of a file: a number, or a text that is one.
pub(super) fn number(value: Option<&Value>) -> Option<f64> {
    let number = match value? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// A whole number of a file that is more than nothing.
pub(super) fn count(value: Option<&Value>) -> Option<u64> {
    let number = number(value).filter(|number| (1.0..=1e9).contains(number) && number.fract() == 0.0)?;
    // It is whole and within bounds.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "judged above")]
    Some(number as u64)
}

/// A text of a file; what is none is empty.
pub(super) fn text<'v>(fields: &'v Map<String, Value>, name: &str) -> &'v str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// An object of a file; what is none is empty.
pub(super) fn object(value: Option<&Value>) -> &Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.and_then(Value::as_object).unwrap_or(&EMPTY)
}

/// A list of a file; what is none is empty.
pub(super) fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Rows of a list that are objects.
pub(super) fn rows(value: Option<&Value>) -> impl Iterator<Item = &Map<String, Value>> {
    list(value).iter().filter_map(Value::as_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::registry;

    #[test]
    fn every_card_of_the_tables_is_there_with_these_inputs() {
        for row in MODEL_CARDS {
            let card = registry::find(row.card).unwrap_or_else(|| panic!("{}", row.card));
            let mut inputs = vec![row.model, "temperature"];
            inputs.extend(row.tokens.iter().chain(&row.address));
            for input in inputs {
                assert!(card.input(input).is_some(), "{} has no {input}", row.card);
            }
        }
        for (_, name, input) in EMBEDDING_CARDS {
            let card = registry::find(name).unwrap_or_else(|| panic!("{name}"));
            assert!(input.is_none_or(|input| card.input(input).is_some()), "{name}");
        }
    }

    #[test]
    fn numbers_are_read_in_any_form_and_nonsense_is_none() {
        let read = |value: Value| (number(Some(&value)), count(Some(&value)));
        assert_eq!(read(serde_json::json!("0.5")), (Some(0.5), None));
        assert_eq!(read(serde_json::json!(7)), (Some(7.0), Some(7)));
        assert_eq!(read(serde_json::json!("NaN")), (None, None));
        assert_eq!(read(serde_json::json!([1])), (None, None));
        assert_eq!(read(serde_json::json!(-3)), (Some(-3.0), None));
    }
}
