//! Recorded replies, cut and split everywhere, and the bodies that are sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::streaming::StreamSource;
use crate::llm::{ChatMessage, ContentPart, Delta, InlineImage, ProviderContent, ProviderKey, ToolSpec};
use crate::net::Outgoing;
use serde_json::json;

const MODEL: &str = "claude-sonnet-4-5";

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
    AnthropicStream {
        refusals: ErrorInterpreter::new("m", Vec::new()),
        model: MODEL.to_owned(),
        goes_on: true,
        may_pause: true,
        blocks: ReplyBlocks::default(),
        server_calls: ServerCalls::default(),
    }
}

fn read(source: impl StreamSource) -> Result<Completion, ModelError> {
    let mut on = |_: Delta<'_>| Ok(());
    ReplyStream::from_events(source, blocks()).follow(&mut on).result
}

fn read_whole(message: &Value) -> Result<Completion, ModelError> {
    blocks().read_whole(&mut message.to_string().as_bytes(), &mut |_: Delta<'_>| Ok(()))
}

/// What is sent to the provider.
fn sent(model: &Anthropic, request: &ChatRequest) -> Value {
    serde_json::to_value(request::body(model, request)).unwrap()
}

fn expected() -> Completion {
    let call = ToolCall { id: "toolu_1".into(), name: "add".into(), arguments: json!({"a":1}) };
    let usage = Usage { input_tokens: 17, output_tokens: 42, cached_tokens: 5, reasoning_tokens: 0 };
    let parts = vec![
        json!({"type":"thinking","thinking":"hm","signature":"sig"}),
        json!({"type":"text","text":"Grüße 👋"}),
        json!({"type":"tool_use","id":"toolu_1","name":"add","input":{"a":1}}),
    ];
    Completion {
        text: "Grüße 👋".into(),
        thinking: "hm".into(),
        calls: vec![call],
        usage: Some(usage),
        metadata: json!({"finish_reason": "tool_use"}).as_object().cloned().unwrap(),
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
    assert_eq!(read_whole(&body), Ok(expected()));
    assert!(matches!(read_whole(&json!({})), Err(ModelError::Garbled(_))));
    let error = json!({"type":"error","error":{"type":"authentication_error"}});
    assert_eq!(read_whole(&error), Err(ModelError::KeyRefused));
}

#[test]
fn an_answer_that_used_up_its_tokens_is_an_error_when_it_says_nothing() {
    let thought = json!([{"type": "thinking", "thinking": "hm", "signature": "s"}]);
    let said = json!([{"type": "text", "text": "hi"}]);
    let read = |reason: &str, content: &Value| {
        let body = json!({"type": "message", "content": content, "stop_reason": reason});
        read_whole(&body).map(|done| done.once)
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
    Anthropic::new(endpoint, MODEL)
}

fn assistant(text: &str, id: Option<&str>) -> ChatMessage {
    let call = |id: &str| ToolCall { id: id.into(), name: "add".into(), arguments: json!("raw") };
    ChatMessage::with_calls(text, id.map(call).into_iter().collect())
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
            ChatMessage::result("toolu_1", "add", "2"),
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
    let body = sent(&model(), &request);
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
    assert_eq!(sent(&model(), &ChatRequest::default())["messages"][0]["role"], "user");
}

#[test]
fn thinking_makes_room_for_itself_and_goes_back_with_its_call() {
    let mut model = model();
    model.thinking_tokens = Some(20_000);
    model.temperature = Some(0.3);
    let mut request = ChatRequest { messages: vec![ChatMessage::user("a")], ..ChatRequest::default() };
    let body = sent(&model, &request);
    assert_eq!(body["thinking"], json!({"type":"enabled","budget_tokens":20_000}));
    assert_eq!((body["max_tokens"].as_u64(), body["temperature"].as_f64()), (Some(21_024), None));

    request.messages.push(assistant("", Some("toolu_1")));
    request.messages.push(ChatMessage::result("toolu_1", "add", "2"));
    let unknown = sent(&model, &request);
    assert_eq!((unknown["thinking"].is_null(), unknown["temperature"].as_f64()), (true, Some(0.3)));

    request.messages[1] = expected().into_message();
    let known = sent(&model, &request);
    assert_eq!(known["thinking"]["type"], "enabled");
    assert_eq!(
        known["messages"][1]["content"][0],
        json!({"type":"thinking","thinking":"hm","signature":"sig"})
    );
    assert_eq!(known["messages"][1]["content"][2]["type"], "tool_use");

    // A model that decides itself how much to think has no budget, and wants its thoughts back all the same.
    model.thinking_tokens = None;
    for (thinking, goes_back) in [(Some("adaptive"), "thinking"), (Some("disabled"), "text"), (None, "text")]
    {
        model.extra.clear();
        model.extra.extend(thinking.map(|kind| ("thinking".to_owned(), json!({"type": kind}))));
        let body = sent(&model, &request);
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
    let body = json!({"type": "message", "content": searched(), "stop_reason": "end_turn"});
    check_searched(&read_whole(&body).unwrap());
}

/// The same blocks as a stream brings them.
fn streamed(blocks: Vec<Value>, stop_reason: &str) -> String {
    let mut events = Vec::new();
    for (index, mut block) in blocks.into_iter().enumerate() {
        let mut deltas = Vec::new();
        if block["input"].is_object() {
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
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop_reason}}));
    events.push(json!({"type": "message_stop"}));
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

#[test]
fn calls_of_the_providers_own_tools_are_read_from_a_stream() {
    check_searched(&read(streamed(searched(), "end_turn").as_bytes()).unwrap());
}

#[test]
fn what_the_providers_own_tools_found_goes_back_word_for_word() {
    let mut blocks = searched();
    blocks.push(json!({"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}}));
    let message = json!({"type": "message", "content": blocks, "stop_reason": "tool_use"});
    for reply in [read(streamed(blocks.clone(), "tool_use").as_bytes()), read_whole(&message)] {
        let mut request = ChatRequest { messages: vec![ChatMessage::user("a")], ..ChatRequest::default() };
        request.messages.push(reply.unwrap().into_message());
        request.messages.push(ChatMessage::result("toolu_1", "add", "2"));
        assert_eq!(sent(&model(), &request)["messages"][1]["content"], Value::from(blocks.clone()));
        // Another model could not open what is sealed.
        let other = Anthropic { model: "claude-opus-4-5".to_owned(), ..model() };
        let types: Vec<Value> = sent(&other, &request)["messages"][1]["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block["type"].clone())
            .collect();
        assert_eq!(types, ["text", "tool_use"]);
    }
}

#[test]
fn a_turn_that_the_provider_pauses_goes_on_where_it_stopped() {
    let asked = json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "a"}});
    let text = json!({"type": "text", "text": "I look."});
    let paused = read(streamed(vec![text, asked.clone()], "pause_turn").as_bytes()).unwrap();
    assert!(paused.is_paused && paused.once && paused.provider_calls.is_empty(), "{paused:?}");
    let mut request = ChatRequest { messages: vec![ChatMessage::user("a")], ..ChatRequest::default() };
    request.messages.push(paused.into_message());
    let body = sent(&model(), &request);
    assert_eq!(body["messages"].as_array().unwrap().len(), 2, "the turn is not answered by anybody");
    assert_eq!(body["messages"][1]["content"][1], asked);

    // The result of what was under way comes with what follows.
    let found = json!([{"type": "web_search_result", "url": "https://a.example", "title": "A"}]);
    let result = json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": found});
    let rest = json!({"type": "message", "content": [result, {"type": "text", "text": "It is a."}], "stop_reason": "end_turn"});
    let stream = AnthropicStream { server_calls: ServerCalls::left_open(&model(), &request), ..blocks() };
    let end = stream.read_whole(&mut rest.to_string().as_bytes(), &mut |_: Delta<'_>| Ok(())).unwrap();
    let [search] = end.provider_calls.as_slice() else { panic!("{end:?}") };
    assert_eq!((search.tool.as_str(), &search.tool_input), ("web_search", &json!({"query": "a"})));
    assert!(!end.is_paused && search.tool_output.contains("https://a.example"));
}

#[test]
fn a_pause_that_nobody_waits_for_is_a_reply_that_was_cut_short() {
    let body = |content: Value| json!({"type": "message", "content": content, "stop_reason": "pause_turn"});
    let read = |content: Value| {
        let stream = AnthropicStream { may_pause: false, ..blocks() };
        stream.read_whole(&mut body(content).to_string().as_bytes(), &mut |_: Delta<'_>| Ok(()))
    };
    assert!(read(json!([{"type": "text", "text": "hi"}])).unwrap().once);
    assert!(matches!(read(json!([])), Err(ModelError::Garbled(_))));
    assert!(matches!(read_whole(&body(json!([]))), Err(ModelError::Garbled(_))), "nothing to go on with");
}

#[test]
fn a_result_brings_its_pictures() {
    let picture = InlineImage { mime: "image/png".into(), base64: "AAAA".into() };
    let result = ChatMessage::Tool {
        call_id: "toolu_1".into(),
        name: "draw".into(),
        text: "Drawn.".into(),
        images: vec![picture],
    };
    let request =
        ChatRequest { messages: vec![assistant("", Some("toolu_1")), result], ..ChatRequest::default() };
    assert_eq!(
        sent(&model(), &request)["messages"][2]["content"],
        json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": [
            {"type": "text", "text": "Drawn."},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        ]}])
    );
}

#[test]
fn the_providers_own_tools_stand_beside_others_in_a_request() {
    use ProviderTool::{AnthropicWebFetch, AnthropicWebSearch, GoogleSearch};
    let request = ChatRequest {
        provider_tools: vec![AnthropicWebSearch, AnthropicWebFetch, GoogleSearch],
        ..ChatRequest::default()
    };
    let tools = sent(&model(), &request)["tools"].clone();
    assert_eq!(
        (tools[0]["type"].as_str(), tools[1]["type"].as_str()),
        (Some("web_search_20250305"), Some("web_fetch_20250910"))
    );
    assert!(tools.get(2).is_none());
    assert_eq!(server_tools::header(&request.provider_tools).map(|header| header.0), Some("anthropic-beta"));
    assert_eq!(server_tools::header(&[AnthropicWebSearch]), None);
}
