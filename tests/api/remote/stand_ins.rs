//! What was connected in a test stays in the test, and what was connected at a host stays at that host.

use super::*;

/// Settings of another host, which nobody answers at.
const OTHER: [(&str, &str); 3] = [
    ("SERVICE_GITHUB_URL", "http://127.0.0.1:9"),
    ("SERVICE_GITHUB_API", "http://127.0.0.1:9/api/v1"),
    ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on"),
];

#[test]
fn a_stand_in_stops_when_its_settings_are_gone() {
    let stage = Stage::new();
    save(&stage.server);
    connect(&stage.server, NAME);
    push(&stage.server);
    let Stage { server, root } = stage;
    let server = server.restart_with(&OTHER);
    assert_eq!(status(&server)["state"], "stopped");
    let server = server.restart();
    let stopped = status(&server);
    assert_eq!(stopped["state"], "stopped");
    assert!(stopped["message"].as_str().unwrap().contains("test settings"), "{stopped}");
    assert_eq!(push(&server)["state"], "stopped", "and it is never sent to the host itself");
    let server = server.restart_with(&stand_in(&root));
    assert_eq!(push(&server)["state"], "up-to-date");
}

#[test]
fn a_repository_by_its_file_address_needs_the_setting() {
    let root = tempfile::tempdir().unwrap();
    make_repository(root.path());
    let server = Server::with(&[("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on")]);
    save(&server);
    let address = format!("file://{}", root.path().display());
    let connected = connect(&server, &address);
    assert_eq!((&connected["repo"], &connected["url"]), (&json!(address), &json!(address)));
    assert_eq!(push(&server)["state"], "up-to-date");
    let server = server.restart();
    assert_eq!(status(&server)["state"], "stopped");
}
