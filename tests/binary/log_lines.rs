//! What stands in the log after a long session: sentences with ids, and no word of what people, code and providers said.

use crate::canvases;
use crate::program::{Program, Throwaway, command};
use crate::provider::{Behaviour, Provider, Reply};
use crate::wire::request;
use regex::Regex;
use serde_json::{Value, json};
use std::path::Path;

/// Whatever is said carries this word.
const SAID: &str = "canary";

fn marked_text(place: &str) -> String {
    format!("{SAID}-{place}")
}

fn start_service() -> Throwaway {
    Throwaway::start(command(&[
        "serve",
        "--throwaway",
        "--port",
        "0",
        "--log",
        "info,flowkeep=trace",
        "--log-format",
        "human",
    ]))
}

struct Session<'s> {
    service: &'s Program,
    bearer: String,
}

impl Session<'_> {
    fn manage(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("/api/v1{path}");
        self.service.call(method, &path, &[("authorization", &self.bearer)], body).json()
    }

    fn flow(&self, canvas: &Value, fields: &Value) -> String {
        let mut body = json!({
            "name": marked_text("name"), "type": "CHATFLOW", "flowData": canvas.to_string(), "publishInstantly": true,
        });
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        self.manage("POST", "/chatflows", &body)["id"].as_str().unwrap().to_owned()
    }

    /// Asks in every way there is, with the word in every place of a request.
    fn ask(&self, flow: &str) {
        let body = |streaming: bool| {
            json!({
                "question": marked_text("question"), "streaming": streaming, "chatId": marked_text("chat"),
                "sessionToken": marked_text("token"), "leadEmail": marked_text("lead"), "socketIOClientId": marked_text("socket"),
                "overrideConfig": {
                    "temperature": marked_text("override"), "sessionId": marked_text("session"),
                    "vars": {"city": marked_text("variable")},
                },
                "history": [{"role": "userMessage", "content": marked_text("history")}],
                "uploads": [{
                    "type": "url", "name": marked_text("upload"), "mime": "image/png", "data": marked_text("data"),
                }],
            })
        };
        let (agent, cookie, page) = (
            marked_text("agent"),
            format!("service_session={}; flowkeep_session={}", marked_text("cookie"), marked_text("login")),
            format!("https://{}.example", marked_text("origin")),
        );
        let headers = [
            ("user-agent", agent.as_str()),
            ("cookie", &cookie),
            ("origin", &page),
            ("referer", &page),
            ("x-service-session-token", &agent),
            ("authorization", "Bearer canary-bearer"),
            ("x-forwarded-for", "canary-address"),
        ];
        for streaming in [false, true] {
            let mut asked = body(streaming);
            self.service.call("POST", &format!("/api/v1/prediction/{flow}"), &headers, &asked);
            asked.as_object_mut().unwrap().remove("uploads");
            asked.as_object_mut().unwrap().remove("history");
            self.service.call(
                "POST",
                &format!("/api/v1/prediction/{flow}?q=canary-query"),
                &headers[..5],
                &asked,
            );
            self.manage("POST", &format!("/internal-prediction/{flow}"), &asked);
        }
        self.form(flow);
    }

    /// A question with a file, and a form that breaks off.
    fn form(&self, flow: &str) {
        let part = |name: &str, text: &str| {
            format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
        };
        let file = "--b\r\ncontent-disposition: form-data; name=\"files\"; filename=\"canary-file.txt\"\r\n\
                    content-type: text/plain\r\n\r\ncanary-content\r\n";
        for ending in ["--b--\r\n", "--b\r\ncanary-part"] {
            let body = format!("{}{file}{ending}", part("question", &marked_text("form")));
            let head = format!(
                "POST /api/v1/prediction/{flow} HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; \
                 boundary=b\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = self.service.wire().ask(head.as_bytes());
        }
    }
}

fn throwing(code: &str) -> Value {
    let node = |id: &str, name: &str, inputs: Value| {
        let data = json!({
            "id": id, "name": name, "label": name, "inputs": inputs, "outputs": {"output": "EndingNode"},
        });
        json!({"id": id, "type": "customNode", "data": data})
    };
    let function = node("function", "customFunction", json!({"javascriptFunction": code}));
    json!({
        "nodes": [node("model", "chatScripted", json!({})), function],
        "edges": [{"source": "model", "target": "function"}],
    })
}

/// Everything a provider can answer badly with.
fn bad_answers() -> Vec<Behaviour> {
    let cut = Reply { cut_after: Some(1), ..Reply::text("canary-first canary-second") };
    let error = |status| {
        let body = json!({"error": {"message": marked_text("provider"), "type": marked_text("type"), "code": marked_text("code")}});
        Behaviour::Status {
            status,
            body: body.to_string(),
            headers: vec![
                ("x-request-id".to_owned(), marked_text("header")),
                ("retry-after".to_owned(), "0".to_owned()),
            ],
        }
    };
    vec![
        Behaviour::text(&marked_text("answer")),
        Behaviour::Reply(cut),
        error(400),
        error(401),
        error(500),
        Behaviour::status(200, "canary-nonsense {"),
        Behaviour::status(302, &marked_text("moved")),
        Behaviour::call(&marked_text("tool"), json!({"canary-argument": marked_text("argument")})),
        Behaviour::Close,
    ]
}

/// A session of a person, a key and strangers: the log of it, and what the owner reads of it on the page.
fn log_of_a_session() -> (String, Value) {
    let provider = Provider::start();
    let started = start_service();
    let session = Session { service: &started.program, bearer: format!("Bearer {}", started.key) };
    let model = canvases::openai(&format!("{}/v1", provider.base_url()), "gpt", true);
    let talk = canvases::scripted(&json!([]), &marked_text("reply"));
    let speech = json!({
        "followUpPrompts": json!({
            "status": true, "selectedProvider": "ollama",
            "ollama": {"baseUrl": provider.base_url(), "modelName": marked_text("model"), "prompt": marked_text("prompt")},
        }).to_string(),
    });
    let talking = session.flow(&talk, &speech);
    session.ask(&talking);
    for code in
        ["throw new Error($flow.input)", "console.log($flow.input); return $flow.input", "return $flow."]
    {
        session.ask(&session.flow(&throwing(code), &json!({})));
    }
    let asking = session.flow(&model, &json!({}));
    for behaviour in bad_answers() {
        provider.set_decision(move |_| behaviour.clone());
        session.ask(&asking);
    }
    manage(&session, &talking);
    strangers(&started.program);
    let told = |field: &str| started.told[field].as_str().unwrap();
    let cookie = started.program.sign_in(told("ownerEmail"), told("ownerPassword")).unwrap();
    let kept = started.program.get("/api/v1/server/log?limit=1000", &[("cookie", &cookie)]).json();
    // Later than what is kept, which holds no line more.
    let log = started.program.log();
    assert!(log.contains("a run failed"), "{log}");
    (log, kept)
}

/// What people do with things.
fn manage(session: &Session<'_>, flow: &str) {
    let path = |rest: &str| format!("{rest}/{flow}");
    session.manage(
        "PUT",
        &path("/chatflows"),
        &json!({"publishInstantly": false, "name": marked_text("renamed")}),
    );
    let other = canvases::scripted(&json!([]), &marked_text("draft")).to_string();
    session.manage("PUT", &path("/flow-drafts"), &json!({ "flowData": other }));
    session.manage("POST", &format!("/flow-drafts/{flow}/publish"), &json!({}));
    let versions = session.manage("GET", &path("/flow-versions"), &Value::Null);
    let sha = versions["versions"][1]["sha"].as_str().unwrap_or_default().to_owned();
    session.manage("POST", &format!("/flow-drafts/{flow}/rollback"), &json!({ "sha": sha }));
    session.manage("POST", &format!("/flow-versions/{flow}/{sha}/restore"), &json!({}));
    for (room, made, changed) in [
        (
            "/credentials",
            json!({"name": marked_text("credential"), "credentialName": "openAIApi",
                "plainDataObj": {"openAIApiKey": marked_text("secret")}}),
            json!({"name": marked_text("other")}),
        ),
        (
            "/variables",
            json!({"name": "city", "value": marked_text("value"), "type": "static"}),
            json!({"value": marked_text("new")}),
        ),
        ("/tools", json!({"name": "tool", "func": marked_text("code")}), json!({"name": "other"})),
        (
            "/apikey",
            json!({"keyName": marked_text("key"), "permissions": ["chatflows:view"]}),
            json!({"keyName": marked_text("keys")}),
        ),
        (
            "/document-store/store",
            json!({"name": marked_text("store")}),
            json!({"name": marked_text("shelf")}),
        ),
    ] {
        let made = session.manage("POST", room, &made);
        let id = made["id"].as_str().unwrap_or_default();
        session.manage("PUT", &format!("{room}/{id}"), &changed);
        session.manage("DELETE", &format!("{room}/{id}"), &Value::Null);
    }
    let file = session.manage("POST", "/export-import/export", &json!({}));
    session.manage("POST", "/export-import/import", &file);
    session.manage(
        "POST",
        "/export-import/import",
        &json!({"ChatFlow": [{"name": marked_text("imported"), "flowData": "x"}]}),
    );
    session.manage("DELETE", &path("/chatmessage"), &Value::Null);
    session.manage("DELETE", &path("/chatflows"), &Value::Null);
}

/// Requests of strangers, which are refused.
fn strangers(service: &Program) {
    let login = json!({"email": "canary@test.local", "password": marked_text("password")});
    service.call("POST", "/api/v1/auth/login", &[], &login);
    service.call(
        "POST",
        "/api/v1/account/forgot-password",
        &[],
        &json!({"user": {"email": "canary@test.local"}}),
    );
    service.call("GET", "/api/v1/canary-path/%canary", &[("canary-header", "x")], &Value::Null);
    service.call("GET", "/api/v1/verify/apikey/canary-key", &[], &Value::Null);
    let _ = service.wire().ask(&request("POST", "/api/v1/auth/login", &[], b"{\"canary\": canary"));
    let _ = service.wire().ask(b"CANARY canary canary\r\n\r\n");
}

#[test]
fn a_log_is_sentences_with_ids_and_holds_nothing_that_was_said() {
    let (log, kept) = log_of_a_session();
    // After the time and the module: a sentence, and fields with names.
    let line = Regex::new(r"^\S+ +(ERROR|WARN|INFO|DEBUG|TRACE) flowkeep[a-z_:]*: (?<rest>.*)$").unwrap();
    let debug_text = Regex::new(r"\{ |[A-Z]\w*\(|Some\(|None\b|\w::\w|\[\]").unwrap();
    let path = Regex::new(r"(^|[\s=\x22'])/[A-Za-z]|\bsrc/|\.rs\b").unwrap();
    for text in log.lines() {
        assert!(!text.to_lowercase().contains(SAID), "{text}");
        let rest = &line.captures(text).unwrap_or_else(|| panic!("no line of the log: {text}"))["rest"];
        assert!(!debug_text.is_match(rest) && !path.is_match(rest), "{text}");
    }
    assert!(log.lines().count() > 20, "{log}");
    let lines = kept["lines"].as_array().unwrap();
    assert!(!kept.to_string().to_lowercase().contains(SAID), "{kept}");
    for line in lines {
        assert!(log.contains(line["message"].as_str().unwrap()), "{line}");
    }
    assert!(lines.iter().any(|line| line["message"] == "a run failed" && line["level"] == "warn"), "{kept}");
    assert!(lines.iter().all(|line| ["error", "warn", "info"].contains(&line["level"].as_str().unwrap())));
    assert!(lines.iter().any(|line| line["message"] == "listening" && line["fields"]["version"].is_string()));
    assert!(lines.is_sorted_by(|newer, older| newer["at"].as_str() >= older["at"].as_str()), "newest first");
}

#[test]
fn no_log_line_of_the_source_is_made_of_debug_text() {
    let call = Regex::new(r"(?s)tracing::(trace|debug|info|warn|error)!\((.*?)\);").unwrap();
    let debug = Regex::new(r"[=(,]\s*\?\w|:\?\}").unwrap();
    let mut judged = 0;
    for (name, text) in sources(Path::new("src")) {
        for call in call.captures_iter(&text) {
            judged += 1;
            assert!(!debug.is_match(&call[2]), "{name}: write what it is with Display: {}", &call[0]);
        }
    }
    assert!(judged > 50, "only {judged} calls were found");
}

fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    found
}
