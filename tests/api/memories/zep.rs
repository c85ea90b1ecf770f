//! The memory on a Zep server: before a stand-in that speaks as one, which Zep's own client judges where `.ci/clouds` installed it.

use super::continue_conversation;
use crate::clouds::own_clients::client_folder;
use crate::support::canvases::{Drawing, ProviderFormat, SECRET};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// The sessions of the stand-in, each with what was said in it.
type Sessions = Arc<Mutex<HashMap<String, Vec<Value>>>>;

/// Answers as a server of Zep does, in its first version of the API.
fn answer(request: &RecordedRequest, sessions: &mut HashMap<String, Vec<Value>>) -> Behaviour {
    if request.path == "/healthz" {
        let headers = vec![("X-Zep-Version".to_owned(), "0.26.0-abc".to_owned())];
        return Behaviour::Status { status: 200, body: ".".to_owned(), headers };
    }
    if request.header("authorization") != Some(&format!("Bearer {SECRET}")) {
        return Behaviour::status(401, "Unauthorized");
    }
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let session = path.strip_prefix("/api/v1/sessions/").and_then(|rest| rest.strip_suffix("/memory"));
    let session = session.unwrap_or_else(|| panic!("{path}")).to_owned();
    match request.method.as_str() {
        "GET" => {
            let Some(said) = sessions.get(&session) else {
                return Behaviour::status(404, r#"{"message":"not found"}"#);
            };
            let newest: usize = query.strip_prefix("lastn=").map_or(said.len(), |last| last.parse().unwrap());
            let messages = &said[said.len().saturating_sub(newest)..];
            let summary =
                (said.len() > newest).then(|| json!({"content": "They greeted.", "token_count": 3}));
            Behaviour::status(200, &json!({"messages": messages, "summary": summary}).to_string())
        }
        "POST" => {
            let said = request.body["messages"].as_array().unwrap().clone();
            sessions.entry(session).or_default().extend(said);
            Behaviour::status(200, "OK")
        }
        "DELETE" if sessions.remove(&session).is_some() => Behaviour::status(200, "OK"),
        "DELETE" => Behaviour::status(404, r#"{"message":"not found"}"#),
        other => panic!("{other}"),
    }
}

/// A service, a model that says yes, and the server.
struct Fixture {
    server: Server,
    talks: Provider,
    zep: Provider,
    sessions: Sessions,
}

impl Fixture {
    fn new() -> Self {
        let (talks, zep, sessions) = (Provider::start(), Provider::start(), Sessions::default());
        talks.set_decision(|_| Behaviour::text("Yes."));
        let shared = sessions.clone();
        zep.set_decision(move |request| answer(request, &mut shared.lock().unwrap()));
        Self { server: Server::start(), talks, zep, sessions }
    }

    /// A conversation with this memory.
    fn flow(&self, key: &str, inputs: &Value) -> String {
        let mut drawing = Drawing::default();
        let model =
            ProviderFormat::OpenAi.model(&mut drawing, &self.server, &self.talks.base_url(), json!({}));
        let mut inputs = inputs.clone();
        inputs["baseURL"] = self.zep.base_url().into();
        let memory = drawing.card("ZepMemory", inputs);
        let body = json!({"name": "zep", "credentialName": "zepMemoryApi", "plainDataObj": {"apiKey": key}});
        drawing.credential(&memory, &id(&self.server.post("/credentials", &body)));
        let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        self.server.flow(&drawing.text())
    }

    /// What the model was sent last, without the instructions.
    fn messages_sent(&self) -> Vec<String> {
        let messages = self.talks.last_request().body["messages"].clone();
        let text = |message: &Value| message["content"].as_str().unwrap().to_owned();
        messages.as_array().unwrap()[1..].iter().map(text).collect()
    }

    fn kept(&self, session: &str) -> Option<Vec<Value>> {
        self.sessions.lock().unwrap().get(session).cloned()
    }
}

#[test]
fn a_conversation_is_kept_at_zep_and_forgotten_with_it() {
    let house = Fixture::new();
    let flow = house.flow(SECRET, &json!({}));
    let first = continue_conversation(&house.server, &flow, None, "I am \"Ada\".\u{1F4E6}");
    assert_eq!(first["memoryType"], "Zep Memory - Open Source");
    continue_conversation(&house.server, &flow, Some(&first), "Who am I?");
    assert_eq!(house.messages_sent(), ["I am \"Ada\".\u{1F4E6}", "Yes.", "Who am I?"]);
    continue_conversation(&house.server, &flow, None, "And who are you?");
    assert_eq!(house.messages_sent(), ["And who are you?"], "another conversation is another memory");
    let chat = first["chatId"].as_str().unwrap();
    let said = house.kept(chat).unwrap();
    assert_eq!(
        (said.len(), &said[0]["role"], &said[1]),
        (4, &json!("human"), &json!({"role": "ai", "content": "Yes."}))
    );
    let forget = format!("/chatmessage/{flow}?chatId={chat}");
    house.server.owner("DELETE", &forget).send().is(200);
    assert_eq!(house.kept(chat), None);
}

#[test]
fn what_zep_sums_up_stands_before_the_newest_messages() {
    let house = Fixture::new();
    let inputs = json!({"sessionId": "the desk/1", "k": "2", "humanPrefix": "Person", "aiPrefix": "Desk"});
    let flow = house.flow(SECRET, &inputs);
    for question in ["a", "b", "c"] {
        continue_conversation(&house.server, &flow, None, question);
    }
    let sent = house.messages_sent();
    assert_eq!(sent[1..], ["b", "Yes.", "c"], "a fixed session is for all who ask");
    assert!(sent[0].contains("They greeted.") && sent[0].contains("not a request"), "{sent:?}");
    let said = house.kept("the%20desk%2F1").unwrap();
    assert_eq!((&said[0]["role"], &said[1]["role"]), (&json!("Person"), &json!("Desk")));
}

#[test]
fn what_zep_refuses_is_told() {
    let house = Fixture::new();
    let ask = |key: &str, inputs: &Value| {
        house.server.ask(&house.flow(key, inputs), &json!({"question": "Hi"})).is_error(500)
    };
    let told = ask("another-key-of-somebody", &json!({}));
    assert!(told.starts_with("Zep Memory - Open Source: the provider refused the API key"), "{told}");
    assert!(ask(SECRET, &json!({"sessionId": ".."})).contains("dots alone"));
    for body in [r#"{"messages":[{"content":"x"}]}"#, r#"{"messages":"x"}"#, "[]"] {
        house.zep.set_decision(move |_| Behaviour::status(200, body));
        assert!(ask(SECRET, &json!({})).contains("no memory of a session"), "{body}");
    }
    assert_eq!(house.talks.served_count(), 0, "nobody asked a model for nothing");
}

#[test]
fn zeps_own_client_reads_what_the_card_wrote_and_is_read_by_it() {
    let Some(packages) = client_folder() else { return };
    if !packages.join("node_modules/@getzep/zep-js").exists() {
        return;
    }
    let house = Fixture::new();
    let flow = house.flow(SECRET, &json!({"sessionId": "shared"}));
    continue_conversation(&house.server, &flow, None, "I am \"Ada\".\u{1F4E6}");
    let about = json!({"url": house.zep.base_url(), "key": SECRET, "session": "shared"}).to_string();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/zep.mjs");
    let ended = Command::new("node").arg(program).arg(packages).arg(about).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let read: Value = serde_json::from_slice(&ended.stdout).unwrap();
    let said = json!([["human", "I am \"Ada\".\u{1F4E6}"], ["ai", "Yes."]]);
    assert_eq!(read, said, "{}", String::from_utf8_lossy(&ended.stderr));
    continue_conversation(&house.server, &flow, None, "Who am I?");
    assert_eq!(
        house.messages_sent(),
        ["I am \"Ada\".\u{1F4E6}", "Yes.", "I like tea.", "So do I.", "Who am I?"]
    );
}
