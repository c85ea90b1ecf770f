//! Every name of the protected groups and names that must stay free, and properties over generated requests.

use super::*;
use crate::canvas::Canvas;
use crate::cards::registry;
use crate::domain::flows::settings::FlowSettings;
use crate::engine::plan::{Plan, StepKind};
use proptest::prelude::*;
use serde_json::json;

/// The names that no request changes (manual 7.2), and forms of them.
#[rustfmt::skip]
const PROTECTED: &[&str] = &[
    "api\u{200b}Key", "\u{feff}apiKey", "ａｐｉＫｅｙ", "pass\u{ad}word", "base\u{2060}Url", "po\u{200d}rt",
    "credential", "Credential", "credentialId", "FLOWISE_CREDENTIAL_ID", "apiKey", "api_key", "API-KEY",
    "api key", "openAIApiKey", "clientSecret", "client_secret", "secret", "webhookSecret", "password",
    "dbPassword", "basic auth password", "token", "accessToken", "access-token", "bot_token",
    "sessionToken", "url", "baseUrl", "BASE_URL", "callbackUrl", "redirectUri", "uri", "host", "redisHost",
    "endpoint", "azureEndpoint", "overrideEndpoint", "basepath", "basePath", "base_path", "links",
    "relativeLinks", "paths", "filePaths", "headers", "defaultHeaders", "customHeaders", "baseOptions",
    "port", "db_port", "redisPort", "http2Port", "javascriptFunction", "customFunctionJavascriptFunction",
    "ifFunction", "elseFunction", "jsonSchema", "customToolFunc", "customToolSchema", "messageHistoryCode",
    "updateStateMemoryCode", "llmUpdateState", "agentUpdateState", "llmStructuredOutput", "agentModel",
    "llmModel", "conditionAgentModel", "humanInputModel", "embeddingModel", "vectorStore", "documentStore",
    "selectedStore", "selectedTool", "selectedChatflow", "agentSelectedTool", "toolAgentflowSelectedTool",
    "executeFlowSelectedFlow", "agentKnowledgeDocumentStores", "agentKnowledgeVSEmbeddings",
];

/// Names that look like some of them.
const FREE: &[&str] = &[
    "modelName",
    "temperature",
    "maxTokens",
    "tokens",
    "tokenLimit",
    "topP",
    "systemMessage",
    "promptValues",
    "prompt",
    "secretary",
    "passwordHint",
    "hostname",
    "urlCount",
    "endpoints",
    "support",
    "transport",
    "import",
    "Port",
    "ports",
    "portable",
    "key",
    "value",
    "name",
    "topK",
    "streaming",
    "memoryKey",
    "startState",
    "fileType",
    "pathology",
    "headline",
    "agentModelConfig",
    "llmModelConfig",
    "returnSourceDocuments",
    "credentials",
    "ssl",
    "database",
    "additionalConfig",
    "codec",
    "template",
];

#[test]
fn every_name_of_the_table_is_protected_in_every_form() {
    for name in PROTECTED {
        assert!(protected::group_of_name(name).is_some(), "{name}");
    }
    for name in FREE {
        assert_eq!(protected::group_of_name(name), None, "{name}");
    }
}

#[test]
fn every_password_field_of_every_credential_is_protected() {
    use crate::domain::workspace::credential_types::{ALL, FieldKind};
    for kind in ALL {
        for field in kind.fields.iter().filter(|field| field.kind == FieldKind::Password) {
            let named = protected::group_of_name(field.name).is_some();
            assert_eq!(named, !["key", "value"].contains(&field.name), "{} of {}", field.name, kind.name);
        }
    }
}

/// Overrides on, with all these settings of the card labelled `label` switched on.
pub(super) fn listing(label: &str, names: &[&str], variables: &[&str]) -> FlowSettings {
    let rows = |names: &[&str]| -> Value {
        names.iter().map(|name| json!({"label": name, "name": name, "enabled": true})).collect()
    };
    let config = json!({"overrideConfig": {"status": true, "nodes": {label: rows(names)}, "variables": rows(variables)}});
    FlowSettings { api_config: config.as_object().cloned().into(), ..FlowSettings::default() }
}

/// A card that stands on a canvas under this label.
pub(super) const fn standing<'p>(label: &'p str, card: &'static Card) -> CardPlace<'p> {
    CardPlace::new(0, "n0", label, card)
}

/// Edits what is switched on, as its owner saves it.
pub(super) fn edit_listing(settings: &mut FlowSettings, edit: impl FnOnce(&mut Value)) {
    let mut config = settings.api_config.raw().cloned().unwrap();
    edit(&mut config["overrideConfig"]);
    settings.api_config = Some(config).into();
}

#[test]
fn no_card_lets_go_of_what_its_kinds_protect_even_when_all_is_listed() {
    for card in registry::CARDS {
        let names: Vec<&str> = card.inputs.iter().map(|input| input.name).collect();
        let settings = listing(card.label, &names, &[]);
        for input in card.inputs {
            let decided = check_override(
                &settings.api_config.overrides,
                &standing(card.label, card),
                input,
                &json!("x"),
            );
            let protected = matches!(
                input.kind,
                InputKind::Secret
                    | InputKind::Credential(_)
                    | InputKind::Address
                    | InputKind::Headers
                    | InputKind::Pick(_)
                    | InputKind::CardPick(_)
                    | InputKind::Choices(_)
                    | InputKind::Code
                    | InputKind::File(_)
                    | InputKind::Wire(_)
                    | InputKind::Wires(_)
            ) || protected::group_of_name(input.name).is_some()
                || [
                    "path",
                    "folderPath",
                    "file",
                    "schema",
                    "code",
                    "sessionId",
                    "apiDocs",
                    "database",
                    "region",
                    "bucketName",
                    "keyName",
                    "ssl",
                    "additionalConfig",
                    "metadataPayloadKey",
                    "contentPayloadKey",
                    "pineconeTextKey",
                    "weaviateTextKey",
                    "milvusTextField",
                    "fileUpload",
                    "secure",
                    "weaviateConnectionType",
                    "weaviateHttpSecure",
                ]
                .contains(&input.name);
            assert_eq!(decided.is_err(), protected, "{} of {}", input.name, card.name);
        }
    }
}

/// Where a database is and how it is called: settings of a card, whatever its owner listed and however it is sent.
#[test]
fn no_request_leads_a_card_to_another_database_or_past_its_certificate() {
    let names =
        ["host", "port", "database", "ssl", "additionalConfig", "credential", "topK", "pgMetadataFilter"];
    let canvas = json!({"nodes": [
        {"id": "p0", "data": {"id": "p0", "name": "postgres", "label": "Books", "inputs": {
            "topK": "4", "recordManager": "{{r0.data.instance}}",
        }}},
        {"id": "r0", "data": {"id": "r0", "name": "postgresRecordManager", "label": "Records", "inputs": {}}},
        {"id": "c0", "data": {"id": "c0", "name": "retrievalQAChain", "label": "Chain", "inputs": {
            "vectorStoreRetriever": "{{p0.data.instance}}",
        }}},
    ], "edges": [{"source": "r0", "target": "p0"}, {"source": "p0", "target": "c0"}]});
    let plan = Plan::compile(&Canvas::parse(&canvas.to_string()).unwrap()).unwrap();
    let mut settings = listing("Books", &names, &["ssl", "database"]);
    edit_listing(&mut settings, |lists| lists["nodes"]["Records"] = lists["nodes"]["Books"].clone());
    let decided = |sent: Value| {
        Overrides::evaluate(
            &plan.places(),
            &settings.api_config.overrides,
            sent.as_object().unwrap(),
            &|_| true,
        )
        .unwrap()
    };
    for name in ["host", "port", "database", "ssl", "additionalConfig", "credential"] {
        for value in [json!(false), json!("x"), json!({"ssl": false}), json!("{\"ssl\": false}")] {
            for sent in [json!({ name: value }), json!({ name: {"p0": value, "r0": value} })] {
                let overrides = decided(sent.clone());
                assert!(overrides.values.is_empty(), "{sent}");
                assert_eq!(overrides.ignored_names(), [name], "{sent}");
            }
        }
    }
    // As words of what is searched for, and as names of variables, they are like any other.
    let free = decided(json!({
        "pgMetadataFilter": {"p0": {"shelf": "books", "sslPolicy": true, "additionalConfig": 1}},
        "topK": 2,
        "vars": {"ssl": "on", "database": "books"},
    }));
    assert_eq!((free.values.len(), free.variables().len(), free.ignored_names().len()), (2, 2, 0));
    assert!(decided(json!({"pgMetadataFilter": {"p0": {"database": "books"}}})).values.is_empty());
    assert!(
        decided(json!({"pgMetadataFilter": {"p0": {"additionalConfig": {"host": "x"}}}})).values.is_empty()
    );
}

fn open_ai() -> (&'static Card, &'static Input) {
    let card = registry::find("llmChain").unwrap();
    (card, card.input("chainName").unwrap())
}

#[test]
fn off_unlisted_and_switched_off_settings_are_refused() {
    let (card, input) = open_ai();
    let on = listing("Chain", &["chainName"], &[]);
    let ask = |settings: &FlowSettings, label: &str| {
        check_override(&settings.api_config.overrides, &standing(label, card), input, &json!("x"))
    };
    assert_eq!(ask(&on, "Chain"), Ok(()));
    assert_eq!(ask(&on, "chain"), Err(OverrideRefusal::NotListed), "labels are compared as written");
    assert_eq!(ask(&FlowSettings::default(), "Chain"), Err(OverrideRefusal::NotListed));
    for (name, value) in
        [("status", json!(false)), ("status", json!("true")), ("nodes", json!({})), ("nodes", json!([]))]
    {
        let mut off = on.clone();
        edit_listing(&mut off, |lists| lists[name] = value);
        assert_eq!(ask(&off, "Chain"), Err(OverrideRefusal::NotListed), "{name}");
    }
    let mut off = on.clone();
    edit_listing(&mut off, |lists| lists["nodes"]["Chain"][0]["enabled"] = json!(false));
    assert_eq!(ask(&off, "Chain"), Err(OverrideRefusal::NotListed));
}

/// A value with `inner` so many levels down, through objects, lists and JSON texts in turn.
fn nested(inner: Value, levels: usize, start: usize) -> Value {
    (0..levels).fold(inner, |value, level| match (level + start) % 3 {
        0 => json!({ "inner": value }),
        1 => json!([value]),
        _ => json!({ "inner": value.to_string() }),
    })
}

#[test]
fn a_protected_key_anywhere_or_too_deep_a_value_drops_all_of_it() {
    let card = registry::find("promptTemplate").unwrap();
    let settings = listing("P", &["promptValues"], &[]);
    let (place, input) = (standing("P", card), card.input("promptValues").unwrap());
    let ask = |value: &Value| check_override(&settings.api_config.overrides, &place, input, value);
    for start in 0..3 {
        for levels in 0..=7 {
            let bad = nested(json!({"fine": 1, "apiKey": "x"}), levels, start);
            assert_eq!(ask(&bad), Err(OverrideRefusal::Inside), "{bad}");
            assert_eq!(ask(&json!(bad.to_string())), Err(OverrideRefusal::Inside), "{bad} as text");
            assert_eq!(ask(&nested(json!({"fine": 1}), levels, start)), Ok(()), "{levels} levels");
        }
        assert_eq!(ask(&nested(json!({"fine": 1}), 8, start)), Err(OverrideRefusal::Inside), "nine levels");
    }
    let twice = json!(r#"{"a": {"token": 1, "token": 2}}"#);
    assert_eq!(ask(&twice), Err(OverrideRefusal::Inside));
    assert_eq!(ask(&json!({"a": "{\"x\": 1, \"x\": 2}"})), Err(OverrideRefusal::Inside), "a key given twice");
}

fn plan() -> Plan {
    let node = |id: &str, name: &str, label: &str, inputs: Value| json!({"id": id, "data": {"id": id, "name": name, "label": label, "inputs": inputs}});
    let canvas = json!({
        "nodes": [
            node("m0", "chatOpenAI", "Model", json!({"temperature": "0.5"})),
            node("p0", "promptTemplate", "Prompt", json!({"template": "{a}", "promptValues": "{\"a\": \"{{question}}\", \"b\": 1}"})),
            node("c0", "llmChain", "Chain", json!({"model": "{{m0.data.instance}}", "prompt": "{{p0.data.instance}}"})),
        ],
        "edges": [{"source": "m0", "target": "c0"}, {"source": "p0", "target": "c0"}],
    });
    Plan::compile(&Canvas::parse(&canvas.to_string()).unwrap()).unwrap()
}

fn taken(settings: &FlowSettings, sent: &Value) -> Overrides {
    judged(settings, sent).unwrap()
}

fn judged(settings: &FlowSettings, sent: &Value) -> crate::domain::error::Result<Overrides> {
    Overrides::evaluate(
        &plan().places(),
        &settings.api_config.overrides,
        sent.as_object().unwrap(),
        &|name| name != "unsaved",
    )
}

#[test]
fn values_may_be_given_by_node() {
    let settings = listing("Model", &["temperature", "modelName"], &[]);
    let plan = plan();
    let model = plan.places["m0"];
    let of = |sent: Value| {
        let overrides = taken(&settings, &sent);
        let mut values: Vec<(String, Value)> =
            overrides.for_step(model).map(|(name, value)| (name.to_owned(), value.clone())).collect();
        values.sort_by(|(a, _), (b, _)| a.cmp(b));
        (values, overrides.ignored_names().to_vec())
    };
    let one = |value: Value| vec![("temperature".to_owned(), value)];
    assert_eq!(of(json!({"temperature": {"m0": 0.1}})), (one(json!(0.1)), vec![]));
    assert_eq!(of(json!({"temperature": {"m0": 0.1, "p0": 7, "gone": 8}})), (one(json!(0.1)), vec![]));
    assert_eq!(of(json!({"temperature": {"p0": 7}})), (vec![], vec!["temperature".to_owned()]));
    for nobodys in [json!({"gone": 8}), json!({"x": {"y": 1}}), json!({})] {
        assert_eq!(of(json!({ "temperature": nobodys })), (vec![], vec!["temperature".to_owned()]));
    }
    assert_eq!(of(json!({"temperature": {"m0": {"apiKey": 1}}})).0, vec![], "judged as any other value");
    assert_eq!(
        of(json!({"temperature": null, "maxTokens": 3, "nonsense": 1})),
        (vec![], vec!["maxTokens".into(), "nonsense".into()])
    );
}

#[test]
fn a_value_that_the_setting_cannot_hold_is_refused_wherever_it_is_taken() {
    let settings = listing("Model", &["temperature", "modelName", "maxTokens"], &[]);
    for sent in [
        json!({"temperature": "hot"}),
        json!({"temperature": 99}),
        json!({"temperature": {"m0": [1]}}),
        json!({"modelName": ["a", "b"]}),
        json!({"modelName": {"m0": {"name": "a"}}}),
        json!({"maxTokens": -1}),
    ] {
        let refused = judged(&settings, &sent).unwrap_err();
        let name = sent.as_object().unwrap().keys().next().unwrap();
        assert!(matches!(&refused, Error::Invalid(text) if text.contains(name)), "{sent} {refused:?}");
        // What nobody listed is ignored, whatever it is.
        assert_eq!(judged(&FlowSettings::default(), &sent).unwrap().ignored_names(), [name.as_str()]);
    }
    let left_out = judged(&settings, &json!({"temperature": {"m0": null}, "maxTokens": ""})).unwrap();
    assert_eq!(left_out.for_step(plan().places["m0"]).count(), 1);
}

#[test]
fn objects_merge_lists_unite_and_the_rest_takes_the_place() {
    let plan = plan();
    let StepKind::Known { inputs, .. } = &plan.steps[plan.places["p0"]].kind else { panic!("known") };
    let saved = inputs.iter().find(|(name, _)| *name == "promptValues").map(|(_, source)| source).unwrap();
    use super::super::source::InputSource;
    let merged =
        InputSource::with_override(Some(saved), InputKind::Json, &json!({"b": "{{$vars.x}}", "c": 2}));
    let InputSource::Json { json, .. } = merged else { panic!("references of the owner stay references") };
    let built = json.build(&|_| json!("the question"));
    assert_eq!(
        built,
        json!({"a": "the question", "b": "{{$vars.x}}", "c": 2}),
        "a request's text is never expanded"
    );
    let list = InputSource::Plain(json!(["a", "b"]));
    let text = InputKind::Text { rows: 1 };
    assert_eq!(
        InputSource::with_override(Some(&list), text, &json!(["b", "c"])),
        InputSource::Plain(json!(["a", "b", "c"]))
    );
    assert_eq!(
        InputSource::with_override(Some(&list), text, &json!([{"x": 1}])),
        InputSource::Plain(json!([{"x": 1}]))
    );
    assert_eq!(
        InputSource::with_override(Some(saved), text, &json!("{{question}}")),
        InputSource::Plain(json!("{{question}}"))
    );
    assert_eq!(InputSource::with_override(None, text, &json!({"x": 1})), InputSource::Plain(json!({"x": 1})));
}

#[test]
fn variables_are_taken_one_by_one_as_text() {
    let settings = listing("x", &[], &["name", "count", "apiKey", "unsaved", "port"]);
    let sent = json!({"vars": {"name": "Ada", "count": 3, "apiKey": "x", "unsaved": "x", "port": "1", "other": "x"}});
    let overrides = taken(&settings, &sent);
    let mut variables: Vec<_> = overrides.variables().iter().collect();
    variables.sort();
    assert_eq!(variables, [(&"count".to_owned(), &"3".to_owned()), (&"name".to_owned(), &"Ada".to_owned())]);
    assert_eq!(overrides.ignored_names(), ["vars.apiKey", "vars.unsaved", "vars.port", "vars.other"]);
    let as_text = json!({"vars": "{\"name\": \"Ada\"}"});
    assert_eq!(taken(&settings, &as_text).variables().len(), 1);
    assert_eq!(taken(&settings, &json!({"vars": [1]})).ignored_names(), ["vars"]);
    assert_eq!(taken(&FlowSettings::default(), &sent).variables().len(), 0);
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(PROTECTED).prop_map(str::to_owned),
        prop::sample::select(FREE).prop_map(str::to_owned),
        "[a-zA-Z_ -]{0,12}(secret|Password|_token|URL|-uri|Host|EndPoint|base_path|Port|_port)",
        "[a-zA-Z]{1,8}",
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!(1)), Just(json!(true)), "[ -~]{0,8}".prop_map(Value::from)];
    leaf.prop_recursive(10, 64, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any_name(), inner.clone()), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

/// Every key in a value, those in JSON texts too, and how deep it goes.
fn keys(value: &Value, into: &mut Vec<String>) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(|item| keys(item, into)).max().unwrap_or(0),
        Value::Object(map) => {
            into.extend(map.keys().cloned());
            1 + map.values().map(|value| keys(value, into)).max().unwrap_or(0)
        }
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_object() || inner.is_array() || inner.is_string() => keys(&inner, into),
            _ => 0,
        },
        _ => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn no_generated_request_changes_a_protected_setting(name in any_name(), value in any_value()) {
        let everything: Vec<&str> = registry::CARDS.iter().flat_map(|card| card.inputs).map(|input| input.name)
            .chain([name.as_str()]).collect();
        let mut settings = listing("x", &everything, &[name.as_str()]);
        edit_listing(&mut settings, |lists| {
            let all = lists["nodes"]["x"].clone();
            lists["nodes"] = json!({"Model": all, "Prompt": all, "Chain": all});
        });
        for sent in [json!({ name.as_str(): value }), json!({ name.as_str(): {"m0": value, "p0": value} })] {
            // A value of a wrong kind is refused as a whole.
            let Ok(overrides) = judged(&settings, &sent) else { continue };
            if protected::group_of_name(&name).is_some() {
                prop_assert!(overrides.values.is_empty(), "{sent}");
            }
            for ((_, input), value) in &overrides.values {
                prop_assert!(protected::group_of_name(input).is_none());
                let mut found = Vec::new();
                let depth = keys(value, &mut found);
                let declared = registry::CARDS.iter().filter_map(|card| card.input(input));
                prop_assert!(declared.into_iter().any(|input| type_check::type_error(input, value).is_none()), "{input} {value}");
                // A text that no card reads as JSON is a text.
                if !value.is_string() {
                    prop_assert!(depth <= 8, "{value}");
                    prop_assert!(found.iter().all(|key| protected::group_of_name(key).is_none()), "{value}");
                }
            }
        }
        let variables = taken(&settings, &json!({"vars": {name.as_str(): value}}));
        prop_assert!(protected::group_of_name(&name).is_none() || variables.variables().is_empty());
    }
}
