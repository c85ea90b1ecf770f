//! Flows that the clock starts (manual 16.7).

mod life;
mod routes;
mod runs;

use crate::agentflows::steps::{START, Steps, reply, with};
use crate::support::Server;
use flowkeep::base::cancel::CancelToken;
use flowkeep::ops::triggers::schedules::{self, ScheduledRun};
use jiff::Timestamp;
use serde_json::{Value, json};

const HOURLY: &str = "0 * * * *";
const REPLY: &str = "directReplyAgentflow_0";

/// A flow that is started by this expression and says what it was asked.
pub fn scheduled(cron: &str) -> Steps {
    scheduled_with(cron, json!({"scheduleDefaultInput": "Report."}))
}

/// As [`scheduled`], with these further inputs.
fn scheduled_with(cron: &str, inputs: Value) -> Steps {
    let start = json!({
        "startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": cron,
    });
    Steps::begin_with(with(start, inputs))
        .card(REPLY, "Reply", reply("{{ question }}"))
        .chain(&[START, REPLY])
}

/// A flow that nobody published yet, with this draft; its id.
#[track_caller]
fn draft(server: &Server, steps: &Steps) -> String {
    steps.flow_with(server, json!({"publishInstantly": false}))
}

/// A flow whose first Publish was this; its id.
#[track_caller]
fn published(server: &Server, steps: &Steps) -> String {
    let flow = draft(server, steps);
    publish(server, &flow);
    flow
}

#[track_caller]
fn publish(server: &Server, flow: &str) {
    server.post(&format!("/flow-drafts/{flow}/publish"), &json!({}));
}

#[track_caller]
fn save_draft(server: &Server, flow: &str, steps: &Steps) {
    server.put(&format!("/flow-drafts/{flow}"), &json!({"flowData": steps.text()}));
}

#[track_caller]
pub fn status(server: &Server, flow: &str) -> Value {
    server.read(&format!("/chatflows/{flow}/schedule/status"))
}

#[track_caller]
pub fn switch(server: &Server, flow: &str, on: bool) -> Value {
    let path = format!("/chatflows/{flow}/schedule/enabled");
    server.owner("PATCH", &path).json(&json!({"enabled": on})).send().is(200).json()
}

/// The log, newest first.
#[track_caller]
pub fn logs(server: &Server, flow: &str) -> Vec<Value> {
    let page = server.read(&format!("/chatflows/{flow}/schedule/trigger-logs"));
    page["data"].as_array().unwrap().clone()
}

pub fn statuses(server: &Server, flow: &str) -> Vec<String> {
    logs(server, flow).iter().map(|row| row["status"].as_str().unwrap().to_owned()).collect()
}

/// Moves the clock a second past the next run.
#[track_caller]
pub fn pass_next(server: &Server, flow: &str) {
    let status = status(server, flow);
    let next = status["record"]["nextRunAt"].as_str().unwrap_or_else(|| panic!("{status}"));
    let next: Timestamp = next.parse().unwrap();
    let left = next.duration_since(server.app.clock.now());
    server.app.clock.advance_seconds(left.as_secs() + 1);
}

fn claim(server: &Server) -> Vec<ScheduledRun> {
    schedules::claim_due(&server.app)
}

/// What the task of the service does when it wakes; how many runs there were.
pub fn run_due(server: &Server) -> usize {
    let runs = claim(server);
    runs.iter().for_each(|run| schedules::run(&server.app, run, &CancelToken::new(None)));
    runs.len()
}
