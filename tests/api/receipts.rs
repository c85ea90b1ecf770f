//! Every answer of Live names the version that gave it, and a version tells what it answered (manual 6.11).

use crate::support::canvases::{ProviderFormat, scripted_flow_with};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Answer, Server};
use serde_json::{Value, json};
use std::io::ErrorKind;

const HEADER: &str = "x-flow-version";

fn canvas(word: &str) -> String {
    scripted_flow_with(json!({ "fallback": word }))
}

/// The versions of a flow, the newest first.
fn versions(server: &Server, flow: &str) -> Vec<String> {
    let listed = server.read(&format!("/flow-versions/{flow}"));
    let shas = listed["versions"].as_array().unwrap().iter();
    shas.map(|version| version["sha"].as_str().unwrap().to_owned()).collect()
}

fn ask(server: &Server, flow: &str) -> Answer {
    server.ask(flow, &json!({"question": "Hi"})).is(200)
}

fn stream(server: &Server, flow: &str) -> Answer {
    server.ask(flow, &json!({"question": "Hi", "streaming": true})).is(200)
}

fn test(server: &Server, flow: &str, body: &Value) -> Answer {
    server.owner("POST", &format!("/internal-prediction/{flow}")).json(body).send()
}

fn named(answer: &Answer) -> Option<&str> {
    answer.header(HEADER)
}

fn save_draft(server: &Server, flow: &str, word: &str) {
    server.put(&format!("/flow-drafts/{flow}/settings"), &json!({"publishInstantly": false}));
    server.put(&format!("/flow-drafts/{flow}"), &json!({ "flowData": canvas(word) }));
}

fn answers(server: &Server, flow: &str, sha: &str, query: &str) -> Value {
    server.read(&format!("/flow-versions/{flow}/{sha}/answers{query}"))
}

fn rate(server: &Server, flow: &str, told: &Value, rating: &str) {
    let body = json!({
        "chatflowid": flow, "chatId": told["chatId"], "messageId": told["chatMessageId"], "rating": rating,
        "sessionToken": told["sessionToken"],
    });
    server.call("POST", &format!("/feedback/{flow}")).json(&body).send().is(200);
}

#[test]
fn a_whole_answer_a_stream_and_a_message_name_the_version_of_live() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let version = versions(&server, &flow)[0].clone();
    let whole = ask(&server, &flow);
    assert_eq!(named(&whole), Some(version.as_str()));
    assert_eq!((whole.json().get("flowVersion"), whole.json().get("version")), (None, None));
    let streamed = stream(&server, &flow);
    assert_eq!(named(&streamed), Some(version.as_str()));
    assert_eq!(streamed.event("metadata")["flowVersion"], version[..7]);
    let messages = server.messages(&flow);
    assert_eq!(messages[0].get("flowVersion"), None, "a question is nobody's");
    assert_eq!(messages[1]["flowVersion"], version[..7]);
}

#[test]
fn a_run_that_fails_names_the_version_that_failed() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({})));
    provider.set_decision(|_| Behaviour::status(418, "{}"));
    let version = versions(&server, &flow)[0].clone();
    let failed = server.ask(&flow, &json!({"question": "Hi"}));
    failed.is_error(500);
    assert_eq!(named(&failed), Some(version.as_str()));
    assert_eq!(failed.header("x-service-session-token"), None);
    let streamed = stream(&server, &flow);
    assert_eq!(named(&streamed), Some(version.as_str()));
    assert_eq!(streamed.event_names().last().unwrap(), "end");
    let told = answers(&server, &flow, &version, "");
    assert_eq!((&told["answers"], &told["errors"], &told["medianMs"]), (&json!(0), &json!(2), &Value::Null));
    assert_eq!((&told["pages"], &told["messages"]), (&json!(0), &json!([])));
}

#[test]
fn what_is_refused_before_a_run_names_no_version() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let refused = server.ask(&flow, &json!({}));
    refused.is_error(400);
    assert_eq!(named(&refused), None);
}

#[test]
fn a_page_of_another_site_may_read_the_version() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let call = server.call("POST", &format!("/prediction/{flow}")).header("Origin", "https://shop.example");
    let answer = call.json(&json!({"question": "Hi"})).send().is(200);
    assert!(answer.header("access-control-expose-headers").unwrap().contains(HEADER));
    assert!(named(&answer).is_some());
}

#[test]
fn settings_alone_are_the_same_version_and_a_name_is_another() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let first = named(&ask(&server, &flow)).unwrap().to_owned();
    server.put(
        &format!("/chatflows/{flow}"),
        &json!({"chatbotConfig": json!({"welcomeMessage": "Hello"}).to_string()}),
    );
    let listed = versions(&server, &flow);
    assert_eq!((listed.len(), &listed[1]), (2, &first));
    assert_eq!(named(&ask(&server, &flow)), Some(first.as_str()));
    assert_eq!(answers(&server, &flow, &first, "")["answers"], 2);
    assert_eq!(answers(&server, &flow, &listed[0], "")["answers"], 0, "it answers nothing of its own");
    server.put(&format!("/chatflows/{flow}"), &json!({"name": "Another"}));
    assert_eq!(named(&ask(&server, &flow)), Some(versions(&server, &flow)[0].as_str()));
}

#[test]
fn after_a_roll_back_it_is_the_roll_backs_own_version() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    server.put(&format!("/chatflows/{flow}"), &json!({ "flowData": canvas("two") }));
    let oldest = versions(&server, &flow)[1].clone();
    let path = format!("/flow-drafts/{flow}/rollback");
    server.owner("POST", &path).json(&json!({ "sha": oldest })).send().is(200);
    let answer = ask(&server, &flow);
    assert_eq!(answer.json()["text"], "one");
    let listed = versions(&server, &flow);
    assert_eq!((listed.len(), named(&answer)), (3, Some(listed[0].as_str())));
    assert_eq!(answers(&server, &flow, &oldest, "")["answers"], 0);
}

#[test]
fn the_test_chat_names_live_where_it_answers_and_counts_for_no_version() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let version = versions(&server, &flow)[0].clone();
    let live = test(&server, &flow, &json!({"question": "Hi", "source": "live"})).is(200);
    let dated = server.read(&format!("/flow-versions/{flow}"))["versions"][0]["date"].clone();
    assert_eq!(live.json()["version"], json!({"sha": version, "date": dated}));
    assert_eq!(named(&live), Some(version.as_str()));
    let usual = test(&server, &flow, &json!({"question": "Hi"})).is(200);
    assert_eq!((usual.json().get("version"), named(&usual)), (None, Some(version.as_str())));
    save_draft(&server, &flow, "draft");
    for streaming in [false, true] {
        let drafted = test(&server, &flow, &json!({"question": "Hi", "streaming": streaming})).is(200);
        assert_eq!(named(&drafted), None);
        assert!(!drafted.text().contains("flowVersion"), "{}", drafted.text());
    }
    assert_eq!(answers(&server, &flow, &version, "")["answers"], 0);
    let messages = server.read(&format!("/internal-chatmessage/{flow}"));
    let told: Vec<_> = messages.as_array().unwrap().iter().map(|said| said.get("flowVersion")).collect();
    let short = json!(version[..7]);
    assert_eq!(told[..4], [None, Some(&short), None, Some(&short)]);
    assert!(told[4..].iter().all(Option::is_none));
}

#[test]
fn without_a_history_no_version_is_named() {
    let server = Server::with(&[("SERVICE_VERSIONS", "false")]);
    let flow = server.flow(&canvas("one"));
    assert_eq!(named(&ask(&server, &flow)), None);
    assert_eq!(stream(&server, &flow).event("metadata").get("flowVersion"), None);
    assert_eq!(server.messages(&flow)[1].get("flowVersion"), None);
    server.owner("GET", &format!("/flow-versions/{flow}/0123456/answers")).send().is_error(404);
}

#[test]
fn a_time_without_history_is_made_up_for_where_live_stayed_the_same() {
    let server = Server::start();
    let (same, changed) = (server.flow(&canvas("one")), server.flow(&canvas("one")));
    let version = versions(&server, &same)[0].clone();
    let server = server.restart_with(&[("SERVICE_VERSIONS", "false")]);
    assert_eq!(named(&ask(&server, &same)), None);
    server.put(&format!("/chatflows/{changed}"), &json!({ "flowData": canvas("two") }));
    let server = server.restart_with(&[]);
    assert_eq!(named(&ask(&server, &same)), Some(version.as_str()));
    assert_eq!(named(&ask(&server, &changed)), None);
}

#[test]
fn an_answer_finds_its_version_when_that_is_recorded_later() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let faults = || server.app.history.faults();
    faults().fail_at(0, ErrorKind::StorageFull);
    server.put(&format!("/chatflows/{flow}"), &json!({ "flowData": canvas("two") }));
    faults().clear();
    assert_eq!(versions(&server, &flow).len(), 1, "the change is not recorded");
    let answer = ask(&server, &flow);
    assert_eq!((answer.json()["text"].as_str(), named(&answer)), (Some("two"), None));
    assert_eq!(server.messages(&flow)[1].get("flowVersion"), None);
    server.put(
        &format!("/chatflows/{flow}"),
        &json!({"chatbotConfig": json!({"welcomeMessage": "Hello"}).to_string()}),
    );
    let version = versions(&server, &flow)[0].clone();
    assert_eq!(server.messages(&flow)[1]["flowVersion"], version[..7]);
    assert_eq!(named(&ask(&server, &flow)), Some(version.as_str()));
    assert_eq!(answers(&server, &flow, &version, "")["answers"], 2);
}

#[test]
fn a_version_tells_what_it_answered_and_how_that_was_rated() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let version = versions(&server, &flow)[0].clone();
    let told: Vec<Value> = (0..22).map(|_| ask(&server, &flow).json()).collect();
    rate(&server, &flow, &told[0], "THUMBS_UP");
    rate(&server, &flow, &told[21], "THUMBS_UP");
    rate(&server, &flow, &told[21], "THUMBS_DOWN");
    let first = answers(&server, &flow, &version[..7], "");
    let head = ["sha", "answers", "errors", "ratings", "page", "pages"].map(|field| first[field].clone());
    assert_eq!(head, [json!(version), json!(22), json!(0), json!({"up": 1, "down": 1}), json!(1), json!(2)]);
    assert!(first["medianMs"].is_u64(), "{first}");
    let rows = first["messages"].as_array().unwrap();
    assert_eq!(
        (rows.len(), &rows[0]["id"], &rows[0]["chatId"]),
        (20, &told[21]["chatMessageId"], &told[21]["chatId"])
    );
    let said = ["question", "text", "rating"].map(|field| rows[0][field].clone());
    assert_eq!(said, [json!("Hi"), json!("one"), json!("THUMBS_DOWN")]);
    assert!(rows[0]["ms"].is_u64() && rows[0]["date"].is_string() && rows[1]["rating"].is_null());
    let second = answers(&server, &flow, &version, "?page=2");
    assert_eq!((&second["page"], second["messages"].as_array().unwrap().len()), (&json!(2), 2));
    assert_eq!(
        (&second["messages"][1]["id"], &second["messages"][1]["rating"]),
        (&told[0]["chatMessageId"], &json!("THUMBS_UP"))
    );
    assert_eq!(answers(&server, &flow, &version, "?page=3")["messages"], json!([]));
    let path = format!("/flow-versions/{flow}/{version}/answers?page=x");
    server.owner("GET", &path).send().is_error(400);
}

#[test]
fn what_is_deleted_is_counted_no_more() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let version = versions(&server, &flow)[0].clone();
    let (gone, stays) = (ask(&server, &flow).json(), ask(&server, &flow).json());
    for told in [&gone, &stays] {
        rate(&server, &flow, told, "THUMBS_UP");
    }
    let path = format!("/chatmessage/{flow}?chatId={}", gone["chatId"].as_str().unwrap());
    server.owner("DELETE", &path).send().is(200);
    let left = answers(&server, &flow, &version, "");
    assert_eq!((&left["answers"], &left["ratings"]), (&json!(1), &json!({"up": 1, "down": 0})));
    assert_eq!(left["messages"][0]["id"], stays["chatMessageId"]);
    server.owner("DELETE", &format!("/chatmessage/{flow}")).send().is(200);
    assert_eq!(answers(&server, &flow, &version, "")["answers"], 0);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    server.owner("GET", &format!("/flow-versions/{flow}/{version}/answers")).send().is_error(404);
}

#[test]
fn failures_go_with_all_that_was_said_in_their_flow() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({})));
    provider.set_decision(|_| Behaviour::status(418, "{}"));
    let version = versions(&server, &flow)[0].clone();
    server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    test(&server, &flow, &json!({"question": "Hi"})).is_error(500);
    assert_eq!(answers(&server, &flow, &version, "")["errors"], 1, "the test chat is left out");
    server.owner("DELETE", &format!("/chatmessage/{flow}")).send().is(200);
    assert_eq!(answers(&server, &flow, &version, "")["errors"], 0);
}

#[test]
fn the_answers_of_a_version_are_for_those_who_may_see_the_flow() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let version = versions(&server, &flow)[0].clone();
    ask(&server, &flow);
    let path = format!("/flow-versions/{flow}/{version}/answers");
    let key = |permission: &str| server.key(&[permission])["apiKey"].as_str().unwrap().to_owned();
    let seen = server.call("GET", &path).bearer(&key("chatflows:view")).send().is(200).json();
    assert_eq!(seen["answers"], 1);
    for other in ["agentflows:view", "chatflows:update"] {
        server.call("GET", &path).bearer(&key(other)).send().is_error(403);
    }
    server.call("GET", &path).send().is_error(401);
    server.owner("GET", &format!("/flow-versions/{flow}/fffffff/answers")).send().is_error(404);
    server.owner("GET", &format!("/flow-versions/{flow}/HEAD/answers")).send().is_error(400);
}

#[test]
fn what_was_counted_is_counted_after_a_restart() {
    let server = Server::start();
    let flow = server.flow(&canvas("one"));
    let version = versions(&server, &flow)[0].clone();
    ask(&server, &flow);
    let server = server.restart();
    let answer = ask(&server, &flow);
    assert_eq!(named(&answer), Some(version.as_str()));
    assert_eq!(answers(&server, &flow, &version, "")["answers"], 2);
}
