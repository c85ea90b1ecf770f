//! Zep Memory: a conversation kept by a Zep server that its owner runs, which sums up what is older.

use super::buffer_window::SESSION_INPUTS;
use super::stored_messages;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{HistoryMessage, MessageRole};
use crate::kit::models::notes;
use crate::kit::stores::remote::{endpoint, in_path, missing_input};
use crate::kit::{
    Capability, Card, Category, Conversations, Factory, Grant, Host, Input, Memory, Need, Risk, RunContext,
};
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Value, json};
use std::sync::Arc;

/// Who says what, as the server notes it.
const PERSON: &str = "humanPrefix";
const MODEL: &str = "aiPrefix";

pub(crate) const CARD: Card = Card {
    name: "ZepMemory",
    label: "Zep Memory - Open Source",
    version: 2.0,
    category: Category::Memory,
    description: "Keeps the conversation on a Zep server, which sums up what is older.",
    base_classes: &["ZepMemory", "BaseChatMemory", "BaseMemory"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Conversations)],
    inputs: &[
        Input::credential(&["zepMemoryApi"])
            .optional()
            .help("Only for a server that asks for a key, when it is set to."),
        Input::address("baseURL", "Base URL").or("http://127.0.0.1:8000"),
        SESSION_INPUTS[0],
        Input::whole("k", "Size", 1.0, 10_000.0)
            .or("10")
            .additional()
            .help("How many of the newest messages are sent, beside the summary."),
        Input::text(MODEL, "AI Prefix").or("ai").additional(),
        Input::text(PERSON, "Human Prefix").or("human").additional(),
        SESSION_INPUTS[1],
    ],
    outputs: &[],
    make: Factory::Memory(|inputs| {
        let base = inputs.address("baseURL").ok_or_else(|| missing_input(inputs, "baseURL"))?;
        let key = inputs.optional_secret("apiKey").map(|key| ("authorization", format!("Bearer {key}")));
        Ok(Arc::new(ZepMemory {
            label: inputs.label.to_owned(),
            session: inputs.optional_text("sessionId"),
            newest: stored_messages::window(inputs.whole("k")?),
            person: inputs.text(PERSON)?,
            model: inputs.text(MODEL)?,
            conversations: inputs.need()?,
            endpoint: endpoint(inputs, &base, key.as_slice()),
        }))
    }),
};

struct ZepMemory {
    label: String,
    /// A fixed session the owner chose; `None` is the conversation of the request.
    session: Option<String>,
    newest: usize,
    person: String,
    model: String,
    conversations: Grant<dyn Conversations>,
    endpoint: Endpoint,
}

impl ZepMemory {
    /// Where the memory of the session is that this run is of.
    fn path(&self, host: &dyn Host) -> Result<String> {
        self.path_of(&self.conversations.of(host)?.memory_session(self.session.as_deref())?)
    }

    fn path_of(&self, session: &str) -> Result<String> {
        // Such a name would lead to another place.
        if session.chars().all(|c| c == '.') {
            return Err(Error::RunFailed(format!("{}: a session cannot be named by dots alone", self.label)));
        }
        Ok(format!("/api/v1/sessions/{}/memory", in_path(session)))
    }

    /// The messages of a session, which may not be there yet. Those by neither of the two, and those without text, are left
    /// out. `None` where it is something else.
    fn parse(&self, found: &Value) -> Option<Vec<HistoryMessage>> {
        let list = match found.get("messages") {
            Some(Value::Array(list)) => list.as_slice(),
            Some(Value::Null) => &[],
            Some(_) => return None,
            None if matches!(found, Value::Null | Value::Object(_)) => &[],
            None => return None,
        };
        let mut messages = Vec::new();
        for said in list {
            let (role, text) = (said["role"].as_str()?, said["content"].as_str()?);
            let speaker = if role == self.person {
                MessageRole::User
            } else if role == self.model {
                MessageRole::Api
            } else {
                continue;
            };
            if !text.trim().is_empty() {
                messages.push(HistoryMessage::new(speaker, text.to_owned()));
            }
        }
        Some(messages)
    }
}

impl Memory for ZepMemory {
    fn messages(&self, turn: &RunContext<'_>) -> Result<Vec<HistoryMessage>> {
        let path = format!("{}?lastn={}", self.path(turn.host)?, self.newest);
        let found = self.endpoint.get_optional(&path, turn.host.cancel());
        let found = found.map_err(|fault| fault.at(&self.label))?.unwrap_or_default();
        let kept = self
            .parse(&found)
            .ok_or_else(|| ModelError::Garbled("it is no memory of a session".into()).at(&self.label))?;
        let summary = found["summary"]["content"].as_str().filter(|summary| !summary.trim().is_empty());
        let said = stored_messages::messages_to_send(turn, kept, self.newest);
        Ok(summary.map(notes::message_of).into_iter().chain(said).collect())
    }

    fn append(&self, question: &str, answer: &str, host: &dyn Host) -> Result<()> {
        // One request for both: a question without its answer would mislead whoever goes on.
        let said = json!({"messages": [
            {"role": self.person, "content": question}, {"role": self.model, "content": answer},
        ]});
        let done = self.endpoint.send_only(&Method::POST, &self.path(host)?, Some(&said), host.cancel());
        done.map_err(|fault| fault.at(&self.label))
    }

    fn forget(&self, session: &str, host: &dyn Host) -> Result<()> {
        if self.session.is_some() {
            return Ok(());
        }
        match self.endpoint.send_only(&Method::DELETE, &self.path_of(session)?, None, host.cancel()) {
            Err(ModelError::Provider { status: 404, .. }) => Ok(()),
            done => done.map_err(|fault| fault.at(&self.label)),
        }
    }
}
