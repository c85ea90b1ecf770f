//! A run that was killed inside of an iteration runs again, and the items that were over stay.

use super::program::Program;
use super::provider::{Behaviour, Provider, RecordedRequest, Reply};
use super::steps::{START, Steps, openai_llm, told};
use super::{COMMIT_MAX, House, make_key};
use serde_json::{Value, json};
use std::time::Duration;

const EACH: &str = "iterationAgentflow_0";
const INSIDE: &str = "llmAgentflow_0";
const PATIENCE: Duration = Duration::from_secs(30);

/// The item that a model was asked about.
fn item(request: &RecordedRequest) -> String {
    let told = request.body["messages"].as_array().and_then(|all| all.last());
    told.and_then(|last| last["content"].as_str()).unwrap_or_default().to_owned()
}

#[test]
fn items_that_were_over_before_a_kill_stay_and_the_others_run_again() {
    let provider = Provider::start();
    provider.set_decision(|request| {
        let said = Reply::text(&format!("<{}>", item(request)));
        match &*item(request) {
            "b" => Behaviour::Reply(Reply { first_byte: PATIENCE * 4, ..said }),
            _ => Behaviour::Reply(said),
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Program::serve(&data, &[]);
    let key = make_key(&data);
    let steps = Steps::begin()
        .card(EACH, "Each", json!({"iterationInput": "[\"a\", \"b\", \"c\"]"}))
        .card(INSIDE, "Inside", told(openai_llm(&provider.base_url(), "model-1"), "{{ $iteration }}"))
        .inside(EACH)
        .edge(START, EACH);
    let flow = service.make_agentflow(&key, "each", &steps.text());
    let address = service.address;
    let asked = std::thread::spawn({
        let flow = flow.clone();
        move || super::ask(address, &flow, false, &super::Known::default())
    });
    let waits = provider.wait_until(PATIENCE, |provider| provider.requests().len() >= 2);
    assert!(waits, "the second item did not begin");
    std::thread::sleep(COMMIT_MAX);
    service.kill();
    assert!(asked.join().unwrap().is_none());
    let house = House { program: Program::serve(&data, &[]), key };
    let killed = &house.executions()[0];
    let of = |label: &str| {
        let entries = killed["executionData"].as_array().unwrap().iter();
        entries.filter(|entry| entry["nodeLabel"] == label).map(|entry| entry["status"].clone()).collect()
    };
    let (each, inside): (Vec<Value>, Vec<Value>) = (of("Each"), of("Inside"));
    assert_eq!((each, inside), (vec![json!("TERMINATED")], vec![json!("FINISHED"), json!("TERMINATED")]));
    provider.set_decision(|request| Behaviour::Reply(Reply::text(&format!("[{}]", item(request)))));
    let body = json!({"executionId": killed["id"], "fromNode": INSIDE, "iterationIndex": 1});
    let answer = house.call("POST", &format!("/internal-prediction/{flow}"), &body);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let whole = answer.json();
    let entries = whole["agentFlowExecutedData"].as_array().unwrap();
    let ended = entries.iter().find(|entry| entry["nodeLabel"] == "Each").unwrap();
    assert_eq!(ended["data"]["output"]["iterationResults"], json!(["<a>", "[b]", "[c]"]));
    assert_eq!(provider.requests().len(), 4, "what was over is not asked again");
}
