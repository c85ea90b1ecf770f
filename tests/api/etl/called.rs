//! Pipelines that calls of their webhooks start.

use super::{DocumentFolder, end, line, pipeline, slow, start, stored};
use crate::support::Server;
use crate::support::canvases::Drawing;
use crate::webhooks::{call, generate_secret, post, signed};
use serde_json::{Value, json};

/// A pipeline that calls start, with these further inputs.
fn opened(server: &Server, mut drawing: Drawing, inputs: Value) -> String {
    let mut all = json!({"startInputType": "webhookTrigger"});
    all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
    drawing.card("etlStart", all);
    let flow = pipeline(server, &drawing);
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    flow
}

fn monday() -> Drawing {
    line(("plainText", json!({"text": "Monday"})), &[], "append")
}

fn runs(server: &Server, flow: &str) -> Value {
    server.read(&format!("/etl/{flow}/runs"))
}

#[test]
fn a_call_starts_the_pipeline_and_reads_what_came_of_it() {
    let server = Server::start();
    let flow = opened(&server, monday(), json!({}));
    let answer = post(&server, &flow, json!({"any": "thing"})).is(200).json();
    assert_eq!(
        answer["text"],
        "The pipeline has finished: 1 document read, 1 written, 0 left out, 0 failed."
    );
    let run = &runs(&server, &flow)["data"][0];
    assert_eq!((&run["trigger"], &run["state"]), (&json!("WEBHOOK"), &json!("FINISHED")));
    assert_eq!(stored(&server), ["Monday"]);
}

#[test]
fn a_call_that_wants_no_wait_is_told_at_once_that_a_run_goes_on() {
    let folder = DocumentFolder::numbered(70);
    let server = folder.server();
    let flow = opened(&server, slow(&folder), json!({"webhookResponseMode": "async"}));
    let answer = post(&server, &flow, json!({})).is(202).json();
    assert_eq!(answer["status"], "PROCESSING", "{answer}");
    let run = runs(&server, &flow)["data"][0]["id"].as_str().unwrap().to_owned();
    let told = post(&server, &flow, json!({})).is_error(409);
    assert!(told.contains("is under way already"), "{told}");
    assert_eq!(end(&server, &flow, &run)["state"], "FINISHED");
}

#[test]
fn a_call_is_judged_as_the_card_says() {
    let server = Server::start();
    let rows = json!([{"name": "day", "type": "string", "required": true}]);
    let inputs =
        json!({"webhookEnableAuth": true, "webhookEnableValidation": true, "webhookBodyParams": rows});
    let flow = opened(&server, monday(), inputs);
    post(&server, &flow, json!({"day": "Monday"})).is_error(401);
    let secret = generate_secret(&server, &flow);
    post(&server, &flow, json!({"day": "Monday"})).is_error(401);
    signed(&server, &flow, &secret, "{}").send().is_error(400);
    let waits = json!({"humanInput": {"type": "proceed", "startNodeId": "x"}}).to_string();
    signed(&server, &flow, &secret, &waits).send().is_error(400);
    assert_eq!(runs(&server, &flow)["total"], 0);
    signed(&server, &flow, &secret, r#"{"day": "Monday"}"#).send().is(200);
    assert_eq!(runs(&server, &flow)["total"], 1);
}

#[test]
fn a_call_brings_params_where_the_card_declares_them_of_calls_too() {
    let server = Server::start();
    let row = |name: &str| json!({"name": name, "type": "string"});
    let inputs = json!({
        "params": [{"name": "day", "value": "some day"}, {"name": "place", "value": "home"}, {"name": "closed", "value": "shut"}],
        "webhookEnableValidation": true,
        "webhookBodyParams": [row("day"), row("order")],
        "webhookQueryParams": [row("place")],
    });
    let text = "{{ params.day }}, {{ params.place }}, {{ params.closed }}";
    let flow = opened(&server, line(("plainText", json!({ "text": text })), &[], "append"), inputs);
    let body = json!({"day": "Monday", "order": "7", "closed": "open", "place": "nowhere"});
    let path = format!("/webhook/{flow}?place=work&closed=open");
    server.call("POST", &path).json(&body).send().is(200);
    assert_eq!(stored(&server), ["Monday, work, shut"]);
    assert_eq!(
        runs(&server, &flow)["data"][0]["params"],
        json!({"day": "Monday", "place": "work", "closed": "shut"})
    );
}

#[test]
fn a_repeated_call_starts_nothing_and_gets_the_first_answer() {
    let server = Server::start();
    let flow = opened(&server, monday(), json!({}));
    let again =
        || call(&server, &flow).header("Idempotency-Key", "one").json(&json!({})).send().is(200).json();
    assert_eq!(again(), again());
    assert_eq!(runs(&server, &flow)["total"], 1);
}

#[test]
fn a_pipeline_without_a_webhook_says_so_and_one_with_it_is_still_started_otherwise() {
    let server = Server::start();
    let closed = pipeline(&server, &monday());
    let told = post(&server, &closed, json!({})).is_error(400);
    assert!(told.contains("has no webhook"), "{told}");
    let flow = opened(&server, monday(), json!({}));
    let run = start(&server, &flow, &json!({}));
    assert_eq!(end(&server, &flow, &run)["state"], "FINISHED");
}
