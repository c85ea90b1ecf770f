//! Recorded replies, cut and split everywhere, and the bodies that are sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::streaming::StreamSource;
use crate::llm::{ChatMessage, ContentPart, Delta, ProviderKey, ToolSpec};
use crate::net::Outgoing;

const SAMPLE: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":2,\"cache_read_input_tokens\":5,\"output_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"sig\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Grüße \"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"👋\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"add\",\"input\":{}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\":1}\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":42}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

fn blocks() -> AnthropicStream {
    let refusals = ErrorInterpreter::new("m", Vec::new());
    AnthropicStream {
        refusals,
        thoughts: Vec::new(),
        server_calls: ServerCalls::default(),
        call_state: CallState::default(),
    }
}

/// The reply, and the thoughts that are kept for its first call.
fn with_thoughts(
    read: impl FnOnce(AnthropicStream) -> Result<Completion, ModelError>,
) -> Result<(Completion, Vec<Value>), ModelError> {
    let blocks = blocks();
    let remembered = blocks.call_state.clone();
    let completion = read(blocks)?;
    let thoughts = completion.calls.first().and_then(|call| remembered.get(&call.id)).unwrap_or_default();
    Ok((completion, thoughts))
}

fn read(source: impl StreamSource) -> Result<(Completion, Vec<Value>), ModelError> {
    let mut on = |_: Delta<'_>| Ok(());
    with_thoughts(|blocks| ReplyStream::from_events(source, blocks).follow(&mut on).result)
}

fn expected() -> (Completion, Vec<Value>) {
    let call = ToolCall { id: "toolu_1".into(), name: "add".into(), arguments: json!({"a":1}) };
    let usage = Usage { input_tokens: 17, output_tokens: 42, cached_tokens: 5, reasoning_tokens: 0 };
    let completion = Completion {
        text: "Grüße 👋".into(),
        thinking: "hm".into(),
        calls: vec![call],
        usage: Some(usage),
        metadata: json!({"finish_reason": "tool_use"}).as_object().cloned().unwrap(),
        ..Completion::default()
    };
    (completion, vec![json!({"type":"thinking","thinking":"hm","signature":"sig"})])
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
    let end = "{\"type\":\"message_stop\"}";
    let complete = SAMPLE.find(end).unwrap() + end.len();
    for at in 0..complete {
        let result = read(&SAMPLE.as_bytes()[..at]);
        assert!(matches!(result, Err(ModelError::Garbled(_))), "cut at {at}: {result:?}");
    }
    assert_eq!(read(&SAMPLE.as_bytes()[..complete]), Ok(expected()));
}

#[test]
fn errors_inside_a_stream_end_it() {
    let start = &SAMPLE[..SAMPLE.find("event: ping").unwrap()];
    for (error, expected) in [
        ("overloaded_error", ModelError::Provider { status: 529, message: "Busy".into() }),
        ("rate_limit_error", ModelError::Throttled { retry_after_seconds: 30 }),
    ] {
        let error = format!(
            "{start}event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"{error}\",\"message\":\"Busy\"}}}}\n\n"
        );
        assert_eq!(read(error.as_bytes()), Err(expected));
    }
    let refusal = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n";
    assert!(matches!(read(refusal.as_bytes()), Err(ModelError::Provider { .. })));
}

#[test]
fn a_reply_in_one_piece_is_read() {
    let body = json!({"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","text":"Grüße 👋"},
        {"type":"tool_use","id":"toolu_1","name":"add","input":{"a":1}}],"stop_reason":"tool_use",
        "usage":{"input_tokens":10,"cache_creation_input_tokens":2,"cache_read_input_tokens":5,"output_tokens":42}});
    let whole = |body: &Value| {
        let body = body.to_string();
        with_thoughts(|blocks| blocks.read_whole(&mut body.as_bytes(), &mut |_: Delta<'_>| Ok(())))
    };
    assert_eq!(whole(&body), Ok(expected()));
    assert!(matches!(whole(&json!({})), Err(ModelError::Garbled(_))));
    let error = json!({"type":"error","error":{"type":"authentication_error"}});
    assert_eq!(whole(&error), Err(ModelError::KeyRefused));
}

#[test]
fn an_answer_that_used_up_its_tokens_is_an_error_when_it_says_nothing() {
    let thought = json!([{"type": "thinking", "thinking": "hm", "signature": "s"}]);
    let said = json!([{"type": "text", "text": "hi"}]);
    let read = |reason: &str, content: &Value| {
        let body = json!({"type": "message", "content": content, "stop_reason": reason}).to_string();
        let whole = blocks().read_whole(&mut body.as_bytes(), &mut |_: Delta<'_>| Ok(()));
        whole.map(|done| done.once)
    };
    assert_eq!(read("max_tokens", &thought), Err(ModelError::OutOfTokens));
    for (reason, once) in [("max_tokens", true), ("refusal", true), ("end_turn", false)] {
        assert_eq!(read(reason, &said), Ok(once), "{reason}");
    }
    let last = "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}";
    let stream = format!("data: {last}\n\ndata: {{\"type\":\"message_stop\"}}\n\n");
    assert_eq!(super::tests::read(stream.as_bytes()), Err(ModelError::OutOfTokens));
}

fn model() -> Anthropic {
    let endpoint =
        Endpoint::new(Outgoing::new(Vec::new(), true), ANTHROPIC_BASE, Some(ProviderKey::new("secret")));
    Anthropic::new(endpoint, "claude-sonnet-4-5")
}

fn assistant(text: &str, id: Option<&str>) -> ChatMessage {
    let call = |id: &str| ToolCall { id: id.into(), name: "add".into(), arguments: json!("raw") };
    ChatMessage::Assistant { text: text.into(), calls: id.map(call).into_iter().collect() }
}

#[test]
fn neighbours_of_one_role_are_merged() {
    let request = ChatRequest {
        messages: vec![
            ChatMessage::System("one".into()),
            ChatMessage::System("two".into()),
            assistant("Welcome. ", None),
            ChatMessage::user("a"),
            ChatMessage::User(vec![
                ContentPart::Text(String::new()),
                ContentPart::Image { mime: "image/png".into(), base64: "AAAA".into() },
                ContentPart::ImageUrl("https://x/y.png".into()),
            ]),
            assistant("", Some("toolu_1")),
            ChatMessage::Tool { call_id: "toolu_1".into(), name: "add".into(), text: "2".into() },
            ChatMessage::user("b"),
        ],
        tools: vec![ToolSpec {
            name: "add".into(),
            description: "adds".into(),
            schema: json!({"type":"object"}),
        }],
        stop: vec!["END".into(), "\n".into()],
        ..ChatRequest::default()
    };
    let body = request::body(&model(), &request);
    assert_eq!(
        body,
        json!({"model":"claude-sonnet-4-5","max_tokens":8192,"system":"one\n\ntwo","stream":true,"stop_sequences":["END"],
            "tools":[{"name":"add","description":"adds","input_schema":{"type":"object"}}],
            "messages":[
                {"role":"user","content":[{"type":"text","text":"(no text)"}]},
                {"role":"assistant","content":[{"type":"text","text":"Welcome."}]},
                {"role":"user","content":[{"type":"text","text":"a"},
                    {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},
                    {"type":"image","source":{"type":"url","url":"https://x/y.png"}}]},
                {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"add","input":{"input":"raw"}}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"2"},{"type":"text","text":"b"}]}]})
    );
    assert_eq!(request::body(&model(), &ChatRequest::default())["messages"][0]["role"], "user");
}

#[test]
fn thinking_makes_room_for_itself_and_goes_back_with_its_call() {
    let mut model = model();
    model.thinking_tokens = Some(20_000);
    model.temperature = Some(0.3);
    let mut request = ChatRequest { messages: vec![ChatMessage::user("a")], ..ChatRequest::default() };
    let body = request::body(&model, &request);
    assert_eq!(body["thinking"], json!({"type":"enabled","budget_tokens":20_000}));
    assert_eq!((body["max_tokens"].as_u64(), body["temperature"].as_f64()), (Some(21_024), None));

    request.messages.push(assistant("", Some("toolu_1")));
    request.messages.push(ChatMessage::Tool {
        call_id: "toolu_1".into(),
        name: "add".into(),
        text: "2".into(),
    });
    let unknown = request::body(&model, &request);
    assert_eq!((unknown["thinking"].is_null(), unknown["temperature"].as_f64()), (true, Some(0.3)));

    let (completion, thoughts) = expected();
    model.thoughts.insert(&completion.calls[0].id, thoughts);
    let known = request::body(&model, &request);
    assert_eq!(known["thinking"]["type"], "enabled");
    assert_eq!(
        known["messages"][1]["content"][0],
        json!({"type":"thinking","thinking":"hm","signature":"sig"})
    );
    assert_eq!(known["messages"][1]["content"][1]["type"], "tool_use");

    // A model that decides itself how much to think has no budget, and wants its thoughts back all the same.
    model.thinking_tokens = None;
    for (thinking, goes_back) in
        [(Some("adaptive"), "thinking"), (Some("disabled"), "tool_use"), (None, "tool_use")]
    {
        model.extra.clear();
        model.extra.extend(thinking.map(|kind| ("thinking".to_owned(), json!({"type": kind}))));
        let body = request::body(&model, &request);
        assert_eq!(body["messages"][1]["content"][0]["type"], goes_back, "{thinking:?}");
    }
    assert!(!format!("{model:?}").contains("secret"));
}

/// A search, what it found, and a text that leans on it.
fn searched() -> Vec<Value> {
    let found = json!([{"type": "web_search_result", "url": "https://a.example", "title": "A", "encrypted_content": "x"}]);
    let cited = json!({"type": "web_search_result_location", "url": "https://a.example", "title": "A", "cited_text": "a"});
    let refused = json!({"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"});
    vec![
        json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "a"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": found}),
        json!({"type": "server_tool_use", "id": "s2", "name": "web_fetch", "input": {"url": "https://b.example"}}),
        json!({"type": "web_fetch_tool_result", "tool_use_id": "s2", "content": refused}),
        json!({"type": "text", "text": "It is a.", "citations": [cited]}),
    ]
}

fn check_searched(completion: &Completion) {
    let [search, fetch] = completion.provider_calls.as_slice() else { panic!("{completion:?}") };
    assert_eq!((search.tool.as_str(), &search.tool_input), ("web_search", &json!({"query": "a"})));
    assert_eq!(search.tool_output, r#"[{"title":"A","url":"https://a.example"}]"#);
    assert_eq!((fetch.tool.as_str(), fetch.error.as_deref()), ("web_fetch", Some("url_not_accessible")));
    assert_eq!(
        (completion.text.as_str(), completion.citations[0].url.as_str()),
        ("It is a.", "https://a.example")
    );
    assert!(completion.calls.is_empty());
}

#[test]
fn calls_of_the_providers_own_tools_are_told_with_their_pages() {
    let body = json!({"type": "message", "content": searched(), "stop_reason": "end_turn"}).to_string();
    let whole = blocks().read_whole(&mut body.as_bytes(), &mut |_: Delta<'_>| Ok(()));
    check_searched(&whole.unwrap());
}

#[test]
fn calls_of_the_providers_own_tools_are_read_from_a_stream() {
    let mut events = Vec::new();
    for (index, mut block) in searched().into_iter().enumerate() {
        let mut deltas = Vec::new();
        if block["type"] == "server_tool_use" {
            let input = block["input"].take().to_string();
            block["input"] = json!({});
            let (begin, end) = input.split_at(input.len() / 2);
            deltas.extend([begin, end].map(|part| json!({"type": "input_json_delta", "partial_json": part})));
        }
        if let Some(cited) = block["citations"].get(0).cloned() {
            block["citations"] = json!([]);
            deltas.push(json!({"type": "citations_delta", "citation": cited}));
        }
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        let delta = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.into_iter().map(delta));
    }
    events.push(json!({"type": "message_stop"}));
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    check_searched(&read(stream.as_bytes()).unwrap().0);
}

#[test]
fn the_providers_own_tools_stand_beside_others_in_a_request() {
    use ProviderTool::{AnthropicWebFetch, AnthropicWebSearch, GoogleSearch};
    let request = ChatRequest {
        provider_tools: vec![AnthropicWebSearch, AnthropicWebFetch, GoogleSearch],
        ..ChatRequest::default()
    };
    let tools = request::body(&model(), &request)["tools"].clone();
    assert_eq!(
        (tools[0]["type"].as_str(), tools[1]["type"].as_str()),
        (Some("web_search_20250305"), Some("web_fetch_20250910"))
    );
    assert!(tools.get(2).is_none());
    assert_eq!(server_tools::header(&request.provider_tools).map(|header| header.0), Some("anthropic-beta"));
    assert_eq!(server_tools::header(&[AnthropicWebSearch]), None);
}
