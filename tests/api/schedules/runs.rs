//! What is due runs once, and the log says what became of it.

use super::{
    HOURLY, claim, logs, pass_next, publish, published, run_due, save_draft, scheduled, scheduled_with,
    status, statuses, switch,
};
use crate::agentflows::steps::{START, Steps, failing_llm, slow_llm, with};
use crate::support::Server;
use flowkeep::base::cancel::CancelToken;
use flowkeep::domain::ids::FlowId;
use flowkeep::ops::triggers::schedules;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn a_due_time_runs_live_once_in_a_conversation_of_its_own() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    let due = status(&server, &flow)["record"]["nextRunAt"].clone();
    assert_eq!((run_due(&server), run_due(&server)), (1, 0));
    let row = &logs(&server, &flow)[0];
    assert_eq!(
        (&row["status"], &row["scheduledAt"], &row["triggerType"]),
        (&json!("SUCCEEDED"), &due, &json!("AGENTFLOW"))
    );
    assert_eq!(
        (&row["targetId"], row["elapsedTimeMs"].is_u64(), row.get("error")),
        (&json!(flow), true, None)
    );
    let run = server.read(&format!("/executions/{}", row["executionId"].as_str().unwrap()));
    assert_eq!((&run["state"], &run["isTest"]), (&json!("FINISHED"), &json!(false)));
    pass_next(&server, &flow);
    assert_eq!(run_due(&server), 1);
    let said = server.messages(&flow);
    let told: Vec<(&Value, &Value)> = said.iter().map(|said| (&said["content"], &said["chatType"])).collect();
    assert_eq!(told, [(&json!("Report."), &json!("SCHEDULED")); 4]);
    assert!(said[0]["chatId"] == said[1]["chatId"] && said[0]["chatId"] != said[2]["chatId"]);
    assert_eq!(server.read(&format!("/chatmessage/{flow}?chatType=SCHEDULED")).as_array().unwrap().len(), 4);
    assert!(status(&server, &flow)["record"]["lastRunAt"].is_string());
}

#[test]
fn a_clock_that_is_set_back_starts_nothing_a_second_time() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    assert_eq!(run_due(&server), 1);
    server.app.clock.advance_seconds(-1_800);
    schedules::load_timers(&server.app).unwrap();
    assert_eq!(run_due(&server), 0);
    server.app.clock.advance_seconds(1_800);
    assert_eq!(run_due(&server), 0);
    pass_next(&server, &flow);
    assert_eq!((run_due(&server), logs(&server, &flow).len()), (1, 2));
}

#[test]
fn the_newest_missed_run_is_made_up_for_and_the_others_are_one_row() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    server.app.clock.advance_seconds(2 * 3_600 + 300);
    assert_eq!(run_due(&server), 1);
    let rows = logs(&server, &flow);
    assert_eq!(statuses(&server, &flow), ["SUCCEEDED", "SKIPPED"]);
    let late = rows[0]["lateBy"].as_u64().unwrap();
    assert!((300..=305).contains(&late), "{late}");
    assert_eq!(rows[1]["count"], 2);
    assert!(rows[1]["error"].as_str().unwrap().starts_with("Missed while the service was not running"));
}

#[test]
fn what_is_too_late_is_not_made_up_for() {
    let server = Server::start();
    let inputs = json!({"scheduleDefaultInput": "Report.", "scheduleCatchUpMinutes": "2"});
    let flow = published(&server, &scheduled_with(HOURLY, inputs));
    pass_next(&server, &flow);
    server.app.clock.advance_seconds(180);
    assert_eq!(run_due(&server), 0);
    let rows = logs(&server, &flow);
    assert_eq!((&rows[0]["status"], &rows[0]["count"], rows.len()), (&json!("SKIPPED"), &json!(1), 1));
    assert_eq!(run_due(&server), 0);
}

#[test]
fn one_run_of_a_schedule_is_under_way_at_a_time() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    let first = claim(&server);
    assert_eq!(statuses(&server, &flow), ["QUEUED"]);
    pass_next(&server, &flow);
    assert_eq!(run_due(&server), 0);
    assert_eq!(logs(&server, &flow)[0]["error"], "The run before it has not ended.");
    first.iter().for_each(|run| schedules::run(&server.app, run, &CancelToken::new(None)));
    drop(first);
    assert_eq!(statuses(&server, &flow), ["SKIPPED", "SUCCEEDED"]);
    pass_next(&server, &flow);
    assert_eq!(run_due(&server), 1);
}

#[test]
fn a_run_that_a_crash_cut_off_failed_and_is_not_started_again() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    drop(claim(&server));
    let server = server.restart();
    let row = &logs(&server, &flow)[0];
    assert_eq!(
        (&row["status"], &row["error"]),
        (&json!("FAILED"), &json!("The service stopped before the run ended."))
    );
    schedules::load_timers(&server.app).unwrap();
    assert_eq!((run_due(&server), logs(&server, &flow).len()), (0, 1));
}

#[test]
fn a_run_that_was_lost_does_not_keep_the_next_one_from_coming() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    drop(claim(&server));
    pass_next(&server, &flow);
    assert_eq!(
        (run_due(&server), statuses(&server, &flow)),
        (1, vec!["SUCCEEDED".to_owned(), "FAILED".to_owned()])
    );
}

#[test]
fn a_run_that_fails_says_why_and_has_its_record() {
    let server = Server::start();
    let start = json!({
        "startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": HOURLY,
    });
    let steps = Steps::begin_with(start)
        .card("llmAgentflow_0", "Think", with(failing_llm(400), json!({"llmEnableMemory": false})))
        .chain(&[START, "llmAgentflow_0"]);
    let flow = published(&server, &steps);
    pass_next(&server, &flow);
    assert_eq!(run_due(&server), 1);
    let row = &logs(&server, &flow)[0];
    assert_eq!(row["status"], "FAILED");
    assert!(row["error"].as_str().unwrap().contains("Think"), "{row}");
    let run = server.read(&format!("/executions/{}", row["executionId"].as_str().unwrap()));
    assert_eq!(run["state"], "ERROR");
}

#[test]
fn a_run_that_is_stopped_stops_no_other() {
    let server = Server::start();
    let start = json!({
        "startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": HOURLY,
        // Without it there is nothing to ask the model, and the run is over before anybody can stop it.
        "scheduleDefaultInput": "Report.",
    });
    let steps = Steps::begin_with(start)
        .card("llmAgentflow_0", "Think", slow_llm("one two three four five six seven eight nine ten", 1_000))
        .chain(&[START, "llmAgentflow_0"]);
    let flow = published(&server, &steps);
    pass_next(&server, &flow);
    let (app, all) = (server.app.clone(), CancelToken::new(None));
    let (runs, token) = (claim(&server), all.clone());
    let under_way = std::thread::spawn(move || {
        runs.iter().for_each(|run| schedules::run(&app, run, &token));
    });
    let id = FlowId::parse(&flow).unwrap();
    while server.app.state.active_runs.abort_flow(id) == 0 {
        assert!(!under_way.is_finished(), "the run ended by itself: {:?}", logs(&server, &flow));
        std::thread::sleep(Duration::from_millis(10));
    }
    under_way.join().unwrap();
    assert_eq!(all.reason(), None);
    assert_eq!(statuses(&server, &flow), ["FAILED"]);
    let run = &logs(&server, &flow)[0]["executionId"];
    let run = server.read(&format!("/executions/{}", run.as_str().unwrap()));
    assert_eq!(run["state"], "TERMINATED");
}

#[test]
fn a_run_begins_with_a_form_or_with_a_space() {
    let server = Server::start();
    let form = json!({
        "scheduleInputMode": "form", "scheduleFormDefaults": {"city": "Bergen"},
        "scheduleFormInputTypes": [{"type": "string", "label": "City", "name": "city"}],
    });
    let filled = published(&server, &scheduled_with(HOURLY, form));
    let empty = published(&server, &scheduled_with(HOURLY, json!({"scheduleInputMode": "none"})));
    assert_eq!(status(&server, &filled)["record"]["defaultForm"], "{\"city\":\"Bergen\"}");
    assert_eq!(status(&server, &empty)["record"]["scheduleInputMode"], "none");
    pass_next(&server, &filled);
    assert_eq!(run_due(&server), 2);
    assert_eq!(server.messages(&filled)[0]["content"], "city: Bergen");
    assert_eq!(server.messages(&empty)[0]["content"], " ");
}

#[test]
fn a_run_that_waits_for_its_turn_takes_what_is_live_when_it_begins() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    let claimed = claim(&server);
    save_draft(&server, &flow, &scheduled_with(HOURLY, json!({"scheduleDefaultInput": "Anew."})));
    publish(&server, &flow);
    claimed.iter().for_each(|run| schedules::run(&server.app, run, &CancelToken::new(None)));
    assert_eq!(server.messages(&flow)[0]["content"], "Anew.");
}

#[test]
fn what_is_switched_off_before_its_turn_does_not_run() {
    let server = Server::start();
    let flow = published(&server, &scheduled(HOURLY));
    pass_next(&server, &flow);
    let claimed = claim(&server);
    switch(&server, &flow, false);
    claimed.iter().for_each(|run| schedules::run(&server.app, run, &CancelToken::new(None)));
    let row = &logs(&server, &flow)[0];
    assert_eq!(
        (&row["status"], &row["error"]),
        (&json!("SKIPPED"), &json!("The schedule was switched off before the run began."))
    );
    assert!(server.messages(&flow).is_empty());
}
