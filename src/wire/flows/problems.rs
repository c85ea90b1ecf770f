//! What is wrong with cards, and which of their settings a request may change (manual 5.10, 7.1 r2).

use crate::domain::flows::card_problems::{CardProblems, OverridableSetting};
use serde::{Deserialize, Serialize};

/// A canvas that is being drawn, to be judged.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CanvasToValidate {
    /// JSON text of `{nodes, edges, viewport}`.
    pub flow_data: String,
}

/// What is wrong with a card.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CardProblems"))]
pub(crate) struct CardProblemsView {
    /// The card's node; empty for the flow as a whole.
    id: String,
    label: String,
    name: String,
    issues: Vec<String>,
    /// The flow cannot answer until they are mended.
    blocks: bool,
}

impl From<CardProblems> for CardProblemsView {
    fn from(CardProblems { id, label, name, issues, blocks }: CardProblems) -> Self {
        Self { id, label, name, issues, blocks }
    }
}

/// A setting that a request may be allowed to change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "AllowableSetting"))]
pub(crate) struct OverridableSettingView {
    node: String,
    node_id: String,
    label: &'static str,
    name: &'static str,
    r#type: String,
}

impl From<OverridableSetting> for OverridableSettingView {
    fn from(OverridableSetting { node, node_id, label, name, kind }: OverridableSetting) -> Self {
        Self { node, node_id, label, name, r#type: kind }
    }
}
