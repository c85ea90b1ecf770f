//! Where the providers of cards list their models.

use super::kit::models::openai_compatible::{password, with_version};
use super::kit::{Card, Category, Input, InputKind, Picker};
use super::registry;
use crate::llm::{
    ANTHROPIC_BASE, COHERE_BASE, GOOGLE_BASE, ListFormat, ModelPurpose, OLLAMA_BASE, OPENAI_BASE,
};
use serde_json::{Map, Value};

/// By card: how its provider lists its models, and where it is at home; nowhere when its owner says where.
const PROVIDERS: &[(&str, ListFormat, &str)] = &[
    ("chatAnthropic", ListFormat::Anthropic, ANTHROPIC_BASE),
    ("chatAnthropic_LlamaIndex", ListFormat::Anthropic, ANTHROPIC_BASE),
    ("chatCerebras", ListFormat::OpenAi, "https://api.cerebras.ai/v1"),
    ("chatCohere", ListFormat::Cohere, COHERE_BASE),
    ("chatCometAPI", ListFormat::OpenAi, "https://api.cometapi.com/v1"),
    ("chatDeepseek", ListFormat::OpenAi, "https://api.deepseek.com"),
    ("chatFireworks", ListFormat::OpenAi, "https://api.fireworks.ai/inference/v1"),
    ("chatGoogleGenerativeAI", ListFormat::Google, GOOGLE_BASE),
    ("chatGroq_LlamaIndex", ListFormat::OpenAi, "https://api.groq.com/openai/v1"),
    ("chatHuggingFace", ListFormat::OpenAi, "https://router.huggingface.co/v1"),
    ("chatLitellm", ListFormat::OpenAi, ""),
    ("chatLocalAI", ListFormat::OpenAi, ""),
    ("chatMistralAI", ListFormat::OpenAi, MISTRAL),
    ("chatNvidiaNIM", ListFormat::OpenAi, ""),
    ("chatOllama", ListFormat::Ollama, OLLAMA_BASE),
    ("chatOpenAI", ListFormat::OpenAi, OPENAI_BASE),
    ("chatOpenAI_LlamaIndex", ListFormat::OpenAi, OPENAI_BASE),
    ("chatOpenAICustom", ListFormat::OpenAi, OPENAI_BASE),
    ("chatOpenRouter", ListFormat::OpenAi, "https://openrouter.ai/api/v1"),
    ("chatSambanova", ListFormat::OpenAi, "https://api.sambanova.ai/v1"),
    ("chatTogetherAI", ListFormat::OpenAi, "https://api.together.xyz/v1"),
    ("chatTogetherAI_LlamaIndex", ListFormat::OpenAi, "https://api.together.xyz/v1"),
    ("chatXAI", ListFormat::OpenAi, "https://api.x.ai/v1"),
    ("cohereEmbeddings", ListFormat::Cohere, COHERE_BASE),
    ("googleGenerativeAiEmbeddings", ListFormat::Google, GOOGLE_BASE),
    ("groqChat", ListFormat::OpenAi, "https://api.groq.com/openai/v1"),
    ("localAIEmbeddings", ListFormat::OpenAi, ""),
    ("mistralAIEmbeddings", ListFormat::OpenAi, MISTRAL),
    ("ollama", ListFormat::Ollama, OLLAMA_BASE),
    ("ollamaEmbedding", ListFormat::Ollama, OLLAMA_BASE),
    ("openAIEmbedding_LlamaIndex", ListFormat::OpenAi, OPENAI_BASE),
    ("openAIEmbeddings", ListFormat::OpenAi, OPENAI_BASE),
    ("openAIEmbeddingsCustom", ListFormat::OpenAi, OPENAI_BASE),
    ("togetherAIEmbedding", ListFormat::OpenAi, "https://api.together.xyz/v1"),
];

const MISTRAL: &str = "https://api.mistral.ai/v1";

/// How one card's provider is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelListRequest {
    pub format: ListFormat,
    pub base: String,
    pub purpose: ModelPurpose,
    /// The field of the card's credential that holds the key.
    pub key: Option<&'static str>,
    /// False when the provider answers without a key.
    pub needs_key: bool,
}

/// How the provider of `card` is asked for its models, the card being set like this.
#[must_use]
pub fn model_list_request(card: &Card, settings: &Map<String, Value>) -> Option<ModelListRequest> {
    let (_, format, home) = PROVIDERS.iter().find(|(name, ..)| *name == card.name)?;
    let written = card
        .inputs
        .iter()
        .find(|input| input.kind == InputKind::Address)
        .and_then(|input| settings.get(input.name)?.as_str())
        .map(str::trim)
        .filter(|address| !address.is_empty());
    let base = match written {
        // Only a run knows what a reference stands for.
        Some(address) if address.contains("{{") => return None,
        Some(address) if *home == MISTRAL => with_version(address),
        Some(address) => address.to_owned(),
        None if home.is_empty() => return None,
        None => (*home).to_owned(),
    };
    let needs_key =
        card.inputs.iter().any(|input| matches!(input.kind, InputKind::Credential(_)) && !input.optional);
    Some(ModelListRequest {
        format: *format,
        base,
        purpose: if card.category == Category::Embeddings {
            ModelPurpose::Embeddings
        } else {
            ModelPurpose::Chat
        },
        key: password(card),
        needs_key,
    })
}

/// Where the provider of a card is at home; `None` when its owner says where.
#[must_use]
pub fn home(card: &Card) -> Option<&'static str> {
    let (.., home) = PROVIDERS.iter().find(|(name, ..)| *name == card.name)?;
    Some(*home).filter(|home| !home.is_empty())
}

/// The homes of all providers that are reached over https.
pub fn homes() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|(.., home)| *home).filter(|home| home.starts_with("https://"))
}

/// The names of models that a card suggests by itself.
#[must_use]
pub fn suggested_models(card: &Card) -> &'static [&'static str] {
    let found = card.inputs.iter().find_map(|input| match input.kind {
        InputKind::ModelName(names) => Some(names),
        _ => None,
    });
    found.unwrap_or_default()
}

/// True when one of the card's inputs picks such a record of the workspace.
#[must_use]
pub fn has_picker(card: &Card, what: Picker) -> bool {
    let picks = |input: &Input| input.kind == InputKind::Pick(what);
    card.inputs.iter().any(|input| picks(input) || input.row_fields().iter().any(picks))
}

/// The card of this name.
#[must_use]
pub fn card(name: &str) -> Option<&'static Card> {
    registry::find(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_row_names_a_card() {
        for (name, _, home) in PROVIDERS {
            let card = registry::find(name).unwrap_or_else(|| panic!("{name}"));
            let takes_address = card.inputs.iter().any(|input| input.kind == InputKind::Address);
            assert!(takes_address || home.starts_with("https://"), "{name}");
        }
    }

    #[test]
    fn the_owners_address_goes_before_the_providers_own() {
        let base = |name: &str, settings: Value| {
            model_list_request(registry::find(name).unwrap(), settings.as_object().unwrap())
                .map(|asking| asking.base)
        };
        assert_eq!(base("chatOpenAI", json!({"basepath": ""})).as_deref(), Some(OPENAI_BASE));
        assert_eq!(base("chatOpenAI", json!({"basepath": "http://h/v1"})).as_deref(), Some("http://h/v1"));
        assert_eq!(
            base("chatMistralAI", json!({"overrideEndpoint": "http://h"})).as_deref(),
            Some("http://h/v1")
        );
        assert_eq!(base("chatOllama", json!({"baseUrl": "{{$vars.where}}"})), None);
        assert_eq!(base("chatLocalAI", json!({})), None);
        assert_eq!(base("chatExtractive", json!({})), None);
    }
}
