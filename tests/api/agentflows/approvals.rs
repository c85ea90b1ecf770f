//! Agents whose tools a person has to approve.

use super::steps::{START, Steps, Talk, endings, entry, llm, output, record, with};
use crate::support::Server;
use flowkeep::base::cancel::CancelToken;
use flowkeep::ops::predictions::{end_pause, load_pause_timers};
use jiff::Timestamp;
use serde_json::{Value, json};

const AGENT: &str = "agentAgentflow_0";

/// Calls the Calculator, and says what came of it or that it may not.
fn rules() -> Value {
    json!([
        {"match": "refused", "reply": "Then I do not know."},
        {"match": "Paris", "reply": "I heard it."},
        {"after": "tool", "match": ".+", "reply": "It is {0}."},
        {"after": "user", "reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "6*7"}}]},
    ])
}

fn tool(name: &str, asks: bool) -> Value {
    json!({
        "agentSelectedTool": name, "agentSelectedToolConfig": {"agentSelectedTool": name},
        "agentSelectedToolRequiresHumanInput": asks,
    })
}

fn agent(rules: &Value, tools: Value) -> Steps {
    agent_with(rules, tools, json!({}))
}

fn agent_with(rules: &Value, tools: Value, more: Value) -> Steps {
    let inputs = json!({
        "agentModel": "chatScripted", "agentModelConfig": {"rules": rules.to_string(), "fallback": "Nothing fits."},
        "agentTools": tools,
    });
    Steps::begin().card(AGENT, "Helper", with(inputs, more)).edge(START, AGENT)
}

fn asking() -> Steps {
    agent(&rules(), json!([tool("calculator", true)]))
}

#[test]
fn an_agent_calls_its_tools_and_tells_them() {
    let server = Server::start();
    let (_, answer) = Talk::begin(&server, &agent(&rules(), json!([tool("calculator", false)])), "Hi");
    assert_eq!(answer["text"], "It is 42.");
    assert_eq!(answer["usedTools"][0]["tool"], "calculator");
    assert_eq!(output(&answer, "Helper")["usedTools"][0]["toolOutput"], "42");
}

#[test]
fn the_called_tools_of_the_last_agent_are_an_event() {
    let server = Server::start();
    let flow = agent(&rules(), json!([tool("calculator", false)])).flow(&server);
    let body = json!({"question": "Hi", "streaming": true});
    let answer = server.call("POST", &format!("/prediction/{flow}")).json(&body).send();
    let called = answer.event("calledTools");
    assert_eq!(
        (&called[0]["tool"], &called[0]["toolInput"]),
        (&json!("calculator"), &json!({"input": "6*7"}))
    );
    assert_eq!(answer.streamed_text(), "It is 42.");
}

#[test]
fn a_last_model_that_called_nothing_tells_so_before_its_tokens() {
    let server = Server::start();
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", llm("Hi")).edge(START, "llmAgentflow_0");
    let flow = steps.flow(&server);
    let body = json!({"question": "Hi", "streaming": true});
    let answer = server.call("POST", &format!("/prediction/{flow}")).json(&body).send();
    assert_eq!(answer.event("calledTools"), json!([]));
    let names = answer.event_names();
    let place = |name: &str| names.iter().position(|known| known == name).unwrap();
    assert!(
        place("token") < place("calledTools") && place("calledTools") < place("usageMetadata"),
        "{names:?}"
    );
}

#[test]
fn a_tool_that_needs_approval_waits_and_is_not_called_before() {
    let server = Server::start();
    let (_, first) = Talk::begin(&server, &asking(), "Hi");
    let text = first["text"].as_str().unwrap();
    assert!(text.contains("calculator") && text.contains("6*7"), "{text}");
    assert_eq!(endings(&first), [("Start", "FINISHED"), ("Helper", "STOPPED")]);
    assert_eq!(output(&first, "Helper").get("usedTools"), None);
    assert_eq!(first["action"]["data"]["nodeId"], AGENT);
    assert_eq!(output(&first, "Helper")["isWaitingForHumanInput"], true);
}

#[test]
fn an_approved_tool_is_called_with_what_the_person_saw() {
    let server = Server::start();
    let (talk, first) = Talk::begin(&server, &asking(), "Hi");
    let second = talk.proceed();
    assert_eq!(second["text"], "It is 42.");
    assert_eq!(second["executionId"], first["executionId"]);
    assert_eq!(output(&second, "Helper")["usedTools"][0]["toolInput"], json!({"input": "6*7"}));
    assert_eq!(
        endings(&record(&server, &second)),
        [("Start", "FINISHED"), ("Helper", "STOPPED"), ("Helper", "FINISHED")]
    );
}

#[test]
fn a_refused_tool_is_not_called_and_the_model_is_told() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    let second = talk.reject();
    assert_eq!(second["text"], "Then I do not know.");
    assert_eq!(output(&second, "Helper").get("usedTools"), None);
    assert_eq!(entry(&second, "Helper")["status"], "FINISHED");
}

#[test]
fn what_the_person_wrote_is_told_to_the_model() {
    let server = Server::start();
    let rules = json!([
        {"match": "in Paris", "reply": "I heard it."},
        {"after": "tool", "reply": "I heard nothing."},
        {"after": "user", "reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "1+1"}}]},
    ]);
    for decision in ["proceed", "reject"] {
        let (talk, _) = Talk::begin(&server, &agent(&rules, json!([tool("calculator", true)])), "Hi");
        let second = talk.answer(&json!({"type": decision, "feedback": "in Paris"}));
        assert_eq!(second["text"], "I heard it.", "{decision}");
    }
}

#[test]
fn each_call_of_such_a_tool_is_asked_for() {
    let server = Server::start();
    let rules = json!([
        {"after": "tool", "match": "^4$", "reply": "Done."},
        {"after": "tool", "reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "2+2"}}]},
        {"after": "user", "reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "1+1"}}]},
    ]);
    let (talk, _) = Talk::begin(&server, &agent(&rules, json!([tool("calculator", true)])), "Hi");
    let second = talk.proceed();
    assert!(second["text"].as_str().unwrap().contains("2+2"), "{second}");
    assert_eq!(talk.proceed()["text"], "Done.");
}

#[test]
fn tools_beside_the_one_that_needs_approval_need_none() {
    let server = Server::start();
    let tools = json!([tool("calculator", false), tool("currentDateTime", true)]);
    let (_, answer) = Talk::begin(&server, &agent(&rules(), tools), "Hi");
    assert_eq!((&answer["text"], answer.get("action")), (&json!("It is 42."), None));
}

#[test]
fn an_agent_that_waits_goes_on_after_a_restart() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &asking(), "Hi");
    let (flow, chat) = (talk.flow().to_owned(), talk.chat.clone());
    let server = server.restart();
    let body = json!({"chatId": chat, "humanInput": {"type": "proceed"}});
    assert_eq!(server.post(&format!("/internal-prediction/{flow}"), &body)["text"], "It is 42.");
}

#[test]
fn an_approval_that_nobody_gives_in_time_counts_as_refused_also_after_a_restart() {
    let timeout = json!({"agentHumanInputTimeout": 60});
    let steps = agent_with(&rules(), json!([tool("calculator", true)]), timeout);
    for restarts in [false, true] {
        let mut server = Server::start();
        let (flow, first) = {
            let (talk, first) = Talk::begin(&server, &steps, "Hi");
            (talk.flow().to_owned(), first)
        };
        assert!(record(&server, &first)["pauses"][0]["timeoutAt"].is_string(), "{first}");
        if restarts {
            server = server.restart();
            load_pause_timers(&server.app).unwrap();
        }
        for due in server.app.state.pause_timers.take_due(Timestamp::MAX) {
            end_pause(&server.app, &due, &CancelToken::new(None));
        }
        assert_eq!(record(&server, &first)["state"], "FINISHED");
        assert_eq!(server.messages(&flow).last().unwrap()["content"], "Then I do not know.");
    }
}

#[test]
fn a_tool_that_is_unknown_or_fails_is_told_to_the_model() {
    let server = Server::start();
    for call in [
        json!({"name": "nobody", "arguments": {}}),
        json!({"name": "calculator", "arguments": {"input": "1/"}}),
    ] {
        let rules = json!([
            {"after": "tool", "reply": "So it failed."},
            {"after": "user", "reply": "", "toolCalls": [call]},
        ]);
        let (_, answer) = Talk::begin(&server, &agent(&rules, json!([tool("calculator", false)])), "Hi");
        assert_eq!(answer["text"], "So it failed.");
    }
}

#[test]
fn an_agent_that_never_stops_calling_fails_and_is_named() {
    let server = Server::start();
    let rules = json!([{"reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "1+1"}}]}]);
    let flow = agent(&rules, json!([tool("calculator", false)])).flow(&server);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("Helper") && told.contains("25"), "{told}");
}
