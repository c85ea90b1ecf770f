//! Conversations as a page lists them: page by page, by rating, counted, and removed in bounded steps (manual 3.5).

use crate::support::Server;
use crate::support::canvases::scripted_flow;
use serde_json::{Value, json};

fn contents(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap().to_owned()).collect()
}

/// Three conversations, the first of which went on last; what their askers were told.
fn start_conversations(server: &Server) -> (String, Vec<Value>) {
    let flow = server.flow(&scripted_flow());
    let mut told: Vec<Value> = ["One", "Two", "Three"]
        .iter()
        .map(|text| server.ask(&flow, &json!({"question": text, "leadEmail": "a@b.c"})).is(200).json())
        .collect();
    let more =
        json!({"question": "Four", "chatId": told[0]["chatId"], "sessionToken": told[0]["sessionToken"]});
    told.push(server.ask(&flow, &more).is(200).json());
    (flow, told)
}

fn rate(server: &Server, flow: &str, told: &Value, rating: &str) {
    let body = json!({"chatId": told["chatId"], "messageId": told["chatMessageId"], "rating": rating});
    server.call("POST", &format!("/feedback/{flow}")).json(&body).send().is(200);
}

#[test]
fn a_page_holds_whole_conversations_the_one_that_went_on_last_first() {
    let server = Server::start();
    let (flow, _) = start_conversations(&server);
    let page = |query: &str| contents(&server.read(&format!("/chatmessage/{flow}?{query}")));
    assert_eq!(page("page=1&limit=1"), ["One", "You said: One", "Four", "You said: Four"]);
    assert_eq!(page("page=1&limit=2&order=DESC")[..3], ["You said: Four", "Four", "You said: Three"]);
    assert_eq!(page("page=3&limit=1&feedback=true"), ["Two", "You said: Two"]);
    assert_eq!(page("page=4&limit=1"), [""; 0]);
}

#[test]
fn conversations_are_listed_a_row_for_each() {
    let server = Server::start();
    let (flow, told) = start_conversations(&server);
    rate(&server, &flow, &told[3], "THUMBS_UP");
    let listed = server.read(&format!("/conversations/{flow}?page=1&limit=2"));
    assert_eq!((&listed["total"], listed["data"].as_array().unwrap().len()), (&json!(3), 2));
    let row = &listed["data"][0];
    assert_eq!((&row["chatId"], &row["firstQuestion"]), (&told[0]["chatId"], &json!("One")));
    assert_eq!((&row["messages"], &row["positiveFeedback"]), (&json!(4), &json!(1)));
    assert_eq!((&row["chatType"], &row["leadEmail"]), (&json!("EXTERNAL"), &json!("a@b.c")));
    assert!(row["createdDate"].as_str().unwrap() < row["updatedDate"].as_str().unwrap());
    let second = server.read(&format!("/conversations/{flow}?page=2&limit=2"));
    assert_eq!((&second["total"], second["data"].as_array().unwrap().len()), (&json!(3), 1));
    let none = server.read(&format!("/conversations/{flow}?chatType=INTERNAL"));
    assert_eq!(none, json!({"data": [], "total": 0}));
}

#[test]
fn rated_answers_come_with_the_question_before_each() {
    let server = Server::start();
    let (flow, told) = start_conversations(&server);
    rate(&server, &flow, &told[3], "THUMBS_UP");
    rate(&server, &flow, &told[1], "THUMBS_DOWN");
    let of = |query: &str| contents(&server.read(&format!("/chatmessage/{flow}?{query}")));
    assert_eq!(of("feedbackType=THUMBS_UP"), ["Four", "You said: Four"]);
    assert_eq!(of("feedbackType=THUMBS_DOWN&order=DESC"), ["You said: Two", "Two"]);
    assert_eq!(of("feedbackType=[%22THUMBS_UP%22,%22THUMBS_DOWN%22]&feedback=true").len(), 4);
    assert_eq!(of("feedbackType=THUMBS_UP&chatType=INTERNAL").len(), 0);
    assert_eq!(of("feedbackType=THUMBS_DOWN&page=1&limit=1"), ["Two", "You said: Two"]);
    server.owner("GET", &format!("/chatmessage/{flow}?feedbackType=GREAT")).send().is_error(400);
}

#[test]
fn the_test_chat_is_listed_alone() {
    let server = Server::start();
    let (flow, _) = start_conversations(&server);
    server.post(&format!("/internal-prediction/{flow}"), &json!({"question": "Inside"}));
    let listed = contents(&server.read(&format!("/internal-chatmessage/{flow}")));
    assert_eq!(listed, ["Inside", "You said: Inside"]);
}

#[test]
fn a_flow_is_counted() {
    let server = Server::start();
    let (flow, told) = start_conversations(&server);
    rate(&server, &flow, &told[3], "THUMBS_UP");
    rate(&server, &flow, &told[1], "THUMBS_DOWN");
    let stats = |query: &str| server.read(&format!("/stats/{flow}{query}"));
    let counted = |messages, sessions, feedback, positive| {
        json!({
            "totalMessages": messages, "totalSessions": sessions, "totalFeedback": feedback, "positiveFeedback": positive,
        })
    };
    assert_eq!(stats(""), counted(8, 3, 2, 1));
    assert_eq!(stats("?chatType=EXTERNAL"), counted(8, 3, 2, 1));
    assert_eq!(stats("?chatType=INTERNAL"), counted(0, 0, 0, 0));
    assert_eq!(stats("?feedbackType=THUMBS_UP"), counted(2, 1, 1, 1));
    assert_eq!(stats("?endDate=2001-01-01T00:00:00Z"), counted(0, 0, 0, 0));
}

#[test]
fn a_long_history_is_removed_in_steps() {
    let server = Server::start();
    let (flow, told) = start_conversations(&server);
    let again = |number: usize| {
        json!({
            "question": format!("more {number}"), "chatId": told[0]["chatId"], "sessionToken": told[0]["sessionToken"],
        })
    };
    (0..300).for_each(|number| drop(server.ask(&flow, &again(number)).is(200)));
    rate(&server, &flow, &told[1], "THUMBS_DOWN");
    let delete =
        |query: &str| server.owner("DELETE", &format!("/chatmessage/{flow}{query}")).send().is(200).json();
    assert_eq!(delete("?feedbackType=THUMBS_DOWN")["affected"], 2);
    assert_eq!(delete("?chatType=EXTERNAL")["affected"], 606);
    assert_eq!(server.messages(&flow), [Value::Null; 0]);
}
