//! Code that is tried while it is written (manual 11.7), and keys of answers that are described.

use crate::support::Server;
use serde_json::{Value, json};

fn tried(server: &Server, code: &str, given: &Value) -> Value {
    let mut body = given.clone();
    body["javascriptFunction"] = json!(code);
    server.post("/node-custom-function", &body)
}

#[test]
fn code_sees_the_examples_and_what_it_returns_comes_back() {
    let server = Server::start();
    let given = json!({
        "functionInputVariables": {"name": "Ada", "list": [1, 2]},
        "variables": {"city": "Bern"},
        "flow": {"input": "Hi", "state": {"mood": "good"}},
    });
    let code = "return [$name, $list[1], $vars.city, $flow.input, $input, $flow.state.mood]";
    let told = tried(&server, code, &given);
    assert_eq!(told["result"], json!(["Ada", 2, "Bern", "Hi", "Hi", "good"]));
    assert_eq!((&told["error"], &told["console"]), (&Value::Null, &json!([])));
    assert!(told["milliseconds"].is_u64());
}

#[test]
fn what_code_prints_comes_back_in_its_order_also_when_it_fails() {
    let server = Server::start();
    let code =
        "console.log('a', {b: 1});\nconsole.warn('c');\nconsole.error('d');\nthrow new Error('broken')";
    let told = tried(&server, code, &json!({}));
    let line = |level: &str, text: &str| json!({"level": level, "text": text});
    assert_eq!(told["console"], json!([line("log", "a {\"b\":1}"), line("warn", "c"), line("error", "d")]));
    assert_eq!((&told["error"]["line"], &told["consoleCut"]), (&json!(4), &json!(false)));
    assert!(told["error"]["message"].as_str().unwrap().contains("broken"), "{told}");
    assert!(told.get("result").is_none(), "{told}");
}

#[test]
fn code_that_cannot_be_read_says_in_which_line() {
    let server = Server::start();
    let told = tried(&server, "const a = 1;\nreturn a +;", &json!({}));
    assert_eq!(told["error"]["line"], 2, "{told}");
}

#[test]
fn code_that_returns_nothing_has_an_empty_result() {
    let told = tried(&Server::start(), "const a = 1;", &json!({}));
    assert_eq!((told.get("result"), &told["error"]), (Some(&Value::Null), &Value::Null));
}

#[test]
fn tried_code_has_the_limits_of_every_code() {
    let server = Server::start();
    let told = tried(&server, "while (true) {}", &json!({}));
    assert_eq!(told["error"]["message"], "the code took longer than it may");
    let told =
        tried(&server, "for (let n = 0; n < 100000; n += 1) console.log('line', n); return 1", &json!({}));
    assert_eq!((&told["result"], &told["consoleCut"]), (&json!(1), &json!(true)));
}

#[test]
fn tried_code_finds_nothing_of_the_workspace() {
    let server = Server::start();
    server.post("/variables", &json!({"name": "hidden", "value": "here", "type": "static"}));
    let code = "return [typeof $vars.hidden, typeof globalThis.$db, typeof globalThis.$tools]";
    let told = tried(&server, code, &json!({}));
    assert!(!told.to_string().contains("here") && told["result"][0] == "undefined", "{told}");
    assert_eq!((&told["result"][1], &told["result"][2]), (&json!("undefined"), &json!("undefined")));
}

#[test]
fn who_may_only_look_tries_no_code() {
    let server = Server::start();
    let call = |permission: &str| {
        let key = server.key(&[permission])["apiKey"].as_str().unwrap().to_owned();
        server
            .call("POST", "/node-custom-function")
            .bearer(&key)
            .json(&json!({"javascriptFunction": "return 1"}))
            .send()
    };
    for refused in ["agentflows:view", "chatflows:delete", "tools:view"] {
        call(refused).is_error(403);
    }
    for allowed in ["agentflows:update", "chatflows:create", "tools:update"] {
        assert_eq!(call(allowed).is(200).json()["result"], 1);
    }
}

#[test]
fn keys_of_an_answer_are_described_as_the_model_gets_them() {
    let server = Server::start();
    let rows = json!([
        {"key": "mood", "type": "enum", "enumValues": "good, bad", "description": "How it sounds"},
        {"key": "score", "type": "number"},
    ]);
    let told = server.post("/node-answer-schema", &json!({ "rows": rows }));
    assert_eq!(told["schema"]["required"], json!(["mood", "score"]));
    assert_eq!((&told["example"]["mood"], &told["faults"]), (&json!("good"), &json!([])));
}

#[test]
fn a_faulty_key_is_told_at_its_row_and_by_validation_in_the_same_words() {
    let server = Server::start();
    let rows = json!([{"key": "a"}, {"key": "mood", "type": "enum"}]);
    let told = server.post("/node-answer-schema", &json!({ "rows": rows }));
    let fault = json!({"row": 1, "field": "enumValues", "message": "Values: list at least one value."});
    assert_eq!((&told["faults"], told.get("schema")), (&json!([fault]), None));
    let inputs = json!({"llmModel": "chatScripted", "llmModelConfig": {}, "llmStructuredOutput": rows});
    let node = |id: &str, name: &str, inputs: Value| {
        json!({"id": id, "type": "agentFlow", "position": {"x": 0, "y": 0},
            "data": {"id": id, "name": name, "label": id, "inputs": inputs}})
    };
    let edge = json!({"id": "e", "source": "start", "target": "llm", "sourceHandle": "start-output-start", "targetHandle": "llm"});
    let canvas = json!({
        "nodes": [node("start", "startAgentflow", json!({})), node("llm", "llmAgentflow", inputs)],
        "edges": [edge],
    });
    let body = json!({"name": "f", "type": "AGENTFLOW", "flowData": canvas.to_string()});
    let flow = crate::support::id(&server.post("/chatflows", &body));
    let problems = server.read(&format!("/validation/{flow}")).to_string();
    assert!(problems.contains("row 2: Values: list at least one value."), "{problems}");
}
