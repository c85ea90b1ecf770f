//! Stopping an answer that is under way (manual 2.9 r2).

use crate::support::canvases::ProviderFormat;
use crate::support::client::Stream;
use crate::support::provider::{Behaviour, Provider, Reply};
use crate::support::{Answer, Server};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(10);

struct SlowConversation {
    server: Server,
    provider: Provider,
    flow: String,
}

fn talk() -> SlowConversation {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({})));
    let text = "one two three four five six seven eight nine ten ".repeat(4);
    provider.set_decision(move |_| {
        Behaviour::Reply(Reply { token_delay: Duration::from_millis(100), ..Reply::text(&text) })
    });
    SlowConversation { server, provider, flow }
}

impl SlowConversation {
    /// A stream in the middle of its answer, and its cookie.
    fn start_answer(&self) -> (Stream, String) {
        let body = json!({"question": "Tell me all", "streaming": true, "chatId": "invented"});
        let mut stream = self.server.call("POST", &format!("/prediction/{}", self.flow)).json(&body).open();
        stream.read_until("three");
        let cookie = stream.answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        (stream, cookie)
    }

    fn abort(
        &self,
        chat: &str,
        dress: impl FnOnce(crate::support::client::Call) -> crate::support::client::Call,
    ) -> Answer {
        dress(self.server.call("PUT", &format!("/chatmessage/abort/{}/{chat}", self.flow))).send().is(200)
    }
}

fn chat_id_of(cookie: &str) -> String {
    cookie.strip_prefix("service_session=").unwrap().split('.').next().unwrap().to_owned()
}

/// The stream ends as an aborted one, and the messages so far are stored.
fn is_aborted(talk: &SlowConversation, stream: Stream, chat: &str) {
    let said = stream.finish().text();
    let events: Vec<&str> = said.rsplit("data:").collect();
    assert!(events[0].contains("\"end\""), "{said}");
    assert!(events[1].contains("\"abort\"") && events[1].contains("[DONE]"), "{said}");
    assert!(events[2].contains("\"metadata\"") && events[2].contains(chat), "{said}");
    let kept = talk.server.messages(&talk.flow);
    assert_eq!((&kept[1]["stopped"], &kept[1]["chatId"]), (&json!(true), &json!(chat)));
    assert!(kept[1]["content"].as_str().unwrap().starts_with("one two three"));
}

#[test]
fn who_proves_a_conversation_stops_its_answer() {
    let talk = talk();
    let (stream, cookie) = talk.start_answer();
    let chat = chat_id_of(&cookie);
    let before = talk.provider.disconnects();
    talk.abort(&chat, |call| call.header("Cookie", &cookie));
    is_aborted(&talk, stream, &chat);
    assert!(talk.provider.wait_until(SOON, |provider| provider.disconnects() > before));
}

#[test]
fn stopped_answers_choose_messages_and_conversations() {
    let talk = talk();
    let (stream, cookie) = talk.start_answer();
    let chat = chat_id_of(&cookie);
    talk.abort(&chat, |call| call.header("Cookie", &cookie));
    is_aborted(&talk, stream, &chat);
    talk.server.ask(&talk.flow, &json!({"question": "And whole?"})).is(200);
    let found = talk.server.read("/conversations?stopped=true");
    let chats: Vec<&Value> = found["data"].as_array().unwrap().iter().map(|row| &row["chatId"]).collect();
    assert_eq!(chats, [&json!(chat)]);
    let kept = talk.server.read(&format!("/chatmessage/{}?stopped=true", talk.flow));
    assert_eq!((kept.as_array().unwrap().len(), &kept[0]["stopped"]), (1, &json!(true)));
    assert_eq!(talk.server.read("/conversations?stopped=false")["data"].as_array().unwrap().len(), 2);
    talk.server.owner("GET", "/conversations?stopped=perhaps").send().is_error(400);
}

#[test]
fn a_widget_that_knows_only_its_own_id_stops_the_conversation_of_its_cookie() {
    let talk = talk();
    let (stream, cookie) = talk.start_answer();
    talk.abort("invented", |call| call.header("Cookie", &cookie));
    is_aborted(&talk, stream, &chat_id_of(&cookie));
}

#[test]
fn people_and_keys_that_may_see_the_flow_stop_its_answers() {
    let talk = talk();
    let session = talk.server.sign_in();
    let (stream, cookie) = talk.start_answer();
    talk.abort(&chat_id_of(&cookie), |call| call.header("Cookie", &session));
    is_aborted(&talk, stream, &chat_id_of(&cookie));
}

#[test]
fn without_a_proof_nothing_stops() {
    let talk = talk();
    let (mut stream, cookie) = talk.start_answer();
    let (other, second) = talk.start_answer();
    let chat = chat_id_of(&cookie);
    talk.abort(&chat, |call| call);
    talk.abort(&chat, |call| call.header("x-service-session-token", "wrong"));
    let key = talk.server.key(&["tools:view"])["apiKey"].as_str().unwrap().to_owned();
    talk.abort(&chat, |call| call.bearer(&key));
    // The other visitor's cookie stops that visitor's answer, and no other.
    talk.abort("invented", |call| call.header("Cookie", &second));
    assert!(other.finish().text().contains("\"abort\""));
    stream.read_until("ten");
    talk.server.call("PUT", "/chatmessage/abort/unknown/x").send().is_error(404);
}

#[test]
fn a_whole_answer_that_is_stopped_is_told_so() {
    let talk = talk();
    let first = talk.server.post(&format!("/internal-prediction/{}", talk.flow), &json!({"question": "Hi"}));
    let chat = first["chatId"].as_str().unwrap().to_owned();
    let session = talk.server.sign_in();
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let body = json!({"question": "And?", "chatId": chat});
            talk.server.owner("POST", &format!("/internal-prediction/{}", talk.flow)).json(&body).send()
        });
        let end = Instant::now() + SOON;
        while !asking.is_finished() && Instant::now() < end {
            talk.abort(&chat, |call| call.header("Cookie", &session));
            std::thread::sleep(Duration::from_millis(300));
        }
        asking.join().unwrap()
    });
    assert!(answer.is_error(409).contains("stopped"), "{answer:?}");
    let kept: Vec<Value> = talk.server.messages(&talk.flow);
    assert!(kept.len() == 2 || kept[3]["stopped"] == true);
}

#[test]
fn deleting_a_flow_ends_its_answers() {
    let talk = talk();
    let (stream, _) = talk.start_answer();
    let (whole, _) = talk.start_answer();
    let before = talk.provider.disconnects();
    talk.server.owner("DELETE", &format!("/chatflows/{}", talk.flow)).send().is(200);
    for stream in [stream, whole] {
        let said = stream.finish().text();
        assert!(!said.contains("ten one two three four five six seven eight nine ten one"), "{said}");
        assert!(said.contains("\"end\""), "{said}");
    }
    assert!(talk.provider.wait_until(SOON, |provider| provider.disconnects() >= before + 2));
    talk.server.ask(&talk.flow, &json!({"question": "Hi"})).is_error(404);
}
