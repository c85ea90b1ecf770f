//! `compact`: beside a running service and on a folder nobody uses (manual 13.19).

use crate::program::{OWNER, Program};
use crate::{Home, canvases};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A service that had large flows and has one; its key, and the flow that is left.
fn thinned(home: &Home) -> (Program, String, String) {
    let service = home.serve();
    let key = home.key("all");
    let flow = service.make_flow(&key, "Kept", &canvases::scripted(&json!([]), "I heard {question}"));
    let bearer = format!("Bearer {key}");
    let text = "a long text ".repeat(20_000);
    let large = canvases::scripted(&json!([]), &text);
    let passing: Vec<String> =
        (0..10).map(|number| service.make_flow(&key, &format!("Passing {number}"), &large)).collect();
    for flow in passing {
        let path = format!("/api/v1/chatflows/{flow}");
        let gone = service.call("DELETE", &path, &[("authorization", &bearer)], &Value::Null);
        assert_eq!(gone.status(), 200, "{}", gone.text());
    }
    assert_eq!(service.ask(&flow, &json!({"question": "before"})).status(), 200);
    (service, key, flow)
}

fn figures(home: &Home) -> Value {
    serde_json::from_str(&home.good(&["compact", "--json"])).unwrap()
}

fn database(data: &Path) -> u64 {
    fs::metadata(data.join("flowkeep.redb")).unwrap().blocks() * 512
}

#[track_caller]
fn is_smaller(figures: &Value, part: &str) {
    let [before, after] = ["bytesBefore", "bytesAfter"].map(|name| figures[part][name].as_u64().unwrap());
    assert!(after < before, "{figures}");
}

#[track_caller]
fn is_packed(figures: &Value) {
    let history = &figures["history"];
    assert!(history["looseBefore"].as_u64().unwrap() > 10, "{figures}");
    assert_eq!((&history["looseAfter"], &history["packsAfter"]), (&json!(0), &json!(1)), "{figures}");
}

#[test]
fn a_running_service_goes_on_in_a_smaller_database() {
    let home = Home::new();
    let (service, key, flow) = thinned(&home);
    let cookie = service.sign_in(OWNER.0, OWNER.1).unwrap();
    let health = || service.get("/api/v1/server", &[("cookie", &cookie)]).json()["compaction"].clone();
    assert_eq!(health(), json!({"last": null, "error": null}));
    let before = database(&home.data);
    let figures = figures(&home);
    is_smaller(&figures, "database");
    is_packed(&figures);
    assert!(database(&home.data) < before);
    assert_eq!(health(), json!({"last": figures, "error": null}));
    assert!(service.log().contains("the database was made smaller"), "{}", service.log());
    assert_eq!(service.ask(&flow, &json!({"question": "after"})).status(), 200);
    let path = format!("/api/v1/chatmessage/{flow}");
    let messages = service.get(&path, &[("authorization", &format!("Bearer {key}"))]).json();
    assert_eq!(messages.as_array().unwrap().len(), 4);
    let told = home.good(&["compact"]);
    assert!(told.starts_with("The database ") && told.contains("It took "), "{told}");
    assert!(service.stop().success());
    for check in ["data", "history"] {
        home.good(&[check, "verify"]);
    }
}

#[test]
fn a_stopped_folder_becomes_smaller_and_starts_as_it_was() {
    let home = Home::new();
    let (service, _, flow) = thinned(&home);
    assert!(service.stop().success());
    let before = database(&home.data);
    let figures = figures(&home);
    is_smaller(&figures, "database");
    is_packed(&figures);
    assert!(database(&home.data) < before);
    for check in ["data", "history"] {
        home.good(&[check, "verify"]);
    }
    let left = fs::read_dir(&home.data).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().contains(".new-")));
    let service = home.serve();
    assert_eq!(service.ask(&flow, &json!({"question": "after"})).status(), 200);
}

#[test]
fn a_folder_without_data_is_not_compacted() {
    let home = Home::new();
    let output = home.run(&["compact"]);
    assert_eq!(output.status.code(), Some(1));
}
