//! What is counted of each way of asking (manual 5.15).

use super::{flow_with, pass_days, question, test_chat, today, usage};
use crate::mcp_server;
use crate::support::canvases::{ProviderFormat, scripted_flow, scripted_flow_with};
use crate::support::provider::{Behaviour, Provider};
use crate::support::steps::{START, Steps, llm};
use crate::support::{Server, id};
use flowkeep::base::cancel::CancelToken;
use flowkeep::domain::accounts::role::ADMINISTRATOR;
use flowkeep::ops::predictions::consumption::delete_expired;
use serde_json::{Value, json};

fn tokens(told: &Value) -> u64 {
    told["promptTokens"].as_u64().unwrap() + told["completionTokens"].as_u64().unwrap()
}

#[test]
fn a_question_counts_once_whole_streamed_and_as_a_tool() {
    let server = Server::start();
    let flow = flow_with(&server, &json!({}));
    server.ask(&flow, &question()).is(200);
    assert_eq!(today(&server, ""), (1, 0));
    server.ask(&flow, &json!({"question": "Hi", "streaming": true})).is(200);
    assert_eq!(today(&server, ""), (2, 0));
    let token = mcp_server::enable(&server, &flow, "greeter");
    let call = json!({"name": "greeter", "arguments": {"question": "Hi"}});
    let sent = mcp_server::message("tools/call", &call);
    let called = server.call("POST", &format!("/mcp/{flow}")).bearer(&token);
    called.header("MCP-Protocol-Version", "2025-11-25").json(&sent).send().is(200);
    assert_eq!(today(&server, ""), (3, 0));
    let told = usage(&server, "");
    assert_eq!((&told["flows"][0]["id"], &told["flows"][0]["deleted"]), (&json!(flow), &json!(false)));
    assert_eq!((&told["flows"][0]["name"], &told["flows"][0]["questions"]), (&json!("Flow"), &json!(3)));
    assert_eq!((&told["keys"][0]["id"], &told["keys"][0]["questions"]), (&json!(null), &json!(3)));
    assert_eq!(told["models"][0]["calls"], 3);
    assert!(tokens(&told["flows"][0]) > 0);
    assert_eq!(tokens(&told["flows"][0]), tokens(&told["models"][0]));
    assert_eq!(told["days"].as_array().unwrap().len(), 30);
}

#[test]
fn the_median_time_is_that_of_the_answers_that_came() {
    let server = Server::start();
    let canvas = scripted_flow_with(json!({
        "rules": json!([
            {"match": "slow", "reply": "Hello", "delayMs": 400}, {"match": "fail", "fail": {"status": 429}},
        ])
        .to_string(),
    }));
    let flow = server.flow(&canvas);
    let ask = |question: &str| server.ask(&flow, &json!({ "question": question })).status;
    assert_eq!((ask("fail"), test_chat(&server, &flow).status), (429, 200));
    let told = usage(&server, "");
    assert_eq!((&told["medianMs"], &told["flows"][0]["medianMs"]), (&Value::Null, &Value::Null));
    assert_eq!([ask("slow"), ask("slow"), ask("quick")], [200, 200, 200]);
    let told = usage(&server, "");
    let median = told["medianMs"].as_u64().unwrap();
    assert!((320..10_000).contains(&median), "the slow ones are in the middle: {median}");
    for place in ["/days/29", "/flows/0", "/keys/0"] {
        assert_eq!(told.pointer(place).unwrap()["medianMs"], json!(median), "{place}");
    }
    assert_eq!(told["days"][28]["medianMs"], Value::Null);
    let model = told["models"][0]["name"].as_str().unwrap();
    assert_eq!(usage(&server, &format!("?model={model}"))["medianMs"], Value::Null);
    assert_eq!(usage(&server, &format!("?flowId={flow}"))["medianMs"], json!(median));
}

#[test]
fn a_question_over_openai_counts_for_the_key_that_asked() {
    let server = Server::start();
    flow_with(&server, &json!({"name": "greeter"}));
    let key = server.key(&["chatflows:view"]);
    let body = json!({"model": "greeter", "messages": [{"role": "user", "content": "Hi"}]});
    let asked = server.call("POST", "/openai/v1/chat/completions");
    asked.bearer(key["apiKey"].as_str().unwrap()).json(&body).send().is(200);
    let told = usage(&server, "");
    assert_eq!((&told["keys"][0]["id"], &told["keys"][0]["name"]), (&key["id"], &json!("test")));
    assert_eq!(told["keys"][0]["questions"], 1);
    let key = id(&key);
    assert_eq!(today(&server, &format!("?keyId={key}")), (1, 0));
    assert_eq!(server.read("/apikey")[0]["usedToday"]["questions"], 1);
}

#[test]
fn a_question_with_the_key_of_a_bound_flow_counts_for_that_key() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let flow = flow_with(&server, &json!({"apikeyid": id(&key)}));
    server.ask(&flow, &question()).is_error(401);
    let asked = server.call("POST", &format!("/prediction/{flow}"));
    asked.bearer(key["apiKey"].as_str().unwrap()).json(&question()).send().is(200);
    let told = usage(&server, "");
    assert_eq!((&told["keys"][0]["id"], &told["keys"][0]["questions"]), (&key["id"], &json!(1)));
}

#[test]
fn a_flow_that_another_one_asks_counts_its_own_question_and_models() {
    let server = Server::start();
    let asked = flow_with(&server, &json!({"name": "asked"}));
    let call = json!({"executeFlowSelectedFlow": asked, "executeFlowInput": "Hi"});
    let steps = Steps::begin().card("executeFlowAgentflow_0", "Ask", call);
    let steps = steps.edge(START, "executeFlowAgentflow_0").text();
    let asking = server.flow_with(&steps, &json!({"name": "asking", "type": "AGENTFLOW"}));
    server.ask(&asking, &question()).is(200);
    let told = usage(&server, "");
    let of = |flow: &str| {
        let listed = told["flows"].as_array().unwrap();
        listed.iter().find(|one| one["id"] == *flow).unwrap().clone()
    };
    assert_eq!((&of(&asking)["questions"], &of(&asked)["questions"]), (&json!(1), &json!(1)));
    assert_eq!(tokens(&of(&asking)), 0, "the tokens of another flow are not counted twice");
    assert_eq!(tokens(&of(&asked)), tokens(&told["models"][0]));
}

#[test]
fn the_run_of_an_agentflow_counts_once() {
    let server = Server::start();
    let steps =
        Steps::begin().card("llmAgentflow_0", "Say", llm("Hello")).edge(START, "llmAgentflow_0").text();
    let flow = server.flow_with(&steps, &json!({"type": "AGENTFLOW"}));
    server.ask(&flow, &question()).is(200);
    assert_eq!(today(&server, ""), (1, 0));
    assert_eq!(usage(&server, "")["models"][0]["calls"], 1);
}

#[test]
fn a_question_that_fails_counts_as_failed_and_one_that_is_refused_not_at_all() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({})));
    provider.set_decision(|_| Behaviour::status(400, "{}"));
    server.ask(&flow, &question()).is_error(500);
    assert_eq!(today(&server, ""), (1, 1));
    server.ask(&flow, &json!({"question": ""})).is_error(400);
    server.ask(&flow, &json!({"question": "Hi", "uploads": [{"type": "file", "name": "x", "data": "y"}]}));
    assert_eq!(today(&server, ""), (1, 1));
}

#[test]
fn the_test_chat_costs_tokens_and_is_no_question() {
    let server = Server::start();
    let flow = flow_with(&server, &json!({}));
    test_chat(&server, &flow).is(200);
    let told = usage(&server, "");
    assert_eq!(told["flows"][0]["questions"], 0);
    assert!(tokens(&told["flows"][0]) > 0);
    assert_eq!(told["models"][0]["calls"], 1);
}

#[test]
fn a_restart_keeps_what_was_counted_and_goes_on_with_it() {
    let server = Server::start();
    let flow = flow_with(&server, &json!({}));
    server.ask(&flow, &question()).is(200);
    let before = usage(&server, "");
    let server = server.restart();
    assert_eq!(usage(&server, ""), before);
    server.ask(&flow, &question()).is(200);
    assert_eq!(today(&server, ""), (2, 0));
    let server = server.restart();
    assert_eq!(today(&server, ""), (2, 0));
}

#[test]
fn a_deleted_flow_keeps_its_counts() {
    let server = Server::start();
    let flow = flow_with(&server, &json!({}));
    server.ask(&flow, &question()).is(200);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    let told = usage(&server, &format!("?flowId={flow}"));
    assert_eq!((&told["flows"][0]["deleted"], &told["flows"][0]["name"]), (&json!(true), &json!(null)));
    assert_eq!(told["flows"][0]["questions"], 1);
}

#[test]
fn counts_are_kept_for_400_days() {
    let mut server = Server::start();
    let flow = flow_with(&server, &json!({}));
    server.ask(&flow, &question()).is(200);
    let expire = |server: &Server| delete_expired(&server.app, &CancelToken::new(None)).unwrap();
    pass_days(&mut server, 399);
    assert_eq!(expire(&server), 0);
    let day = usage(&server, "")["to"].as_str().unwrap().to_owned();
    pass_days(&mut server, 1);
    assert!(expire(&server) > 0);
    assert_eq!(expire(&server), 0);
    let told = server.owner("GET", &format!("/usage?to={day}")).send().is(200).json();
    assert_eq!(told["flows"], json!([]));
}

#[test]
fn a_span_has_each_of_its_days_and_a_model_narrows_it() {
    let mut server = Server::start();
    let flow = flow_with(&server, &json!({}));
    server.ask(&flow, &question()).is(200);
    let first = usage(&server, "")["to"].as_str().unwrap().to_owned();
    pass_days(&mut server, 2);
    server.ask(&flow, &question()).is(200);
    let last = usage(&server, "")["to"].as_str().unwrap().to_owned();
    let told = usage(&server, &format!("?from={first}&to={last}"));
    let counted: Vec<&Value> = told["days"].as_array().unwrap().iter().map(|day| &day["questions"]).collect();
    assert_eq!(counted, [1, 0, 1]);
    let model = told["models"][0]["name"].as_str().unwrap();
    assert_eq!(usage(&server, &format!("?model={model}"))["flows"][0]["questions"], 2);
    assert_eq!(usage(&server, "?model=none")["flows"], json!([]));
}

#[test]
fn what_is_no_span_is_refused_with_a_sentence() {
    let server = Server::start();
    for (query, says) in [
        ("?from=yesterday", "must be a day"),
        ("?to=2026-02-30", "must be a day"),
        ("?from=2026-02-02&to=2026-02-01", "later"),
        ("?from=2024-01-01&to=2026-01-01", "400 days"),
        ("?flowId=x", "must be an id"),
        ("?keyId=x", "must be an id"),
    ] {
        let told = server.owner("GET", &format!("/usage{query}")).send().is_error(400);
        assert!(told.contains(says), "{query}: {told}");
    }
    server.call("GET", "/usage").send().is_error(401);
}

#[test]
fn another_workspace_sees_nothing_of_it() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    server.ask(&flow, &question()).is(200);
    let there = server.new_workspace("There");
    let member = server.member_of(&there, ADMINISTRATOR);
    for query in ["", &format!("?flowId={flow}")] {
        let told = member.read(&server, &format!("/usage{query}"));
        assert_eq!((&told["flows"], &told["models"], &told["budgets"]), (&json!([]), &json!([]), &json!([])));
    }
}
