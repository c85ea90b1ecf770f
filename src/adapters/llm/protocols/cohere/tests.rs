//! Recorded replies, cut and split everywhere, and the bodies that are sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::streaming::StreamSource;
use crate::llm::{Completion, Delta, ProviderKey};
use crate::net::Outgoing;

const TEXT: &str = concat!(
    "event: message-start\ndata: {\"type\":\"message-start\",\"id\":\"m\",\"delta\":{\"message\":{\"role\":\"assistant\",\"content\":[],\"tool_plan\":\"\",\"tool_calls\":[]}}}\n\n",
    "event: content-start\ndata: {\"type\":\"content-start\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"type\":\"thinking\",\"thinking\":\"hm \"}}}}\n\n",
    "event: content-end\ndata: {\"type\":\"content-end\",\"index\":0}\n\n",
    "event: content-start\ndata: {\"type\":\"content-start\",\"index\":1,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}\n\n",
    "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":1,\"delta\":{\"message\":{\"content\":{\"text\":\"Grüße, \"}}}}\n\n",
    "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":1,\"delta\":{\"message\":{\"content\":{\"text\":\"Welt 👋\"}}}}\n\n",
    "event: content-end\ndata: {\"type\":\"content-end\",\"index\":1}\n\n",
    "event: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\",\"usage\":{\"billed_units\":{\"input_tokens\":3,\"output_tokens\":4},\"tokens\":{\"input_tokens\":9.0,\"output_tokens\":4}}}}\n\n",
);

const CALLS: &str = concat!(
    "event: tool-plan-delta\ndata: {\"type\":\"tool-plan-delta\",\"delta\":{\"message\":{\"tool_plan\":\"I add.\"}}}\n\n",
    "event: tool-call-start\ndata: {\"type\":\"tool-call-start\",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"add_1\",\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"\"}}}}}\n\n",
    "event: tool-call-delta\ndata: {\"type\":\"tool-call-delta\",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"function\":{\"arguments\":\"{\\\"a\\\":\"}}}}}\n\n",
    "event: tool-call-delta\ndata: {\"type\":\"tool-call-delta\",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"function\":{\"arguments\":\"1}\"}}}}}\n\n",
    "event: tool-call-end\ndata: {\"type\":\"tool-call-end\",\"index\":0}\n\n",
    "event: tool-call-start\ndata: {\"type\":\"tool-call-start\",\"index\":1,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"now_1\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"\"}}}}}\n\n",
    "event: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"TOOL_CALL\"}}\n\n",
);

fn read(source: impl StreamSource) -> Result<Completion, ModelError> {
    let mut on = |_: Delta<'_>| Ok(());
    ReplyStream::from_events(source, CohereStream(ErrorInterpreter::new("m", Vec::new())))
        .follow(&mut on)
        .result
}

fn whole(body: &Value) -> Result<Completion, ModelError> {
    let mut reply = ReplyBuilder::default();
    take_whole(body, &mut reply)?;
    reply.finish()
}

fn said() -> Completion {
    let usage = Usage { input_tokens: 9, output_tokens: 4, ..Usage::default() };
    Completion {
        text: "Grüße, Welt 👋".into(),
        thinking: "hm ".into(),
        usage: Some(usage),
        ..Completion::default()
    }
}

fn called() -> Completion {
    let call = |id: &str, name: &str, arguments| ToolCall { id: id.into(), name: name.into(), arguments };
    let calls = vec![call("add_1", "add", json!({"a": 1})), call("now_1", "now", json!({}))];
    Completion { thinking: "I add.".into(), calls, ..Completion::default() }
}

#[test]
fn a_stream_is_read_however_it_is_split() {
    for (sample, expected) in [(TEXT, said()), (CALLS, called())] {
        assert_eq!(read(Pieces::bytes(sample.as_bytes())), Ok(expected.clone()));
        for at in 0..=sample.len() {
            assert_eq!(read(Pieces::split(sample.as_bytes(), at)), Ok(expected.clone()), "split at {at}");
        }
    }
}

#[test]
fn a_stream_that_is_cut_is_an_error() {
    for at in 0..TEXT.len() - 2 {
        let result = read(&TEXT.as_bytes()[..at]);
        assert!(matches!(result, Err(ModelError::Garbled(_))), "cut at {at}: {result:?}");
    }
}

#[test]
fn a_reply_in_one_piece_is_read() {
    let text = json!({"id": "m", "finish_reason": "COMPLETE",
        "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm "}, {"type": "text", "text": "Grüße, Welt 👋"}]},
        "usage": {"billed_units": {"input_tokens": 3, "output_tokens": 4}, "tokens": {"input_tokens": 9, "output_tokens": 4}}});
    assert_eq!(whole(&text), Ok(said()));
    let calls = json!({"finish_reason": "TOOL_CALL", "message": {"role": "assistant", "tool_plan": "I add.", "tool_calls": [
        {"id": "add_1", "type": "function", "function": {"name": "add", "arguments": "{\"a\":1}"}},
        {"id": "now_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}]}});
    assert_eq!(whole(&calls), Ok(called()));
    for broken in [json!({}), json!([]), json!("x"), json!({"message": "no"})] {
        assert!(matches!(whole(&broken), Err(ModelError::Garbled(_))), "{broken}");
    }
}

#[test]
fn an_answer_that_failed_is_an_error() {
    let end = |delta: &str| format!("data: {{\"type\":\"message-end\",\"delta\":{delta}}}\n\n");
    let error = end(r#"{"finish_reason":"ERROR","error":"out of memory"}"#);
    let expected = ModelError::Provider { status: 500, message: "out of memory".into() };
    assert_eq!(read(error.as_bytes()), Err(expected));
    for reason in ["ERROR", "ERROR_TOXIC"] {
        let ended = end(&format!(r#"{{"finish_reason":"{reason}"}}"#));
        assert!(matches!(read(ended.as_bytes()), Err(ModelError::Provider { .. })), "{reason}");
    }
    let late = end(r#"{"finish_reason":"TIMEOUT"}"#);
    assert_eq!(read(late.as_bytes()), Err(ModelError::TimedOut));
    assert!(matches!(read(&b"data: <html>\n\n"[..]), Err(ModelError::Garbled(_))));
}

#[test]
fn messages_tools_and_settings_take_their_wire_form() {
    let endpoint =
        Endpoint::new(Outgoing::new(Vec::new(), true), COHERE_BASE, Some(ProviderKey::new("secret")));
    let model = Cohere { endpoint, model: "command".into(), temperature: Some(0.5), streaming: true };
    let request = ChatRequest {
        messages: vec![
            ChatMessage::System("be kind".into()),
            ChatMessage::user("add"),
            ChatMessage::with_calls("", called().calls[..1].to_vec()),
            ChatMessage::result("add_1", "add", "2"),
            ChatMessage::assistant("two"),
        ],
        tools: vec![ToolSpec {
            name: "add".into(),
            description: "adds".into(),
            schema: json!({"type": "object"}),
        }],
        stop: vec!["END".into()],
        ..ChatRequest::default()
    };
    let expected = json!({
        "model": "command", "temperature": 0.5, "stop_sequences": ["END"], "stream": true,
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": "add"},
            {"role": "assistant", "tool_calls": [
                {"id": "add_1", "type": "function", "function": {"name": "add", "arguments": "{\"a\":1}"}}]},
            {"role": "tool", "tool_call_id": "add_1", "content": "2"},
            {"role": "assistant", "content": "two"}],
        "tools": [{"type": "function",
            "function": {"name": "add", "description": "adds", "parameters": {"type": "object"}}}],
    });
    assert_eq!(model.body(&request), expected);
    assert!(!format!("{model:?}").contains("secret"));
}

#[test]
fn an_answer_that_used_up_its_tokens_is_an_error_when_it_says_nothing() {
    let body = |reason: &str, part: Value| json!({"finish_reason": reason, "message": {"content": [part]}});
    let thought = json!({"type": "thinking", "thinking": "hm"});
    assert_eq!(whole(&body("MAX_TOKENS", thought)), Err(ModelError::OutOfTokens));
    for (reason, once) in [("MAX_TOKENS", true), ("ERROR_TOXIC", true), ("COMPLETE", false)] {
        let said = whole(&body(reason, json!({"type": "text", "text": "hi"})));
        assert_eq!(said.map(|done| done.once), Ok(once), "{reason}");
    }
}

#[test]
fn arguments_that_are_no_object_go_back_as_one() {
    let raw = ToolCall { id: "c".into(), name: "add".into(), arguments: json!("{broken") };
    assert_eq!(call(&raw)["function"]["arguments"], r#"{"input":"{broken"}"#);
}
