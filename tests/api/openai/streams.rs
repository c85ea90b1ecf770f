//! Answers in pieces.

use super::{Asker, echo, user, with_provider};
use crate::support::canvases::scripted_flow_with;
use crate::support::client::Answer;
use crate::support::provider::Behaviour;
use serde_json::{Value, json};

/// The frames of a stream: the name of each event, where it has one, and its data.
fn frames(answer: &Answer) -> Vec<(Option<String>, String)> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.header("content-type").unwrap().starts_with("text/event-stream"));
    let frame = |text: &str| match text.strip_prefix("event: ") {
        Some(named) => {
            let (name, data) = named.split_once("\ndata: ").unwrap();
            (Some(name.to_owned()), data.to_owned())
        }
        None => (None, text.strip_prefix("data: ").unwrap().to_owned()),
    };
    answer.text().split_terminator("\n\n").map(frame).collect()
}

fn json_of((_, data): &(Option<String>, String)) -> Value {
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_chat_is_streamed_from_the_role_to_the_end() {
    let asker = Asker::new();
    let flow = echo(&asker.server, "greeter");
    let sent = json!({"model": flow, "messages": user("Ada data: x"), "stream": true, "stream_options": {"include_usage": true}});
    let answer = asker.chat(&sent);
    assert_eq!(answer.header("set-cookie"), None);
    let frames = frames(&answer);
    assert_eq!(frames.last().unwrap().1, "[DONE]");
    let chunks: Vec<Value> = frames[..frames.len() - 1].iter().map(json_of).collect();
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["object"] == "chat.completion.chunk" && chunk["id"] == chunks[0]["id"])
    );
    assert_eq!(chunks[0]["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    let text: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, "Hello Ada data: x");
    let [last, usage] = chunks.last_chunk().unwrap();
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
    assert_eq!(usage["choices"], json!([]));
    assert!(usage["usage"]["total_tokens"].as_u64().unwrap() > 0);
    let plain = asker.chat(&json!({"model": flow, "messages": user("Ada"), "stream": true}));
    assert!(!plain.text().contains("\"usage\""));
}

#[test]
fn a_response_is_streamed_in_events_with_rising_numbers() {
    let asker = Asker::new();
    let (_provider, flow) = with_provider(&asker.server, &json!({}));
    let frames = frames(&asker.send("/responses", &json!({"model": flow, "input": "Ada", "stream": true})));
    let events: Vec<Value> = frames.iter().map(json_of).collect();
    for (at, (event, (name, _))) in events.iter().zip(&frames).enumerate() {
        assert_eq!((&event["sequence_number"], &event["type"]), (&json!(at), &json!(name.as_deref())));
    }
    let mut names: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    names.dedup();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let text: String = events.iter().filter_map(|event| event["delta"].as_str()).collect();
    let whole = &events.last().unwrap()["response"];
    assert_eq!(
        (&whole["status"], &whole["output"][0]["content"][0]["text"]),
        (&json!("completed"), &json!(text))
    );
}

#[test]
fn a_flow_that_cannot_stream_says_its_answer_in_one_piece() {
    let asker = Asker::new();
    let code = json!("return $flow.rawOutput + '!';").to_string();
    let chat = json!({"postProcessing": {"enabled": true, "customFunction": code}}).to_string();
    let canvas = scripted_flow_with(json!({"fallback": "Hello {question}"}));
    let flow = asker.server.flow_with(&canvas, &json!({"chatbotConfig": chat}));
    let frames = frames(&asker.chat(&json!({"model": flow, "messages": user("Ada"), "stream": true})));
    let said: Vec<Value> = frames[..frames.len() - 1].iter().map(json_of).collect();
    let said: Vec<&str> =
        said.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(said, ["", "Hello Ada!"]);
}

#[test]
fn a_run_that_fails_in_a_stream_ends_it_with_the_error_of_the_protocol() {
    let asker = Asker::new();
    let (provider, flow) = with_provider(&asker.server, &json!({}));
    provider.set_decision(|_| Behaviour::status(400, "{\"error\": {\"message\": \"no\"}}"));
    let chat = frames(&asker.chat(&json!({"model": flow, "messages": user("Hi"), "stream": true})));
    let last = json_of(chat.last().unwrap());
    assert_eq!(
        (&last["error"]["type"], &last["error"]["code"]),
        (&json!("server_error"), &json!("flow_failed"))
    );
    let response = frames(&asker.send("/responses", &json!({"model": flow, "input": "Hi", "stream": true})));
    let [failed, error] = response.last_chunk().unwrap();
    assert_eq!(failed.0.as_deref(), Some("response.failed"));
    let failed = json_of(failed);
    assert_eq!(
        (&failed["response"]["status"], &failed["response"]["error"]["code"]),
        (&json!("failed"), &json!("server_error"))
    );
    assert_eq!(error.0.as_deref(), Some("error"));
    let error = json_of(error);
    assert_eq!(
        (&error["type"], &error["code"], &error["sequence_number"]),
        (&json!("error"), &json!("flow_failed"), &json!(failed["sequence_number"].as_u64().unwrap() + 1))
    );
}
