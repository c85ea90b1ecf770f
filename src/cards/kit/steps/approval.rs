//! What a person is asked when a step waits for them.

use crate::domain::predictions::human_input::Decision;
use crate::kit::schema::input::Input;
use serde_json::{Value, json};

/// Longest wait for a person: thirty days.
const WAIT_SECONDS_MAX: f64 = 2_592_000.0;

/// How long a step waits.
#[must_use]
pub(crate) const fn timeout_input(name: &'static str, label: &'static str) -> Input {
    Input::whole(name, label, 1.0, WAIT_SECONDS_MAX).additional().help(
        "After so many seconds without an answer it counts as rejected. Empty: it waits as long as it takes.",
    )
}

/// The question to the person, as clients show it: two buttons, and which step asks. Each has an id of its own, by which
/// it is answered.
#[must_use]
pub(crate) fn action(node: &str, label: &str, input: Value) -> Value {
    json!({
        "id": uuid::Uuid::new_v4().to_string(),
        "mapping": {"approve": PROCEED, "reject": REJECT},
        "elements": [
            {"type": "agentflowv2-approve-button", "label": PROCEED},
            {"type": "agentflowv2-reject-button", "label": REJECT},
        ],
        "data": {"nodeId": node, "nodeLabel": label, "input": input},
    })
}

const PROCEED: &str = "Proceed";
const REJECT: &str = "Reject";

/// Both ways as a record shows them, proceed first.
#[must_use]
pub(crate) fn conditions(node: &str, decision: Decision, feedback: Option<&str>) -> Value {
    let way = |way: Decision| {
        let mut shown = json!({"type": way.as_str(), "startNodeId": node, "isFulfilled": way == decision});
        if let Some(feedback) = feedback {
            shown["feedback"] = feedback.into();
        }
        shown
    };
    json!([way(Decision::Proceed), way(Decision::Reject)])
}
