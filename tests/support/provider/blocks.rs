//! Replies of Anthropic and Google that are made of blocks, as these providers stream them.

use super::Behaviour;
use serde_json::{Value, json};

/// A message of Anthropic with these blocks: arguments and citations come as fragments, all else whole.
pub fn anthropic(blocks: &[Value], stop_reason: &str) -> Behaviour {
    let usage = json!({"input_tokens": 7, "output_tokens": 1});
    let message =
        json!({"id": "msg_1", "role": "assistant", "model": "claude-2026", "content": [], "usage": usage});
    let mut events = vec![json!({"type": "message_start", "message": message})];
    for (index, block) in blocks.iter().enumerate() {
        let mut begun = block.clone();
        let mut deltas = Vec::new();
        if let Some(input) = block.get("input") {
            begun["input"] = json!({});
            let written = input.to_string();
            let (first, second) = written.split_at(written.len() / 2);
            deltas.extend(
                [first, second].map(|part| json!({"type": "input_json_delta", "partial_json": part})),
            );
        }
        if block["type"] == "text" {
            begun["text"] = "".into();
            deltas.push(json!({"type": "text_delta", "text": block["text"]}));
        }
        if let Some(cited) = block["citations"].as_array() {
            begun["citations"] = json!([]);
            deltas.extend(cited.iter().map(|cited| json!({"type": "citations_delta", "citation": cited})));
        }
        events.push(json!({"type": "content_block_start", "index": index, "content_block": begun}));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let end = json!({"stop_reason": stop_reason});
    events.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 3}}));
    events.push(json!({"type": "message_stop"}));
    stream(
        events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())),
    )
}

/// A reply of Google with these parts, a chunk for each.
pub fn google(parts: &[Value]) -> Behaviour {
    let chunk = |part: &Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let usage = json!({"promptTokenCount": 7, "candidatesTokenCount": 3});
    let end = json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": usage});
    stream(parts.iter().map(chunk).chain([end]).map(|chunk| format!("data: {chunk}\r\n\r\n")))
}

fn stream(events: impl Iterator<Item = String>) -> Behaviour {
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    Behaviour::Status { status: 200, body: events.collect(), headers }
}
