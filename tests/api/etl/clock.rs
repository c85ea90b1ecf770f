//! Pipelines that the clock starts.

use super::{DocumentFolder, end, folder_line, line, pipeline, slow, start, stored};
use crate::schedules::{logs, pass_next, run_due, status, statuses, switch};
use crate::support::Server;
use crate::support::canvases::Drawing;
use serde_json::{Value, json};

/// Adds a start at every hour, with these further inputs.
fn hourly(mut drawing: Drawing, inputs: Value) -> Drawing {
    let mut all = json!({
        "startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": "0 * * * *",
    });
    all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
    drawing.card("etlStart", all);
    drawing
}

fn monday() -> Drawing {
    line(("plainText", json!({"text": "Monday"})), &[], "append")
}

#[test]
fn a_saved_schedule_is_off_until_somebody_switches_it_on_and_then_starts_the_pipeline() {
    let server = Server::start();
    let params = json!({"params": [{"name": "day", "value": "Sunday"}]});
    let flow = pipeline(&server, &hourly(monday(), params));
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    assert_eq!(status(&server, &flow)["record"]["enabled"], false);
    server.app.clock.advance_seconds(3_700);
    assert_eq!(run_due(&server), 0);
    switch(&server, &flow, true);
    pass_next(&server, &flow);
    assert_eq!((run_due(&server), run_due(&server)), (1, 0));
    let row = &logs(&server, &flow)[0];
    assert_eq!((&row["status"], row.get("error"), row.get("executionId")), (&json!("SUCCEEDED"), None, None));
    let run = &server.read(&format!("/etl/{flow}/runs"))["data"][0];
    assert_eq!(
        (&run["trigger"], &run["state"], &run["params"]),
        (&json!("SCHEDULE"), &json!("FINISHED"), &json!({"day": "Sunday"}))
    );
    assert_eq!(stored(&server), ["Monday"]);
}

#[test]
fn a_save_changes_the_times_and_takes_the_schedule_away() {
    let server = Server::start();
    let flow = pipeline(&server, &hourly(monday(), json!({})));
    switch(&server, &flow, true);
    let save = |drawing: &Drawing| {
        server.put(&format!("/chatflows/{flow}"), &json!({"flowData": drawing.text()}));
        status(&server, &flow)
    };
    let daily = save(&hourly(monday(), json!({"scheduleCronExpression": "30 4 * * *"})));
    assert_eq!(
        (&daily["record"]["cronExpression"], &daily["record"]["enabled"]),
        (&json!("30 4 * * *"), &json!(true))
    );
    assert!(save(&monday())["record"].is_null());
    server.app.clock.advance_seconds(3_700);
    assert_eq!(run_due(&server), 0);
    assert_eq!(
        save(&hourly(monday(), json!({})))["record"]["enabled"],
        true,
        "the switch waits for its return"
    );
}

#[test]
fn a_time_that_comes_while_a_run_is_under_way_is_skipped() {
    let folder = DocumentFolder::numbered(100);
    let server = folder.server();
    let flow = pipeline(&server, &hourly(slow(&folder), json!({})));
    switch(&server, &flow, true);
    pass_next(&server, &flow);
    let first = start(&server, &flow, &json!({}));
    assert_eq!(run_due(&server), 1);
    let row = &logs(&server, &flow)[0];
    assert_eq!(row["status"], "SKIPPED", "{row}");
    assert!(row["error"].as_str().unwrap().contains("is under way already"), "{row}");
    assert_eq!(end(&server, &flow, &first)["state"], "FINISHED");
    pass_next(&server, &flow);
    run_due(&server);
    assert_eq!(statuses(&server, &flow), ["SUCCEEDED", "SKIPPED"]);
}

#[test]
fn the_log_says_why_a_run_failed() {
    let folder = DocumentFolder::with(&[("b.pdf", "no PDF")]);
    let server = folder.server();
    let flow = pipeline(&server, &hourly(folder_line(&folder, &[]), json!({})));
    switch(&server, &flow, true);
    pass_next(&server, &flow);
    run_due(&server);
    let row = &logs(&server, &flow)[0];
    assert_eq!((&row["status"], &row["triggerType"]), (&json!("FAILED"), &json!("ETL")));
    assert!(row["error"].as_str().unwrap().contains("Every document failed."), "{row}");
}

#[test]
fn a_schedule_that_cannot_be_kept_is_named_and_stops_no_other_start() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let drawing = hourly(monday(), json!({"scheduleCronExpression": "every hour"}));
    let flow = server.flow_with(&drawing.text(), &json!({"type": "ETL", "apikeyid": key["id"]}));
    let problems = server.read(&format!("/validation/{flow}")).to_string();
    assert!(problems.contains("Cron Expression"), "{problems}");
    let path = format!("/chatflows/{flow}/schedule/enabled");
    server.owner("PATCH", &path).json(&json!({"enabled": true})).send().is_error(404);
    let call = server.call("POST", &format!("/prediction/{flow}")).bearer(key["apiKey"].as_str().unwrap());
    call.json(&json!({"question": "Go"})).send().is(200);
}
