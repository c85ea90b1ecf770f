//! `flowkeep check`.

use crate::program::{Program, error_output, free_port, standard_output};
use crate::{Home, canvases};
use quick_xml::events::Event;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Output;

/// Two files of flows and one of questions.
struct Files {
    home: Home,
}

impl Files {
    fn new(live: &str, draft: &str, questions: &str) -> Self {
        let files = Self { home: Home::new() };
        files.write("live.json", &canvases::scripted(&json!([]), live).to_string());
        files.write("draft.json", &canvases::scripted(&json!([]), draft).to_string());
        files.write("questions.txt", questions);
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn check(&self, more: &[&str]) -> Output {
        let paths = ["live.json", "draft.json", "questions.txt"].map(|name| self.path(name));
        let [live, draft, questions] = paths.each_ref().map(|path| path.to_str().unwrap());
        let mut all = vec!["check", "--live", live, "--draft", draft, "--questions", questions];
        all.extend_from_slice(more);
        self.home.run(&all)
    }
}

fn ends_with(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}{}", standard_output(output), error_output(output));
}

/// Each test case with what stands in it: its name, and the names of the elements.
fn read_junit(xml: &str) -> Vec<(String, Vec<String>)> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut cases: Vec<(String, Vec<String>)> = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return cases,
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.name().as_ref().to_owned();
                if name == "testcase" {
                    let named = tag.try_get_attribute("name").unwrap().unwrap();
                    let text = quick_xml::escape::unescape(&named.value).unwrap().into_owned();
                    cases.push((text, Vec::new()));
                } else if let Some((_, inside)) = cases.last_mut() {
                    inside.push(name);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn two_files_that_say_the_same_end_with_0() {
    let files = Files::new("It takes 30 days.", "it takes  30 DAYS.", "How long?\n\nSince when?\n");
    let output = files.check(&[]);
    ends_with(&output, 0);
    let text = standard_output(&output);
    assert!(text.starts_with("same      How long?\nsame      Since when?\n"), "{text}");
    assert!(text.contains("No change is reported: 2 same."), "{text}");
}

#[test]
fn another_number_ends_with_1_and_is_named() {
    let files = Files::new("It takes 30 days.", "It takes 14 days.", "[\"How long?\"]");
    let output = files.check(&[]);
    ends_with(&output, 1);
    assert!(standard_output(&output).contains("Live says 30, the draft says 14."));
    let check: Value = serde_json::from_str(&standard_output(&files.check(&["--json"]))).unwrap();
    assert_eq!((&check["status"], &check["summary"]["reportsChange"]), (&json!("done"), &json!(true)));
    let case = &check["cases"][0];
    assert_eq!((&case["verdict"], &case["confirmed"]), (&json!("changed"), &json!(true)));
    let answers = |side: &str| case["runs"][side].as_array().unwrap().len();
    assert_eq!((answers("live"), answers("draft")), (3, 2), "with a control, and asked again");
}

#[test]
fn an_expectation_of_the_file_of_questions_counts() {
    let questions = json!([{"text": "How?", "expect": [{"kind": "contains", "value": "receipt"}]}]);
    let files = Files::new("With the receipt.", "With the parcel.", &questions.to_string());
    let output = files.check(&["--no-control"]);
    ends_with(&output, 1);
    assert!(standard_output(&output).contains("expected to contain \"receipt\""));
}

#[test]
fn the_xml_names_each_question_and_fails_where_the_check_does() {
    let files = Files::new("It takes 30 days & \u{1b} more.", "It takes 14 days.", "How \"long\" <is> it?\n");
    let xml = files.path("check.xml");
    ends_with(&files.check(&["--junit", xml.to_str().unwrap()]), 1);
    let cases = read_junit(&std::fs::read_to_string(&xml).unwrap());
    assert_eq!(cases[0].0, "How \"long\" <is> it?");
    assert_eq!(cases[0].1, ["failure", "system-out"]);
    assert_eq!(cases[1], ("all questions together".to_owned(), vec!["system-out".to_owned()]));
}

#[test]
fn arguments_and_files_that_cannot_be_used_end_with_2() {
    let files = Files::new("a", "b", "How?\n");
    for more in [&["--repeat", "6"][..], &["--repeat", "x"], &["--max-tokens", "0"], &["--use-kept"]] {
        ends_with(&files.check(more), 2);
    }
    files.write("draft.json", "no flow");
    ends_with(&files.check(&[]), 2);
    files.write("questions.txt", "\n");
    ends_with(&files.check(&[]), 2);
    ends_with(&files.home.run(&["check"]), 2);
    ends_with(&files.home.run(&["check", "--live", files.path("live.json").to_str().unwrap()]), 2);
}

#[test]
fn what_is_not_run_or_not_reached_ends_with_3() {
    let files = Files::new("a", "b", "How?\n");
    let code = json!({"id": "f", "name": "customFunction", "label": "Code", "inputs": {"javascriptFunction": "return 1"}});
    let risky = json!({"nodes": [{"id": "f", "type": "customNode", "data": code}], "edges": []});
    files.write("draft.json", &risky.to_string());
    let output = files.check(&[]);
    ends_with(&output, 3);
    assert!(error_output(&output).contains("--include-risky-steps"), "{}", error_output(&output));
    let unreachable = format!("http://127.0.0.1:{}", free_port());
    let flow = "6df41e20-9371-4073-ba5f-b5408d14bbc6";
    ends_with(&files.home.run(&["check", flow, "--url", &unreachable, "--key", "fk_x"]), 3);
}

/// A service with a flow whose draft says something else than Live.
struct Served {
    home: Home,
    service: Program,
    key: String,
    flow: String,
}

impl Served {
    fn new(live: &str, draft: &str) -> Self {
        let home = Home::new();
        let service = home.serve();
        let key = home.key("checker");
        let flow = service.make_flow(&key, "Refunds", &canvases::scripted(&json!([]), live));
        let served = Self { home, service, key, flow };
        served.change("PUT", "/settings", &json!({"publishInstantly": false}));
        served.change("PUT", "", &json!({"flowData": canvases::scripted(&json!([]), draft).to_string()}));
        served
    }

    fn change(&self, method: &str, rest: &str, body: &Value) {
        let path = format!("/api/v1/flow-drafts/{}{rest}", self.flow);
        let bearer = format!("Bearer {}", self.key);
        let answer = self.service.call(method, &path, &[("authorization", &bearer)], body);
        assert_eq!(answer.status(), 200, "{}", answer.text());
    }

    fn check(&self, more: &[&str]) -> Output {
        let questions = self.home.path().join("questions.txt");
        std::fs::write(&questions, "How long?\n").unwrap();
        let mut all = vec!["check", &self.flow, "--questions", questions.to_str().unwrap()];
        all.extend_from_slice(more);
        self.home.run(&all)
    }
}

#[test]
fn a_running_service_checks_with_a_key_and_for_its_operator() {
    let served = Served::new("It takes 30 days.", "It takes 14 days.");
    let url = format!("http://{}", served.service.address);
    for more in [&["--url", &url, "--key", &served.key][..], &["--key", &served.key], &[]] {
        let output = served.check(more);
        ends_with(&output, 1);
        assert!(standard_output(&output).contains("Live says 30, the draft says 14."), "{more:?}");
    }
    let output = served.check(&["--url", &url, "--key", "fk_wrong"]);
    ends_with(&output, 3);
    assert!(error_output(&output).contains("--key"), "{}", error_output(&output));
}

#[test]
fn what_the_service_refuses_is_told_and_ends_with_3() {
    let served = Served::new("It takes 30 days.", "It takes 14 days.");
    served.change("POST", "/publish", &json!({}));
    let output = served.check(&["--key", &served.key]);
    ends_with(&output, 3);
    assert!(error_output(&output).contains("409"), "{}", error_output(&output));
}
