//! A member that asks a person before it runs tools.

use super::flow_values::FlowValues;
use super::prompting;
use crate::domain::error::Result;
use crate::kit::build::prompt::BraceText;
use crate::kit::{Decision, Input, Inputs, Model, NullSink};
use crate::llm::{ChatMessage, ChatRequest, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

const DEFAULT_PROMPT: &str = "These tools are about to be called: {tools}. Ask the person in one short sentence whether that may be done.";
const DEFAULT_APPROVE: &str = "Yes";
const DEFAULT_REJECT: &str = "No";

pub(crate) const REQUIRED: Input = Input::switch("interrupt", "Require Approval").optional().help(
    "A person is asked before tools run. The next question that is the text of a button is the answer.",
);
pub(crate) const PROMPT: Input = Input::lines("approvalPrompt", "Approval Prompt")
    .or(DEFAULT_PROMPT)
    .additional()
    .braces()
    .help("What the model makes the question to the person of; {tools} stands for the calls.");
pub(crate) const APPROVE: Input =
    Input::text("approveButtonText", "Approve Button Text").or(DEFAULT_APPROVE).additional();
pub(crate) const REJECT: Input =
    Input::text("rejectButtonText", "Reject Button Text").or(DEFAULT_REJECT).additional();

/// How a member asks.
pub(crate) struct Approver {
    prompt: BraceText,
    approve: String,
    reject: String,
}

/// What a person is asked, and what the member goes on with afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub id: String,
    pub text: String,
    /// The texts of the two buttons.
    pub approve: String,
    pub reject: String,
    pub calls: Vec<ToolCall>,
    /// The member's own note.
    pub note: Value,
}

/// What a person decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalAnswer {
    pub decision: Decision,
    pub approval: Approval,
}

impl Approver {
    /// `None` for a member that asks nobody.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Option<Self> {
        let text = |name: &str, or: &str| {
            inputs.optional_text(name).filter(|text| !text.trim().is_empty()).unwrap_or_else(|| or.to_owned())
        };
        inputs.switch(REQUIRED.name).then(|| Self {
            prompt: inputs.optional_brace_text(PROMPT.name).unwrap_or_default(),
            approve: text(APPROVE.name, DEFAULT_APPROVE),
            reject: text(REJECT.name, DEFAULT_REJECT),
        })
    }

    /// Has the model write the question to the person.
    pub(crate) fn ask(
        &self,
        label: &str,
        model: &Model,
        mut messages: Vec<ChatMessage>,
        calls: Vec<ToolCall>,
        note: Value,
        values: &FlowValues<'_>,
    ) -> Result<Approval> {
        let listed = serde_json::to_string(&calls.iter().map(shown).collect::<Vec<_>>()).unwrap_or_default();
        let prompt = prompting::fill(label, &self.prompt, &Map::new(), &[("tools", &listed)], values)?;
        messages.push(ChatMessage::user(prompt));
        let request = ChatRequest { messages, ..ChatRequest::default() };
        let written = model.ask(&request, values.turn.host, &mut NullSink)?.text;
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        let plain = || format!("Shall {} be called?", names.join(", "));
        Ok(Approval {
            id: uuid::Uuid::new_v4().to_string(),
            text: if written.trim().is_empty() { plain() } else { written },
            approve: self.approve.clone(),
            reject: self.reject.clone(),
            calls,
            note,
        })
    }
}

fn shown(call: &ToolCall) -> Value {
    json!({"name": call.name, "args": call.arguments})
}

impl Approval {
    /// The question as clients show it: two buttons.
    #[must_use]
    pub fn action(&self) -> Map<String, Value> {
        let calls: Vec<Value> = self
            .calls
            .iter()
            .map(
                |call| json!({"id": call.id, "name": call.name, "args": call.arguments, "type": "tool_call"}),
            )
            .collect();
        let action = json!({
            "id": self.id,
            "mapping": {"approve": self.approve, "reject": self.reject, "toolCalls": calls},
            "elements": [
                {"type": "approve-button", "label": self.approve},
                {"type": "reject-button", "label": self.reject},
            ],
        });
        match action {
            Value::Object(action) => action,
            _ => Map::new(),
        }
    }

    /// What a text decides; `None` for a text that is neither of the two.
    #[must_use]
    pub fn decision(&self, text: &str) -> Option<Decision> {
        match text.trim() {
            text if text == self.approve.trim() => Some(Decision::Proceed),
            text if text == self.reject.trim() => Some(Decision::Reject),
            _ => None,
        }
    }
}

/// What a model is told of calls that a person declined.
pub(crate) const DECLINED: &str =
    "The person declined this call. Do not call it again; acknowledge that, and ask what to do instead.";

/// The results of calls that a person declined.
pub(crate) fn declined(calls: &[ToolCall]) -> Vec<ChatMessage> {
    calls.iter().map(|call| ChatMessage::result(call.id.as_str(), call.name.as_str(), DECLINED)).collect()
}
