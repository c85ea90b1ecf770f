//! Streams of frames cut and split everywhere, replies in one piece, and the bodies that are sent.

use super::*;
use crate::aws::event_stream::test_frames::encode_frame;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::{ChatMessage, Completion, ContentPart, Delta, ToolSpec};
use crate::net::Outgoing;
use serde_json::json;

fn event(kind: &str, data: &Value) -> Vec<u8> {
    let headers = [(":event-type", 7, kind.as_bytes()), (":message-type", 7, b"event")];
    encode_frame(&headers, data.to_string().as_bytes())
}

fn delta(index: u64, delta: &Value) -> Vec<u8> {
    event("contentBlockDelta", &json!({"contentBlockIndex": index, "delta": delta}))
}

/// A reply that thinks, speaks and calls, without its last two events.
fn opening() -> Vec<u8> {
    let call =
        json!({"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "tooluse_1", "name": "add"}}});
    [
        event("messageStart", &json!({"role": "assistant"})),
        delta(0, &json!({"reasoningContent": {"text": "hm"}})),
        delta(0, &json!({"reasoningContent": {"signature": "sig"}})),
        event("contentBlockStop", &json!({"contentBlockIndex": 0})),
        delta(1, &json!({"text": "Grüße "})),
        delta(1, &json!({"text": "👋"})),
        event("contentBlockStart", &call),
        delta(2, &json!({"toolUse": {"input": "{\"a\""}})),
        delta(2, &json!({"toolUse": {"input": ":1}"}})),
    ]
    .concat()
}

fn sample() -> Vec<u8> {
    let usage = json!({"usage": {"inputTokens": 10, "outputTokens": 42, "totalTokens": 59,
        "cacheReadInputTokens": 5, "cacheWriteInputTokens": 2}});
    [opening(), event("messageStop", &json!({"stopReason": "tool_use"})), event("metadata", &usage)].concat()
}

fn read(mut source: impl Read) -> Result<Completion, ModelError> {
    let mut on = |_: Delta<'_>| Ok(());
    let mut reply = ReplyBuilder::default();
    read_stream(&mut source, &mut reply, "m", &ErrorInterpreter::new("m", Vec::new()), &mut on)?;
    reply.finish()
}

fn expected() -> Completion {
    Completion {
        text: "Grüße 👋".into(),
        thinking: "hm".into(),
        calls: vec![ToolCall { id: "tooluse_1".into(), name: "add".into(), arguments: json!({"a": 1}) }],
        usage: Some(Usage { input_tokens: 17, output_tokens: 42, cached_tokens: 5, reasoning_tokens: 0 }),
        ..Completion::default()
    }
}

#[test]
fn a_stream_is_read_however_it_is_split() {
    let sample = sample();
    assert_eq!(read(Pieces::bytes(&sample)), Ok(expected()));
    for at in 0..=sample.len() {
        assert_eq!(read(Pieces::split(&sample, at)), Ok(expected()), "split at {at}");
    }
}

#[test]
fn a_stream_that_is_cut_is_an_error() {
    let sample = sample();
    // The count of tokens at the end may be missing, but not a part of it.
    let complete = opening().len() + event("messageStop", &json!({"stopReason": "tool_use"})).len();
    for at in (0..sample.len()).filter(|at| *at != complete) {
        let result = read(&sample[..at]);
        assert!(matches!(result, Err(ModelError::Garbled(_))), "cut at {at}: {result:?}");
    }
    assert_eq!(read(&sample[..complete]), Ok(Completion { usage: None, ..expected() }));
}

#[test]
fn a_damaged_stream_is_an_error() {
    let sample = sample();
    for at in (0..sample.len()).step_by(3) {
        let mut damaged = sample.clone();
        damaged[at] ^= 0x20;
        let result = read(damaged.as_slice());
        assert_eq!(result, Err(ModelError::Garbled("a frame of it arrived damaged".into())), "{at}");
    }
    let result = read(&b"data: {}\n\ndata: {}\n\n"[..]);
    assert!(matches!(result, Err(ModelError::Garbled(_))), "{result:?}");
    let not_json =
        encode_frame(&[(":event-type", 7, b"messageStop"), (":message-type", 7, b"event")], b"stop");
    let result = read(not_json.as_slice());
    assert_eq!(result, Err(ModelError::Garbled("an event of it is not JSON".into())));
}

#[test]
fn errors_inside_a_stream_end_it() {
    let provider = |status| ModelError::Provider { status, message: "Busy".into() };
    for (kind, expected) in [
        ("throttlingException", ModelError::Throttled { retry_after_seconds: 30 }),
        ("modelStreamErrorException", provider(424)),
        ("validationException", provider(400)),
        ("serviceUnavailableException", provider(503)),
        ("internalServerException", provider(500)),
        ("", provider(500)),
    ] {
        let headers = [(":exception-type", 7, kind.as_bytes()), (":message-type", 7, b"exception")];
        let stream = [opening(), encode_frame(&headers, b"{\"message\":\"Busy\"}")].concat();
        assert_eq!(read(stream.as_slice()), Err(expected), "{kind}");
    }
    let headers = [
        (":error-code", 7, &b"InternalError"[..]),
        (":error-message", 7, b"Busy"),
        (":message-type", 7, b"error"),
    ];
    assert_eq!(read([opening(), encode_frame(&headers, b"")].concat().as_slice()), Err(provider(500)));
    let nothing = read([opening(), encode_frame(&[], b"")].concat().as_slice());
    assert!(matches!(nothing, Err(ModelError::Garbled(_))), "{nothing:?}");
}

fn whole(body: &Value) -> Result<Completion, ModelError> {
    let mut reply = ReplyBuilder::default();
    read_whole(&mut body.to_string().as_bytes(), &mut reply)?;
    reply.finish()
}

#[test]
fn a_reply_in_one_piece_is_read() {
    let content = json!([{"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
        {"text": "Grüße 👋"}, {"toolUse": {"toolUseId": "tooluse_1", "name": "add", "input": {"a": 1}}}]);
    let body = json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use",
        "usage": {"inputTokens": 10, "outputTokens": 42, "cacheReadInputTokens": 5, "cacheWriteInputTokens": 2}});
    assert_eq!(whole(&body), Ok(expected()));
    assert!(matches!(whole(&json!({"output": {}})), Err(ModelError::Garbled(_))));
}

#[test]
fn why_a_model_finished_counts() {
    let body = |content: Value, reason: &str| json!({"output": {"message": {"content": content}}, "stopReason": reason});
    let said = json!([{"text": "hi"}]);
    for (reason, once) in [("end_turn", false), ("max_tokens", true), ("guardrail_intervened", true)] {
        assert_eq!(whole(&body(said.clone(), reason)).map(|done| done.once), Ok(once), "{reason}");
    }
    assert_eq!(whole(&body(json!([]), "max_tokens")), Err(ModelError::OutOfTokens));
    let held = whole(&body(json!([]), "content_filtered"));
    assert!(matches!(held, Err(ModelError::Provider { status: 200, .. })), "{held:?}");
    let broken = whole(&body(said, "malformed_tool_use"));
    assert!(matches!(broken, Err(ModelError::Garbled(_))), "{broken:?}");
}

fn model() -> Bedrock {
    Bedrock::new(Endpoint::new(Outgoing::new(Vec::new(), true), "https://h", None), "maker.model-v1:0")
}

#[test]
fn names_of_models_are_one_part_of_the_path() {
    assert_eq!(model().path(), "/model/maker.model-v1%3A0/converse-stream");
    let model = Bedrock { model: "arn:aws:x/../y?z".into(), streaming: false, ..model() };
    assert_eq!(model.path(), "/model/arn%3Aaws%3Ax%2F..%2Fy%3Fz/converse");
}

#[test]
fn a_conversation_is_sent_in_turns() {
    let call = ToolCall { id: "call:1/x".into(), name: "add".into(), arguments: json!({"a": 1}) };
    let image = ContentPart::Image { mime: "image/png".into(), base64: "aGk=".into() };
    let request = ChatRequest {
        messages: vec![
            ChatMessage::System("one".into()),
            ChatMessage::System(" ".into()),
            ChatMessage::assistant("Welcome. "),
            ChatMessage::User(vec![ContentPart::Text("a".into()), image]),
            ChatMessage::with_calls("", vec![call]),
            ChatMessage::result("call:1/x", "add", ""),
            ChatMessage::user("b"),
        ],
        tools: Vec::new(),
        stop: vec!["END".into(), " ".into()],
        ..ChatRequest::default()
    };
    let sent = request::body(&Bedrock { optimized: true, max_tokens: Some(7), ..model() }, &request).unwrap();
    let expected = json!({
        "messages": [
            {"role": "user", "content": [{"text": "(no text)"}]},
            {"role": "assistant", "content": [{"text": "Welcome."}]},
            {"role": "user", "content": [{"text": "a"}, {"image": {"format": "png", "source": {"bytes": "aGk="}}}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "call_1_x", "name": "add", "input": {"a": 1}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "call_1_x", "content": [{"text": "(no text)"}]}}, {"text": "b"}]},
        ],
        "system": [{"text": "one"}],
        "inferenceConfig": {"maxTokens": 7, "stopSequences": ["END"]},
        "toolConfig": {"tools": [{"toolSpec": {"name": "add", "description": "add",
            "inputSchema": {"json": {"type": "object", "properties": {}}}}}]},
        "performanceConfig": {"latency": "optimized"},
    });
    assert_eq!(sent, expected);
}

#[test]
fn a_tool_is_named_once_and_what_cannot_be_sent_is_refused() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "number"}}});
    let tool = ToolSpec { name: "add".into(), description: "adds".into(), schema };
    let call = ToolCall { id: "1".into(), name: "add".into(), arguments: json!({}) };
    let messages = vec![ChatMessage::with_calls("", vec![call])];
    let sent =
        request::body(&model(), &ChatRequest { messages, tools: vec![tool], ..ChatRequest::default() })
            .unwrap();
    let tools = sent["toolConfig"]["tools"].as_array().unwrap();
    assert_eq!((tools.len(), &tools[0]["toolSpec"]["description"]), (1, &json!("adds")));
    for part in [
        ContentPart::ImageUrl("https://h/x.png".into()),
        ContentPart::Image { mime: "image/bmp".into(), base64: String::new() },
    ] {
        let request = ChatRequest { messages: vec![ChatMessage::User(vec![part])], ..ChatRequest::default() };
        assert!(matches!(request::body(&model(), &request), Err(ModelError::Settings(_))));
    }
}
