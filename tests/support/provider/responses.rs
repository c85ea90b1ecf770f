//! OpenAI's Responses: a reply as a stream of events, made of its items.

use super::Behaviour;
use serde_json::{Value, json};

/// The reply with these items, as the provider streams it: each item is announced, its texts come in fragments, and it is
/// repeated once it is whole.
pub fn streamed(items: &[Value]) -> Behaviour {
    let mut events =
        vec![json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}})];
    for (index, item) in items.iter().enumerate() {
        let begun = json!({"type": item["type"], "id": item["id"], "status": "in_progress"});
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": begun}));
        for part in item["summary"].as_array().into_iter().flatten() {
            events.push(json!({"type": "response.reasoning_summary_text.delta", "delta": part["text"]}));
        }
        for part in item["content"].as_array().into_iter().flatten() {
            for word in part["text"].as_str().unwrap_or_default().split_inclusive(' ') {
                events.push(
                    json!({"type": "response.output_text.delta", "output_index": index, "delta": word}),
                );
            }
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    let whole = json!({
        "id": "resp_1", "object": "response", "model": "gpt-4o-2026", "status": "completed", "output": items,
        "usage": {"input_tokens": 7, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 3,
                  "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 10},
    });
    events.push(json!({"type": "response.completed", "response": whole}));
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    let body = events.iter().map(event).collect();
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    Behaviour::Status { status: 200, body, headers }
}

/// A message of the model, with notes on its text.
pub fn message(text: &str, annotations: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": annotations}],
    })
}
