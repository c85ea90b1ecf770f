//! Quotas of workspaces (manual 5.17): who sets them, what they tell, and that nothing gets in beside them.

mod budgets;
mod files;
mod flows;
mod knowledge;
mod pipelines;

use crate::support::Server;
use crate::support::client::Answer;
use serde_json::{Value, json};
use std::thread;

/// Sends a quota for the workspace that the owner acts in.
fn send(server: &Server, quota: &Value) -> Answer {
    server.owner("PUT", "/workspace").json(&json!({ "quota": quota })).send()
}

#[track_caller]
fn bound(server: &Server, quota: &Value) {
    send(server, quota).is(200);
}

/// The workspace that the owner acts in.
fn workspace(server: &Server) -> Value {
    let all = server.read("/workspace");
    all.as_array().unwrap().iter().find(|one| one["isActive"] == true).unwrap().clone()
}

/// What is used of its quota.
#[track_caller]
fn used(server: &Server, name: &str) -> u64 {
    workspace(server)["quotaUse"][name].as_u64().unwrap()
}

/// How many of requests that race were let through; all others were refused with this status.
fn admitted(count: usize, refusal: u16, ask: impl Fn(usize) -> u16 + Sync) -> usize {
    thread::scope(|scope| {
        let ask = &ask;
        let asked: Vec<_> = (0..count).map(|number| scope.spawn(move || ask(number))).collect();
        let statuses: Vec<u16> = asked.into_iter().map(|one| one.join().unwrap()).collect();
        assert!(statuses.iter().all(|status| [200, refusal].contains(status)), "{statuses:?}");
        statuses.iter().filter(|status| **status == 200).count()
    })
}

/// The sentence of a refusal names the quota, its limit, and what is used of it.
#[track_caller]
fn tells(sentence: &str, name: &str, limit: u64, used: u64) {
    let named = format!("The quota '{name}' of this workspace is {limit} ");
    let is_told =
        sentence.contains(&format!("of which {used} {} used", if used == 1 { "is" } else { "are" }));
    assert!(sentence.starts_with(&named) && is_told, "{sentence}");
}

#[test]
fn a_quota_is_set_read_changed_and_removed_by_the_owner() {
    let server = Server::start();
    assert_eq!((&workspace(&server)["quota"], &workspace(&server)["quotaUse"]), (&json!(null), &json!(null)));
    let quota = json!({"flows": 3, "chunks": 100, "characters": 5000, "vectors": 50, "fileBytes": 1000,
        "budget": {"tokensPerDay": 10, "questionsPerDay": 5}});
    let answer = send(&server, &quota).is(200).json();
    assert_eq!(answer["quota"], quota);
    assert_eq!(
        answer["quotaUse"],
        json!({"flows": 0, "chunks": 0, "characters": 0, "vectors": 0, "fileBytes": 0, "questionsToday": 0,
            "tokensToday": 0})
    );
    server.put("/workspace", &json!({"description": "Ours"}));
    assert_eq!(workspace(&server)["quota"], quota, "without the field it stays");
    bound(&server, &json!({"flows": 4}));
    let server = server.restart();
    assert_eq!(workspace(&server)["quota"], json!({"flows": 4}), "it is set as a whole");
    bound(&server, &json!(null));
    assert_eq!(workspace(&server)["quota"], json!(null));
    bound(&server, &json!({}));
    assert_eq!(workspace(&server)["quota"], json!(null));
}

#[test]
fn a_quota_that_is_none_is_refused_and_changes_nothing() {
    let server = Server::start();
    bound(&server, &json!({"flows": 3}));
    for wrong in [
        json!(5),
        json!({"flows": -1}),
        json!({"flows": 1.5}),
        json!({"files": 1}),
        json!({"budget": {"tokensPerDay": 0}}),
    ] {
        let told = send(&server, &wrong).is_error(400);
        assert!(told.starts_with("Invalid quota: "), "{wrong}: {told}");
    }
    assert_eq!(workspace(&server)["quota"], json!({"flows": 3}));
}

#[test]
fn only_the_owner_sets_a_quota_and_members_read_it() {
    let server = Server::start();
    let role = server.role("keeper", &["workspace:update", "workspace:view"]);
    let member = server.member(role);
    let put = |body: &Value| member.call(&server, "PUT", "/workspace").json(body).send();
    for quota in [json!({"flows": 9}), json!(null)] {
        let told = put(&json!({"name": "Mine", "quota": quota})).is_error(403);
        assert_eq!(told, "Only the owner of the service sets the quota of a workspace.");
    }
    assert_ne!(workspace(&server)["name"], "Mine");
    bound(&server, &json!({"flows": 2}));
    put(&json!({"name": "Ours"})).is(200);
    let seen = member.read(&server, "/workspace");
    assert_eq!((&seen[0]["name"], &seen[0]["quota"]), (&json!("Ours"), &json!({"flows": 2})));
    assert_eq!(seen[0]["quotaUse"]["flows"], 0);
}
