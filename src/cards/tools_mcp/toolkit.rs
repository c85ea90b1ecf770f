//! The tools of an MCP server as tools of a flow: those its owner chose, within limits.

use super::McpServer;
use super::client::{McpClient, McpToolInfo};
use crate::domain::error::Result;
use crate::domain::workspace::tool::model_name;
use crate::kit::Input;
use crate::kit::build::component::{Observation, Picture, Toolkit};
use crate::kit::knowledge::untrusted_text;
use crate::kit::schema::{card, input};
use crate::kit::{CallError, Inputs, Picker, RunContext, Tool};
use crate::llm::ToolSpec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Longest result of a tool of an MCP server that a model reads (manual 14.7).
const MCP_RESULT_BYTES_MAX: usize = 200 * 1024;

/// The base class of every card here.
pub(super) const BASE_CLASSES: &[&str] = &["Tool"];
/// Where these cards stand in the palette.
pub(super) const CATEGORY: card::Category = card::Category::McpTools;
/// Which of the server's tools the model may call.
pub(super) const ACTIONS: Input = Input::pick("mcpActions", "Available Actions", Picker::Actions)
    .help("The names of the tools that the model may call, as a JSON list.");

/// Pictures of one result of a tool of an MCP server that are kept (manual 14.7).
const MCP_PICTURES_MAX_COUNT: usize = 10;
/// The kinds of pictures that are kept, and how the names of their files end.
const PICTURES: &[(&str, &str)] =
    &[("image/png", "png"), ("image/jpeg", "jpg"), ("image/gif", "gif"), ("image/webp", "webp")];

/// How many names a message lists.
const NAMES_SHOWN_MAX: usize = 50;

/// A server, and the tools it has.
fn open_and_list(inputs: &Inputs<'_>, server: McpServer) -> Result<(McpClient, Vec<McpToolInfo>)> {
    let asked = McpClient::open(server, inputs).and_then(|client| {
        let tools = client.tools()?;
        Ok((client, tools))
    });
    asked.map_err(|fault| {
        fault
            .into_call_error(|why| format!("the tools of its server cannot be listed: {why}."))
            .at(inputs.label)
    })
}

/// The tools of a server, each with its description.
///
/// # Errors
/// When the server cannot be asked.
pub(crate) fn tool_descriptions(inputs: &Inputs<'_>, server: McpServer) -> Result<Vec<(String, String)>> {
    let (_, tools) = open_and_list(inputs, server)?;
    Ok(tools.into_iter().map(|tool| (tool.name, tool.description)).collect())
}

/// The chosen tools of a server.
///
/// # Errors
/// When none is chosen, one that is chosen is not there, or the server cannot be asked.
pub(super) fn toolkit(inputs: &Inputs<'_>, server: McpServer) -> Result<Toolkit> {
    let chosen = selected_names(inputs)?;
    let (client, tool_descriptions) = open_and_list(inputs, server)?;
    let client = Arc::new(client);
    let names = || {
        let names = tool_descriptions.iter().map(|tool| model_name(&tool.name)).take(NAMES_SHOWN_MAX);
        names.collect::<Vec<_>>().join(", ")
    };
    if chosen.is_empty() {
        return Err(inputs.input_error(ACTIONS.name, &format!("choose at least one of: {}", names())));
    }
    let mut tools: Toolkit = Vec::with_capacity(chosen.len());
    for name in chosen {
        let tool = tool_descriptions.iter().find(|tool| tool.name == name);
        let tool = tool.ok_or_else(|| {
            inputs.input_error(
                ACTIONS.name,
                &format!("the server has no tool '{}'; it has: {}", model_name(&name), names()),
            )
        })?;
        tools.push(Arc::new(McpTool::new(tool, client.clone())));
    }
    Ok(tools)
}

/// The names in the owner's list: JSON, or divided by commas.
fn selected_names(inputs: &Inputs<'_>) -> Result<Vec<String>> {
    let text = inputs.optional_text(ACTIONS.name).unwrap_or_default();
    input::parse_names(&text.into())
        .ok_or_else(|| inputs.input_error(ACTIONS.name, "this must be a JSON list of names"))
}

struct McpTool {
    name: String,
    spec: ToolSpec,
    client: Arc<McpClient>,
}

impl McpTool {
    fn new(tool: &McpToolInfo, client: Arc<McpClient>) -> Self {
        let is_schema = tool.schema["type"] == "object";
        let schema =
            if is_schema { tool.schema.clone() } else { json!({"type": "object", "properties": Map::new()}) };
        let spec = ToolSpec { name: model_name(&tool.name), description: tool.description.clone(), schema };
        Self { name: tool.name.clone(), spec, client }
    }
}

impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        self.observe(arguments, turn).map(|seen| seen.text)
    }

    fn observe(&self, arguments: &Value, _turn: &RunContext<'_>) -> Result<Observation, CallError> {
        let called = self.client.call(&self.name, arguments);
        let (content, failed) =
            called.map_err(|fault| fault.into_call_error(|why| format!("The tool failed: {why}.")))?;
        let pictures = pictures(&self.spec.name, &content);
        let text = untrusted_text::mark_untrusted("result", &self.spec.name, &result_text(content));
        if failed { Err(text.into()) } else { Ok(Observation { text, pictures, ..Observation::default() }) }
    }
}

/// The pictures of a result. What is damaged, or of a kind that pages do not show as a picture, is left out.
fn pictures(tool: &str, content: &[Value]) -> Vec<Picture> {
    let picture = |item: &Value| {
        let mime = item["mimeType"].as_str().filter(|_| item["type"] == "image")?;
        let ending = PICTURES.iter().find(|(known, _)| *known == mime)?.1;
        let bytes = STANDARD.decode(item["data"].as_str()?).ok()?;
        Some(Picture { name: format!("{tool}.{ending}"), mime: mime.to_owned(), bytes })
    };
    content.iter().filter_map(picture).take(MCP_PICTURES_MAX_COUNT).collect()
}

/// The content of a result as JSON text. What is no text is named and left out: a model may see a picture beside it.
fn result_text(mut content: Vec<Value>) -> String {
    for item in &mut content {
        for place in ["/data", "/resource/blob"] {
            if let Some(binary) = item.pointer_mut(place) {
                *binary = "(not in this text)".into();
            }
        }
    }
    let mut text = Value::Array(content).to_string();
    if text.len() > MCP_RESULT_BYTES_MAX {
        let end = (0..=MCP_RESULT_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(" (the rest is left out)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_a_result_are_kept_and_nothing_else_of_it() {
        let content = [
            json!({"type": "text", "text": "Hi"}),
            json!({"type": "image", "data": "aGk=", "mimeType": "image/png"}),
            json!({"type": "image", "data": "no base64!", "mimeType": "image/png"}),
            json!({"type": "image", "data": "aGk=", "mimeType": "image/svg+xml"}),
            json!({"type": "audio", "data": "aGk=", "mimeType": "image/png"}),
        ];
        let kept =
            Picture { name: "draw.png".to_owned(), mime: "image/png".to_owned(), bytes: b"hi".to_vec() };
        assert_eq!(pictures("draw", &content), [kept]);
        assert_eq!(pictures("draw", &vec![content[1].clone(); 30]).len(), MCP_PICTURES_MAX_COUNT);
    }

    #[test]
    fn a_result_is_text_of_bounded_length() {
        let content = vec![
            json!({"type": "text", "text": "Hi"}),
            json!({"type": "image", "data": "AAAA", "mimeType": "image/png"}),
        ];
        let text = result_text(content);
        assert!(text.contains("\"Hi\"") && text.contains("image/png") && !text.contains("AAAA"), "{text}");
        let long = result_text(vec![json!({"type": "text", "text": "ü".repeat(MCP_RESULT_BYTES_MAX)})]);
        assert!(long.len() < MCP_RESULT_BYTES_MAX + 100 && long.ends_with("left out)"));
    }
}
