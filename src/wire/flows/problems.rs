//! What is wrong with cards, and which of their settings a request may change (manual 5.10, 7.1 r2).

use crate::domain::flows::card_problems::{CardProblems, LostConnection, OverridableSetting};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A canvas that is being drawn, to be judged.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct CanvasToValidate {
    /// JSON text of `{nodes, edges, viewport}`.
    pub flow_data: String,
}

/// What is wrong with a card.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CardProblems"))]
pub struct CardProblemsView {
    /// The card's node; empty for the flow as a whole.
    id: String,
    label: String,
    name: String,
    issues: Vec<String>,
    /// Which of the issues speak of a connection that leads nowhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<LostConnectionView>,
    /// The flow cannot answer until they are mended.
    blocks: bool,
}

impl From<CardProblems> for CardProblemsView {
    fn from(CardProblems { id, label, name, issues, lost, blocks }: CardProblems) -> Self {
        let lost = lost.into_iter().map(|LostConnection { edge, issue }| LostConnectionView { edge, issue });
        Self { id, label, name, issues, lost: lost.collect(), blocks }
    }
}

/// A connection of which an end is no more.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "LostConnection"))]
struct LostConnectionView {
    /// Its id on the canvas; empty where it has none.
    edge: String,
    /// What is said of it among the issues.
    issue: String,
}

/// A setting that a request may be allowed to change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AllowableSetting"))]
pub struct OverridableSettingView {
    node: String,
    node_id: String,
    label: String,
    name: String,
    r#type: String,
    /// What each field holds that may be sent: of the rows of a list, or of the settings of a card that is picked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "BTreeMap<String, String>"))]
    schema: Option<BTreeMap<&'static str, String>>,
}

impl From<OverridableSetting> for OverridableSettingView {
    fn from(OverridableSetting { node, node_id, label, name, kind, schema }: OverridableSetting) -> Self {
        Self { node, node_id, label, name, r#type: kind, schema }
    }
}
