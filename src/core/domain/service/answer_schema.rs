//! The keys that a model's answer must have, as an owner lists them in a card.

use serde_json::Value;

/// What a list of keys comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSchema {
    /// What the model is sent, and an answer that fits it; `None` while something is wrong, or no key is there.
    pub form: Option<AnswerForm>,
    pub faults: Vec<KeyFault>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AnswerForm {
    /// JSON Schema.
    pub schema: Value,
    pub example: Value,
}

/// What is wrong with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFault {
    /// Its row, counted from 0.
    pub row: usize,
    /// The input of the row.
    pub field: &'static str,
    /// What that input is called.
    pub label: &'static str,
    /// A phrase: `list at least one value`.
    pub message: String,
}

impl KeyFault {
    /// Where it is and what it is, as the rest of a sentence.
    #[must_use]
    pub fn phrase(&self) -> String {
        format!("row {}: {}: {}", self.row + 1, self.label, self.message)
    }

    /// What it is, beside its row.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{}: {}.", self.label, self.message)
    }
}
