//! The body of a Converse request.

use super::Bedrock;
use crate::llm::reply::{argument_object, join_stops, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, ModelError, ToolSpec};
use serde_json::{Map, Value, json};

/// What stands where the protocol demands a text and there is none.
const NO_TEXT: &str = "(no text)";
/// The longest id of a call.
const CALL_ID_MAX: usize = 64;
/// Stop words the protocol takes.
const STOPS_MAX: usize = 4;

pub(super) fn body(model: &Bedrock, request: &ChatRequest) -> Result<Value, ModelError> {
    let mut body = Map::new();
    body.insert("messages".into(), messages(request)?);
    let system = request.messages.iter().filter_map(|message| match message {
        ChatMessage::System(text) if !text.trim().is_empty() => Some(json!({"text": text})),
        _ => None,
    });
    let system: Vec<Value> = system.collect();
    set_optional(&mut body, "system", (!system.is_empty()).then_some(system));
    let mut inference = Map::new();
    set_optional(&mut inference, "maxTokens", model.max_tokens);
    set_optional(&mut inference, "temperature", model.temperature);
    let mut stops = join_stops(&model.stop, &request.stop, usize::MAX);
    // Some of the makers refuse stop words of white space.
    stops.retain(|stop| !stop.trim().is_empty());
    stops.truncate(STOPS_MAX);
    set_optional(&mut inference, "stopSequences", (!stops.is_empty()).then_some(stops));
    set_optional(&mut body, "inferenceConfig", (!inference.is_empty()).then_some(inference));
    let tools = tools(request);
    set_optional(&mut body, "toolConfig", (!tools.is_empty()).then(|| json!({"tools": tools})));
    set_optional(&mut body, "performanceConfig", model.optimized.then(|| json!({"latency": "optimized"})));
    Ok(Value::Object(body))
}

/// The tools, and those that were called before: the provider refuses a call of a tool that it is not told of.
fn tools(request: &ChatRequest) -> Vec<Value> {
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    let mut known: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let calls = request.messages.iter().flat_map(|message| match message {
        ChatMessage::Assistant { calls, .. } => calls.as_slice(),
        _ => &[],
    });
    for call in calls {
        if !known.contains(&call.name.as_str()) {
            known.push(&call.name);
            let schema = json!({"type": "object", "properties": {}});
            tools.push(tool(&ToolSpec { name: call.name.clone(), description: String::new(), schema }));
        }
    }
    tools
}

fn tool(tool: &ToolSpec) -> Value {
    // An empty description is refused.
    let about = if tool.description.trim().is_empty() { &tool.name } else { &tool.description };
    json!({"toolSpec": {"name": tool.name, "description": about, "inputSchema": {"json": tool.schema}}})
}

/// Messages in turns of user and assistant: neighbours of one role are merged, and a user begins.
fn messages(request: &ChatRequest) -> Result<Value, ModelError> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            ChatMessage::System(_) => continue,
            ChatMessage::User(parts) => {
                let blocks = parts.iter().filter_map(|part| user_block(part).transpose());
                ("user", blocks.collect::<Result<Vec<_>, _>>()?)
            }
            ChatMessage::Assistant { text, calls, .. } => {
                // White space at the end is refused where the assistant speaks last.
                let mut blocks: Vec<Value> = text_block(text.trim_end()).into_iter().collect();
                blocks.extend(calls.iter().map(|call| {
                    let input = argument_object(&call.arguments);
                    json!({"toolUse": {"toolUseId": call_id(&call.id), "name": call.name, "input": input}})
                }));
                ("assistant", blocks)
            }
            ChatMessage::Tool { call_id: id, text, images, .. } => {
                let mut content = vec![text_block(text).unwrap_or_else(|| json!({"text": NO_TEXT}))];
                for image in images {
                    content.push(image_block(&image.mime, &image.base64)?);
                }
                ("user", vec![json!({"toolResult": {"toolUseId": call_id(id), "content": content}})])
            }
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            None if role == "assistant" => {
                turns.push(("user", Vec::new()));
                turns.push((role, blocks));
            }
            _ => turns.push((role, blocks)),
        }
    }
    if turns.is_empty() {
        turns.push(("user", Vec::new()));
    }
    let turn = |(role, mut blocks): (&str, Vec<Value>)| {
        if blocks.is_empty() {
            blocks.push(json!({"text": NO_TEXT}));
        }
        json!({"role": role, "content": blocks})
    };
    Ok(turns.into_iter().map(turn).collect())
}

/// An id as the provider takes it; those of other providers may hold more.
fn call_id(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    id.chars().take(CALL_ID_MAX).map(plain).collect()
}

fn text_block(text: &str) -> Option<Value> {
    // Empty texts are refused.
    (!text.trim().is_empty()).then(|| json!({"text": text}))
}

fn user_block(part: &ContentPart) -> Result<Option<Value>, ModelError> {
    match part {
        ContentPart::Text(text) => Ok(text_block(text)),
        ContentPart::Image { mime, base64 } => image_block(mime, base64).map(Some),
        ContentPart::ImageUrl(_) => {
            Err(request_error("AWS Bedrock fetches no images: send the image itself and not its address"))
        }
    }
}

fn image_block(mime: &str, base64: &str) -> Result<Value, ModelError> {
    let format = match mime {
        "image/png" => "png",
        "image/jpeg" | "image/jpg" => "jpeg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        _ => return Err(request_error("AWS Bedrock takes images as PNG, JPEG, GIF and WebP only")),
    };
    Ok(json!({"image": {"format": format, "source": {"bytes": base64}}}))
}

fn request_error(why: &str) -> ModelError {
    ModelError::Settings(why.into())
}
