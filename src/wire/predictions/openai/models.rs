//! Flows, as OpenAI's protocol lists models.

use crate::domain::flows::flow::Flow;
use crate::domain::ids::FlowId;
use serde::Serialize;

/// A flow that this key may ask.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "OpenAiModel"))]
pub struct ModelView {
    id: FlowId,
    object: &'static str,
    /// When the flow was made, in seconds since 1970.
    created: i64,
    owned_by: &'static str,
    name: String,
}

impl From<&Flow> for ModelView {
    fn from(flow: &Flow) -> Self {
        Self {
            id: flow.id,
            object: "model",
            created: flow.created.as_second(),
            owned_by: "flowkeep",
            name: flow.name.clone(),
        }
    }
}

/// The flows that this key may ask.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "OpenAiModels"))]
pub struct ModelsView {
    object: &'static str,
    data: Vec<ModelView>,
}

impl ModelsView {
    pub fn new(data: Vec<ModelView>) -> Self {
        Self { object: "list", data }
    }
}
