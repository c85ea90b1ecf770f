//! Flows as tools, and what they answer.

use crate::domain::triggers::mcp_tool::{ArgumentKind, McpTool, ToolArguments};
use serde_json::{Map, Value, json};

/// The argument of a flow that begins with a question.
pub const QUESTION: &str = "question";
/// A form as one object, beside its fields as arguments.
pub const FORM: &str = "form";

/// A list of tools.
pub fn listed(tools: &[McpTool]) -> Map<String, Value> {
    let rows: Vec<Value> = tools.iter().map(tool).collect();
    Map::from_iter([("tools".to_owned(), rows.into())])
}

fn tool(tool: &McpTool) -> Value {
    let mut row = json!({
        "name": tool.name, "description": tool.description, "inputSchema": input_schema(&tool.arguments),
    });
    if let Some(schema) = &tool.output {
        row["outputSchema"] = schema.clone();
    }
    row
}

fn input_schema(arguments: &ToolArguments) -> Value {
    match arguments {
        ToolArguments::Question => json!({
            "type": "object",
            "properties": {QUESTION: {"type": "string", "description": "What to ask."}},
            "required": [QUESTION],
            "additionalProperties": false,
        }),
        ToolArguments::Form(fields) => {
            let property = |kind: &ArgumentKind, label: &str| match kind {
                ArgumentKind::Text => json!({"type": "string", "title": label}),
                ArgumentKind::Number => json!({"type": "number", "title": label}),
                ArgumentKind::Switch => json!({"type": "boolean", "title": label}),
                ArgumentKind::Choice(choices) => json!({"type": "string", "title": label, "enum": choices}),
            };
            let properties: Map<String, Value> = fields
                .iter()
                .map(|field| (field.name.clone(), property(&field.kind, &field.label)))
                .collect();
            json!({"type": "object", "properties": properties, "additionalProperties": false})
        }
    }
}

/// What a tool answered.
pub fn answered(text: &str, structure: Option<Value>) -> Map<String, Value> {
    let mut result = result_of(text, false);
    if let Some(structure) = structure {
        result.insert("structuredContent".to_owned(), structure);
    }
    result
}

/// A value as the structure that a tool promised: an object as it is, a list as the items of one.
pub fn structure_of(value: Value) -> Option<Value> {
    match value {
        Value::Object(_) => Some(value),
        Value::Array(items) => Some(json!({ "items": items })),
        _ => None,
    }
}

/// Why a tool gave no answer, told to whoever called it.
pub fn failed(message: &str) -> Map<String, Value> {
    result_of(message, true)
}

fn result_of(text: &str, is_error: bool) -> Map<String, Value> {
    Map::from_iter([
        ("content".to_owned(), json!([{"type": "text", "text": text}])),
        ("isError".to_owned(), is_error.into()),
    ])
}
