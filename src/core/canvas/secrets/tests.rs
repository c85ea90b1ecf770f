//! What is kept, what is not, and what comes back.

use super::*;
use crate::canvas::{InputSchema, InputSensitivity, NoSchemas};
use crate::domain::flows::restore::{AmbiguousCredential, CredentialChoice, MissingCredential};
use serde_json::json;

const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const ID: &str = "5f0c8a52-3d0e-4f6e-9f43-1d2c3b4a5968";
const OTHER_ID: &str = "6a0c8a52-3d0e-4f6e-9f43-1d2c3b4a5969";

/// A registry with two cards.
struct Two;

impl CardSchemas for Two {
    fn has_card(&self, _: &str) -> bool {
        true
    }

    fn input(&self, card: &str, input: &str) -> Option<InputSchema<'_>> {
        let kind = match (card, input) {
            ("chatOpenAI", "pin") => InputSensitivity::Secret,
            ("pdfFile", "pdf") => InputSensitivity::File,
            ("chatOpenAI", "modelName") => InputSensitivity::Plain,
            _ => return None,
        };
        Some(InputSchema { label: "A Label", kind })
    }

    fn credential_types(&self, card: &str) -> &[&str] {
        if card == "chatOpenAI" { &["azureOpenAIApi"] } else { &[] }
    }
}

fn canvas(nodes: Value) -> Canvas {
    Canvas::parse(&json!({ "nodes": nodes, "edges": [], "viewport": { "zoom": 1 } }).to_string()).unwrap()
}

fn node(name: &str, inputs: Value) -> Value {
    json!({ "id": format!("{name}_0"), "position": { "x": 1, "y": 2 }, "data": { "id": format!("{name}_0"), "name": name, "label": "My card", "inputs": inputs } })
}

fn known(id: &str) -> Option<CredentialName> {
    let name = match id {
        ID => "Mine",
        OTHER_ID => "Other",
        _ => return None,
    };
    Some(CredentialName { name: name.to_owned(), credential_name: "openAIApi".to_owned() })
}

fn stored(nodes: Value) -> StoredCanvas {
    redact(&canvas(nodes), &Two, &known)
}

fn kept_inputs(name: &str, inputs: Value) -> Value {
    stored(json!([node(name, inputs)])).nodes()[0]["data"]["inputs"].clone()
}

fn filled(version: &StoredCanvas, now: Value, ids: &[&str]) -> (RestoredCanvas, Value) {
    filled_with(version, now, ids, PlaceholderPolicy::Keep)
}

fn filled_with(
    version: &StoredCanvas,
    now: Value,
    ids: &[&str],
    hidden: PlaceholderPolicy,
) -> (RestoredCanvas, Value) {
    let candidates = |wanted: &CredentialName| {
        let fits = |id: &&&str| known(ID).as_ref() == Some(wanted) && !id.is_empty();
        ids.iter().filter(fits).map(|id| (*id).to_owned()).collect()
    };
    let filled = restore(
        version,
        Some(&canvas(now)),
        &RestoreContext { cards: &Two, credentials: &candidates },
        hidden,
    );
    let data = serde_json::from_str(&filled.flow_data).unwrap();
    (filled, data)
}

#[test]
fn what_is_never_stored_by_kind_name_or_content() {
    for (inputs, kept) in [
        (json!({ "pin": "1234", "modelName": "gpt-4o" }), json!({ "modelName": "gpt-4o" })),
        (
            json!({ "openAIApiKey": "x", "azureOpenAIApiInstanceName": "y", "basicAuthPassword": "z" }),
            json!({}),
        ),
        (
            json!({ "api-Key": "x", "My Token": "x", "cookie": "x", "db_pwd": 1.5, "connectionString": "x" }),
            json!({ "db_pwd": 1.5 }),
        ),
        (
            json!({ "authToken": "{{$vars.token}}", "maxToken": 5, "modelToken": ["{{a.data.instance}}"] }),
            json!({ "authToken": "{{$vars.token}}", "maxToken": 5, "modelToken": ["{{a.data.instance}}"] }),
        ),
        (json!({ "credential": ID, "FLOWISE_CREDENTIAL_ID": ID, "credentialId": "unknown" }), json!({})),
        (json!({ "credential": "", "a": "data:application/pdf;base64,JVBERi0=,filename:a.pdf" }), json!({})),
        (
            json!({ "a": "[\"data:text/csv;base64,YQ==\"]", "b": "data:image/png;base64,iVBORw0KGgo=" }),
            json!({ "b": "data:image/png;base64,iVBORw0KGgo=" }),
        ),
        (json!({ "file": "FILE-STORAGE::a.pdf" }), json!({ "file": "FILE-STORAGE::a.pdf" })),
    ] {
        assert_eq!(kept_inputs("chatOpenAI", inputs.clone()), kept, "{inputs}");
    }
    assert_eq!(kept_inputs("pdfFile", json!({ "pdf": "data:image/png;base64,iVBORw0KGgo=" })), json!({}));
    let saved = json!([{ "id": "a", "data": { "name": "old", "inputs": { "pin": "1", "up": "data:image/gif;base64,R0lGOD", "tenant": "t" },
        "inputParams": [{ "name": "pin", "type": "password" }, { "name": "up", "type": "file" }, { "name": "credential", "type": "credential", "credentialNames": ["azureOpenAIApi"] }] } }]);
    assert_eq!(stored(saved).nodes()[0]["data"]["inputs"], json!({ "tenant": "t" }));
}

#[test]
fn inner_objects_lists_and_json_texts_are_searched_too() {
    let headers =
        json!({ "Authorization": "abc", "X-Api-Key": "abc", "Accept": "*/*", "Cookie": "{{$vars.c}}" })
            .to_string();
    let kept = kept_inputs(
        "requestsGet",
        json!({ "headers": headers, "rows": [{ "key": "authorization", "value": "s" }, { "key": "accept", "value": "s" }] }),
    );
    assert_eq!(kept["headers"], r#"{"Accept":"*/*","Cookie":"{{$vars.c}}"}"#);
    assert_eq!(kept["rows"], json!([{ "key": "authorization" }, { "key": "accept", "value": "s" }]));
    // A schema speaks about passwords and holds none; breaking it would break the restore.
    let schema = "{ \"type\": \"object\", \"properties\": { \"password\": { \"type\": \"string\" }, \"token\": {} }, \"example\": { \"password\": \"string\" } }";
    assert_eq!(kept_inputs("x", json!({ "schema": schema }))["schema"], schema);
    let deep = (0..7).fold(json!({ "password": "hunter2", "a": 1 }), |value, _| json!([value.to_string()]));
    assert!(!kept_inputs("x", json!({ "deep": deep })).to_string().contains("hunter2"));
}

#[test]
fn a_picked_card_keeps_its_own_rules() {
    let config =
        json!({ "agentModel": "chatOpenAI", "pin": "1234", "modelName": "m", "FLOWISE_CREDENTIAL_ID": ID });
    let version =
        stored(json!([node("agent", json!({ "agentModel": "chatOpenAI", "agentModelConfig": config }))]));
    let node = &version.nodes()[0];
    assert_eq!(
        node["data"]["inputs"]["agentModelConfig"],
        json!({ "agentModel": "chatOpenAI", "modelName": "m" })
    );
    assert_eq!(
        node["credentials"],
        json!({ "/inputs/agentModelConfig/FLOWISE_CREDENTIAL_ID": { "name": "Mine", "credentialName": "openAIApi" } })
    );
    assert!(!version.text().contains(ID));
}

#[test]
fn secret_shaped_text_anywhere_is_hidden_and_listed() {
    let mut one = node(
        "x",
        json!({ "prompt": format!("use {KEY} and {KEY}"), "body": json!({ "a": [KEY] }).to_string(), KEY: 1 }),
    );
    one["data"]["label"] = json!(format!("Card {KEY}"));
    one["data"]["inputParams"] = json!([{ "name": "prompt", "label": "Prompt", "type": "string" }]);
    let canvas = Canvas::parse(
        &json!({ "nodes": [one], "edges": [{ "id": KEY, "data": { "label": KEY } }] }).to_string(),
    )
    .unwrap();
    let version = redact(&canvas, &NoSchemas, &|_| None);
    assert!(!version.text().contains("ghp_"));
    assert_eq!(version.placeholder_count(), 7);
    let listed = version.hidden_secrets(&NoSchemas);
    let of = |input: &str| listed.iter().find(|hidden| hidden.input == input).unwrap();
    assert_eq!(
        (of("prompt").count, of("prompt").input_label.as_str(), of("prompt").label.as_str()),
        (2, "Prompt", "Card [secret hidden]")
    );
    assert_eq!((of("body").count, of("label").count), (1, 1));
    assert_eq!(StoredCanvas::parse(&version.text()).unwrap(), version);
}

#[test]
fn what_was_not_stored_comes_from_the_flow_as_it_is() {
    let version = stored(json!([node(
        "chatOpenAI",
        json!({ "modelName": "old", "pin": "old", "headers": "{\"Authorization\":\"old\",\"Accept\":\"a\"}" })
    )]));
    let now = json!([node(
        "chatOpenAI",
        json!({ "modelName": "new", "pin": "1234", "other": "new", "headers": "{\"Authorization\":\"now\",\"Accept\":\"b\"}" })
    )]);
    let (_, data) = filled(&version, now, &[]);
    let node = &data["nodes"][0];
    assert_eq!(
        node["data"]["inputs"],
        json!({ "modelName": "old", "pin": "1234", "headers": "{\"Accept\":\"a\",\"Authorization\":\"now\"}" })
    );
    assert_eq!((&node["positionAbsolute"]["x"], &data["viewport"]["zoom"]), (&json!(1), &json!(1)));
    assert!(node.get("credentials").is_none());
    // Another card with the same id is another card.
    let other = json!([{ "id": "chatOpenAI_0", "data": { "name": "other", "inputs": { "pin": "1234", "apiKey": "x" } } }]);
    assert_eq!(filled(&version, other, &[]).1["nodes"][0]["data"]["inputs"].get("pin"), None);
}

#[test]
fn a_secret_is_given_to_no_other_row_or_picked_card() {
    let rows =
        |key: &str, value: &str| json!({ "rows": [{ "url": key, "key": "authorization", "value": value }] });
    let version = stored(json!([node("x", rows("https://a", "old"))]));
    let back = |now: Value| {
        filled(&version, json!([node("x", now)]), &[]).1["nodes"][0]["data"]["inputs"]["rows"][0]
            .get("value")
            .cloned()
    };
    assert_eq!(back(rows("https://a", "now")), Some(json!("now")));
    assert_eq!(back(rows("https://b", "now")), None);
    let agent = |card: &str, pin: &str| {
        json!([node(
            "agent",
            json!({ "agentModel": card, "agentModelConfig": { "agentModel": card, "pin": pin, "apiKey": pin } })
        )])
    };
    let version = stored(agent("chatOpenAI", "old"));
    let key = |now: Value| {
        filled(&version, now, &[]).1["nodes"][0]["data"]["inputs"]["agentModelConfig"].get("apiKey").cloned()
    };
    assert_eq!(key(agent("chatOpenAI", "now")), Some(json!("now")));
    assert_eq!(key(agent("chatOther", "now")), None);
}

#[test]
fn credentials_are_found_by_name_and_type() {
    let using = |id: &str| {
        let mut node = node("chatOpenAI", json!({ "tools": json!([{ "credential": id }]).to_string() }));
        node["data"]["credential"] = json!(id);
        json!([node])
    };
    let version = stored(using(ID));
    assert!(!version.text().contains(ID));
    let (one, data) = filled(&version, json!([]), &["new-id"]);
    assert_eq!(data["nodes"][0]["data"]["credential"], "new-id");
    assert_eq!(data["nodes"][0]["data"]["inputs"]["tools"], r#"[{"credential":"new-id"}]"#);
    assert!(one.missing_credentials.is_empty() && one.ambiguous_credentials.is_empty());

    let (none, data) = filled(&version, using(OTHER_ID), &[]);
    assert_eq!(data["nodes"][0]["data"].get("credential"), None);
    let (name, credential_name) = ("Mine".to_owned(), "openAIApi".to_owned());
    let missing = MissingCredential { name: name.clone(), credential_name: credential_name.clone() };
    assert_eq!(none.missing_credentials, [missing]);

    for (now, choice, chosen) in [
        (using("second"), CredentialChoice::Current, "second"),
        (using(OTHER_ID), CredentialChoice::Oldest, "first"),
    ] {
        let (several, data) = filled(&version, now, &["first", "second"]);
        assert_eq!(data["nodes"][0]["data"]["credential"], chosen);
        let (name, credential_name) = (name.clone(), credential_name.clone());
        let told = AmbiguousCredential { name, credential_name, count: 2, using: choice };
        assert_eq!(several.ambiguous_credentials, [told]);
    }
}

#[test]
fn a_version_without_a_credential_gets_none() {
    let version = stored(json!([node("chatOpenAI", json!({}))]));
    let mut now = node("chatOpenAI", json!({ "FLOWISE_CREDENTIAL_ID": ID }));
    now["data"]["credential"] = json!(ID);
    assert!(!filled(&version, json!([now]), &[ID]).0.flow_data.contains(ID));
}

#[test]
fn hidden_inputs_stay_hidden_on_restore_and_keep_their_value_on_promote() {
    let version = stored(json!([node("x", json!({ "prompt": format!("old {KEY}"), "gone": KEY }))]));
    let now = json!([node("x", json!({ "prompt": format!("now {KEY}") }))]);
    let (restored, data) = filled(&version, now.clone(), &[]);
    assert_eq!(data["nodes"][0]["data"]["inputs"]["prompt"], "old [secret hidden]");
    assert_eq!(restored.hidden_secrets.len(), 2);
    let (promoted, data) = filled_with(&version, now, &[], PlaceholderPolicy::UseCurrentValue);
    assert_eq!(data["nodes"][0]["data"]["inputs"]["prompt"], format!("now {KEY}"));
    assert_eq!(
        promoted.hidden_secrets.iter().map(|hidden| hidden.input.as_str()).collect::<Vec<_>>(),
        ["gone"]
    );
}

#[test]
fn a_version_of_the_flow_as_it_is_comes_back_as_it_was() {
    let mut card = node(
        "chatOpenAI",
        json!({ "modelName": "m", "pin": "1", "json": "{ \"a\":  1 }", "list": [{ "key": "cookie", "value": "c" }] }),
    );
    card["data"]["credential"] = json!(ID);
    card["width"] = json!(300);
    let version = stored(json!([card]));
    let (_, data) = filled(&version, json!([card]), &[ID]);
    let again = redact(&Canvas::parse(&data.to_string()).unwrap(), &Two, &known);
    assert_eq!(again, version);
    assert_eq!(data["nodes"][0]["data"]["inputs"], card["data"]["inputs"]);
    assert_eq!(data["nodes"][0]["data"]["credential"], ID);
}

#[test]
fn settings_keep_no_secret_either() {
    let settings = json!({ "analytic": { "langSmith": { "credentialId": ID, "apiKey": "short", "status": true } }, "chatbotConfig": { "welcomeMessage": format!("{KEY}!") } });
    let kept = Value::Object(redact_settings(settings.as_object().unwrap()));
    assert_eq!(
        kept,
        json!({ "analytic": { "langSmith": { "status": true } }, "chatbotConfig": { "welcomeMessage": "[secret hidden]!" } })
    );
}

#[test]
fn nodes_in_a_form_nobody_knows_are_kept() {
    let odd = json!([null, 7, "x", { "data": 5 }, { "id": "a", "data": { "inputs": [KEY] } }, []]);
    let version = stored(odd);
    assert_eq!(version.nodes().len(), 6);
    assert!(!version.text().contains(KEY));
    let (filled, _) = filled(&version, json!([]), &[]);
    assert_eq!(filled.hidden_secrets.len(), 1);
}
