//! `kill -9` in the middle of runs of agentflows and of the answers that runs wait for, again and again: after each start
//! every record tells the truth, nothing that was acknowledged is missing, and whatever waits for a person goes on.
//! `FLOWKEEP_KILL_ROUNDS` says how often (3 if not set).

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

#[path = "kill_runs/callbacks.rs"]
mod callbacks;
#[path = "kill_runs/items.rs"]
mod items;
#[path = "support/kills.rs"]
mod kills;
#[path = "kill_runs/pauses.rs"]
mod pauses;
#[path = "support/program.rs"]
mod program;
#[path = "support/provider/mod.rs"]
mod provider;
#[path = "support/steps.rs"]
mod steps;
#[path = "support/wire.rs"]
mod wire;

use program::Program;
use provider::{Behaviour, Provider, Reply};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use steps::{START, Steps, openai_llm, question, reply, told};
use wire::{Answer, Wire, events, request};

const CALLERS: usize = 12;
/// A step that was told of so long before the kill is in the record: commits take far less, also on a busy machine.
const COMMIT_MAX: Duration = Duration::from_secs(1);
/// A round in which no run waited by then says nothing, and the end of the test says so.
const FIRST_PAUSE_MAX: Duration = Duration::from_secs(60);
/// What the record says of a run that was under way.
const INTERRUPTED: &str = "The service stopped while this run was under way.";
const ASK: &str = "humanInputAgentflow_0";

/// A row of models, so long that a kill finds its first steps long over and its last ones not begun.
fn row(provider: &str) -> Steps {
    let id = |number: usize| if number == 0 { START.to_owned() } else { format!("llmAgentflow_{number}") };
    (1..=30).fold(Steps::begin(), |steps, number| {
        let model = told(openai_llm(provider, "model-1"), "Hi");
        steps.card(&id(number), &id(number), model).edge(&id(number - 1), &id(number))
    })
}

/// Models beside one another, and a reply behind all of them.
fn branches(provider: &str) -> Steps {
    let end = "directReplyAgentflow_0";
    (0..3).fold(Steps::begin().card(end, "End", reply("{{ question }}")), |steps, number| {
        let id = format!("llmAgentflow_{number}");
        steps.card(&id, &id, openai_llm(provider, "model-1")).edge(START, &id).edge(&id, end)
    })
}

/// A person is asked, and beside that a model.
fn asking(provider: &str) -> Steps {
    let (yes, no) = ("directReplyAgentflow_0", "directReplyAgentflow_1");
    Steps::begin()
        .card("llmAgentflow_0", "Model", openai_llm(provider, "model-1"))
        .card(ASK, "Ask", question("Shall I?"))
        .card(yes, "Yes", reply("Done"))
        .card(no, "No", reply("Left"))
        .edge(START, "llmAgentflow_0")
        .edge(START, ASK)
        .choice(ASK, 0, yes)
        .choice(ASK, 1, no)
}

/// What the service said about one run.
#[derive(Debug)]
struct ToldRun {
    flow: String,
    /// Nodes of the steps and what became of them, with when that was told.
    steps: Vec<(String, String, Instant)>,
    /// The whole answer arrived: the message, its text, and the state of the run.
    answer: Option<(String, String, &'static str)>,
    /// It waits, and somebody began to answer that.
    is_being_answered: bool,
    /// Proves the conversation.
    token: String,
}

/// What is known about runs, by their conversation.
#[derive(Default)]
struct Known {
    runs: Mutex<HashMap<String, ToldRun>>,
    interrupted: AtomicUsize,
    answered_later: AtomicUsize,
}

impl Known {
    /// A whole answer said that its run waits for a person.
    fn has_pause(&self) -> bool {
        let is_pause = |run: &ToldRun| run.answer.as_ref().is_some_and(|(.., state)| *state == "STOPPED");
        self.runs.lock().unwrap().values().any(is_pause)
    }
}

struct House {
    program: Program,
    key: String,
}

impl House {
    fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        let bearer = format!("Bearer {}", self.key);
        self.program.call(method, &format!("/api/v1{path}"), &[("authorization", &bearer)], body)
    }

    #[track_caller]
    fn read(&self, path: &str) -> Value {
        let answer = self.call("GET", path, &Value::Null);
        assert_eq!(answer.status(), 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// Every record there is.
    fn executions(&self) -> Vec<Value> {
        let mut found = Vec::new();
        for page in 1.. {
            let rows = self.read(&format!("/executions?full=true&limit=100&page={page}"));
            found.extend(rows["data"].as_array().unwrap().iter().cloned());
            if found.len() as u64 >= rows["total"].as_u64().unwrap() {
                break;
            }
        }
        found
    }
}

#[test]
fn a_kill_in_the_middle_of_runs_leaves_records_that_tell_the_truth() {
    let rounds = kills::rounds(3);
    let provider = Provider::start();
    provider.set_decision(|request| {
        // Another time for each call, so that the kill finds runs everywhere.
        let moment = request.raw.len() % 7 + provider_jitter();
        Behaviour::Reply(Reply {
            first_byte: Duration::from_millis(10 + moment as u64 % 90),
            ..Reply::text("It will rain.")
        })
    });
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (key, flows) = prepare(&data, &provider.base_url());
    let known = Known::default();
    for round in 0..rounds {
        let service = Program::serve(&data, &[]);
        let (address, done) = (service.address, AtomicBool::new(false));
        std::thread::scope(|scope| {
            for caller in 0..CALLERS {
                let (flow, known, done) = (&flows[caller % flows.len()], &known, &done);
                scope.spawn(move || {
                    while !done.load(Ordering::SeqCst) && ask(address, flow, caller % 2 == 0, known).is_some()
                    {
                    }
                });
            }
            // On a busy machine the first runs may take longer than any moment below.
            let late = Instant::now() + FIRST_PAUSE_MAX;
            while !known.has_pause() && Instant::now() < late {
                std::thread::sleep(Duration::from_millis(5));
            }
            // Never the same moment twice.
            std::thread::sleep(Duration::from_millis(1_300 + round * 373 % 1_100));
            service.kill();
            done.store(true, Ordering::SeqCst);
        });
        let killed = Instant::now();
        let house = House { program: Program::serve(&data, &[]), key: key.clone() };
        check(&house, &known, killed);
        answer_all(&house, &known);
        // What was told shortly before this kill and is not there was promised to nobody, also at the next one.
        known.runs.lock().unwrap().retain(|_, run| run.answer.is_some());
        assert!(house.program.stop().success());
    }
    assert!(known.interrupted.into_inner() > 0, "no run was under way when the service was killed");
    assert!(known.answered_later.into_inner() > 0, "no run waited over a kill");
}

/// Some number that is another one at each call.
fn provider_jitter() -> usize {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    CALLS.fetch_add(31, Ordering::Relaxed)
}

/// Makes the data folder: a key, and the flows that are asked.
fn prepare(data: &Path, provider: &str) -> (String, Vec<String>) {
    let service = Program::serve(data, &[]);
    let key = make_key(data);
    let drawn = [("row", row(provider)), ("branches", branches(provider)), ("asking", asking(provider))];
    let flows = drawn.map(|(name, steps)| service.make_agentflow(&key, name, &steps.text()));
    assert!(service.stop().success());
    (key, flows.into())
}

/// A key that may do everything, of the service that runs on this folder.
fn make_key(data: &Path) -> String {
    let made =
        program::run(&["key", "create", "--name", "load", "--all", "--data-dir", data.to_str().unwrap()]);
    let key = program::standard_output(&made).trim().to_owned();
    assert!(key.starts_with("fk_"), "{key:?}: {}", program::error_output(&made));
    key
}

/// Asks in a new conversation, for a stream or a whole answer, and answers what the run waits for in every other one.
/// `None` when the service is gone.
fn ask(address: std::net::SocketAddr, flow: &str, streaming: bool, known: &Known) -> Option<()> {
    let path = format!("/api/v1/prediction/{flow}");
    let body = json!({"question": "Will it rain?", "streaming": streaming});
    let mut wire = Wire::to(address).ok()?;
    let asked = request("POST", &path, &[], body.to_string().as_bytes());
    if streaming {
        wire.send(&asked).ok()?;
        return read_stream(&mut wire, flow, known);
    }
    let answer = wire.ask(&asked).ok()?;
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let said = answer.json();
    let chat = said["chatId"].as_str().unwrap().to_owned();
    let waits = said.get("action").is_some();
    let state = if waits { "STOPPED" } else { "FINISHED" };
    let token = said["sessionToken"].as_str().unwrap();
    know(known, &chat, flow, token);
    note(known, &chat, &said["agentFlowExecutedData"], Some((&said, state)));
    let goes_on = waits && provider_jitter().is_multiple_of(2);
    if !goes_on {
        return Some(());
    }
    known.runs.lock().unwrap().get_mut(&chat).unwrap().is_being_answered = true;
    let body = json!({"chatId": chat, "sessionToken": token, "humanInput": {"type": "proceed"}});
    let answer = wire.ask(&request("POST", &path, &[], body.to_string().as_bytes())).ok()?;
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let said = answer.json();
    assert_eq!(said["text"], "Done");
    note(known, &chat, &said["agentFlowExecutedData"], Some((&said, "FINISHED")));
    Some(())
}

/// Reads the events of a run as far as they come.
fn read_stream(wire: &mut Wire, flow: &str, known: &Known) -> Option<()> {
    let head = wire.head().ok()?;
    assert_eq!(head.status, 200);
    let chat = head.header("x-service-chat-id").unwrap().to_owned();
    know(known, &chat, flow, head.header("x-service-session-token").unwrap());
    let (mut body, mut read) = (Vec::new(), 0);
    loop {
        let goes_on = wire.chunk_into(&mut body).ok()?;
        // What is behind the last blank line is not whole yet.
        let whole = body.windows(2).rposition(|pair| pair == b"\n\n").map_or(read, |at| at + 2);
        for (name, data) in events(&body[read..whole.max(read)]) {
            if name == "agentFlowExecutedData" {
                note(known, &chat, &data, None);
            }
        }
        read = whole.max(read);
        if !goes_on {
            return Some(());
        }
    }
}

/// Keeps the conversation of a run.
fn know(known: &Known, chat: &str, flow: &str, token: &str) {
    let run = ToldRun {
        flow: flow.to_owned(),
        steps: Vec::new(),
        answer: None,
        is_being_answered: false,
        token: token.to_owned(),
    };
    known.runs.lock().unwrap().insert(chat.to_owned(), run);
}

/// Keeps what was told of a run; with its answer, and the state that the answer says.
fn note(known: &Known, chat: &str, steps: &Value, answer: Option<(&Value, &'static str)>) {
    let mut runs = known.runs.lock().unwrap();
    let run = runs.get_mut(chat).unwrap();
    for step in steps.as_array().unwrap().iter().skip(run.steps.len()) {
        run.steps.push((node(step), status(step), Instant::now()));
    }
    if let Some((answer, state)) = answer {
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        run.answer = Some((text("chatMessageId"), text("text"), state));
        run.is_being_answered = false;
    }
}

fn node(step: &Value) -> String {
    step["nodeId"].as_str().unwrap().to_owned()
}

fn status(step: &Value) -> String {
    step["status"].as_str().unwrap().to_owned()
}

/// What must hold after a start.
fn check(house: &House, known: &Known, killed: Instant) {
    let executions = house.executions();
    let mut by_chat: HashMap<&str, &Value> = HashMap::new();
    for run in &executions {
        judge_record(run, known);
        let chat = run["chatId"].as_str().unwrap();
        assert!(by_chat.insert(chat, run).is_none(), "two runs of one question: {run}");
    }
    let messages = messages(house, known);
    for (chat, told) in &*known.runs.lock().unwrap() {
        let record = by_chat.get(chat.as_str());
        let durable = |at: &Instant| told.answer.is_some() || killed.duration_since(*at) > COMMIT_MAX;
        let promised: Vec<_> = told.steps.iter().take_while(|(_, _, at)| durable(at)).collect();
        let kept = record.and_then(|run| run["executionData"].as_array()).map_or(&[][..], Vec::as_slice);
        assert!(kept.len() >= promised.len(), "steps are missing: {promised:?} of {record:?}");
        for (kept, (of, became, _)) in kept.iter().zip(promised) {
            assert_eq!((node(kept), status(kept)), (of.clone(), became.clone()));
        }
        let Some((message, text, state)) = &told.answer else { continue };
        assert_eq!(messages.get(message), Some(text), "the answer {message} is missing");
        let is = &record.unwrap_or_else(|| panic!("the run of {chat} is missing"))["state"];
        // An answer that was on its way when the service died may have been taken or not.
        assert!(is == state || (told.is_being_answered && is != "INPROGRESS"), "{is} and not {state}");
    }
}

/// A record of a run that is not under way any more.
fn judge_record(run: &Value, known: &Known) {
    let steps = run["executionData"].as_array().unwrap();
    let begun = steps.iter().any(|step| status(step) == "TERMINATED");
    let pauses = run["pauses"].as_array().unwrap().len();
    match run["state"].as_str().unwrap() {
        "FINISHED" => assert!(!begun && pauses == 0, "{run}"),
        "STOPPED" => assert!(!begun && pauses == 1 && run["action"].is_object(), "{run}"),
        "ERROR" => {
            known.interrupted.fetch_add(1, Ordering::Relaxed);
            assert!(run["error"] == INTERRUPTED && pauses == 0, "{run}");
        }
        other => panic!("a run is {other}: {run}"),
    }
    assert!(
        steps.iter().all(|step| matches!(&*status(step), "FINISHED" | "TERMINATED" | "STOPPED")),
        "{run}"
    );
}

/// All messages of the flows that were asked: id and text.
fn messages(house: &House, known: &Known) -> HashMap<String, String> {
    let mut flows: Vec<String> = known.runs.lock().unwrap().values().map(|run| run.flow.clone()).collect();
    flows.sort_unstable();
    flows.dedup();
    let stored =
        flows.iter().flat_map(|flow| house.read(&format!("/chatmessage/{flow}")).as_array().unwrap().clone());
    let text = |message: &Value, name: &str| message[name].as_str().unwrap().to_owned();
    stored.map(|message| (text(&message, "id"), text(&message, "content"))).collect()
}

/// Answers everything that waits and that somebody was told of, one way and the other: each run comes to its end.
fn answer_all(house: &House, known: &Known) {
    for (number, run) in house.executions().iter().filter(|run| run["state"] == "STOPPED").enumerate() {
        let (chat, flow) = (run["chatId"].as_str().unwrap(), run["agentflowId"].as_str().unwrap());
        let proof = known.runs.lock().unwrap().get(chat).map(|run| run.token.clone());
        // Of a question whose answer was on its way, nobody knows the conversation.
        let Some(token) = proof else { continue };
        let (decision, text) = if number % 2 == 0 { ("proceed", "Done") } else { ("reject", "Left") };
        let body = json!({"chatId": chat, "sessionToken": token, "humanInput": {"type": decision}});
        let answer = house.program.ask(flow, &body);
        assert_eq!((answer.status(), &answer.json()["text"]), (200, &json!(text)), "{}", answer.text());
        let ended = house.read(&format!("/executions/{}", run["id"].as_str().unwrap()));
        assert_eq!(ended["state"], "FINISHED", "{ended}");
        known.answered_later.fetch_add(1, Ordering::Relaxed);
        note(known, chat, &ended["executionData"], Some((&answer.json(), "FINISHED")));
    }
}
