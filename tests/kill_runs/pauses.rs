//! A run that waits for a person over a kill: it goes on once somebody decides, or once its time is up.

use super::program::Program;
use super::steps::{START, Steps, question, reply, with};
use super::{ASK, House, make_key};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const AGENT: &str = "agentAgentflow_0";
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a pause lasts that ends by itself; long enough that the service is dead by then.
const TIMEOUT_SECONDS: u64 = 3;

/// An Agent whose tool a person has to approve.
fn approving(more: Value) -> Steps {
    let rules = json!([
        {"match": "refused", "reply": "Then I do not know."},
        {"after": "tool", "match": ".+", "reply": "It is {0}."},
        {"after": "user", "reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "6*7"}}]},
    ]);
    let inputs = json!({
        "agentModel": "chatScripted", "agentModelConfig": {"rules": rules.to_string()},
        "agentTools": [{"agentSelectedTool": "calculator", "agentSelectedToolRequiresHumanInput": true}],
    });
    Steps::begin().card(AGENT, "Helper", with(inputs, more)).edge(START, AGENT)
}

/// A person who is asked.
fn asking(more: Value) -> Steps {
    let (yes, no) = ("directReplyAgentflow_0", "directReplyAgentflow_1");
    Steps::begin()
        .card(ASK, "Ask", with(question("Shall I?"), more))
        .card(yes, "Yes", reply("Done"))
        .card(no, "No", reply("Left"))
        .edge(START, ASK)
        .choice(ASK, 0, yes)
        .choice(ASK, 1, no)
}

/// A run that waits, whose service was killed.
struct KilledRun {
    folder: tempfile::TempDir,
    key: String,
    flow: String,
    answer: Value,
}

impl KilledRun {
    fn new(steps: &Steps) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let service = Program::serve(&data, &[]);
        let key = make_key(&data);
        let flow = service.make_agentflow(&key, "waits", &steps.text());
        let answer = service.ask(&flow, &json!({"question": "How much?"}));
        assert_eq!(answer.status(), 200, "{}", answer.text());
        let answer = answer.json();
        assert!(answer["action"].is_object(), "{answer}");
        service.kill();
        Self { folder, key, flow, answer }
    }

    fn house(&self) -> House {
        let data: &Path = &self.folder.path().join("data");
        House { program: Program::serve(data, &[]), key: self.key.clone() }
    }

    fn record(&self, house: &House) -> Value {
        house.read(&format!("/executions/{}", self.answer["executionId"].as_str().unwrap()))
    }

    fn decide(&self, house: &House, decision: &str) -> super::wire::Answer {
        let body = json!({
            "chatId": self.answer["chatId"], "sessionToken": self.answer["sessionToken"],
            "humanInput": {"type": decision},
        });
        house.program.ask(&self.flow, &body)
    }
}

#[test]
fn a_tool_that_waited_for_approval_over_a_kill_is_called_once_somebody_approves() {
    let run = KilledRun::new(&approving(json!({})));
    let house = run.house();
    let waiting = run.record(&house);
    assert_eq!((&waiting["state"], &waiting["action"]), (&json!("STOPPED"), &run.answer["action"]));
    let answer = run.decide(&house, "proceed");
    assert_eq!((answer.status(), &answer.json()["text"]), (200, &json!("It is 42.")), "{}", answer.text());
    assert_eq!(run.record(&house)["state"], "FINISHED");
    assert_eq!(run.decide(&house, "proceed").status(), 409);
}

#[test]
fn a_pause_whose_time_passed_while_the_service_was_dead_ends_after_the_next_start() {
    let timeout = json!({"humanInputTimeout": TIMEOUT_SECONDS, "agentHumanInputTimeout": TIMEOUT_SECONDS});
    for (steps, said) in [(asking(timeout.clone()), "Left"), (approving(timeout), "Then I do not know.")] {
        let run = KilledRun::new(&steps);
        std::thread::sleep(Duration::from_secs(TIMEOUT_SECONDS + 1));
        let house = run.house();
        let begun = Instant::now();
        while run.record(&house)["state"] != "FINISHED" {
            assert!(begun.elapsed() < PATIENCE, "{said}: {}", run.record(&house));
            std::thread::sleep(Duration::from_millis(50));
        }
        let messages = house.read(&format!("/chatmessage/{}", run.flow));
        let answers = messages.as_array().unwrap().iter().map(|message| &message["content"]);
        assert_eq!(answers.filter(|content| **content == said).count(), 1, "{messages}");
        assert_eq!(run.decide(&house, "proceed").status(), 409, "{said}");
    }
}
