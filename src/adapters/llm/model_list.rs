//! Which models a provider has: one small request per wire format.

use super::endpoint::{ProviderKey, read_whole};
use super::protocols::anthropic;
use super::{Endpoint, ModelError};
use crate::base::cancel::CancelToken;
use serde_json::Value;

/// Models that are read of one answer.
const MODELS_MAX: usize = 2_000;
/// Longest name that is believed.
const NAME_CHARS_MAX: usize = 200;

/// How a provider lists its models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// `GET /models` behind the base address.
    OpenAi,
    /// `GET /v1/models` with Anthropic's headers.
    Anthropic,
    /// `GET /v1beta/models` with Google's header.
    Google,
    /// `GET /api/tags`.
    Ollama,
    /// `GET /v1/models` of Cohere, which tells what each is for.
    Cohere,
}

/// What models are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPurpose {
    Chat,
    Embeddings,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// What is sent as its name.
    pub name: String,
    /// What people read, where the provider has one.
    pub label: Option<String>,
}

/// Words in names of models that answer no question with text.
const OTHER_USES: &[&str] = &[
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "image",
    "audio",
    "moderation",
    "transcribe",
    "realtime",
    "sora",
    "rerank",
    "guard",
];

impl ModelPurpose {
    /// Judges by the name where the provider does not say what a model is for.
    fn matches_name(self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        match self {
            Self::Chat => !OTHER_USES.iter().any(|word| name.contains(word)),
            Self::Embeddings => name.contains("embed"),
        }
    }
}

/// The models of a provider, in its own order.
///
/// # Errors
/// What the provider refused, or what broke on the way.
pub fn list_models(
    endpoint: &Endpoint,
    format: ListFormat,
    wanted: ModelPurpose,
    cancel: &CancelToken,
) -> Result<Vec<ListedModel>, ModelError> {
    let key = endpoint.key.as_ref().map(ProviderKey::expose);
    let bearer = endpoint.bearer();
    let mut headers = Vec::new();
    match format {
        ListFormat::Anthropic => {
            headers.push(("anthropic-version", anthropic::PROTOCOL_VERSION));
            headers.extend(key.map(|key| ("x-api-key", key)));
        }
        ListFormat::Google => headers.extend(key.map(|key| ("x-goog-api-key", key))),
        _ => headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer))),
    }
    let path = match (format, wanted) {
        (ListFormat::OpenAi, _) => "/models",
        (ListFormat::Anthropic, _) => "/v1/models?limit=1000",
        (ListFormat::Google, _) => "/v1beta/models?pageSize=1000",
        (ListFormat::Ollama, _) => "/api/tags",
        (ListFormat::Cohere, ModelPurpose::Chat) => "/v1/models?page_size=1000&endpoint=chat",
        (ListFormat::Cohere, ModelPurpose::Embeddings) => "/v1/models?page_size=1000&endpoint=embed",
    };
    let mut incoming = endpoint.get(path, &headers, "", cancel)?;
    let whole = read_whole(&mut incoming)?;
    incoming.finish();
    Ok(parse_models(&whole, format, wanted))
}

fn parse_models(whole: &Value, format: ListFormat, wanted: ModelPurpose) -> Vec<ListedModel> {
    // A few servers of OpenAI's protocol leave the object around the list out.
    let list = [&whole["data"], &whole["models"], whole].into_iter().find_map(Value::as_array);
    let entries = list.into_iter().flatten().take(MODELS_MAX);
    entries.filter_map(|entry| parse_model(entry, format, wanted)).collect()
}

fn parse_model(entry: &Value, format: ListFormat, wanted: ModelPurpose) -> Option<ListedModel> {
    let name = match format {
        ListFormat::OpenAi | ListFormat::Anthropic => entry["id"].as_str()?,
        ListFormat::Google => entry["name"].as_str()?.trim_start_matches("models/"),
        ListFormat::Ollama | ListFormat::Cohere => entry["name"].as_str()?,
    };
    let is_name = !name.is_empty()
        && name.chars().count() <= NAME_CHARS_MAX
        && !name.chars().any(|c| c.is_control() || c.is_whitespace());
    let fits = match format {
        ListFormat::OpenAi => wanted.matches_name(name),
        ListFormat::Google => {
            let method = match wanted {
                ModelPurpose::Chat => "generateContent",
                ModelPurpose::Embeddings => "embedContent",
            };
            entry["supportedGenerationMethods"]
                .as_array()
                .is_some_and(|methods| methods.iter().any(|known| known == method))
        }
        // The rest of its models are what people loaded onto it: their names say nothing certain.
        ListFormat::Anthropic | ListFormat::Ollama | ListFormat::Cohere => true,
    };
    let label = [&entry["display_name"], &entry["displayName"]].into_iter().find_map(Value::as_str);
    let label = label.filter(|label| label.chars().count() <= NAME_CHARS_MAX).map(str::to_owned);
    (is_name && fits).then(|| ListedModel { name: name.to_owned(), label })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(whole: &Value, format: ListFormat, wanted: ModelPurpose) -> Vec<String> {
        parse_models(whole, format, wanted).into_iter().map(|model| model.name).collect()
    }

    #[test]
    fn each_format_gives_the_names_of_models_that_fit() {
        let openai = json!({"data": [{"id": "gpt-x"}, {"id": "text-embedding-x"}, {"id": "whisper-1"}, {"id": ""}, {"id": 7}]});
        assert_eq!(names(&openai, ListFormat::OpenAi, ModelPurpose::Chat), ["gpt-x"]);
        assert_eq!(names(&openai, ListFormat::OpenAi, ModelPurpose::Embeddings), ["text-embedding-x"]);
        assert_eq!(names(&json!([{"id": "a/b"}]), ListFormat::OpenAi, ModelPurpose::Chat), ["a/b"]);
        let google = json!({"models": [
            {"name": "models/gemini-x", "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/vectors-x", "supportedGenerationMethods": ["embedContent"]},
        ]});
        assert_eq!(names(&google, ListFormat::Google, ModelPurpose::Chat), ["gemini-x"]);
        assert_eq!(names(&google, ListFormat::Google, ModelPurpose::Embeddings), ["vectors-x"]);
        let ollama = json!({"models": [{"name": "llama:8b"}, {"name": "two words"}]});
        assert_eq!(names(&ollama, ListFormat::Ollama, ModelPurpose::Chat), ["llama:8b"]);
        let anthropic = parse_models(
            &json!({"data": [{"id": "claude-x", "display_name": "Claude X"}]}),
            ListFormat::Anthropic,
            ModelPurpose::Chat,
        );
        assert_eq!(anthropic, [ListedModel { name: "claude-x".into(), label: Some("Claude X".into()) }]);
        assert!(names(&json!({"data": "none"}), ListFormat::OpenAi, ModelPurpose::Chat).is_empty());
    }
}
