//! Recorded replies, cut and split everywhere, and the bodies that are sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::streaming::StreamSource;
use crate::llm::{ChatMessage, ContentPart, Delta, InlineImage, ProviderKey, ToolSpec};
use crate::net::Outgoing;
use serde_json::json;

const SAMPLE: &str = concat!(
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"hm\",\"thought\": true}],\"role\": \"model\"},\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 8}}\r\n\r\n",
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Grüße \"}],\"role\": \"model\"}}]}\r\n\r\n",
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"👋\"},{\"functionCall\": {\"id\": \"f1\",\"name\": \"add\",\"args\": {\"a\": 1}},\"thoughtSignature\": \"c2ln\"}]}}]}\r\n\r\n",
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"\"}]},\"finishReason\": \"STOP\"}],\"usageMetadata\": {\"promptTokenCount\": 8,\"candidatesTokenCount\": 5,\"thoughtsTokenCount\": 3,\"cachedContentTokenCount\": 2}}\r\n\r\n",
);

const MODEL: &str = "gemini-3-pro";

fn chunks() -> GoogleStream {
    let refusals = ErrorInterpreter::new("m", Vec::new());
    GoogleStream { refusals, model: MODEL.to_owned(), goes_on: true, state: StreamState::default() }
}

fn read(source: impl StreamSource) -> Result<Completion, ModelError> {
    let mut on = |_: Delta<'_>| Ok(());
    ReplyStream::from_events(source, chunks()).follow(&mut on).result
}

fn whole(body: &Value) -> Result<Completion, ModelError> {
    chunks().read_whole(&mut body.to_string().as_bytes(), &mut |_: Delta<'_>| Ok(()))
}

/// What is sent to the provider.
fn sent(model: &Google, request: &ChatRequest) -> Value {
    serde_json::to_value(request::body(model, request)).unwrap()
}

fn signed_part() -> Value {
    json!({"functionCall":{"id":"f1","name":"add","args":{"a":1}},"thoughtSignature":"c2ln"})
}

fn expected() -> Completion {
    let call = ToolCall { id: "f1".into(), name: "add".into(), arguments: json!({"a":1}) };
    let usage = Usage { input_tokens: 8, output_tokens: 8, cached_tokens: 2, reasoning_tokens: 3 };
    let parts = vec![json!({"text":"hm","thought":true}), json!({"text":"Grüße 👋"}), signed_part()];
    Completion {
        text: "Grüße 👋".into(),
        thinking: "hm".into(),
        calls: vec![call],
        usage: Some(usage),
        metadata: json!({"finish_reason": "STOP"}).as_object().cloned().unwrap(),
        content: ProviderContent::new(PROTOCOL, MODEL, parts),
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
    let completion = whole(&nameless).unwrap();
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
        let completion = whole(&body(reason, json!({"text":"hi"}))).unwrap();
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
        let body = super::tests::sent(&model, &request);
        let thinking = body["generationConfig"]["thinkingConfig"].clone();
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
    let result = |id: &str| ChatMessage::result(id, "add", "2");
    let parts =
        vec![json!({"text":"I add"}), signed_part(), json!({"functionCall":{"name":"add","args":{"a":1}}})];
    let both = ChatMessage::Assistant {
        text: "I add".into(),
        calls: vec![call("f1"), call("other")],
        content: ProviderContent::new(PROTOCOL, MODEL, parts),
    };
    let request = ChatRequest {
        messages: vec![
            ChatMessage::System("be kind".into()),
            ChatMessage::User(vec![
                ContentPart::Text("look".into()),
                ContentPart::Image { mime: "image/png".into(), base64: "AAAA".into() },
            ]),
            both,
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
    let mut model = model(MODEL);
    model.temperature = Some(0.5);
    model.max_tokens = Some(9);
    model.thinking_tokens = Some(0);
    model.safety = vec![("HARM_CATEGORY_HARASSMENT".into(), "BLOCK_NONE".into())];
    assert_eq!(
        sent(&model, &request),
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
        messages: vec![ChatMessage::with_calls("", vec![call("unknown")])],
        ..ChatRequest::default()
    };
    let body = sent(&model, &earlier);
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
    let completion = whole(&body).unwrap();
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
    let tools = sent(&model(MODEL), &request)["tools"].clone();
    assert_eq!(tools, json!([{"googleSearch": {}}, {"codeExecution": {}}]));
}

#[test]
fn both_kinds_of_tools_together_need_the_providers_own_word() {
    let tool = ToolSpec { name: "now".into(), description: "time".into(), schema: json!({"type":"object"}) };
    let mut request = ChatRequest { tools: vec![tool], ..ChatRequest::default() };
    assert_eq!(sent(&model(MODEL), &request)["toolConfig"], Value::Null);
    request.provider_tools.push(ProviderTool::GoogleSearch);
    let body = sent(&model(MODEL), &request);
    assert_eq!(body["toolConfig"], json!({"includeServerSideToolInvocations": true}));
    assert_eq!(body["tools"].as_array().unwrap().len(), 2);
}

#[test]
fn what_the_providers_own_tools_did_goes_back_word_for_word() {
    let parts = json!([
        {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["a"]}, "id": "s1"}, "thoughtSignature": "czE="},
        {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"x": 1}, "id": "s1"}},
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}, "thoughtSignature": "czI="},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"text": "One.", "thoughtSignature": "czM="},
        signed_part(),
    ]);
    let body = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    let streamed: String = parts
        .as_array()
        .unwrap()
        .iter()
        .map(|part| json!({"candidates": [{"content": {"parts": [part]}}]}))
        .chain([json!({"candidates": [{"finishReason": "STOP"}]})])
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    for reply in [whole(&body).unwrap(), read(streamed.as_bytes()).unwrap()] {
        let mut request = ChatRequest { messages: vec![ChatMessage::user("a")], ..ChatRequest::default() };
        request.messages.push(reply.into_message());
        request.messages.push(ChatMessage::result("f1", "add", "2"));
        let contents = sent(&model(MODEL), &request)["contents"].clone();
        assert_eq!(contents[1], json!({"role": "model", "parts": parts}));
        assert_eq!(contents[2]["parts"][0]["functionResponse"]["id"], "f1");
        // Another model knows none of the signatures.
        let other = sent(&model("gemini-2.5-flash"), &request)["contents"][1]["parts"].clone();
        assert_eq!(other, json!([{"text": "One."}, {"functionCall": {"name": "add", "args": {"a": 1}}}]));
    }
}

#[test]
fn pictures_of_a_result_stand_where_the_model_looks_for_them() {
    let picture = InlineImage { mime: "image/png".into(), base64: "AAAA".into() };
    let result = |id: &str| ChatMessage::Tool {
        call_id: id.into(),
        name: "draw".into(),
        text: "Drawn.".into(),
        images: vec![picture.clone()],
    };
    let request = ChatRequest { messages: vec![result("a"), result("b")], ..ChatRequest::default() };
    let inline = json!({"inlineData": {"mimeType": "image/png", "data": "AAAA"}});
    let inside = sent(&model(MODEL), &request)["contents"][0]["parts"].clone();
    assert_eq!(inside[0]["functionResponse"]["parts"], json!([inline]));
    assert_eq!(inside.as_array().unwrap().len(), 2);
    let behind = sent(&model("gemini-2.5-flash"), &request)["contents"][0]["parts"].clone();
    assert_eq!(behind[1]["functionResponse"]["parts"], Value::Null);
    assert_eq!((&behind[3], &behind[4], behind.as_array().unwrap().len()), (&inline, &inline, 5));
}
