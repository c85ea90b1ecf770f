//! Per-request overrides (manual 7.1): what the owner listed changes the run it was sent with, and nothing else ever
//! does.

use crate::support::Server;
use crate::support::canvases::{ProviderFormat, prompted_chain, scripted_flow};
use crate::support::provider::Provider;
use serde_json::{Value, json};

/// Overrides on, with these settings of these cards switched on, by label.
pub fn override_settings(cards: &[(&str, &[&str])], variables: &[&str]) -> Value {
    let rows = |names: &[&str]| -> Value {
        names
            .iter()
            .map(|name| json!({"label": name, "name": name, "type": "string", "enabled": true}))
            .collect()
    };
    let nodes: serde_json::Map<String, Value> =
        cards.iter().map(|(label, names)| ((*label).to_owned(), rows(names))).collect();
    let config = json!({"overrideConfig": {"status": true, "nodes": nodes, "variables": rows(variables)}});
    json!({"apiConfig": config.to_string()})
}

fn says(server: &Server, flow: &str, overrides: &Value) -> String {
    let body = json!({"question": "Hi", "overrideConfig": overrides});
    server.ask(flow, &body).is(200).json()["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_listed_setting_changes_one_answer_and_not_the_flow() {
    let server = Server::start();
    let flow = server
        .flow_with(&scripted_flow(), &override_settings(&[("Scripted Chat Model", &["fallback"])], &[]));
    let before = server.read(&format!("/chatflows/{flow}"))["flowData"].clone();
    assert_eq!(says(&server, &flow, &json!({"fallback": "Changed."})), "Changed.");
    assert_eq!(says(&server, &flow, &json!({"fallback": {"chatScripted_0": "By node."}})), "By node.");
    assert_eq!(says(&server, &flow, &json!({"fallback": {"bufferMemory_0": "Not mine."}})), "You said: Hi");
    assert_eq!(says(&server, &flow, &json!({"fallback": null})), "You said: Hi");
    assert_eq!(says(&server, &flow, &json!({})), "You said: Hi");
    assert_eq!(server.read(&format!("/chatflows/{flow}"))["flowData"], before);
}

#[test]
fn what_is_not_listed_is_ignored_and_not_refused() {
    let server = Server::start();
    let other_card = override_settings(
        &[("Conversation Chain", &["fallback"]), ("Scripted Chat Model", &["delayMs"])],
        &[],
    );
    let off = json!({"apiConfig": json!({"overrideConfig": {"status": false, "nodes": {
        "Scripted Chat Model": [{"name": "fallback", "enabled": true}]}}}).to_string()});
    let switched_off = json!({"apiConfig": json!({"overrideConfig": {"status": true, "nodes": {
        "Scripted Chat Model": [{"name": "fallback", "enabled": false}]}}}).to_string()});
    for settings in [json!({}), override_settings(&[], &[]), other_card, off, switched_off] {
        let flow = server.flow_with(&scripted_flow(), &settings);
        assert_eq!(says(&server, &flow, &json!({"fallback": "Changed."})), "You said: Hi", "{settings}");
    }
}

#[test]
fn a_request_is_text_and_never_names_a_variable_or_a_card() {
    let server = Server::start();
    server.post("/variables", &json!({"name": "hidden", "value": "the owner's", "type": "static"}));
    let flow = server.flow_with(
        &prompted_chain("Say {what}", "{\"what\": \"nothing\"}"),
        &override_settings(&[("Prompt Template", &["template", "promptValues"])], &["hidden"]),
    );
    for text in ["{{$vars.hidden}}", "{{question}}", "{{$flow.chatId}}", "{{chatScripted_0.data.instance}}"] {
        let said = says(&server, &flow, &json!({"promptValues": {"what": text}, "vars": {"hidden": "sent"}}));
        assert_eq!(said, format!("Say {text}"));
    }
    assert_eq!(
        says(&server, &flow, &json!({"promptValues": {"other": 1}})),
        "Say nothing",
        "objects are merged"
    );
}

#[test]
fn text_on_a_card_takes_the_saved_variable_whatever_the_request_sends() {
    let server = Server::start();
    server.post("/variables", &json!({"name": "place", "value": "here", "type": "static"}));
    let flow = server.flow_with(&prompted_chain("{{$vars.place}}", ""), &override_settings(&[], &["place"]));
    assert_eq!(says(&server, &flow, &json!({"vars": {"place": "there"}})), "here");
}

#[test]
fn addresses_keys_wires_and_headers_stay_even_when_listed() {
    let (server, provider, elsewhere) = (Server::start(), Provider::start(), Provider::start());
    let canvas = ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({}));
    let names = ["basepath", "baseOptions", "credential", "cache", "modelName", "openAIApiKey", "apiKey"];
    let settings = override_settings(
        &[
            ("ChatOpenAI", &names),
            ("OpenAI", &names),
            ("Buffer Memory", &["sessionId"]),
            ("Conversation Chain", &["model", "memory"]),
        ],
        &[],
    );
    let label = serde_json::from_str::<Value>(&canvas).unwrap()["nodes"][0]["data"]["label"].clone();
    let mut settings: Value = serde_json::from_str(settings["apiConfig"].as_str().unwrap()).unwrap();
    settings["overrideConfig"]["nodes"][label.as_str().unwrap()] =
        settings["overrideConfig"]["nodes"]["ChatOpenAI"].clone();
    let flow = server.flow_with(&canvas, &json!({"apiConfig": settings.to_string()}));
    let sent = json!({
        "basepath": format!("{}/v1", elsewhere.base_url()), "baseOptions": {"Authorization": "Bearer mine"},
        "credential": "11111111-1111-4111-8111-111111111111", "openAIApiKey": "mine", "apiKey": "mine",
        "model": "{{chatOpenAI_0.data.instance}}", "memory": "", "cache": "x", "sessionId": "another",
        "modelName": "model-2",
    });
    let answer = server.ask(&flow, &json!({"question": "Hi", "overrideConfig": sent})).is(200).json();
    assert_eq!(answer["sessionId"], answer["chatId"]);
    let request = provider.last_request();
    assert_eq!(request.body["model"], "model-2", "what may change did");
    assert!(!request.header("authorization").unwrap().contains("mine"));
    assert_eq!(elsewhere.requests().len(), 0);
}

#[test]
fn a_value_with_something_protected_inside_is_dropped_whole() {
    let server = Server::start();
    let flow = server.flow_with(
        &prompted_chain("Say {what}", "{\"what\": \"nothing\"}"),
        &override_settings(&[("Prompt Template", &["promptValues"])], &[]),
    );
    for value in [
        json!({"what": "x", "apiKey": "y"}),
        json!({"what": {"deep": [{"baseUrl": "y"}]}}),
        json!({"what": "{\"password\": \"y\"}"}),
        json!("{\"what\": \"x\", \"callbackUrl\": \"y\"}"),
        json!({"promptTemplate_0": {"what": "x", "token": "y"}}),
    ] {
        assert_eq!(says(&server, &flow, &json!({"promptValues": value})), "Say nothing", "{value}");
    }
    assert_eq!(says(&server, &flow, &json!({"promptValues": {"what": "x"}})), "Say x");
}

#[test]
fn the_list_of_settings_names_what_can_be_allowed() {
    let server = Server::start();
    let canvas = ProviderFormat::OpenAi.conversation(&server, "http://127.0.0.1:9", json!({}));
    let flow = server.flow(&canvas);
    let rows = server.read(&format!("/flow-config/{flow}"));
    let names: Vec<(&str, &str)> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["nodeId"].as_str().unwrap(), row["name"].as_str().unwrap()))
        .collect();
    for wanted in [
        ("chatOpenAI_0", "temperature"),
        ("chatOpenAI_0", "modelName"),
        ("conversationChain_0", "systemMessagePrompt"),
    ] {
        assert!(names.contains(&wanted), "{names:?}");
    }
    for never in ["basepath", "baseOptions", "credential", "model", "memory", "sessionId", "cache"] {
        assert!(!names.iter().any(|(_, name)| *name == never), "{never} in {names:?}");
    }
    let draft = crate::support::id(
        &server.post("/chatflows", &json!({"name": "D", "type": "CHATFLOW", "flowData": canvas})),
    );
    assert_eq!(
        server.read(&format!("/flow-config/{draft}")),
        rows,
        "before the first Publish the draft counts"
    );
    server.owner("GET", "/flow-config/none").send().is_error(404);
}

#[test]
fn a_value_that_a_setting_cannot_hold_is_a_400_before_anything_runs() {
    let server = Server::start();
    let provider = Provider::start();
    let names = ["temperature", "modelName", "streaming"];
    let settings = override_settings(&[("OpenAI", &names)], &[]);
    let flow = server
        .flow_with(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({})), &settings);
    for wrong in [
        json!({"temperature": "hot"}),
        json!({"temperature": 1e9}),
        json!({"temperature": {"chatOpenAI_0": true}}),
        json!({"modelName": ["model-2"]}),
        json!({"modelName": {"chatOpenAI_0": {"name": "model-2"}}}),
        json!({"streaming": "perhaps"}),
    ] {
        for streaming in [false, true] {
            let body = json!({"question": "Hi", "overrideConfig": wrong, "streaming": streaming});
            let answer = server.ask(&flow, &body).is(400);
            let name = wrong.as_object().unwrap().keys().next().unwrap();
            assert!(answer.text().contains(name), "{wrong} {answer:?}");
        }
    }
    assert_eq!(provider.requests().len(), 0);
    assert!(server.messages(&flow).is_empty());
    let right = json!({"temperature": "0.3", "modelName": "model-2", "streaming": "false"});
    server.ask(&flow, &json!({"question": "Hi", "overrideConfig": right})).is(200);
}
