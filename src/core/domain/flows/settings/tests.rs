//! Settings are kept byte for byte, whatever they hold, and what means nothing reads as not set.

use super::chatbot::ORIGIN_REFUSED;
use super::*;
use proptest::prelude::*;
use serde_json::json;

/// Every key that a setting reads, at any depth.
const KEYS: &[&str] = &[
    "allowedOrigins",
    "allowedOriginsError",
    "fullFileUpload",
    "allowedUploadFileTypes",
    "postProcessing",
    "customFunction",
    "enabled",
    "status",
    "rateLimit",
    "limitMax",
    "limitDuration",
    "limitMsg",
    "namedSessions",
    "overrideConfig",
    "nodes",
    "variables",
    "name",
    "none",
    "openAIWhisper",
    "credentialId",
    "baseUrl",
    "model",
    "prompt",
    "temperature",
    "selectedProvider",
    "chatOpenAI",
    "token",
    "chatFeedback",
    "leads",
];

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![proptest::sample::select(KEYS).prop_map(str::to_owned), "[a-zA-Z_. ]{0,8}"]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_key().prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            any_object_of(inner).prop_map(Value::from),
        ]
    })
}

fn any_object_of(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    proptest::collection::vec((any_key(), value), 0..6).prop_map(Map::from_iter)
}

fn any_object() -> impl Strategy<Value = Option<Map<String, Value>>> {
    proptest::option::of(any_object_of(any_value()))
}

proptest! {
    #[test]
    fn what_is_read_is_written_as_it_was(
        objects in proptest::collection::vec(any_object(), 7),
        is_public in any::<Option<bool>>(),
        publish_instantly in any::<bool>(),
    ) {
        let mut stored = json!({"apiKey": null, "isPublic": is_public, "deployed": null, "publishInstantly": publish_instantly});
        let names =
            ["chatbotConfig", "apiConfig", "analytic", "speechToText", "textToSpeech", "followUpPrompts", "mcpServerConfig"];
        for (name, object) in names.into_iter().zip(objects) {
            stored[name] = object.into();
        }
        let text = stored.to_string();
        let read: FlowSettings = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        prop_assert_eq!(serde_json::to_value(&read).unwrap(), stored);
    }

    #[test]
    fn a_known_key_of_a_wrong_type_reads_as_not_set(wrong in any_value()) {
        let set = |name: &str| -> Map<String, Value> { Map::from_iter([(name.to_owned(), wrong.clone())]) };
        if !wrong.is_string() {
            prop_assert_eq!(ChatbotConfig::read(&set("allowedOriginsError")).origin_message, ORIGIN_REFUSED);
            prop_assert_eq!(FollowUpPrompts::read(&set("selectedProvider")).provider, None);
        }
        if !wrong.is_object() {
            let chat = |name: &str| ChatbotConfig::read(&set(name));
            prop_assert_eq!(chat("fullFileUpload").document_types, None);
            prop_assert_eq!(chat("postProcessing").post_processing, None);
            prop_assert_eq!(SpeechToText::read(&set("openAIWhisper")).provider, None);
            let api = ApiConfig::read(&set("overrideConfig"));
            prop_assert!(!api.overrides.allows("a", "b") && !api.overrides.allows_variable("a"));
            prop_assert_eq!(ApiConfig::read(&set("rateLimit")).rate_limit, None);
        }
        if wrong != json!(true) {
            prop_assert!(!ApiConfig::read(&set("namedSessions")).named_conversations);
            prop_assert!(!FollowUpPrompts::read(&set("status")).is_on);
        }
        if !wrong.is_null() && !wrong.is_array() {
            prop_assert_eq!(ChatbotConfig::read(&set("allowedOrigins")).allowed_origins, AllowedOrigins::NONE);
        }
    }
}

#[test]
fn a_setting_that_is_absent_is_written_as_null() {
    let read: FlowSettings = serde_json::from_value(json!({})).unwrap();
    assert_eq!(read, FlowSettings::default());
    assert_eq!(serde_json::to_value(&read).unwrap()["chatbotConfig"], Value::Null);
    let empty: FlowSettings = serde_json::from_value(json!({"chatbotConfig": {}})).unwrap();
    assert_eq!(serde_json::to_value(&empty).unwrap()["chatbotConfig"], json!({}));
    assert_ne!(empty, read);
}

#[test]
fn a_token_that_is_hidden_or_not_sent_stays_the_one_of_before() {
    let of = |object: Value| Setting::<McpServerConfig>::from(object.as_object().cloned());
    let before = of(json!({"enabled": true, "token": "t", "name": "x"}));
    let after = |sent: Value| {
        let mut sent = of(sent);
        sent.keep_token(&before);
        sent.to_text()
    };
    let kept = Some(r#"{"name":"y","token":"t"}"#.to_owned());
    assert_eq!(after(json!({"name": "y"})), kept);
    assert_eq!(after(json!({"token": crate::domain::workspace::credential::MASK, "name": "y"})), kept);
    assert_eq!(after(json!({"token": "", "name": "y"})), Some(r#"{"token":"","name":"y"}"#.to_owned()));
    assert_eq!(after(Value::Null), None);
    assert_eq!(before.without_token().to_text(), Some(r#"{"enabled":true,"name":"x"}"#.to_owned()));
}

fn with_origins(list: Value) -> FlowSettings {
    let config = json!({ "allowedOrigins": list });
    FlowSettings { chatbot_config: config.as_object().cloned().into(), ..FlowSettings::default() }
}

#[test]
fn one_empty_entry_means_every_origin() {
    for every in [json!([""]), json!([]), json!(null), json!(["", "https://a.example"])] {
        assert_eq!(
            with_origins(every.clone()).chatbot_config.allowed_origins,
            AllowedOrigins::Every,
            "{every}"
        );
    }
    assert_eq!(FlowSettings::default().chatbot_config.allowed_origins, AllowedOrigins::Every);
    let one = AllowedOrigins::Only(vec!["https://a.example".to_owned()]);
    assert_eq!(with_origins(json!([" https://a.example ", ""])).chatbot_config.allowed_origins, one);
}

#[test]
fn a_malformed_list_of_origins_admits_nobody() {
    for wrong in [
        json!("https://a.example"),
        json!(""),
        json!(5),
        json!(false),
        json!({"0": "https://a.example"}),
        json!([5]),
        json!([null]),
        json!(["https://a.example", {"url": "https://b.example"}]),
        json!([["https://a.example"]]),
    ] {
        assert_eq!(
            with_origins(wrong.clone()).chatbot_config.allowed_origins,
            AllowedOrigins::NONE,
            "{wrong}"
        );
    }
}

#[test]
fn a_policy_goes_beyond_another_by_an_input_or_by_a_field() {
    let policy = |schema: Value| {
        let row = json!({"name": "llmModelConfig", "enabled": true, "schema": schema});
        let config = json!({"overrideConfig": {"status": true, "nodes": {"Writer": [row]}}});
        ApiConfig::read(config.as_object().unwrap()).overrides
    };
    let (one, two) = (json!({"temperature": "number"}), json!({"temperature": "number", "topP": "number"}));
    for (schema, known, goes_beyond) in [
        (&two, &one, true),
        (&one, &two, false),
        (&Value::Null, &two, true),
        (&two, &Value::Null, false),
        (&one, &one, false),
    ] {
        let beyond = policy(schema.clone());
        let beyond = beyond.inputs_beyond(&policy(known.clone())).len();
        assert_eq!(beyond == 1, goes_beyond, "{schema} {known}");
    }
    assert_eq!(policy(one).inputs_beyond(&OverridePolicy::default()), [("Writer", "llmModelConfig")]);
}
