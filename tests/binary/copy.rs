//! The copy at a git host on the command line, and the settings that name the host.

use crate::program::{OWNER, Program, command, error_output};
use crate::{Home, one_line};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const FILES: (&str, &str) = ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on");

fn make_repository(folder: &Path) {
    let mut init = Command::new("git");
    init.args(["init", "--quiet", "--bare", "--initial-branch=main"]).arg(folder);
    assert!(init.status().unwrap().success());
}

fn call(service: &Program, method: &str, path: &str, body: &Value) -> Value {
    let cookie = service.sign_in(OWNER.0, OWNER.1).unwrap();
    let path = format!("/api/v1/flow-versions/{path}");
    let answer = service.call(method, &path, &[("cookie", &cookie)], body);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()
}

#[test]
fn versions_are_copied_on_demand_running_and_stopped() {
    let home = Home::new();
    let repository = home.path().join("copy.git");
    make_repository(&repository);
    let service = Program::serve_with(Path::new(home.data()), &[], &[FILES]);
    assert!(one_line(&home.run(&["history", "push"]), 1).contains("GitHub is not connected."));
    let key = home.key("first");
    service.make_flow(&key, "Echo", &crate::canvases::scripted(&json!([]), ""));
    let address = format!("file://{}", repository.display());
    call(&service, "PUT", "github", &json!({"repo": address, "token": "tok-4711"}));
    let told = home.good(&["history", "push"]);
    assert!(
        told.starts_with(&format!("The versions are copied to {address}; the newest there is ")),
        "{told}"
    );
    let status: Value = serde_json::from_str(&home.good(&["history", "push", "--json"])).unwrap();
    assert_eq!((&status["state"], &status["waiting"]), (&json!("up-to-date"), &json!(0)));
    assert!(!service.log().contains("tok-4711") && !service.log().contains("copy.git"), "{}", service.log());
    assert!(service.stop().success());
    let push =
        command(&["history", "push", "--data-dir", home.data()]).env(FILES.0, FILES.1).output().unwrap();
    assert!(push.status.success(), "{}", error_output(&push));
    // Without the setting the repository is one of a test that is over.
    let refused = home.run(&["history", "push"]);
    assert_eq!(refused.status.code(), Some(1));
    // The log of an attempt stands there too, as it does where the service copies.
    let said = error_output(&refused);
    assert!(said.lines().last().is_some_and(|line| line.contains("test settings")), "{said}");
}

#[test]
fn a_recorded_version_is_copied_by_the_running_service() {
    let home = Home::new();
    let repository = home.path().join("copy.git");
    make_repository(&repository);
    let service = Program::serve_with(Path::new(home.data()), &[], &[FILES]);
    let address = format!("file://{}", repository.display());
    call(&service, "PUT", "github", &json!({"repo": address, "token": "tok-4711"}));
    let key = home.key("first");
    service.make_flow(&key, "Echo", &crate::canvases::scripted(&json!([]), ""));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let status = call(&service, "GET", "github", &Value::Null);
        let at_host = status["state"] == "up-to-date" && status["waiting"] == 0;
        if at_host {
            break;
        }
        assert!(std::time::Instant::now() < end, "{status}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(service.stop().success());
}

#[test]
fn the_status_says_where_the_service_runs_and_its_label() {
    let home = Home::new();
    assert!(one_line(&home.run(&["status"]), 1).contains("no data"));
    let service = home.serve();
    let told = home.good(&["status"]);
    assert!(
        told.contains(&service.address.to_string()) && told.ends_with("Environment: not set\n"),
        "{told}"
    );
    call(&service, "PUT", "environment", &json!({"environment": "prod"}));
    assert!(home.good(&["status"]).ends_with("Environment: Prod\n"));
    let told: Value = serde_json::from_str(&home.good(&["status", "--json"])).unwrap();
    assert_eq!(told["environment"], "prod");
    assert!(service.stop().success());
    assert!(one_line(&home.run(&["status"]), 1).contains("no service runs"));
}

#[test]
fn a_host_that_contradicts_its_settings_ends_the_start_and_both_are_named() {
    let home = Home::new();
    let start = |variables: &[(&str, &str)]| {
        let output = command(&["serve", "--data-dir", home.data()]).envs(variables.iter().copied()).output();
        one_line(&output.unwrap(), 2)
    };
    let (url, api) = (
        ("SERVICE_GITHUB_URL", "https://git.example.org"),
        ("SERVICE_GITHUB_API", "https://git.example.org/api/v1"),
    );
    for variables in [
        &[url][..],
        &[api],
        &[url, api, ("SERVICE_GITHUB_TEST_ROOT", "/srv/git")],
        &[url, api, FILES, ("SERVICE_GITHUB_TEST_API", "http://127.0.0.1:9")],
    ] {
        let line = start(variables);
        assert!(line.contains("SERVICE_GITHUB_URL") && line.contains("SERVICE_GITHUB_API"), "{line}");
        let stand_in = variables.iter().find(|(name, _)| name.contains("TEST"));
        assert!(stand_in.is_none_or(|(name, _)| line.contains(name)), "{line}");
    }
    assert!(
        start(&[("SERVICE_GITHUB_URL", "http://git.example.org"), api]).contains("SERVICE_GITHUB_URL is")
    );
    assert!(!Path::new(home.data()).exists(), "nothing was made");
}
