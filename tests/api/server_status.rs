//! The server as its owner sees it: settings in force, the health of its parts, the newest lines of the log (manual 13.17).

use crate::support::Server;
use crate::support::canvases::scripted_flow;
use flowkeep::domain::accounts::role::EDITOR;
use serde_json::{Value, json};

fn setting<'a>(status: &'a Value, name: &str) -> &'a Value {
    let rows = status["settings"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} is not listed"))
}

#[test]
fn the_owner_reads_settings_and_health() {
    let server = Server::with(&[("SERVICE_KEEP_DAYS", "30")]);
    let flow = server.flow(&scripted_flow());
    let versions = server.read(&format!("/flow-versions/{flow}"))["versions"].as_array().unwrap().len();
    let status = server.read("/server");
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&status["database"]["state"], &status["history"]["state"]), (&json!("well"), &json!("well")));
    assert_eq!(status["history"]["versions"], versions);
    assert!(status["database"]["bytes"].as_u64() > Some(0) && status["disk"]["bytes"].as_u64() > Some(0));
    assert_eq!((&status["copy"], &status["backup"]["every"]), (&Value::Null, &Value::Null));
    assert!(status["sessions"].as_u64() > Some(0) && status["keys"] == 0, "{status}");
    let days = setting(&status, "SERVICE_KEEP_DAYS");
    assert_eq!(
        (&days["value"], &days["origin"], &days["set"]),
        (&json!("30"), &json!("environment"), &json!(true))
    );
    let code = setting(&status, "SERVICE_CODE_SECONDS");
    assert_eq!(
        (&code["value"], &code["origin"], &code["set"]),
        (&json!("10"), &json!("default"), &json!(false))
    );
    assert!(status["settings"].as_array().unwrap().iter().all(|row| row["help"] != ""));
}

#[test]
fn no_secret_setting_leaves_the_server() {
    let marked = "0123456789abcdef".repeat(4);
    let proxy = "http://canary-user:canary-password@proxy.example:3128";
    let server = Server::with(&[
        ("SERVICE_ENCRYPTION_KEY", &marked),
        ("HTTPS_PROXY", proxy),
        ("HTTP_PROXY", proxy),
        ("SERVICE_OWNER_EMAIL", "first@example.org"),
        ("SERVICE_OWNER_PASSWORD", "canary-password"),
        ("SERVICE_MCP_COMMANDS", r#"[["/bin/true", "--token=canary-token"]]"#),
        ("SERVICE_BASE_URL", "https://flows.example.org"),
        ("SERVICE_MAIL_SERVER", "localhost:9"),
        ("SERVICE_MAIL_FROM", "flows@example.org"),
        ("SERVICE_MAIL_USER", "flows"),
        ("SERVICE_MAIL_PASSWORD", "canary-password"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://canary-user:canary-password@127.0.0.1:9"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=canary-header"),
        ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "authorization=canary-header"),
    ]);
    let status = server.read("/server");
    let text = status.to_string();
    assert!(!text.contains("canary") && !text.contains(&marked), "{text}");
    for name in [
        "SERVICE_ENCRYPTION_KEY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "SERVICE_OWNER_PASSWORD",
        "SERVICE_MAIL_PASSWORD",
        "SERVICE_MCP_COMMANDS",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    ] {
        let row = setting(&status, name);
        let told = (&row["value"], &row["secret"], &row["set"]);
        assert_eq!(told, (&Value::Null, &json!(true), &json!(true)), "{name}");
    }
    let secrets = status["settings"].as_array().unwrap().iter().filter(|row| row["secret"] == true);
    assert_eq!(secrets.count(), 8, "a secret that is new is marked in this test too");
}

#[test]
fn no_place_on_the_machine_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("kept-here");
    let server = Server::with(&[
        ("SERVICE_BACKUP_TO", named.to_str().unwrap()),
        ("SERVICE_DOCUMENT_FOLDERS", folder.path().to_str().unwrap()),
    ]);
    let status = server.read("/server");
    assert!(!status.to_string().contains(folder.path().to_str().unwrap()), "{status}");
    assert_eq!(setting(&status, "SERVICE_BACKUP_TO")["value"], "kept-here");
    assert_eq!(
        status["backup"],
        json!({
            "every": 86_400, "directory": true, "lastAt": null, "lastBytes": null, "error": null,
        })
    );
    assert!(!status["disk"]["folder"].as_str().unwrap().contains('/'));
}

#[test]
fn nobody_but_the_owner_reads_the_server_or_its_log() {
    let server = Server::start();
    let editor = server.member(EDITOR);
    let key = server.key(&["logs:view"])["apiKey"].as_str().unwrap().to_owned();
    for path in ["/server", "/server/log"] {
        server.call("GET", path).send().is_error(401);
        editor.call(&server, "GET", path).send().is_error(403);
        server.call("GET", path).bearer(&key).send().is_error(403);
    }
}

#[test]
fn a_level_and_a_number_of_lines_that_are_none_are_refused() {
    let server = Server::start();
    for bad in ["level=debug", "level=loud", "limit=0", "limit=1001", "limit=-1", "limit=many"] {
        server.owner("GET", &format!("/server/log?{bad}")).send().is_error(400);
    }
    let log = server.read("/server/log?level=error&limit=1000");
    assert!(log["lines"].is_array() && log["dropped"].is_u64(), "{log}");
}
