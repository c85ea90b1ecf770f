//! A schedule comes and goes with Live.

use super::{
    HOURLY, claim, draft, logs, pass_next, publish, published, run_due, save_draft, scheduled, status,
    statuses, switch,
};
use crate::agentflows::steps::{START, Steps, reply};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A flow that a question starts.
fn asked() -> Steps {
    Steps::begin()
        .card("directReplyAgentflow_0", "Reply", reply("Hi"))
        .chain(&[START, "directReplyAgentflow_0"])
}

#[test]
fn the_first_publish_makes_a_schedule_and_switches_it_on() {
    let server = Server::start();
    let flow = draft(&server, &scheduled(HOURLY));
    let before = status(&server, &flow);
    assert_eq!(
        (&before["enabled"], &before["canEnable"], &before["record"]),
        (&json!(false), &json!(false), &Value::Null)
    );
    assert_eq!(
        (&before["startsWithPublish"], &before["reason"]),
        (&json!(true), &json!("Nothing of this flow is published."))
    );
    publish(&server, &flow);
    let after = status(&server, &flow);
    assert_eq!((&after["enabled"], &after["canEnable"]), (&json!(true), &json!(true)));
    let record = &after["record"];
    assert_eq!((&record["cronExpression"], &record["timezone"]), (&json!(HOURLY), &json!("UTC")));
    assert_eq!((&record["targetId"], &record["nodeId"]), (&json!(flow), &json!(START)));
    assert!(record["nextRunAt"].is_string() && record.get("lastRunAt").is_none(), "{record}");
}

#[test]
fn unpublished_changes_tell_when_their_schedule_would_come() {
    let server = Server::start();
    let flow = draft(&server, &scheduled(HOURLY));
    let drawn = status(&server, &flow)["draft"].clone();
    assert_eq!((&drawn["cronExpression"], &drawn["timezone"]), (&json!(HOURLY), &json!("UTC")));
    let times = drawn["upcomingRuns"].as_array().unwrap();
    assert!(times.len() == 5 && times.iter().all(|time| time.as_str().unwrap().ends_with(":00:00.000Z")));
    publish(&server, &flow);
    assert_eq!(status(&server, &flow)["draft"], Value::Null, "nothing waits");
    save_draft(&server, &flow, &scheduled("30 4 * * *"));
    let changed = status(&server, &flow);
    assert_eq!(changed["record"]["cronExpression"], HOURLY);
    assert_eq!(changed["draft"]["cronExpression"], "30 4 * * *");
    for wrong_or_none in [&scheduled("90 4 * * *"), &asked()] {
        save_draft(&server, &flow, wrong_or_none);
        assert_eq!(status(&server, &flow)["draft"], Value::Null);
    }
}

#[test]
fn what_reaches_live_in_another_way_is_off_until_somebody_switches_it_on() {
    let server = Server::start();
    let flow = scheduled(HOURLY).flow(&server);
    let saved = status(&server, &flow);
    assert_eq!((&saved["enabled"], &saved["canEnable"]), (&json!(false), &json!(true)));
    assert!(saved["record"].get("nextRunAt").is_none());
    server.app.clock.advance_seconds(3_700);
    assert_eq!(run_due(&server), 0);
    switch(&server, &flow, true);
    // Nothing of the time before is made up for.
    assert_eq!(run_due(&server), 0);
    pass_next(&server, &flow);
    assert_eq!(run_due(&server), 1);
}

#[test]
fn a_later_publish_changes_the_times_and_keeps_the_switch() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    let first = status(&server, &flow)["record"]["id"].clone();
    switch(&server, &flow, false);
    save_draft(&server, &flow, &scheduled("30 * * * *"));
    publish(&server, &flow);
    let after = status(&server, &flow);
    assert_eq!(
        (&after["enabled"], &after["record"]["cronExpression"]),
        (&json!(false), &json!("30 * * * *"))
    );
    assert_eq!(after["record"]["id"], first);
}

#[test]
fn a_live_without_a_schedule_removes_it_and_a_roll_back_brings_it_back_as_it_was() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    assert_eq!(run_due(&server), 1);
    save_draft(&server, &flow, &asked());
    publish(&server, &flow);
    let gone = status(&server, &flow);
    assert_eq!(
        (&gone["enabled"], &gone["record"], &gone["startsWithPublish"]),
        (&json!(false), &Value::Null, &json!(true))
    );
    assert_eq!(gone["reason"], "Live does not start by a schedule.");
    assert_eq!(statuses(&server, &flow), ["SUCCEEDED"]);
    server.app.clock.advance_seconds(3_700);
    assert_eq!(run_due(&server), 0);
    let versions = server.read(&format!("/flow-versions/{flow}"));
    let oldest = versions["versions"].as_array().unwrap().iter().find(|row| {
        let content = server.read(&format!("/flow-versions/{flow}/{}", row["sha"].as_str().unwrap()));
        content.to_string().contains("scheduleCronExpression")
    });
    let sha = oldest.unwrap()["sha"].clone();
    server.post(&format!("/flow-drafts/{flow}/rollback"), &json!({ "sha": sha }));
    assert_eq!(status(&server, &flow)["enabled"], true);
    // What was due while Live had none is not made up for.
    assert_eq!(run_due(&server), 0);
    pass_next(&server, &flow);
    assert_eq!((run_due(&server), logs(&server, &flow).len()), (1, 2));
}

#[test]
fn a_schedule_that_cannot_be_kept_is_not_published_and_names_card_and_input() {
    let server = Server::start();
    let wrong = json!({
        "startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": HOURLY,
        "scheduleTimezone": "Mars/Crater",
    });
    let steps = Steps::begin_with(wrong)
        .card("directReplyAgentflow_0", "Reply", reply("Hi"))
        .chain(&[START, "directReplyAgentflow_0"]);
    let flow = draft(&server, &steps);
    let refused = server.owner("POST", &format!("/flow-drafts/{flow}/publish")).send().is(400).json();
    assert_eq!(
        refused["message"],
        "Start: Timezone: 'Mars/Crater' is no time zone: write a name such as Europe/Berlin or UTC."
    );
    let problems = server.read(&format!("/validation/{flow}"));
    assert!(problems.to_string().contains("Timezone: 'Mars/Crater' is no time zone"), "{problems}");
    // The draft is as it was, and Live too.
    assert!(server.read(&format!("/flow-drafts/{flow}"))["draft"].is_object());
    assert_eq!(status(&server, &flow)["reason"], "Nothing of this flow is published.");
}

#[test]
fn what_cannot_be_kept_and_is_live_all_the_same_starts_nothing_and_says_why() {
    let server = Server::start();
    let flow = scheduled("@daily").flow(&server);
    let status = status(&server, &flow);
    assert_eq!((&status["record"], &status["canEnable"]), (&Value::Null, &json!(false)));
    assert!(status["reason"].as_str().unwrap().starts_with("Start: Cron Expression: names such as @daily"));
}

#[test]
fn the_operator_says_how_often_schedules_may_come() {
    let server = Server::with(&[("SERVICE_SCHEDULE_MIN_SECONDS", "3600")]);
    let often = draft(&server, &scheduled("*/30 * * * *"));
    let refused = server.owner("POST", &format!("/flow-drafts/{often}/publish")).send().is(400).text();
    assert!(refused.contains("more often than every 3600 seconds"), "{refused}");
    let flow = published(&server, &scheduled(HOURLY));
    // What is Live already starts nothing once the operator allows less.
    let server = server.restart_with(&[("SERVICE_SCHEDULE_MIN_SECONDS", "7200")]);
    let stopped = status(&server, &flow);
    assert_eq!((&stopped["canEnable"], stopped["record"].get("nextRunAt")), (&json!(false), None));
    assert!(stopped["reason"].as_str().unwrap().contains("more often than every 7200 seconds"));
    let path = format!("/chatflows/{flow}/schedule/enabled");
    server.owner("PATCH", &path).json(&json!({"enabled": true})).send().is(400);
}

#[test]
fn a_duplicate_is_off() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    let mut copy = server.read(&format!("/chatflows/{flow}"));
    copy["publishInstantly"] = true.into();
    let copy = id(&server.post("/chatflows", &copy));
    assert_eq!(status(&server, &copy)["enabled"], false);
}

#[test]
fn a_schedule_goes_with_its_flow() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    let under_way = claim(&server);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    for run in &under_way {
        let cancel = flowkeep::base::cancel::CancelToken::new(None);
        flowkeep::ops::triggers::schedules::run(&server.app, run, &cancel);
    }
    drop(under_way);
    server.app.clock.advance_seconds(3_700);
    assert_eq!(run_due(&server), 0);
    server.owner("GET", &format!("/chatflows/{flow}/schedule/trigger-logs")).send().is(404);
}
