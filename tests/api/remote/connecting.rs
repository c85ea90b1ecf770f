//! Connecting a repository, and forgetting it.

use super::*;
use crate::support::id;
use std::sync::Barrier;

#[test]
fn a_server_without_a_repository_says_so() {
    let server = Server::start();
    let expected = json!({
        "enabled": true, "connected": false, "credential": null, "repo": null, "url": null, "host": "GitHub",
        "hostUrl": "https://github.com", "state": "not-connected", "message": null, "waiting": null,
        "lastCopiedAt": null, "lastCopiedVersion": null, "nextTryAt": null, "connectedAt": null, "environment": null,
        "role": "copy", "lastCheckedAt": null, "incomingVersion": null,
    });
    assert_eq!(status(&server), expected);
    assert_eq!(disconnect(&server), expected, "there is nothing to forget");
}

#[test]
fn a_connected_repository_gets_every_version() {
    let stage = Stage::new();
    save(&stage.server);
    let connected = connect(&stage.server, NAME);
    assert_eq!((&connected["connected"], &connected["repo"]), (&json!(true), &json!(NAME)));
    assert_eq!((&connected["enabled"], &connected["role"]), (&json!(true), &json!("copy")));
    assert!(connected["connectedAt"].is_string() && connected["lastCopiedAt"].is_null());
    assert!(matches!(connected["state"].as_str(), Some("waiting" | "copying")), "{connected}");
    let copied = push(&stage.server);
    assert_eq!((&copied["state"], &copied["waiting"]), (&json!("up-to-date"), &json!(0)), "{copied}");
    let own = tip(&history(&stage.server), "main");
    assert_eq!(stage.tip(NAME), own);
    assert_eq!(copied["lastCopiedVersion"].as_str(), own.as_deref().map(|own| &own[..7]));
    assert!(copied["lastCopiedAt"].is_string() && copied["lastCheckedAt"].is_null());
    git(&stage.folder(NAME), &["fsck", "--strict"]);
}

#[test]
fn a_pasted_token_becomes_a_credential_that_nothing_shows() {
    let stage = Stage::new();
    let connected = connect(&stage.server, NAME);
    let stored = credentials(&stage.server);
    assert_eq!((stored.len(), &stored[0]["name"]), (1, &json!("GitHub: acme/flows")));
    assert_eq!(stored[0]["credentialName"], "githubApi");
    let expected = json!({"id": stored[0]["id"], "name": "GitHub: acme/flows"});
    assert_eq!(connected["credential"], expected);
    push(&stage.server);
    assert!(!status(&stage.server).to_string().contains(TOKEN));
    assert_eq!(stage.server.files_with(TOKEN), [] as [String; 0]);
}

#[test]
fn the_credential_is_called_as_the_owner_says() {
    let stage = Stage::new();
    let body = json!({"repo": NAME, "token": TOKEN, "credentialName": "Copy"});
    assert_eq!(stage.server.put("/flow-versions/github", &body)["credential"]["name"], "Copy");
    let long = "x".repeat(200);
    let body = json!({"repo": NAME, "token": TOKEN, "credentialName": long});
    assert!(refused(&stage.server, &body, 400).contains("credentialName"));
    assert_eq!(credentials(&stage.server).len(), 1);
}

#[test]
fn a_stored_credential_is_used_as_it_is() {
    let stage = Stage::new();
    let made = json!({"name": "Mine", "credentialName": "githubApi", "plainDataObj": {"accessToken": TOKEN}});
    let credential = id(&stage.server.post("/credentials", &made));
    let body = json!({"repo": NAME, "credentialId": credential});
    let connected = stage.server.put("/flow-versions/github", &body);
    assert_eq!(connected["credential"], json!({"id": credential, "name": "Mine"}));
    assert_eq!(credentials(&stage.server).len(), 1);
}

#[test]
fn a_repository_with_other_content_is_refused_and_nothing_is_saved() {
    let stage = Stage::new();
    save(&stage.server);
    for name in ["acme/foreign", "acme/branch", "acme/tag"] {
        stage.create(name);
    }
    commit(&stage.folder("acme/foreign"), "main", "Somebody else's");
    commit(&stage.folder("acme/branch"), "trunk", "Somebody else's");
    let tagged = commit(&stage.folder("acme/tag"), "gone", "Somebody else's");
    git(&stage.folder("acme/tag"), &["update-ref", "refs/tags/v1", &tagged]);
    git(&stage.folder("acme/tag"), &["update-ref", "-d", "refs/heads/gone"]);
    for name in ["acme/foreign", "acme/branch", "acme/tag"] {
        let said = refused(&stage.server, &json!({"repo": name, "token": TOKEN}), 409);
        assert!(said.contains("other content"), "{said}");
    }
    assert_eq!(status(&stage.server)["state"], "not-connected");
    assert!(credentials(&stage.server).is_empty());
}

#[test]
fn a_repository_that_is_not_there_is_refused_and_nothing_is_saved() {
    let stage = Stage::new();
    let said = refused(&stage.server, &json!({"repo": "acme/none", "token": TOKEN}), 400);
    assert!(said.contains("no such repository"), "{said}");
    assert_eq!(status(&stage.server)["connected"], false);
    assert!(credentials(&stage.server).is_empty());
}

#[test]
fn a_refused_repository_leaves_the_connected_one() {
    let stage = Stage::new();
    connect(&stage.server, NAME);
    push(&stage.server);
    refused(&stage.server, &json!({"repo": "acme/none", "token": TOKEN}), 400);
    let stays = status(&stage.server);
    assert_eq!((&stays["repo"], &stays["state"]), (&json!(NAME), &json!("up-to-date")));
}

#[test]
fn the_repository_that_was_copied_to_is_connected_again() {
    let stage = Stage::new();
    save(&stage.server);
    connect(&stage.server, NAME);
    let copied = push(&stage.server)["lastCopiedVersion"].clone();
    disconnect(&stage.server);
    save(&stage.server);
    connect(&stage.server, NAME);
    assert_ne!(push(&stage.server)["lastCopiedVersion"], copied);
    assert_eq!(stage.tip(NAME), tip(&history(&stage.server), "main"));
}

#[test]
fn another_repository_takes_the_place_of_the_first() {
    let stage = Stage::new();
    stage.create("acme/second");
    connect(&stage.server, NAME);
    push(&stage.server);
    let connected = connect(&stage.server, "acme/second");
    assert_eq!((&connected["repo"], &connected["lastCopiedVersion"]), (&json!("acme/second"), &Value::Null));
    push(&stage.server);
    assert_eq!(stage.tip("acme/second"), stage.tip(NAME));
}

#[test]
fn disconnecting_forgets_the_repository_and_nothing_else() {
    let stage = Stage::new();
    save(&stage.server);
    connect(&stage.server, NAME);
    push(&stage.server);
    let there = stage.tip(NAME);
    let gone = disconnect(&stage.server);
    assert_eq!((&gone["connected"], &gone["state"]), (&json!(false), &json!("not-connected")));
    assert_eq!(gone["repo"], Value::Null);
    assert_eq!(credentials(&stage.server).len(), 1, "the credential stays");
    assert_eq!(stage.tip(NAME), there);
    assert_eq!(tip(&history(&stage.server), "refs/versions/github"), None);
    save(&stage.server);
    let said = stage.server.owner("POST", "/flow-versions/github/push").send().is_error(409);
    assert_eq!(said, "GitHub is not connected.");
    assert_eq!(stage.restart().tip(NAME), there);
}

#[test]
fn without_history_there_is_no_copy() {
    let server = Server::with(&[("SERVICE_VERSIONS", "off")]);
    let off = status(&server);
    assert_eq!((&off["enabled"], &off["state"]), (&json!(false), &json!("off")));
    for (method, path, body) in [
        ("PUT", "/flow-versions/github", json!({"repo": NAME, "token": TOKEN})),
        ("POST", "/flow-versions/github/push", Value::Null),
        ("PUT", "/flow-versions/environment", json!({"environment": "dev"})),
    ] {
        let said = server.owner(method, path).json(&body).send().is_error(409);
        assert_eq!(said, "Version history is off on this server.");
    }
    server.owner("DELETE", "/flow-versions/github").send().is(200);
}

#[test]
fn who_connects_copies_labels_and_disconnects_is_written_down() {
    let stage = Stage::new();
    connect(&stage.server, NAME);
    push(&stage.server);
    disconnect(&stage.server);
    label(&stage.server, json!("dev"));
    label(&stage.server, json!("dev"));
    let entries = stage.server.read("/audit?limit=6")["data"].clone();
    let told: Vec<(&str, &str)> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            (entry["action"].as_str().unwrap(), entry["target"]["name"].as_str().unwrap_or_default())
        })
        .filter(|(action, _)| !action.starts_with("credential") && !action.starts_with("sign"))
        .collect();
    let expected = [
        ("environment-changed", "dev"),
        ("repository-disconnected", NAME),
        ("versions-copied", NAME),
        ("repository-connected", NAME),
    ];
    assert_eq!(told[..4], expected);
    assert!(!entries.to_string().contains(TOKEN));
}

#[test]
fn of_two_repositories_that_are_connected_at_once_one_is_and_nothing_is_left_of_the_other() {
    let stage = Stage::new();
    let (server, names) = (&stage.server, [NAME, "acme/second"]);
    stage.create(names[1]);
    save(server);
    let sessions = [server.sign_in(), server.sign_in()];
    for round in 0..8 {
        let tips = names.map(|name| stage.tip(name));
        let start = Barrier::new(names.len());
        std::thread::scope(|scope| {
            for (name, session) in names.iter().zip(&sessions) {
                let body = json!({"repo": name, "token": TOKEN});
                let call = server.call("PUT", "/flow-versions/github").header("Cookie", session).json(&body);
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    call.send().is(200);
                });
            }
        });
        let connected = status(server);
        let repository = connected["repo"].as_str().unwrap();
        let other = names.iter().find(|name| **name != repository).unwrap();
        let credential = connected["credential"]["name"].as_str().unwrap();
        assert!(credential.ends_with(&format!(": {repository}")), "round {round}: {connected}");
        assert_eq!((&connected["state"], &connected["lastCopiedVersion"]), (&json!("waiting"), &Value::Null));
        assert_eq!(tip(&history(server), "refs/versions/github"), None, "round {round}");
        assert_eq!(names.map(|name| stage.tip(name)), tips, "round {round}");

        save(server);
        let pushed = push(server);
        assert_eq!((&pushed["state"], &pushed["repo"]), (&json!("up-to-date"), &json!(repository)));
        let main = tip(&history(server), "main");
        assert_eq!(
            (stage.tip(repository), tip(&history(server), "refs/versions/github")),
            (main.clone(), main)
        );
        let at = names.iter().position(|name| name == other).unwrap();
        assert_eq!(stage.tip(other), tips[at], "round {round}");
    }
}
