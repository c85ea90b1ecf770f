//! The cards over Upstash: an HTTP proxy, as Upstash has one, in front of a real Redis server. Both memories speak in the
//! same conversation.

use super::{RedisFixture, begin, chat, continue_conversation, fresh, new_credential};
use crate::clouds::own_clients::client_folder;
use crate::support::canvases::{Drawing, ProviderFormat, SECRET};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flowkeep::base::cancel::CancelToken;
use flowkeep::net::Outgoing;
use flowkeep::redis::{RedisClient, RedisError, RedisReply};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;

/// The HTTP proxy before the server.
fn start_http_proxy(house: &RedisFixture) -> Provider {
    let (door, session) =
        (Provider::start(), Arc::new(RedisClient::new(house.place.clone(), Outgoing::new(Vec::new(), true))));
    door.set_decision(move |request| {
        if request.header("authorization") != Some(&format!("Bearer {SECRET}")) {
            return Behaviour::status(401, r#"{"error":"WRONGPASS invalid or missing auth token"}"#);
        }
        assert_eq!(request.method, "POST");
        match answer(&session, request) {
            Ok(answer) => Behaviour::status(200, &answer.to_string()),
            Err(RedisError::Server { message, .. }) => {
                Behaviour::status(400, &json!({ "error": message }).to_string())
            }
            Err(other) => panic!("{other}"),
        }
    });
    door
}

fn answer(session: &RedisClient, request: &RecordedRequest) -> Result<Value, RedisError> {
    let cancel = CancelToken::new(None);
    // Upstash's own client sends numbers as such.
    let text = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
    let command = |list: &Value| list.as_array().unwrap().iter().map(text).collect::<Vec<String>>();
    let run = |parts: &[String]| {
        let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
        session.with_connection(&cancel, |connection| connection.run(&parts, &cancel))
    };
    if request.path == "/" {
        return Ok(json!({"result": to_upstash_json(run(&command(&request.body))?, request)}));
    }
    // Upstash's own client asks for several that need not be one.
    if request.path == "/pipeline" {
        let lists = request.body.as_array().unwrap().iter();
        return lists
            .map(|list| Ok(json!({"result": to_upstash_json(run(&command(list))?, request)})))
            .collect();
    }
    assert_eq!(request.path, "/multi-exec");
    run(&["MULTI".to_owned()])?;
    for list in request.body.as_array().unwrap() {
        run(&command(list))?;
    }
    let RedisReply::List(replies) = run(&["EXEC".to_owned()])? else { panic!("no replies") };
    Ok(replies.into_iter().map(|reply| json!({"result": to_upstash_json(reply, request)})).collect())
}

/// A reply as JSON. Upstash's own client asks for texts in base64.
fn to_upstash_json(reply: RedisReply, request: &RecordedRequest) -> Value {
    match reply {
        RedisReply::Word(text) => json!(text),
        RedisReply::Number(number) => json!(number),
        RedisReply::Bytes(bytes) if request.header("upstash-encoding") == Some("base64") => {
            json!(STANDARD.encode(bytes))
        }
        RedisReply::Bytes(bytes) => json!(String::from_utf8(bytes).unwrap()),
        RedisReply::List(list) => list.into_iter().map(|reply| to_upstash_json(reply, request)).collect(),
        RedisReply::Nothing => Value::Null,
        RedisReply::Refusal(said) => json!({ "error": said }),
    }
}

fn canvas(house: &RedisFixture, base: &str, token: &str, inputs: &Value) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &house.server, &house.talks.base_url(), json!({}));
    let mut inputs = inputs.clone();
    inputs["baseURL"] = json!(base);
    let memory = drawing.card("upstashRedisBackedChatMemory", inputs);
    let fields = json!({"upstashRestToken": token});
    drawing.credential(&memory, &new_credential(&house.server, "upstashRedisMemoryApi", &fields));
    let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    drawing.text()
}

#[test]
fn a_conversation_of_upstash_and_one_of_its_redis_are_the_same() {
    let Some(house) = RedisFixture::open() else { return };
    let (door, key) = (start_http_proxy(&house), fresh());
    let over_http = house.server.flow(&canvas(
        &house,
        &door.base_url(),
        SECRET,
        &json!({"sessionId": key, "sessionTTL": "100"}),
    ));
    let direct = house.flow(json!({ "sessionId": key }));
    begin(&house.server, &over_http, "I am \"Ada\".\u{1F4E6}");
    let RedisReply::Number(seconds) = house.run(&["TTL", &key]) else { panic!("no number") };
    assert!((1..=100).contains(&seconds), "{seconds}");
    begin(&house.server, &direct, "I like tea.");
    begin(&house.server, &over_http, "Who am I?");
    assert_eq!(house.messages_sent(), ["I am \"Ada\".\u{1F4E6}", "Yes.", "I like tea.", "Yes.", "Who am I?"]);
    let entries = house.entries(&key);
    let kinds: Vec<Value> =
        entries.iter().map(|entry| serde_json::from_str::<Value>(entry).unwrap()["type"].clone()).collect();
    assert_eq!(kinds, ["ai", "human", "ai", "human", "ai", "human"], "newest first");
}

#[test]
fn a_conversation_that_is_deleted_is_forgotten_at_upstash_too() {
    let Some(house) = RedisFixture::open() else { return };
    let door = start_http_proxy(&house);
    let flow = house.server.flow(&canvas(&house, &door.base_url(), SECRET, &json!({})));
    let first = begin(&house.server, &flow, "I am Ada.");
    continue_conversation(&house.server, &flow, &first, "Who am I?").is(200);
    assert_eq!(house.entries(chat(&first)).len(), 4);
    let path = format!("/chatmessage/{flow}?chatId={}", chat(&first));
    house.server.owner("DELETE", &path).send().is(200);
    assert!(house.entries(chat(&first)).is_empty() && house.server.messages(&flow).is_empty());
}

#[test]
fn what_upstash_refuses_is_told_without_its_words() {
    let Some(house) = RedisFixture::open() else { return };
    let (door, key) = (start_http_proxy(&house), fresh());
    house.run(&["SET", &key, "theirs"]);
    let ask = |base: &str, token: &str, inputs: &Value| {
        let flow = house.server.flow(&canvas(&house, base, token, inputs));
        house.server.ask(&flow, &json!({"question": "Hi"})).is_error(500)
    };
    let told = ask(&door.base_url(), SECRET, &json!({ "sessionId": key }));
    assert!(told.starts_with("Upstash Redis-Backed Chat Memory: another program keeps"), "{told}");
    assert!(!told.contains("WRONGTYPE") && !told.contains(&key), "{told}");
    assert_eq!(house.run(&["GET", &key]), RedisReply::Bytes(b"theirs".to_vec()));
    let wrong = "not-the-token-at-all";
    let told = ask(&door.base_url(), wrong, &json!({}));
    assert!(told.contains("refused the API key") && !told.contains(wrong), "{told}");
    for (behaviour, says) in [
        (Behaviour::status(200, "<html>"), "could not be read"),
        (Behaviour::status(200, r#"{"result":{}}"#), "no reply of Redis"),
        (
            Behaviour::status(400, r#"{"error":"ERR max daily request limit exceeded"}"#),
            "refused to do this; see the log",
        ),
    ] {
        door.set_decision(move |_| behaviour.clone());
        let told = ask(&door.base_url(), SECRET, &json!({}));
        assert!(told.contains(says), "{told}");
    }
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let told = ask(&format!("http://{nobody}"), SECRET, &json!({}));
    assert!(told.contains("no connection") && !told.contains(SECRET), "{told}");
    assert_eq!(house.talks.served_count(), 0, "nobody asked a model for nothing");
}

/// An LLM Chain, which sends the question alone, in front of a model with the cache.
fn cached_canvas(house: &RedisFixture, base: &str) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &house.server, &house.talks.base_url(), json!({}));
    let cache = drawing.card("upstashRedisCache", json!({}));
    let fields = json!({"upstashConnectionUrl": base, "upstashConnectionToken": SECRET});
    drawing.credential(&cache, &new_credential(&house.server, "upstashRedisApi", &fields));
    let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&cache, &model, "cache");
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.text()
}

#[test]
fn a_reply_that_is_kept_at_upstash_answers_again() {
    let Some(house) = RedisFixture::open() else { return };
    let (door, question) = (start_http_proxy(&house), fresh());
    let flow = house.server.flow(&cached_canvas(&house, &door.base_url()));
    for _ in 0..2 {
        assert_eq!(begin(&house.server, &flow, &question)["text"], "Yes.");
    }
    assert_eq!(house.talks.served_count(), 1);
    let sent: Vec<Value> = door.requests().iter().map(|request| request.body[0].clone()).collect();
    assert_eq!(sent, ["MGET", "SET", "MGET"]);
    door.set_decision(|_| Behaviour::status(500, r#"{"error":"it is down"}"#));
    assert_eq!(begin(&house.server, &flow, &question)["text"], "Yes.");
    assert_eq!(house.talks.served_count(), 2, "without the cache the model answers");
}

#[test]
fn upstashs_own_client_reads_what_the_card_wrote_and_is_read_by_it() {
    let (Some(house), Some(packages)) = (RedisFixture::open(), client_folder()) else { return };
    let (door, key) = (start_http_proxy(&house), fresh());
    let flow = house.server.flow(&canvas(&house, &door.base_url(), SECRET, &json!({ "sessionId": key })));
    begin(&house.server, &flow, "I am \"Ada\".\u{1F4E6}");
    let entry =
        json!({"type": "human", "data": {"content": "Grüße 👋", "additional_kwargs": {}}}).to_string();
    let about =
        json!({"url": door.base_url(), "token": SECRET, "key": key, "entry": entry, "scratch": fresh()});
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/upstash.mjs");
    let ended = Command::new("node").arg(program).arg(packages).arg(about.to_string()).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let read: Vec<String> = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(read.len(), 2);
    assert_eq!(house.entries(&key)[1..], read);
    begin(&house.server, &flow, "Who am I?");
    assert_eq!(house.messages_sent(), ["I am \"Ada\".\u{1F4E6}", "Yes.", "Grüße 👋", "Who am I?"]);
}
