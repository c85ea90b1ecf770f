//! `serve --demo` and `serve --throwaway`.

use crate::program::{OWNER, Program, command, throwaway};
use crate::wire::{Answer, events, request};
use crate::{Home, status_with};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::path::Path;

/// Starts the demo; all it printed.
fn demo(home: &Home) -> (Program, String) {
    demo_with(home, &[])
}

fn demo_with(home: &Home, variables: &[(&str, &str)]) -> (Program, String) {
    let mut command = command(&["serve", "--demo", "--port", "0", "--data-dir", home.data()]);
    command.envs(variables.iter().copied());
    let mut program = Program::start(command, &home.path().join("log"));
    let printed = program.lines_until("curl -sN");
    let base = printed.lines().next().unwrap().rsplit(' ').next().unwrap().to_owned();
    program.address = base.strip_prefix("http://").unwrap().parse().unwrap();
    (program, printed)
}

/// The words of a command line, as a shell reads them: single quotes keep what they enclose.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.trim().split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(ToOwned::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// A printed `curl` line.
struct Curl {
    path: String,
    header: (String, String),
    body: Value,
}

impl Curl {
    /// The line that begins with `start`.
    fn from_output(text: &str, start: &str) -> Self {
        let line = text.lines().find(|line| line.trim().starts_with(start)).expect("the line is printed");
        let words = words(line);
        let after = |flag: &str| words[words.iter().position(|word| word == flag).unwrap() + 1].clone();
        let url = words.iter().find(|word| word.starts_with("http://")).unwrap();
        let (_, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let header = after("-H");
        let (name, value) = header.split_once(": ").unwrap();
        Self {
            path: format!("/{path}"),
            header: (name.to_ascii_lowercase(), value.to_owned()),
            body: serde_json::from_str(&after("-d")).unwrap(),
        }
    }

    fn flow(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    fn send(&self, program: &Program) -> Answer {
        assert_eq!(self.header, ("content-type".to_owned(), "application/json".to_owned()));
        program.wire().ask(&request("POST", &self.path, &[], self.body.to_string().as_bytes())).unwrap()
    }
}

/// What follows `label` in its line, up to the next two spaces.
fn labelled<'a>(printed: &'a str, label: &str) -> &'a str {
    let line = printed.lines().find(|line| line.trim().starts_with(label)).unwrap();
    line.trim().strip_prefix(label).unwrap().trim().split("  ").next().unwrap()
}

fn text_of(answer: &Answer) -> String {
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_curl_lines_of_the_demo_answer_as_pasted() {
    let home = Home::new();
    let (program, printed) = demo(&home);
    let whole = text_of(&Curl::from_output(&printed, "curl -s ").send(&program));
    assert!(!whole.trim().is_empty());
    let streamed = Curl::from_output(&printed, "curl -sN ").send(&program);
    assert_eq!(streamed.status(), 200);
    assert_eq!(streamed.header("content-type").map(|kind| kind.starts_with("text/event-stream")), Some(true));
    let events = events(&streamed.body);
    let tokens = events.iter().filter(|(name, _)| name == "token").filter_map(|(_, data)| data.as_str());
    assert_eq!(tokens.collect::<String>(), whole);
    assert_eq!(events.last().unwrap(), &("end".to_owned(), json!("[DONE]")));
}

#[test]
fn the_printed_sign_in_and_key_of_the_demo_work() {
    let home = Home::new();
    let (program, printed) = demo(&home);
    let password = printed.split_once("with password  ").unwrap().1.lines().next().unwrap();
    assert!(program.sign_in(labelled(&printed, "Sign in"), password).is_some(), "{printed}");
    assert_eq!(status_with(&program, labelled(&printed, "API key")), 200);
}

#[test]
fn the_demo_takes_the_owner_of_the_settings() {
    let home = Home::new();
    let owner = [("SERVICE_OWNER_EMAIL", OWNER.0), ("SERVICE_OWNER_PASSWORD", OWNER.1)];
    let (program, printed) = demo_with(&home, &owner);
    assert_eq!(labelled(&printed, "Sign in"), OWNER.0);
    assert!(!printed.contains(OWNER.1) && !printed.contains("in use before"), "{printed}");
    assert!(program.sign_in(OWNER.0, OWNER.1).is_some());
    assert_eq!(status_with(&program, labelled(&printed, "API key")), 200);
    assert!(!text_of(&Curl::from_output(&printed, "curl -s ").send(&program)).is_empty());
}

#[test]
fn the_demo_shows_a_draft_that_differs_from_live() {
    let home = Home::new();
    let (program, printed) = demo(&home);
    let curl = Curl::from_output(&printed, "curl -s ");
    let bearer = format!("Bearer {}", labelled(&printed, "API key"));
    let read = |path: &str| program.get(path, &[("authorization", &bearer)]).json();
    let state = read(&format!("/api/v1/flow-drafts/{}", curl.flow()));
    assert_eq!((&state["mode"], &state["draft"]["stale"]), (&json!("draft"), &json!(false)));
    assert!(state["draft"]["flowData"].as_str().unwrap().contains("in the draft only"), "{state}");
    assert_eq!(read(&format!("/api/v1/validation/{}", curl.flow())), json!([]));
    let hello = program.ask(curl.flow(), &json!({"question": "Hello"}));
    assert!(text_of(&hello).starts_with("Hello! I am a Flowkeep example flow."), "callers get Live");
    let waiting = |row: &&Value| !row["state"]["draft"].is_null();
    let flows = read("/api/v1/chatflows?fields=summary");
    assert_eq!(flows.as_array().unwrap().iter().filter(waiting).count(), 1, "{flows}");
}

#[test]
fn all_three_flows_of_the_demo_answer() {
    let home = Home::new();
    let (program, printed) = demo(&home);
    let listed = printed.split_once("Flows:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let flows: Vec<&str> = listed.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(flows.len(), 3, "{printed}");
    let asked = [
        ("What can you do?", "flow"),
        ("What is 12 * 7?", "That makes 84."),
        ("What does a flow serve?", "(handbook.md)"),
    ];
    for (flow, (question, part)) in flows.iter().zip(asked) {
        let text = text_of(&program.ask(flow, &json!({"question": question})));
        assert!(text.contains(part), "{question} {text}");
    }
}

#[test]
fn a_second_start_of_the_demo_prints_the_same_flow_which_still_answers() {
    let home = Home::new();
    let (program, first) = demo(&home);
    let key = labelled(&first, "API key").to_owned();
    assert!(program.stop().success());
    let (program, second) = demo(&home);
    let again = Curl::from_output(&second, "curl -s ");
    assert_eq!(again.flow(), Curl::from_output(&first, "curl -s ").flow());
    assert!(!text_of(&again.send(&program)).is_empty());
    assert_eq!(Curl::from_output(&second, "curl -sN ").send(&program).status(), 200);
    assert!(!second.contains("fk_"), "a key is shown once: {second}");
    assert_eq!(status_with(&program, &key), 200);
}

#[test]
fn a_throwaway_service_tells_all_in_one_line_of_json() {
    let service = throwaway(&[]);
    let fields: Vec<&String> = service.told.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["baseUrl", "apiKey", "ownerEmail", "ownerPassword", "dataDir"]);
    assert_eq!(status_with(&service.program, &service.key), 200);
    let told = |field: &str| service.told[field].as_str().unwrap();
    assert!(service.program.sign_in(told("ownerEmail"), told("ownerPassword")).is_some());
    assert!(Path::new(told("dataDir")).is_dir());
}

fn assert_nothing_left(signal: Signal) {
    let mut service = throwaway(&[]);
    let folder = Path::new(service.told["dataDir"].as_str().unwrap()).to_owned();
    assert!(folder.is_dir());
    service.program.signal(signal);
    assert_eq!(service.program.wait().code(), Some(0), "{}", service.program.log());
    assert!(!folder.exists());
}

#[test]
fn a_throwaway_service_removes_its_folder_when_it_is_terminated() {
    assert_nothing_left(Signal::TERM);
}

#[test]
fn a_throwaway_service_removes_its_folder_when_it_is_interrupted() {
    assert_nothing_left(Signal::INT);
}
