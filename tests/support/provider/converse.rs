//! AWS Bedrock's Converse: replies in JSON, and as frames of an event stream.

use super::http::{Connection, ConnectionEnd};
use super::{RecordedRequest, Reply};
use serde_json::{Value, json};

/// The type of a stream of frames.
pub const EVENT_STREAM: &str = "application/vnd.amazon.eventstream";

/// Whether a request wants a stream; `None` for other requests.
pub(super) fn streams(request: &RecordedRequest) -> Option<bool> {
    match request.path.rsplit('/').next()? {
        "converse" => Some(false),
        "converse-stream" => Some(true),
        _ => None,
    }
}

/// A frame with these headers, all of them texts.
pub fn frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut block: Vec<u8> = Vec::new();
    for (name, value) in headers {
        block.push(u8::try_from(name.len()).unwrap());
        block.extend(name.bytes());
        block.push(7);
        block.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        block.extend(value.bytes());
    }
    let length = |bytes: usize| u32::try_from(bytes).unwrap().to_be_bytes();
    let mut frame: Vec<u8> = Vec::new();
    frame.extend(length(16 + block.len() + payload.len()));
    frame.extend(length(block.len()));
    frame.extend(crc32fast::hash(&frame).to_be_bytes());
    frame.extend(block);
    frame.extend(payload);
    frame.extend(crc32fast::hash(&frame).to_be_bytes());
    frame
}

/// An event of a stream.
pub fn event(kind: &str, data: &Value) -> Vec<u8> {
    let headers = [(":event-type", kind), (":content-type", "application/json"), (":message-type", "event")];
    frame(&headers, data.to_string().as_bytes())
}

/// An error in the middle of a stream.
pub fn exception(kind: &str, message: &str) -> Vec<u8> {
    let headers =
        [(":exception-type", kind), (":content-type", "application/json"), (":message-type", "exception")];
    frame(&headers, json!({ "message": message }).to_string().as_bytes())
}

pub(super) fn answer(
    connection: &mut Connection,
    reply: &Reply,
    streaming: bool,
    words: u64,
) -> Result<(), ConnectionEnd> {
    connection.wait(reply.first_byte)?;
    connection.bytewise = reply.bytewise;
    let (read, written) = (reply.input_tokens.unwrap_or(words), reply.tokens.len() as u64);
    let usage = json!({"inputTokens": read, "outputTokens": written, "totalTokens": read + written});
    let result = if streaming {
        stream(connection, reply, &usage)
    } else if reply.cut_after.is_some() {
        Err(ConnectionEnd::ByUs)
    } else {
        connection.whole(200, &[], whole(reply, &usage).to_string().as_bytes())
    };
    connection.bytewise = false;
    result
}

fn stop_reason(reply: &Reply) -> &'static str {
    if reply.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn whole(reply: &Reply, usage: &Value) -> Value {
    let mut content = Vec::new();
    if !reply.thinking.is_empty() {
        content.push(json!({"reasoningContent": {"reasoningText": {"text": reply.thinking.concat()}}}));
    }
    if !reply.tokens.is_empty() {
        content.push(json!({"text": reply.tokens.concat()}));
    }
    for (at, (name, arguments)) in reply.calls.iter().enumerate() {
        content.push(
            json!({"toolUse": {"toolUseId": format!("tooluse_{at}"), "name": name, "input": arguments}}),
        );
    }
    json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": stop_reason(reply),
        "usage": usage, "metrics": {"latencyMs": 5}})
}

/// The events of a reply: blocks are numbered, and only calls announce theirs.
pub fn events(reply: &Reply, usage: &Value) -> Vec<Vec<u8>> {
    let mut events = vec![event("messageStart", &json!({"role": "assistant"}))];
    let mut block = 0;
    let mut deltas = |deltas: Vec<Value>, start: Option<Value>| {
        if let Some(start) = start {
            events.push(event("contentBlockStart", &json!({"start": start, "contentBlockIndex": block})));
        }
        for delta in deltas {
            events.push(event("contentBlockDelta", &json!({"delta": delta, "contentBlockIndex": block})));
        }
        events.push(event("contentBlockStop", &json!({"contentBlockIndex": block})));
        block += 1;
    };
    if !reply.thinking.is_empty() {
        deltas(reply.thinking.iter().map(|text| json!({"reasoningContent": {"text": text}})).collect(), None);
    }
    if !reply.tokens.is_empty() {
        deltas(reply.tokens.iter().map(|text| json!({"text": text})).collect(), None);
    }
    for (at, (name, arguments)) in reply.calls.iter().enumerate() {
        let arguments: Vec<char> = arguments.to_string().chars().collect();
        let halves = arguments.chunks(arguments.len().div_ceil(2));
        let halves = halves.map(|half| json!({"toolUse": {"input": half.iter().collect::<String>()}}));
        let start = json!({"toolUse": {"toolUseId": format!("tooluse_{at}"), "name": name}});
        deltas(halves.collect(), Some(start));
    }
    events.push(event("messageStop", &json!({"stopReason": stop_reason(reply)})));
    events.push(event("metadata", &json!({"usage": usage, "metrics": {"latencyMs": 5}})));
    events
}

fn stream(connection: &mut Connection, reply: &Reply, usage: &Value) -> Result<(), ConnectionEnd> {
    connection.begin(EVENT_STREAM)?;
    for (sent, event) in events(reply, usage).into_iter().enumerate() {
        if reply.cut_after == Some(sent) {
            return Err(ConnectionEnd::ByUs);
        }
        connection.wait(reply.token_delay)?;
        connection.chunk(event)?;
    }
    connection.end()
}
