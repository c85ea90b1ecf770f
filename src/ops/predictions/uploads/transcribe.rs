//! Recordings to text, with the Speech to Text provider of the flow's settings (manual 5.2 r2).

use super::check::CheckedFile;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::flows::settings::SpeechProviderSettings;
use crate::domain::ids::CredentialId;
use crate::llm::{Endpoint, OPENAI_BASE, ProviderKey, Recording, Transcriber};
use crate::ops::workspace::credentials;
use serde_json::{Map, Value};

/// A provider that speaks the OpenAI protocol.
struct SpeechProvider {
    name: &'static str,
    label: &'static str,
    /// Where it is, unless the settings say otherwise; without one they must.
    base: Option<&'static str>,
    model: &'static str,
    /// The field of its credential that holds the key.
    key: &'static str,
    /// Works without a key.
    is_keyless: bool,
}

const PROVIDERS: &[SpeechProvider] = &[
    SpeechProvider {
        name: "openAIWhisper",
        label: "OpenAI Whisper",
        base: Some(OPENAI_BASE),
        model: "whisper-1",
        key: "openAIApiKey",
        is_keyless: false,
    },
    SpeechProvider {
        name: "groqWhisper",
        label: "Groq Whisper",
        base: Some("https://api.groq.com/openai/v1"),
        model: "whisper-large-v3",
        key: "groqApiKey",
        is_keyless: false,
    },
    SpeechProvider {
        name: "localAISTT",
        label: "LocalAI Speech to Text",
        base: None,
        model: "whisper-1",
        key: "localAIApiKey",
        is_keyless: true,
    },
];

/// The words of a recording.
///
/// # Errors
/// 500 naming the provider, when its settings or its answer do not allow it; 429 when it is limiting requests.
pub(in crate::ops::predictions) fn transcribe(
    app: &App,
    flow: &Flow,
    file: &CheckedFile,
    cancel: &CancelToken,
) -> Result<String> {
    let settings = flow.settings.speech_to_text.provider.as_ref();
    let settings = settings
        .ok_or_else(|| Error::Forbidden("Audio uploads are switched off for this flow.".to_owned()))?;
    let Some(provider) = PROVIDERS.iter().find(|provider| provider.name == settings.name) else {
        return Err(Error::RunFailed(
            "Speech to Text: this server cannot use the flow's provider yet. Choose OpenAI Whisper, Groq Whisper or LocalAI."
                .to_owned(),
        ));
    };
    let failed = |what: &str| Error::RunFailed(format!("{}: {what}.", provider.label));
    let base = settings.base_url.clone().or_else(|| provider.base.map(str::to_owned));
    let base = base.ok_or_else(|| failed("the flow's settings name no address"))?;
    let key = api_key(app, flow, provider, settings)?;
    if key.is_none() && !provider.is_keyless {
        return Err(failed("the flow's settings name no credential that holds an API key"));
    }
    let fields = [
        ("language", &settings.language),
        ("prompt", &settings.prompt),
        ("temperature", &settings.temperature),
    ];
    let transcriber = Transcriber {
        endpoint: Endpoint::new(app.outgoing.clone(), &base, key),
        model: settings.model.clone().unwrap_or_else(|| provider.model.to_owned()),
        fields: fields.into_iter().filter_map(|(name, text)| Some((name, text.clone()?))).collect(),
    };
    let recording = Recording {
        name: &format!("recording.{}", file.stored_extension()),
        mime: file.mime,
        bytes: &file.content.read_all().map_err(Error::internal)?,
    };
    transcriber.transcribe(recording, cancel).map_err(|fault| fault.at(provider.label))
}

fn api_key(
    app: &App,
    flow: &Flow,
    provider: &SpeechProvider,
    settings: &SpeechProviderSettings,
) -> Result<Option<ProviderKey>> {
    let Some(id) = settings.credential.as_deref().and_then(CredentialId::parse) else {
        return Ok(None);
    };
    let fields = app.store.read(|tx| credentials::open(tx, &app.secrets.vault, &flow.workspace, &id))?;
    Ok(fields.and_then(|fields| text_of(&fields, provider.key)).map(|key| ProviderKey::new(&key)))
}

/// A field of a credential as text; pages write numbers as either.
fn text_of(fields: &Map<String, Value>, name: &str) -> Option<String> {
    let text = match fields.get(name)? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}
