//! What a disk changed by itself, as an operator meets it.

use crate::program::{error_output, standard_output};
use crate::{Home, canvases, one_line};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Changes every place of a file where this text stands.
fn change(file: &Path, text: &str, to: &str) {
    let bytes = fs::read(file).unwrap();
    let changed = bytes.windows(text.len()).filter(|found| *found == text.as_bytes()).count();
    assert!(changed > 0, "{text} is not there");
    let mut changed = bytes.clone();
    for at in 0..bytes.len() - text.len() {
        if bytes[at..].starts_with(text.as_bytes()) {
            changed[at..at + text.len()].copy_from_slice(to.as_bytes());
        }
    }
    fs::write(file, changed).unwrap();
}

#[test]
fn a_damaged_row_is_named_and_everything_else_goes_on() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("first");
    let canvas = canvases::scripted(&json!([]), "I heard {question}");
    let (good, bad) = (service.make_flow(&key, "good", &canvas), service.make_flow(&key, "bxdflow", &canvas));
    assert!(home.good(&["data", "verify"]).contains("were looked at"));
    assert!(service.stop().success());
    assert!(home.good(&["data", "verify"]).contains("were looked at"));
    change(&home.data.join("flowkeep.redb"), "bxdflow", "badflow");

    let service = home.serve();
    let bearer = [("authorization", format!("Bearer {key}"))];
    let headers: Vec<(&str, &str)> = bearer.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let read = |flow: &str| service.get(&format!("/api/v1/chatflows/{flow}"), &headers);
    let refused = read(&bad);
    assert_eq!(refused.status(), 500);
    let text = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(text.contains("flow") && text.contains(&bad) && text.contains("data verify"), "{text}");
    assert_eq!(read(&good).status(), 200);
    assert_eq!(service.ask(&good, &json!({"question": "Hi"})).json()["text"], "I heard Hi");

    let output = home.run(&["data", "verify", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", error_output(&output));
    let found: Value = serde_json::from_str(&standard_output(&output)).unwrap();
    let problems = found["problems"].as_array().unwrap();
    assert!(problems.iter().any(|problem| problem.as_str().unwrap().ends_with(&bad)), "{found}");
    assert!(error_output(&output).contains("backup"), "{}", error_output(&output));
    assert!(service.stop().success());
    let output = home.run(&["data", "verify"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(standard_output(&output).contains(&bad), "{}", standard_output(&output));
}

#[test]
fn a_journal_that_is_gone_is_told_and_can_be_given_up() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("first");
    service.make_flow(&key, "made", &canvases::scripted(&json!([]), "Yes"));
    service.kill();
    for name in ["flowkeep.journal", "flowkeep.journal2"] {
        let _ = fs::remove_file(home.data.join(name));
    }
    let line = one_line(&home.run(&["serve", "--port", "0"]), 1);
    assert!(line.contains("flowkeep.journal.lost") && line.contains("backup"), "{line}");
    fs::write(home.data.join("flowkeep.journal.lost"), "").unwrap();
    assert!(home.serve().stop().success());
    assert!(!home.data.join("flowkeep.journal.lost").exists());
    assert!(home.serve().stop().success());
}

#[test]
fn a_first_start_that_was_killed_can_be_made_again() {
    let home = Home::new();
    fs::create_dir(&home.data).unwrap();
    fs::write(home.data.join("flowkeep.redb"), [0; 70_000]).unwrap();
    fs::write(home.data.join("flowkeep.redb.new-a1b2c3"), [1; 70_000]).unwrap();
    let service = home.serve();
    assert_eq!(service.get("/ready", &[]).status(), 200);
    assert!(service.stop().success());
    assert!(!home.data.join("flowkeep.redb.new-a1b2c3").exists());
}
