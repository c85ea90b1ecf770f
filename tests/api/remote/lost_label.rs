//! Prod that loses its history, and its label with it, stays Prod: nothing of it goes to the host.

use super::*;
use flowkeep::domain::remote::environment::Environment;
use std::fs;

/// Prod that is connected to the empty [`NAME`], with a version of its own.
fn prod() -> Stage {
    let stage = Stage::new();
    label(&stage.server, json!("prod"));
    connect(&stage.server, NAME);
    save(&stage.server);
    assert_eq!(push(&stage.server)["state"], "up-to-date");
    stage
}

/// Moves the history away; where it is then.
fn lose_history(stage: &Stage) -> PathBuf {
    let away = stage.root.path().join("away");
    fs::rename(history(&stage.server), &away).unwrap();
    away
}

#[track_caller]
fn assert_stopped(stage: &Stage, found: &Value) {
    let shown = [&found["state"], &found["environment"], &found["role"]];
    assert_eq!(shown, [&json!("stopped"), &json!("prod"), &json!("read")], "{found}");
    let said = found["message"].as_str().unwrap();
    assert!(said.contains("label this server again"), "{said}");
    assert_eq!(stage.tip(NAME), None, "a version of Prod is never copied");
}

#[test]
fn prod_that_loses_its_history_while_it_runs_pushes_nothing_until_it_is_back() {
    let stage = prod();
    let away = lose_history(&stage);
    assert_stopped(&stage, &push(&stage.server));
    fs::rename(away, history(&stage.server)).unwrap();
    let read = push(&stage.server);
    assert_eq!((&read["state"], &read["role"]), (&json!("up-to-date"), &json!("read")), "{read}");
    assert_eq!(stage.tip(NAME), None);
}

#[test]
fn prod_whose_history_was_begun_anew_pushes_nothing() {
    let stage = prod();
    lose_history(&stage);
    let stage = stage.restart();
    stage.server.app.history.restart().unwrap();
    save(&stage.server);
    assert_stopped(&stage, &push(&stage.server));
    // It outlives a restart, and a new version.
    let stage = stage.restart();
    save(&stage.server);
    assert_stopped(&stage, &status(&stage.server));
}

#[test]
fn prod_that_is_started_with_an_empty_folder_stops_by_itself() {
    let Stage { server, root } = prod();
    let elsewhere = tempfile::tempdir().unwrap();
    let [files, folder] = stand_in(&root);
    let server =
        server.restart_with(&[files, folder, ("SERVICE_VERSIONS_DIR", elsewhere.path().to_str().unwrap())]);
    let stage = Stage { server, root };
    save(&stage.server);
    let _copying = Copying::start(&stage.server);
    assert_stopped(&stage, &wait_for(&stage.server, "stopped"));
}

#[test]
fn labelled_again_prod_reads_with_its_new_history() {
    let stage = prod();
    lose_history(&stage);
    stage.server.app.history.restart().unwrap();
    assert_stopped(&stage, &push(&stage.server));
    let body = json!({"environment": "dev"});
    stage.server.owner("PUT", "/flow-versions/environment").json(&body).send().is_error(409);
    assert_eq!(label(&stage.server, json!("prod"))["state"], "waiting");
    assert_eq!(push(&stage.server)["state"], "up-to-date");
    assert_eq!(stage.tip(NAME), None);
}

#[test]
fn a_server_that_copies_does_not_with_the_history_of_a_prod() {
    let stage = Stage::new();
    connect(&stage.server, NAME);
    save(&stage.server);
    stage.server.app.history.set_environment(Some(Environment::Prod)).unwrap();
    assert_stopped(&stage, &push(&stage.server));
}
