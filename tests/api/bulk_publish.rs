//! Many flows published at once (manual 5.7 r6): each for itself, and only what can run.

use crate::support::canvases::{Drawing, scripted_flow, scripted_flow_with};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A flow whose canvas waits in its draft.
fn new_draft(server: &Server, name: &str, canvas: &str) -> String {
    new_draft_of_kind(server, name, "CHATFLOW", canvas)
}

fn new_draft_of_kind(server: &Server, name: &str, kind: &str, canvas: &str) -> String {
    id(&server.post("/chatflows", &json!({"name": name, "type": kind, "flowData": canvas})))
}

fn publish(server: &Server, ids: &Value) -> Value {
    server.owner("POST", "/flow-drafts/publish").json(&json!({ "ids": ids })).send().is(200).json()
}

/// A canvas that no kind of flow can run.
fn no_steps() -> String {
    let mut drawing = Drawing::default();
    drawing.card("calculator", json!({}));
    drawing.text()
}

fn outcomes(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|row| row["outcome"].as_str().unwrap()).collect()
}

#[test]
fn what_can_run_is_published_and_the_rest_says_why_not() {
    let server = Server::start();
    let broken = scripted_flow().replace("{{chatScripted_0.data.instance}}", "");
    let [good, other] = ["a", "b"].map(|name| new_draft(&server, name, &scripted_flow()));
    let bad = new_draft(&server, "c", &broken);
    let steps = new_draft_of_kind(&server, "d", "AGENTFLOW", &no_steps());
    let nobody = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
    let answer = publish(&server, &json!([good, bad, steps, nobody, other, good]));
    assert_eq!(outcomes(&answer), ["published", "blocked", "blocked", "refused", "published"], "{answer}");
    let counts =
        ["published", "unchanged", "blocked", "refused"].map(|field| answer[field].as_u64().unwrap());
    assert_eq!(counts, [2, 0, 2, 1]);
    for (row, flow) in [(0, &good), (4, &other)] {
        let versions = server.read(&format!("/flow-versions/{flow}"));
        assert_eq!(versions["versions"][0]["sha"], answer["results"][row]["version"]["sha"]);
        assert_eq!(versions["versions"][0]["kind"], "publish");
        assert_eq!(server.ask(flow, &json!({"question": "Hi"})).is(200).json()["text"], "You said: Hi");
    }
    assert_eq!(answer["results"][1]["problems"], server.read(&format!("/validation/{bad}")));
    assert_eq!(answer["results"][2]["problems"], server.read(&format!("/validation/{steps}")));
    assert_ne!(server.read(&format!("/flow-drafts/{bad}"))["draft"], Value::Null, "its draft stays");
    assert_eq!(
        outcomes(&publish(&server, &json!([good]))),
        ["unchanged"],
        "there is nothing left to publish"
    );
}

#[test]
fn a_draft_that_live_left_behind_is_refused_and_the_others_go_on() {
    let server = Server::start();
    let stale = new_draft(&server, "a", &scripted_flow());
    let live = json!({ "flowData": scripted_flow_with(json!({"fallback": "Live moved."})) });
    server.put(&format!("/chatflows/{stale}"), &live);
    let fine = new_draft(&server, "b", &scripted_flow());
    let answer = publish(&server, &json!([stale, fine]));
    assert_eq!(outcomes(&answer), ["refused", "published"], "{answer}");
    assert!(answer["results"][0]["reason"].as_str().unwrap().contains("Live"), "{answer}");
}

#[test]
fn whoever_may_not_change_a_flow_does_not_publish_it() {
    let server = Server::start();
    let [chat, agent] =
        ["CHATFLOW", "AGENTFLOW"].map(|kind| new_draft_of_kind(&server, "f", kind, &no_steps()));
    let key = server.key(&["agentflows:update"])["apiKey"].as_str().unwrap().to_owned();
    let body = json!({ "ids": [chat, agent] });
    let answer = server.call("POST", "/flow-drafts/publish").bearer(&key).json(&body).send().is(200).json();
    assert_eq!(outcomes(&answer), ["refused", "blocked"], "{answer}");
    assert_eq!(answer["results"][0]["name"], Value::Null, "it learns nothing of it");
}

#[test]
fn a_list_that_names_no_flows_is_refused() {
    let server = Server::start();
    let many: Vec<String> = (0..1_001).map(|_| "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e".to_owned()).collect();
    for wrong in
        [json!({"ids": []}), json!({"ids": ["x"]}), json!({"ids": "x"}), json!({}), json!({ "ids": many })]
    {
        server.owner("POST", "/flow-drafts/publish").json(&wrong).send().is_error(400);
    }
}
