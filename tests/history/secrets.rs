//! Secrets of every family, put through the API into every place a person could paste one: none is in any object,
//! message or reference of the repository, Live is unchanged, and what only looks like a secret stays readable.

use crate::editor::{canvas_answering, git, git_command};
use crate::support::canvases::Drawing;
use crate::support::server::{EMAIL, PASSWORD};
use crate::support::{Options, Server, id};
use flowkeep::base::cancel::CancelToken;
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

#[path = "../../src/core/domain/secrets/samples.rs"]
#[allow(dead_code, reason = "the samples of the scanner's own tests serve here too")]
mod samples;

/// Everything the repository holds, as git prints it: each object, each diff, each message, each reference.
pub fn everything(repository: &Path) -> String {
    let mut all = git(repository, &["log", "-p", "--all", "--format=fuller"]);
    all.push_str(&git(repository, &["for-each-ref"]));
    let ids = git(repository, &["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]);
    let mut reading = git_command(repository, &["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = reading.stdin.take().unwrap();
    let writing = std::thread::spawn(move || input.write_all(ids.as_bytes()).unwrap());
    let out = reading.wait_with_output().unwrap();
    writing.join().unwrap();
    all.push_str(&String::from_utf8_lossy(&out.stdout));
    all
}

/// A text as JSON writes it inside a string, `levels` times over.
fn json_escaped(text: &str, levels: usize) -> String {
    (0..levels).fold(text.to_owned(), |text, _| {
        let quoted = Value::from(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    })
}

fn is_in(all: &str, text: &str) -> bool {
    (0..3).any(|levels| all.contains(&json_escaped(text, levels)))
}

/// A canvas with a text in every place an editor has for one.
fn canvas_with_text_everywhere(text: &str) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", json!({ "fallback": text }));
    let values = json!({"a": {"b": [text]}, "note": text}).to_string();
    let template = format!("Before {text} after {{question}}");
    let prompt = drawing.card("promptTemplate", json!({"template": template, "promptValues": values}));
    let chain = drawing.card("llmChain", json!({ "unknownInput": {"deep": [{"deeper": text}]} }));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    let mut canvas: Value = serde_json::from_str(&drawing.text()).unwrap();
    canvas["nodes"][2]["data"]["label"] = format!("Chain {text}").into();
    canvas["nodes"][0]["data"]["inputs"]["headers"] = json!({ "X-Custom": text }).to_string().into();
    canvas["edges"][0]["data"] = json!({ "label": text });
    canvas["nodes"][1]["note"] = text.into();
    canvas.to_string()
}

fn generate<T>(runner: &mut TestRunner, strategy: &impl Strategy<Value = T>) -> T {
    strategy.new_tree(runner).unwrap().current()
}

#[test]
fn no_secret_reaches_the_repository() {
    let server = Server::start();
    server.app.history.faults().without_flushing(true);
    let mut runner = TestRunner::deterministic();
    let mut secrets = Vec::new();
    for line in 0..samples::SHAPES.len() {
        let sample = generate(&mut runner, &samples::samples_of(line));
        let text = sample.text();
        let name = if text.chars().count() < 200 { format!("Flow {text}") } else { "Flow".to_owned() };
        let body = json!({"name": name, "type": "CHATFLOW", "flowData": canvas_with_text_everywhere(&text), "category": text});
        let flow = id(&server.post("/chatflows", &body));
        server.publish(&flow).is(200);
        let settings = json!({
            "chatbotConfig": {"title": text, "starterPrompts": {"0": {"prompt": text}}, "custom": {"any": [text]}},
            "apiConfig": {"rateLimit": {"limitMsg": text}},
        });
        server.change(&flow, &settings).is(200);
        server.save_canvas(&flow, &canvas_with_text_everywhere(&format!("{text} and more"))).is(200);
        server.publish(&flow).is(200);
        let live = server.record(&flow);
        assert_eq!(
            live["flowData"],
            canvas_with_text_everywhere(&format!("{text} and more")),
            "Live is what was saved"
        );
        assert_eq!(server.history(&flow)["liveSha"], server.newest(&flow));
        if line % 3 == 0 {
            server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
        }
        secrets.push(sample);
    }
    let all = everything(&server.repository());
    assert!(all.len() > 1_000_000 && all.contains("[secret hidden]"));
    let leaked: Vec<_> = secrets.iter().filter(|sample| is_in(&all, &sample.secret)).collect();
    assert!(leaked.is_empty(), "{leaked:#?}");
    server.assert_settled();
    let verified =
        flowkeep::ops::flows::versions::verify(&server.app.history, &CancelToken::new(None)).unwrap();
    assert_eq!(verified.problems, Vec::<String>::new());
}

#[test]
fn what_only_looks_like_a_secret_stays_readable() {
    let server = Server::start();
    server.app.history.faults().without_flushing(true);
    let mut runner = TestRunner::deterministic();
    let flow = server.new_published("CHATFLOW", "start");
    for pattern in samples::HARMLESS {
        let text = generate(&mut runner, &proptest::string::string_regex(pattern).unwrap());
        server.save_draft(&flow, &text).is(200);
        let version = server.publish(&flow).is(200).json()["version"].take();
        assert_eq!(version["hiddenSecrets"], 0, "{text}");
        let sha = version["sha"].as_str().unwrap();
        let read = server.read(&format!("/flow-versions/{flow}/{sha}"));
        assert_eq!(crate::editor::answer_of_canvas(&read["flowData"]), text);
        let held = server.git(&["show", &format!("{sha}:flows/{}/{flow}/canvas.json", &flow[..2])]);
        assert!(is_in(&held, &text), "{text}");
    }
}

#[test]
fn typed_secrets_credentials_and_files_are_never_stored() {
    let server = Server::start();
    let credential = json!({"name": "my openai", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "plain-word-value"}});
    let credential = id(&server.post("/credentials", &credential));
    let mut canvas: Value = serde_json::from_str(&canvas_answering("one")).unwrap();
    let data = &mut canvas["nodes"][0]["data"];
    data["credential"] = json!(credential);
    data["inputParams"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "typed", "label": "Typed", "type": "password"}));
    data["inputs"]["typed"] = json!("just-some-words");
    data["inputs"]["apiKey"] = json!("other-plain-words");
    data["inputs"]["password"] = json!("pets-name");
    data["inputs"]["upload"] = json!("data:application/pdf;base64,cGxhaW4gd29yZHM=");
    let flow =
        id(&server
            .post("/chatflows", &json!({"name": "F", "type": "CHATFLOW", "flowData": canvas.to_string()})));
    server.publish(&flow).is(200);
    let sha = server.newest(&flow);
    let all = everything(&server.repository());
    for word in [
        "just-some-words",
        "other-plain-words",
        "pets-name",
        "cGxhaW4gd29yZHM",
        "plain-word-value",
        &credential,
    ] {
        assert!(!all.contains(word), "{word}");
    }
    assert!(all.contains("my openai"), "a credential is kept by name and type");
    let read = server.read(&format!("/flow-versions/{flow}/{sha}"));
    let filled: Value = serde_json::from_str(read["flowData"].as_str().unwrap()).unwrap();
    assert_eq!(
        filled["nodes"][0]["data"]["inputs"]["typed"], "just-some-words",
        "filled from the flow as it is"
    );
    assert_eq!(filled["nodes"][0]["data"]["credential"], credential);
    canvas["nodes"][0]["data"]["inputs"]["typed"] = json!("different-words");
    server.change(&flow, &json!({"flowData": canvas.to_string()})).is(200);
    assert_eq!(server.history(&flow)["liveSha"], sha, "what is never kept is not compared");
    let told = server.read(&format!("/flow-versions/{flow}/{sha}/diff?against=current"));
    assert_eq!(told["changed"], json!([]), "and is never a change");
    let same = server.roll_back(&flow, &sha).is(200).json();
    assert_eq!(same["unchanged"], true);
}

#[test]
fn the_names_of_people_and_keys_hold_no_secret() {
    let secret = format!("ghp_{}", "aB3d".repeat(9));
    let mut server = Server::empty(Options::default());
    let user = json!({"name": secret, "email": EMAIL, "credential": PASSWORD});
    server.call("POST", "/account/register").json(&json!({ "user": user })).send().is(201);
    server.cookie = server.sign_in();
    let credential =
        json!({"name": secret, "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "x"}});
    let credential = id(&server.post("/credentials", &credential));
    let mut canvas: Value = serde_json::from_str(&canvas_answering("one")).unwrap();
    canvas["nodes"][0]["data"]["credential"] = json!(credential);
    let body = json!({"name": "F", "type": "CHATFLOW", "flowData": canvas.to_string()});
    let flow = id(&server.post("/chatflows", &body));
    server.publish(&flow).is(200);
    server.change(&flow, &json!({ "name": secret })).is(200);
    server.change(&flow, &json!({ "name": "Plain" })).is(200);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert!(!everything(&server.repository()).contains(&secret));
    server.assert_settled();
}
