//! Recorded replies, cut and split everywhere, and the bodies that are sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::streaming::StreamSource;
use crate::llm::{ChatMessage, ContentPart, Delta, ProviderKey, ToolSpec};
use crate::net::Outgoing;
use serde_json::json;

const SAMPLE: &str = concat!(
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"hm\",\"thought\": true}],\"role\": \"model\"},\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 8}}\r\n\r\n",
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Grüße \"}],\"role\": \"model\"}}]}\r\n\r\n",
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"👋\"},{\"functionCall\": {\"id\": \"f1\",\"name\": \"add\",\"args\": {\"a\": 1}},\"thoughtSignature\": \"c2ln\"}]}}]}\r\n\r\n",
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"\"}]},\"finishReason\": \"STOP\"}],\"usageMetadata\": {\"promptTokenCount\": 8,\"candidatesTokenCount\": 5,\"thoughtsTokenCount\": 3,\"cachedContentTokenCount\": 2}}\r\n\r\n",
);

type Read2 = (Completion, Vec<(String, Value)>);

/// The reply, and what is kept for each of its calls.
fn with_signatures(
    read: impl FnOnce(GoogleStream) -> Result<Completion, ModelError>,
) -> Result<Read2, ModelError> {
    let remembered = CallState::default();
    let refusals = ErrorInterpreter::new("m", Vec::new());
    let completion =
        read(GoogleStream { refusals, state: StreamState::default(), call_state: remembered.clone() })?;
    let kept = |call: &ToolCall| Some((call.id.clone(), remembered.get(&call.id)?));
    let signed = completion.calls.iter().filter_map(kept).collect();
    Ok((completion, signed))
}

fn read(source: impl StreamSource) -> Result<Read2, ModelError> {
    let mut on = |_: Delta<'_>| Ok(());
    with_signatures(|chunks| ReplyStream::from_events(source, chunks).follow(&mut on).result)
}

fn whole(body: &Value) -> Result<Read2, ModelError> {
    let body = body.to_string();
    with_signatures(|chunks| chunks.read_whole(&mut body.as_bytes(), &mut |_: Delta<'_>| Ok(())))
}

fn signed_part() -> Value {
    json!({"functionCall":{"id":"f1","name":"add","args":{"a":1}},"thoughtSignature":"c2ln"})
}

fn expected() -> Read2 {
    let call = ToolCall { id: "f1".into(), name: "add".into(), arguments: json!({"a":1}) };
    let usage = Usage { input_tokens: 8, output_tokens: 8, cached_tokens: 2, reasoning_tokens: 3 };
    let completion = Completion {
        text: "Grüße 👋".into(),
        thinking: "hm".into(),
        calls: vec![call],
        usage: Some(usage),
        metadata: json!({"finish_reason": "STOP"}).as_object().cloned().unwrap(),
        ..Completion::default()
    };
    (completion, vec![("f1".into(), signed_part())])
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
    let complete = SAMPLE.trim_end().len();
    for at in 0..complete {
        let result = read(&SAMPLE.as_bytes()[..at]);
        assert!(matches!(result, Err(ModelError::Garbled(_))), "cut at {at}: {result:?}");
    }
    assert_eq!(read(&SAMPLE.as_bytes()[..complete]), Ok(expected()));
}

#[test]
fn refusals_inside_an_answer_are_errors() {
    let blocked = json!({"promptFeedback":{"blockReason":"SAFETY"}});
    let held = json!({"candidates":[{"finishReason":"RECITATION"}]});
    for body in [&blocked, &held] {
        assert!(matches!(whole(body), Err(ModelError::Provider { status: 200, .. })), "{body}");
        assert!(matches!(read(format!("data: {body}\n\n").as_bytes()), Err(ModelError::Provider { .. })));
    }
    let error = json!({"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}});
    let expected = ModelError::Provider { status: 503, message: "The model is overloaded.".into() };
    assert_eq!(whole(&error), Err(expected.clone()));
    assert_eq!(whole(&json!([error])), Err(expected));
    let malformed = json!({"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]});
    assert!(matches!(whole(&malformed), Err(ModelError::Garbled(_))));
    assert!(matches!(whole(&json!({})), Err(ModelError::Garbled(_))));
}

#[test]
fn a_reply_in_one_piece_is_read() {
    let body = json!({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Grüße 👋"},signed_part()]},"finishReason":"STOP"}],
        "usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":5,"thoughtsTokenCount":3,"cachedContentTokenCount":2}});
    assert_eq!(whole(&body), Ok(expected()));
    let nameless =
        json!({"candidates":[{"content":{"parts":[{"functionCall":{"name":"now"}}]},"finishReason":"STOP"}]});
    let (completion, _) = whole(&nameless).unwrap();
    assert!(completion.calls[0].id.starts_with("call_"));
    assert_eq!(completion.calls[0].arguments, json!({}));
}

fn model(name: &str) -> Google {
    Google::new(
        Endpoint::new(Outgoing::new(Vec::new(), true), GOOGLE_BASE, Some(ProviderKey::new("secret"))),
        name,
    )
}

#[test]
fn an_answer_that_used_up_its_tokens_is_an_error_when_it_says_nothing() {
    let body = |reason: &str, part: Value| json!({"candidates":[{"content":{"parts":[part]},"finishReason":reason}]});
    let thought = body("MAX_TOKENS", json!({"text":"hm","thought":true}));
    assert_eq!(whole(&thought).map(|_| ()), Err(ModelError::OutOfTokens));
    assert_eq!(read(format!("data: {thought}\n\n").as_bytes()).map(|_| ()), Err(ModelError::OutOfTokens));
    for (reason, once) in [("MAX_TOKENS", true), ("SAFETY", true), ("STOP", false)] {
        let (completion, _) = whole(&body(reason, json!({"text":"hi"}))).unwrap();
        assert_eq!((completion.text.as_str(), completion.once), ("hi", once), "{reason}");
    }
}

#[test]
fn a_thinking_level_takes_the_place_of_a_budget() {
    let request = ChatRequest { messages: vec![ChatMessage::user("a")], ..ChatRequest::default() };
    for (budget, level, sent) in [
        (Some(1024), None, json!({"thinkingBudget":1024,"includeThoughts":true})),
        (Some(0), None, json!({"thinkingBudget":0,"includeThoughts":false})),
        (Some(1024), Some("LOW"), json!({"thinkingLevel":"LOW","includeThoughts":true})),
        (Some(0), Some("HIGH"), json!({"thinkingLevel":"HIGH","includeThoughts":true})),
        (None, None, Value::Null),
    ] {
        let mut model = model("gemini-3-flash-preview");
        model.thinking_tokens = budget;
        model.thinking_level = level.map(str::to_owned);
        let thinking = request::body(&model, &request)["generationConfig"]["thinkingConfig"].clone();
        assert_eq!(thinking, sent, "{budget:?} {level:?}");
    }
}

#[test]
fn names_cannot_change_the_path() {
    assert_eq!(
        model("models/gemini-2.5-flash").path(),
        "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    );
    assert_eq!(model("../../x?y").path(), "/v1beta/models/..%2F..%2Fx%3Fy:streamGenerateContent?alt=sse");
    let mut whole = model("g");
    whole.streaming = false;
    assert_eq!(whole.path(), "/v1beta/models/g:generateContent");
}

#[test]
fn messages_tools_and_settings_take_their_wire_form() {
    let call = |id: &str| ToolCall { id: id.into(), name: "add".into(), arguments: json!({"a":1}) };
    let result = |id: &str| ChatMessage::Tool { call_id: id.into(), name: "add".into(), text: "2".into() };
    let request = ChatRequest {
        messages: vec![
            ChatMessage::System("be kind".into()),
            ChatMessage::User(vec![
                ContentPart::Text("look".into()),
                ContentPart::Image { mime: "image/png".into(), base64: "AAAA".into() },
            ]),
            ChatMessage::Assistant { text: "I add".into(), calls: vec![call("f1"), call("other")] },
            result("f1"),
            result("other"),
        ],
        tools: vec![
            ToolSpec {
                name: "add".into(),
                description: "adds".into(),
                schema: json!({"type":"object","properties":{"a":{"type":"number"}},"additionalProperties":false}),
            },
            ToolSpec {
                name: "now".into(),
                description: "time".into(),
                schema: json!({"type":"object","properties":{}}),
            },
        ],
        stop: vec!["END".into()],
        ..ChatRequest::default()
    };
    let mut model = model("gemini-3-pro");
    model.temperature = Some(0.5);
    model.max_tokens = Some(9);
    model.thinking_tokens = Some(0);
    model.safety = vec![("HARM_CATEGORY_HARASSMENT".into(), "BLOCK_NONE".into())];
    model.signed_calls.insert("f1", signed_part());
    assert_eq!(
        request::body(&model, &request),
        json!({
            "systemInstruction":{"parts":[{"text":"be kind"}]},
            "contents":[
                {"role":"user","parts":[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]},
                {"role":"model","parts":[{"text":"I add"},signed_part(),{"functionCall":{"name":"add","args":{"a":1}}}]},
                {"role":"user","parts":[
                    {"functionResponse":{"name":"add","response":{"result":"2"},"id":"f1"}},
                    {"functionResponse":{"name":"add","response":{"result":"2"}}}]}],
            "tools":[{"functionDeclarations":[
                {"name":"add","description":"adds","parameters":{"type":"object","properties":{"a":{"type":"number"}}}},
                {"name":"now","description":"time"}]}],
            "safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}],
            "generationConfig":{"temperature":0.5,"maxOutputTokens":9,"stopSequences":["END"],
                "thinkingConfig":{"thinkingBudget":0,"includeThoughts":false}}})
    );
    let earlier = ChatRequest {
        messages: vec![ChatMessage::Assistant { text: String::new(), calls: vec![call("unknown")] }],
        ..ChatRequest::default()
    };
    let body = request::body(&model, &earlier);
    assert_eq!(body["contents"][0]["role"], "user");
    assert_eq!(body["contents"][1]["parts"][0]["thoughtSignature"], "skip_thought_signature_validator");
    assert!(!format!("{model:?}").contains("secret"));
}

#[test]
fn calls_of_the_providers_own_tools_are_told_with_their_pages() {
    let parts = json!([
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"text": "One."},
    ]);
    let body = json!({"candidates": [{
        "content": {"parts": parts},
        "finishReason": "STOP",
        "groundingMetadata": {
            "webSearchQueries": ["one"],
            "groundingChunks": [{"web": {"uri": "https://a.example", "title": "A"}}, {"retrievedContext": {}}],
        },
        "urlContextMetadata": {"urlMetadata": [
            {"retrievedUrl": "https://b.example", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
        ]},
    }]});
    let (completion, _) = whole(&body).unwrap();
    let calls: Vec<(&str, &str)> = completion
        .provider_calls
        .iter()
        .map(|used| (used.tool.as_str(), used.tool_output.as_str()))
        .collect();
    let expected = [
        ("googleSearch", r#"[{"title":"A","url":"https://a.example"}]"#),
        ("urlContext", "URL_RETRIEVAL_STATUS_SUCCESS"),
        ("codeExecution", "1"),
    ];
    assert_eq!(calls, expected);
    assert_eq!(
        (completion.text.as_str(), completion.citations[0].url.as_str()),
        ("One.", "https://a.example")
    );
}

#[test]
fn the_providers_own_tools_stand_beside_others_in_a_request() {
    use ProviderTool::{AnthropicWebSearch, GoogleCodeExecution, GoogleSearch};
    let request = ChatRequest {
        provider_tools: vec![GoogleSearch, AnthropicWebSearch, GoogleCodeExecution],
        ..ChatRequest::default()
    };
    let tools = request::body(&model("gemini-3-pro"), &request)["tools"].clone();
    assert_eq!(tools, json!([{"googleSearch": {}}, {"codeExecution": {}}]));
}
