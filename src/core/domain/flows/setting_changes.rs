//! Which settings of a flow changed, in the words of the settings page (manual 6.1 r1).

use super::settings::FlowSettings;
use serde_json::{Map, Value};

/// Keys inside a settings object, with their words.
type KeyPhrases = &'static [(&'static str, &'static str)];

const CHAT: KeyPhrases = &[
    ("allowedOrigins", "allowed domains"),
    ("allowedOriginsError", "the message for other domains"),
    ("starterPrompts", "starter prompts"),
    ("welcomeMessage", "the welcome message"),
    ("fullFileUpload", "file upload"),
    ("chatFeedback", "chat feedback"),
    ("leads", "leads"),
    ("postProcessing", "post-processing"),
    ("title", "the chat title"),
];

const API: KeyPhrases =
    &[("rateLimit", "rate limit"), ("budget", "budget"), ("overrideConfig", "override settings")];

/// What changed from one to the other, a phrase for each setting; empty when nothing did.
#[must_use]
pub fn changed_settings(earlier: &FlowSettings, later: &FlowSettings) -> Vec<String> {
    let mut changed = Vec::new();
    let whole = [
        (earlier.api_key != later.api_key, "API key"),
        (earlier.is_public.unwrap_or(false) != later.is_public.unwrap_or(false), "sharing"),
        (earlier.publish_instantly != later.publish_instantly, "Publish instantly"),
    ];
    changed.extend(whole.into_iter().filter(|(differs, _)| *differs).map(|(_, words)| words.to_owned()));
    push_changed_keys(&mut changed, earlier.api_config.raw(), later.api_config.raw(), API, "API settings");
    push_changed_keys(
        &mut changed,
        earlier.chatbot_config.raw(),
        later.chatbot_config.raw(),
        CHAT,
        "chat settings",
    );
    let objects = [
        (earlier.analytic.raw(), later.analytic.raw(), "tracing"),
        (earlier.speech_to_text.raw(), later.speech_to_text.raw(), "speech to text"),
        (earlier.text_to_speech.raw(), later.text_to_speech.raw(), "text to speech"),
        (earlier.follow_up_prompts.raw(), later.follow_up_prompts.raw(), "follow-up prompts"),
        (earlier.mcp_server_config.raw(), later.mcp_server_config.raw(), "MCP server"),
    ];
    for (earlier, later, words) in objects {
        push_changed_keys(&mut changed, earlier, later, &[], words);
    }
    changed
}

/// An object that is absent says the same as an empty one, and an absent key the same as null.
fn push_changed_keys(
    changed: &mut Vec<String>,
    earlier: Option<&Map<String, Value>>,
    later: Option<&Map<String, Value>>,
    words: KeyPhrases,
    other: &str,
) {
    let empty = Map::new();
    let (earlier, later) = (earlier.unwrap_or(&empty), later.unwrap_or(&empty));
    let value = |map: &Map<String, Value>, name: &str| map.get(name).cloned().unwrap_or_default();
    let differs = |name: &String| value(earlier, name) != value(later, name);
    for name in later.keys().chain(earlier.keys().filter(|name| !later.contains_key(*name))) {
        let phrase = words.iter().find(|(key, _)| key == name).map_or(other, |(_, phrase)| phrase);
        if differs(name) && !changed.iter().any(|told| told == phrase) {
            changed.push(phrase.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_are_told_once_and_by_their_words() {
        let of = |api: Value, chat: Value| FlowSettings {
            api_config: api.as_object().cloned().into(),
            chatbot_config: chat.as_object().cloned().into(),
            ..FlowSettings::default()
        };
        let before = of(json!({ "rateLimit": { "limitMax": 1 } }), json!({ "a": 1, "starterPrompts": {} }));
        let after = of(json!({ "rateLimit": { "limitMax": 2 } }), json!({ "b": 1, "allowedOrigins": [] }));
        assert_eq!(changed_settings(&before, &before), Vec::<String>::new());
        assert_eq!(
            changed_settings(&before, &after),
            ["rate limit", "chat settings", "allowed domains", "starter prompts"]
        );
        assert!(
            changed_settings(&of(json!(null), json!({ "x": null })), &of(json!({}), json!(null))).is_empty()
        );
        let bound =
            FlowSettings { publish_instantly: true, is_public: Some(true), ..FlowSettings::default() };
        assert_eq!(changed_settings(&FlowSettings::default(), &bound), ["sharing", "Publish instantly"]);
    }
}
