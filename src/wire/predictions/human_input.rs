//! An answer to a step that waits for a person (manual 16.5).

use crate::domain::predictions::human_input::{Decision, HumanInput};
use serde::Deserialize;

/// What a person decided. Without an id of an action or a node the first pause of the conversation that is open is meant.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "HumanInput"))]
pub struct HumanInputBody {
    r#type: DecisionBody,
    /// The node that waits.
    start_node_id: Option<String>,
    /// The action of the answer that asked.
    action_id: Option<String>,
    feedback: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum DecisionBody {
    Proceed,
    Reject,
}

impl From<HumanInputBody> for HumanInput {
    fn from(body: HumanInputBody) -> Self {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Self {
            decision: match body.r#type {
                DecisionBody::Proceed => Decision::Proceed,
                DecisionBody::Reject => Decision::Reject,
            },
            action: given(body.action_id),
            node: given(body.start_node_id),
            feedback: given(body.feedback),
        }
    }
}
