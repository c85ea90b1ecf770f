//! Messages of a conversation as the code of an owner returns them, in any of the forms of Flowise.

use crate::llm::{ChatMessage, ToolCall};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Reads a list of messages. Instructions among them come first, where providers take them.
///
/// # Errors
/// Which one cannot be read, and why.
pub(crate) fn parse(returned: &Value) -> Result<Vec<ChatMessage>, String> {
    let items = returned.as_array().ok_or("the code must return a list of messages")?;
    let mut messages = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        messages.push(message(item).map_err(|why| format!("message {}: {why}", at + 1))?);
    }
    answer_calls(&mut messages)?;
    messages.sort_by_key(|message| !matches!(message, ChatMessage::System(_)));
    Ok(messages)
}

const FORMS: &str = "write {role, content}, [role, text] or a message class";

/// One message; roles as the clients, the providers and the libraries of Flowise write them.
fn message(item: &Value) -> Result<ChatMessage, String> {
    let (role, fields) = match item {
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(role), content] => {
                return build_message(role, content_text(content)?, &Value::Null);
            }
            _ => return Err(FORMS.into()),
        },
        Value::Object(_) => match item.get("kwargs") {
            // A message class as the library writes it: the last part of its id is its name.
            Some(fields) => {
                let id = item.get("id").and_then(Value::as_array).and_then(|id| id.last());
                (id.and_then(Value::as_str), fields)
            }
            None => {
                let role = ["role", "type"].into_iter().find_map(|name| item.get(name)?.as_str());
                (role, item)
            }
        },
        _ => return Err(FORMS.into()),
    };
    let content = fields.get("content").ok_or(FORMS)?;
    build_message(role.ok_or(FORMS)?, content_text(content)?, fields)
}

fn build_message(role: &str, text: String, fields: &Value) -> Result<ChatMessage, String> {
    let role = role.strip_suffix("Chunk").unwrap_or(role);
    match role {
        "user" | "human" | "userMessage" | "HumanMessage" => Ok(ChatMessage::user(text)),
        "assistant" | "ai" | "apiMessage" | "AIMessage" => Ok(ChatMessage::with_calls(text, calls(fields)?)),
        "system" | "developer" | "SystemMessage" => Ok(ChatMessage::System(text)),
        "tool" | "ToolMessage" => {
            let call = fields.get("tool_call_id").and_then(Value::as_str);
            let call_id = call.ok_or("a message of a tool needs the tool_call_id it answers")?.to_owned();
            let name = fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            Ok(ChatMessage::result(call_id, name, text))
        }
        "ChatMessage" => {
            let role = fields.get("role").and_then(Value::as_str).filter(|role| *role != "ChatMessage");
            build_message(role.ok_or(FORMS)?, text, fields)
        }
        other => Err(format!("'{other}' is no role; there are human, ai, system and tool")),
    }
}

/// A text, or the texts of a list of parts.
fn content_text(content: &Value) -> Result<String, String> {
    match content {
        Value::String(text) => Ok(text.clone()),
        Value::Null => Ok(String::new()),
        Value::Array(parts) => {
            let text = |part: &Value| part.as_str().or_else(|| part.get("text")?.as_str()).map(str::to_owned);
            let texts: Option<Vec<String>> = parts.iter().map(text).collect();
            texts.map(|texts| texts.concat()).ok_or_else(|| "its content may hold texts only".into())
        }
        _ => Err("its content must be a text".into()),
    }
}

/// The calls of a model, as Flowise's library writes them or as providers do.
fn calls(fields: &Value) -> Result<Vec<ToolCall>, String> {
    let listed = fields.get("tool_calls").or_else(|| fields.get("additional_kwargs")?.get("tool_calls"));
    let Some(listed) = listed.and_then(Value::as_array) else { return Ok(Vec::new()) };
    let call = |call: &Value| {
        let function = call.get("function").unwrap_or(call);
        let arguments =
            function.get("args").or_else(|| function.get("arguments")).cloned().unwrap_or_default();
        let arguments = match &arguments {
            Value::String(text) => serde_json::from_str(text).unwrap_or(arguments),
            Value::Null => Value::Object(serde_json::Map::new()),
            _ => arguments,
        };
        Some(ToolCall {
            id: call.get("id")?.as_str()?.to_owned(),
            name: function.get("name")?.as_str()?.to_owned(),
            arguments,
        })
    };
    listed
        .iter()
        .map(|one| call(one).ok_or_else(|| "a tool call needs an id and a name".to_owned()))
        .collect()
}

/// Providers refuse a call without its answer and an answer without its call. The answer gets the name of its call.
fn answer_calls(messages: &mut [ChatMessage]) -> Result<(), String> {
    let mut names: HashMap<String, String> = HashMap::new();
    let mut open: BTreeSet<String> = BTreeSet::new();
    for message in messages {
        match message {
            ChatMessage::Tool { call_id, name, .. } => {
                if !open.remove(call_id) {
                    return Err(format!(
                        "a message of a tool answers '{call_id}', which no call before it has"
                    ));
                }
                if name.is_empty() {
                    *name = names.get(call_id).cloned().unwrap_or_default();
                }
            }
            ChatMessage::System(_) => {}
            _ if !open.is_empty() => break,
            ChatMessage::Assistant { calls, .. } => {
                for call in calls {
                    names.insert(call.id.clone(), call.name.clone());
                    open.insert(call.id.clone());
                }
            }
            ChatMessage::User(_) => {}
        }
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(format!("the call '{id}' of a model has no message of a tool after it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_form_of_the_family_is_read() {
        let class = |name: &str, fields: Value| json!({"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": fields});
        for item in [
            json!(["human", "Hi {x}"]),
            json!(["user", "Hi {x}"]),
            json!({"role": "user", "content": "Hi {x}"}),
            json!({"type": "userMessage", "content": [{"type": "text", "text": "Hi "}, "{x}"]}),
            class("HumanMessage", json!({"content": "Hi {x}"})),
            class("ChatMessage", json!({"content": "Hi {x}", "role": "human"})),
        ] {
            assert_eq!(parse(&json!([item.clone()])), Ok(vec![ChatMessage::user("Hi {x}")]), "{item}");
        }
        for item in [
            json!(["ai", "Yes"]),
            json!({"role": "assistant", "content": "Yes"}),
            class("AIMessage", json!({"content": "Yes"})),
        ] {
            assert_eq!(parse(&json!([item])), Ok(vec![ChatMessage::assistant("Yes")]));
        }
    }

    #[test]
    fn calls_and_their_answers_belong_together() {
        let call = json!({"id": "1", "name": "sum", "args": {"a": 1}});
        let other =
            json!({"id": "1", "type": "function", "function": {"name": "sum", "arguments": "{\"a\": 1}"}});
        for call in [call, other] {
            let asked = json!({"role": "ai", "content": "", "tool_calls": [call]});
            let answered = json!({"role": "tool", "tool_call_id": "1", "content": "2"});
            let told = parse(&json!([["human", "1+1"], asked, answered, ["ai", "It is 2."]])).unwrap();
            let expected = ToolCall { id: "1".into(), name: "sum".into(), arguments: json!({"a": 1}) };
            assert_eq!(told[1], ChatMessage::with_calls("", vec![expected]));
            assert_eq!(told[2], ChatMessage::result("1", "sum", "2"));
            assert!(parse(&json!([asked, ["human", "and?"]])).unwrap_err().contains("'1'"));
            assert!(parse(&json!([answered])).unwrap_err().contains("which no call"));
        }
    }

    #[test]
    fn instructions_come_first_and_nonsense_is_named() {
        let told = parse(&json!([["human", "a"], ["system", "b"], ["ai", "c"]])).unwrap();
        assert_eq!(told[0], ChatMessage::System("b".into()));
        assert_eq!(told[2], ChatMessage::assistant("c"));
        for (returned, why) in [
            (json!("text"), "a list of messages"),
            (json!([["human", "x"], 7]), "message 2: write {role"),
            (json!([["robot", "x"]]), "'robot' is no role"),
            (json!([{"role": "user"}]), "message 1: write {role"),
            (json!([["human", {"a": 1}]]), "must be a text"),
            (json!([["human"]]), "write {role"),
            (json!([["human", [{"type": "image_url"}]]]), "texts only"),
        ] {
            let said = parse(&returned).unwrap_err();
            assert!(said.contains(why), "{returned}: {said}");
        }
    }
}
