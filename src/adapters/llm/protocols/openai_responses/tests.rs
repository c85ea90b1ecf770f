//! Replies as OpenAI writes them, in a stream and in one piece, and the bodies that are sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::streaming::StreamSource;
use crate::llm::{ChatMessage, Delta, Endpoint, FileContent, InlineImage, ToolCall, ToolSpec};
use crate::net::Outgoing;
use serde_json::json;

struct Bytes(std::io::Cursor<Vec<u8>>);

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl StreamSource for Bytes {
    fn finish(self) {}
}

/// The items of a reply that searched, ran code, drew, thought, spoke and called a tool of ours.
fn items() -> Value {
    json!([
        {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "sealed"},
        {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "tea"}},
        {"id": "ci_1", "type": "code_interpreter_call", "status": "completed", "code": "print(1)", "container_id": "cntr_1",
         "outputs": [{"type": "logs", "logs": "1"}]},
        {"id": "ig_1", "type": "image_generation_call", "status": "completed", "result": "AAAA", "output_format": "png",
         "revised_prompt": "A cup."},
        {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [{
            "type": "output_text", "text": "Tea is hot.", "annotations": [
                {"type": "url_citation", "url": "https://tea.example", "title": "Tea", "start_index": 0, "end_index": 3},
                {"type": "container_file_citation", "container_id": "cntr_1", "file_id": "cfile_1", "filename": "tea.csv"},
                {"type": "container_file_citation", "container_id": "../x", "file_id": "cfile_2", "filename": "no.csv"},
            ]}]},
        {"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "call_1", "name": "pour",
         "arguments": "{\"cups\":2}"},
    ])
}

fn response(status: &str) -> Value {
    json!({
        "id": "resp_1", "object": "response", "model": "gpt-5-2025", "status": status, "output": items(),
        "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 6,
                  "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 16},
    })
}

/// The same reply as a stream of events.
fn events() -> String {
    let mut events =
        vec![json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}})];
    for (index, item) in items().as_array().unwrap().iter().enumerate() {
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": {"type": item["type"]}}));
        if item["type"] == "reasoning" {
            events.push(json!({"type": "response.reasoning_summary_text.delta", "delta": "Hm."}));
        }
        if item["type"] == "message" {
            for delta in ["Tea ", "is hot."] {
                events.push(
                    json!({"type": "response.output_text.delta", "output_index": index, "delta": delta}),
                );
            }
        }
        if item["type"] == "function_call" {
            events.push(json!({"type": "response.function_call_arguments.delta", "delta": "{\"cups\""}));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": response("completed")}));
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect()
}

fn stream() -> ResponsesStream {
    ResponsesStream {
        refusals: ErrorInterpreter::new("m", Vec::new()),
        model: "m".to_owned(),
        items: ReplyItems::default(),
    }
}

fn read(text: &str) -> (String, Result<Completion, ModelError>) {
    let mut seen = String::new();
    let mut on = |delta: Delta<'_>| {
        if let Delta::Text(text) = delta {
            seen.push_str(text);
        }
        Ok(())
    };
    let source = Bytes(std::io::Cursor::new(text.as_bytes().to_vec()));
    let result = ReplyStream::from_events(source, stream()).follow(&mut on).result;
    (seen, result)
}

fn whole(body: &Value) -> Result<Completion, ModelError> {
    stream().read_whole(&mut body.to_string().as_bytes(), &mut |_: Delta<'_>| Ok(()))
}

#[test]
fn a_reply_is_the_same_in_a_stream_and_in_one_piece() {
    let (seen, streamed) = read(&events());
    let streamed = streamed.unwrap();
    assert_eq!((seen.as_str(), streamed.text.as_str()), ("Tea is hot.", "Tea is hot."));
    assert_eq!(streamed, whole(&response("completed")).unwrap());
}

#[test]
fn what_the_model_and_the_tools_of_its_provider_did_is_read() {
    let reply = whole(&response("completed")).unwrap();
    assert_eq!(reply.thinking, "Hm.");
    let usage = Usage { input_tokens: 10, output_tokens: 6, cached_tokens: 4, reasoning_tokens: 2 };
    assert_eq!(reply.usage, Some(usage));
    assert_eq!((reply.calls[0].id.as_str(), reply.calls[0].name.as_str()), ("call_1", "pour"));
    assert_eq!(reply.calls[0].arguments, json!({"cups": 2}));
    let used: Vec<(&str, &str)> =
        reply.provider_calls.iter().map(|call| (call.tool.as_str(), call.tool_output.as_str())).collect();
    assert_eq!(used, [("web_search_preview", ""), ("code_interpreter", "1"), ("image_generation", "")]);
    assert_eq!(reply.citations[0].url, "https://tea.example");
    assert_eq!(
        Value::Object(reply.metadata),
        json!({
            "id": "resp_1", "model_name": "gpt-5-2025", "finish_reason": "completed",
        })
    );
    assert!(reply.once);
}

#[test]
fn files_are_those_of_this_reply_and_no_other_address() {
    let reply = whole(&response("completed")).unwrap();
    let files: Vec<(&str, &FileContent)> =
        reply.files.iter().map(|file| (file.name.as_str(), &file.content)).collect();
    let remote = FileContent::Remote("/containers/cntr_1/files/cfile_1/content".to_owned());
    assert_eq!(files, [("image.png", &FileContent::Base64("AAAA".to_owned())), ("tea.csv", &remote)]);
}

#[test]
fn a_stream_that_breaks_off_is_no_reply() {
    let all = events();
    let end = all.rfind("event: response.completed").unwrap();
    assert!(read(&all[..end]).1.is_err());
}

#[test]
fn what_the_provider_says_is_wrong_is_told() {
    for event in [
        json!({"type": "error", "code": "rate_limit_exceeded", "message": "Slow down"}),
        json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "Slow down"}}}),
    ] {
        let told = read(&format!("data: {event}\n\n")).1.unwrap_err();
        assert!(matches!(told, ModelError::Throttled { .. }), "{told:?}");
    }
}

#[test]
fn a_reply_that_is_cut_short_says_so() {
    let mut cut = response("incomplete");
    cut["incomplete_details"] = json!({"reason": "max_output_tokens"});
    let reply = whole(&cut).unwrap();
    assert_eq!(reply.metadata["finish_reason"], "max_output_tokens");
    assert!(reply.once);
    cut["output"] = json!([]);
    assert_eq!(whole(&cut), Err(ModelError::OutOfTokens));
    cut["incomplete_details"] = json!({"reason": "content_filter"});
    assert!(matches!(whole(&cut), Err(ModelError::Provider { status: 200, .. })));
}

/// What is sent to the provider.
fn sent(model: &OpenAi, request: &ChatRequest) -> Value {
    serde_json::to_value(request::body(model, request)).unwrap()
}

fn model(name: &str) -> OpenAi {
    OpenAi::new(Endpoint::new(Outgoing::new(Vec::new(), true), "http://h/v1", None), name)
}

fn request(provider_tools: Vec<ProviderTool>) -> ChatRequest {
    let schema = json!({"type": "object", "properties": {}});
    ChatRequest {
        messages: vec![
            ChatMessage::System("Be brief.".into()),
            ChatMessage::user("Tea?"),
            ChatMessage::with_calls(
                "Wait.",
                vec![ToolCall { id: "call_1".into(), name: "pour".into(), arguments: json!({"cups": 2}) }],
            ),
            ChatMessage::result("call_1", "pour", "Done."),
        ],
        tools: vec![ToolSpec { name: "pour".into(), description: "Pours.".into(), schema }],
        provider_tools,
        ..ChatRequest::default()
    }
}

#[test]
fn a_request_names_both_kinds_of_tools_and_is_not_kept_by_the_provider() {
    let tools =
        vec![ProviderTool::OpenAiWebSearch, ProviderTool::OpenAiCodeInterpreter, ProviderTool::OpenAiImages];
    let body =
        sent(&OpenAi { temperature: Some(0.5), max_tokens: Some(9), ..model("gpt-4o") }, &request(tools));
    let expected = json!({
        "model": "gpt-4o", "store": false, "stream": true, "temperature": 0.5, "max_output_tokens": 9,
        "include": ["code_interpreter_call.outputs"],
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "input_text", "text": "Tea?"}]},
            {"role": "assistant", "content": "Wait."},
            {"type": "function_call", "call_id": "call_1", "name": "pour", "arguments": "{\"cups\":2}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "Done."},
        ],
        "tools": [
            {"type": "function", "name": "pour", "description": "Pours.", "strict": false,
             "parameters": {"type": "object", "properties": {}}},
            {"type": "web_search_preview"},
            {"type": "code_interpreter", "container": {"type": "auto"}},
            {"type": "image_generation"},
        ],
    });
    assert_eq!(body, expected);
}

#[test]
fn a_model_that_reasons_gets_its_sealed_thoughts_back_and_no_sampling() {
    let model = OpenAi {
        temperature: Some(0.5),
        reasoning_effort: Some("low".into()),
        reasoning_summary: Some("detailed".into()),
        ..model("gpt-5")
    };
    let mut request = request(vec![ProviderTool::OpenAiWebSearch]);
    let kept = ProviderContent::new(PROTOCOL, "gpt-5", items().as_array().unwrap().clone());
    request.messages[2] =
        ChatMessage::Assistant { text: "Tea is hot.".into(), calls: Vec::new(), content: kept };
    let body = sent(&model, &request);
    assert_eq!(body["reasoning"], json!({"summary": "detailed", "effort": "low"}));
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(body.get("temperature"), None);
    let input = body["input"].as_array().unwrap();
    assert_eq!(input[2..8], items().as_array().unwrap()[..]);
    assert_eq!(input[8]["type"], "function_call_output");
}

#[test]
fn a_result_brings_its_pictures() {
    let picture = InlineImage { mime: "image/png".into(), base64: "AAAA".into() };
    let result = ChatMessage::Tool {
        call_id: "call_1".into(),
        name: "draw".into(),
        text: "Drawn.".into(),
        images: vec![picture],
    };
    let request = ChatRequest { messages: vec![result], ..ChatRequest::default() };
    assert_eq!(
        sent(&model("gpt-4o"), &request)["input"][0]["output"],
        json!([
            {"type": "input_text", "text": "Drawn."},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
        ])
    );
}
