//! Tools that Anthropic runs itself: how they are asked for, and what a reply tells of their calls.

use super::{Anthropic, PROTOCOL};
use crate::domain::predictions::prediction::UsedTool;
use crate::llm::protocols::citations::citation;
use crate::llm::reply::{ReplyBuilder, arguments};
use crate::llm::{ChatMessage, ChatRequest, ProviderTool};
use serde_json::{Value, json};

/// How often a model may call one of them in a request: each is paid for.
const USES_MAX: u64 = 4;
/// The name of what is not in the protocol yet.
const FETCH_BETA: &str = "web-fetch-2025-09-10";
/// Calls of one reply that are kept.
const CALLS_MAX: usize = 128;

/// The tool as a request names it; `None` for one of another provider.
pub(super) fn declaration(tool: ProviderTool) -> Option<Value> {
    match tool {
        ProviderTool::AnthropicWebSearch => {
            Some(json!({"type": "web_search_20250305", "name": "web_search", "max_uses": USES_MAX}))
        }
        ProviderTool::AnthropicWebFetch => {
            Some(json!({"type": "web_fetch_20250910", "name": "web_fetch", "max_uses": USES_MAX}))
        }
        _ => None,
    }
}

/// The header that a request with these tools needs.
pub(super) fn header(tools: &[ProviderTool]) -> Option<(&'static str, &'static str)> {
    tools.contains(&ProviderTool::AnthropicWebFetch).then_some(("anthropic-beta", FETCH_BETA))
}

/// The calls of one reply.
#[derive(Default)]
pub(super) struct ServerCalls(Vec<ServerCall>);

struct ServerCall {
    /// The provider's number for its block.
    index: Option<u64>,
    id: String,
    name: String,
    input: String,
    output: Value,
    error: Option<String>,
}

impl ServerCalls {
    /// The calls of the conversation so far that have no result yet: it comes with the next reply.
    pub(super) fn left_open(model: &Anthropic, request: &ChatRequest) -> Self {
        let mut open = Self::default();
        let mut past = ReplyBuilder::default();
        for message in &request.messages {
            let ChatMessage::Assistant { content: Some(content), .. } = message else { continue };
            for part in content.parts_for(PROTOCOL, &model.model).unwrap_or_default() {
                if part["type"] == "server_tool_use" || open.finds(part) {
                    open.take_block(part, None, &mut past);
                }
            }
        }
        open.0.retain(|call| call.output.is_null() && call.error.is_none());
        open
    }

    /// True for the result of one of these calls.
    fn finds(&self, block: &Value) -> bool {
        block["tool_use_id"].as_str().is_some_and(|id| self.0.iter().any(|call| call.id == id))
    }

    /// Takes the beginning of a block, or the whole of it; `index` is its number in a stream.
    pub(super) fn take_block(&mut self, block: &Value, index: Option<u64>, reply: &mut ReplyBuilder) {
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        match block["type"].as_str() {
            Some("server_tool_use") if self.0.len() < CALLS_MAX => {
                let given = block["input"].as_object().filter(|input| !input.is_empty());
                let input = given.map(|input| Value::Object(input.clone()).to_string()).unwrap_or_default();
                let (output, error) = (Value::Null, None);
                self.0.push(ServerCall { index, id: text("id"), name: text("name"), input, output, error });
            }
            Some("web_search_tool_result" | "web_fetch_tool_result") => {
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                if let Some(call) = self.0.iter_mut().find(|call| call.id == id) {
                    (call.output, call.error) = outcome(&block["content"]);
                }
            }
            Some("text") => {
                for cited in block["citations"].as_array().into_iter().flatten() {
                    take_citation(cited, reply);
                }
            }
            _ => {}
        }
    }

    /// Takes a fragment of the arguments of the call with this number.
    pub(super) fn take_input(&mut self, index: Option<u64>, fragment: &str) {
        if let Some(call) = self.0.iter_mut().rev().find(|call| call.index == index) {
            call.input.push_str(fragment);
        }
    }

    /// Notes the calls in the reply. One without a result is noted by the reply that brings it.
    pub(super) fn finish(&mut self, reply: &mut ReplyBuilder) {
        let is_answered = |call: &ServerCall| !call.output.is_null() || call.error.is_some();
        for call in self.0.drain(..).filter(is_answered) {
            reply.add_provider_call(UsedTool {
                tool: call.name,
                tool_input: arguments(&call.input),
                tool_output: if call.output.is_null() { String::new() } else { call.output.to_string() },
                error: call.error,
            });
        }
    }
}

/// Notes a page that the text leans on; other kinds of citations are of documents that were sent along.
pub(super) fn take_citation(cited: &Value, reply: &mut ReplyBuilder) {
    let entry = json!({"url": cited["url"], "title": cited["title"], "snippet": cited["cited_text"]});
    reply.add_citations(citation(&entry));
}

/// The pages of a result by title and address, or why there are none. Their text is the model's alone.
fn outcome(content: &Value) -> (Value, Option<String>) {
    if let Some(code) = content["error_code"].as_str() {
        return (Value::Null, Some(code.to_owned()));
    }
    let page = |page: &Value| {
        let title = page.get("title").or_else(|| page["content"].get("title")).cloned().unwrap_or_default();
        json!({"title": title, "url": page["url"]})
    };
    match content {
        Value::Array(pages) => (pages.iter().map(page).collect(), None),
        one => (json!([page(one)]), None),
    }
}
