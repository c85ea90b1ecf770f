//! The log of a service.

use crate::Home;
use crate::program::Program;
use serde_json::Value;

/// What a service logged from its start to its end.
fn log_of(flags: &[&str]) -> String {
    let home = Home::new();
    let mut service = Program::serve(&home.data, flags);
    assert_eq!(service.get("/ready", &[]).status(), 200);
    service.signal(rustix::process::Signal::TERM);
    assert!(service.wait().success());
    service.log()
}

fn is_json(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|event| {
        ["timestamp", "level", "target", "message"].iter().all(|field| event[field].is_string())
    })
}

#[test]
fn json_lines_are_json() {
    let log = log_of(&["--log-format", "json"]);
    assert!(log.contains("listening") && log.lines().all(is_json), "{log}");
}

#[test]
fn lines_are_json_where_there_is_no_terminal() {
    let log = log_of(&[]);
    assert!(log.contains("listening") && log.lines().all(is_json), "{log}");
}

#[test]
fn human_lines_are_not_json() {
    let log = log_of(&["--log-format", "human"]);
    assert!(log.contains("listening") && !log.lines().any(is_json), "{log}");
}

#[test]
fn a_level_hides_what_is_below_it() {
    let log = log_of(&["--log", "warn", "--log-format", "human"]);
    assert!(!log.contains("INFO") && !log.contains("listening"), "{log}");
}

#[test]
fn a_module_has_a_level_of_its_own() {
    let log = log_of(&["--log", "warn,flowkeep::cli=info", "--log-format", "json"]);
    assert!(log.contains("listening"), "{log}");
}
