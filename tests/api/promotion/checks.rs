//! The check before a promotion: people's questions of this server to Live and to the version of Dev.

use super::{Pair, saying};
use crate::support::Server;
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

/// Begins a check of what Dev offers of this flow, and waits for its end.
#[track_caller]
pub fn checked(server: &Server, flow: &str, questions: &Value) -> Value {
    let path = format!("/flow-versions/incoming/{flow}/check");
    let begun = server.owner("POST", &path).json(&json!({ "questions": questions })).send().is(202).json();
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let check = server.read(&format!("{path}/{}", begun["id"].as_str().unwrap()));
        if check["status"] != "running" {
            return check;
        }
        assert!(Instant::now() < end, "{check}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn questions_of_this_server_are_asked_of_live_and_of_the_version_of_dev() {
    let (pair, flow) = Pair::with_promoted();
    pair.prod.ask(&flow, &json!({"question": "What do people ask?"})).is(200);
    pair.change_on_dev(&flow, &saying("two"));
    let setup = pair.prod.read(&format!("/flow-versions/incoming/{flow}/check"));
    assert_eq!(setup["questions"][0]["text"], "What do people ask?");
    assert_eq!((&setup["unavailable"], &setup["check"]), (&Value::Null, &Value::Null));
    let (messages, versions) = (pair.prod.messages(&flow), pair.prod.read(&format!("/flow-versions/{flow}")));
    let check = checked(&pair.prod, &flow, &json!(["What do people ask?"]));
    assert_eq!(check["status"], "done");
    let case = &check["cases"][0];
    assert_eq!((&case["live"]["text"], &case["draft"]["text"]), (&json!("one"), &json!("two")));
    assert_eq!(pair.prod.messages(&flow), messages, "nothing is written");
    assert_eq!(pair.prod.read(&format!("/flow-versions/{flow}")), versions);
    assert_eq!(pair.offers().len(), 1, "and nothing is promoted");
}

#[test]
fn a_check_of_a_version_of_dev_is_apart_from_a_drafts() {
    let (pair, flow) = Pair::with_promoted();
    pair.prod.put(&format!("/flow-drafts/{flow}"), &json!({"flowData": saying("draft")}));
    pair.change_on_dev(&flow, &saying("two"));
    let check = checked(&pair.prod, &flow, &json!(["Hi"]));
    let id = check["id"].as_str().unwrap();
    pair.prod.owner("GET", &format!("/flow-drafts/{flow}/check/{id}")).send().is_error(404);
    assert_eq!(pair.prod.read(&format!("/flow-drafts/{flow}/check"))["check"], Value::Null);
    pair.promote(&flow).is(200);
    let path = format!("/flow-versions/incoming/{flow}/check");
    assert_eq!(pair.prod.read(&format!("{path}/{id}"))["draftChanged"], true, "it was promoted since");
    pair.prod.owner("GET", &path).send().is_error(404);
    pair.prod.owner("POST", &path).json(&json!({"questions": ["Hi"]})).send().is_error(404);
}

#[test]
fn what_cannot_be_compared_says_so_where_it_is_shown_and_where_it_is_checked() {
    let (pair, flow) = Pair::with_flow();
    let path = format!("/flow-versions/incoming/{flow}/check");
    assert_eq!(pair.prod.read(&path)["unavailable"]["code"], "new-flow");
    assert_eq!(pair.shown(&flow)["checkUnavailable"]["code"], "new-flow");
    pair.prod.owner("POST", &path).json(&json!({"questions": ["Hi"]})).send().is_error(409);
}
