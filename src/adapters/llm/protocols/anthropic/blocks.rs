//! The blocks of a reply as Anthropic wrote them. What it thought and what its own tools found goes back word for word:
//! both are sealed, and a call of a tool of ours may stand in their midst.

use crate::llm::reply::{argument_object, arguments};
use crate::llm::{ProviderContent, ToolCall};
use serde_json::{Value, json};

/// Blocks of one reply that are kept.
const BLOCKS_MAX: usize = 1024;

#[derive(Default)]
pub(super) struct ReplyBlocks {
    all: Vec<ReplyBlock>,
    /// There was one that is not kept: without all of them the rest is of no use.
    is_cut: bool,
}

struct ReplyBlock {
    /// The provider's number for it; `None` where it came whole.
    index: Option<u64>,
    value: Value,
    /// The arguments of a call, which come as fragments of JSON.
    input: String,
}

impl ReplyBlocks {
    /// Takes the beginning of a block, or the whole of it; `index` is its number in a stream.
    pub(super) fn begin(&mut self, block: &Value, index: Option<u64>) {
        if self.all.len() < BLOCKS_MAX && block.is_object() {
            self.all.push(ReplyBlock { index, value: block.clone(), input: String::new() });
        } else {
            self.is_cut = true;
        }
    }

    /// Takes a fragment of the block with this number.
    pub(super) fn extend(&mut self, index: Option<u64>, delta: &Value) {
        let Some(block) = self.all.iter_mut().rev().find(|block| block.index == index) else { return };
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match delta["type"].as_str() {
            Some("text_delta") => append(&mut block.value, "text", text("text")),
            Some("thinking_delta") => append(&mut block.value, "thinking", text("thinking")),
            Some("signature_delta") => append(&mut block.value, "signature", text("signature")),
            Some("input_json_delta") => block.input.push_str(text("partial_json")),
            Some("citations_delta") => match &mut block.value["citations"] {
                Value::Array(cited) => cited.push(delta["citation"].clone()),
                none => *none = json!([delta["citation"]]),
            },
            _ => {}
        }
    }

    /// What goes back with the results of these calls; `None` where texts and calls are all there is, which say the same
    /// by themselves.
    pub(super) fn into_content(self, model: &str, calls: &[ToolCall]) -> Option<ProviderContent> {
        let parts: Vec<Value> = self.all.into_iter().filter_map(ReplyBlock::finish).collect();
        let is_plain = |part: &Value| matches!(part["type"].as_str(), Some("text" | "tool_use"));
        let called = parts.iter().filter(|part| part["type"] == "tool_use").map(|part| part["id"].as_str());
        // A call whose id had to be replaced would not be found again.
        let is_whole = !self.is_cut && called.eq(calls.iter().map(|call| Some(call.id.as_str())));
        if !is_whole || parts.iter().all(is_plain) {
            return None;
        }
        ProviderContent::new(super::PROTOCOL, model, parts)
    }
}

impl ReplyBlock {
    /// The whole block; `None` for a text without words, which the provider writes and does not take back.
    fn finish(self) -> Option<Value> {
        let mut value = self.value;
        if !self.input.is_empty() {
            value["input"] = argument_object(&arguments(&self.input));
        }
        let is_blank =
            value["type"] == "text" && value["text"].as_str().is_none_or(|text| text.trim().is_empty());
        (!is_blank).then_some(value)
    }
}

fn append(block: &mut Value, name: &str, text: &str) {
    match &mut block[name] {
        Value::String(all) => all.push_str(text),
        other => *other = text.into(),
    }
}
