//! Flows that ask a harness: its card in a chatflow, a step of an agentflow, a tool of an agent (manual 22.7).

use super::{EVENTS, Team, ask, asked_of, script, slowly, statuses};
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider};
use crate::support::steps::{START, Steps};
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::time::Duration;

/// A chatflow that is one Harness card.
fn chatflow(server: &Server, harness: &str) -> String {
    let mut drawing = Drawing::default();
    drawing.card("harness", json!({ "harnessName": harness }));
    server.flow(&drawing.text())
}

/// An agentflow with one Harness step.
fn agentflow(server: &Server, inputs: Value) -> String {
    let mut all = json!({"harnessName": "desk", "harnessInput": "{{ question }}"});
    all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
    let steps =
        Steps::begin().card("harnessAgentflow_0", "Ask the desk", all).edge(START, "harnessAgentflow_0");
    server.flow_with(&steps.text(), &json!({"type": "AGENTFLOW"}))
}

#[test]
fn a_chatflow_that_ends_in_a_harness_answers_as_the_team() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["law", "tax"]).flow(&server);
    let flow = chatflow(&server, "desk");
    script(&provider, &["law"], &[]);
    let answer = ask(&server, &flow).is(200).json();
    assert_eq!((&answer["text"], &answer["harness"]), (&json!("Together: done."), &json!("desk")));
    assert_eq!(statuses(&answer), [("law".to_owned(), "completed".to_owned())]);
    assert_eq!(answer["usage"]["total"], answer["usageMetadata"]["total_tokens"]);
    let streamed = server.ask(&flow, &json!({"question": "What now?", "streaming": true})).is(200);
    let mut names = streamed.event_names();
    names.retain(|name| name != "harness.partial");
    names.dedup();
    assert_eq!(names, EVENTS);
}

#[test]
fn a_team_remembers_what_was_said_in_the_flow_that_asks_it() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["law"]).with(json!({"harnessMemoryType": "allMessages"})).flow(&server);
    let flow = chatflow(&server, "desk");
    script(&provider, &["law"], &[]);
    let first = server.ask(&flow, &json!({"question": "My name is Ada."})).is(200).json();
    let body =
        json!({"question": "Who am I?", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    server.ask(&flow, &body).is(200);
    assert!(super::told(asked_of(&provider, "law").last().unwrap()).contains("My name is Ada."));
}

#[test]
fn a_key_of_the_team_is_for_callers_from_outside_only() {
    let (server, provider) = (Server::start(), Provider::start());
    let team = Team::of(&provider, &["law"]).flow(&server);
    let key = server.key(&["chatflows:view"]);
    server.put(&format!("/chatflows/{team}"), &json!({"apikeyid": id(&key)}));
    script(&provider, &["law"], &[]);
    ask(&server, &team).is_error(401);
    let flow = chatflow(&server, "desk");
    assert_eq!(ask(&server, &flow).is(200).json()["text"], "Together: done.");
}

#[test]
fn a_name_that_no_harness_has_is_told_by_the_card_and_by_validation() {
    let server = Server::start();
    let flow = chatflow(&server, "nobody");
    let told = ask(&server, &flow).is_error(500);
    assert!(told.contains("Harness") && told.contains("nobody"), "{told}");
    let problems = server.read(&format!("/validation/{flow}"));
    assert!(problems[0]["issues"][0].as_str().unwrap().contains("no longer exists"), "{problems}");
}

#[test]
fn a_step_has_what_the_team_did_in_its_output_and_tells_no_events_of_it() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["law"]).flow(&server);
    let flow = agentflow(&server, json!({}));
    script(&provider, &["law"], &[]);
    let answer = ask(&server, &flow).is(200).json();
    assert_eq!((&answer["text"], answer.get("harness")), (&json!("Together: done."), None));
    let output = &answer["agentFlowExecutedData"][1]["data"]["output"];
    assert_eq!((&output["content"], &output["harness"]), (&json!("Together: done."), &json!("desk")));
    assert_eq!(statuses(output), [("law".to_owned(), "completed".to_owned())]);
    let streamed = server.ask(&flow, &json!({"question": "What now?", "streaming": true})).is(200);
    assert!(!streamed.event_names().iter().any(|name| name.starts_with("harness.")));
}

#[test]
fn a_step_whose_team_fails_goes_the_way_of_its_card() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["law"]).flow(&server);
    script(&provider, &["law"], &[("law", Behaviour::status(400, "{}"))]);
    ask(&server, &agentflow(&server, json!({}))).is_error(500);
    let answer = ask(&server, &agentflow(&server, json!({"onError": "continue"}))).is(200).json();
    assert_eq!(answer["agentFlowExecutedData"][1]["status"], "ERROR");
}

#[test]
fn a_tool_asks_the_team_and_its_result_tells_what_it_did() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["law"]).flow(&server);
    script(&provider, &["law"], &[]);
    let (asking, mut drawing) = (Provider::start(), Drawing::default());
    let tool = drawing.card("harnessTool", json!({"harnessName": "desk", "name": "Ask desk"}));
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &asking.base_url(), json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&tool, &agent, "tools");
    let flow = server.flow(&drawing.text());
    asking.push_behaviour(Behaviour::call("Ask_desk", json!({"input": "How late?"})));
    asking.push_behaviour(Behaviour::text("Done."));
    let answer = ask(&server, &flow).is(200).json();
    let output: Value = serde_json::from_str(answer["usedTools"][0]["toolOutput"].as_str().unwrap()).unwrap();
    assert_eq!((&output["text"], &output["harness"]), (&json!("Together: done."), &json!("desk")));
    assert_eq!(output["agents"][0]["name"], "law");
    assert!(super::told(&asked_of(&provider, "lead")[0]).contains("How late?"));
}

#[test]
fn teams_that_ask_one_another_in_a_circle_are_ended() {
    let (server, provider) = (Server::start(), Provider::start());
    let tools = json!({"specialistTools": [{
        "agentSelectedTool": "harnessTool",
        "agentSelectedToolConfig": {"harnessName": "desk", "name": "Ask desk"},
        "agentSelectedToolOnError": "stop",
    }]});
    let flow = Team::of(&provider, &[])
        .specialist("law", tools)
        .with(json!({"harnessRouting": "all"}))
        .flow(&server);
    provider.set_decision(|_| Behaviour::call("Ask_desk", json!({"input": "You?"})));
    let told = ask(&server, &flow).is_error(500);
    assert!(told.contains("circle"), "{told}");
}

#[test]
fn a_caller_that_leaves_the_asking_flow_ends_the_specialists_too() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["a", "b"]).with(json!({"harnessRouting": "all"})).flow(&server);
    script(&provider, &[], &[("a", Behaviour::Hang), ("b", slowly(&"word ".repeat(500), 20))]);
    for flow in [chatflow(&server, "desk"), agentflow(&server, json!({}))] {
        let (served, gone) = (provider.served_count(), provider.disconnects());
        let body = json!({"question": "What now?", "streaming": true});
        let socket = server.call("POST", &format!("/prediction/{flow}")).json(&body).connect();
        assert!(
            provider.wait_until(Duration::from_secs(10), |provider| provider.served_count() >= served + 2)
        );
        drop(socket);
        assert!(provider.wait_until(Duration::from_secs(2), |provider| provider.disconnects() >= gone + 2));
    }
}

#[test]
fn a_specialist_whose_tool_asks_a_slow_flow_is_late_as_any() {
    let (server, provider) = (Server::start(), Provider::start());
    let inputs = json!({"modelName": "slow"});
    let slow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), inputs));
    let tools = json!({"specialistTools": [{
        "agentSelectedTool": "ChatflowTool",
        "agentSelectedToolConfig": {"selectedChatflow": slow, "name": "Ask it"},
    }]});
    let team = Team::of(&provider, &["good"]).specialist("late", tools);
    let flow = team.with(json!({"harnessRouting": "all", "harnessSpecialistSeconds": 1})).flow(&server);
    let call = Behaviour::call("Ask_it", json!({"input": "You?"}));
    script(&provider, &[], &[("late", call), ("slow", Behaviour::Hang)]);
    let answer = ask(&server, &flow).is(200).json();
    assert_eq!(statuses(&answer)[1], ("late".to_owned(), "timeout".to_owned()), "{answer}");
}

#[test]
fn the_list_of_a_picker_has_the_harnesses_of_the_workspace() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["law"]).flow(&server);
    let body = json!({"loadMethod": "listHarnesses"});
    let listed = server.owner("POST", "/node-load-method/harness").json(&body).send().is(200).json();
    assert_eq!(
        (&listed[0]["name"], &listed[0]["description"]),
        (&json!("desk"), &json!("The desk")),
        "{listed}"
    );
}
