//! What is refused, with the status and the words the manual promises (manual 1.5, 5.6, 5.7); and who may do what.

use super::support::Server;
use crate::editor::{KINDS, canvas_answering, flow_id};
use flowkeep::domain::flows::draft::Draft;
use flowkeep::store::tables::{DRAFT_CANVASES, DRAFTS, FLOW_WORKSPACE};
use serde_json::{Value, json};

const TYPE_CHANGE: &str =
    "This flow has unpublished changes. Publish or discard them before changing the flow's type.";
const OTHER_KIND: &str = "This flow changed to another kind of flow after these edits started, so they can't be \
                          saved. Discard them to continue.";
const NOT_A_DRAFT: &str =
    "This version is a different kind of flow, so it cannot become the draft. Use Roll back Live instead.";

const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

fn other(kind: &str) -> &'static str {
    KINDS.into_iter().find(|other| *other != kind).unwrap()
}

/// Puts the draft of a flow into a state that only a change of type in the past could have left.
fn with_draft_of(server: &Server, flow: &str, kind: Option<&str>) {
    let id = flow_id(flow);
    let kind = kind.map(|kind| flowkeep::domain::flows::flow::FlowKind::parse(kind).unwrap());
    let write = server.app.store.write(|tx| {
        let home = FLOW_WORKSPACE.get(tx, &id)?.unwrap();
        let draft = DRAFTS.get(tx, &home, &id)?.unwrap();
        DRAFTS.put(tx, &home, &id, &Draft { kind, ..draft })
    });
    write.unwrap();
}

#[test]
fn a_type_does_not_change_over_unpublished_changes() {
    let server = Server::start();
    for kind in KINDS {
        let flow = server.new_published(kind, "one");
        server.change(&flow, &json!({ "type": other(kind) })).is(200);
        let before = server.newest(&flow);
        server.change(&flow, &json!({ "type": kind })).is(200);
        server.save_draft(&flow, "two").is(200);
        let versions = server.kinds(&flow);
        assert_eq!(server.change(&flow, &json!({ "type": other(kind) })).is_error(409), TYPE_CHANGE);
        assert_eq!(server.roll_back(&flow, &before).is_error(409), TYPE_CHANGE);
        assert_eq!(server.restore(&flow, &before).is_error(409), NOT_A_DRAFT);
        assert_eq!((&server.record(&flow)["type"], server.kinds(&flow)), (&json!(kind), versions));
        assert_eq!(server.draft_answer(&flow).as_deref(), Some("two"));
        server.publish(&flow).is(200);
        assert_eq!(server.restore(&flow, &before).is_error(409), NOT_A_DRAFT);
        server.change(&flow, &json!({ "type": other(kind) })).is(200);
    }
    server.assert_settled();
}

#[test]
fn a_draft_of_another_or_no_recorded_type_is_never_published() {
    let server = Server::start();
    for kind in KINDS {
        let flow = server.new_published(kind, "one");
        for recorded in [Some(other(kind)), None] {
            server.save_draft(&flow, "two").is(200);
            with_draft_of(&server, &flow, recorded);
            assert_eq!(server.publish(&flow).is_error(409), OTHER_KIND);
            assert_eq!(server.publish_over(&flow).is_error(409), OTHER_KIND);
            assert_eq!(server.save_draft(&flow, "three").is_error(409), OTHER_KIND);
            assert_eq!(server.draft_answer(&flow).as_deref(), Some("two"), "nothing was stored");
            assert_eq!(server.live_answer(&flow), "one");
            server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
        }
    }
}

#[test]
fn a_kind_without_drafts_saves_straight_to_live() {
    let server = Server::start();
    let body = json!({"name": "Flow", "type": "MULTIAGENT", "flowData": canvas_answering("one")});
    let flow = super::support::id(&server.post("/chatflows", &body));
    let status = server.draft(&flow);
    assert_eq!((&status["mode"], &status["reason"]), (&json!("live"), &json!("type")));
    assert_eq!(server.live_answer(&flow), "one");
    server.save_draft(&flow, "two").is_error(409);
    assert_eq!(server.live_answer(&flow), "one");
}

#[test]
fn a_canvas_must_be_one() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    for bad in ["", "[]", "{}", "no json", r#"{"nodes":{},"edges":[]}"#, r#"{"nodes":[]}"#, "null"] {
        server.save_canvas(&flow, bad).is_error(400);
    }
    for body in [json!({}), json!({"flowData": {"nodes": [], "edges": []}}), json!([]), Value::Null] {
        server.owner("PUT", &format!("/flow-drafts/{flow}")).json(&body).send().is_error(400);
    }
    assert_eq!(server.draft(&flow)["draft"], Value::Null);
}

/// A canvas of one note that holds this JSON, and these connections.
fn noted(value: &str, edges: &str) -> String {
    let data = format!(r#"{{"id":"a","name":"stickyNote","label":"Memo","inputs":{{"note":{value}}}}}"#);
    format!(r#"{{"nodes":[{{"id":"a","position":{{"x":0,"y":0}},"data":{data}}}],"edges":{edges}}}"#)
}

/// The messages of every door that takes a canvas from an editor.
#[track_caller]
fn refused_canvas(server: &Server, flow: &str, canvas: &str) -> [String; 3] {
    let new = json!({"name": "Other", "type": "CHATFLOW", "flowData": canvas});
    [
        server.save_canvas(flow, canvas).is_error(400),
        server.change(flow, &json!({ "flowData": canvas })).is_error(400),
        server.owner("POST", "/chatflows").json(&new).send().is_error(400),
    ]
}

#[test]
fn a_number_that_history_cannot_keep_is_refused_with_its_card() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    for number in ["12345678901234567890123", "-9223372036854775809", "0.1000000000000000000001"] {
        for message in refused_canvas(&server, &flow, &noted(number, "[]")) {
            assert!(message.contains(&format!("the number {number} in “Memo”")), "{message}");
        }
    }
    assert_eq!(server.draft(&flow)["draft"], Value::Null);
}

#[test]
fn a_number_that_history_keeps_comes_back_to_the_digit() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    for number in ["18446744073709551615", "-9223372036854775808", "0.30000000000000004"] {
        server.save_canvas(&flow, &noted(number, "[]")).is(200);
        let published = server.publish(&flow).is(200).json();
        assert_eq!(published["unchanged"], false);
        let sha = published["version"]["sha"].as_str().unwrap();
        server.write_live(&flow, "two").is(200);
        server.roll_back(&flow, sha).is(200);
        let live = server.record(&flow)["flowData"].as_str().unwrap().to_owned();
        assert!(live.contains(&format!("\"note\":{number}")), "{live}");
    }
}

#[test]
fn a_canvas_that_an_earlier_program_took_is_published_read_and_restored() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    server.save_canvas(&flow, &noted("1", "[]")).is(200);
    let old = noted("12345678901234567890123", "[1]");
    let (id, home) = (flow_id(&flow), server.workspace());
    server.app.store.write(|tx| DRAFT_CANVASES.put(tx, &home, &id, &old)).unwrap();
    let published = server.publish(&flow).is(200).json();
    assert_eq!(server.record(&flow)["flowData"], json!(old));
    let sha = published["version"]["sha"].as_str().unwrap();
    server.owner("GET", &format!("/flow-versions/{flow}/{sha}")).send().is(200);
    server.write_live(&flow, "two").is(200);
    server.restore(&flow, sha).is(200);
    server.publish(&flow).is(200);
}

#[test]
fn a_switch_is_true_or_false() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    for body in [json!({}), json!({"publishInstantly": "true"}), json!({"publishInstantly": null})] {
        server.owner("PUT", &format!("/flow-drafts/{flow}/settings")).json(&body).send().is_error(400);
    }
    let body = json!({"overwriteLiveChanges": "yes"});
    server.owner("POST", &format!("/flow-drafts/{flow}/publish")).json(&body).send().is_error(400);
}

#[test]
fn a_version_id_is_7_to_40_lowercase_hex() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let sha = server.newest(&flow);
    let long = format!("{sha}0");
    for bad in [&sha[..6], &sha.to_uppercase(), long.as_str(), "zzzzzzz", "HEAD", "main"] {
        server.roll_back(&flow, bad).is_error(400);
        server.restore(&flow, bad).is_error(400);
        server.owner("GET", &format!("/flow-versions/{flow}/{bad}")).send().is_error(400);
        server.owner("GET", &format!("/flow-versions/{flow}/{bad}/diff")).send().is_error(400);
    }
    server.roll_back(&flow, "").is_error(400);
    for bad in ["next", "HEAD", "", "abc", "Current"] {
        let path = format!("/flow-versions/{flow}/{sha}/diff?against={bad}");
        server.owner("GET", &path).send().is_error(400);
    }
}

#[test]
fn a_version_of_another_flow_is_not_found() {
    let server = Server::start();
    let (one, two) = (server.new_published("CHATFLOW", "one"), server.new_published("CHATFLOW", "two"));
    let sha = server.newest(&two);
    for sha in [sha.as_str(), "0123456789abcdef"] {
        let wanted = format!("Version {sha} was not found for this flow");
        let of = |path: &str| server.owner("GET", path).send().is_error(404);
        assert_eq!(of(&format!("/flow-versions/{one}/{sha}")), wanted);
        assert_eq!(of(&format!("/flow-versions/{one}/{sha}/diff")), wanted);
        assert_eq!(server.restore(&one, sha).is_error(404), wanted);
        assert_eq!(server.roll_back(&one, sha).is_error(404), wanted);
    }
}

#[test]
fn a_version_is_compared_with_versions_of_its_own_flow_alone() {
    let server = Server::start();
    let (one, two) = (server.new_published("CHATFLOW", "one"), server.new_published("CHATFLOW", "two"));
    for other in [server.newest(&two).as_str(), "0123456789abcdef"] {
        let path = format!("/flow-versions/{one}/{}/diff?against={other}", server.newest(&one));
        let message = server.owner("GET", &path).send().is_error(400);
        assert!(message.contains("Invalid against"), "{message}");
    }
}

/// A flow that was deleted and is Live again from a file, and the version of its deletion.
fn deleted_and_back(server: &Server) -> (String, String) {
    let flow = server.new_published("CHATFLOW", "one");
    let export = server.owner("POST", "/export-import/export").json(&json!({})).send().is(200).json();
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    server.owner("POST", "/export-import/import").json(&export).send().is(200);
    server.publish(&flow).is(200);
    let deletion = server.versions(&flow).into_iter().find(|version| version["kind"] == "delete").unwrap();
    (flow, deletion["sha"].as_str().unwrap().to_owned())
}

#[test]
fn a_deletion_reads_as_a_flow_without_cards() {
    let server = Server::start();
    let (flow, deletion) = deleted_and_back(&server);
    let read = server.read(&format!("/flow-versions/{flow}/{deletion}"));
    assert_eq!((&read["name"], &read["type"]), (&json!("Flow"), &json!("CHATFLOW")));
    let canvas: Value = serde_json::from_str(read["flowData"].as_str().unwrap()).unwrap();
    assert_eq!((&canvas["nodes"], &canvas["edges"]), (&json!([]), &json!([])));
}

#[test]
fn a_deletion_took_every_card_away() {
    let server = Server::start();
    let (flow, deletion) = deleted_and_back(&server);
    for against in ["previous", "current"] {
        let path = format!("/flow-versions/{flow}/{deletion}/diff?against={against}");
        let diff = server.read(&path);
        assert_eq!(diff["removed"].as_array().unwrap().len(), 3, "{diff}");
        assert_eq!((&diff["added"], &diff["changed"]), (&json!([]), &json!([])), "{diff}");
        assert_eq!(diff["sentences"], json!(["The flow was deleted."]));
    }
}

#[test]
fn a_deletion_is_no_version_to_go_back_to() {
    let server = Server::start();
    let (flow, deletion) = deleted_and_back(&server);
    for refused in [server.restore(&flow, &deletion), server.roll_back(&flow, &deletion)] {
        let message = refused.is_error(409);
        assert!(message.starts_with("The flow was deleted in this version"), "{message}");
    }
}

#[test]
fn an_unknown_flow_is_not_found_on_every_route() {
    let server = Server::start();
    for id in [UNKNOWN, "nonsense"] {
        let drafts = format!("/flow-drafts/{id}");
        let versions = format!("/flow-versions/{id}");
        for (method, path, body) in [
            ("GET", drafts.clone(), Value::Null),
            ("PUT", drafts.clone(), json!({"flowData": canvas_answering("x")})),
            ("DELETE", drafts.clone(), Value::Null),
            ("PUT", format!("{drafts}/settings"), json!({"publishInstantly": true})),
            ("POST", format!("{drafts}/publish"), json!({})),
            ("POST", format!("{drafts}/rollback"), json!({"sha": "0123456"})),
            ("GET", versions.clone(), Value::Null),
            ("GET", format!("{versions}/0123456"), Value::Null),
            ("GET", format!("{versions}/0123456/diff"), Value::Null),
            ("POST", format!("{versions}/0123456/restore"), Value::Null),
        ] {
            let call = server.owner(method, &path);
            let call = if body.is_null() { call } else { call.json(&body) };
            let message = call.send().is_error(404);
            assert!(message.contains(id), "{method} {path}: {message}");
        }
    }
}

#[test]
fn two_pages_do_not_overwrite_each_other() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let save = |text: &str, matching: &str| {
        let call = server
            .owner("PUT", &format!("/flow-drafts/{flow}"))
            .json(&json!({"flowData": canvas_answering(text)}));
        call.header("If-Match", matching).send()
    };
    let first = save("two", "\"none\"").is(200).json();
    let date = format!("\"{}\"", first["draft"]["updatedDate"].as_str().unwrap());
    save("lost", "\"none\"").is_error(409);
    let second = save("three", &date).is(200).json();
    assert_ne!(second["draft"]["updatedDate"], first["draft"]["updatedDate"]);
    save("lost", &date).is_error(409);
    save("lost", "unquoted").is_error(400);
    assert_eq!(server.draft_answer(&flow).as_deref(), Some("three"));
    server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
    save("lost", &date).is_error(409);
    assert_eq!(server.draft(&flow)["draft"], Value::Null);
}

#[test]
fn each_kind_of_flow_has_permissions_of_its_own() {
    let server = Server::start();
    for kind in KINDS {
        let flow = server.new_published(kind, "one");
        let sha = server.newest(&flow);
        let group = |kind: &str| if kind == "CHATFLOW" { "chatflows" } else { "agentflows" };
        let (own, foreign) = (group(kind), group(other(kind)));
        let keys = [
            (format!("{own}:view"), 200, 403),
            (format!("{own}:update"), 403, 200),
            (format!("{foreign}:view"), 403, 403),
            (format!("{foreign}:update"), 403, 403),
            ("credentials:view".to_owned(), 403, 403),
        ];
        for (permission, viewing, updating) in &keys {
            let key = server.key(&[permission]);
            let key = key["apiKey"].as_str().unwrap();
            let call = |method: &str, path: &str| server.call(method, path).bearer(key);
            for path in [
                format!("/flow-drafts/{flow}"),
                format!("/flow-versions/{flow}"),
                format!("/flow-versions/{flow}/{sha}"),
                format!("/flow-versions/{flow}/{sha}/diff"),
            ] {
                assert_eq!(call("GET", &path).send().status, *viewing, "{permission} {path}");
            }
            for (method, path, body) in [
                ("PUT", "", json!({"flowData": canvas_answering(permission)})),
                ("POST", "/publish", json!({})),
                ("PUT", "/settings", json!({"publishInstantly": false})),
                ("POST", "/rollback", json!({ "sha": sha })),
                ("DELETE", "", Value::Null),
            ] {
                let answer = call(method, &format!("/flow-drafts/{flow}{path}")).json(&body).send();
                assert_eq!(answer.status, *updating, "{permission} {method} {path} {answer:?}");
            }
            let restore = call("POST", &format!("/flow-versions/{flow}/{sha}/restore")).send();
            assert_eq!(restore.status, *updating, "{permission} restore");
        }
        for (method, path) in
            [("GET", format!("/flow-drafts/{flow}")), ("GET", format!("/flow-versions/{flow}"))]
        {
            server.call(method, &path).send().is_error(401);
        }
    }
}

#[test]
fn a_version_of_another_type_needs_the_permission_of_both() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let chatflow = server.newest(&flow);
    server.change(&flow, &json!({"type": "AGENTFLOW"})).is(200);
    let body = json!({ "sha": chatflow });
    for (permissions, status) in [
        (&["agentflows:update"][..], 403),
        (&["chatflows:update"], 403),
        (&["agentflows:update", "chatflows:update"], 200),
    ] {
        let key = server.key(permissions);
        let key = key["apiKey"].as_str().unwrap();
        let path = format!("/flow-drafts/{flow}/rollback");
        let answer = server.call("POST", &path).bearer(key).json(&body).send();
        assert_eq!(answer.status, status, "{permissions:?} {answer:?}");
    }
    assert_eq!(server.record(&flow)["type"], "CHATFLOW");
}

#[test]
fn versions_of_another_type_are_for_those_who_may_see_that_type() {
    let server = Server::start();
    let flow = server.new_published("AGENTFLOW", "secret steps");
    let agentflow = server.newest(&flow);
    server.change(&flow, &json!({"type": "CHATFLOW", "flowData": canvas_answering("plain")})).is(200);
    let chatflow = server.newest(&flow);
    let visitor = |permissions: &[&str]| server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
    let get = |key: &str, path: &str| {
        server.call("GET", &format!("/flow-versions/{flow}{path}")).bearer(key).send()
    };
    let kinds = |key: &str| {
        let listed = get(key, "").is(200).json();
        listed["versions"].as_array().unwrap().iter().map(|one| one["kind"].clone()).collect::<Vec<_>>()
    };
    let (some, all) = (visitor(&["chatflows:view"]), visitor(&["chatflows:view", "agentflows:view"]));
    assert_eq!(kinds(&some), ["save"]);
    assert_eq!(kinds(&all), ["save", "publish", "create"]);
    server.app.history.clear_index().unwrap();
    assert_eq!(kinds(&some), ["save"], "also when the list was made anew");
    for path in [
        format!("/{agentflow}"),
        format!("/{agentflow}/diff?against=current"),
        format!("/{chatflow}/diff"),
        format!("/{chatflow}/diff?against={agentflow}"),
    ] {
        let refused = get(&some, &path).is_error(403);
        assert!(refused.contains("agentflows:view"), "{path}: {refused}");
        get(&all, &path).is(200);
    }
    get(&some, &format!("/{chatflow}")).is(200);
    get(&some, &format!("/{chatflow}/diff?against=current")).is(200);
    let writer = visitor(&["chatflows:update", "chatflows:view"]);
    let restore = format!("/flow-versions/{flow}/{agentflow}/restore");
    server.call("POST", &restore).bearer(&writer).send().is_error(403);
    let back = server.call("POST", &format!("/flow-drafts/{flow}/rollback")).bearer(&writer);
    back.json(&json!({ "sha": agentflow })).send().is_error(403);
}

#[test]
fn a_key_acts_under_the_name_of_the_service() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let key = server.key(&["chatflows:view", "chatflows:update"]);
    let key = key["apiKey"].as_str().unwrap();
    let body = json!({"flowData": canvas_answering("two")});
    let status =
        server.call("PUT", &format!("/flow-drafts/{flow}")).bearer(key).json(&body).send().is(200).json();
    assert_eq!(status["draft"]["updatedBy"], Value::Null);
    let answer =
        server.call("POST", &format!("/flow-drafts/{flow}/publish")).bearer(key).send().is(200).json();
    let version = &answer["version"];
    assert_eq!((&version["authorKind"], &version["authorId"]), (&json!("system"), &Value::Null));
    assert_eq!(version["author"], flowkeep::domain::flows::version::SYSTEM_AUTHOR);
}
