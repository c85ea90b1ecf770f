//! An answer on the wire, whole or as the `metadata` of a stream (manual 2.6).

use super::ask::PredictionRun;
use crate::domain::predictions::prediction::RunOutput;
use serde_json::{Map, Value, json};

/// A finished answer.
#[derive(Debug, Clone)]
pub struct PredictionAnswer {
    pub outcome: RunOutput,
    pub session_token: String,
    facts: Map<String, Value>,
    is_stream_valid: bool,
}

impl PredictionAnswer {
    pub(super) fn new(entry: &PredictionRun, outcome: RunOutput, session_token: String) -> Self {
        let mut facts = Map::new();
        facts.insert("question".into(), entry.question.text.clone().into());
        facts.insert("chatId".into(), entry.ids.chat.to_string().into());
        facts.insert("chatMessageId".into(), entry.ids.answer.to_string().into());
        let named = entry.session_name.as_ref().map(|name| name.as_str().to_owned());
        facts.insert("sessionId".into(), named.unwrap_or_else(|| entry.ids.chat.to_string()).into());
        if let Some(memory) = &entry.plan.memory_type {
            facts.insert("memoryType".into(), memory.clone().into());
        }
        if let Some(usage) = &outcome.usage {
            facts.insert("usageMetadata".into(), usage.wire());
        }
        if !outcome.flow_variables.is_empty() {
            facts.insert("flowVariables".into(), Value::Object(outcome.flow_variables.clone()));
        }
        if !outcome.follow_up_prompts.is_empty() {
            // Clients read JSON text here, in both modes (manual 2.6).
            facts.insert("followUpPrompts".into(), json!(outcome.follow_up_prompts).to_string().into());
        }
        Self { outcome, session_token, facts, is_stream_valid: entry.question.streaming && entry.streams }
    }

    /// The `metadata` event: no session token (manual 2.8).
    #[must_use]
    pub fn metadata(&self) -> Value {
        Value::Object(self.facts.clone())
    }

    #[must_use]
    pub fn into_json(self) -> Value {
        let lists = self.lists();
        let mut reply = Map::with_capacity(self.facts.len() + lists.len() + 4);
        reply.insert("text".into(), self.outcome.text.into());
        if let Some(json) = self.outcome.json {
            reply.insert("json".into(), json);
        }
        reply.extend(self.facts);
        reply.insert("isStreamValid".into(), self.is_stream_valid.into());
        reply.extend(lists.into_iter().map(|(name, list)| (name.to_owned(), list)));
        reply.insert("sessionToken".into(), self.session_token.into());
        Value::Object(reply)
    }

    /// The lists that are sent only when they hold something, by their event and field name.
    #[must_use]
    pub fn lists(&self) -> Vec<(&'static str, Value)> {
        let RunOutput { source_documents, used_tools, .. } = &self.outcome;
        let documents = (!source_documents.is_empty()).then(|| ("sourceDocuments", json!(source_documents)));
        let tools = (!used_tools.is_empty()).then(|| ("usedTools", json!(used_tools)));
        documents.into_iter().chain(tools).collect()
    }
}
