//! What references stand for at one step of a run (manual 16.2).

use super::Scope;
use crate::canvas::template::{RunText, RunValue};
use crate::cards::kit::{CONTENT, ConversationPast, RunContext, StartValues};
use crate::domain::predictions::prediction::HistoryMessage;
use crate::engine::agentflow::record::{OUTPUT, StepRecord};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// The conversation as lines, asked for as `{{$flow.…}}`.
const CHAT_HISTORY: &str = "chatHistory";
const RUNTIME_LENGTH: &str = "runtimeChatHistoryLength";

/// What a step knows: what came before it along the connections that were taken.
pub(in crate::engine) struct StepScope<'a> {
    pub(in crate::engine::agentflow) turn: &'a RunContext<'a>,
    pub(in crate::engine::agentflow) start: &'a StartValues,
    pub(in crate::engine::agentflow) conversation: &'a dyn ConversationPast,
    /// The steps before it, in the order of the record.
    pub(in crate::engine::agentflow) before: &'a [Arc<StepRecord>],
    pub(in crate::engine::agentflow) said: &'a [HistoryMessage],
    pub(in crate::engine::agentflow) state: &'a Map<String, Value>,
    /// The item of the innermost iteration around the step.
    pub(in crate::engine::agentflow) item: Option<&'a Value>,
    /// What the step made, once it ran.
    pub(in crate::engine::agentflow) own_output: Option<&'a Map<String, Value>>,
}

impl Scope for StepScope<'_> {
    fn text(&self, name: &RunText) -> Option<Cow<'_, str>> {
        let owned = match name {
            RunText::Question => return Some(self.turn.question.into()),
            RunText::FileAttachment => return Some(self.turn.documents.into()),
            RunText::ChatHistory => self.chat_history(),
            RunText::RuntimeMessagesLength => self.said.len().saturating_sub(1).to_string(),
            RunText::LoopCount => self.loop_count().to_string(),
            RunText::CurrentDateTime => self.turn.host.now().to_string(),
            RunText::Variable(name) => self.turn.host.variable(name)?,
            RunText::Flow(name) if name == CHAT_HISTORY => self.chat_history(),
            RunText::Flow(name) if name == RUNTIME_LENGTH => self.said.len().to_string(),
            RunText::Flow(name) => self.turn.host.fact(name)?,
            RunText::NodeContent(id) => return self.node_content(id),
        };
        Some(owned.into())
    }

    fn value(&self, name: &RunValue) -> Option<Cow<'_, Value>> {
        let owned = |map: &Map<String, Value>| Some(Cow::Owned(Value::Object(map.clone())));
        match name {
            RunValue::Form => owned(self.start.form.as_ref()?),
            RunValue::Webhook => self.start.webhook.as_ref().map(Cow::Borrowed),
            RunValue::Iteration => self.item.map(Cow::Borrowed),
            RunValue::State => owned(self.state),
            RunValue::NodeOutput(id) => self.newest(id)?.entry.data.get(OUTPUT).map(Cow::Borrowed),
            RunValue::OwnOutput => owned(self.own_output?),
        }
    }
}

impl<'a> StepScope<'a> {
    /// Of a card that stands in no agentflow: nothing came before it.
    pub(in crate::engine) const fn alone(
        turn: &'a RunContext<'a>,
        start: &'a StartValues,
        conversation: &'a dyn ConversationPast,
        state: &'a Map<String, Value>,
    ) -> Self {
        Self { turn, start, conversation, before: &[], said: &[], state, item: None, own_output: None }
    }
}

impl StepScope<'_> {
    /// The newest entry of a node that came before.
    fn newest(&self, id: &str) -> Option<&StepRecord> {
        self.before.iter().rev().find(|step| step.entry.node_id == id).map(|step| &**step)
    }

    /// The text of a node; the body that it was answered with, where it is a call.
    fn node_content(&self, id: &str) -> Option<Cow<'_, str>> {
        let output = self.newest(id)?.output()?;
        let value = output.get(CONTENT).or_else(|| output.get("http")?.get("data"))?;
        Some(value.as_str().map_or_else(|| value.to_string().into(), Cow::Borrowed))
    }

    /// How often the newest loop before the step went back.
    fn loop_count(&self) -> u32 {
        self.before.iter().rev().find_map(|step| step.loop_count).unwrap_or(0)
    }

    fn chat_history(&self) -> String {
        // A conversation that cannot be read fails where it is needed: in the memory of a model.
        let past = self.conversation.messages().unwrap_or_default();
        let lines = self.turn.history.iter().chain(&past).chain(self.said).map(HistoryMessage::line);
        lines.collect::<Vec<_>>().join("\n")
    }
}
