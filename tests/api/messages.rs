//! Stored conversations (manual 3.4, 3.5): listed, cut by filters, deleted.

use crate::support::canvases::{prompted_chain, scripted_flow, with_provider};
use crate::support::steps::{START, Steps, llm};
use crate::support::{Server, golden};
use serde_json::{Value, json};

/// A flow with two conversations, the first of two questions, and one of the test chat; the ids of the first two.
fn start_two_conversations(server: &Server) -> (String, Value, Value) {
    let flow = server.flow(&scripted_flow());
    let first = server.ask(&flow, &json!({"question": "One"})).is(200).json();
    let more = json!({"question": "Two", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    server.ask(&flow, &more).is(200);
    let second = server.ask(&flow, &json!({"question": "Three"})).is(200).json();
    server.post(&format!("/internal-prediction/{flow}"), &json!({"question": "Four"}));
    (flow, first, second)
}

fn contents(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap().to_owned()).collect()
}

fn texts(questions: &[&str]) -> Vec<String> {
    questions.iter().flat_map(|text| [(*text).to_owned(), format!("You said: {text}")]).collect()
}

#[test]
fn a_message_has_these_fields() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    server.ask(&flow, &json!({"question": "Hi"})).is(200);
    let mut messages = Value::from(server.messages(&flow));
    for message in messages.as_array_mut().unwrap() {
        // It depends on when the flow was made.
        if let Some(version) = message.get_mut("flowVersion") {
            assert_eq!(version.as_str().map(str::len), Some(7), "{version}");
            *version = "<version>".into();
        }
    }
    golden::check("messages.json", &serde_json::to_string_pretty(&messages).unwrap());
}

#[test]
fn messages_are_listed_oldest_first_unless_asked_otherwise() {
    let server = Server::start();
    let (flow, ..) = start_two_conversations(&server);
    let all = texts(&["One", "Two", "Three", "Four"]);
    assert_eq!(contents(&server.read(&format!("/chatmessage/{flow}"))), all);
    assert_eq!(contents(&server.read(&format!("/chatmessage/{flow}?order=ASC"))), all);
    let newest: Vec<String> = all.into_iter().rev().collect();
    assert_eq!(contents(&server.read(&format!("/chatmessage/{flow}?order=DESC"))), newest);
}

#[test]
fn a_list_can_be_cut_to_a_conversation() {
    let server = Server::start();
    let (flow, first, second) = start_two_conversations(&server);
    let of = |query: String| contents(&server.read(&format!("/chatmessage/{flow}?{query}")));
    let (first, second) = (first["chatId"].as_str().unwrap(), second["chatId"].as_str().unwrap());
    assert_eq!(of(format!("chatId={first}")), texts(&["One", "Two"]));
    assert_eq!(of(format!("chatId={second}")), texts(&["Three"]));
    assert_eq!(of(format!("sessionId={first}")), texts(&["One", "Two"]));
    assert_eq!(of(format!("chatId={first}&chatType=INTERNAL")), Vec::<String>::new());
    assert_eq!(of("chatId=6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e".to_owned()), Vec::<String>::new());
}

#[test]
fn the_session_of_an_answer_finds_its_messages_also_without_a_memory() {
    let server = Server::start();
    let chain = prompted_chain("Say {what}", "{\"what\": \"nothing\"}");
    let steps = Steps::begin().card("llmAgentflow_0", "Model", llm("Yes.")).edge(START, "llmAgentflow_0");
    for flow in [server.flow(&chain), steps.flow(&server)] {
        let answer = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
        server.ask(&flow, &json!({"question": "Other"})).is(200);
        assert_eq!(answer.get("memoryType"), None, "{answer}");
        let session = answer["sessionId"].as_str().unwrap();
        let found = server.read(&format!("/chatmessage/{flow}?sessionId={session}"));
        let sessions: Vec<&str> =
            found.as_array().unwrap().iter().map(|said| said["sessionId"].as_str().unwrap()).collect();
        assert_eq!(sessions, [session, session], "{found}");
    }
}

#[test]
fn a_list_can_be_cut_to_a_door() {
    let server = Server::start();
    let (flow, ..) = start_two_conversations(&server);
    let of = |query: &str| contents(&server.read(&format!("/chatmessage/{flow}?{query}")));
    assert_eq!(of("chatType=INTERNAL"), texts(&["Four"]));
    assert_eq!(of("chatType=EXTERNAL"), texts(&["One", "Two", "Three"]));
    for all in
        ["chatType=EXTERNAL&chatType=INTERNAL", "chatType=[%22EXTERNAL%22,%22INTERNAL%22]", "chatType="]
    {
        assert_eq!(of(all).len(), 8, "{all}");
    }
}

#[test]
fn a_list_can_be_cut_to_a_memory_a_message_and_a_time() {
    let server = Server::start();
    let (flow, first, _) = start_two_conversations(&server);
    let of = |query: String| contents(&server.read(&format!("/chatmessage/{flow}?{query}")));
    assert_eq!(of("memoryType=Buffer%20Memory".to_owned()).len(), 8);
    assert_eq!(of("memoryType=Other".to_owned()).len(), 0);
    let message = first["chatMessageId"].as_str().unwrap();
    assert_eq!(of(format!("messageId={message}")), ["You said: One"]);
    let middle = server.messages(&flow)[4]["createdDate"].as_str().unwrap().to_owned();
    assert_eq!(of(format!("startDate={middle}")), texts(&["Three", "Four"]));
    assert_eq!(of("endDate=2001-01-01T00:00:00Z".to_owned()).len(), 0);
}

#[test]
fn bad_filters_are_refused() {
    let server = Server::start();
    let (flow, ..) = start_two_conversations(&server);
    for bad in [
        "order=UP",
        "chatType=OTHER",
        "chatType=[",
        "chatId=x",
        "messageId=x",
        "startDate=yesterday",
        "page=x&limit=1",
    ] {
        server.owner("GET", &format!("/chatmessage/{flow}?{bad}")).send().is_error(400);
        if !bad.starts_with("order") && !bad.starts_with("page") {
            // A filter that cannot be read must not delete everything.
            server.owner("DELETE", &format!("/chatmessage/{flow}?{bad}")).send().is_error(400);
        }
    }
    assert_eq!(server.messages(&flow).len(), 8);
}

#[test]
fn a_conversation_is_deleted_alone_and_forgotten() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    let first = server.ask(&flow, &json!({"question": "I am Ada"})).is(200).json();
    server.ask(&flow, &json!({"question": "I am Bob"})).is(200);
    let chat = first["chatId"].as_str().unwrap();
    let deleted = server.owner("DELETE", &format!("/chatmessage/{flow}?chatId={chat}")).send().is(200).json();
    assert_eq!(deleted, json!({"raw": [], "affected": 2}));
    assert_eq!(contents(&server.read(&format!("/chatmessage/{flow}"))), ["I am Bob", "You said: I am Bob"]);
    let again = json!({"question": "Who?", "chatId": chat, "sessionToken": first["sessionToken"]});
    server.ask(&flow, &again).is(200);
    assert!(!provider.last_request().body.to_string().contains("Ada"));
}

#[test]
fn messages_that_fit_a_filter_are_deleted() {
    let server = Server::start();
    let (flow, ..) = start_two_conversations(&server);
    let delete =
        |query: &str| server.owner("DELETE", &format!("/chatmessage/{flow}{query}")).send().is(200).json();
    assert_eq!(delete("?chatType=INTERNAL")["affected"], 2);
    assert_eq!(delete("?chatType=INTERNAL")["affected"], 0);
    assert_eq!(delete("")["affected"], 6);
    assert_eq!(server.messages(&flow), [Value::Null; 0]);
}

#[test]
fn one_flow_does_not_see_the_messages_of_another() {
    let server = Server::start();
    let (flow, ..) = start_two_conversations(&server);
    let other = server.flow(&scripted_flow());
    assert_eq!(server.messages(&other), [Value::Null; 0]);
    assert_eq!(server.owner("DELETE", &format!("/chatmessage/{other}")).send().json()["affected"], 0);
    assert_eq!(server.messages(&flow).len(), 8);
}

#[test]
fn every_door_of_the_family_is_known_and_those_not_here_match_nothing() {
    let server = Server::start();
    let (flow, ..) = start_two_conversations(&server);
    let of = |query: &str| contents(&server.read(&format!("/chatmessage/{flow}?{query}")));
    for none in ["EVALUATION", "MCP", "SCHEDULED", "WEBHOOK"] {
        assert_eq!(of(&format!("chatType={none}")), Vec::<String>::new());
        assert_eq!(of(&format!("chatType={none}&chatType=INTERNAL")), texts(&["Four"]));
        assert_eq!(of(&format!("chatType=[%22{none}%22,%22EXTERNAL%22]")), texts(&["One", "Two", "Three"]));
        let deleted = server.owner("DELETE", &format!("/chatmessage/{flow}?chatType={none}")).send();
        assert_eq!(deleted.is(200).json()["affected"], 0);
    }
    assert_eq!(of("").len(), 8);
}

#[test]
fn a_date_needs_neither_a_time_nor_a_zone() {
    let server = Server::start();
    let (flow, ..) = start_two_conversations(&server);
    let of = |query: String| server.read(&format!("/chatmessage/{flow}?{query}")).as_array().unwrap().len();
    for (from, until) in [
        ("2001-01-01", "9000-01-01"),
        ("2001-01-01T10:00", "9000-01-01T10:00:00.5"),
        ("2001-01-01T10:00:00Z", "9000-01-01T10:00:00%2B02:00"),
    ] {
        assert_eq!(of(format!("startDate={from}&endDate={until}")), 8, "{from}");
        assert_eq!(of(format!("endDate={from}")), 0, "{from}");
        assert_eq!(of(format!("startDate={until}")), 0, "{until}");
    }
    let now = server.messages(&flow)[4]["createdDate"].as_str().unwrap().trim_end_matches('Z').to_owned();
    assert_eq!(of(format!("startDate={now}")), 4, "without a zone it is in UTC");
    for bad in ["2001-13-01", "01.02.2001", "2001-01-01T25:00"] {
        server.owner("GET", &format!("/chatmessage/{flow}?startDate={bad}")).send().is_error(400);
    }
}
