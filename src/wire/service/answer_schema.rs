//! The keys that a model's answer must have, as an editor shows them.

use crate::domain::service::answer_schema::{AnswerSchema, KeyFault};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The keys as the card has them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AnswerKeys"))]
pub struct AnswerKeys {
    /// Each with `key`, `type`, `enumValues`, `jsonSchema` and `description`.
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<serde_json::Map<String, Value>>"))]
    pub rows: Vec<Value>,
}

/// What the model is sent for them, or what is wrong with them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AnswerSchema"))]
pub struct AnswerSchemaView {
    /// JSON Schema; absent while something is wrong, or no key is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Value>,
    /// An answer that fits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
    faults: Vec<KeyFaultView>,
}

/// What is wrong with a key.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "KeyFault"))]
struct KeyFaultView {
    /// Its row, counted from 0.
    row: usize,
    /// The input of the row.
    field: &'static str,
    message: String,
}

impl From<AnswerSchema> for AnswerSchemaView {
    fn from(AnswerSchema { form, faults }: AnswerSchema) -> Self {
        let (schema, example) = form.map(|form| (form.schema, form.example)).unzip();
        Self { schema, example, faults: faults.into_iter().map(KeyFaultView::from).collect() }
    }
}

impl From<KeyFault> for KeyFaultView {
    fn from(fault: KeyFault) -> Self {
        Self { row: fault.row, field: fault.field, message: fault.sentence() }
    }
}
