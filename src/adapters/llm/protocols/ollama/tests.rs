//! Recorded replies, cut and split everywhere, and the bodies that are sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::streaming::StreamSource;
use crate::llm::{ChatMessage, Completion, ContentPart, Delta, ToolSpec};
use crate::net::Outgoing;
use serde_json::json;

const SAMPLE: &str = concat!(
    "{\"model\":\"m\",\"created_at\":\"2025-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"hm\"},\"done\":false}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Grüße \"},\"done\":false}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"👋\"},\"done\":false}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"add\",\"arguments\":{\"a\":1}}}]},\"done\":false}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":7,\"eval_count\":5}\n",
);

fn read(source: impl StreamSource) -> Result<Completion, ModelError> {
    let mut on = |_: Delta<'_>| Ok(());
    ReplyStream::from_lines(source, OllamaStream(ErrorInterpreter::new("m", Vec::new())))
        .follow(&mut on)
        .result
}

fn expected() -> Completion {
    let call = ToolCall { id: "c1".into(), name: "add".into(), arguments: json!({"a":1}) };
    let usage = Usage { input_tokens: 7, output_tokens: 5, ..Usage::default() };
    Completion {
        text: "Grüße 👋".into(),
        thinking: "hm".into(),
        calls: vec![call],
        usage: Some(usage),
        ..Completion::default()
    }
}

#[test]
fn a_stream_is_read_however_it_is_split() {
    assert_eq!(read(Pieces::bytes(SAMPLE.as_bytes())), Ok(expected()));
    for at in 0..=SAMPLE.len() {
        assert_eq!(read(Pieces::split(SAMPLE.as_bytes(), at)), Ok(expected()), "split at {at}");
    }
}

#[test]
fn a_stream_that_is_cut_is_an_error() {
    let complete = SAMPLE.len() - 1;
    for at in 0..complete {
        let result = read(&SAMPLE.as_bytes()[..at]);
        assert!(matches!(result, Err(ModelError::Garbled(_))), "cut at {at}: {result:?}");
    }
    assert_eq!(read(&SAMPLE.as_bytes()[..complete]), Ok(expected()));
}

#[test]
fn errors_inside_a_stream_end_it() {
    let error = format!("{}\n{{\"error\":\"model runner has stopped\"}}\n", SAMPLE.lines().next().unwrap());
    let expected = ModelError::Provider { status: 500, message: "model runner has stopped".into() };
    assert_eq!(read(error.as_bytes()), Err(expected));
    assert!(matches!(read(&b"<html>\n"[..]), Err(ModelError::Garbled(_))));
}

#[test]
fn messages_tools_and_settings_take_their_wire_form() {
    let call = ToolCall { id: "c1".into(), name: "add".into(), arguments: json!({"a":1}) };
    let mut request = ChatRequest {
        messages: vec![
            ChatMessage::System("be kind".into()),
            ChatMessage::User(vec![
                ContentPart::Text("look".into()),
                ContentPart::Image { mime: "image/png".into(), base64: "AAAA".into() },
            ]),
            ChatMessage::with_calls("", vec![call]),
            ChatMessage::result("c1", "add", "2"),
        ],
        tools: vec![ToolSpec {
            name: "add".into(),
            description: "adds".into(),
            schema: json!({"type":"object"}),
        }],
        stop: vec!["END".into()],
        ..ChatRequest::default()
    };
    let mut model =
        Ollama::new(Endpoint::new(Outgoing::new(Vec::new(), true), OLLAMA_BASE, None), "llama3.2");
    model.options.insert("num_ctx".into(), 4096.into());
    model.keep_alive = Some("5m".into());
    model.think = Some(true.into());
    model.format = Some("json".into());
    assert_eq!(
        request::body(&model, &request),
        Ok(json!({"model":"llama3.2","stream":true,"keep_alive":"5m","think":true,"format":"json",
            "options":{"num_ctx":4096,"stop":["END"]},
            "messages":[
                {"role":"system","content":"be kind"},
                {"role":"user","content":"look","images":["AAAA"]},
                {"role":"assistant","content":"","tool_calls":[{"function":{"name":"add","arguments":{"a":1}}}]},
                {"role":"tool","tool_name":"add","content":"2"}],
            "tools":[{"type":"function","function":{"name":"add","description":"adds","parameters":{"type":"object"}}}]}))
    );
    request.messages = vec![ChatMessage::User(vec![ContentPart::ImageUrl("https://x/y.png".into())])];
    assert!(matches!(request::body(&model, &request), Err(ModelError::Settings(_))));
}

#[test]
fn a_text_is_completed_where_messages_are_not_known() {
    let mut model = Ollama::new(Endpoint::new(Outgoing::new(Vec::new(), true), OLLAMA_BASE, None), "m");
    model.completes = true;
    let messages = vec![ChatMessage::user("Hi"), ChatMessage::assistant("Hello"), ChatMessage::user("Bye")];
    let body = request::body(&model, &ChatRequest { messages, ..ChatRequest::default() });
    let expected = json!({"model": "m", "prompt": "Human: Hi\n\nAI: Hello\n\nHuman: Bye\n\nAI:", "stream": true,
        "options": {"stop": ["\nHuman:"]}});
    assert_eq!(body, Ok(expected));
    assert!(!model.takes_tools());
    let sample = "{\"response\":\"Hi \",\"done\":false}\n{\"response\":\"you\",\"done\":true,\"prompt_eval_count\":7,\"eval_count\":5}\n";
    let said = read(sample.as_bytes()).unwrap();
    assert_eq!((said.text.as_str(), said.usage.unwrap().total()), ("Hi you", 12));
}

#[test]
fn an_answer_that_used_up_its_tokens_is_an_error_when_it_says_nothing() {
    let line =
        |said: Value, reason: &str| json!({"message": said, "done": true, "done_reason": reason}).to_string();
    let thought = line(json!({"thinking": "hm"}), "length");
    assert_eq!(read(thought.as_bytes()), Err(ModelError::OutOfTokens));
    for (reason, once) in [("length", true), ("stop", false)] {
        let said = line(json!({"content": "hi"}), reason);
        assert_eq!(read(said.as_bytes()).map(|done| done.once), Ok(once), "{reason}");
    }
}
