//! `flowkeep ask`.

use crate::program::{Program, command, error_output, free_port, standard_output};
use crate::{Home, canvases, one_line, slow_canvas};
use serde_json::{Value, json};
use std::fs;
use std::io::Read as _;
use std::process::Stdio;

/// A service with a flow called `Echo`.
struct AskFixture {
    home: Home,
    service: Program,
    key: String,
    flow: String,
    url: String,
}

impl AskFixture {
    fn new() -> Self {
        let home = Home::new();
        let service = home.serve();
        let key = home.key("asker");
        let flow = service.make_flow(&key, "Echo", &canvases::scripted(&json!([]), "You said: {question}"));
        let url = format!("http://{}", service.address);
        Self { home, service, key, flow, url }
    }

    fn ask(&self, arguments: &[&str]) -> std::process::Output {
        let mut all = vec!["ask", "--url", &self.url];
        all.extend_from_slice(arguments);
        self.home.run(&all)
    }
}

#[test]
fn a_flow_is_asked_by_id_and_by_name() {
    let asked = AskFixture::new();
    let mut with_key = vec!["--key", &asked.key];
    with_key.extend_from_slice(&["Echo", "hello there"]);
    for arguments in
        [&[&asked.flow, "hello there"][..], &with_key, &["--no-stream", &asked.flow, "hello there"]]
    {
        let output = asked.ask(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", error_output(&output));
        assert_eq!(
            (standard_output(&output).as_str(), error_output(&output).as_str()),
            ("You said: hello there\n", "")
        );
    }
}

#[test]
fn an_answer_is_shown_as_it_is_written() {
    let asked = AskFixture::new();
    let flow = asked.service.make_flow(&asked.key, "Slow", &slow_canvas(8, 250));
    let mut child = command(&["ask", "--url", &asked.url, &flow, "go", "--data-dir", asked.home.data()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut start = [0; 4];
    stdout.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"word");
    assert!(child.try_wait().unwrap().is_none(), "the rest is still to come");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest.matches("word").count(), 7);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_json_of_an_answer_lets_the_conversation_go_on() {
    let asked = AskFixture::new();
    let first: Value =
        serde_json::from_str(&standard_output(&asked.ask(&["--json", &asked.flow, "one"]))).unwrap();
    assert_eq!((&first["text"], &first["question"]), (&json!("You said: one"), &json!("one")));
    let (chat, token) = (first["chatId"].as_str().unwrap(), first["sessionToken"].as_str().unwrap());
    let again = ["--json", "--chat-id", chat, "--session-token", token, &asked.flow, "two"];
    let second: Value = serde_json::from_str(&standard_output(&asked.ask(&again))).unwrap();
    assert_eq!(second["chatId"], first["chatId"]);
}

#[test]
fn a_question_that_cannot_be_asked_says_what_to_do() {
    let asked = AskFixture::new();
    let unknown = "00000000-0000-4000-8000-000000000000";
    let line = one_line(&asked.ask(&[unknown, "hello"]), 1);
    assert!(line.contains("404") && line.contains(unknown), "{line}");
    let line = one_line(&asked.ask(&["--key", &asked.key, "Nobody", "hello"]), 1);
    assert!(line.contains("no flow has this name"), "{line}");
    let line = one_line(&asked.ask(&["Echo", "hello"]), 2);
    assert!(line.contains("--key"), "{line}");
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let line = one_line(&asked.home.run(&["ask", "--url", &nobody, unknown, "hello"]), 1);
    assert!(line.contains("flowkeep serve") && line.contains(&nobody), "{line}");
}

#[test]
fn a_canvas_in_a_file_is_asked_without_a_service() {
    let home = Home::new();
    let file = home.path().join("canvas.json");
    fs::write(&file, canvases::scripted(&json!([]), "You said: {question}").to_string()).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(home.good(&["ask", "--file", file, "hello"]), "You said: hello\n");
    assert_eq!(home.good(&["ask", "--no-stream", "--file", file, "hello"]), "You said: hello\n");
    let whole: Value = serde_json::from_str(&home.good(&["ask", "--json", "--file", file, "hello"])).unwrap();
    assert_eq!(whole, json!({"text": "You said: hello", "question": "hello"}));
    assert!(!home.data.exists(), "nothing was kept");
}

#[test]
fn a_starter_and_a_flow_of_an_export_are_asked_without_a_service() {
    let home = Home::new();
    let starter = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/starters/welcome.json");
    assert!(home.good(&["ask", "--file", starter, "When are you open?"]).contains("from nine to six"));
    let canvas = |reply: &str| canvases::scripted(&json!([]), reply).to_string();
    let row = |name: &str| json!({"name": name, "type": "CHATFLOW", "flowData": canvas(name)});
    let file = home.path().join("export.json");
    fs::write(&file, json!({"ChatFlow": [row("one"), row("two")]}).to_string()).unwrap();
    let path = file.to_str().unwrap();
    assert_eq!(home.good(&["ask", "--file", path, "--name", "two", "hello"]), "two\n");
    let line = one_line(&home.run(&["ask", "--file", path, "hello"]), 1);
    assert!(line.contains("--name") && line.contains("one, two"), "{line}");
    for wrong in ["openAIApi", "openAIApi=key", "=a:b"] {
        let line = one_line(&home.run(&["ask", "--file", starter, "--credential", wrong, "hello"]), 2);
        assert!(line.contains("name=field:value"), "{line}");
    }
    let line = one_line(
        &home.run(&["ask", "--file", starter, "--credential", "openAIApi=openAIApiKey:sk-secret", "hello"]),
        1,
    );
    assert!(line.contains("signs in with 'openAIApi'") && !line.contains("sk-secret"), "{line}");
}

#[test]
fn the_address_that_the_service_gives_to_others_is_not_asked() {
    let asked = AskFixture::new();
    let ask = |variables: &[(&str, &str)]| {
        let mut ask = command(&["ask", "--data-dir", asked.home.data(), &asked.flow, "hello"]);
        ask.envs(variables.iter().copied()).output().unwrap()
    };
    let output = ask(&[("SERVICE_BASE_URL", "http://127.0.0.1:1")]);
    assert_eq!(standard_output(&output), "You said: hello\n", "{}", error_output(&output));
    let line = one_line(&ask(&[("SERVICE_URL", "http://127.0.0.1:1")]), 1);
    assert!(line.contains("127.0.0.1:1"), "{line}");
    one_line(&ask(&[("SERVICE_URL", "flows.example.com")]), 2);
}

#[test]
fn a_file_that_is_no_canvas_is_refused_in_one_line() {
    let home = Home::new();
    let file = home.path().join("canvas.json");
    let path = file.to_str().unwrap();
    one_line(&home.run(&["ask", "--file", path, "hello"]), 1);
    for text in ["", "[]", "{\"nodes\": 1}", "{\"nodes\": [], \"edges\": []}"] {
        fs::write(&file, text).unwrap();
        one_line(&home.run(&["ask", "--file", path, "hello"]), 1);
    }
}

#[test]
fn a_service_is_found_by_its_data_folder_whatever_its_port() {
    let asked = AskFixture::new();
    let folder = asked.home.data();
    let output = asked.home.run(&["ask", &asked.flow, "hello there"]);
    assert_eq!(standard_output(&output), "You said: hello there\n", "{}", error_output(&output));
    let elsewhere =
        command(&["ask", "--data-dir", folder, "--url", "http://127.0.0.1:1", &asked.flow, "hello"]);
    let line = one_line(&{ elsewhere }.output().unwrap(), 1);
    assert!(line.contains("127.0.0.1:1"), "an address that is named goes first: {line}");
}
