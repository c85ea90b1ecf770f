//! What becomes of the copy when its credential changes.

use super::*;

fn stopped_by(act: impl Fn(&Server, &str)) -> (Stage, Value) {
    let stage = Stage::new();
    let connected = connect(&stage.server, NAME);
    push(&stage.server);
    act(&stage.server, connected["credential"]["id"].as_str().unwrap());
    let found = status(&stage.server);
    (stage, found)
}

#[test]
fn a_deleted_credential_stops_the_copy() {
    let (stage, stopped) = stopped_by(|server, credential| {
        server.owner("DELETE", &format!("/credentials/{credential}")).send().is(200);
    });
    assert_eq!((&stopped["state"], &stopped["credential"]), (&json!("stopped"), &Value::Null));
    assert!(stopped["message"].as_str().unwrap().contains("deleted"), "{stopped}");
    assert_eq!(stopped["connected"], true, "the repository is not forgotten");
    assert_eq!(push(&stage.server)["state"], "stopped");
    let stage = stage.restart();
    assert_eq!(status(&stage.server)["state"], "stopped");
    connect(&stage.server, NAME);
    assert_eq!(push(&stage.server)["state"], "up-to-date");
}

#[test]
fn a_credential_without_a_token_stops_the_copy_until_it_has_one() {
    let (stage, stopped) = stopped_by(|server, credential| {
        let other = json!({"credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k"}});
        server.put(&format!("/credentials/{credential}"), &other);
    });
    assert_eq!(stopped["state"], "stopped");
    assert!(stopped["message"].as_str().unwrap().contains("no token"), "{stopped}");
    let credential = stopped["credential"]["id"].as_str().unwrap();
    let back = json!({"credentialName": "githubApi", "plainDataObj": {"accessToken": TOKEN}});
    stage.server.put(&format!("/credentials/{credential}"), &back);
    assert_eq!(status(&stage.server)["state"], "waiting");
    assert_eq!(status(&stage.restart().server)["state"], "up-to-date");
}

#[test]
fn a_changed_credential_is_tried_at_once() {
    let stage = Stage::new();
    let connected = connect(&stage.server, NAME);
    push(&stage.server);
    let ours = stage.tip(NAME).unwrap();
    commit(&stage.folder(NAME), "main", "Somebody else's");
    assert_eq!(push(&stage.server)["state"], "stopped");
    git(&stage.folder(NAME), &["update-ref", "refs/heads/main", &ours]);
    let _copying = Copying::start(&stage.server);
    let credential = connected["credential"]["id"].as_str().unwrap();
    stage
        .server
        .put(&format!("/credentials/{credential}"), &json!({"plainDataObj": {"accessToken": "other"}}));
    wait_for(&stage.server, "up-to-date");
}

#[test]
fn another_credential_changes_nothing() {
    let (_stage, found) = stopped_by(|server, _| {
        let made =
            json!({"name": "Other", "credentialName": "githubApi", "plainDataObj": {"accessToken": "x"}});
        let other = crate::support::id(&server.post("/credentials", &made));
        server.owner("DELETE", &format!("/credentials/{other}")).send().is(200);
    });
    assert_eq!(found["state"], "up-to-date");
}
