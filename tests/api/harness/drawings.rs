//! What the canvas of a harness must hold, and its name (manual 22.1).

use super::{Team, ask};
use crate::support::provider::Provider;
use crate::support::{Answer, Server, id};
use crate::transfer;
use serde_json::{Value, json};

fn make(server: &Server, canvas: &str) -> Answer {
    let body = json!({"name": "The desk", "type": "HARNESS", "flowData": canvas});
    server.owner("POST", "/chatflows").json(&body).send()
}

/// The canvas after a change.
fn changed(canvas: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut canvas: Value = serde_json::from_str(canvas).unwrap();
    change(&mut canvas);
    canvas.to_string()
}

#[test]
fn a_canvas_that_is_no_team_is_refused_with_its_card_and_input() {
    let (server, provider) = (Server::start(), Provider::start());
    let team = Team::of(&provider, &["law", "tax"]);
    let refused = |canvas: String, words: &[&str]| {
        let told = make(&server, &canvas).is_error(400);
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    };
    refused(team.text().replace("\"desk\"", "\"The Desk\""), &["Team", "Harness Name"]);
    refused(team.text().replace("\"law\"", "\"tax\""), &["Specialist Name", "twice"]);
    refused(Team::of(&provider, &[]).text(), &["Specialists", "at least one"]);
    refused(
        Team::of(&provider, &["law"]).with(json!({"harnessMaxSpecialists": 9})).text(),
        &["Team", "Max Specialists"],
    );
    refused(changed(&team.text(), |canvas| canvas["edges"] = json!([])), &["law", "not connected"]);
    refused(
        changed(&team.text(), |canvas| {
            canvas["nodes"].as_array_mut().unwrap().remove(0);
        }),
        &["Team card"],
    );
    refused(
        changed(&team.text(), |canvas| {
            let mut second = canvas["nodes"][0].clone();
            second["id"] = "harnessTeam_1".into();
            canvas["nodes"].as_array_mut().unwrap().push(second);
        }),
        &["one Team"],
    );
    refused(
        changed(&team.text(), |canvas| {
            canvas["nodes"][2]["data"]["name"] = "llmChain".into();
        }),
        &["no place in a harness"],
    );
    let many: Vec<String> = (0..17).map(|at| format!("s{at}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    refused(Team::of(&provider, &many).text(), &["Specialists", "at most 16"]);
    assert_eq!(server.read("/chatflows?type=HARNESS"), json!([]), "nothing was made");
}

#[test]
fn an_empty_canvas_is_saved_and_answers_nothing() {
    let server = Server::start();
    let flow = id(&make(&server, r#"{"nodes":[],"edges":[]}"#).is(200).json());
    assert!(ask(&server, &flow).is_error(404).contains("not published"));
}

#[test]
fn a_save_is_live_at_once_and_a_version_of_it() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law"]).flow(&server);
    let status = server.read(&format!("/flow-drafts/{flow}"));
    assert_eq!((&status["mode"], &status["reason"]), (&json!("live"), &json!("type")));
    let canvas = Team::of(&provider, &["law", "tax"]).text();
    server.put(&format!("/chatflows/{flow}"), &json!({"flowData": canvas}));
    let kinds: Vec<Value> = server.read(&format!("/flow-versions/{flow}"))["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["kind"].clone())
        .collect();
    assert_eq!(kinds, ["save", "create"]);
}

#[test]
fn a_name_belongs_to_one_harness_of_the_workspace() {
    let (server, provider) = (Server::start(), Provider::start());
    let canvas = Team::of(&provider, &["law"]).text();
    let first = id(&make(&server, &canvas).is(200).json());
    assert!(make(&server, &canvas).is_error(409).contains("harness"));
    let second = id(&make(&server, &canvas.replace("\"desk\"", "\"desk-2\"")).is(200).json());
    let named = |flow: &str| {
        let listed = server.read("/harnesses");
        let found = listed.as_array().unwrap().iter().find(|harness| harness["flowId"] == flow).unwrap();
        found["name"].as_str().unwrap().to_owned()
    };
    let body = json!({"flowData": canvas});
    let told = server.owner("PUT", &format!("/chatflows/{second}")).json(&body).send().is_error(409);
    assert!(told.contains("harness"), "{told}");
    assert_eq!(named(&second), "desk-2");
    server
        .put(&format!("/chatflows/{first}"), &json!({"flowData": canvas.replace("\"desk\"", "\"office\"")}));
    server.put(&format!("/chatflows/{second}"), &json!({"flowData": canvas}));
    assert_eq!((named(&first), named(&second)), ("office".to_owned(), "desk".to_owned()));
}

#[test]
fn a_harness_that_comes_in_again_gets_a_number_behind_its_name() {
    let (server, provider) = (Server::start(), Provider::start());
    Team::of(&provider, &["law"]).flow(&server);
    let mut file: Value = serde_json::from_str(&Team::of(&provider, &["law"]).text()).unwrap();
    file["type"] = "HARNESS".into();
    file["name"] = "The desk".into();
    file["existing"] = "duplicate".into();
    transfer::import(&server, &file, "import", &json!({}));
    let listed = server.read("/harnesses");
    let mut names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["desk", "desk-2"]);
}

#[test]
fn a_version_whose_name_is_taken_by_now_is_not_restored() {
    let (server, provider) = (Server::start(), Provider::start());
    let canvas = Team::of(&provider, &["law"]).text();
    let flow = id(&make(&server, &canvas).is(200).json());
    server.put(&format!("/chatflows/{flow}"), &json!({"flowData": canvas.replace("\"desk\"", "\"office\"")}));
    make(&server, &canvas).is(200);
    let versions = server.read(&format!("/flow-versions/{flow}"));
    let first = versions["versions"].as_array().unwrap().last().unwrap()["sha"].as_str().unwrap().to_owned();
    let restore = format!("/flow-versions/{flow}/{first}/restore");
    server.owner("POST", &restore).json(&json!({})).send().is_error(409);
}

#[test]
fn validation_says_what_a_save_would_refuse() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law"]).flow(&server);
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    let canvas = Team::of(&provider, &["law", "Law!"]).text();
    let body = json!({"flowData": canvas, "type": "HARNESS"});
    let told = server.owner("POST", &format!("/validation/{flow}")).json(&body).send().is(200).json();
    assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
    assert!(told[0]["issues"][0].as_str().unwrap().starts_with("Specialist Name: "), "{told}");
    assert_eq!(told[0]["blocks"], true);
}
