//! What a request may change of a flow of steps: what its owner listed, and nothing else.

use super::steps::{START, Steps, llm, provided_llm, reply, told};
use crate::overrides::override_settings;
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider};
use crate::tools::with_web;
use serde_json::{Value, json};

fn two_writers() -> Steps {
    Steps::begin_with_state(&json!({"tone": "kind", "other": "same"}))
        .card("llmAgentflow_0", "First", llm("one"))
        .card("llmAgentflow_1", "Second", llm("two"))
        .card(
            "directReplyAgentflow_0",
            "Reply",
            reply("{{ llmAgentflow_0 }} {{ llmAgentflow_1 }} {{ $flow.state.tone }} {{ $flow.state.other }}"),
        )
        .chain(&[START, "llmAgentflow_0", "llmAgentflow_1", "directReplyAgentflow_0"])
}

#[track_caller]
fn says(server: &Server, flow: &str, overrides: Value) -> String {
    let body = json!({"question": "Hi", "overrideConfig": overrides});
    server.ask(flow, &body).is(200).json()["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_listed_setting_of_a_picked_model_changes_one_run() {
    let server = Server::start();
    let flow = two_writers().flow_with(&server, override_settings(&[("First", &["fallback"])], &[]));
    assert_eq!(says(&server, &flow, json!({"llmModelConfig": {"fallback": "new"}})), "new two kind same");
    assert_eq!(says(&server, &flow, json!({})), "one two kind same");
}

#[test]
fn a_setting_of_a_picked_model_that_is_not_listed_is_ignored() {
    let server = Server::start();
    let sent = json!({"llmModelConfig": {"fallback": "new"}});
    for settings in [
        json!({}),
        override_settings(&[("First", &["delayMs", "agentModelConfig"])], &[]),
        override_settings(&[("Reply", &["fallback"])], &[]),
    ] {
        let flow = two_writers().flow_with(&server, settings.clone());
        assert_eq!(says(&server, &flow, sent.clone()), "one two kind same", "{settings}");
    }
}

/// Overrides on, with the row of all settings of the model of `First` switched on, as pages of Flowise write it.
fn row_of_model(schema: &Value) -> Value {
    let row = json!({"label": "Model Config", "name": "llmModelConfig", "type": "json", "schema": schema, "enabled": true});
    let config = json!({"overrideConfig": {"status": true, "nodes": {"First": [row]}, "variables": []}});
    json!({"apiConfig": config.to_string()})
}

#[test]
fn a_row_of_a_picked_model_switches_on_what_its_schema_names() {
    let server = Server::start();
    let sent = json!({"fallback": "new"});
    for (schema, expected) in [
        (json!({"fallback": "string", "delayMs": "number"}), "new two kind same"),
        (Value::Null, "new two kind same"),
        (json!({"delayMs": "number"}), "one two kind same"),
        (json!({}), "one two kind same"),
    ] {
        let flow = two_writers().flow_with(&server, row_of_model(&schema));
        for config in [sent.clone(), json!({"llmAgentflow_0": sent})] {
            let said = says(&server, &flow, json!({"llmModelConfig": config}));
            assert_eq!(said, expected, "{schema} {config}");
        }
        let other = json!({"llmModelConfig": {"llmAgentflow_1": sent}});
        assert_eq!(says(&server, &flow, other), "one two kind same", "a card that is not listed");
    }
}

#[test]
fn a_row_of_a_picked_model_opens_neither_its_address_nor_its_credential_nor_the_pick() {
    let (server, provider, elsewhere) = (Server::start(), Provider::start(), Provider::start());
    let steps =
        Steps::begin().card("llmAgentflow_0", "First", provided_llm(&provider)).edge(START, "llmAgentflow_0");
    let other = format!("{}/v1", elsewhere.base_url());
    let sent = json!({"llmModelConfig": {
        "modelName": "model-2", "basepath": other, "baseOptions": {"Authorization": "Bearer mine"},
        "credential": "11111111-1111-4111-8111-111111111111", "FLOWISE_CREDENTIAL_ID": "x", "llmModel": "chatScripted",
    }});
    let names =
        sent["llmModelConfig"].as_object().unwrap().keys().map(|name| (name.clone(), json!("string")));
    for schema in [Value::Object(names.collect()), Value::Null] {
        let flow = steps.flow_with(&server, row_of_model(&schema));
        says(&server, &flow, sent.clone());
        let request = provider.last_request();
        assert_eq!(request.body["model"], "model-2", "what may change did: {schema}");
        assert!(request.header("authorization").is_none_or(|sent| !sent.contains("mine")), "{schema}");
    }
    assert_eq!((provider.requests().len(), elsewhere.requests().len()), (2, 0));
}

#[test]
fn the_list_of_settings_has_a_row_for_each_picked_model() {
    let server = Server::start();
    let provider = Provider::start();
    let steps =
        Steps::begin().card("llmAgentflow_0", "First", provided_llm(&provider)).edge(START, "llmAgentflow_0");
    let flow = steps.flow(&server);
    let canvas: Value = serde_json::from_str(&steps.text()).unwrap();
    let node = canvas["nodes"].as_array().unwrap().iter().find(|node| node["id"] == "llmAgentflow_0");
    let of_node = server.post("/node-config", &node.unwrap()["data"]);
    for rows in [server.read(&format!("/flow-config/{flow}")), of_node] {
        let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "llmModelConfig").unwrap();
        assert_eq!((&row["nodeId"], &row["node"]), (&json!("llmAgentflow_0"), &json!("First")), "{row}");
        assert_eq!((&row["label"], &row["type"]), (&json!("Model Config"), &json!("json")), "{row}");
        let schema = row["schema"].as_object().unwrap();
        assert_eq!((&schema["temperature"], &schema["modelName"]), (&json!("number"), &json!("string")));
        for never in ["basepath", "baseOptions", "credential", "llmModel"] {
            assert!(!schema.contains_key(never), "{never} in {row}");
        }
    }
}

#[test]
fn the_list_of_settings_tells_what_rows_hold() {
    let server = Server::start();
    let flow = two_writers().flow(&server);
    let rows = server.read(&format!("/flow-config/{flow}"));
    for (name, schema) in [
        ("startState", json!({"key": "string", "value": "string"})),
        ("llmMessages", json!({"role": "system, assistant, developer, user", "content": "string"})),
    ] {
        let row = rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        assert_eq!((&row["type"], &row["schema"]), (&json!("array"), &schema));
    }
}

#[test]
fn a_setting_may_be_sent_for_one_node() {
    let server = Server::start();
    let listed = override_settings(&[("First", &["fallback"]), ("Second", &["fallback"])], &[]);
    let flow = two_writers().flow_with(&server, listed);
    let sent = json!({"llmModelConfig": {"llmAgentflow_1": {"fallback": "new"}}});
    assert_eq!(says(&server, &flow, sent), "one new kind same");
}

#[test]
fn which_model_is_picked_never_changes() {
    let server = Server::start();
    let listed = override_settings(&[("First", &["llmModel", "FLOWISE_CREDENTIAL_ID", "credential"])], &[]);
    let flow = two_writers().flow_with(&server, listed);
    let sent = json!({"llmModel": "chatOpenAI", "llmModelConfig": {"FLOWISE_CREDENTIAL_ID": "x", "llmModel": "chatOpenAI"}});
    assert_eq!(says(&server, &flow, sent), "one two kind same");
}

#[test]
fn a_listed_start_state_changes_the_values_that_are_sent() {
    let server = Server::start();
    let flow = two_writers().flow_with(&server, override_settings(&[("Start", &["startState"])], &[]));
    let sent = json!({"startState": {"startAgentflow_0": [{"key": "tone", "value": "curt"}]}});
    assert_eq!(says(&server, &flow, sent), "one two curt same");
    let flat = json!({"startState": [{"key": "tone", "value": "curt {{ question }}"}]});
    assert_eq!(
        says(&server, &flow, flat),
        "one two curt {{ question }} same",
        "what is sent is no reference"
    );
}

#[test]
fn a_listed_start_state_may_be_sent_as_an_object() {
    let server = Server::start();
    let flow = two_writers().flow_with(&server, override_settings(&[("Start", &["startState"])], &[]));
    for sent in [json!({"tone": "curt"}), json!({"startAgentflow_0": {"tone": "curt"}})] {
        assert_eq!(says(&server, &flow, json!({ "startState": sent })), "one two curt same", "{sent}");
    }
    for nothing in [json!({}), json!({"tone": "curt", "apiKey": "x"})] {
        assert_eq!(says(&server, &flow, json!({ "startState": nothing })), "one two kind same", "{nothing}");
    }
}

#[test]
fn a_start_state_that_is_not_listed_is_ignored() {
    let server = Server::start();
    let flow = two_writers().flow(&server);
    for sent in [json!([{"key": "tone", "value": "curt"}]), json!({"tone": "curt"})] {
        assert_eq!(says(&server, &flow, json!({ "startState": sent })), "one two kind same", "{sent}");
    }
}

#[test]
fn a_value_that_a_setting_cannot_hold_is_refused() {
    let server = Server::start();
    let flow = two_writers().flow_with(&server, override_settings(&[("First", &["delayMs"])], &[]));
    let body = json!({"question": "Hi", "overrideConfig": {"llmModelConfig": {"delayMs": "long"}}});
    assert!(server.ask(&flow, &body).is_error(400).contains("delayMs"));
}

#[test]
fn a_listed_text_of_a_step_is_text_and_no_reference() {
    let server = Server::start();
    let flow =
        two_writers().flow_with(&server, override_settings(&[("Reply", &["directReplyMessage"])], &[]));
    assert_eq!(says(&server, &flow, json!({"directReplyMessage": "{{ question }}"})), "{{ question }}");
}

#[test]
fn code_and_state_updates_never_change() {
    let server = Server::start();
    let update = json!([{"key": "tone", "value": "own"}]);
    let code = super::steps::with(
        super::steps::function("return 'own';", &[]),
        json!({ "customFunctionUpdateState": update }),
    );
    let steps = Steps::begin_with_state(&json!({"tone": ""}))
        .card("customFunctionAgentflow_0", "Code", code)
        .card(
            "directReplyAgentflow_0",
            "Reply",
            reply("{{ customFunctionAgentflow_0 }} {{ $flow.state.tone }}"),
        )
        .chain(&[START, "customFunctionAgentflow_0", "directReplyAgentflow_0"]);
    let names = ["customFunctionJavascriptFunction", "customFunctionUpdateState"];
    let flow = steps.flow_with(&server, override_settings(&[("Code", &names)], &[]));
    let sent = json!({
        "customFunctionJavascriptFunction": "return 'theirs';",
        "customFunctionUpdateState": [{"key": "tone", "value": "theirs"}],
    });
    assert_eq!(says(&server, &flow, sent), "own own");
}

/// A flow whose HTTP step posts a form with a query, and a server that takes it.
fn form_sender() -> (Server, Provider, Steps) {
    let (server, web) = with_web();
    web.set_decision(|_| Behaviour::status(200, "{}"));
    let inputs = json!({
        "method": "POST", "url": format!("{}/send", web.base_url()),
        "headers": [{"key": "x-own", "value": "owner"}], "queryParams": [{"key": "page", "value": "1"}],
        "bodyType": "xWwwFormUrlencoded", "body": [{"key": "name", "value": "owner"}], "responseType": "text",
    });
    let steps = Steps::begin().card("httpAgentflow_0", "HTTP", inputs).edge(START, "httpAgentflow_0");
    (server, web, steps)
}

const EVERY_ROW: &[&str] = &["queryParams", "body", "headers", "url", "credential"];

#[test]
fn listed_rows_of_query_and_body_change_one_run() {
    let (server, web, steps) = form_sender();
    let flow = steps.flow_with(&server, override_settings(&[("HTTP", EVERY_ROW)], &[]));
    let sent = json!({
        "queryParams": [{"key": "page", "value": "{{ question }}"}],
        "body": {"httpAgentflow_0": [{"key": "name", "value": "theirs"}, {"key": "more", "value": "x"}]},
    });
    says(&server, &flow, sent);
    let request = web.last_request();
    assert_eq!(request.path, "/send?page=%7B%7B+question+%7D%7D", "what is sent is no reference");
    assert_eq!(String::from_utf8_lossy(&request.raw), "name=theirs&more=x");
    says(&server, &flow, json!({}));
    assert_eq!(web.last_request().path, "/send?page=1");
}

#[test]
fn rows_that_are_not_listed_or_name_what_never_changes_are_ignored() {
    let (server, web, steps) = form_sender();
    let listed = steps.flow_with(&server, override_settings(&[("HTTP", EVERY_ROW)], &[]));
    let unlisted = steps.flow_with(&server, override_settings(&[("HTTP", &["method"])], &[]));
    for (flow, sent) in [
        (&unlisted, json!({"queryParams": [{"key": "page", "value": "2"}]})),
        (
            &listed,
            json!({"queryParams": [{"key": "page", "value": "2"}, {"key": "access_token", "value": "x"}]}),
        ),
        (&listed, json!({"queryParams": [{"key": "callbackUrl", "value": "http://elsewhere"}]})),
        (&listed, json!({"headers": [{"key": "x-own", "value": "theirs"}]})),
        (&listed, json!({"url": "http://127.0.0.1:1/", "credential": "x"})),
    ] {
        says(&server, flow, sent.clone());
        let request = web.last_request();
        let seen = (request.path.as_str(), request.header("x-own"), &*String::from_utf8_lossy(&request.raw));
        assert_eq!(seen, ("/send?page=1", Some("owner"), "name=owner"), "{sent}");
    }
}

#[test]
fn listed_messages_of_a_model_change_one_run() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Writer", told(llm("{question}"), "own"))
        .edge(START, "llmAgentflow_0");
    let flow = steps.flow_with(&server, override_settings(&[("Writer", &["llmMessages"])], &[]));
    assert_eq!(says(&server, &flow, json!({})), "own");
    assert_eq!(
        says(&server, &flow, json!({"llmMessages": [{"role": "user", "content": "theirs"}]})),
        "theirs"
    );
}
