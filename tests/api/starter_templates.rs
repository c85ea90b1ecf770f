//! Templates to begin with (manual 5.12).

use crate::support::canvases::{Drawing, scripted_flow};
use crate::support::{Server, id};
use serde_json::{Value, json};

fn starter(server: &Server, name: &str) -> Value {
    let all = server.read("/marketplaces/templates");
    all.as_array().unwrap().iter().find(|row| row["templateName"] == name).unwrap().clone()
}

#[test]
fn every_starter_becomes_a_flow_and_comes_back_as_it_was() {
    let server = Server::start();
    let all = server.read("/marketplaces/templates");
    assert!(all.as_array().unwrap().len() >= 6);
    for row in all.as_array().unwrap() {
        assert!(
            !row["description"].as_str().unwrap().is_empty()
                && !row["categories"].as_array().unwrap().is_empty()
        );
        let flow = server.flow(row["flowData"].as_str().unwrap());
        assert_eq!(server.read(&format!("/chatflows/{flow}"))["flowData"], row["flowData"]);
    }
}

#[test]
fn two_starters_answer_without_a_provider() {
    let server = Server::start();
    for (name, question, expected) in [
        ("Welcome desk", "When are you open?", "nine to six"),
        ("Ask a handbook", "How long does a repair take?", "ten days"),
    ] {
        let row = starter(&server, name);
        let flow = server.flow(row["flowData"].as_str().unwrap());
        let answer = server.ask(&flow, &json!({ "question": question })).is(200).json();
        assert!(answer["text"].as_str().unwrap().contains(expected), "{answer}");
    }
}

#[test]
fn a_workspace_keeps_templates_of_its_own() {
    let server = Server::start();
    let body = json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k"}});
    let credential = id(&server.post("/credentials", &body));
    let mut drawing = Drawing::default();
    let node = drawing.card("chatOpenAI", json!({}));
    drawing.credential(&node, &credential);
    let flow = server.flow(&drawing.text());
    let made = server.post(
        "/marketplaces/custom",
        &json!({"name": "Mine", "description": "d", "badge": "new", "usecases": ["Basic"], "chatflowId": flow}),
    );
    let tool = json!({"name": "adder", "description": "adds", "func": "return 1;"});
    server.post("/marketplaces/custom", &json!({"name": "Adder", "tool": tool}));
    let listed = server.read("/marketplaces/custom");
    assert_eq!((&listed[0]["type"], &listed[0]["func"]), (&json!("Tool"), &json!("return 1;")));
    assert_eq!((&listed[1]["templateName"], &listed[1]["type"]), (&json!("Mine"), &json!("Chatflow")));
    let canvas = listed[1]["flowData"].as_str().unwrap();
    assert!(canvas.contains("chatOpenAI") && !canvas.contains(&credential));
    server.flow(canvas);
    server.owner("DELETE", &format!("/marketplaces/custom/{}", id(&made))).send().is(200);
    server.owner("DELETE", &format!("/marketplaces/custom/{}", id(&made))).send().is_error(404);
    assert_eq!(server.read("/marketplaces/custom").as_array().unwrap().len(), 1);
}

#[test]
fn a_bad_template_is_refused() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let post = |body: Value| server.owner("POST", "/marketplaces/custom").json(&body).send();
    post(json!({"name": "x"})).is_error(400);
    post(json!({"name": " ", "chatflowId": flow})).is_error(400);
    post(json!({"name": "x", "chatflowId": flow, "tool": {}})).is_error(400);
    post(json!({"name": "x", "tool": {"name": ""}})).is_error(400);
    post(json!({"name": "x", "chatflowId": "unknown"})).is_error(404);
    let key = server.key(&["templates:toolexport"])["apiKey"].as_str().unwrap().to_owned();
    let body = json!({"name": "x", "chatflowId": flow});
    server.call("POST", "/marketplaces/custom").bearer(&key).json(&body).send().is_error(403);
}
