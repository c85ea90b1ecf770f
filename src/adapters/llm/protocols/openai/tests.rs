//! Recorded replies, cut and split everywhere, and the bodies that are sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::streaming::StreamSource;
use crate::llm::{ChatMessage, ContentPart, Delta, InlineImage, ProviderKey, ToolCall, ToolSpec};
use crate::net::Outgoing;
use serde_json::json;

const TEXT: &str = concat!(
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null},\"finish_reason\":null}],\"usage\":null}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm \"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grüße, \"}}]}\n\n",
    ": keep-alive\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Welt 👋\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":3},\"completion_tokens_details\":{\"reasoning_tokens\":2}}}\n\n",
    "data: [DONE]\n\n",
);

const CALLS: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_a\",\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"call_b\",\"function\":{\"name\":\"now\",\"arguments\":\"\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\r\n\r\ndata: [DONE]\r\n\r\n",
);

fn chunks() -> OpenAiStream {
    let refusals = ErrorInterpreter::new("m", Vec::new());
    OpenAiStream { refusals, model: "m".to_owned(), reasoning: None, finished: false }
}

fn read(source: impl StreamSource) -> (Vec<String>, Result<Completion, ModelError>) {
    let mut seen = Vec::new();
    let mut on = |delta: Delta<'_>| {
        seen.push(format!("{delta:?}"));
        Ok(())
    };
    let result = ReplyStream::from_events(source, chunks()).follow(&mut on).result;
    (seen, result)
}

fn whole(body: &Value) -> Result<Completion, ModelError> {
    chunks().read_whole(&mut body.to_string().as_bytes(), &mut |_: Delta<'_>| Ok(()))
}

/// The body of a request, as its reader has it.
fn sent_body(model: &OpenAi, request: &ChatRequest) -> Value {
    serde_json::to_value(request::body(model, request)).unwrap()
}

#[test]
fn a_stream_is_read_however_it_is_split() {
    let usage = Usage { input_tokens: 9, output_tokens: 4, cached_tokens: 3, reasoning_tokens: 2 };
    let expected = Completion {
        text: "Grüße, Welt 👋".into(),
        thinking: "hm ".into(),
        usage: Some(usage),
        metadata: json!({"finish_reason": "stop"}).as_object().cloned().unwrap(),
        ..Completion::default()
    };
    let (seen, result) = read(Pieces::bytes(TEXT.as_bytes()));
    assert_eq!(seen, ["Thinking(\"hm \")", "Text(\"Grüße, \")", "Text(\"Welt 👋\")"]);
    assert_eq!(result, Ok(expected.clone()));
    for at in 0..=TEXT.len() {
        assert_eq!(read(Pieces::split(TEXT.as_bytes(), at)).1, Ok(expected.clone()), "split at {at}");
    }
}

#[test]
fn a_stream_that_is_cut_is_an_error_until_the_answer_is_complete() {
    for (sample, last) in
        [(TEXT, "\"finish_reason\":\"stop\"}]}"), (CALLS, "\"finish_reason\":\"tool_calls\"}]}")]
    {
        let complete = sample.find(last).unwrap() + last.len();
        for at in 0..complete {
            let (_, result) = read(&sample.as_bytes()[..at]);
            assert!(matches!(result, Err(ModelError::Garbled(_))), "cut at {at}: {result:?}");
        }
        assert!(read(&sample.as_bytes()[..complete]).1.is_ok());
    }
}

#[test]
fn tool_calls_are_assembled() {
    let call =
        |id: &str, name: &str, arguments: Value| ToolCall { id: id.into(), name: name.into(), arguments };
    let expected = vec![call("call_a", "add", json!({"a":1})), call("call_b", "now", json!({}))];
    for at in 0..=CALLS.len() {
        assert_eq!(read(Pieces::split(CALLS.as_bytes(), at)).1.unwrap().calls, expected, "split at {at}");
    }
    // Servers that leave numbers out, repeat them, or send arguments as an object.
    let odd = concat!(
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":{\"p\":1}}},{\"id\":\"b\",\"function\":{\"name\":\"y\",\"arguments\":\"[\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"z\",\"arguments\":\"{}\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"z\"},\"id\":\"d\"}]},\"finish_reason\":\"stop\"}]}\n\n",
    );
    let expected = vec![
        call("a", "x", json!({"p":1})),
        call("b", "y", json!("[")),
        call("c", "z", json!({})),
        call("d", "z", json!({})),
    ];
    assert_eq!(read(odd.as_bytes()).1.unwrap().calls, expected);
    let nameless = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\"}]},\"finish_reason\":\"stop\"}]}\n\n";
    assert!(matches!(read(nameless.as_bytes()).1, Err(ModelError::Garbled(_))));
}

/// A stream of these fragments of calls, and its calls by name and arguments.
fn streamed_calls(fragments: &[Value]) -> Vec<(String, Value)> {
    let mut source = String::new();
    for fragment in fragments {
        source
            .push_str(&format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [fragment]}}]})));
    }
    source.push_str("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n");
    let calls = read(source.as_bytes()).1.unwrap().calls;
    let ids: std::collections::HashSet<_> = calls.iter().map(|call| call.id.clone()).collect();
    assert!(ids.len() == calls.len() && !ids.contains(""), "each call has an id of its own: {calls:?}");
    calls.into_iter().map(|call| (call.name, call.arguments)).collect()
}

#[test]
fn calls_are_told_apart_whatever_numbers_and_ids_a_server_gives() {
    let call = |name: &str, arguments: Value| (name.to_owned(), arguments);
    let two = vec![call("x", json!({"a": 1})), call("y", json!({"b": 2}))];
    let fragment = |index: Value, id: Value, name: Value, arguments: &str| json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
    let (x, y) = ("{\"a\":1}", "{\"b\":2}");
    let none = Value::Null;
    for (what, fragments) in [
        (
            "one number, empty ids",
            vec![fragment(0.into(), "".into(), "x".into(), x), fragment(0.into(), "".into(), "y".into(), y)],
        ),
        (
            "neither numbers nor ids",
            vec![
                fragment(none.clone(), none.clone(), "x".into(), x),
                fragment(none.clone(), none.clone(), "y".into(), y),
            ],
        ),
        (
            "one number and one id only for the first",
            vec![fragment(0.into(), "c".into(), "x".into(), x), fragment(0.into(), "".into(), "y".into(), y)],
        ),
        (
            "one id for both, with numbers",
            vec![
                fragment(0.into(), "c".into(), "x".into(), x),
                fragment(1.into(), "c".into(), "y".into(), y),
            ],
        ),
        (
            "a new id with each fragment",
            vec![
                fragment(0.into(), "1".into(), "x".into(), "{\"a\""),
                fragment(0.into(), "2".into(), none.clone(), ":1"),
                fragment(0.into(), "3".into(), "".into(), "}"),
                fragment(1.into(), "4".into(), "y".into(), y),
            ],
        ),
        (
            "the name with each fragment",
            vec![
                fragment(0.into(), "1".into(), "x".into(), "{\"a\""),
                fragment(0.into(), "1".into(), "x".into(), ":1}"),
                fragment(0.into(), "1".into(), "x".into(), ""),
                fragment(1.into(), "".into(), "y".into(), "{\"b\":"),
                fragment(1.into(), "".into(), "y".into(), "2}"),
            ],
        ),
    ] {
        assert_eq!(streamed_calls(&fragments), two, "{what}");
    }
    let message = json!({"choices": [{"message": {"tool_calls": [
        {"function": {"name": "x", "arguments": x}}, {"index": 0, "id": "", "function": {"name": "y", "arguments": y}},
        {"index": 0, "id": "", "function": {"name": "y", "arguments": ""}}]}}]});
    let calls = whole(&message).unwrap().calls;
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "y"], "each call of a whole message is its own");
}

#[test]
fn reasoning_before_a_call_goes_back_with_it() {
    let call = json!({"id": "c", "function": {"name": "x", "arguments": "{}"}});
    let body = |field: &str| json!({"choices": [{"message": {field: "hm", "tool_calls": [call]}}]});
    let kept = |body: &Value| whole(body).unwrap().content;
    let expected = ProviderContent::new(PROTOCOL, &chunks().model, vec!["hm".into()]);
    assert_eq!(kept(&body("reasoning_content")), expected);
    assert_eq!(kept(&body("reasoning")), None, "others do not know the field");
    let fragment = json!({"choices": [{"delta": {"reasoning_content": "hm", "tool_calls": [call]}, "finish_reason": "tool_calls"}]});
    let stream = format!("data: {fragment}\n\n");
    let streaming = ReplyStream::from_events(stream.as_bytes(), chunks());
    let done = streaming.follow(&mut |_: Delta<'_>| Ok(())).result;
    assert_eq!(done.map(|done| done.content), Ok(expected));

    let model = model("https://api.deepseek.com", "deepseek-chat");
    let turn = |of: &str| ChatMessage::Assistant {
        text: String::new(),
        calls: vec![ToolCall { id: "c".into(), name: "x".into(), arguments: json!({}) }],
        content: ProviderContent::new(PROTOCOL, of, vec!["hm".into()]),
    };
    let request = ChatRequest {
        messages: vec![turn("deepseek-chat"), turn("other"), ChatMessage::assistant("no call")],
        ..ChatRequest::default()
    };
    let sent = sent_body(&model, &request)["messages"].clone();
    let told: Vec<&Value> = (0..3).map(|at| &sent[at]["reasoning_content"]).collect();
    assert_eq!(told, [&json!("hm"), &Value::Null, &Value::Null]);
}

#[test]
fn an_answer_that_used_up_its_tokens_is_an_error_when_it_says_nothing() {
    let body = |reason: &str, said: Value| json!({"choices": [{"message": said, "finish_reason": reason}]});
    let thought = json!({"content": "", "reasoning_content": "hm"});
    assert_eq!(whole(&body("length", thought.clone())), Err(ModelError::OutOfTokens));
    assert!(whole(&body("stop", thought)).unwrap().once, "an empty answer is kept by no cache");
    for (reason, once) in [("length", true), ("content_filter", true), ("stop", false)] {
        let completion = whole(&body(reason, json!({"content": "hi"}))).unwrap();
        assert_eq!((completion.text.as_str(), completion.once), ("hi", once), "{reason}");
    }
}

#[test]
fn a_reply_of_countless_values_is_refused_and_fields_nobody_asks_for_cost_nothing() {
    let zeros = |count: usize| vec![0; count];
    let big = json!({"choices": [{"message": {"content": "hi"}}], "zz": zeros(REPLY_VALUES_MAX)});
    assert_eq!(whole(&big), Err(ModelError::Garbled("it is too large".into())));
    let event = format!("data: {big}\n\n");
    assert_eq!(read(event.as_bytes()).1, Err(ModelError::Garbled("it is too large".into())));
    let long =
        json!({"choices": [{"message": {"content": "[{,".repeat(REPLY_VALUES_MAX)}}], "zz": zeros(100)});
    assert_eq!(whole(&long).unwrap().text.len(), 3 * REPLY_VALUES_MAX);
}

#[test]
fn errors_inside_a_stream_end_it() {
    let half = &TEXT[..TEXT.find(": keep").unwrap()];
    let error = format!(
        "{half}data: {{\"error\":{{\"message\":\"The server had an error\",\"type\":\"server_error\"}}}}\n\n"
    );
    let expected = ModelError::Provider { status: 500, message: "The server had an error".into() };
    assert_eq!(read(error.as_bytes()).1, Err(expected));
    assert!(matches!(read(&b"data: <html>\n\n"[..]).1, Err(ModelError::Garbled(_))));
    let filtered = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n";
    assert!(matches!(read(filtered.as_bytes()).1, Err(ModelError::Provider { .. })));
}

#[test]
fn a_reply_in_one_piece_is_read() {
    let completion = whole(&json!({"choices":[{"message":{"role":"assistant","content":"hi","reasoning":"hm",
        "tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"p\":1}"}}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":1,"completion_tokens":2}}))
    .unwrap();
    assert_eq!((completion.text.as_str(), completion.thinking.as_str()), ("hi", "hm"));
    assert_eq!(completion.calls[0].arguments, json!({"p":1}));
    assert_eq!(completion.usage.unwrap().total(), 3);
    let parts = json!({"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"text","text":"a"}]}}]});
    assert_eq!(whole(&parts).map(|done| (done.text, done.thinking)), Ok(("a".into(), "t".into())));
    for broken in [json!({}), json!([]), json!({"choices":[]}), json!("x")] {
        assert!(matches!(whole(&broken), Err(ModelError::Garbled(_))), "{broken}");
    }
}

fn model(base: &str, name: &str) -> OpenAi {
    OpenAi::new(Endpoint::new(Outgoing::new(Vec::new(), true), base, Some(ProviderKey::new("secret"))), name)
}

#[test]
fn settings_reach_the_body_and_reasoning_models_get_only_what_they_take() {
    let request = ChatRequest {
        messages: vec![ChatMessage::user("hi")],
        stop: vec!["END".into()],
        ..ChatRequest::default()
    };
    for (base, name, reasoning, limit) in [
        (OPENAI_BASE, "gpt-4o-mini", false, "max_completion_tokens"),
        ("https://api.openai.com/v1/", "gpt-5-chat-latest", false, "max_completion_tokens"),
        ("http://localhost:8000/v1", "llama", false, "max_tokens"),
        ("http://localhost:8000/v1", "o10-mini", false, "max_tokens"),
        (OPENAI_BASE, "o1", true, "max_completion_tokens"),
        (OPENAI_BASE, "o3-mini", true, "max_completion_tokens"),
        (OPENAI_BASE, "o4-mini-2025", true, "max_completion_tokens"),
        (OPENAI_BASE, "gpt-5.1", true, "max_completion_tokens"),
        ("https://router/v1", "openai/gpt-5-mini", true, "max_completion_tokens"),
        (OPENAI_BASE, "codex-mini-latest", true, "max_completion_tokens"),
    ] {
        let mut model = model(base, name);
        model.temperature = Some(0.5);
        model.top_p = Some(0.9);
        model.frequency_penalty = Some(0.1);
        model.presence_penalty = Some(0.2);
        model.max_tokens = Some(100);
        model.reasoning_effort = Some("low".into());
        model.stop = vec!["STOP".into()];
        let body = sent_body(&model, &request);
        assert_eq!(body["temperature"].is_null(), reasoning, "{name}");
        assert_eq!(body["presence_penalty"].is_null(), reasoning, "{name}");
        let stop = if reasoning { Value::Null } else { json!(["STOP", "END"]) };
        assert_eq!(body["stop"], stop, "{name}");
        assert_eq!(body[limit], 100, "{name}");
        assert_eq!(body["reasoning_effort"].is_null(), !reasoning && base.contains("openai.com"), "{name}");
        assert_eq!(body["stream_options"], json!({"include_usage":true}));
        assert!(!format!("{model:?}").contains("secret"));
    }
    let mut plain = model(OPENAI_BASE, "gpt-4o");
    plain.streaming = false;
    plain.extra.insert("seed".into(), 7.into());
    let expected = json!({"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"stop":["END"],"stream":false,"seed":7});
    assert_eq!(sent_body(&plain, &request), expected);
}

#[test]
fn messages_and_tools_take_their_wire_form() {
    let call = ToolCall { id: "c1".into(), name: "add".into(), arguments: json!({"a":1}) };
    let raw = ToolCall { id: "c2".into(), name: "add".into(), arguments: json!("{broken") };
    let request = ChatRequest {
        messages: vec![
            ChatMessage::System("be kind".into()),
            ChatMessage::User(vec![
                ContentPart::Text("look".into()),
                ContentPart::Image { mime: "image/png".into(), base64: "AAAA".into() },
                ContentPart::ImageUrl("https://x/y.png".into()),
            ]),
            ChatMessage::with_calls("", vec![call, raw]),
            ChatMessage::result("c1", "add", "2"),
        ],
        tools: vec![ToolSpec {
            name: "add".into(),
            description: "adds".into(),
            schema: json!({"type":"object","properties":{"a":{"type":"number"},"o":{"type":"object","properties":{"b":{"type":"string"}}}},"required":["a"]}),
        }],
        stop: Vec::new(),
        ..ChatRequest::default()
    };
    let open = ToolSpec {
        name: "post".into(),
        description: "posts".into(),
        schema: json!({"type":"object","properties":{"body":{"type":"object"}}}),
    };
    let request = ChatRequest { tools: vec![request.tools[0].clone(), open.clone()], ..request };
    let mut model = model(OPENAI_BASE, "gpt-4o");
    model.image_detail = Some("low".into());
    let body = sent_body(&model, &request);
    assert_eq!(
        body["messages"],
        json!([
            {"role":"system","content":"be kind"},
            {"role":"user","content":[
                {"type":"text","text":"look"},
                {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}},
                {"type":"image_url","image_url":{"url":"https://x/y.png","detail":"low"}}]},
            {"role":"assistant","content":null,"tool_calls":[
                {"id":"c1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}},
                {"id":"c2","type":"function","function":{"name":"add","arguments":"{\"input\":\"{broken\"}"}}]},
            {"role":"tool","tool_call_id":"c1","content":"2"}])
    );
    assert_eq!(body["tools"][0]["function"]["parameters"], request.tools[0].schema);
    model.strict_tools = true;
    let tools = sent_body(&model, &request)["tools"].clone();
    let lax = json!({"name": "post", "description": "posts", "parameters": open.schema});
    assert_eq!(tools[1]["function"], lax, "a tool that takes anything is not strict");
    let strict = &tools[0]["function"];
    assert_eq!(strict["strict"], true);
    assert_eq!(
        strict["parameters"],
        json!({"type":"object","additionalProperties":false,"required":["a","o"],"properties":{
            "a":{"type":"number"},
            "o":{"type":["object","null"],"additionalProperties":false,"required":["b"],"properties":{"b":{"type":["string","null"]}}}}})
    );
}

#[test]
fn a_provider_that_is_not_trusted_is_told_as_such() {
    use crate::base::cancel::CancelToken;
    use crate::llm::ChatModel as _;
    use crate::net::TlsError;
    use crate::net::test_servers::{TestAuthority, serve_hello};
    let port = serve_hello(TestAuthority::generate().issue("localhost"));
    let model = model(&format!("https://localhost:{port}/v1"), "m");
    let request = ChatRequest { messages: vec![ChatMessage::user("hi")], ..ChatRequest::default() };
    let error = model.chat(&request, &CancelToken::new(None), &mut |_: Delta<'_>| Ok(())).unwrap_err();
    assert_eq!(error, ModelError::Untrusted(TlsError::UnknownAuthority));
    let said = error.at("Chat").to_string();
    assert!(
        said.contains("Chat") && said.contains("SERVICE_CA_FILE") && !said.contains("localhost"),
        "{said}"
    );
}

#[test]
fn pictures_of_results_come_in_a_message_behind_all_of_them() {
    let result = |id: &str, images: Vec<InlineImage>| ChatMessage::Tool {
        call_id: id.into(),
        name: "draw".into(),
        text: "Drawn.".into(),
        images,
    };
    let picture = InlineImage { mime: "image/png".into(), base64: "AAAA".into() };
    let request = ChatRequest {
        messages: vec![result("a", vec![picture]), result("b", Vec::new()), ChatMessage::assistant("Fine.")],
        ..ChatRequest::default()
    };
    let sent = sent_body(&model(OPENAI_BASE, "gpt-4o"), &request)["messages"].clone();
    let roles: Vec<&str> = sent.as_array().unwrap().iter().filter_map(|one| one["role"].as_str()).collect();
    assert_eq!(roles, ["tool", "tool", "user", "assistant"]);
    assert_eq!(sent[2]["content"][1]["image_url"]["url"], "data:image/png;base64,AAAA");
}
