//! Questions that are kept for checks.

use super::{end, flow_saying, start};
use crate::support::Server;
use serde_json::{Value, json};

fn path(flow: &str) -> String {
    format!("/flow-drafts/{flow}/check/questions")
}

fn put(server: &Server, flow: &str, rows: &Value) -> Value {
    server.owner("PUT", &path(flow)).json(rows).send().is(200).json()
}

#[test]
fn questions_are_kept_in_their_order_with_ids_and_dates_of_their_own() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    assert_eq!(server.read(&path(&flow)), json!([]));
    let expect = json!([{"kind": "contains", "value": "a"}, {"kind": "refuses", "value": false}]);
    let rows =
        put(&server, &flow, &json!([{"text": "one", "expect": expect}, {"text": "two", "from": "starter"}]));
    assert_eq!(
        (&rows[0]["text"], &rows[0]["from"], &rows[0]["expect"]),
        (&json!("one"), &json!("written"), &expect)
    );
    assert_eq!((&rows[1]["from"], &rows[1]["expect"]), (&json!("starter"), &json!([])));
    assert!(rows[0]["id"].is_string() && rows[0]["keptDate"].as_str().unwrap().ends_with('Z'));
    assert_eq!(server.read(&path(&flow)), rows);
    let turned = json!([rows[1], rows[0]]);
    assert_eq!(put(&server, &flow, &turned), turned);
    let server = server.restart();
    assert_eq!(server.read(&path(&flow)), turned);
    assert_eq!(put(&server, &flow, &json!([])), json!([]));
}

#[test]
fn while_drafts_are_off_they_can_be_read_and_not_changed() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let rows = put(&server, &flow, &json!([{"text": "one"}]));
    let server = server.restart_with(&[("SERVICE_DRAFTS", "off")]);
    server.owner("PUT", &path(&flow)).json(&json!([])).send().is_error(409);
    assert_eq!(server.read(&path(&flow)), rows);
}

#[test]
fn wrong_rows_are_refused_with_their_place() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let row = |kind: &str, value: Value| json!([{"text": "fine"}, {"text": "q", "expect": [{"kind": kind, "value": value}]}]);
    for rows in [
        row("resembles", json!("x")),
        row("matches", json!("(")),
        row("json", json!({"type": "thing"})),
        row("language", json!("xx")),
        row("maxMs", json!(0)),
        row("refuses", json!("no")),
        row("contains", json!(1)),
    ] {
        let told = server.owner("PUT", &path(&flow)).json(&rows).send().is_error(400);
        assert!(told.contains("row 1 of question 2"), "{rows}: {told}");
    }
    for rows in [
        json!({}),
        json!([{}]),
        json!([{"text": ""}]),
        json!([{"text": "x".repeat(2_001)}]),
        json!([{"text": "x", "from": "nobody"}]),
        json!(vec![json!({"text": "x"}); 51]),
        json!([{"text": "x", "expect": vec![json!({"kind": "contains", "value": "x"}); 21]}]),
    ] {
        server.owner("PUT", &path(&flow)).json(&rows).send().is_error(400);
    }
    assert_eq!(server.read(&path(&flow)), json!([]));
}

#[test]
fn what_a_person_asked_goes_with_their_conversation() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let chat = server.ask(&flow, &json!({"question": "my secret"})).is(200).json()["chatId"].clone();
    let rows = json!([{"text": "my secret", "from": "person"}, {"text": "nobody asked", "from": "person"}]);
    let kept = put(&server, &flow, &rows);
    assert_eq!((&kept[0]["from"], &kept[1]["from"]), (&json!("person"), &json!("written")));
    assert_eq!(put(&server, &flow, &kept), kept);
    let path_of_chat = format!("/chatmessage/{flow}?chatId={}", chat.as_str().unwrap());
    server.owner("DELETE", &path_of_chat).send().is(200);
    let left = server.read(&path(&flow));
    assert_eq!((left.as_array().unwrap().len(), &left[0]["text"]), (1, &json!("nobody asked")));
}

#[test]
fn an_expectation_that_only_the_draft_fails_is_reported() {
    let server = Server::start();
    let flow = flow_saying(&server, "The price is low.", "The price is fine.");
    let expect = json!([{"kind": "contains", "value": "low"}]);
    put(&server, &flow, &json!([{"text": "How much?", "expect": expect}]));
    let done = end(&server, &flow, &start(&server, &flow, &json!({"useKept": true})));
    let case = &done["cases"][0];
    assert_eq!((&case["verdict"], &case["confirmed"]), (&json!("changed"), &json!(true)), "{case}");
    assert_eq!(case["why"][0]["code"], "expectation", "{case}");
    assert_eq!(
        (case["runs"]["draft"].as_array().unwrap().len(), &case["runs"]["draft"][1]["again"]),
        (2, &json!(true))
    );
    assert_eq!(done["summary"]["reportsChange"], true);
}

#[test]
fn a_deleted_flow_takes_its_questions_along() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    put(&server, &flow, &json!([{"text": "kept-marker-991"}]));
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    server.owner("GET", &path(&flow)).send().is_error(404);
}
