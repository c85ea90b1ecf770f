//! What a check may be asked, and what it offers to ask.

use super::{check, flow_saying, post, setup, start};
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use serde_json::{Value, json};

fn offered(server: &Server, flow: &str) -> Vec<String> {
    let questions = setup(server, flow)["questions"].clone();
    questions.as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn wrong_questions_are_refused_before_anything_else() {
    let server = Server::start();
    // There is no draft, and yet the questions are judged first.
    let flow = server.flow(&scripted_flow_with(json!({})));
    let long = "x".repeat(2_001);
    for questions in [
        json!([]),
        json!(null),
        json!("one"),
        json!([1]),
        json!({"a": "b"}),
        json!(["a", null]),
        json!([""]),
        json!([" \n"]),
        json!([long]),
        json!(vec!["a"; 11]),
        json!(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]),
    ] {
        let told = post(&server, &flow, &json!({ "questions": questions })).is_error(400);
        assert!(told.contains("questions"), "{questions}: {told}");
    }
    for wrong in [
        json!({}),
        json!([]),
        json!("x"),
        json!({"questions": ["a"], "includeRiskySteps": "yes"}),
        json!({"questions": ["a"], "repeat": 0}),
        json!({"questions": ["a"], "repeat": 6}),
        json!({"questions": ["a"], "control": 1}),
        json!({"questions": ["a"], "maxTokens": 0}),
        json!({"questions": [], "useKept": true}),
    ] {
        post(&server, &flow, &wrong).is_error(400);
    }
}

#[test]
fn repeats_are_dropped_and_the_longest_question_is_taken() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "a");
    let longest = "ü".repeat(2_000);
    let done = check(&server, &flow, &["one", "one", &longest, "one"]);
    assert_eq!((&done["total"], &done["cases"][1]["question"]), (&json!(2), &json!(longest)));
    assert_eq!(check(&server, &flow, &["same"; 10])["total"], 1);
}

#[test]
fn the_newest_questions_of_people_are_offered_and_then_starters() {
    let server = Server::start();
    let starters = json!({"starterPrompts": {"0": {"prompt": "Who are you?"}, "1": {"prompt": "three"}}});
    let fields = json!({"chatbotConfig": starters.to_string()});
    let flow = server.flow_with(&scripted_flow_with(json!({"fallback": "So."})), &fields);
    let texts = ["one", "two", "three", "two", " one "];
    for text in texts {
        server.ask(&flow, &json!({ "question": text })).is(200);
    }
    assert_eq!(
        offered(&server, &flow),
        ["one", "two", "three", "Who are you?"]
            .map(str::to_owned)
            .map(|text| { if text == "one" { " one ".to_owned() } else { text } })
    );
    let questions = setup(&server, &flow)["questions"].clone();
    assert!(questions[0]["date"].as_str().unwrap().ends_with('Z') && questions[0].get("starter").is_none());
    assert_eq!((&questions[3]["date"], &questions[3]["starter"]), (&json!(""), &json!(true)));
    let estimate = &setup(&server, &flow)["estimate"];
    assert_eq!((&estimate["plain"]["answers"], &estimate["control"]["answers"]), (&json!(20), &json!(30)));
    assert!(estimate["plain"]["tokens"].as_u64() < estimate["control"]["tokens"].as_u64(), "{estimate}");
}

#[test]
fn a_starter_that_somebody_asked_long_ago_is_not_offered_as_one() {
    let server = Server::start();
    let starters = json!({"starterPrompts": {"0": {"prompt": "first"}, "1": {"prompt": "never"}}});
    let fields = json!({"chatbotConfig": starters.to_string()});
    let flow = server.flow_with(&scripted_flow_with(json!({"fallback": "So."})), &fields);
    server.ask(&flow, &json!({"question": "first"})).is(200);
    (0..11).for_each(|at| {
        server.ask(&flow, &json!({"question": format!("question {at}")})).is(200);
    });
    let offered = offered(&server, &flow);
    assert_eq!((offered.len(), offered.last().map(String::as_str)), (11, Some("never")));
}

#[test]
fn what_is_expected_is_read_after_the_flow_is_found_and_the_questions_are_counted() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "a");
    let wrong = json!({"text": "a", "expect": [{"kind": "matches", "value": "("}]});
    let body = json!({"questions": [wrong]});
    let gone = "00000000-0000-4000-8000-000000000000";
    post(&server, gone, &body).is_error(404);
    let told = post(&server, &flow, &body).is_error(400);
    assert!(told.contains("expect row 1 of question 1"), "{told}");
    let eleven = json!({ "questions": vec![wrong; 11] });
    let told = post(&server, &flow, &eleven).is_error(400);
    assert!(told.contains("10 questions at most"), "{told}");
}

#[test]
fn no_more_than_ten_are_offered_and_none_that_brought_files() {
    let server = Server::start();
    let flow = server.flow_with(
        &scripted_flow_with(json!({"fallback": "So."})),
        &json!({"chatbotConfig": json!({"fullFileUpload": {"status": true, "allowedUploadFileTypes": "text/plain"}}).to_string()}),
    );
    assert_eq!(setup(&server, &flow)["estimate"]["plain"], Value::Null);
    for number in 0..12 {
        server.ask(&flow, &json!({ "question": format!("number {number}") })).is(200);
    }
    let file = json!({"type": "file:full", "name": "a.txt", "mime": "text/plain", "data": "data:text/plain;base64,aGk="});
    let asked = server.ask(&flow, &json!({"question": "with a file", "uploads": [file]}));
    assert_eq!(asked.status, 200, "{}", asked.text());
    let found = offered(&server, &flow);
    let newest: Vec<String> = (2..12).rev().map(|number| format!("number {number}")).collect();
    assert_eq!(found, newest);
}

#[test]
fn only_a_list_may_be_missing_where_kept_questions_are_asked() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let kept = json!([{"text": "kept one"}, {"text": "kept two"}]);
    server.put(&format!("/flow-drafts/{flow}/check/questions"), &kept);
    let begun = start(&server, &flow, &json!({"useKept": true, "questions": ["kept two", "new"]}));
    let asked: Vec<&Value> =
        begun["cases"].as_array().unwrap().iter().map(|case| &case["question"]).collect();
    assert_eq!(asked, ["kept one", "kept two", "new"]);
}
