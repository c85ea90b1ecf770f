//! Harnesses, and questions to them (manual 22.6).

use super::question::{QuestionBody, Upload};
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::ids::FlowId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question to a harness. Every field may be `null`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct HarnessQuestion {
    /// Required.
    pub question: Option<String>,
    /// Goes on with a conversation, when its token comes along.
    pub chat_id: Option<String>,
    /// Proof of a conversation, from an earlier answer.
    pub session_token: Option<String>,
    /// Answers as a stream of events.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<super::question::Switch>"))]
    pub streaming: Option<Value>,
    pub uploads: Option<Vec<Upload>>,
}

impl From<HarnessQuestion> for QuestionBody {
    fn from(sent: HarnessQuestion) -> Self {
        let HarnessQuestion { question, chat_id, session_token, streaming, uploads } = sent;
        Self { question, chat_id, session_token, streaming, uploads, ..Self::default() }
    }
}

/// A harness that can be asked.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct HarnessView {
    pub name: HarnessName,
    /// The flow that it is.
    pub flow_id: FlowId,
    /// In the order of the team.
    pub specialists: Vec<SpecialistView>,
}

/// A specialist of a harness.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct SpecialistView {
    pub name: HarnessName,
    /// What it can do.
    pub description: String,
}
