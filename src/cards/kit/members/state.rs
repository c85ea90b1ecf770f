//! What all members of a run read and write.

use super::MemberTurn;
use crate::llm::ChatMessage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A key of the state, beside the messages.
#[derive(Debug, Clone, PartialEq)]
pub struct StateKey {
    pub name: String,
    /// What is written is added to what is there, and takes no place.
    pub appends: bool,
    pub default: Value,
}

/// Who said a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    pub node: String,
    /// What the others call it; empty for what is to look like a person's words.
    pub name: String,
}

/// A message of the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedMessage {
    /// None for the person who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    pub message: ChatMessage,
}

impl SharedMessage {
    #[must_use]
    pub fn from_person(text: &str) -> Self {
        Self { author: None, message: ChatMessage::user(text) }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharedState {
    pub messages: Vec<SharedMessage>,
    pub keys: Map<String, Value>,
}

impl SharedState {
    /// Adds what a turn of `node` came to.
    pub fn apply(&mut self, declared: &[StateKey], node: &str, name: &str, turn: &MemberTurn) {
        let name = if turn.as_person { "" } else { name };
        let author = Author { node: node.to_owned(), name: name.to_owned() };
        let said = turn.messages.iter().cloned();
        self.messages.extend(said.map(|message| SharedMessage { author: Some(author.clone()), message }));
        for (key, value) in &turn.updates {
            let appends = declared.iter().any(|declared| declared.name == *key && declared.appends);
            let value = if appends { joined(self.keys.get(key), value) } else { value.clone() };
            self.keys.insert(key.clone(), value);
        }
    }

    /// The newest text that the node said.
    #[must_use]
    pub fn newest_of(&self, node: &str) -> Option<String> {
        let is_own = |said: &&SharedMessage| said.author.as_ref().is_some_and(|author| author.node == node);
        self.messages.iter().rev().find(is_own).map(|said| said.message.text())
    }

    /// The state as conditions, tables and code read it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut state = self.keys.clone();
        state.insert("messages".to_owned(), self.messages.iter().map(message_json).collect());
        state.into()
    }
}

fn joined(before: Option<&Value>, more: &Value) -> Value {
    let mut list = match before {
        Some(Value::Array(list)) => list.clone(),
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(other) => vec![other.clone()],
    };
    match more {
        Value::Array(more) => list.extend(more.iter().cloned()),
        one => list.push(one.clone()),
    }
    list.into()
}

fn message_json(said: &SharedMessage) -> Value {
    let role = match said.message {
        ChatMessage::System(_) => "system",
        ChatMessage::User(_) => "user",
        ChatMessage::Assistant { .. } => "assistant",
        ChatMessage::Tool { .. } => "tool",
    };
    let mut shown = json!({"role": role, "content": said.message.text()});
    if let Some(author) = said.author.as_ref().filter(|author| !author.name.is_empty()) {
        shown["name"] = author.name.as_str().into();
    }
    if let ChatMessage::Assistant { calls, .. } = &said.message
        && !calls.is_empty()
    {
        let call =
            |call: &crate::llm::ToolCall| json!({"id": call.id, "name": call.name, "args": call.arguments});
        shown["tool_calls"] = calls.iter().map(call).collect();
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(key: &str, value: Value) -> MemberTurn {
        MemberTurn { updates: Map::from_iter([(key.to_owned(), value)]), ..MemberTurn::default() }
    }

    #[test]
    fn a_key_is_replaced_or_grows_as_it_is_declared() {
        let keys = [StateKey { name: "list".to_owned(), appends: true, default: json!([]) }];
        let mut state =
            SharedState { keys: Map::from_iter([("list".to_owned(), json!([]))]), ..SharedState::default() };
        for value in [json!("a"), json!(["b", "c"])] {
            state.apply(&keys, "n", "N", &update("list", value.clone()));
            state.apply(&keys, "n", "N", &update("newest", value));
        }
        assert_eq!(Value::Object(state.keys), json!({"list": ["a", "b", "c"], "newest": ["b", "c"]}));
    }

    #[test]
    fn code_reads_messages_by_who_said_them() {
        let mut state =
            SharedState { messages: vec![SharedMessage::from_person("Hi")], ..SharedState::default() };
        state.apply(&[], "seqAgent_0", "Ann", &MemberTurn::said("Hello".to_owned()));
        let said = json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello", "name": "Ann"}]);
        assert_eq!(state.to_json()["messages"], said);
        assert_eq!(state.newest_of("seqAgent_0").as_deref(), Some("Hello"));
        assert_eq!(state.newest_of("seqAgent_1"), None);
    }
}
