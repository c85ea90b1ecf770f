//! Pipelines that other flows start: a card of a chatflow, a step of an agentflow, a tool of an agent.

use super::{DocumentFolder, line, pipeline, slow, start, stored};
use crate::support::Server;
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider};
use crate::support::steps::{START, Steps};
use serde_json::{Value, json};

/// A pipeline that stores a text with a day in it.
fn dated(server: &Server) -> String {
    let text = json!({"text": "Leaves on {{ params.day }}."});
    let mut drawing = line(("plainText", text), &[], "append");
    drawing.card("etlStart", json!({"params": [{"name": "day", "value": "Sunday"}]}));
    pipeline(server, &drawing)
}

/// A chatflow that is one Run Pipeline card.
fn chatflow(server: &Server, pipeline: &str, params: Value) -> String {
    let mut drawing = Drawing::default();
    let card = drawing.card("runPipeline", json!({"selectedPipeline": pipeline, "pipelineParams": params}));
    drawing.choose_output(&card, "EndingNode");
    server.flow(&drawing.text())
}

fn agentflow(server: &Server, pipeline: &str, inputs: Value) -> String {
    let mut all = json!({"selectedPipeline": pipeline});
    all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
    let steps =
        Steps::begin().card("runPipelineAgentflow_0", "Fill", all).edge(START, "runPipelineAgentflow_0");
    server.flow_with(&steps.text(), &json!({"type": "AGENTFLOW"}))
}

const DONE: &str = "The pipeline has finished: 1 document read, 1 written, 0 left out, 0 failed.";

#[test]
fn a_chatflow_answers_with_what_its_pipeline_came_to() {
    let server = Server::start();
    let dated = dated(&server);
    let flow = chatflow(&server, &dated, json!([{"name": "day", "value": "{{question}}"}]));
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    let answer = server.ask(&flow, &json!({"question": "Monday"})).is(200).json();
    assert_eq!((&answer["text"], stored(&server)), (&json!(DONE), vec!["Leaves on Monday.".to_owned()]));
    let run = &server.read(&format!("/etl/{dated}/runs"))["data"][0];
    assert_eq!((&run["trigger"], &run["params"]), (&json!("FLOW"), &json!({"day": "Monday"})));
}

#[test]
fn what_a_pipeline_came_to_goes_on_to_other_cards() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let card = drawing.card("runPipeline", json!({"selectedPipeline": dated(&server)}));
    drawing.choose_output(&card, "output");
    drawing.answer_with_document(&card);
    let answer = server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"})).is(200).json();
    assert!(answer["text"].as_str().unwrap().contains(DONE), "{answer}");
}

#[test]
fn a_step_waits_for_a_pipeline_and_shows_its_run() {
    let server = Server::start();
    let params = json!([{"name": "day", "value": "<p>{{ question }}</p>"}]);
    let flow = agentflow(&server, &dated(&server), json!({ "pipelineParams": params }));
    let answer = server.ask(&flow, &json!({"question": "Monday"})).is(200).json();
    let output = &answer["agentFlowExecutedData"][1]["data"]["output"];
    assert_eq!((&output["content"], &output["run"]["written"]), (&json!(DONE), &json!(1)), "{answer}");
    assert_eq!(stored(&server).len(), 1);
}

#[test]
fn a_step_fails_with_its_pipeline_and_names_it() {
    let folder = DocumentFolder::numbered(70);
    let server = folder.server();
    let busy = pipeline(&server, &slow(&folder));
    start(&server, &busy, &json!({}));
    let told = server.ask(&agentflow(&server, &busy, json!({})), &json!({"question": "Go"})).is_error(500);
    assert!(told.contains("Fill: ") && told.contains("is under way already"), "{told}");
    let params = json!({"pipelineParams": [{"name": "night", "value": "x"}]});
    let flow = agentflow(&server, &dated(&server), params);
    let told = server.ask(&flow, &json!({"question": "Go"})).is_error(500);
    assert!(told.contains("Fill: ") && told.contains("declares no 'night'"), "{told}");
    let code = json!({"javascriptFunction": "throw new Error('no');"});
    let failing = line(("plainText", json!({"text": "Monday"})), &[("etlFunction", code)], "append");
    let flow = agentflow(&server, &pipeline(&server, &failing), json!({}));
    let told = server.ask(&flow, &json!({"question": "Go"})).is_error(500);
    assert!(told.contains("Fill: The pipeline failed: Every document failed."), "{told}");
    let chat = server.flow(&line(("plainText", json!({"text": "x"})), &[], "append").text());
    let told = server.ask(&agentflow(&server, &chat, json!({})), &json!({"question": "Go"})).is_error(500);
    assert!(told.contains("no pipeline"), "{told}");
}

#[test]
fn a_model_starts_a_pipeline_with_what_it_is_asked_for_alone() {
    let (server, provider) = (Server::start(), Provider::start());
    let text = json!({"text": "{{ params.day }}, {{ params.carrier }}"});
    let mut filled = line(("plainText", text), &[], "append");
    filled.card("etlStart", json!({"params": [{"name": "day"}, {"name": "carrier"}]}));
    let filled = pipeline(&server, &filled);
    let mut drawing = Drawing::default();
    let params =
        json!([{"name": "day", "description": "The day it leaves."}, {"name": "carrier", "value": "Rail"}]);
    let inputs = json!({"selectedPipeline": filled, "name": "Fill store", "pipelineParams": params});
    let tool = drawing.card("runPipelineTool", inputs);
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&tool, &agent, "tools");
    let flow = server.flow(&drawing.text());
    provider.push_behaviour(Behaviour::call("Fill_store", json!({"day": "Monday", "carrier": "Road"})));
    provider.push_behaviour(Behaviour::text("Done."));
    let answer = server.ask(&flow, &json!({"question": "Go"})).is(200).json();
    assert_eq!(answer["usedTools"][0]["toolOutput"], DONE, "{answer}");
    assert_eq!(stored(&server), ["Monday, Rail"]);
}

#[test]
fn no_request_chooses_the_pipeline() {
    let server = Server::start();
    let (chosen, other) = (dated(&server), dated(&server));
    let flow = chatflow(&server, &chosen, json!([]));
    let listed =
        json!([{"name": "selectedPipeline", "label": "Select Pipeline", "type": "string", "enabled": true}]);
    let config = json!({"overrideConfig": {"status": true, "nodes": {"Run Pipeline": listed}}}).to_string();
    server.put(&format!("/chatflows/{flow}"), &json!({ "apiConfig": config }));
    let body = json!({"question": "Go", "overrideConfig": {"selectedPipeline": other}});
    server.ask(&flow, &body).is(200);
    let runs = |pipeline: &str| server.read(&format!("/etl/{pipeline}/runs"))["total"].clone();
    assert_eq!((runs(&chosen), runs(&other)), (json!(1), json!(0)));
}

#[test]
fn pipelines_alone_are_there_to_choose() {
    let server = Server::start();
    let dated = dated(&server);
    chatflow(&server, &dated, json!([]));
    let body = json!({"loadMethod": "listPipelines"});
    let listed = server.owner("POST", "/node-load-method/runPipeline").json(&body).send().is(200).json();
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, [&json!(dated)]);
}
