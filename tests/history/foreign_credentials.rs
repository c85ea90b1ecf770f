//! Credentials that another server sealed: canvas files of that server carry them, and by whatever way such a file comes
//! in, none of it is in any object of the repository.

use crate::editor::flow_id;
use crate::secrets::everything;
use crate::support::{Server, id};
use flowkeep::store::tables::CANVASES;
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// Begins each sealed text of these tests.
const MARK: &str = "U2FsdGVkX19zZWFsZWQ";

/// A credential as another server exports it.
fn record(number: usize) -> Value {
    json!({
        "id": "c7bc44a2-6a67-487c-ba29-1277546dc961", "name": "Theirs", "credentialName": "openAIApi",
        "encryptedData": format!("{MARK}{number}"), "createdDate": "2024-01-01T00:00:00.000Z",
    })
}

/// A canvas that says `text` and carries a sealed credential: at one of the places where files have one, or anywhere.
fn canvas(text: &str, place: usize, inner: Value) -> Value {
    let mut canvas: Value = serde_json::from_str(&crate::editor::canvas_answering(text)).unwrap();
    match place {
        0 => canvas["credentialRecords"] = json!([inner]),
        1 => canvas["flowData"] = json!({"credentialRecords": [inner]}).to_string().into(),
        2 => canvas["nodes"][0]["data"]["credentialRecord"] = inner,
        3 => canvas["nodes"][0]["data"]["inputs"]["deep"] = json!([{"of": inner}]),
        4 => canvas["nodes"][0]["data"]["inputs"]["text"] = json!({"of": inner}).to_string().into(),
        5 => canvas["nodes"][0]["data"]["inputs"]["agentModelConfig"] = json!({"credentialRecord": inner}),
        6 => canvas["nodes"][0]["extra"] = inner,
        7 => canvas["edges"] = json!([{"id": "e", "data": {"of": inner}}]),
        _ => {
            canvas["nodes"][0]["data"]["inputParams"] = json!([{"name": "x", "type": "string", "of": inner}]);
        }
    }
    canvas
}

#[test]
fn nothing_sealed_by_another_server_reaches_the_repository_by_any_way_in() {
    let server = Server::start();
    server.app.history.faults().without_flushing(true);
    let mut runner = TestRunner::deterministic();
    let around = proptest::collection::vec("[a-z]{1,6}", 0..4);
    for round in 0..27 {
        let names: Vec<String> = around.new_tree(&mut runner).unwrap().current();
        let inner = names.iter().fold(record(round), |inner, name| json!({ name.as_str(): [inner, 1] }));
        let drawn = |text: &str| canvas(text, round % 9, inner.clone());
        let text = |said: &str| drawn(said).to_string();
        let body = json!({"name": "F", "type": "CHATFLOW", "flowData": text("one")});
        let flow = id(&server.post("/chatflows", &body));
        server.publish(&flow).is(200);
        server.save_canvas(&flow, &text("two")).is(200);
        server.publish(&flow).is(200);
        server.change(&flow, &json!({"flowData": text("three")})).is(200);
        let import =
            |file: &Value| server.owner("POST", "/export-import/import").json(file).send().is(200).json();
        let mut bare = drawn("four");
        bare["name"] = "Bare".into();
        import(&bare);
        import(&json!({
            "ChatFlow": [{"id": flow, "name": "F", "type": "CHATFLOW", "flowData": text("five"), "draft": {"flowData": text("six")}}],
            "CustomTemplate": [{"name": "T", "type": "Chatflow", "flowData": text("seven")}],
            "existing": "update",
        }));
        server.publish(&flow);
        let first = server.newest(&flow);
        server.roll_back(&flow, &first);
        let made = json!({"name": "T", "chatflowId": flow});
        server.owner("POST", "/marketplaces/custom").json(&made).send().is(200);
        let templates = server.read("/marketplaces/custom").to_string();
        assert!(!templates.contains(MARK) && !templates.contains("encryptedData"), "{templates}");
        let shown = server.record(&flow)["flowData"].to_string();
        assert!(round % 9 == 4 || !shown.contains(MARK), "{shown}");
    }
    let all = everything(&server.repository());
    assert!(all.contains("canvas.json") && all.contains("three"));
    assert!(
        !all.contains(MARK) && !all.contains("encryptedData"),
        "a sealed credential is in the repository"
    );
    server.assert_settled();
}

#[test]
fn a_flow_that_was_stored_with_more_than_its_drawing_is_the_version_it_was() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "start");
    let sha = server.newest(&flow);
    let mut more: Value = serde_json::from_str(server.record(&flow)["flowData"].as_str().unwrap()).unwrap();
    more["usecases"] = json!(["support"]);
    server.change(&flow, &json!({"flowData": more.to_string()})).is(200);
    assert_eq!(server.history(&flow)["liveSha"], sha, "what is no part of a canvas is no change of it");
    assert_eq!(server.newest(&flow), sha);
    // As it was stored before such things were left out.
    let (id, home) = (flow_id(&flow), server.workspace());
    server.app.store.write(|tx| CANVASES.put(tx, &home, &id, &more.to_string())).unwrap();
    server.save_canvas(&flow, &more.to_string()).is(200);
    let status = server.owner("GET", &format!("/flow-drafts/{flow}")).send().is(200).json();
    assert!(status["draft"].is_null(), "what is Live already is no draft: {status}");
}
