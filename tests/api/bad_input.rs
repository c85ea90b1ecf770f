//! Bad input (manual 1.2): each gets its status in the shape of errors, and the service goes on.

use crate::support::canvases::scripted_flow;
use crate::support::steps::{START, Steps, llm};
use crate::support::{Answer, Server, id};
use serde_json::{Value, json};

/// Routes that read a body, with a good one for each.
fn routes(server: &Server) -> Vec<(&'static str, String, Value)> {
    let flow = server.flow(&scripted_flow());
    let key = json!({"keyName": "k", "permissions": ["chatflows:view"]});
    let credential =
        json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k-123456"}});
    let variable = json!({"name": "v", "value": "x", "type": "static"});
    let store = json!({"name": "s", "description": "d"});
    let text = json!({"loader": {"name": "plainText", "config": {"text": "Some text."}}, "metadata": {"source": "a"}});
    let whole =
        json!({"name": "f", "type": "CHATFLOW", "flowData": "{\"nodes\":[],\"edges\":[]}", "isPublic": true});
    let with_id = |path: &str, body: &Value| format!("{path}/{}", id(&server.post(path, body)));
    let store_id = id(&server.post("/document-store/store", &store));
    vec![
        (
            "POST",
            "/account/register".to_owned(),
            json!({"user": {"name": "E", "email": "e@e.example", "credential": "x"}}),
        ),
        ("POST", "/auth/login".to_owned(), json!({"email": "nobody@example.org", "password": "x"})),
        ("POST", "/apikey".to_owned(), key.clone()),
        ("PUT", with_id("/apikey", &key), key),
        ("POST", "/credentials".to_owned(), credential.clone()),
        ("PUT", with_id("/credentials", &credential), credential),
        ("POST", "/variables".to_owned(), json!({"name": "other", "value": "x", "type": "static"})),
        ("PUT", with_id("/variables", &variable), variable),
        ("POST", "/chatflows".to_owned(), whole.clone()),
        ("PUT", format!("/chatflows/{flow}"), whole),
        ("POST", format!("/prediction/{flow}"), json!({"question": "Hi", "chatId": "x", "streaming": false})),
        ("POST", format!("/internal-prediction/{flow}"), json!({"question": "Hi"})),
        ("POST", "/document-store/store".to_owned(), store),
        ("POST", format!("/document-store/upsert/{store_id}"), text),
    ]
}

fn send(server: &Server, method: &str, path: &str, body: impl Into<Vec<u8>>) -> Answer {
    server.owner(method, path).bytes("application/json", body).send()
}

/// The service still answers.
#[track_caller]
fn goes_on(server: &Server) {
    server.call_root("GET", "/ready").send().is(200);
    let flow = server.flow(&scripted_flow());
    server.ask(&flow, &json!({"question": "Still there?"})).is(200);
}

/// Sends this body to every route that reads one.
#[track_caller]
fn everywhere(bodies: &[Vec<u8>]) {
    let server = Server::start();
    for (method, path, _) in routes(&server) {
        for body in bodies {
            let answer = send(&server, method, &path, body.clone());
            let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            assert_eq!(answer.status, 400, "{method} {path} {shown}: {answer:?}");
            answer.is_error(400);
        }
    }
    goes_on(&server);
}

fn bytes(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn what_is_not_json_is_refused() {
    everywhere(&bytes(&[
        "{",
        "}",
        "nonsense",
        "{\"a\":}",
        "{'a':1}",
        "{\"a\":1,}",
        "[1,2",
        "\"text",
        "{a:1}",
        "NaN",
        "01",
        "+1",
        "\u{feff}{}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":1e999}",
        "\0",
        " ",
    ]));
}

#[test]
fn what_is_json_and_no_object_is_refused() {
    everywhere(&bytes(&["null", "true", "7", "\"text\"", "[]", "[{}]"]));
}

#[test]
fn more_than_one_json_text_is_refused() {
    everywhere(&bytes(&["{} {}", "{}x", "{},", "{}\0", "{}{\"question\":\"Hi\"}"]));
}

#[test]
fn a_name_twice_in_one_object_is_refused() {
    everywhere(&bytes(&[
        "{\"a\":1,\"a\":2}",
        "{\"question\":\"Hi\",\"question\":\"Ho\"}",
        "{\"x\":{\"a\":1,\"a\":1}}",
        "{\"x\":[{\"a\":1},{\"b\":1,\"b\":1}]}",
        "{\"a\":1,\"\\u0061\":2}",
    ]));
}

#[test]
fn what_is_not_utf8_is_refused() {
    everywhere(&[
        b"{\"question\":\"\xff\"}".to_vec(),
        b"{\"question\":\"\xc3\"}".to_vec(),
        b"{\"question\":\"\xed\xa0\x80\"}".to_vec(),
        b"\xfe\xff\0{\0}".to_vec(),
    ]);
}

#[test]
fn json_that_nests_deep_is_refused() {
    let objects = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
    let inside = format!("{{\"question\":\"Hi\",\"overrideConfig\":{objects}}}");
    everywhere(&[
        "[".repeat(200).into_bytes(),
        "[".repeat(200_000).into_bytes(),
        format!("{}{}", "[".repeat(200), "]".repeat(200)).into_bytes(),
        objects.into_bytes(),
        inside.into_bytes(),
    ]);
}

#[test]
fn no_body_is_refused() {
    let server = Server::start();
    for (method, path, _) in routes(&server) {
        server.owner(method, &path).send().is_error(400);
        send(&server, method, &path, "").is_error(400);
    }
    goes_on(&server);
}

#[test]
fn a_body_of_another_type_is_refused() {
    let server = Server::start();
    for (method, path, body) in routes(&server) {
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/xml",
            "application/json; charset=latin1",
            "",
        ] {
            server.owner(method, &path).bytes(kind, body.to_string()).send().is_error(415);
        }
        let packed = server.owner(method, &path).header("Content-Encoding", "gzip");
        packed.json(&body).send().is_error(415);
    }
    goes_on(&server);
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let server = Server::start();
    let mebibyte = 1024 * 1024;
    for (method, path, _) in routes(&server) {
        let wide = path.starts_with("/chatflows") || path.contains("prediction") || path.contains("upsert");
        let limit = if wide { 32 * mebibyte } else { 10 * mebibyte };
        let announced = server.owner(method, &path).header("Content-Type", "application/json");
        let answer = announced.header("Content-Length", &(limit + 1).to_string()).send();
        assert_eq!(answer.status, 413, "{method} {path}");
        answer.is_error(413);
    }
    let large = format!("{{\"name\":\"{}\"}}", "x".repeat(10 * mebibyte));
    send(&server, "POST", "/variables", large.clone()).is_error(413);
    send(&server, "POST", "/chatflows", large).is_error(400);
    goes_on(&server);
}

/// Each value of a good body, at any depth, replaced by something else.
fn mutations(good: &Value) -> Vec<Value> {
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(""),
        json!("\0"),
        json!([]),
        json!([[]]),
        json!({}),
        json!({"a": {}}),
    ];
    let mut found = Vec::new();
    if let Value::Object(map) = good {
        for (name, value) in map {
            for other in others.iter().cloned().chain(mutations(value)) {
                let mut changed = good.clone();
                changed[name] = other;
                found.push(changed);
            }
        }
    }
    found
}

#[test]
fn a_field_of_another_type_is_refused_or_read_and_never_a_fault() {
    let server = Server::start();
    for (method, path, good) in routes(&server) {
        // Guessing passwords is limited, which is another matter.
        if path == "/auth/login" {
            continue;
        }
        for bad in mutations(&good) {
            let answer = server.owner(method, &path).json(&bad).send();
            match answer.status {
                200 | 201 => {}
                status @ (400 | 404 | 409) => drop(answer.is_error(status)),
                status => panic!("{status} for {method} {path} {bad}: {answer:?}"),
            }
        }
    }
    goes_on(&server);
}

#[test]
fn a_field_of_a_question_with_another_type_is_refused_by_name() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    for (field, bad) in [
        ("question", json!([7, true, [], {}, null])),
        ("streaming", json!([7, "yes", "TRUE", "", [], {}])),
        ("chatId", json!([7, true, [], {}])),
        ("sessionToken", json!([7, true, [], {}])),
        ("overrideConfig", json!([7, true, [], "text"])),
        (
            "history",
            json!([7, true, {}, "text", [7], [{}], [{"role": "userMessage"}], [{"role": "robot", "content": "x"}]]),
        ),
        ("uploads", json!([7, true, {}, "text", [7], [{}], [{"type": 7}]])),
        ("leadEmail", json!([7, true, [], {}])),
    ] {
        for value in bad.as_array().unwrap() {
            let mut body = json!({"question": "Hi"});
            body[field] = value.clone();
            let message = server.ask(&flow, &body).is_error(400);
            assert!(message.contains(field), "{field} {value}: {message}");
        }
    }
    assert!(server.messages(&flow).is_empty());
}

#[test]
fn a_list_in_place_of_an_object_is_refused_at_every_depth() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let store = id(&server.post("/document-store/store", &json!({"name": "s"})));
    let link = json!(["url", "a.png", "image/png", "https://pictures.example/a.png"]);
    for (path, body) in [
        (format!("/prediction/{flow}"), json!({"question": "Hi", "history": [["userMessage", "Ho"]]})),
        (format!("/prediction/{flow}"), json!({"question": "Hi", "uploads": [link]})),
        (format!("/document-store/upsert/{store}"), json!({"loader": ["plainText", ["A text."]]})),
        (
            format!("/document-store/upsert/{store}"),
            json!({"loader": {"name": "plainText", "config": ["A text."]}}),
        ),
        ("/account/register".to_owned(), json!({"user": ["Eve", "eve@example.org", "a long password"]})),
    ] {
        let message = server.owner("POST", &path).json(&body).send().is_error(400);
        assert!(message.contains("must be an object"), "{body}: {message}");
    }
}

#[test]
fn a_question_must_say_something() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    for body in [json!({}), json!({"question": ""}), json!({"question": " \n"}), json!({"form": {}})] {
        assert!(server.ask(&flow, &body).is_error(400).contains("question"), "{body}");
    }
}

#[test]
fn an_unknown_id_is_not_found_in_any_form() {
    let server = Server::start();
    let odd = [
        "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e",
        "x",
        "0",
        "-1",
        "null",
        "undefined",
        "%20",
        "%F0%9F%99%82",
        "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e'--",
        "6A204BB0-3C4F-4C0E-9D9C",
        "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz",
        "$%7Bjndi%7D",
    ];
    let long = "a".repeat(5_000);
    for id in odd.into_iter().chain([long.as_str()]) {
        for (method, path) in [
            ("GET", "/chatflows"),
            ("DELETE", "/chatflows"),
            ("GET", "/validation"),
            ("GET", "/chatmessage"),
            ("DELETE", "/chatmessage"),
            ("GET", "/credentials"),
            ("DELETE", "/credentials"),
            ("DELETE", "/variables"),
            ("DELETE", "/apikey"),
            ("GET", "/nodes"),
            ("GET", "/components-credentials"),
            ("GET", "/document-store/store"),
            ("DELETE", "/document-store/store"),
            ("GET", "/chatflows-streaming"),
            ("GET", "/public-chatbotConfig"),
        ] {
            let message = server.owner(method, &format!("{path}/{id}")).send().is_error(404);
            assert!(message.len() < 300, "{message}");
        }
    }
    goes_on(&server);
}

/// Routes that change a flow which their path names, and read a body.
const CHANGES_OF_FLOWS: &[(&str, &str)] = &[
    ("PUT", "/flow-drafts/:id"),
    ("PUT", "/flow-drafts/:id/settings"),
    ("POST", "/flow-drafts/:id/publish"),
    ("POST", "/flow-drafts/:id/rollback"),
    ("PUT", "/flow-drafts/:id/check/questions"),
    ("POST", "/validation/:id"),
    ("POST", "/mcp-server/:id"),
    ("PUT", "/mcp-server/:id"),
    ("PATCH", "/chatflows/:id/schedule/enabled"),
    ("DELETE", "/chatflows/:id/schedule/trigger-logs"),
];

const WRONG_BODIES: [&str; 4] = ["{}", "[1]", "{", "{\"sha\":1,\"flowData\":1,\"enabled\":1}"];

#[test]
fn what_does_not_exist_is_not_found_whatever_the_body_holds() {
    let server = Server::start();
    for (method, path) in CHANGES_OF_FLOWS.iter().chain(&[("PUT", "/apikey/:id")]) {
        for id in ["11111111-1111-4111-8111-111111111111", "none"] {
            for body in WRONG_BODIES {
                let answer = send(&server, method, &path.replace(":id", id), body);
                assert_eq!(answer.status, 404, "{method} {path} {body}: {answer:?}");
            }
        }
    }
}

#[test]
fn a_flow_of_a_kind_that_is_not_the_callers_is_forbidden_whatever_the_body_holds() {
    let server = Server::start();
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", llm("Hi")).edge(START, "llmAgentflow_0");
    let flow = server.flow_with(&steps.text(), &json!({"type": "AGENTFLOW"}));
    let key = server.key(&["chatflows:view", "chatflows:update"])["apiKey"].as_str().unwrap().to_owned();
    for (method, path) in CHANGES_OF_FLOWS {
        for body in WRONG_BODIES {
            let call = server.call(method, &path.replace(":id", &flow)).bearer(&key);
            let answer = call.bytes("application/json", body).send();
            assert_eq!(answer.status, 403, "{method} {path} {body}: {answer:?}");
        }
    }
}

#[test]
fn a_path_that_tries_to_climb_is_not_found() {
    let server = Server::start();
    for path in [
        "/..",
        "/%2e%2e/health",
        "/chatflows/%2f",
        "/chatflows/..%2f..",
        "/chatflows/%00",
        "//chatflows",
        "/chatflows/a%5cb",
        "/chatflows/%zz",
    ] {
        let answer = server.owner("GET", path).send();
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer:?}");
        answer.is_error(answer.status);
    }
}

#[test]
fn bad_messages_show_nothing_of_the_inside() {
    let server = Server::start();
    for (method, path, good) in routes(&server) {
        for bad in [
            json!({"question": 7, "name": 7, "email": 7, "keyName": 7, "user": 7, "loader": 7}),
            json!([good]),
        ] {
            let message = send(&server, method, &path, bad.to_string()).is_error(400);
            for inside in ["expected", "struct", "::", "serde", "invalid type", "Option", "at line"] {
                assert!(!message.contains(inside), "{method} {path}: {message}");
            }
        }
    }
}
