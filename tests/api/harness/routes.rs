//! Harnesses by their names: the list, and a run (manual 22.6).

use super::{Team, script};
use crate::support::Server;
use crate::support::client::Call;
use crate::support::provider::Provider;
use serde_json::{Value, json};

fn run(server: &Server, name: &str) -> Call {
    server.call("POST", &format!("/harnesses/{name}/runs"))
}

#[test]
fn a_signed_in_person_asks_a_team_by_its_name() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law"]).with(json!({"harnessMemoryType": "allMessages"})).flow(&server);
    script(&provider, &["law"], &[]);
    let session = server.sign_in();
    let ask = |body: Value| run(&server, "desk").header("Cookie", &session).json(&body).send();
    let first = ask(json!({"question": "My name is Ada."})).is(200).json();
    assert_eq!((&first["text"], &first["harness"]), (&json!("Together: done."), &json!("desk")));
    let again = ask(json!({
        "question": "Who am I?", "chatId": first["chatId"], "sessionToken": first["sessionToken"],
        "overrideConfig": {"sessionId": "ignored"},
    }));
    assert_eq!(again.is(200).json()["chatId"], first["chatId"]);
    let kept = server.read(&format!("/internal-chatmessage/{flow}?chatType=INTERNAL"));
    assert_eq!(kept.as_array().unwrap().len(), 4, "{kept}");
    let streamed = ask(json!({"question": "What now?", "streaming": true})).is(200);
    assert_eq!(streamed.event_names()[0], "harness.route");
}

#[test]
fn others_are_refused_each_with_a_status_of_its_own() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["law"]).flow(&server);
    let session = server.sign_in();
    let body = json!({"question": "What now?"});
    let key = server.key(&["chatflows:view"])["apiKey"].as_str().unwrap().to_owned();
    run(&server, "desk").bearer(&key).json(&body).send().is_error(403);
    run(&server, "desk").header("Authorization", "Basic abc").json(&body).send().is_error(403);
    run(&server, "desk")
        .header("Cookie", &session)
        .header("Authorization", "Bearer x")
        .json(&body)
        .send()
        .is_error(403);
    run(&server, "desk").json(&body).send().is_error(401);
    let signed_in =
        |name: &str, body: Value| run(&server, name).header("Cookie", &session).json(&body).send();
    assert!(signed_in("nobody", body.clone()).is_error(404).contains("nobody"));
    signed_in("Desk", body).is_error(404);
    assert!(signed_in("desk", json!({"question": " "})).is_error(400).contains("question"));
    signed_in("desk", json!({})).is_error(400);
}

#[test]
fn the_list_says_who_the_specialists_are() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["tax", "law"]).flow(&server);
    let listed = server.read("/harnesses");
    let expected = json!([{"name": "desk", "flowId": flow, "specialists": [
        {"name": "tax", "description": "Knows tax."}, {"name": "law", "description": "Knows law."},
    ]}]);
    assert_eq!(listed, expected);
    let key = server.key(&["tools:view"])["apiKey"].as_str().unwrap().to_owned();
    server.call("GET", "/harnesses").bearer(&key).send().is_error(403);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(server.read("/harnesses"), json!([]));
}
