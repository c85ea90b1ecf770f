//! The wire formats, as their providers write them.

use super::http::{Connection, ConnectionEnd};
use super::{RecordedRequest, Reply, converse, knowledge};
use serde_json::{Value, json};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    OpenAi,
    Anthropic,
    Google,
    Ollama,
    Cohere,
    /// OpenAI's older completions.
    Completions,
    /// Ollama's text completion.
    Generate,
}

/// A piece of an answer, on its way into a format.
enum AnswerPiece<'a> {
    Thinking(&'a str),
    Text(&'a str),
    Call(usize, &'a str, &'a Value),
}

fn format_of(request: &RecordedRequest) -> Option<(Format, bool)> {
    let path = request.path.split('?').next().unwrap_or_default();
    let asked = request.body["stream"].as_bool();
    if path.ends_with("/chat/completions") {
        Some((Format::OpenAi, asked == Some(true)))
    } else if path.ends_with("/v1/messages") {
        Some((Format::Anthropic, asked == Some(true)))
    } else if path.ends_with(":streamGenerateContent") {
        Some((Format::Google, true))
    } else if path.ends_with(":generateContent") {
        Some((Format::Google, false))
    } else if path.ends_with("/api/chat") {
        Some((Format::Ollama, asked != Some(false)))
    } else if path.ends_with("/v2/chat") {
        Some((Format::Cohere, asked == Some(true)))
    } else if path.ends_with("/completions") {
        Some((Format::Completions, asked == Some(true)))
    } else if path.ends_with("/api/generate") {
        Some((Format::Generate, asked != Some(false)))
    } else {
        None
    }
}

/// The text of the last user message, in any format.
pub fn last_user_text(request: &RecordedRequest) -> String {
    if let Some(prompt) = request.body["prompt"].as_str() {
        return prompt.to_owned();
    }
    let messages = request.body["messages"].as_array().or_else(|| request.body["contents"].as_array());
    let user = messages.into_iter().flatten().rev().find(|message| message["role"] == "user");
    let Some(user) = user else { return String::new() };
    if let Some(text) = user["content"].as_str() {
        return text.to_owned();
    }
    let parts = user["content"].as_array().or_else(|| user["parts"].as_array());
    let texts = parts.into_iter().flatten().filter_map(|part| part["text"].as_str());
    texts.collect::<Vec<_>>().join(" ")
}

/// Answers in the format the request's path stands for.
pub fn answer(
    connection: &mut Connection,
    request: &RecordedRequest,
    reply: &Reply,
) -> Result<(), ConnectionEnd> {
    if let Some(streaming) = converse::streams(request) {
        let words = last_user_text(request).split_whitespace().count() as u64;
        return converse::answer(connection, reply, streaming, words);
    }
    let Some((format, streaming)) = format_of(request) else {
        return match knowledge::answer(request).or_else(|| knowledge::models(request)) {
            Some(body) => connection.whole(200, &[], body.to_string().as_bytes()),
            None => connection.whole(404, &[], br#"{"error":{"message":"no such path"}}"#),
        };
    };
    connection.wait(reply.first_byte)?;
    connection.bytewise = reply.bytewise;
    let words = last_user_text(request).split_whitespace().count() as u64;
    let usage = (reply.input_tokens.unwrap_or(words), reply.tokens.len() as u64);
    let result = if streaming {
        stream(connection, format, reply, usage)
    } else {
        if reply.cut_after.is_some() {
            return Err(ConnectionEnd::ByUs);
        }
        connection.whole(200, &[], whole(format, reply, usage).to_string().as_bytes())
    };
    connection.bytewise = false;
    result
}

fn stream(
    connection: &mut Connection,
    format: Format,
    reply: &Reply,
    usage: (u64, u64),
) -> Result<(), ConnectionEnd> {
    let lines = matches!(format, Format::Ollama | Format::Generate);
    connection.begin(if lines { "application/x-ndjson" } else { "text/event-stream" })?;
    if format == Format::Anthropic {
        let start = json!({"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],
            "usage":{"input_tokens":usage.0,"output_tokens":1}}});
        connection.chunk(event("message_start", &start))?;
    }
    let thinking = reply.thinking.iter().map(|text| AnswerPiece::Thinking(text));
    let texts = reply.tokens.iter().map(|text| AnswerPiece::Text(text));
    let calls =
        reply.calls.iter().enumerate().map(|(at, (name, arguments))| AnswerPiece::Call(at, name, arguments));
    let mut blocks = Blocks::default();
    for (sent, piece) in thinking.chain(texts).chain(calls).enumerate() {
        if reply.cut_after == Some(sent) {
            return Err(ConnectionEnd::ByUs);
        }
        connection.wait(reply.token_delay)?;
        let chunk = match format {
            Format::OpenAi => openai_chunk(&piece),
            Format::Anthropic => blocks.chunk(&piece),
            Format::Google => format!("data: {}\r\n\r\n", google(&[google_part(&piece)], None, None)),
            Format::Ollama => ollama_chunk(&piece),
            Format::Cohere => cohere_chunk(&piece),
            Format::Completions => completions_chunk(&piece),
            Format::Generate => generate_chunk(&piece),
        };
        connection.chunk(&chunk)?;
    }
    if reply.cut_after.is_some() {
        return Err(ConnectionEnd::ByUs);
    }
    let last = match format {
        Format::OpenAi => openai_end(reply, usage),
        Format::Anthropic => blocks.end(reply, usage),
        Format::Google => format!("data: {}\r\n\r\n", google(&[], Some("STOP"), Some((usage, reply)))),
        Format::Ollama => format!("{}\n", ollama_end(json!({"role":"assistant","content":""}), usage)),
        Format::Cohere => {
            let delta = json!({"finish_reason":"COMPLETE","usage":cohere_usage(usage)});
            event("message-end", &json!({"type":"message-end","delta":delta}))
        }
        Format::Completions => openai_end(reply, usage),
        Format::Generate => format!("{}\n", generate_end("", usage)),
    };
    connection.chunk(&last)?;
    connection.end()
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

fn to_json_text(text: &str) -> String {
    Value::from(text).to_string()
}

fn openai_chunk(piece: &AnswerPiece<'_>) -> String {
    // Written by hand, as benchmarks send very many of these.
    let delta = match piece {
        AnswerPiece::Text(text) => format!("\"content\":{}", to_json_text(text)),
        AnswerPiece::Thinking(text) => format!("\"reasoning_content\":{}", to_json_text(text)),
        AnswerPiece::Call(at, name, arguments) => {
            let arguments = to_json_text(&arguments.to_string());
            format!(
                "\"tool_calls\":[{{\"index\":{at},\"id\":\"call_{at}\",\"type\":\"function\",\"function\":{{\"name\":{},\"arguments\":{arguments}}}}}]",
                to_json_text(name)
            )
        }
    };
    format!(
        "data: {{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"stand-in\",\"choices\":[{{\"index\":0,\"delta\":{{{delta}}},\"finish_reason\":null}}]}}\n\n"
    )
}

fn openai_usage(usage: (u64, u64)) -> Value {
    json!({"prompt_tokens":usage.0,"completion_tokens":usage.1,"total_tokens":usage.0 + usage.1})
}

fn openai_end(reply: &Reply, usage: (u64, u64)) -> String {
    let reason = if reply.calls.is_empty() { "stop" } else { "tool_calls" };
    let end = json!({"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":reason}]});
    let usage = json!({"id":"c1","choices":[],"usage":openai_usage(usage)});
    format!("data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

/// Anthropic's content blocks: each kind of content opens one, and each must be closed.
#[derive(Default)]
struct Blocks {
    open: Option<&'static str>,
    index: usize,
}

impl Blocks {
    fn switch(&mut self, kind: &'static str, block: &Value) -> String {
        if self.open == Some(kind) && kind != "tool_use" {
            return String::new();
        }
        let mut out = self.close();
        self.open = Some(kind);
        out += &event(
            "content_block_start",
            &json!({"type":"content_block_start","index":self.index,"content_block":block}),
        );
        out
    }

    fn close(&mut self) -> String {
        let Some(kind) = self.open.take() else { return String::new() };
        let mut out = String::new();
        if kind == "thinking" {
            out += &self.delta(&json!({"type":"signature_delta","signature":"signed"}));
        }
        out += &event("content_block_stop", &json!({"type":"content_block_stop","index":self.index}));
        self.index += 1;
        out
    }

    fn delta(&self, delta: &Value) -> String {
        event("content_block_delta", &json!({"type":"content_block_delta","index":self.index,"delta":delta}))
    }

    fn chunk(&mut self, piece: &AnswerPiece<'_>) -> String {
        match piece {
            AnswerPiece::Thinking(text) => {
                let start = self.switch("thinking", &json!({"type":"thinking","thinking":""}));
                start + &self.delta(&json!({"type":"thinking_delta","thinking":text}))
            }
            AnswerPiece::Text(text) => {
                let start = self.switch("text", &json!({"type":"text","text":""}));
                start + &self.delta(&json!({"type":"text_delta","text":text}))
            }
            AnswerPiece::Call(at, name, arguments) => {
                let block = json!({"type":"tool_use","id":format!("toolu_{at}"),"name":name,"input":{}});
                let mut out = self.switch("tool_use", &block);
                let arguments = arguments.to_string();
                let middle = arguments.len() / 2;
                let middle = (0..=middle).rev().find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
                for half in [&arguments[..middle], &arguments[middle..]] {
                    out += &self.delta(&json!({"type":"input_json_delta","partial_json":half}));
                }
                out
            }
        }
    }

    fn end(&mut self, reply: &Reply, usage: (u64, u64)) -> String {
        let reason = if reply.calls.is_empty() { "end_turn" } else { "tool_use" };
        let delta =
            json!({"type":"message_delta","delta":{"stop_reason":reason},"usage":{"output_tokens":usage.1}});
        self.close()
            + &event("message_delta", &delta)
            + &event("message_stop", &json!({"type":"message_stop"}))
    }
}

fn google_part(piece: &AnswerPiece<'_>) -> Value {
    match piece {
        AnswerPiece::Thinking(text) => json!({"text":text,"thought":true}),
        AnswerPiece::Text(text) => json!({"text":text}),
        AnswerPiece::Call(_, name, arguments) => {
            json!({"functionCall":{"name":name,"args":arguments},"thoughtSignature":"c2lnbmVk"})
        }
    }
}

fn google(parts: &[Value], finish: Option<&str>, usage: Option<((u64, u64), &Reply)>) -> Value {
    let mut candidate = json!({"content":{"parts":parts,"role":"model"},"index":0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    let mut whole = json!({"candidates":[candidate],"modelVersion":"stand-in"});
    if let Some(((read, written), reply)) = usage {
        let thought = reply.thinking.len();
        whole["usageMetadata"] = json!({"promptTokenCount":read,"candidatesTokenCount":written,"thoughtsTokenCount":thought,
            "totalTokenCount":read + written});
    }
    whole
}

fn ollama_call(name: &str, arguments: &Value) -> Value {
    json!({"function":{"name":name,"arguments":arguments}})
}

fn ollama_chunk(piece: &AnswerPiece<'_>) -> String {
    let message = match piece {
        AnswerPiece::Thinking(text) => json!({"role":"assistant","content":"","thinking":text}),
        AnswerPiece::Text(text) => json!({"role":"assistant","content":text}),
        AnswerPiece::Call(_, name, arguments) => {
            json!({"role":"assistant","content":"","tool_calls":[ollama_call(name, arguments)]})
        }
    };
    format!("{}\n", json!({"model":"stand-in","message":message,"done":false}))
}

fn ollama_end(message: Value, usage: (u64, u64)) -> Value {
    json!({"model":"stand-in","message":message,"done":true,"done_reason":"stop","prompt_eval_count":usage.0,"eval_count":usage.1})
}

fn whole(format: Format, reply: &Reply, usage: (u64, u64)) -> Value {
    let (text, thinking) = (reply.tokens.concat(), reply.thinking.concat());
    match format {
        Format::OpenAi => {
            let calls = reply.calls.iter().enumerate().map(|(at, (name, arguments))| {
                json!({"id":format!("call_{at}"),"type":"function","function":{"name":name,"arguments":arguments.to_string()}})
            });
            let mut message = json!({"role":"assistant","content":text});
            if !thinking.is_empty() {
                message["reasoning_content"] = thinking.into();
            }
            if !reply.calls.is_empty() {
                message["tool_calls"] = calls.collect();
            }
            json!({"id":"c1","choices":[{"index":0,"message":message,"finish_reason":"stop"}],"usage":openai_usage(usage)})
        }
        Format::Anthropic => {
            let mut content = Vec::new();
            if !thinking.is_empty() {
                content.push(json!({"type":"thinking","thinking":thinking,"signature":"signed"}));
            }
            content.push(json!({"type":"text","text":text}));
            content.extend(reply.calls.iter().enumerate().map(|(at, (name, arguments))| {
                json!({"type":"tool_use","id":format!("toolu_{at}"),"name":name,"input":arguments})
            }));
            json!({"id":"msg_1","type":"message","role":"assistant","content":content,"stop_reason":"end_turn",
                "usage":{"input_tokens":usage.0,"output_tokens":usage.1}})
        }
        Format::Google => {
            let mut parts = Vec::new();
            if !thinking.is_empty() {
                parts.push(google_part(&AnswerPiece::Thinking(&thinking)));
            }
            parts.push(google_part(&AnswerPiece::Text(&text)));
            let calls = reply.calls.iter().enumerate();
            parts.extend(
                calls.map(|(at, (name, arguments))| google_part(&AnswerPiece::Call(at, name, arguments))),
            );
            google(&parts, Some("STOP"), Some((usage, reply)))
        }
        Format::Ollama => {
            let mut message = json!({"role":"assistant","content":text});
            if !thinking.is_empty() {
                message["thinking"] = thinking.into();
            }
            if !reply.calls.is_empty() {
                message["tool_calls"] =
                    reply.calls.iter().map(|(name, arguments)| ollama_call(name, arguments)).collect();
            }
            ollama_end(message, usage)
        }
        Format::Cohere => {
            let calls = reply
                .calls
                .iter()
                .enumerate()
                .map(|(at, (name, arguments))| cohere_call(at, name, arguments));
            let mut message = json!({"role":"assistant","content":[{"type":"text","text":text}]});
            if !thinking.is_empty() {
                message["tool_plan"] = thinking.into();
            }
            if !reply.calls.is_empty() {
                message["tool_calls"] = calls.collect();
            }
            json!({"id":"c1","message":message,"finish_reason":"COMPLETE","usage":cohere_usage(usage)})
        }
        Format::Completions => {
            json!({"id":"c1","choices":[{"index":0,"text":text,"finish_reason":"stop"}],"usage":openai_usage(usage)})
        }
        Format::Generate => generate_end(&text, usage),
    }
}

fn cohere_call(at: usize, name: &str, arguments: &Value) -> Value {
    json!({"id":format!("call_{at}"),"type":"function","function":{"name":name,"arguments":arguments.to_string()}})
}

fn cohere_usage(usage: (u64, u64)) -> Value {
    json!({"billed_units":{"input_tokens":1,"output_tokens":1},"tokens":{"input_tokens":usage.0,"output_tokens":usage.1}})
}

fn cohere_chunk(piece: &AnswerPiece<'_>) -> String {
    let content = |content: Value| json!({"message":{"content":content}});
    match piece {
        AnswerPiece::Thinking(text) => {
            let delta = content(json!({"thinking":text}));
            event("content-delta", &json!({"type":"content-delta","index":0,"delta":delta}))
        }
        AnswerPiece::Text(text) => {
            let delta = content(json!({"text":text}));
            event("content-delta", &json!({"type":"content-delta","index":0,"delta":delta}))
        }
        AnswerPiece::Call(at, name, arguments) => {
            let part = |kind: &str, call: Value| {
                let delta = json!({"message":{"tool_calls":call}});
                event(kind, &json!({"type":kind,"index":at,"delta":delta}))
            };
            let arguments = json!({"function":{"arguments":arguments.to_string()}});
            part(
                "tool-call-start",
                json!({"id":format!("call_{at}"),"function":{"name":name,"arguments":""}}),
            ) + &part("tool-call-delta", arguments)
        }
    }
}

/// The text of a piece for formats that know nothing else.
fn text_of<'a>(piece: &'a AnswerPiece<'_>) -> &'a str {
    match piece {
        AnswerPiece::Text(text) => text,
        AnswerPiece::Thinking(_) | AnswerPiece::Call(..) => "",
    }
}

fn completions_chunk(piece: &AnswerPiece<'_>) -> String {
    let choice = json!({"index":0,"text":text_of(piece),"finish_reason":null});
    format!("data: {}\n\n", json!({"id":"c1","object":"text_completion","choices":[choice]}))
}

fn generate_chunk(piece: &AnswerPiece<'_>) -> String {
    format!("{}\n", json!({"model":"stand-in","response":text_of(piece),"done":false}))
}

fn generate_end(text: &str, usage: (u64, u64)) -> Value {
    json!({"model":"stand-in","response":text,"done":true,"prompt_eval_count":usage.0,"eval_count":usage.1})
}
