//! Params: texts that a run is started with, and where cards read them.

use super::{end, line, pipeline, run, start};
use crate::support::Server;
use crate::support::canvases::Drawing;
use serde_json::{Value, json};

/// A pipeline over this text whose Start card declares what it has.
fn declaring(text: &str, params: Value, transforms: &[(&str, Value)]) -> Drawing {
    let mut drawing = line(("plainText", json!({ "text": text })), transforms, "append");
    drawing.card("etlStart", json!({ "params": params }));
    drawing
}

/// The first document of a dry run that is started with these.
fn first(server: &Server, flow: &str, params: &Value) -> (Value, Value) {
    let run = end(server, flow, &start(server, flow, &json!({"dryRun": true, "params": params})));
    assert_eq!(run["state"], "FINISHED", "{run}");
    (run["results"][0].clone(), run["params"].clone())
}

#[test]
fn texts_of_cards_read_what_a_run_is_started_with() {
    let server = Server::start();
    let set = json!({"set": [{"key": "by", "value": "{{params.carrier}}"}, {"key": "on", "value": "{{ metadata.day }}"}]});
    let first_set = json!({"set": [{"key": "day", "value": "the {{ params.day }}"}]});
    let params =
        json!([{"name": "day", "value": "first"}, {"name": "carrier", "value": ""}, {"name": "unread"}]);
    let drawing = declaring(
        "Leaves on the {{ params.day }}.",
        params,
        &[("etlMetadata", first_set), ("etlMetadata", set)],
    );
    let flow = pipeline(&server, &drawing);
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    let (document, params) = first(&server, &flow, &json!({}));
    assert_eq!(document["pageContent"], "Leaves on the first.");
    assert_eq!((&document["metadata"]["by"], &document["metadata"]["on"]), (&json!(""), &json!("the first")));
    assert_eq!(params, json!({"carrier": "", "day": "first", "unread": ""}));
    let (document, params) = first(&server, &flow, &json!({"day": "second", "carrier": 7}));
    assert_eq!(document["pageContent"], "Leaves on the second.");
    assert_eq!(document["metadata"]["by"], "7");
    assert_eq!(params, json!({"carrier": "7", "day": "second", "unread": ""}));
}

#[test]
fn what_is_put_in_is_not_searched_again() {
    let server = Server::start();
    server.post("/variables", &json!({"name": "hidden", "value": "secret", "type": "static"}));
    let params = json!([{"name": "day"}, {"name": "other", "value": "known"}]);
    let drawing = declaring("{{{ params.day }}}} {{ params.other }}", params, &[]);
    let flow = pipeline(&server, &drawing);
    for (sent, read) in [
        ("{{$vars.hidden}}", "{{{$vars.hidden}}}} known"),
        ("{$vars.hidden", "{{$vars.hidden}} known"),
        ("{{ params.other }}", "{{{ params.other }}}} known"),
    ] {
        assert_eq!(first(&server, &flow, &json!({ "day": sent })).0["pageContent"], read);
    }
}

#[test]
fn a_run_takes_texts_that_its_pipeline_declares() {
    let server = Server::start();
    let flow = pipeline(&server, &declaring("Monday", json!([{"name": "day"}]), &[]));
    let path = format!("/etl/{flow}/runs");
    let long = "x".repeat(10_001);
    for (params, why) in [
        (json!({"night": "x"}), "the pipeline declares no 'night'"),
        (json!({"day": {"of": "week"}}), "'day' must be a text"),
        (json!({"day": null}), "'day' must be a text"),
        (json!({ "day": long }), "'day' is longer than 10000 characters"),
    ] {
        let told = server.owner("POST", &path).json(&json!({ "params": params })).send().is_error(400);
        assert!(told.contains(why), "{told}");
    }
    assert_eq!(server.read(&path)["total"], 0);
}

#[test]
fn nothing_but_texts_reads_what_a_run_is_started_with() {
    let server = Server::start();
    let declared = json!([{"name": "x"}]);
    let refused = |drawing: &Drawing, why: &str| {
        let flow = pipeline(&server, drawing);
        let told = server.owner("POST", &format!("/etl/{flow}/runs")).json(&json!({})).send().is_error(400);
        assert!(told.contains(why), "{told}");
        let problems = server.read(&format!("/validation/{flow}")).to_string();
        assert!(problems.contains(why), "{problems}");
    };
    let stands = |card: &str, inputs: Value| {
        let mut drawing = line((card, inputs), &[], "append");
        drawing.card("etlStart", json!({ "params": declared }));
        drawing
    };
    let no_place = "what a run is started with cannot stand here: remove 'params.x'.";
    refused(
        &stands("folderFiles", json!({"folderPath": "/{{ params.x }}"})),
        &format!("Folder Path: {no_place}"),
    );
    let code = json!({"javascriptFunction": "return '{{ params.x }}';"});
    refused(&declaring("Monday", declared.clone(), &[("etlFunction", code)]), no_place);
    let mut drawing = declaring("Monday", declared.clone(), &[]);
    drawing.set("faiss_0", "basePath", json!("of {{ params.x }}"));
    refused(&drawing, no_place);
    refused(&declaring("{{ params.y }}", declared.clone(), &[]), "'params.y' is not declared");
    refused(&declaring("Monday", json!([{"name": "x"}, {"name": "x"}]), &[]), "'x' is declared twice");
    for name in ["", "1x", "a b", "a.b"] {
        refused(&declaring("Monday", json!([{ "name": name }]), &[]), "is no name");
    }
}

#[test]
fn in_other_flows_such_a_text_is_a_text() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let text = drawing.card("plainText", json!({"text": "{{ params.x }} {{params.y}}"}));
    drawing.choose_output(&text, "text");
    drawing.answer_with_document(&text);
    let told = server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"})).is(200).text();
    assert!(told.contains("{{ params.x }} {{params.y}}"), "{told}");
}

#[test]
fn whoever_asks_a_pipeline_starts_it_with_what_it_declares() {
    let server = Server::start();
    let drawing = declaring("{{ params.day }}", json!([{"name": "day", "value": "Sunday"}]), &[]);
    assert_eq!(run(&server, &pipeline(&server, &drawing))["written"], 1);
    assert_eq!(super::stored(&server), ["Sunday"]);
}
