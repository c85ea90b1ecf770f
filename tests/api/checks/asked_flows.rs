//! Steps that wait for a person or ask another flow, in a check.

use super::traces::picture;
use super::{end, save_draft, start};
use crate::agentflows::human_input::asking;
use crate::agentflows::steps::{START, Steps};
use crate::support::canvases::{Drawing, ProviderFormat, scripted_flow_with};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A check of one question with the steps that may do something to the world.
fn check_all(server: &Server, flow: &str) -> Value {
    let body = json!({"questions": ["question marker-7440"], "includeRiskySteps": true});
    end(server, flow, &start(server, flow, &body))
}

#[test]
fn a_run_that_comes_to_a_person_is_over_with_what_was_said() {
    let server = Server::start();
    let flow = asking().flow(&server);
    save_draft(&server, &flow, &asking().card("stickyNoteAgentflow_0", "Note", json!({})).text());
    let before = picture(&server, &flow);
    let done = check_all(&server, &flow);
    let case = &done["cases"][0];
    assert_eq!(
        (&case["live"]["text"], &case["same"]),
        (&json!("A draft.\n\nShall I send it?"), &json!(true)),
        "{done}"
    );
    assert_eq!(picture(&server, &flow), before);
    let answered = server.ask(
        &flow,
        &json!({"question": "", "humanInput": {"type": "proceed", "startNodeId": "humanInputAgentflow_0"}}),
    );
    assert_ne!(answered.status, 200, "nobody waits for a decision");
}

#[test]
fn a_flow_that_is_asked_and_needs_a_person_fails_in_a_check_as_it_does_for_callers() {
    let server = Server::start();
    let other = asking().flow(&server);
    let call = json!({"executeFlowSelectedFlow": other, "executeFlowInput": "{{ question }}"});
    let canvas = |label: &str| {
        let steps = Steps::begin().card("executeFlowAgentflow_0", label, call.clone());
        steps.edge(START, "executeFlowAgentflow_0").text()
    };
    let flow = server.flow_with(&canvas("Ask"), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("Ask it"));
    let before = [picture(&server, &flow), picture(&server, &other)];
    let done = check_all(&server, &flow);
    let case = &done["cases"][0];
    let told = case["draft"]["error"].to_string();
    assert!(told.contains("asks a person"), "{done}");
    assert_eq!([picture(&server, &flow), picture(&server, &other)], before);
}

/// A flow bound to a key, and a credential that holds it.
fn bound_flow(server: &Server) -> (String, String) {
    let key = server.key(&["chatflows:view"]);
    let flow = server.flow(&scripted_flow_with(json!({"fallback": "The other says {question}"})));
    server.put(&format!("/chatflows/{flow}"), &json!({"apikeyid": key["id"]}));
    let held = json!({"name": "key", "credentialName": "chatflowApi", "plainDataObj": {"chatflowApiKey": key["apiKey"]}});
    (flow, id(&server.post("/credentials", &held)))
}

/// Checks a flow that asks `other`, and looks at what is left of it.
fn assert_asks_and_leaves_nothing(server: &Server, flow: &str, other: &str) {
    let before = [picture(server, flow), picture(server, other)];
    let done = check_all(server, flow);
    let text = done["cases"][0]["draft"]["text"].as_str().unwrap_or_default();
    assert!(text.contains("The other says"), "{done}");
    assert_eq!([picture(server, flow), picture(server, other)], before);
    assert!(server.files_with("marker-7440").is_empty(), "a question is in a file");
}

#[test]
fn a_flow_that_execute_flow_asks_keeps_nothing_either() {
    let server = Server::start();
    let (other, credential) = bound_flow(&server);
    let canvas = |label: &str| {
        let call = json!({"executeFlowSelectedFlow": other, "executeFlowInput": "{{ question }}"});
        let steps = Steps::begin().card("executeFlowAgentflow_0", label, call);
        let mut drawn: Value =
            serde_json::from_str(&steps.edge(START, "executeFlowAgentflow_0").text()).unwrap();
        drawn["nodes"][1]["data"]["credential"] = credential.as_str().into();
        drawn.to_string()
    };
    let flow = server.flow_with(&canvas("Ask"), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("Ask it"));
    assert_asks_and_leaves_nothing(&server, &flow, &other);
}

#[test]
fn a_flow_that_a_tool_asks_keeps_nothing_either() {
    let (server, provider) = (Server::start(), Provider::start());
    let (other, credential) = bound_flow(&server);
    provider.set_decision(|request| {
        let messages = request.body["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        match last["role"] == "tool" {
            true => Behaviour::text(last["content"].as_str().unwrap()),
            false => Behaviour::call("Ask_it", json!({"input": "question marker-7440"})),
        }
    });
    let canvas = |description: &str| {
        let mut drawing = Drawing::default();
        let inputs = json!({"selectedChatflow": other, "name": "Ask it", "description": description});
        let tool = drawing.card("ChatflowTool", inputs);
        drawing.credential(&tool, &credential);
        let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
        let agent = drawing.card("toolAgent", json!({}));
        drawing.wire(&model, &agent, "model");
        drawing.wire(&tool, &agent, "tools");
        drawing.text()
    };
    let flow = server.flow(&canvas("Knows things."));
    save_draft(&server, &flow, &canvas("Knows more things."));
    assert_asks_and_leaves_nothing(&server, &flow, &other);
}
