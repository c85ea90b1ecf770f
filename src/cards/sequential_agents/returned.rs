//! What becomes of a value that a card made without a model.

use crate::domain::error::Result;
use crate::kit::build::code::as_text;
use crate::kit::members::{MemberTurn, fault};
use crate::kit::{Choice, Input, Inputs};
use crate::llm::ChatMessage;
use serde_json::Value;

pub(super) const INPUT: Input = Input::choice(
    "returnValueAs",
    "Return Value As",
    &[
        Choice::new("aiMessage", "AI Message"),
        Choice::new("humanMessage", "Human Message"),
        Choice::new("stateObj", "State Object"),
    ],
)
.or("aiMessage");

/// Where the value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReturnAs {
    Member,
    Person,
    State,
}

impl ReturnAs {
    pub(super) fn from_inputs(inputs: &Inputs<'_>) -> Self {
        match inputs.optional_text(INPUT.name).as_deref() {
            Some("humanMessage") => Self::Person,
            Some("stateObj") => Self::State,
            _ => Self::Member,
        }
    }

    /// # Errors
    /// When what is to be written into the state is no object.
    pub(super) fn turn(self, label: &str, value: Value) -> Result<MemberTurn> {
        let text = as_text(&value);
        match self {
            Self::Member => Ok(MemberTurn::said(text)),
            Self::Person => {
                let said = MemberTurn::said(text.clone());
                Ok(MemberTurn { messages: vec![ChatMessage::user(text)], as_person: true, ..said })
            }
            Self::State => {
                let read = match value {
                    Value::String(text) => serde_json::from_str(&text).unwrap_or_default(),
                    other => other,
                };
                let Value::Object(updates) = read else {
                    return Err(fault(label, "what is returned as a state object must be an object"));
                };
                let said = MemberTurn::said(text);
                Ok(MemberTurn { messages: Vec::new(), updates, ..said })
            }
        }
    }
}
