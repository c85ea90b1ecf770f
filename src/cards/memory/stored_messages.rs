//! Messages as Flowise keeps them outside of its own database: each as JSON, `{type, data: {content, …}}`, so that a
//! conversation begun by one program goes on in another.

use crate::domain::predictions::prediction::{HistoryMessage, MessageRole};
use crate::kit::RunContext;
use crate::limits::MEMORY_MESSAGES_MAX;
use serde_json::{Value, json};

/// Question and answer as two entries.
pub(super) fn pair(question: &str, answer: &str) -> [String; 2] {
    let human = json!({
        "type": "human",
        "data": {"content": question, "additional_kwargs": {}, "response_metadata": {}},
    });
    let ai = json!({
        "type": "ai",
        "data": {
            "content": answer, "tool_calls": [], "invalid_tool_calls": [], "additional_kwargs": {}, "response_metadata": {},
        },
    });
    [human.to_string(), ai.to_string()]
}

/// The messages of entries in their order. Messages by neither of the two, such as the result of a tool, and messages
/// without text, such as a call of one, are left out. `None` when an entry is no message.
pub(super) fn messages<'e>(entries: impl IntoIterator<Item = &'e [u8]>) -> Option<Vec<HistoryMessage>> {
    let mut messages = Vec::new();
    for entry in entries {
        let entry: Value = serde_json::from_slice(entry).ok()?;
        let kind = entry.get("type")?.as_str()?;
        // The oldest programs like Flowise wrote the text beside the type.
        let data = entry.get("data").unwrap_or(&entry);
        let text = text(data.get("content").or_else(|| data.get("text"))?)?;
        let kind = if matches!(kind, "generic" | "chat") { data.get("role")?.as_str()? } else { kind };
        let speaker = match kind {
            "human" | "user" => MessageRole::User,
            "ai" | "assistant" => MessageRole::Api,
            _ => continue,
        };
        if !text.trim().is_empty() {
            messages.push(HistoryMessage::new(speaker, text));
        }
    }
    Some(messages)
}

/// A text, or the texts among parts.
fn text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// The messages that a memory sends: those the caller brought along stand first, and count within the same limit.
pub(super) fn messages_to_send(
    turn: &RunContext<'_>,
    kept: Vec<HistoryMessage>,
    newest: usize,
) -> Vec<HistoryMessage> {
    let mut messages = turn.history.to_vec();
    messages.extend(kept);
    let surplus = messages.len().saturating_sub(newest);
    messages.drain(..surplus);
    messages
}

/// How many messages a window holds; all that may be sent for none.
pub(super) fn window(size: Option<u64>) -> usize {
    let size = size.filter(|size| *size > 0).and_then(|size| usize::try_from(size).ok());
    size.unwrap_or(MEMORY_MESSAGES_MAX).min(MEMORY_MESSAGES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(entries: &[&str]) -> Option<Vec<(bool, String)>> {
        let messages = messages(entries.iter().map(|entry| entry.as_bytes()))?;
        Some(messages.into_iter().map(|said| (said.role == MessageRole::User, said.text)).collect())
    }

    #[test]
    fn what_is_kept_is_read_again_and_every_form_of_the_family_too() {
        let [human, ai] = pair("Hi \"you\"", "Yes");
        let said = |human: bool, text: &str| (human, text.to_owned());
        assert_eq!(read(&[&human, &ai]), Some(vec![said(true, "Hi \"you\""), said(false, "Yes")]));
        for (entry, expected) in [
            (r#"{"type":"human","data":{"content":"a","name":"x","id":"1"}}"#, Some(said(true, "a"))),
            (
                r#"{"type":"ai","data":{"content":[{"type":"text","text":"a"},{"type":"image_url"},"b"]}}"#,
                Some(said(false, "a\nb")),
            ),
            (r#"{"type":"generic","data":{"content":"a","role":"assistant"}}"#, Some(said(false, "a"))),
            (r#"{"type":"human","text":"a"}"#, Some(said(true, "a"))),
            (r#"{"type":"ai","data":{"content":"","tool_calls":[{"name":"x"}]}}"#, None),
            (r#"{"type":"tool","data":{"content":"42","tool_call_id":"1"}}"#, None),
            (r#"{"type":"system","data":{"content":"Obey."}}"#, None),
        ] {
            assert_eq!(read(&[entry]), Some(expected.into_iter().collect()), "{entry}");
        }
    }

    #[test]
    fn what_another_program_keeps_is_no_message() {
        for entry in [
            "",
            "job 7",
            "7",
            "{}",
            "[]",
            r#"{"type":"human"}"#,
            r#"{"type":7,"data":{"content":"a"}}"#,
            r#"{"type":"human","data":{"content":7}}"#,
            r#"{"task":"x","data":{"content":"a"}}"#,
        ] {
            let [human, _] = pair("a", "b");
            assert_eq!(read(&[&human, entry]), None, "{entry}");
        }
    }

    #[test]
    fn a_window_of_nothing_holds_everything() {
        for (size, holds) in [(None, MEMORY_MESSAGES_MAX), (Some(0), MEMORY_MESSAGES_MAX), (Some(3), 3)] {
            assert_eq!(window(size), holds);
        }
    }
}
