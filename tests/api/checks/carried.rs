//! Kept questions in files (manual 5.11).

use super::flow_saying;
use crate::support::Server;
use crate::support::canvases::scripted_flow;
use crate::transfer::{KEY, actions, export, import};
use serde_json::{Value, json};

fn path(flow: &str) -> String {
    format!("/flow-drafts/{flow}/check/questions")
}

fn keep(server: &Server, flow: &str, rows: &Value) -> Value {
    server.put(&path(flow), rows)
}

fn kept(server: &Server, flow: &str) -> Value {
    server.read(&path(flow))
}

/// A flow of which a person asked one question that is kept, beside two that are not theirs.
fn asked_flow(server: &Server) -> (String, Value) {
    let flow = server.flow_with(&scripted_flow(), &json!({"name": "Asked"}));
    server.ask(&flow, &json!({"question": "a person's words"})).is(200);
    let expect = json!([{"kind": "contains", "value": "words"}]);
    let rows = keep(
        server,
        &flow,
        &json!([
            {"text": "written down", "expect": expect}, {"text": "a person's words", "from": "person"},
            {"text": "to begin with", "from": "starter"},
        ]),
    );
    (flow, rows)
}

#[test]
fn kept_questions_go_out_and_come_in_with_their_flow() {
    let (from, to) = (Server::start(), Server::start());
    let (flow, rows) = asked_flow(&from);
    let file = export(&from, &json!({}));
    assert_eq!(file["ChatFlow"][0]["keptQuestions"], json!([rows[0], rows[2]]), "not what people asked");
    let preview = import(&to, &file, "preview", &json!({}));
    let told = preview["items"][0]["notes"].to_string();
    assert!(told.contains("It comes with 2 questions for its checks."), "{preview}");
    import(&to, &file, "import", &json!({}));
    assert_eq!(kept(&to, &flow), json!([rows[0], rows[2]]));
    let again = import(&to, &file, "import", &json!({}));
    assert_eq!(again["items"][0]["reason"], "It is here already, just as it is in the file.");
}

#[test]
fn what_people_asked_goes_out_with_conversations_and_comes_in_as_written() {
    let (from, to) = (Server::start(), Server::start());
    let (flow, rows) = asked_flow(&from);
    let file = export(&from, &json!({"chatflow": true, "chat_message": true}));
    assert_eq!(file["ChatFlow"][0]["keptQuestions"], rows);
    import(&to, &file, "import", &json!({}));
    let here = kept(&to, &flow);
    assert_eq!((&here[1]["text"], &here[1]["from"]), (&json!("a person's words"), &json!("written")));
    let again = import(&to, &file, "preview", &json!({}));
    assert_eq!(again["items"][0]["reason"], "It is here already, just as it is in the file.");
}

#[test]
fn an_update_changes_the_questions_that_a_file_holds_and_no_others() {
    let server = Server::start();
    let (flow, rows) = asked_flow(&server);
    let file = export(&server, &json!({}));
    let changed = json!([{"id": rows[0]["id"], "text": "changed"}, rows[1]]);
    keep(&server, &flow, &changed);
    let preview = import(&server, &file, "preview", &json!({}));
    assert_eq!(preview["items"][0]["reason"], "It is here already, and differs from the file.");
    let answer = import(&server, &file, "import", &json!({ (flow.clone()): "update" }));
    assert_eq!(actions(&answer), ["update"], "{answer}");
    let here = kept(&server, &flow);
    assert_eq!(here, json!([rows[0], rows[2], rows[1]]), "what the file holds, then what people asked");
    let mut silent = file.clone();
    silent["ChatFlow"][0].as_object_mut().unwrap().remove("keptQuestions");
    silent["ChatFlow"][0]["name"] = "Other".into();
    import(&server, &silent, "import", &json!({ (flow.clone()): "update" }));
    assert_eq!(kept(&server, &flow), here, "a file that says nothing of them changes nothing");
}

#[test]
fn a_copy_has_questions_of_its_own() {
    let server = Server::start();
    let (flow, rows) = asked_flow(&server);
    let file = export(&server, &json!({}));
    let copied = import(&server, &file, "import", &json!({ (flow.clone()): "duplicate" }));
    let copy = copied["items"][0]["newId"].as_str().unwrap().to_owned();
    assert_eq!(kept(&server, &copy), json!([rows[0], rows[2]]));
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(kept(&server, &copy).as_array().unwrap().len(), 2);
}

#[test]
fn no_secret_leaves_with_a_question_and_an_update_keeps_it() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let secret =
        json!([{"text": format!("Is {KEY} right?"), "expect": [{"kind": "contains", "value": KEY}]}]);
    let rows = keep(&server, &flow, &secret);
    let file = export(&server, &json!({}));
    assert!(!file.to_string().contains(KEY) && file.to_string().contains("[secret hidden]"), "{file}");
    server.put(&format!("/chatflows/{flow}"), &json!({"name": "Renamed"}));
    let answer = import(&server, &file, "import", &json!({ (flow.clone()): "update" }));
    assert_eq!(actions(&answer), ["update"], "{answer}");
    assert_eq!(kept(&server, &flow), rows);
}

#[test]
fn questions_that_nobody_could_keep_take_no_flow_along() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let mut file = export(&server, &json!({}));
    let wrong = json!({"text": "x", "expect": [{"kind": "matches", "value": "("}]});
    file["ChatFlow"][0]["keptQuestions"] = json!([{"text": "fine"}, wrong, {"text": ""}, 7]);
    let answer = import(&server, &file, "import", &json!({ (flow.clone()): "update" }));
    assert_eq!(actions(&answer), ["update"], "{answer}");
    let told = answer["items"][0]["notes"].to_string();
    assert!(told.contains("3 of the questions for its checks stay outside"), "{answer}");
    let here = kept(&server, &flow);
    assert_eq!((here.as_array().unwrap().len(), &here[0]["text"]), (1, &json!("fine")));
}

#[test]
fn a_flow_that_would_keep_too_many_is_refused_as_a_preview_says() {
    let server = Server::start();
    let (flow, rows) = asked_flow(&server);
    let mut file = export(&server, &json!({}));
    let row = |number: usize| json!({ "text": format!("Question {number}") });
    file["ChatFlow"][0]["keptQuestions"] = (0..50).map(row).collect();
    file["ChatFlow"][0]["name"] = "Other".into();
    let choices = json!({ (flow.clone()): "update" });
    let preview = import(&server, &file, "preview", &choices);
    let answer = import(&server, &file, "import", &choices);
    assert_eq!((actions(&preview), actions(&answer)), (vec!["refused"], vec!["refused"]), "{answer}");
    let told = answer["items"][0]["reason"].as_str().unwrap();
    assert!(told.contains("50 questions at most"), "{told}");
    assert_eq!(server.read(&format!("/chatflows/{flow}"))["name"], "Asked");
    assert_eq!(kept(&server, &flow), rows);
}
