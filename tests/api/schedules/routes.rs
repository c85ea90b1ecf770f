//! What the routes of schedules take, and who may use them.

use super::{HOURLY, claim, logs, pass_next, published, run_due, scheduled, scheduled_with, switch};
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use serde_json::{Value, json};

#[test]
fn a_flow_without_a_schedule_has_nothing_to_switch() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow_with(json!({})));
    let path = format!("/chatflows/{flow}/schedule/enabled");
    let refused = server.owner("PATCH", &path).json(&json!({"enabled": true})).send().is(404).json();
    assert_eq!(refused["message"], "This flow has no schedule: Live does not start by a schedule.");
}

#[test]
fn the_switch_is_true_or_false() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    let path = format!("/chatflows/{flow}/schedule/enabled");
    for body in [json!({"enabled": "yes"}), json!({}), json!({"enabled": null})] {
        server.owner("PATCH", &path).json(&body).send().is(400);
    }
    assert_eq!(switch(&server, &flow, false)["enabled"], false);
    let on = switch(&server, &flow, true);
    assert!(on["enabled"] == true && on["nextRunAt"].is_string());
}

#[test]
fn a_schedule_whose_end_has_passed_is_not_switched_on() {
    let server = Server::start();
    let flow = scheduled_with(HOURLY, json!({"scheduleEndDate": "2020-01-01"})).flow(&server);
    let path = format!("/chatflows/{flow}/schedule/enabled");
    let refused = server.owner("PATCH", &path).json(&json!({"enabled": true})).send().is(400).json();
    assert_eq!(refused["message"], "The end date has passed: nothing comes before it any more.");
    // Off is off already, and may be said.
    assert_eq!(switch(&server, &flow, false)["endDate"], "2020-01-01T23:59:59.999Z");
}

#[test]
fn the_log_is_read_by_pages_and_by_state() {
    let server = Server::start();
    let flow = published(&server, &scheduled("*/30 * * * *"));
    for _ in 0..3 {
        pass_next(&server, &flow);
        assert_eq!(run_due(&server), 1);
    }
    pass_next(&server, &flow);
    server.app.clock.advance_seconds(1_200);
    assert_eq!(run_due(&server), 0);
    let read = |query: &str| server.read(&format!("/chatflows/{flow}/schedule/trigger-logs{query}"));
    let all = read("");
    assert_eq!((&all["total"], &all["page"], &all["limit"]), (&json!(4), &json!(1), &json!(20)));
    assert_eq!(all["data"][0]["status"], "SKIPPED");
    let second = read("?page=2&limit=3");
    assert_eq!((&second["total"], second["data"].as_array().unwrap().len()), (&json!(4), 1));
    assert_eq!(read("?limit=1000")["limit"], 100);
    assert_eq!(read("?status=SKIPPED")["total"], 1);
    assert_eq!(read("?status=SKIPPED&status=SUCCEEDED")["total"], 4);
    assert_eq!(read("?status=FAILED")["data"], json!([]));
    let path = format!("/chatflows/{flow}/schedule/trigger-logs?status=LATE");
    server.owner("GET", &path).send().is(400);
}

#[test]
fn the_permissions_are_those_of_the_kind_of_the_flow() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    let call = |method: &str, path: &str, permission: &str| {
        let key = server.key(&[permission])["apiKey"].as_str().unwrap().to_owned();
        let call = server.call(method, &format!("/chatflows/{flow}/schedule/{path}")).bearer(&key);
        if method == "PATCH" { call.json(&json!({"enabled": true})) } else { call }
    };
    for path in ["status", "trigger-logs"] {
        call("GET", path, "agentflows:view").send().is(200);
        call("GET", path, "agentflows:update").send().is(200);
        call("GET", path, "chatflows:view").send().is(403);
    }
    call("PATCH", "enabled", "agentflows:update").send().is(200);
    call("PATCH", "enabled", "agentflows:view").send().is(403);
    call("PATCH", "enabled", "chatflows:update").send().is(403);
}

#[test]
fn a_flow_that_is_started_by_its_schedule_is_not_asked() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    let refused = server.ask(&flow, &json!({"question": "Now?"})).is(400).json();
    let message: &Value = &refused["message"];
    assert_eq!(*message, "This flow is started by its schedule, and not by a question.");
}

/// Deletes rows of the log.
fn delete_logs(server: &Server, flow: &str, key: &str, ids: &Value) -> crate::support::Answer {
    let call = server.call("DELETE", &format!("/chatflows/{flow}/schedule/trigger-logs"));
    call.bearer(key).json(&json!({ "logIds": ids })).send()
}

#[test]
fn rows_of_the_log_go_with_the_records_of_their_runs() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    for _ in 0..3 {
        pass_next(&server, &flow);
        assert_eq!(run_due(&server), 1);
    }
    let rows = logs(&server, &flow);
    let key = |permissions: &[&str]| server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
    let (editor, both) = (key(&["agentflows:update"]), key(&["agentflows:update", "executions:delete"]));
    let ids = json!([rows[0]["id"], rows[2]["id"], "7bd3a5ac-4f3f-4bb5-8a42-53cf41fbb4f1", "x"]);
    let refused = delete_logs(&server, &flow, &editor, &ids).is_error(403);
    assert!(refused.contains("executions:delete"), "{refused}");
    assert_eq!((logs(&server, &flow).len(), &server.read("/executions")["total"]), (3, &json!(3)));
    let deleted = delete_logs(&server, &flow, &both, &ids).is(200).json();
    assert_eq!(deleted, json!({"success": true, "deletedLogs": 2, "deletedExecutions": 2}));
    assert_eq!(logs(&server, &flow), [rows[1].clone()]);
    assert_eq!(server.read("/executions")["data"][0]["id"], rows[1]["executionId"]);
    for wrong in [json!([]), Value::Null, json!("x"), json!([1])] {
        delete_logs(&server, &flow, &both, &wrong).is_error(400);
    }
}

#[test]
fn the_row_of_a_run_that_is_under_way_stays() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    let under_way = claim(&server);
    let key = server.key(&["agentflows:update"])["apiKey"].as_str().unwrap().to_owned();
    let ids = json!([logs(&server, &flow)[0]["id"]]);
    assert_eq!(delete_logs(&server, &flow, &key, &ids).is(200).json()["deletedLogs"], 0);
    drop(under_way);
}

#[test]
fn who_switches_a_schedule_stands_in_the_list_of_what_was_done() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    switch(&server, &flow, true);
    switch(&server, &flow, false);
    switch(&server, &flow, true);
    let page = server.read("/audit?limit=50");
    let done: Vec<&Value> = page["data"].as_array().unwrap().iter().map(|row| &row["action"]).collect();
    let switched: Vec<&&Value> =
        done.iter().filter(|action| action.as_str().unwrap().starts_with("schedule-")).collect();
    assert_eq!(switched, [&&json!("schedule-switched-on"), &&json!("schedule-switched-off")]);
    assert_eq!(page["data"][0]["target"]["id"], json!(flow));
}
