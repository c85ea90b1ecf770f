//! The items of a response: what the model said and thought, the tools it calls, and what OpenAI's own tools did.

use crate::domain::predictions::prediction::UsedTool;
use crate::llm::protocols::citations::citation;
use crate::llm::reply::{ReplyBuilder, arguments};
use crate::llm::{FileContent, MadeFile, ModelError, ToolCall};
use serde_json::{Value, json};

/// Items of one reply that are kept to be sent back.
const ITEMS_MAX: usize = 512;
/// What stands between two texts of one reply.
const BETWEEN: &str = "\n\n";

#[derive(Default)]
pub(super) struct ReplyItems {
    /// As they came: they go back with the results of calls.
    all: Vec<Value>,
    /// There were more than are kept: without all of them the rest is of no use.
    is_cut: bool,
    /// Files that texts name, each once.
    named_files: Vec<String>,
}

impl ReplyItems {
    /// Takes the beginning of an item.
    pub(super) fn begin(&mut self, item: &Value, reply: &mut ReplyBuilder) {
        if item["type"] == "message" && !reply.text().is_empty() {
            reply.add_text(BETWEEN);
        }
    }

    /// Takes an item that is complete; `was_streamed` says that its texts came in fragments before.
    pub(super) fn take(
        &mut self,
        item: &Value,
        was_streamed: bool,
        reply: &mut ReplyBuilder,
    ) -> Result<(), ModelError> {
        if self.all.len() < ITEMS_MAX {
            self.all.push(item.clone());
        } else {
            self.is_cut = true;
        }
        match item["type"].as_str().unwrap_or_default() {
            "message" => self.take_message(item, was_streamed, reply),
            "reasoning" if !was_streamed => take_reasoning(item, reply),
            "function_call" => reply.add_call(ToolCall {
                id: text(item, "call_id"),
                name: text(item, "name"),
                arguments: arguments(item["arguments"].as_str().unwrap_or_default()),
            })?,
            "web_search_call" => {
                reply.add_provider_call(used(item, "web_search_preview", &item["action"], ""));
            }
            "code_interpreter_call" => take_code(item, reply),
            "image_generation_call" => take_image(item, reply),
            _ => {}
        }
        Ok(())
    }

    fn take_message(&mut self, item: &Value, was_streamed: bool, reply: &mut ReplyBuilder) {
        for part in item["content"].as_array().into_iter().flatten() {
            if !was_streamed {
                let said = part["text"].as_str().or_else(|| part["refusal"].as_str());
                reply.add_text(said.unwrap_or_default());
            }
            for note in part["annotations"].as_array().into_iter().flatten() {
                match note["type"].as_str() {
                    Some("url_citation") => reply.add_citations(citation(note)),
                    Some("container_file_citation") => self.take_file(note, reply),
                    _ => {}
                }
            }
        }
    }

    /// Notes a file that code left in its container.
    fn take_file(&mut self, note: &Value, reply: &mut ReplyBuilder) {
        let (container, file) = (text(note, "container_id"), text(note, "file_id"));
        // Both become a part of an address.
        if !is_id(&container) || !is_id(&file) || self.named_files.contains(&file) {
            return;
        }
        let path = format!("/containers/{container}/files/{file}/content");
        let name = note["filename"].as_str().filter(|name| !name.is_empty()).unwrap_or(&file).to_owned();
        reply.add_file(MadeFile { mime: String::new(), name, content: FileContent::Remote(path) });
        self.named_files.push(file);
    }

    /// The items to be sent back.
    pub(super) fn into_all(self) -> Vec<Value> {
        if self.is_cut { Vec::new() } else { self.all }
    }
}

fn text(item: &Value, name: &str) -> String {
    item[name].as_str().unwrap_or_default().to_owned()
}

fn is_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=128).contains(&text.len()) && text.chars().all(plain)
}

fn take_reasoning(item: &Value, reply: &mut ReplyBuilder) {
    for list in ["summary", "content"] {
        for part in item[list].as_array().into_iter().flatten() {
            reply.add_thinking(part["text"].as_str().unwrap_or_default());
        }
    }
}

fn used(item: &Value, tool: &str, input: &Value, output: &str) -> UsedTool {
    let status = item["status"].as_str().filter(|status| matches!(*status, "failed" | "incomplete"));
    UsedTool {
        tool: tool.to_owned(),
        tool_input: input.clone(),
        tool_output: output.to_owned(),
        error: status.map(str::to_owned),
    }
}

/// Code that ran, with what it wrote; a picture in it is a file.
fn take_code(item: &Value, reply: &mut ReplyBuilder) {
    let mut logs = Vec::new();
    for output in item["outputs"].as_array().into_iter().flatten() {
        match output["type"].as_str() {
            Some("logs") => logs.push(text(output, "logs")),
            Some("image") => {
                let data = output["url"].as_str().and_then(|url| url.strip_prefix("data:"));
                if let Some((mime, base64)) = data.and_then(|data| data.split_once(";base64,")) {
                    reply.add_file(picture(mime, base64));
                }
            }
            _ => {}
        }
    }
    reply.add_provider_call(used(item, "code_interpreter", &json!({"code": item["code"]}), &logs.join("\n")));
}

fn take_image(item: &Value, reply: &mut ReplyBuilder) {
    let input = json!({"prompt": item["revised_prompt"]});
    reply.add_provider_call(used(item, "image_generation", &input, ""));
    if let Some(base64) = item["result"].as_str().filter(|base64| !base64.is_empty()) {
        let format = item["output_format"].as_str().filter(|format| is_id(format)).unwrap_or("png");
        reply.add_file(picture(&format!("image/{format}"), base64));
    }
}

fn picture(mime: &str, base64: &str) -> MadeFile {
    let ending = mime.rsplit('/').next().unwrap_or("png");
    MadeFile {
        name: format!("image.{ending}"),
        mime: mime.to_owned(),
        content: FileContent::Base64(base64.to_owned()),
    }
}
