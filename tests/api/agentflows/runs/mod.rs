//! Runs from the side of their records: watched while they go, run again from a step, and gone on with.

mod again;
mod again_inside;
mod resumed;
mod told;
mod watching;

use super::steps::Steps;
use crate::support::{Answer, Server};
use serde_json::{Value, json};

/// Makes this the draft of a flow.
#[track_caller]
fn draft(server: &Server, flow: &str, steps: &Steps) {
    server.put(&format!("/flow-drafts/{flow}/settings"), &json!({"publishInstantly": false}));
    server.put(&format!("/flow-drafts/{flow}"), &json!({ "flowData": steps.text() }));
}

/// Runs the run of this answer again from a step.
fn try_again(server: &Server, flow: &str, answer: &Value, node: &str, more: Value) -> Answer {
    let mut body = json!({"executionId": answer["executionId"], "fromNode": node});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).send()
}

#[track_caller]
fn again(server: &Server, flow: &str, answer: &Value, node: &str) -> Value {
    try_again(server, flow, answer, node, json!({})).is(200).json()
}
