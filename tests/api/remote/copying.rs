//! Copying: beside the saves, again after a failure, and not at all where the owner is needed.

use super::*;
use crate::support::canvases::scripted_flow_with;

/// Connected, with everything copied.
fn copied() -> Stage {
    let stage = Stage::new();
    save(&stage.server);
    connect(&stage.server, NAME);
    assert_eq!(push(&stage.server)["state"], "up-to-date");
    stage
}

#[test]
fn a_saved_version_is_copied_a_few_seconds_later() {
    let stage = copied();
    let _copying = Copying::start(&stage.server);
    save(&stage.server);
    let waiting = status(&stage.server);
    assert_eq!((&waiting["state"], &waiting["waiting"]), (&json!("waiting"), &json!(1)));
    let done = wait_for(&stage.server, "up-to-date");
    assert_eq!(done["waiting"], 0);
    assert_eq!(stage.tip(NAME), tip(&history(&stage.server), "main"));
}

#[test]
fn a_connection_is_copied_to_by_itself() {
    let stage = Stage::new();
    let _copying = Copying::start(&stage.server);
    save(&stage.server);
    connect(&stage.server, NAME);
    wait_for(&stage.server, "up-to-date");
    assert!(stage.tip(NAME).is_some());
}

#[test]
fn every_kind_of_change_is_copied_and_a_draft_is_not() {
    let stage = copied();
    let flow = save(&stage.server);
    stage.server.put(&format!("/flow-drafts/{flow}/settings"), &json!({"publishInstantly": false}));
    let before = push(&stage.server)["lastCopiedVersion"].clone();
    let draft = json!({"flowData": scripted_flow_with(json!({"fallback": "Later."}))});
    stage.server.put(&format!("/flow-drafts/{flow}"), &draft);
    assert_eq!(status(&stage.server)["waiting"], 0);
    stage.server.post(&format!("/flow-drafts/{flow}/publish"), &json!({}));
    assert_eq!(status(&stage.server)["waiting"], 1);
    stage.server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(status(&stage.server)["waiting"], 2);
    assert_ne!(push(&stage.server)["lastCopiedVersion"], before);
    assert_eq!(stage.tip(NAME), tip(&history(&stage.server), "main"));
}

#[test]
fn commits_of_others_stop_the_copy_until_the_owner_acts() {
    let stage = copied();
    let ours = stage.tip(NAME).unwrap();
    let foreign = commit(&stage.folder(NAME), "main", "Somebody else's");
    save(&stage.server);
    let stopped = push(&stage.server);
    assert_eq!(stopped["state"], "stopped");
    assert!(stopped["message"].as_str().unwrap().contains("does not have"), "{stopped}");
    assert_eq!(stopped["nextTryAt"], Value::Null);
    assert_eq!(stage.tip(NAME), Some(foreign), "never forced");
    // A new version does not try again by itself, and a restart forgets nothing.
    save(&stage.server);
    assert_eq!(status(&stage.server)["state"], "stopped");
    let stage = stage.restart();
    assert_eq!(status(&stage.server)["message"], stopped["message"]);
    git(&stage.folder(NAME), &["update-ref", "refs/heads/main", &ours]);
    assert_eq!(push(&stage.server)["state"], "up-to-date");
    assert_eq!(status(&stage.restart().server)["state"], "up-to-date");
}

#[test]
fn a_rule_of_the_host_stops_the_copy() {
    let stage = copied();
    crate::support::git_host::write_hook(
        &stage.folder(NAME),
        "pre-receive",
        "echo 'main is protected' >&2; exit 1",
    );
    save(&stage.server);
    let stopped = push(&stage.server);
    assert_eq!(stopped["state"], "stopped");
    assert!(stopped["message"].as_str().unwrap().contains("declined"), "{stopped}");
}

#[test]
fn a_text_that_looks_like_a_secret_stops_the_copy_and_is_not_told() {
    let stage = copied();
    let before = stage.tip(NAME);
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let version = commit(&history(&stage.server), "main", &format!("Uses {secret}"));
    let stopped = push(&stage.server);
    assert_eq!(stopped["state"], "stopped");
    let message = stopped["message"].as_str().unwrap();
    assert!(message.contains(&version[..7]) && message.contains("GitHub token"), "{message}");
    assert!(!stopped.to_string().contains(&secret));
    assert_eq!(stage.tip(NAME), before);
}

#[test]
fn a_password_that_ends_in_a_backslash_is_in_no_version_and_stops_no_copy() {
    let stage = copied();
    let mut canvas: Value = serde_json::from_str(&scripted_flow()).unwrap();
    let note = r"Log in with password='N9lZCIabc1!\' please";
    canvas["nodes"].as_array_mut().unwrap().push(json!({
        "id": "note_0", "type": "customNode", "position": {"x": 0, "y": 0},
        "data": {"id": "note_0", "name": "stickyNote", "label": "Note", "inputs": {"note": note}},
    }));
    stage.server.flow(&canvas.to_string());
    assert_eq!(push(&stage.server)["state"], "up-to-date");
    for folder in [history(&stage.server), stage.folder(NAME)] {
        let found = |text: &str| {
            let output = git_command(&folder).args(["grep", "--quiet", text, "main"]).output().unwrap();
            output.status.success()
        };
        assert!(found("Log in with password") && !found("N9lZCI"));
    }
}

#[test]
fn a_copy_that_fails_is_tried_again_by_itself() {
    let stage = copied();
    let away = stage.root.path().join("away");
    std::fs::rename(stage.folder(NAME), &away).unwrap();
    save(&stage.server);
    let failed = push(&stage.server);
    assert_eq!((&failed["state"], &failed["waiting"]), (&json!("retrying"), &json!(1)));
    assert!(failed["nextTryAt"].is_string() && failed["message"].as_str().unwrap().ends_with('.'));
    let again = push(&stage.server);
    assert!(again["nextTryAt"].as_str() > failed["nextTryAt"].as_str(), "the wait grows");
    std::fs::rename(&away, stage.folder(NAME)).unwrap();
    stage.server.app.clock.advance_seconds(901);
    let _copying = Copying::start(&stage.server);
    let done = wait_for(&stage.server, "up-to-date");
    assert_eq!(
        (&done["waiting"], &done["message"], &done["nextTryAt"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
}

#[test]
fn the_copy_goes_on_after_a_restart_where_it_was() {
    let stage = copied();
    let stage = stage.restart();
    assert_eq!(status(&stage.server)["state"], "up-to-date");
    save(&stage.server);
    let stage = stage.restart();
    let waiting = status(&stage.server);
    assert_eq!((&waiting["state"], &waiting["waiting"]), (&json!("waiting"), &json!(1)));
    let _copying = Copying::start(&stage.server);
    wait_for(&stage.server, "up-to-date");
    assert_eq!(stage.tip(NAME), tip(&history(&stage.server), "main"));
}

#[test]
fn copies_are_counted() {
    let stage = copied();
    std::fs::remove_dir_all(stage.folder(NAME)).unwrap();
    push(&stage.server);
    let call = stage.server.call_root("GET", "/metrics").header("Cookie", &stage.server.cookie);
    let page = call.send().is(200).text();
    assert!(page.contains("flowkeep_copies_total{outcome=\"done\"} 1"), "{page}");
    assert!(page.contains("flowkeep_copies_total{outcome=\"failed\"} 1"), "{page}");
}

#[test]
fn pushes_at_once_take_turns() {
    let stage = Stage::new();
    save(&stage.server);
    connect(&stage.server, NAME);
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                // The next one may be under way by the time the status is read.
                let state = push(&stage.server)["state"].clone();
                assert!(state == "up-to-date" || state == "copying", "{state}");
            });
        }
    });
    assert_eq!(status(&stage.server)["state"], "up-to-date");
}

#[test]
fn a_save_does_not_wait_for_a_copy() {
    let stage = copied();
    // The host takes its time to take a push.
    crate::support::git_host::write_hook(&stage.folder(NAME), "pre-receive", "sleep 4");
    save(&stage.server);
    std::thread::scope(|threads| {
        let copy = threads.spawn(|| push(&stage.server));
        wait_for(&stage.server, "copying");
        let begun = Instant::now();
        save(&stage.server);
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        assert_eq!(status(&stage.server)["state"], "copying");
        // What was saved meanwhile waits for the next one.
        assert_eq!(copy.join().unwrap()["state"], "waiting");
    });
}
