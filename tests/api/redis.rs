//! The cards over a Redis server, before a real one (manual 9.14, 9.19). `.ci/redis` starts one;
//! `FLOWKEEP_REDIS=redis://:password@127.0.0.1:port` names another. What would disturb others there, such as being full, is
//! asked of a server of the test's own, where `redis-server` is installed.

mod caches;
mod server_failures;
mod upstash;

use crate::overrides::override_settings;
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Answer, Server, id};
use flowkeep::base::cancel::CancelToken;
use flowkeep::net::Outgoing;
use flowkeep::redis::{RedisClient, RedisReply};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use url::Url;
use uuid::Uuid;

/// A service, and a real server.
struct RedisFixture {
    server: Server,
    talks: Provider,
    place: flowkeep::redis::RedisServer,
    /// For what no card does.
    beside: RedisClient,
}

fn print_skipped(why: &str) {
    // Not by the macro, whose words are only shown when a test fails.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

impl RedisFixture {
    /// `None`, and says so, where no server is named.
    fn open() -> Option<Self> {
        let Ok(text) = std::env::var("FLOWKEEP_REDIS") else {
            print_skipped("FLOWKEEP_REDIS names no Redis server");
            return None;
        };
        let url = Url::parse(&text).expect("FLOWKEEP_REDIS is an address");
        Some(Self::at(flowkeep::redis::RedisServer {
            host: url.host_str().unwrap().to_owned(),
            port: url.port().unwrap_or(flowkeep::redis::PORT),
            user: None,
            password: url.password().map(str::to_owned),
            database: 0,
            tls: false,
        }))
    }

    fn at(place: flowkeep::redis::RedisServer) -> Self {
        let beside = RedisClient::new(place.clone(), Outgoing::new(Vec::new(), true));
        let talks = Provider::start();
        talks.set_decision(|_| Behaviour::text("Yes."));
        Self { server: Server::start(), talks, place, beside }
    }

    fn run(&self, command: &[&str]) -> RedisReply {
        let cancel = CancelToken::new(None);
        let parts: Vec<&[u8]> = command.iter().map(|part| part.as_bytes()).collect();
        self.beside.with_connection(&cancel, |connection| connection.run(&parts, &cancel)).unwrap()
    }

    /// The entries of a list, from its head.
    fn entries(&self, key: &str) -> Vec<String> {
        let RedisReply::List(entries) = self.run(&["LRANGE", key, "0", "-1"]) else { panic!("no list") };
        let text = |entry| match entry {
            RedisReply::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
            other => panic!("{other:?}"),
        };
        entries.into_iter().map(text).collect()
    }

    fn credential(&self) -> Value {
        let password = self.place.password.clone().unwrap_or_default();
        json!({"redisCacheHost": self.place.host, "redisCachePort": self.place.port, "redisCachePwd": password})
    }

    /// A conversation with this memory, signed in with these fields.
    fn canvas_with(&self, kind: &str, fields: &Value, inputs: Value) -> String {
        let mut drawing = Drawing::default();
        let model =
            ProviderFormat::OpenAi.model(&mut drawing, &self.server, &self.talks.base_url(), json!({}));
        let memory = drawing.card("RedisBackedChatMemory", inputs);
        drawing.credential(&memory, &new_credential(&self.server, kind, fields));
        let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        drawing.text()
    }

    fn canvas(&self, inputs: Value) -> String {
        self.canvas_with("redisCacheApi", &self.credential(), inputs)
    }

    fn flow(&self, inputs: Value) -> String {
        self.server.flow(&self.canvas(inputs))
    }

    /// What the model was sent last, without the instructions.
    fn messages_sent(&self) -> Vec<String> {
        let messages = self.talks.last_request().body["messages"].clone();
        let text = |message: &Value| message["content"].as_str().unwrap().to_owned();
        messages.as_array().unwrap()[1..].iter().map(text).collect()
    }

    /// What a question that fails is told; it holds nothing of the server.
    fn answer_error(&self, flow: &str) -> String {
        let said = self.server.ask(flow, &json!({"question": "Hi"})).is_error(500);
        assert!(said.starts_with("Redis-Backed Chat Memory: "), "{said}");
        for hidden in
            ["127.0.0.1", &self.place.port.to_string(), self.place.password.as_deref().unwrap_or("\0")]
        {
            assert!(!said.contains(hidden), "{said}");
        }
        said
    }
}

fn new_credential(server: &Server, kind: &str, fields: &Value) -> String {
    let body = json!({"name": "real", "credentialName": kind, "plainDataObj": fields});
    id(&server.post("/credentials", &body))
}

fn begin(server: &Server, flow: &str, question: &str) -> Value {
    server.ask(flow, &json!({ "question": question })).is(200).json()
}

fn continue_conversation(server: &Server, flow: &str, first: &Value, question: &str) -> Answer {
    let body =
        json!({"question": question, "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    server.ask(flow, &body)
}

fn chat(answer: &Value) -> &str {
    answer["chatId"].as_str().unwrap()
}

/// A name nobody else uses.
fn fresh() -> String {
    Uuid::new_v4().to_string()
}

/// A server that says this to everybody; its port.
fn says(text: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.write_all(text.as_bytes());
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    port
}

#[test]
fn a_conversation_is_kept_in_the_familys_form_and_remembered() {
    let Some(house) = RedisFixture::open() else { return };
    let flow = house.flow(json!({}));
    let first = begin(&house.server, &flow, "I am \"Ada\".\u{1F4E6}");
    assert_eq!(first["memoryType"], "Redis-Backed Chat Memory");
    continue_conversation(&house.server, &flow, &first, "Who am I?").is(200);
    assert_eq!(house.messages_sent(), ["I am \"Ada\".\u{1F4E6}", "Yes.", "Who am I?"]);
    let entries = house.entries(chat(&first));
    let read = |at: usize| serde_json::from_str::<Value>(&entries[at]).unwrap();
    let said: Vec<(Value, Value)> = (0..entries.len())
        .map(|at| (read(at)["type"].clone(), read(at)["data"]["content"].clone()))
        .collect();
    let expected =
        [("ai", "Yes."), ("human", "Who am I?"), ("ai", "Yes."), ("human", "I am \"Ada\".\u{1F4E6}")];
    assert_eq!(said, expected.map(|(kind, text)| (json!(kind), json!(text))));
    assert_eq!(house.run(&["TTL", chat(&first)]), RedisReply::Number(-1), "it stays");
    assert_eq!(house.server.messages(&flow).len(), 4, "the service's own record is kept as always");
    begin(&house.server, &flow, "And who are you?");
    assert_eq!(house.messages_sent(), ["And who are you?"], "another conversation is another memory");
}

#[test]
fn a_conversation_begun_elsewhere_goes_on_here() {
    let Some(house) = RedisFixture::open() else { return };
    let key = fresh();
    let human =
        r#"{"type":"human","data":{"content":"I am Ada.","additional_kwargs":{},"response_metadata":{}}}"#;
    let tool = r#"{"type":"tool","data":{"content":"42","tool_call_id":"1"}}"#;
    let ai = r#"{"type":"ai","data":{"content":"Hello Ada.","tool_calls":[],"id":"x"}}"#;
    house.run(&["LPUSH", &key, human, tool, ai]);
    let flow = house.flow(json!({"sessionId": key, "sessionTTL": "100"}));
    begin(&house.server, &flow, "Who am I?");
    assert_eq!(house.messages_sent(), ["I am Ada.", "Hello Ada.", "Who am I?"]);
    let entries = house.entries(&key);
    assert_eq!((entries.len(), entries[2..].to_vec()), (5, [ai, tool, human].map(str::to_owned).to_vec()));
    let RedisReply::Number(seconds) = house.run(&["TTL", &key]) else { panic!("no number") };
    assert!((1..=100).contains(&seconds), "{seconds}");
    assert!(house.server.messages(&flow).iter().all(|message| message["sessionId"] == key.as_str()));
}

#[test]
fn a_window_holds_the_newest_messages() {
    let Some(house) = RedisFixture::open() else { return };
    let key = fresh();
    for (size, sent) in [("2", vec!["c", "Yes."]), ("3", vec!["Yes.", "c", "Yes."]), ("0", vec!["a"; 0])] {
        house.run(&["DEL", &key]);
        let flow = house.flow(json!({"sessionId": key, "windowSize": size}));
        for question in ["a", "b", "c", "d"] {
            begin(&house.server, &flow, question);
        }
        let mut expected = if sent.is_empty() { vec!["a", "Yes.", "b", "Yes.", "c", "Yes."] } else { sent };
        expected.push("d");
        assert_eq!(house.messages_sent(), expected, "{size}");
    }
}

#[test]
fn messages_that_a_caller_brings_along_stand_first() {
    let Some(house) = RedisFixture::open() else { return };
    let key = fresh();
    let flow = house.flow(json!({"sessionId": key}));
    begin(&house.server, &flow, "a");
    let history = json!([{"role": "userMessage", "content": "Before."}]);
    house.server.ask(&flow, &json!({"question": "b", "history": history})).is(200);
    assert_eq!(house.messages_sent(), ["Before.", "a", "Yes.", "b"]);
    assert_eq!(house.entries(&key).len(), 4);
}

#[test]
fn a_redis_url_signs_in_and_chooses_the_database() {
    let Some(house) = RedisFixture::open() else { return };
    let (key, place) = (fresh(), &house.place);
    let password = place.password.as_deref().map_or_else(String::new, |password| format!(":{password}@"));
    let url = format!("redis://{password}{}:{}/1", place.host, place.port);
    let canvas =
        house.canvas_with("redisCacheUrlApi", &json!({ "redisUrl": url }), json!({"sessionId": key}));
    begin(&house.server, &house.server.flow(&canvas), "Hi");
    assert!(house.entries(&key).is_empty());
    let other = flowkeep::redis::RedisServer { database: 1, ..place.clone() };
    let other = RedisFixture { beside: RedisClient::new(other, Outgoing::new(Vec::new(), true)), ..house };
    assert_eq!(other.entries(&key).len(), 2);
    other.run(&["DEL", &key]);
}

#[test]
fn who_may_not_sign_in_is_told_to_look_at_the_credential() {
    let Some(house) = RedisFixture::open() else { return };
    let user = format!("u{}", Uuid::new_v4().simple());
    house.run(&["ACL", "SETUSER", &user, "on", ">narrow", "~*", "+ping", "+select"]);
    let mut narrow = house.credential();
    narrow["redisCacheUser"] = json!(user);
    narrow["redisCachePwd"] = json!("narrow");
    let mut wrong = house.credential();
    wrong["redisCachePwd"] = json!("not-the-password");
    let mut outside = house.credential();
    outside["redisCachePwd"] = json!("");
    let far = format!(
        "redis://:{}@127.0.0.1:{}/77777",
        house.place.password.as_deref().unwrap_or("x"),
        house.place.port
    );
    for (kind, fields, told) in [
        ("redisCacheApi", wrong, "refused the user or the password; check the card's credential"),
        ("redisCacheApi", outside, "wants a password; enter it in the card's credential"),
        ("redisCacheApi", narrow, "the user may not do this"),
        ("redisCacheUrlApi", json!({ "redisUrl": far }), "no such database; check the card's credential"),
        (
            "redisCacheUrlApi",
            json!({"redisUrl": "http://:hidden-word@nowhere"}),
            "Connect Credential: its Redis URL must",
        ),
    ] {
        let said = house.answer_error(&house.server.flow(&house.canvas_with(kind, &fields, json!({}))));
        assert!(said.contains(told) && !said.contains("narrow") && !said.contains("hidden-word"), "{said}");
    }
    assert_eq!(house.talks.served_count(), 0, "nobody asked a model for nothing");
    house.run(&["ACL", "DELUSER", &user]);
}

#[test]
fn what_another_program_keeps_stays_as_it_is() {
    let Some(house) = RedisFixture::open() else { return };
    let (text, jobs) = (fresh(), fresh());
    house.run(&["SET", &text, "theirs"]);
    house.run(&["RPUSH", &jobs, "job 7", "{\"task\": 8}"]);
    for key in [&text, &jobs] {
        let said = house.answer_error(&house.flow(json!({ "sessionId": key })));
        assert!(said.contains("another program") && said.contains("Session Id"), "{said}");
        assert!(!said.contains(key.as_str()) && !said.contains("job"), "{said}");
    }
    assert_eq!(house.run(&["GET", &text]), RedisReply::Bytes(b"theirs".to_vec()));
    assert_eq!(house.entries(&jobs), ["job 7", "{\"task\": 8}"]);
    assert_eq!(house.talks.served_count(), 0);
}

#[test]
fn a_server_that_is_away_or_speaks_something_else_is_told_to_the_owner() {
    let Some(house) = RedisFixture::open() else { return };
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let web = says("HTTP/1.1 400 Bad Request\r\n\r\n");
    for (port, told) in [
        (nobody, "no connection to the server; check host, port and SSL in the card's credential"),
        (web, "does not speak Redis"),
    ] {
        let fields = json!({"redisCacheHost": "127.0.0.1", "redisCachePort": port});
        let said =
            house.answer_error(&house.server.flow(&house.canvas_with("redisCacheApi", &fields, json!({}))));
        assert!(said.contains(told) && !said.contains(&port.to_string()), "{said}");
    }
    let said = house.answer_error(&house.server.flow(&house.canvas_with(
        "redisCacheApi",
        &json!({"redisCacheHost": "169.254.169.254"}),
        json!({}),
    )));
    assert!(said.contains("refused by policy") && !said.contains("169.254"), "{said}");
}

#[test]
fn a_conversation_that_is_deleted_is_forgotten_there_too() {
    let Some(house) = RedisFixture::open() else { return };
    let flow = house.flow(json!({}));
    let (first, second) = (begin(&house.server, &flow, "a"), begin(&house.server, &flow, "b"));
    let delete = |query: String| house.server.owner("DELETE", &format!("/chatmessage/{flow}{query}")).send();
    // One of its messages alone forgets nothing.
    let one = house.server.messages(&flow)[0]["id"].as_str().unwrap().to_owned();
    delete(format!("?messageId={one}")).is(200);
    assert_eq!(house.entries(chat(&first)).len(), 2);
    delete(format!("?chatId={}", chat(&first))).is(200);
    assert_eq!((house.entries(chat(&first)).len(), house.entries(chat(&second)).len()), (0, 2));
    delete(String::new()).is(200);
    assert!(house.entries(chat(&second)).is_empty() && house.server.messages(&flow).is_empty());
}

#[test]
fn what_all_who_ask_share_is_not_forgotten_with_one_conversation() {
    let Some(house) = RedisFixture::open() else { return };
    let key = fresh();
    let flow = house.flow(json!({ "sessionId": key }));
    let first = begin(&house.server, &flow, "a");
    let path = format!("/chatmessage/{flow}?chatId={}", chat(&first));
    house.server.owner("DELETE", &path).send().is(200);
    assert_eq!((house.entries(&key).len(), house.server.messages(&flow).len()), (2, 0));
}

#[test]
fn no_other_session_leads_to_the_conversation_of_a_person() {
    let Some(house) = RedisFixture::open() else { return };
    let allowed = override_settings(&[("Redis-Backed Chat Memory", &["sessionId"])], &[]);
    let flow = house.server.flow_with(&house.canvas(json!({})), &allowed);
    let victim = begin(&house.server, &flow, "My secret is tea.");
    let body = json!({"question": "What is it?", "overrideConfig": {"sessionId": chat(&victim)}});
    let other = house.server.ask(&flow, &body).is(200).json();
    assert_eq!(
        (house.messages_sent(), house.entries(chat(&other)).len()),
        (vec!["What is it?".to_owned()], 2)
    );
    let fixed = house.canvas(json!({"sessionId": chat(&victim)}));
    house.server.put(&format!("/chatflows/{flow}"), &json!({"flowData": fixed, "publishInstantly": true}));
    let said = house.server.ask(&flow, &body).is_error(500);
    assert!(said.contains("another person's conversation"), "{said}");
    assert_eq!(house.entries(chat(&victim)).len(), 2, "nobody else speaks in it");
}

#[test]
fn a_named_session_has_its_name_there() {
    let Some(house) = RedisFixture::open() else { return };
    let made = house.server.key(&["chatflows:view"]);
    let config = json!({"namedSessions": true}).to_string();
    let flow = house
        .server
        .flow_with(&house.canvas(json!({})), &json!({"apikeyid": id(&made), "apiConfig": config}));
    let name = fresh();
    let ask = |body: Value| {
        let call = house.server.call("POST", &format!("/prediction/{flow}"));
        call.bearer(made["apiKey"].as_str().unwrap()).json(&body).send().is(200).json()
    };
    let first = ask(json!({"question": "I am Ada.", "sessionId": name}));
    assert_eq!(house.entries(&name).len(), 2);
    ask(json!({"question": "Who am I?", "chatId": first["chatId"], "sessionToken": first["sessionToken"]}));
    assert_eq!((house.messages_sent().len(), house.entries(&name).len()), (3, 4), "it goes on, named or not");
    let path = format!("/chatmessage/{flow}?chatId={}", chat(&first));
    house.server.owner("DELETE", &path).send().is(200);
    assert!(house.entries(&name).is_empty());
}

#[test]
fn many_conversations_are_kept_apart_at_once() {
    let Some(house) = RedisFixture::open() else { return };
    let flow = house.flow(json!({}));
    std::thread::scope(|scope| {
        for person in 0..8 {
            let (house, flow) = (&house, &flow);
            scope.spawn(move || {
                let first = begin(&house.server, flow, &format!("I am {person}."));
                continue_conversation(&house.server, flow, &first, "Again.").is(200);
                let entries = house.entries(chat(&first));
                assert_eq!(entries.len(), 4);
                assert!(entries[3].contains(&format!("I am {person}.")), "{entries:?}");
            });
        }
    });
}
