//! A flow: what answers questions (manual 5.1).

use super::harness_name::HarnessName;
use super::settings::FlowSettings;
use super::version::Sha;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The kinds of flow (manual 5.1 r1). The wire form is upper case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "test-support", schemars(rename = "FlowType", description = "The kind of a flow."))]
pub enum FlowKind {
    // A chat canvas: components wired to an ending card.
    Chatflow,
    // A step canvas with a Start card.
    Agentflow,
    // The legacy multi-agent and sequential-agent canvases.
    Multiagent,
    Assistant,
    // An agent team addressed by name.
    Harness,
    Etl,
}

impl FlowKind {
    /// Every kind, for lists and messages.
    pub const ALL: [Self; 6] =
        [Self::Chatflow, Self::Agentflow, Self::Multiagent, Self::Assistant, Self::Harness, Self::Etl];

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chatflow => "CHATFLOW",
            Self::Agentflow => "AGENTFLOW",
            Self::Multiagent => "MULTIAGENT",
            Self::Assistant => "ASSISTANT",
            Self::Harness => "HARNESS",
            Self::Etl => "ETL",
        }
    }

    /// Judges whether flows of this kind answer questions.
    ///
    /// # Errors
    /// 400 for a pipeline, which is started another way: the request names the wrong flow, and the flow is at no fault.
    pub fn require_answers(self) -> Result<()> {
        match self {
            Self::Etl => Err(Error::invalid(
                "A flow of type ETL answers no questions: start it with POST /etl/:id/runs.",
            )),
            Self::Chatflow | Self::Agentflow | Self::Multiagent | Self::Assistant | Self::Harness => Ok(()),
        }
    }

    /// The permission group that governs flows of this kind (manual 1.7 r2).
    #[must_use]
    pub const fn resource(self) -> &'static str {
        match self {
            Self::Chatflow | Self::Harness | Self::Etl => "chatflows",
            Self::Agentflow | Self::Multiagent => "agentflows",
            Self::Assistant => "assistants",
        }
    }
}

impl fmt::Display for FlowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// SHA-256 of a canvas text and its kind: equal digests mean the same Live.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CanvasDigest([u8; 32]);

impl CanvasDigest {
    /// Digests a canvas as it stands in the database.
    #[must_use]
    pub fn compute(kind: FlowKind, flow_data: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(kind.as_str());
        hash.update([0]);
        hash.update(flow_data);
        Self(hash.finalize().into())
    }
}

impl fmt::Debug for CanvasDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The version of Dev that became Live here last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastPromotion {
    /// On Dev.
    pub from: Sha,
    /// When it became Live here.
    pub date: Timestamp,
}

/// A flow record without its canvas, which lies in a table of its own, so that reading the settings for a request
/// does not read a text that may be megabytes long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    pub id: FlowId,
    pub workspace: WorkspaceId,
    pub name: String,
    pub kind: FlowKind,
    /// Tags, `;`-separated as Flowise's page writes them.
    pub category: Option<String>,
    pub digest: CanvasDigest,
    /// How many cards Live holds; a flow without cards serves nothing (manual 2.2 r3).
    pub card_count: u32,
    /// What its team is called, where it is a harness that is drawn.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub harness: Option<HarnessName>,
    pub settings: FlowSettings,
    /// The last Publish or Roll back (manual 5.5).
    #[serde(default)]
    pub last_published: Option<super::draft::LastPublish>,
    /// The version of Dev that was promoted here last (manual 20.1).
    #[serde(default)]
    pub last_promoted: Option<LastPromotion>,
    /// What answers; `None` where nobody knows: with no history, and for what earlier programs stored until it was looked up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub live_version: Option<super::live_version::LiveVersion>,
    /// When it was made.
    pub created: Timestamp,
    pub updated: Timestamp,
}

/// A flow with its canvas text.
#[derive(Debug, Clone)]
pub struct FlowWithCanvas {
    pub flow: Flow,
    /// `flowData`.
    pub canvas: String,
    /// Calls of its webhook can be signed.
    pub has_webhook_secret: bool,
}

/// A page that the Allowed Domains of a flow turned away lately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedOrigin {
    /// `scheme://host[:port]`, or `null` for a page that has no site, such as a file.
    pub origin: String,
    pub count: u64,
    pub last: Timestamp,
}

/// What a chat of a flow can count on, before anybody types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ChatState {
    Live,
    /// Live is empty.
    Unpublished,
    /// Flows of this kind do not run here.
    Unsupported,
}

impl Flow {
    /// What whoever opens a chat of this flow may be told at once.
    #[must_use]
    pub fn chat_state(&self) -> ChatState {
        if self.card_count == 0 {
            ChatState::Unpublished
        } else if self.kind.require_answers().is_err() {
            ChatState::Unsupported
        } else {
            ChatState::Live
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_tells_kinds_apart() {
        assert_ne!(
            CanvasDigest::compute(FlowKind::Chatflow, "{}"),
            CanvasDigest::compute(FlowKind::Agentflow, "{}")
        );
    }
}
