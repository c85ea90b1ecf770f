//! Pipelines that are asked: the key that it takes, and what its holder reads.

use super::{DocumentFolder, end, line, pipeline, slow};
use crate::support::canvases::Drawing;
use crate::support::client::{Answer, Call};
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A pipeline that is bound to a key, and the key.
fn bound(server: &Server, drawing: &Drawing) -> (String, String) {
    let key = server.key(&["chatflows:view"]);
    let flow = server.flow_with(&drawing.text(), &json!({"type": "ETL", "apikeyid": key["id"]}));
    (flow, key["apiKey"].as_str().unwrap().to_owned())
}

fn question(server: &Server, flow: &str, key: &str) -> Call {
    server.call("POST", &format!("/prediction/{flow}")).bearer(key).json(&json!({"question": "Go"}))
}

fn newest(server: &Server, flow: &str) -> Value {
    server.read(&format!("/etl/{flow}/runs"))["data"][0].clone()
}

#[test]
fn whoever_has_its_key_starts_a_pipeline_and_reads_what_came_of_it() {
    let server = Server::start();
    let (flow, key) = bound(&server, &line(("plainText", json!({"text": "Monday"})), &[], "append"));
    let answer = question(&server, &flow, &key).send().is(200).json();
    assert_eq!(
        answer["text"],
        "The pipeline has finished: 1 document read, 1 written, 0 left out, 0 failed."
    );
    let run = newest(&server, &flow);
    assert_eq!((&run["trigger"], &run["state"]), (&json!("QUESTION"), &json!("FINISHED")));
    assert_eq!(super::stored(&server), ["Monday"]);
    assert!(server.messages(&flow).is_empty(), "a run is no conversation");
}

#[test]
fn a_stream_ends_with_the_same_words() {
    let server = Server::start();
    let (flow, key) = bound(&server, &line(("plainText", json!({"text": "Monday"})), &[], "append"));
    let body = json!({"question": "Go", "streaming": true});
    let call = server.call("POST", &format!("/prediction/{flow}")).bearer(&key).json(&body);
    let events = call.send().is(200).events();
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["start", "token", "metadata", "end"]);
    assert!(events[1].1.as_str().unwrap().starts_with("The pipeline has finished: 1 document read"));
}

#[test]
fn nobody_starts_a_pipeline_without_the_key_that_it_is_bound_to() {
    let server = Server::start();
    let drawing = line(("plainText", json!({"text": "Monday"})), &[], "append");
    let (flow, _) = bound(&server, &drawing);
    let other = server.key(&["chatflows:update"])["apiKey"].as_str().unwrap().to_owned();
    assert_eq!(question(&server, &flow, &other).send().is_error(401), "Unauthorized");
    assert_eq!(server.ask(&flow, &json!({"question": "Go"})).is_error(401), "Unauthorized");
    let open = pipeline(&server, &drawing);
    let told = question(&server, &open, &other).send().is_error(401);
    assert!(told.contains("an API key that it is bound to"), "{told}");
    for flow in [flow, open] {
        assert_eq!(server.read(&format!("/etl/{flow}/runs"))["total"], 0);
    }
}

#[test]
fn the_test_chat_of_a_pipeline_takes_who_may_change_it() {
    let server = Server::start();
    let flow = pipeline(&server, &line(("plainText", json!({"text": "Monday"})), &[], "append"));
    let ask = |permissions: &[&str]| -> Answer {
        let key = server.key(permissions);
        let call = server.call("POST", &format!("/internal-prediction/{flow}"));
        call.bearer(key["apiKey"].as_str().unwrap()).json(&json!({"question": "Go"})).send()
    };
    let told = ask(&["chatflows:view"]).is_error(403);
    assert!(told.contains("chatflows:update"), "{told}");
    let answer = ask(&["chatflows:view", "chatflows:update"]).is(200).json();
    assert!(answer["text"].as_str().unwrap().starts_with("The pipeline has finished"), "{answer}");
}

#[test]
fn a_run_under_way_stands_in_the_way_and_outlives_a_caller_that_leaves() {
    let folder = DocumentFolder::numbered(70);
    let server = folder.server();
    let (flow, key) = bound(&server, &slow(&folder));
    let socket = question(&server, &flow, &key).connect();
    let begin = Instant::now();
    while server.read(&format!("/etl/{flow}/runs"))["total"] == 0 {
        assert!(begin.elapsed() < Duration::from_secs(20), "nothing began");
        std::thread::sleep(Duration::from_millis(10));
    }
    let told = question(&server, &flow, &key).send().is_error(409);
    assert!(told.contains("is under way already"), "{told}");
    drop(socket);
    let run = id(&newest(&server, &flow));
    let done = end(&server, &flow, &run);
    assert_eq!((&done["state"], &done["written"]), (&json!("FINISHED"), &json!(70)), "{done}");
}

#[test]
fn whoever_asks_waits_a_minute_and_is_told_of_the_run_that_goes_on() {
    let folder = DocumentFolder::numbered(400);
    let server = folder.server();
    let (flow, key) = bound(&server, &slow(&folder));
    let asked = std::thread::scope(|scope| {
        let asked = scope.spawn(|| question(&server, &flow, &key).send().is(200).json());
        let begin = Instant::now();
        while server.read(&format!("/etl/{flow}/runs"))["total"] == 0 {
            assert!(begin.elapsed() < Duration::from_secs(20), "nothing began");
            std::thread::sleep(Duration::from_millis(10));
        }
        // Time goes on by itself too, and a busy machine takes seconds of it.
        server.app.clock.advance_seconds(50);
        std::thread::sleep(Duration::from_millis(700));
        assert!(!asked.is_finished(), "nobody is sent away before the minute is over");
        server.app.clock.advance_seconds(11);
        asked.join().unwrap()
    });
    let run = id(&newest(&server, &flow));
    let text = asked["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("The pipeline goes on as run {run}. So far: ")), "{text}");
    let done = end(&server, &flow, &run);
    assert_eq!((&done["state"], &done["written"]), (&json!("FINISHED"), &json!(400)), "{done}");
}

#[test]
fn a_run_that_fails_says_why_and_names_no_server() {
    let folder = DocumentFolder::with(&[]);
    let server = folder.server();
    let failing =
        json!({ "javascriptFunction": "throw new Error('no answer from db.internal.example:5432')" });
    let mut drawing = line(("plainText", json!({"text": "Monday"})), &[("etlFunction", failing)], "append");
    drawing.card("etlStart", json!({"failFast": true}));
    let (flow, key) = bound(&server, &drawing);
    let answer = question(&server, &flow, &key).send().is(200).json();
    let text = answer["text"].as_str().unwrap();
    assert!(
        text.starts_with("The pipeline failed: ") && text.contains("no answer from its server"),
        "{text}"
    );
}

#[test]
fn a_pipeline_that_holds_nothing_is_asked_for_nothing() {
    let server = Server::start();
    let (flow, key) = bound(&server, &Drawing::default());
    question(&server, &flow, &key).send().is_error(404);
    let mut drawing = Drawing::default();
    drawing.card("plainText", json!({"text": "Monday"}));
    let (flow, key) = bound(&server, &drawing);
    let told = question(&server, &flow, &key).send().is_error(400);
    assert_eq!(told, "The pipeline has no target: connect a vector store, a document store or a file.");
}
