//! Callers with a flow's key name sessions, where its owner lets them (manual 3.3).

use crate::support::canvases::ProviderFormat;
use crate::support::provider::Provider;
use crate::support::{Answer, Server, id};
use serde_json::{Value, json};
use std::collections::BTreeSet;

struct NamedSessionFixture {
    server: Server,
    provider: Provider,
    flow: String,
    /// The id of the flow's key, and its value.
    key: (String, String),
}

/// A bound flow that remembers, with or without the owner's leave.
fn fixture(allowed: &Value) -> NamedSessionFixture {
    let (server, provider) = (Server::start(), Provider::start());
    let canvas = ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({}));
    let made = server.key(&["chatflows:view"]);
    let key = (id(&made), made["apiKey"].as_str().unwrap().to_owned());
    let config = json!({ "namedSessions": allowed }).to_string();
    let flow = server.flow_with(&canvas, &json!({"apikeyid": key.0, "apiConfig": config}));
    NamedSessionFixture { server, provider, flow, key }
}

impl NamedSessionFixture {
    fn send(&self, body: &Value) -> Answer {
        self.server.call("POST", &format!("/prediction/{}", self.flow)).bearer(&self.key.1).json(body).send()
    }

    fn ask(&self, question: &str, name: &str) -> Value {
        let body = json!({"question": question, "overrideConfig": {"sessionId": name}});
        self.send(&body).is(200).json()
    }

    fn has_sent(&self, text: &str) -> bool {
        self.provider.last_request().body["messages"].to_string().contains(text)
    }

    fn bind(&self, key: &str) {
        self.server.put(&format!("/chatflows/{}", self.flow), &json!({ "apikeyid": key }));
    }
}

#[test]
fn a_name_goes_on_with_what_was_said_under_it() {
    let named = fixture(&json!(true));
    let first = named.ask("I am Ada", "user:ada");
    let again = named.ask("Who am I?", "user:ada");
    assert!(named.has_sent("I am Ada"));
    assert_eq!((&first["sessionId"], &again["sessionId"]), (&json!("user:ada"), &json!("user:ada")));
    assert_eq!((&first["chatId"], &first["sessionToken"]), (&again["chatId"], &again["sessionToken"]));
    let other = named.ask("Who am I?", "user:bob");
    assert!(!named.has_sent("I am Ada") && other["chatId"] != first["chatId"]);
    // The name in the body counts too, and the one among the overrides goes before it.
    let in_body = named.send(&json!({"question": "Hi", "sessionId": "user:ada"})).is(200).json();
    assert_eq!(in_body["chatId"], first["chatId"]);
    let both =
        json!({"question": "Hi", "sessionId": "user:bob", "overrideConfig": {"sessionId": "user:ada"}});
    assert_eq!(named.send(&both).is(200).json()["chatId"], first["chatId"]);
    // Its real id and token go on with it as those of any conversation.
    let proven = json!({"question": "Hi", "chatId": first["chatId"], "sessionToken": first["sessionToken"],
        "overrideConfig": {"sessionId": "user:bob"}});
    let proven = named.send(&proven).is(200).json();
    assert_eq!((&proven["chatId"], &proven["sessionId"]), (&first["chatId"], &first["chatId"]));
    let streamed =
        named.send(&json!({"question": "Hi", "streaming": true, "sessionId": "user:ada"})).is(200).text();
    assert!(streamed.contains("\"sessionId\":\"user:ada\""), "{streamed}");
}

#[test]
fn messages_and_transcripts_are_found_by_the_name_that_the_answer_gave() {
    let named = fixture(&json!(true));
    let first = named.ask("I am Ada", "ada");
    named.ask("I am Bob", "bob");
    let said = named.server.read(&format!("/chatmessage/{}?sessionId=ada", named.flow));
    let of = |key: &str| said.as_array().unwrap().iter().map(|one| one[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("sessionId"), [json!("ada"), json!("ada")]);
    assert_eq!(of("chatId"), [first["chatId"].clone(), first["chatId"].clone()]);
    let body = json!({"chatflowId": named.flow, "chatType": ["EXTERNAL"]});
    let told = named.server.post("/export-import/chatflow-messages", &body);
    let sessions: Vec<&Value> = told.as_array().unwrap().iter().map(|one| &one["sessionId"]).collect();
    assert_eq!(sessions, ["bob", "ada"]);
}

#[test]
fn a_name_is_no_session_of_a_memory_that_is_fixed_later() {
    let named = fixture(&json!(true));
    named.ask("I am Ada", "team");
    let path = format!("/chatflows/{}", named.flow);
    let drawn = named.server.read(&path)["flowData"].as_str().unwrap().to_owned();
    let mut canvas: Value = serde_json::from_str(&drawn).unwrap();
    let nodes = canvas["nodes"].as_array_mut().unwrap();
    let memory = nodes.iter_mut().find(|node| node["data"]["name"] == "bufferMemory").unwrap();
    memory["data"]["inputs"]["sessionId"] = "team".into();
    named.server.put(&path, &json!({ "flowData": canvas.to_string() }));
    let answer = named.ask("Who am I?", "bob");
    assert_eq!(answer["sessionId"], "team");
    assert!(!named.has_sent("I am Ada"));
}

#[test]
fn two_first_uses_at_once_make_one_conversation() {
    let named = fixture(&json!(true));
    let chats: BTreeSet<String> = std::thread::scope(|scope| {
        let asked: Vec<_> =
            (0..8).map(|_| scope.spawn(|| named.ask("Hi", "same")["chatId"].to_string())).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(chats.len(), 1, "{chats:?}");
}

#[test]
fn a_name_is_ignored_where_it_does_not_count() {
    for allowed in [json!(false), Value::Null] {
        let named = fixture(&allowed);
        let first = named.ask("I am Ada", "ada");
        let again = named.ask("Who am I?", "ada");
        assert_ne!(first["chatId"], again["chatId"], "{allowed}");
        assert_eq!(first["sessionId"], first["chatId"]);
        // What does not count is not judged either.
        named.send(&json!({"question": "Hi", "sessionId": 7, "overrideConfig": {"sessionId": ""}})).is(200);
    }
    let open = fixture(&json!(true));
    open.bind("");
    assert_ne!(
        open.ask("Hi", "ada")["chatId"],
        open.ask("Hi", "ada")["chatId"],
        "an open flow knows no names"
    );
    let path = format!("/internal-prediction/{}", open.flow);
    let tested = open.server.post(&path, &json!({"question": "Hi", "sessionId": "ada"}));
    assert_eq!(tested["sessionId"], tested["chatId"]);
}

#[test]
fn a_name_that_is_none_is_refused_where_it_counts() {
    let named = fixture(&json!(true));
    for bad in [json!(""), json!("x".repeat(201)), json!("a\nb"), json!(7), json!({"a": "b"}), json!(false)] {
        let said = named.send(&json!({"question": "Hi", "overrideConfig": {"sessionId": bad}})).is_error(400);
        assert!(said.contains("sessionId"), "{said}");
        named.send(&json!({"question": "Hi", "sessionId": bad})).is_error(400);
    }
    named.send(&json!({"question": "Hi", "sessionId": null, "overrideConfig": {"sessionId": null}})).is(200);
    let settings = json!({"apiConfig": json!({"namedSessions": "yes"}).to_string()});
    named.server.owner("PUT", &format!("/chatflows/{}", named.flow)).json(&settings).send().is_error(400);
}

#[test]
fn another_key_knows_none_of_the_names() {
    let named = fixture(&json!(true));
    let first = named.ask("I am Ada", "ada");
    let other = named.server.key(&["chatflows:view"]);
    named.bind(&id(&other));
    let value = other["apiKey"].as_str().unwrap();
    let call = named.server.call("POST", &format!("/prediction/{}", named.flow)).bearer(value);
    let answer = call.json(&json!({"question": "Who am I?", "sessionId": "ada"})).send().is(200).json();
    assert!(answer["chatId"] != first["chatId"] && !named.has_sent("I am Ada"));
    named.bind(&named.key.0);
    assert_eq!(named.ask("Hi", "ada")["chatId"], first["chatId"]);
}

#[test]
fn a_deleted_conversation_is_forgotten_by_name() {
    let named = fixture(&json!(true));
    let (first, other) = (named.ask("I am Ada", "ada"), named.ask("I am Bob", "bob"));
    let chat = first["chatId"].as_str().unwrap();
    named.server.owner("DELETE", &format!("/chatmessage/{}?chatId={chat}", named.flow)).send().is(200);
    let again = named.ask("Who am I?", "ada");
    assert!(again["chatId"] != first["chatId"] && !named.has_sent("I am Ada"));
    assert_eq!(named.ask("Hi", "bob")["chatId"], other["chatId"]);
    named.server.owner("DELETE", &format!("/chatmessage/{}", named.flow)).send().is(200);
    assert_ne!(named.ask("Hi", "bob")["chatId"], other["chatId"]);
}
