//! Budgets of flows and keys (manual 5.16).

use super::{bounded_flow, flow_with, pass_days, question, test_chat, usage};
use crate::mcp_server;
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::thread;

fn retry_after(answer: &crate::support::client::Answer) -> u64 {
    answer.header("retry-after").unwrap().parse().unwrap()
}

#[test]
fn a_flow_whose_budget_is_used_up_refuses_until_the_next_day() {
    let server = Server::start();
    let flow = bounded_flow(&server, &json!({"questionsPerDay": 1}));
    server.ask(&flow, &question()).is(200);
    for streaming in [false, true] {
        let refused = server.ask(&flow, &json!({"question": "Hi", "streaming": streaming}));
        assert!((1..=86_400).contains(&retry_after(&refused)));
        let told = refused.is_error(429);
        assert!(told.starts_with("The daily budget of this flow is used up until 2"), "{told}");
        assert!(told.ends_with("T00:00:00Z."), "{told}");
    }
    let state = usage(&server, "")["budgets"][0].clone();
    assert_eq!(
        (&state["kind"], &state["id"], &state["name"]),
        (&json!("flow"), &json!(flow), &json!("Flow"))
    );
    assert_eq!((&state["questionsPerDay"], &state["tokensPerDay"]), (&json!(1), &json!(null)));
    assert_eq!((&state["usedQuestions"], &state["refusing"]), (&json!(1), &json!(true)));
    assert!(state["opensAgainAt"].is_string());
    assert_eq!(usage(&server, "")["flows"][0]["questions"], 1, "what is refused does not count");
    test_chat(&server, &flow).is(200);
    let mut server = server.restart();
    server.ask(&flow, &question()).is_error(429);
    pass_days(&mut server, 1);
    server.ask(&flow, &question()).is(200);
}

#[test]
fn tokens_close_a_flow_when_the_question_that_used_them_is_over() {
    let server = Server::start();
    let flow = bounded_flow(&server, &json!({"tokensPerDay": 1}));
    server.ask(&flow, &question()).is(200);
    server.ask(&flow, &question()).is_error(429);
    let tests_only = bounded_flow(&server, &json!({"tokensPerDay": 1}));
    test_chat(&server, &tests_only).is(200);
    server.ask(&tests_only, &question()).is(200);
}

#[test]
fn a_key_is_closed_by_its_own_budget_whichever_flow_it_asks() {
    let server = Server::start();
    flow_with(&server, &json!({"name": "greeter"}));
    flow_with(&server, &json!({"name": "other"}));
    let body = json!({"keyName": "k", "permissions": ["chatflows:view"], "budget": {"questionsPerDay": 1}});
    let key = server.post("/apikey", &body);
    assert_eq!(key["budget"], json!({"questionsPerDay": 1}));
    let ask = |model: &str| {
        let body = json!({"model": model, "messages": [{"role": "user", "content": "Hi"}]});
        let asked = server.call("POST", "/openai/v1/chat/completions");
        asked.bearer(key["apiKey"].as_str().unwrap()).json(&body).send()
    };
    ask("greeter").is(200);
    let refused = ask("other");
    assert_eq!((refused.status, refused.header("x-should-retry")), (429, Some("false")));
    assert!(retry_after(&refused) > 0);
    let told = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(told.starts_with("The daily budget of this API key is used up until"), "{told}");
    let listed = server.read("/apikey")[0].clone();
    assert_eq!(
        (&listed["budget"], &listed["usedToday"]["questions"]),
        (&json!({"questionsPerDay": 1}), &json!(1))
    );
    let path = format!("/apikey/{}", id(&key));
    let edit = |budget: &Value| {
        let mut body = json!({"keyName": "k", "permissions": ["chatflows:view"]});
        if !budget.is_boolean() {
            body["budget"] = budget.clone();
        }
        server.owner("PUT", &path).json(&body).send()
    };
    // Without the field it stays; null removes it.
    assert_eq!(edit(&json!(true)).is(200).json()[0]["budget"], json!({"questionsPerDay": 1}));
    ask("other").is(429);
    assert_eq!(edit(&json!(null)).is(200).json()[0]["budget"], json!(null));
    ask("other").is(200);
}

#[test]
fn a_tool_is_refused_in_the_shape_of_its_protocol() {
    let server = Server::start();
    let flow = bounded_flow(&server, &json!({"questionsPerDay": 1}));
    let token = mcp_server::enable(&server, &flow, "greeter");
    let call = json!({"name": "greeter", "arguments": {"question": "Hi"}});
    let send = || {
        let called = server.call("POST", &format!("/mcp/{flow}")).bearer(&token);
        let called = called.header("MCP-Protocol-Version", "2025-11-25");
        called.json(&mcp_server::message("tools/call", &call)).send()
    };
    send().is(200);
    let refused = send();
    assert_eq!(refused.status, 429);
    let told = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(told.contains("budget of this flow"), "{told}");
}

#[test]
fn questions_that_race_do_not_overrun_a_budget() {
    let server = Server::start();
    let flow = bounded_flow(&server, &json!({"questionsPerDay": 5}));
    let answered = thread::scope(|scope| {
        let ask = || server.ask(&flow, &question()).status;
        let asked: Vec<_> = (0..20).map(|_| scope.spawn(ask)).collect();
        let statuses: Vec<u16> = asked.into_iter().map(|one| one.join().unwrap()).collect();
        assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
        statuses.iter().filter(|status| **status == 200).count()
    });
    assert_eq!(answered, 5);
}

#[test]
fn what_is_no_budget_is_refused() {
    let server = Server::start();
    let flow = flow_with(&server, &json!({}));
    for wrong in [
        json!(5),
        json!([]),
        json!({"tokensPerDay": 0}),
        json!({"tokensPerDay": 1.5}),
        json!({"tokensPerDay": "5"}),
        json!({"questionsPerDay": -1}),
        json!({"questionsPerDay": 1_000_000_000_001_u64}),
        json!({"perDay": 5}),
    ] {
        let config = json!({"apiConfig": json!({ "budget": wrong }).to_string()});
        let told = server.owner("PUT", &format!("/chatflows/{flow}")).json(&config).send().is_error(400);
        assert!(told.contains("budget"), "{wrong}: {told}");
        let body = json!({"keyName": "k", "permissions": ["chatflows:view"], "budget": wrong});
        let told = server.owner("POST", "/apikey").json(&body).send().is_error(400);
        assert!(told.contains("budget"), "{wrong}: {told}");
    }
}
