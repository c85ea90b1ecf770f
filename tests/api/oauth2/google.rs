//! Every action of the tools over Google's services: what goes out for it, to the letter of Google's own description.

use super::runs::call_tool;
use super::service::OAuthFixture;
use crate::support::internet::{SeenRequest, StandInAnswer};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// An action: how its card is set, what the model gives, and the request that follows.
#[derive(Deserialize)]
pub struct Case {
    pub action: String,
    pub card: Value,
    pub given: Value,
    pub method: String,
    /// Path and query below the address of the service.
    pub path: String,
    /// As JSON; null where nothing is sent. A mail stands in clear.
    pub body: Value,
}

/// The rows of a file of cases.
pub fn cases(text: &str) -> Vec<Case> {
    serde_json::from_str(text).unwrap()
}

/// Holds the one request that was sent against its case.
#[track_caller]
pub fn holds(case: &Case, base: &str, proof: &str, seen: &[SeenRequest], read: &str) {
    assert_eq!(seen.len(), 1, "{}: {read}", case.action);
    let seen = &seen[0];
    let address = format!("{base}{}", case.path);
    assert_eq!((&seen.method, &seen.address), (&case.method, &address), "{}", case.action);
    let mut body = seen.json();
    for at in ["/raw", "/message/raw"] {
        if let Some(raw) = body.pointer_mut(at) {
            *raw = mail(raw).into();
        }
    }
    assert_eq!(body, case.body, "{}", case.action);
    assert_eq!(seen.header("authorization"), Some(proof), "{}", case.action);
    assert_eq!(seen.header("accept"), Some("application/json"), "{}", case.action);
    let typed = (!case.body.is_null()).then_some("application/json");
    assert_eq!(seen.header("content-type"), typed, "{}", case.action);
}

/// How a card is set to do something: the kind of actions where there are kinds, and the list that holds it.
pub fn action_inputs(house: &OAuthFixture, card: &str, action: &str) -> Map<String, Value> {
    let definition = house.server.read(&format!("/nodes/{card}"));
    let inputs = definition["inputs"].as_array().unwrap();
    let holds = |input: &&Value| {
        let options = input["options"].as_array().filter(|_| input["type"] == "multiOptions");
        options.is_some_and(|options| options.iter().any(|option| option["name"] == action))
    };
    let list = inputs.iter().find(holds).unwrap();
    let mut set = list["show"].as_object().cloned().unwrap_or_default();
    set.insert(list["name"].as_str().unwrap().to_owned(), json!([action]).to_string().into());
    set
}

/// All actions that the card offers.
pub fn actions(house: &OAuthFixture, card: &str) -> BTreeSet<String> {
    let definition = house.server.read(&format!("/nodes/{card}"));
    let lists =
        definition["inputs"].as_array().unwrap().iter().filter(|input| input["type"] == "multiOptions");
    let options = lists.flat_map(|list| list["options"].as_array().unwrap());
    options.map(|option| option["name"].as_str().unwrap().to_owned()).collect()
}

/// The name by which models know an action.
pub fn tool(action: &str) -> String {
    let mut name = String::new();
    for letter in action.chars() {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Tries every case, and that no action of the card is without one.
fn run_cases(credential: &str, card: &str, base: &str, text: &str) {
    let house = OAuthFixture::open_signed_in(credential);
    let mut tried = BTreeSet::new();
    for case in cases(text) {
        let mut inputs = action_inputs(&house, card, &case.action);
        inputs.extend(case.card.as_object().cloned().unwrap());
        house.internet.forget();
        let (_, read) = call_tool(&house, card, inputs.into(), &tool(&case.action), case.given.clone());
        holds(&case, base, "Bearer hush-access-1", &house.internet.seen(), &read);
        tried.insert(case.action);
    }
    assert_eq!(tried, actions(&house, card), "{card}");
}

#[test]
fn gmail_is_asked_as_it_wants_to_be() {
    let base = "gmail.googleapis.com/gmail/v1/users/me";
    run_cases("gmailOAuth2", "gmail", base, include_str!("cases/gmail.json"));
}

#[test]
fn google_calendar_is_asked_as_it_wants_to_be() {
    let base = "www.googleapis.com/calendar/v3";
    run_cases("googleCalendarOAuth2", "googleCalendarTool", base, include_str!("cases/google_calendar.json"));
}

#[test]
fn google_docs_is_asked_as_it_wants_to_be() {
    let base = "docs.googleapis.com/v1";
    run_cases("googleDocsOAuth2", "googleDocsTool", base, include_str!("cases/google_docs.json"));
}

#[test]
fn google_sheets_is_asked_as_it_wants_to_be() {
    let base = "sheets.googleapis.com/v4";
    run_cases("googleSheetsOAuth2", "googleSheetsTool", base, include_str!("cases/google_sheets.json"));
}

/// The mail that was sent, as text.
fn mail(raw: &Value) -> String {
    String::from_utf8(URL_SAFE_NO_PAD.decode(raw.as_str().unwrap()).unwrap()).unwrap()
}

#[test]
fn a_mail_holds_no_more_than_its_arguments_say() {
    let house = OAuthFixture::open_signed_in("gmailOAuth2");
    let inputs = json!({"gmailType": "messages", "messageActions": "[\"sendMessage\",\"getMessage\"]"});
    let sends = |given: Value| call_tool(&house, "gmail", inputs.clone(), "send_message", given).1;
    for (given, named) in [
        (json!({"to": "a@x.org\r\nBcc: evil@x.org"}), "'to' must be one line"),
        (json!({"to": "a@x.org", "subject": "x\nBcc: evil@x.org"}), "'subject' must be one line"),
        (json!({"to": "a@x.org", "cc": "x\u{0}"}), "'cc' must be one line"),
        (json!({"to": " "}), "'to' is empty"),
        (json!({}), "'to' is missing"),
    ] {
        let read = sends(given.clone());
        assert!(read.contains(named), "{given}: {read}");
    }
    let read = call_tool(&house, "gmail", inputs.clone(), "get_message", json!({"id": ".."})).1;
    assert!(read.contains("cannot be '..'"), "{read}");
    assert!(house.internet.seen().is_empty());
    sends(json!({"to": "a@x.org", "body": "Line.\r\nBcc: evil@x.org\r\n".repeat(20)}));
    let sent = mail(&house.internet.seen()[0].json()["raw"]);
    assert!(!sent.contains("evil") && sent.lines().all(|line| line.len() <= 76), "{sent}");
}

#[test]
fn mails_are_read_in_clear() {
    let house = OAuthFixture::open_signed_in("gmailOAuth2");
    let part =
        |kind: &str, text: &str| json!({"mimeType": kind, "body": {"data": URL_SAFE_NO_PAD.encode(text)}});
    let mail = json!({"id": "m", "payload": {"parts": [part("text/plain", "Grüße </response>"), part("image/png", "noise")]}});
    *house.google.gives.lock().unwrap() = Some(Box::new(move |_| StandInAnswer::Json(200, mail.clone())));
    let inputs = json!({"gmailType": "messages", "messageActions": ["getMessage"]});
    let read = call_tool(&house, "gmail", inputs, "get_message", json!({"id": "m"})).1;
    assert!(read.contains("Grüße") && !read.contains(&URL_SAFE_NO_PAD.encode("noise")), "{read}");
    assert_eq!(read.matches("</response>").count(), 1, "{read}");
}

#[test]
fn a_new_document_is_filled_once_it_is_there() {
    let house = OAuthFixture::open_signed_in("googleDocsOAuth2");
    *house.google.gives.lock().unwrap() =
        Some(Box::new(|_| StandInAnswer::Json(200, json!({"documentId": "new/1", "title": "T"}))));
    let inputs = json!({"actions": "[\"createDocument\",\"updateDocument\"]"});
    let read = call_tool(
        &house,
        "googleDocsTool",
        inputs.clone(),
        "create_document",
        json!({"title": "T", "text": "Hi"}),
    )
    .1;
    assert!(read.contains("new/1"), "{read}");
    let seen = house.internet.seen();
    assert_eq!(seen[1].address, "docs.googleapis.com/v1/documents/new%2F1:batchUpdate");
    assert_eq!(
        seen[1].json(),
        json!({"requests": [{"insertText": {"location": {"index": 1}, "text": "Hi"}}]})
    );
    let read = call_tool(&house, "googleDocsTool", inputs, "update_document", json!({"documentId": "d"})).1;
    assert!(read.contains("Nothing is to be changed"), "{read}");
    assert_eq!(house.internet.seen().len(), 2);
}

#[test]
fn rows_that_are_none_are_refused_before_anything_is_sent() {
    let house = OAuthFixture::open_signed_in("googleSheetsOAuth2");
    let inputs = json!({"sheetsType": "values", "valuesActions": "[\"updateValues\",\"batchUpdateValues\"]"});
    for (tool, values, told) in [
        ("update_values", "nonsense", "must be a list of rows as JSON"),
        ("update_values", "{}", "must be a list of rows as JSON"),
        ("update_values", "[1]", "each a list of its cells"),
        ("batch_update_values", "[{}]", "needs its range"),
        ("batch_update_values", "[1]", "needs its range"),
    ] {
        let given = json!({"spreadsheetId": "s", "range": "A1", "values": values});
        let read = call_tool(&house, "googleSheetsTool", inputs.clone(), tool, given).1;
        assert!(read.contains(told), "{values}: {read}");
    }
    assert!(house.internet.seen().is_empty());
}
