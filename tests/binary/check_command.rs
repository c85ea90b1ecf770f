//! `flowkeep check`.

use crate::program::{Program, command, error_output, free_port, standard_output};
use crate::{Home, canvases, slow_canvas};
use quick_xml::events::Event;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

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
fn files_can_be_named_by_the_environment() {
    let files = Files::new("a", "a", "How?\n");
    let path = |name: &str| files.path(name).to_str().unwrap().to_owned();
    let variables =
        [("LIVE", path("live.json")), ("DRAFT", path("draft.json")), ("QUESTIONS", path("questions.txt"))];
    let mut command = command(&["check", "--data-dir", files.home.data()]);
    command.envs(variables.map(|(name, value)| (format!("SERVICE_CHECK_{name}"), value)));
    ends_with(&command.output().unwrap(), 0);
    ends_with(&files.home.run(&["check"]), 2);
    ends_with(&files.home.run(&["check", "--live", &path("live.json")]), 2);
}

#[test]
fn a_result_that_cannot_be_written_ends_with_2_before_anything_is_asked() {
    let files = Files::new("a", "b", "How?\n");
    let nowhere = files.path("no folder").join("check.xml");
    let output = files.check(&["--junit", nowhere.to_str().unwrap()]);
    ends_with(&output, 2);
    assert_eq!(standard_output(&output), "");
    files.write("check.xml", "older");
    let kept = files.path("check.xml");
    ends_with(&files.check(&["--junit", kept.to_str().unwrap(), "--repeat", "6"]), 2);
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "older");
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
        let canvas = |text: &str| canvases::scripted(&json!([]), text);
        Self::with(&canvas(live), &canvas(draft))
    }

    fn with(live: &Value, draft: &Value) -> Self {
        let home = Home::new();
        let service = home.serve();
        let key = home.key("checker");
        let flow = service.make_flow(&key, "Refunds", live);
        let served = Self { home, service, key, flow };
        served.call("PUT", "/settings", &json!({"publishInstantly": false}));
        served.call("PUT", "", &json!({"flowData": draft.to_string()}));
        served
    }

    fn call(&self, method: &str, rest: &str, body: &Value) -> Value {
        let path = format!("/api/v1/flow-drafts/{}{rest}", self.flow);
        let bearer = format!("Bearer {}", self.key);
        let answer = self.service.call(method, &path, &[("authorization", &bearer)], body);
        assert_eq!(answer.status(), 200, "{}", answer.text());
        answer.json()
    }

    /// Waits until the newest check has this status.
    fn wait_for(&self, status: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let setup = self.call("GET", "/check", &Value::Null);
            if setup["check"]["status"] == status {
                return;
            }
            assert!(Instant::now() < end, "{setup}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn command(&self, more: &[&str]) -> Command {
        let questions = self.home.path().join("questions.txt");
        std::fs::write(&questions, "How long?\n").unwrap();
        let mut all = vec!["check", &self.flow, "--questions", questions.to_str().unwrap()];
        all.extend_from_slice(&["--data-dir", self.home.data()]);
        all.extend_from_slice(more);
        command(&all)
    }

    fn check(&self, more: &[&str]) -> Output {
        self.command(more).output().unwrap()
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

#[cfg(unix)]
#[test]
fn an_interrupted_command_stops_its_check() {
    let served = Served::with(&canvases::scripted(&json!([]), "30 days."), &slow_canvas(5, 10_000));
    let mut child = served.command(&[]).spawn().unwrap();
    served.wait_for("running");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    served.wait_for("stopped");
}

#[test]
fn what_the_service_refuses_is_told_and_ends_with_3() {
    let served = Served::new("It takes 30 days.", "It takes 14 days.");
    served.call("POST", "/publish", &json!({}));
    let output = served.check(&["--key", &served.key]);
    ends_with(&output, 3);
    assert!(error_output(&output).contains("409"), "{}", error_output(&output));
}

#[test]
fn versions_are_checked_by_their_ids_and_called_by_them() {
    let served = Served::new("It takes 30 days.", "It takes 14 days.");
    served.call("POST", "/publish", &json!({}));
    let path = format!("/api/v1/flow-versions/{}", served.flow);
    let bearer = format!("Bearer {}", served.key);
    let list = served.service.get(&path, &[("authorization", &bearer)]).json();
    let first = list["versions"].as_array().unwrap().last().unwrap()["sha"].as_str().unwrap().to_owned();
    let junit = served.home.path().join("junit.xml");
    for more in [&["--key", &served.key][..], &[]] {
        let right = ["--right", &first[..7], "--junit", junit.to_str().unwrap()];
        let output = served.check(&[&right[..], more].concat());
        ends_with(&output, 1);
        let says = format!("Live says 14, version {} says 30.", &first[..7]);
        assert!(standard_output(&output).contains(&says), "{}", standard_output(&output));
        let xml = std::fs::read_to_string(&junit).unwrap();
        assert!(xml.contains(&format!("Version {}:", &first[..7])), "{xml}");
    }
    let output = served.check(&["--left", "yesterday", "--key", &served.key]);
    ends_with(&output, 3);
    assert!(error_output(&output).contains("Invalid left"), "{}", error_output(&output));
    let files = ["check", "--live", "a.json", "--draft", "b.json", "--right", &first];
    ends_with(&served.home.run(&files), 2);
}

#[test]
fn a_file_is_checked_against_what_the_service_has() {
    let served = Served::new("It takes 30 days.", "It takes 14 days.");
    let file = served.home.path().join("new.json");
    std::fs::write(&file, canvases::scripted(&json!([]), "It takes 50 days.").to_string()).unwrap();
    let file = file.to_str().unwrap();
    for more in [&["--key", &served.key][..], &[]] {
        let output = served.check(&[&["--right", file][..], more].concat());
        ends_with(&output, 1);
        let told = standard_output(&output);
        assert!(told.contains("Live says 30, the file says 50."), "{told}");
    }
    let output = served.check(&["--left", file, "--key", &served.key]);
    assert!(standard_output(&output).contains("The file says 50, the draft says 14."));
    ends_with(&served.check(&["--right", "./nowhere.json"]), 2);
}

/// The most memory that a process has held so far, MiB.
#[cfg(target_os = "linux")]
fn peak_mib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[cfg(target_os = "linux")]
#[test]
fn a_hundred_answers_of_a_megabyte_are_compared_in_little_memory() {
    let megabyte = |word: &str| canvases::scripted(&json!([]), &word.repeat(500));
    let (live, draft) = ("y".repeat(1_999) + " ", "z".repeat(1_999) + " ");
    let served = Served::with(&megabyte(&live), &megabyte(&draft));
    let questions: Vec<String> = (0..10).map(|number| format!("Question {number}?")).collect();
    served.service.ask(&served.flow, &json!({"question": "Hi"}));
    let before = peak_mib(served.service.process_id());
    let bearer = format!("Bearer {}", served.key);
    let path = format!("/api/v1/flow-drafts/{}/check", served.flow);
    let body = json!({"questions": questions, "control": true, "repeat": 5});
    let begun = served.service.call("POST", &path, &[("authorization", &bearer)], &body);
    assert_eq!(begun.status(), 202, "{}", begun.text());
    served.wait_for("done");
    let check = served.call("GET", "/check", &Value::Null)["check"].clone();
    let answers = |side: &str| check["cases"][9]["runs"][side].as_array().unwrap().len();
    assert_eq!((answers("live"), answers("draft")), (6, 5));
    let more = peak_mib(served.service.process_id()) - before;
    assert!(more < 80, "{more} MiB for 110 MB of answers");
}
