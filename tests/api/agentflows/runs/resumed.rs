//! What a run that waits goes on with: its own canvas, and what it was asked with (manual 16.5).

use super::super::human_input::asking;
use super::super::steps::{START, Steps, llm, newest_record, provided_llm, question, reply, with};
use crate::overrides::override_settings;
use crate::support::Server;
use crate::support::provider::Provider;
use serde_json::{Value, json};

const ASK: &str = "humanInputAgentflow_0";

/// Sends an answer in the conversation of an earlier one.
fn proceed(server: &Server, flow: &str, first: &Value, more: Value) -> crate::support::Answer {
    let mut body = json!({
        "chatId": first["chatId"], "sessionToken": first["sessionToken"], "humanInput": {"type": "proceed"},
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.ask(flow, &body)
}

#[test]
fn a_live_that_cannot_run_any_more_holds_nobody_up() {
    let server = Server::start();
    let flow = asking().flow(&server);
    let broken = Steps::begin().card("llmAgentflow_0", "Lost", llm("x")).text();
    for live in [broken, json!({"nodes": [], "edges": []}).to_string()] {
        let first = server.ask(&flow, &json!({"question": "Hi"}));
        let first = first.is(200).json();
        server.put(&format!("/chatflows/{flow}"), &json!({ "flowData": live }));
        assert_ne!(server.ask(&flow, &json!({"question": "Hi"})).status, 200, "it does not run");
        let second = proceed(&server, &flow, &first, json!({})).is(200).json();
        assert_eq!(second["text"], "Sent: A draft. (proceed)");
        server.put(&format!("/chatflows/{flow}"), &json!({ "flowData": asking().text() }));
    }
}

#[test]
fn the_key_of_the_flow_counts_for_an_answer_too() {
    let server = Server::start();
    let flow = asking().flow(&server);
    let first = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let key = server.key(&["agentflows:view"]);
    server.put(&format!("/chatflows/{flow}"), &json!({"apikeyid": key["id"]}));
    proceed(&server, &flow, &first, json!({})).is_error(401);
    assert_eq!(newest_record(&server)["state"], "STOPPED");
}

#[test]
fn settings_of_the_question_count_to_the_end_of_its_run_also_after_a_restart() {
    let server = Server::start();
    let steps = Steps::begin_with_state(&json!({"tone": "kind"}))
        .card(ASK, "Ask", question("Well?"))
        .card("llmAgentflow_0", "Writer", llm("usual"))
        .card("directReplyAgentflow_0", "Reply", reply("{{ llmAgentflow_0 }} {{ $flow.state.tone }}"))
        .edge(START, ASK)
        .choice(ASK, 0, "llmAgentflow_0")
        .edge("llmAgentflow_0", "directReplyAgentflow_0");
    let listed = override_settings(&[("Writer", &["fallback"]), ("Start", &["startState"])], &[]);
    let flow = steps.flow_with(&server, listed);
    let sent = json!({
        "llmModelConfig": {"fallback": "new"}, "startState": [{"key": "tone", "value": "sharp"}],
    });
    let body = json!({"question": "Hi", "overrideConfig": sent});
    let (first, second) = (server.ask(&flow, &body).is(200).json(), server.ask(&flow, &body).is(200).json());
    assert_eq!(proceed(&server, &flow, &first, json!({})).is(200).json()["text"], "new sharp");
    // Whatever became of the list meanwhile: it was judged when it was asked.
    server.put(&format!("/chatflows/{flow}"), &json!({"apiConfig": "{}"}));
    let server = server.restart();
    assert_eq!(proceed(&server, &flow, &second, json!({})).is(200).json()["text"], "new sharp");
}

#[test]
fn variables_of_the_question_count_to_the_end_of_its_run() {
    let server = Server::start();
    server.post("/variables", &json!({"name": "city", "value": "Rome", "type": "static"}));
    let steps = Steps::begin()
        .card(ASK, "Ask", question("Well?"))
        .card(
            "customFunctionAgentflow_0",
            "Code",
            json!({"customFunctionJavascriptFunction": "return $vars.city;"}),
        )
        .edge(START, ASK)
        .choice(ASK, 0, "customFunctionAgentflow_0");
    let flow = steps.flow_with(&server, override_settings(&[], &["city"]));
    let body = json!({"question": "Hi", "overrideConfig": {"vars": {"city": "Oslo"}}});
    let first = server.ask(&flow, &body).is(200).json();
    assert_eq!(proceed(&server, &flow, &first, json!({})).is(200).json()["text"], "Oslo");
}

#[test]
fn earlier_messages_of_the_question_are_known_after_the_pause() {
    let (server, provider) = (Server::start(), Provider::start());
    let model = with(provided_llm(&provider), json!({"llmEnableMemory": true}));
    let steps = Steps::begin()
        .card(ASK, "Ask", question("Well?"))
        .card("llmAgentflow_0", "Writer", model)
        .edge(START, ASK)
        .choice(ASK, 0, "llmAgentflow_0");
    let flow = steps.flow(&server);
    let body = json!({"question": "Hi", "history": [{"role": "userMessage", "content": "Long ago"}]});
    let first = server.ask(&flow, &body).is(200).json();
    proceed(&server, &flow, &first, json!({})).is(200);
    assert!(
        provider.last_request().body.to_string().contains("Long ago"),
        "{:?}",
        provider.last_request().body
    );
}

#[test]
fn files_do_not_come_with_an_answer() {
    let server = Server::start();
    let flow = asking().flow(&server);
    let first = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let upload = json!({"type": "file:full", "name": "a.txt", "mime": "text/plain", "data": "x"});
    proceed(&server, &flow, &first, json!({ "uploads": [upload] })).is_error(400);
    proceed(&server, &flow, &first, json!({"uploads": []})).is(200);
}

#[test]
fn settings_that_are_too_long_to_be_kept_are_refused() {
    let server = Server::start();
    let flow = asking().flow_with(&server, override_settings(&[("Writer", &["fallback"])], &[]));
    let sent = json!({"llmModelConfig": {"fallback": "x".repeat(1024 * 1024)}});
    let told = server.ask(&flow, &json!({"question": "Hi", "overrideConfig": sent})).is_error(400);
    assert!(told.contains("overrideConfig"), "{told}");
    assert_eq!(server.read("/executions")["total"], 0);
}

#[test]
fn who_may_change_the_flow_answers_in_the_conversation_of_somebody_else() {
    let server = Server::start();
    let flow = asking().flow(&server);
    let first = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let answer = |permission: &str, more: Value| {
        let key = server.key(&[permission])["apiKey"].as_str().unwrap().to_owned();
        let mut body = json!({"chatId": first["chatId"]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.call("POST", &format!("/internal-prediction/{flow}")).bearer(&key).json(&body).send()
    };
    let proceed = json!({"humanInput": {"type": "proceed"}});
    answer("agentflows:view", proceed.clone()).is_error(409);
    let asked = answer("agentflows:update", json!({"question": "And?"})).is(200).json();
    assert_ne!(asked["chatId"], first["chatId"], "a question is none of theirs");
    let second = answer("agentflows:update", proceed.clone()).is(200).json();
    assert_eq!((&second["text"], &second["chatId"]), (&json!("Sent: A draft. (proceed)"), &first["chatId"]));
    assert_eq!(second["sessionToken"], "", "nobody gets the proof of another's conversation");
    let all = server.messages(&flow);
    let said: Vec<&Value> = all.iter().filter(|said| said["chatId"] == first["chatId"]).collect();
    assert_eq!(said.len(), 4);
    assert!(said.iter().all(|said| said["chatType"] == "EXTERNAL"), "it stays a conversation of its person");
    answer("agentflows:update", proceed).is_error(409);
}
