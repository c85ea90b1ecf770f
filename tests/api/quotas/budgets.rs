//! The daily budget of a whole workspace.

use super::{admitted, bound, used};
use crate::support::Server;
use crate::support::canvases::scripted_flow;
use serde_json::json;

fn question() -> serde_json::Value {
    json!({"question": "Hi"})
}

#[test]
fn all_flows_of_a_workspace_share_its_budget() {
    let server = Server::start();
    let (one, other) = (server.flow(&scripted_flow()), server.flow(&scripted_flow()));
    bound(&server, &json!({"budget": {"questionsPerDay": 2}}));
    server.ask(&one, &question()).is(200);
    server.ask(&other, &question()).is(200);
    let refused = server.ask(&one, &question());
    assert!((1..=86_400).contains(&refused.header("retry-after").unwrap().parse::<u64>().unwrap()));
    let told = refused.is_error(429);
    assert!(told.starts_with("The daily budget of this workspace is used up until 2"), "{told}");
    assert_eq!(used(&server, "questionsToday"), 2);
    let state = server.read("/usage")["budgets"][0].clone();
    assert_eq!((&state["kind"], &state["questionsPerDay"]), (&json!("workspace"), &json!(2)));
    assert_eq!((&state["usedQuestions"], &state["refusing"]), (&json!(2), &json!(true)));
    server.owner("POST", &format!("/internal-prediction/{one}")).json(&question()).send().is(200);
    let mut server = server.restart();
    server.ask(&other, &question()).is_error(429);
    bound(&server, &json!({"budget": {"questionsPerDay": 3}}));
    server.ask(&other, &question()).is(200);
    server.ask(&other, &question()).is_error(429);
    server.app.clock.advance_seconds(86_400);
    server.cookie = server.sign_in();
    server.ask(&other, &question()).is(200);
}

#[test]
fn what_was_used_before_there_was_a_budget_counts() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    server.ask(&flow, &question()).is(200);
    bound(&server, &json!({"budget": {"tokensPerDay": 1}}));
    server.ask(&flow, &question()).is_error(429);
    bound(&server, &json!(null));
    server.ask(&flow, &question()).is(200);
}

#[test]
fn questions_that_race_do_not_overrun_the_budget_of_a_workspace() {
    let server = Server::start();
    let flows = [server.flow(&scripted_flow()), server.flow(&scripted_flow())];
    bound(&server, &json!({"budget": {"questionsPerDay": 5}}));
    let let_in = admitted(20, 429, |number| server.ask(&flows[number % 2], &question()).status);
    assert_eq!((let_in, used(&server, "questionsToday")), (5, 5));
}

#[test]
fn another_workspace_has_a_budget_of_its_own() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    bound(&server, &json!({"budget": {"questionsPerDay": 1}}));
    let other = server.new_workspace("Other");
    server.enter(&other);
    let there = server.flow(&scripted_flow());
    server.ask(&flow, &question()).is(200);
    server.ask(&flow, &question()).is_error(429);
    server.ask(&there, &question()).is(200);
    server.ask(&there, &question()).is(200);
}
