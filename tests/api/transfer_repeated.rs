//! A file that comes in again, a file from elsewhere, and what is said of both before anything is written.

use crate::support::canvases::{Drawing, scripted_flow, scripted_flow_with};
use crate::support::{Server, id};
use crate::transfer::{actions, export, import};
use serde_json::{Value, json};

fn count(server: &Server, path: &str) -> usize {
    server.read(path).as_array().unwrap().len()
}

/// A file with what to do with things that are here already.
fn with(file: &Value, existing: &str) -> Value {
    let mut file = file.clone();
    file["existing"] = existing.into();
    file
}

#[test]
fn a_file_that_comes_in_again_changes_nothing() {
    let (from, to) = (Server::start(), Server::start());
    for name in ["a", "b"] {
        from.flow_with(
            &scripted_flow_with(json!({ "fallback": name })),
            &json!({"name": name, "publishInstantly": false}),
        );
    }
    from.post("/tools", &json!({"name": "adder", "description": "adds", "func": "return 1"}));
    let file = export(&from, &json!({}));
    assert_eq!(actions(&import(&to, &file, "import", &json!({}))), ["create"; 3]);
    for mode in ["preview", "import"] {
        let again = import(&to, &file, mode, &json!({}));
        assert_eq!(actions(&again), ["skip"; 3], "{again}");
        assert!(
            again["items"][0]["reason"].as_str().unwrap().contains("just as it is in the file"),
            "{again}"
        );
        let updated = import(&to, &with(&file, "update"), mode, &json!({}));
        assert_eq!(actions(&updated), ["skip"; 3], "nothing differs: {updated}");
    }
    assert_eq!((count(&to, "/chatflows"), count(&to, "/tools")), (2, 1));
    let doubled = import(&to, &with(&file, "duplicate"), "import", &json!({}));
    assert_eq!((actions(&doubled), &doubled["created"]), (vec!["duplicate"; 3], &json!(3)), "{doubled}");
    assert_eq!((count(&to, "/chatflows"), count(&to, "/tools")), (4, 2));
}

#[test]
fn an_update_changes_what_differs_and_nothing_else() {
    let server = Server::start();
    let [moved, same] = ["a", "b"].map(|name| server.flow_with(&scripted_flow(), &json!({ "name": name })));
    let file = export(&server, &json!({}));
    server.put(&format!("/chatflows/{moved}"), &json!({"name": "moved"}));
    let answer = import(&server, &with(&file, "update"), "import", &json!({}));
    assert_eq!((actions(&answer), &answer["updated"]), (vec!["update", "skip"], &json!(1)), "{answer}");
    assert_eq!(server.read(&format!("/chatflows/{moved}"))["name"], "a");
    let versions = server.read(&format!("/flow-versions/{same}"));
    assert_eq!(versions["versions"].as_array().unwrap().len(), 1);
    let wrong = server.owner("POST", "/export-import/import").json(&with(&file, "replace")).send();
    wrong.is_error(400);
}

#[test]
fn what_has_no_id_is_known_again_by_what_it_says() {
    let server = Server::start();
    let mut canvas: Value = serde_json::from_str(&scripted_flow()).unwrap();
    canvas["fileName"] = "Front desk Chatflow.json".into();
    let made = import(&server, &canvas, "import", &json!({}));
    assert_eq!((actions(&made), &made["items"][0]["name"]), (vec!["create"], &json!("Front desk")), "{made}");
    let again = import(&server, &canvas, "import", &json!({}));
    assert_eq!(actions(&again), ["skip"], "{again}");
    assert!(again["items"][0]["reason"].as_str().unwrap().contains("'Front desk'"), "{again}");
    assert_eq!(again["items"][0]["choices"], json!(["skip", "duplicate"]));
    let tool = json!({
        "name": "adder", "description": "adds", "color": "#abc", "iconSrc": null, "func": "return $a + 1",
        "schema": "[ {\"id\": 0, \"property\": \"a\", \"type\": \"number\", \"description\": \"\", \"required\": true} ]",
    });
    let made = import(&server, &tool, "import", &json!({}));
    assert_eq!((actions(&made), &made["items"][0]["kind"]), (vec!["create"], &json!("Tool")), "{made}");
    assert_eq!(actions(&import(&server, &tool, "import", &json!({}))), ["skip"]);
    assert_eq!((count(&server, "/chatflows"), count(&server, "/tools")), (1, 1));
}

#[test]
fn a_flow_whose_key_is_not_here_answers_nobody() {
    let (from, to) = (Server::start(), Server::start());
    let key = from.key(&["chatflows:view"]);
    let flow = from.flow_with(&scripted_flow(), &json!({"name": "Bound", "apikeyid": key["id"]}));
    let file = export(&from, &json!({}));
    assert!(!file.to_string().contains(key["apiKey"].as_str().unwrap()));
    let preview = import(&to, &file, "preview", &json!({}));
    assert!(preview["items"][0]["notes"].to_string().contains("answers nobody (401)"), "{preview}");
    import(&to, &file, "import", &json!({}));
    to.ask(&flow, &json!({"question": "Hi"})).is_error(401);
    let value = key["apiKey"].as_str().unwrap();
    let path = format!("/prediction/{flow}");
    to.call("POST", &path).bearer(value).json(&json!({"question": "Hi"})).send().is_error(401);
    to.put(&format!("/chatflows/{flow}"), &json!({"name": "Renamed"}));
    to.ask(&flow, &json!({"question": "Hi"})).is_error(401);
    to.put(&format!("/chatflows/{flow}"), &json!({ "apikeyid": null }));
    to.ask(&flow, &json!({"question": "Hi"})).is(200);
}

#[test]
fn a_key_that_a_file_carries_is_known_again_by_its_hash() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    server.flow_with(&scripted_flow(), &json!({"name": "Bound", "apikeyid": key["id"]}));
    let file = export(&server, &json!({})).to_string();
    let elsewhere = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
    let file: Value = serde_json::from_str(&file.replace(key["id"].as_str().unwrap(), elsewhere)).unwrap();
    let answer = import(&server, &with(&file, "duplicate"), "import", &json!({}));
    let copy = answer["items"][0]["newId"].as_str().unwrap();
    assert_eq!(server.read(&format!("/chatflows/{copy}"))["apikeyid"], key["id"], "{answer}");
    let narrow = server.key(&["chatflows:export"])["apiKey"].as_str().unwrap().to_owned();
    let told =
        server.call("POST", "/export-import/export").bearer(&narrow).json(&json!({})).send().is(200).json();
    assert_eq!(told["flowkeep"]["keys"], json!({}), "whoever sees no keys takes none along");
}

#[test]
fn a_preview_says_what_will_not_run_as_validation_does_afterwards() {
    let server = Server::start();
    let mut odd = Drawing::default();
    odd.card("calculator", json!({}));
    let odd = odd.text().replace("\"name\":\"calculator\"", "\"name\":\"oddCard\"");
    let flow = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
    let file = json!({
        "ChatFlow": [
            {"id": flow, "name": "odd", "type": "CHATFLOW", "flowData": odd},
            {"name": "fine", "type": "CHATFLOW", "flowData": scripted_flow()},
        ],
        "AgentFlow": [{"name": "steps", "type": "MULTIAGENT", "flowData": scripted_flow()}],
    });
    let preview = import(&server, &file, "preview", &json!({}));
    assert_eq!(
        preview["unsupported"],
        json!([
            {"what": "card", "name": "oddCard", "count": 1, "flows": 1},
        ])
    );
    assert_eq!(preview["items"][1]["problems"], json!([]), "{preview}");
    let imported = import(&server, &file, "import", &json!({}));
    assert_eq!(imported["unsupported"], preview["unsupported"]);
    let told = server.read(&format!("/validation/{flow}"));
    assert_eq!((&preview["items"][0]["problems"], &imported["items"][0]["problems"]), (&told, &told));
    assert!(told.to_string().contains("does not know the card 'oddCard'"), "{told}");
}

#[test]
fn a_flow_with_a_number_that_history_cannot_keep_stays_outside() {
    let server = Server::start();
    let long = "12345678901234567890123";
    let card = format!(r#"{{"id":"a","data":{{"name":"stickyNote","label":"Memo","note":{long}}}}}"#);
    let canvas = |more: &str| format!(r#"{{"nodes":[{card}],"edges":[]{more}}}"#);
    let file = json!({"ChatFlow": [
        {"name": "plain", "type": "CHATFLOW", "flowData": canvas("")},
        // What stands beside a drawing is left out before the drawing is judged.
        {"name": "more", "type": "CHATFLOW", "flowData": canvas(r#","usecases":[]"#)},
    ]});
    for mode in ["preview", "import"] {
        let told = import(&server, &file, mode, &json!({}));
        for item in told["items"].as_array().unwrap() {
            assert!(item.to_string().contains(&format!("the number {long} in “Memo”")), "{told}");
        }
    }
    assert_eq!(server.read("/chatflows"), json!([]));
}

#[test]
fn every_setting_and_every_kind_of_thing_comes_along() {
    let (from, to) = (Server::start(), Server::start());
    let text = |value: Value| value.to_string();
    let fields = json!({
        "name": "Whole", "category": "a;b", "isPublic": true, "deployed": true,
        "chatbotConfig": text(json!({"title": "T"})), "apiConfig": text(json!({"overrideConfig": {"status": true}})),
        "analytic": text(json!({"x": {"status": false}})), "speechToText": text(json!({"none": {"status": true}})),
        "textToSpeech": text(json!({"none": {"status": true}})), "followUpPrompts": text(json!({"status": false})),
        "mcpServerConfig": text(json!({"enabled": false, "description": "d"})),
    });
    let flow = from.flow_with(&scripted_flow(), &fields);
    let tool = id(&from.post("/tools", &json!({"name": "t"})));
    let variable = id(&from.post("/variables", &json!({"name": "v", "value": "x", "type": "static"})));
    let store = id(&from.post("/document-store/store", &json!({"name": "s"})));
    let template = id(&from.post("/marketplaces/custom", &json!({"name": "p", "chatflowId": flow})));
    let answer = import(&to, &export(&from, &json!({})), "import", &json!({}));
    assert_eq!(answer["message"], "success", "{answer}");
    let (there, here) = (to.read(&format!("/chatflows/{flow}")), from.read(&format!("/chatflows/{flow}")));
    for field in fields.as_object().unwrap().keys().map(String::as_str).chain(["publishInstantly"]) {
        assert_eq!(there[field], here[field], "{field}");
    }
    for (path, id) in [
        ("/tools", tool),
        ("/variables", variable),
        ("/document-store/store", store),
        ("/marketplaces/custom", template),
    ] {
        assert_eq!(to.read(path)[0]["id"], json!(id), "{path}");
    }
    let made = to.read("/audit?action=flow-imported");
    assert_eq!((&made["total"], &made["data"][0]["target"]["name"]), (&json!(1), &json!("Whole")), "{made}");
}
