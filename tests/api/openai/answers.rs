//! Models and whole answers.

use super::{Asker, bound_key, echo, fault, user, with_provider};
use crate::support::canvases::scripted_flow;
use crate::support::steps::{START, Steps};
use serde_json::json;

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[test]
fn a_key_lists_the_flows_that_it_may_ask() {
    let asker = Asker::new();
    let server = &asker.server;
    let open = echo(server, "open");
    let (other, _) = bound_key(server, &["chatflows:view"]);
    server.flow_with(&scripted_flow(), &json!({"name": "bound to another key", "apikeyid": other}));
    server.flow_with(&json!({"nodes": [], "edges": []}).to_string(), &json!({"name": "empty"}));
    let list = asker.read("/models").is(200).json();
    assert_eq!(list["object"], "list");
    let rows = list["data"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let row = &rows[0];
    assert_eq!((&row["id"], &row["object"], &row["name"]), (&json!(open), &json!("model"), &json!("open")));
    assert!(row["created"].is_i64() && row["owned_by"] == "flowkeep");
    assert_eq!(asker.read(&format!("/models/{open}")).is(200).json(), *row);
    assert_eq!(asker.read("/models/open").is(200).json(), *row);
}

#[test]
fn a_bound_flow_is_listed_for_its_key_alone_whatever_that_may_see() {
    let asker = Asker::new();
    let (key, value) = bound_key(&asker.server, &["tools:view"]);
    let fields = json!({"name": "mine", "apikeyid": key});
    let flow = asker.server.flow_with(&scripted_flow(), &fields);
    let listed = asker.server.call("GET", "/openai/v1/models").bearer(&value).send().is(200).json();
    assert_eq!(listed["data"][0]["id"], flow);
    let body = json!({"model": "mine", "messages": user("Hi")});
    let call = || asker.server.call("POST", "/openai/v1/chat/completions").json(&body);
    call().bearer(&value).send().is(200);
    asker.chat(&body).is(404);
}

#[test]
fn a_name_with_a_slash_is_percent_encoded_in_the_path() {
    let asker = Asker::new();
    let flow = asker.server.flow_with(&scripted_flow(), &json!({"name": "sales/ä \\ b"}));
    assert_eq!(asker.read("/models/sales%2F%C3%A4%20%5C%20b").is(200).json()["id"], flow);
    let (_, code, _) = fault(&asker.read("/models/sales%2Fnone"), 404);
    assert_eq!(code.as_deref(), Some("model_not_found"));
}

#[test]
fn a_whole_answer_has_the_fields_of_the_protocol() {
    let asker = Asker::new();
    let flow = echo(&asker.server, "greeter");
    let answer = asker.chat(&json!({"model": "greeter", "messages": user("Ada")})).is(200);
    for header in ["set-cookie", "x-service-session-token"] {
        assert_eq!(answer.header(header), None, "{header}");
    }
    let version = answer.header("x-flow-version").unwrap().to_owned();
    let body = answer.json();
    assert_eq!(body["object"], "chat.completion");
    assert_eq!(body["model"], "greeter");
    assert_eq!(
        body["choices"],
        json!([{"index": 0, "message": {"role": "assistant", "content": "Hello Ada", "refusal": null}, "finish_reason": "stop", "logprobs": null}])
    );
    assert!(version.starts_with(body["system_fingerprint"].as_str().unwrap()));
    let messages = asker.server.messages(&flow);
    let stored = messages.last().unwrap();
    assert_eq!(body["id"], format!("chatcmpl-{}", stored["id"].as_str().unwrap()));
    assert_eq!(stored["chatType"], "EXTERNAL");
    assert!(body["usage"]["total_tokens"].as_u64().unwrap() > 0);
}

#[test]
fn a_response_has_the_fields_of_the_protocol() {
    let asker = Asker::new();
    let flow = echo(&asker.server, "greeter");
    let sent = json!({"model": flow, "input": "Ada", "instructions": "Be kind."});
    let body = asker.send("/responses", &sent).is(200).json();
    assert_eq!((&body["object"], &body["status"]), (&json!("response"), &json!("completed")));
    assert_eq!(body["instructions"], "Be kind.");
    let item = &body["output"][0];
    assert_eq!((&item["type"], &item["role"]), (&json!("message"), &json!("assistant")));
    assert_eq!(
        item["content"],
        json!([{"type": "output_text", "text": "Hello Ada", "annotations": [], "logprobs": []}])
    );
    assert!(body["usage"]["output_tokens_details"]["reasoning_tokens"].is_u64());
    let listed = json!({"model": flow, "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Ada"}, {"type": "input_text", "text": "Bob"}]},
        {"type": "function_call_output", "call_id": "x", "output": "y"}
    ]});
    let body = asker.send("/responses", &listed).is(200).json();
    assert_eq!(body["output"][0]["content"][0]["text"], "Hello Ada\nBob");
}

#[test]
fn earlier_messages_are_the_history_and_messages_of_tools_are_left_out() {
    let asker = Asker::new();
    let (provider, flow) = with_provider(&asker.server, &json!({}));
    let messages = json!([
        {"role": "system", "content": "You are a pirate."},
        {"role": "user", "content": "I am Ada"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "secret of a tool"},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello Ada"}]},
        {"role": "user", "content": "Who am I?"},
    ]);
    asker.chat(&json!({"model": flow, "messages": messages})).is(200);
    let sent = provider.last_request().body["messages"].clone();
    let said: Vec<_> = sent.as_array().unwrap().iter().map(|row| row["content"].clone()).collect();
    assert_eq!(json!(said), json!(["Be kind.", "I am Ada", "Hello Ada", "Who am I?"]), "{sent}");
}

#[test]
fn pictures_go_where_the_chat_takes_them() {
    let asker = Asker::new();
    let (provider, flow) = with_provider(&asker.server, &json!({}));
    let uri = format!("data:image/png;base64,{PNG}");
    let parts =
        json!([{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": uri}}]);
    asker.chat(&json!({"model": flow, "messages": [{"role": "user", "content": parts}]})).is(200);
    let sent = provider.last_request().body["messages"].to_string();
    assert!(sent.contains(PNG) && sent.contains("What is this?"), "{sent}");
    let parts = json!([{"type": "input_image", "image_url": uri}]);
    asker.send("/responses", &json!({"model": flow, "input": [{"role": "user", "content": parts}]})).is(200);
    assert!(provider.last_request().body["messages"].to_string().contains(PNG));
}

#[test]
fn a_run_that_waits_for_a_person_says_its_text_and_names_what_it_waits_for() {
    let asker = Asker::new();
    let asks = json!({"humanInputDescriptionType": "fixed", "humanInputDescription": "Shall I?"});
    let steps =
        Steps::begin().card("humanInputAgentflow_0", "Ask", asks).edge(START, "humanInputAgentflow_0");
    let flow = asker.server.flow_with(&steps.text(), &json!({"type": "AGENTFLOW"}));
    let answer = asker.chat(&json!({"model": flow, "messages": user("Hi")})).is(200);
    assert!(!answer.header("x-flowkeep-action").unwrap().is_empty());
    let choice = &answer.json()["choices"][0];
    assert_eq!(
        (&choice["message"]["content"], &choice["finish_reason"]),
        (&json!("Shall I?"), &json!("stop"))
    );
}
