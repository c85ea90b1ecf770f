//! History fails at each of its steps, one after the other: Live is updated all the same, the answer says that
//! nothing was recorded, and the next change is recorded without a restart (manual 5.7 r5, 6.4).

use super::support::Server;
use crate::editor::{answer_of_canvas, canvas_answering, flow_id};
use flowkeep::domain::flows::version::{Author, NewVersion, VersionKind};
use flowkeep::store::tables::INTENTS;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::io::ErrorKind;
use uuid::Uuid;

const KINDS: [ErrorKind; 2] = [ErrorKind::StorageFull, ErrorKind::Other];

/// More steps than any write takes.
const STEPS_MAX: u32 = 200;

/// What an answer says of a history that failed.
#[track_caller]
fn was_not_recorded(answer: &Value) -> String {
    assert_eq!((&answer["recorded"], &answer["version"]), (&json!(false), &Value::Null), "{answer}");
    assert_eq!(answer["unchanged"], false);
    let error = answer["historyError"].as_str().unwrap_or_default().to_owned();
    assert!(
        !error.is_empty() && !error.contains('/') && !error.contains("a fault set by a test"),
        "{error:?}"
    );
    error
}

#[test]
fn a_publish_whose_history_fails_is_live_and_the_next_one_is_recorded() {
    for kind in KINDS {
        let server = Server::start();
        let flow = server.new_published("CHATFLOW", "start");
        let mut failures = 0;
        for step in 0..STEPS_MAX {
            let text = format!("{kind:?} {step}");
            server.save_draft(&flow, &text).is(200);
            server.app.history.faults().fail_at(step, kind);
            let answer = server.publish(&flow).is(200).json();
            let passed = server.app.history.faults().steps() <= step;
            server.app.history.faults().clear();
            assert_eq!((server.live_answer(&flow), server.draft_answer(&flow)), (text.clone(), None));
            assert_eq!(answer["status"]["draft"], Value::Null);
            assert_eq!(
                server.unrecorded_count(),
                0,
                "step {step}: nothing is recorded behind the caller's back"
            );
            if passed {
                assert_eq!(answer["recorded"], true);
                assert!(failures > 5, "only {failures} steps can fail");
                break;
            }
            if answer["recorded"] == false {
                failures += 1;
                let error = was_not_recorded(&answer);
                assert_eq!(server.history(&flow)["lastError"], error);
                assert!(answer["status"]["lastPublished"]["date"].is_string());
            }
            server.save_draft(&flow, &format!("healed {step}")).is(200);
            let healed = server.publish(&flow).is(200).json();
            assert_eq!(
                (&healed["recorded"], &healed["historyError"]),
                (&json!(true), &Value::Null),
                "step {step}"
            );
            let newest = server.newest(&flow);
            assert_eq!(healed["version"]["sha"], newest);
            assert_eq!(server.history(&flow)["liveSha"], newest);
            let read = server.read(&format!("/flow-versions/{flow}/{newest}"));
            assert_eq!(answer_of_canvas(&read["flowData"]), format!("healed {step}"));
        }
        server.assert_settled();
        let before = server.history(&flow)["versions"].clone();
        let server = server.restart();
        assert_eq!(server.history(&flow)["versions"], before, "a restart adds nothing");
    }
}

#[test]
fn a_first_use_that_fails_is_made_good_by_the_next_save() {
    for step in 0..STEPS_MAX {
        let server = Server::start();
        let kind = KINDS[step as usize % KINDS.len()];
        server.app.history.faults().fail_at(step, kind);
        let flow = server.new_draft("CHATFLOW", "one");
        let passed = server.app.history.faults().steps() <= step;
        server.app.history.faults().clear();
        let answer = server.publish(&flow).is(200).json();
        assert_eq!(
            (&answer["recorded"], &answer["historyError"]),
            (&json!(true), &Value::Null),
            "step {step}"
        );
        assert_eq!(server.history(&flow)["liveSha"], answer["version"]["sha"]);
        server.assert_settled();
        let first = server.git(&["log", "--format=%s", "--reverse", "main"]);
        assert_eq!(first.lines().next(), Some("Start version history"), "step {step}");
        if passed {
            return;
        }
    }
    panic!("no end of steps");
}

#[test]
fn an_intent_stays_while_the_disk_does_not_confirm_its_version() {
    let steps = {
        let server = Server::start();
        let flow = server.new_published("CHATFLOW", "one");
        server.save_draft(&flow, "two").is(200);
        server.app.history.faults().clear();
        server.publish(&flow).is(200);
        server.app.history.faults().steps()
    };
    // The last flush is that of the branch. How many steps lead there depends on how many objects share a folder, which
    // their names decide by chance: so each step is tried some times, until it is the last one.
    for step in (steps.saturating_sub(8)..steps + 4).rev().flat_map(|step| [step; 8]) {
        let server = Server::start();
        let flow = server.new_published("CHATFLOW", "one");
        server.save_draft(&flow, "two").is(200);
        // The disk takes nothing any more, from here on until it is repaired.
        server.app.history.faults().crash_at(step);
        let answer = server.publish(&flow).is(200).json();
        server.app.history.faults().clear();
        if server.unrecorded_count() == 0 {
            continue;
        }
        was_not_recorded(&answer);
        server.write_live(&flow, "three").is(200);
        assert_eq!(server.kinds(&flow), ["save", "publish", "publish", "create"]);
        server.assert_settled();
        return;
    }
    panic!("no step was the last flush");
}

#[test]
fn every_other_change_survives_a_failing_history() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let first = server.newest(&flow);
    let break_next = || server.app.history.faults().fail_at(0, ErrorKind::StorageFull);

    break_next();
    server.write_live(&flow, "two").is(200);
    assert_eq!(server.live_answer(&flow), "two");
    break_next();
    let rolled = server.roll_back(&flow, &first);
    server.app.history.faults().clear();
    was_not_recorded(&rolled.is(200).json());
    assert_eq!(server.live_answer(&flow), "one");
    server.set_publish_instantly(&flow, true).is(200);
    server.write_live(&flow, "three").is(200);
    break_next();
    was_not_recorded(&server.restore(&flow, &first).is(200).json());
    assert_eq!(server.live_answer(&flow), "one");
    break_next();
    let made = server
        .post("/chatflows", &json!({"name": "New", "type": "CHATFLOW", "flowData": canvas_answering("new")}));
    assert!(made["id"].is_string());
    break_next();
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    server.owner("GET", &format!("/chatflows/{flow}")).send().is_error(404);
    server.app.history.faults().clear();
    let last = server.new_published("CHATFLOW", "last");
    assert_eq!(server.kinds(&last), ["publish", "create"]);
    server.assert_settled();
}

#[test]
fn what_a_crash_left_in_the_repository_stops_nothing() {
    for step in 0..STEPS_MAX {
        let server = Server::start();
        let flow = server.new_published("CHATFLOW", "one");
        server.save_draft(&flow, "two").is(200);
        server.app.history.faults().crash_at(step);
        let answer = server.publish(&flow).is(200).json();
        if server.app.history.faults().steps() <= step {
            assert_eq!(answer["recorded"], true);
            return;
        }
        let server = server.restart();
        assert_eq!(server.live_answer(&flow), "two");
        server.save_draft(&flow, "three").is(200);
        assert_eq!(server.publish(&flow).is(200).json()["recorded"], true, "step {step}");
        assert_eq!(server.history(&flow)["liveSha"], server.newest(&flow));
        server.assert_settled();
    }
    panic!("no end of steps");
}

#[test]
fn a_version_between_database_and_history_is_recorded_once_by_the_next_start() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let history = &server.app.history;
    let newest = history.newest(&flow_id(&flow)).unwrap().unwrap();
    let content = history.content(&flow_id(&flow), &newest).unwrap().unwrap();
    let change = |title: &str| NewVersion {
        content: content.clone(),
        kind: VersionKind::Publish,
        author: Author::system(),
        date: Timestamp::now(),
        title: title.to_owned(),
        details: Vec::new(),
        promoted_from: None,
        hidden_secrets: 0,
        intent: Uuid::now_v7(),
    };
    // One crash came before the commit, the other between the commit and the end of the intent.
    let (recorded, missing) = (change("Recorded"), change("Missing"));
    history.recorder().record(&recorded).unwrap();
    let put = |change: &NewVersion| {
        server.app.store.write(|tx| INTENTS.put(tx, change.intent.as_bytes(), change)).unwrap();
    };
    put(&recorded);
    put(&missing);
    let mut server = server;
    for _ in 0..2 {
        server = server.restart();
        let titles: Vec<Value> =
            server.versions(&flow).iter().map(|version| version["title"].clone()).collect();
        assert_eq!(titles[..2], ["Missing", "Recorded"]);
        assert_eq!(titles.len(), 4, "{titles:?}");
        server.assert_settled();
    }
}

#[test]
fn what_could_not_be_recorded_at_the_start_comes_before_the_next_version() {
    let server = Server::start();
    let (flow, other) = (server.new_published("CHATFLOW", "one"), server.new_published("CHATFLOW", "two"));
    let history = &server.app.history;
    let newest = history.newest(&flow_id(&flow)).unwrap().unwrap();
    let change = NewVersion {
        content: history.content(&flow_id(&flow), &newest).unwrap().unwrap(),
        kind: VersionKind::Publish,
        author: Author::system(),
        date: Timestamp::now(),
        title: "Left".to_owned(),
        details: Vec::new(),
        promoted_from: None,
        hidden_secrets: 0,
        intent: Uuid::now_v7(),
    };
    server.app.store.write(|tx| INTENTS.put(tx, change.intent.as_bytes(), &change)).unwrap();
    server.write_live(&flow, "newer").is(200);
    let titles: Vec<Value> = server.versions(&flow).iter().map(|version| version["title"].clone()).collect();
    assert_eq!(titles[1], "Left", "{titles:?}");
    assert_eq!(server.history(&flow)["liveSha"], server.newest(&flow));
    assert_eq!(server.kinds(&other), ["publish", "create"]);
    server.assert_settled();
}

#[test]
fn a_canvas_too_large_to_be_read_back_is_not_saved() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let levels = 110;
    let deep = format!("{}{}{}", "[".repeat(levels), "0,".repeat(400_000) + "0", "]".repeat(levels));
    let canvas = format!("{{\"nodes\":[{{\"id\":\"a\",\"data\":{{\"deep\":{deep}}}}}],\"edges\":[]}}");
    let message = server.change(&flow, &json!({ "flowData": canvas })).is_error(400);
    assert!(message.contains("too large for version history"), "{message}");
    assert_eq!(server.live_answer(&flow), "one");
    server.assert_settled();
}
