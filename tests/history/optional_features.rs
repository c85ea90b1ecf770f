//! Servers without drafts, servers without history, files in drafts, and asking a draft (manual 2.11, 5.5, 6.10).

use crate::editor::{KINDS, answer_of_canvas, canvas_answering};
use crate::support::{Server, canvases, id};
use serde_json::{Value, json};
use std::thread;

const DRAFTS_OFF: &str = "Drafts are off on this server.";
const HISTORY_OFF: &str = "Version history is off on this server.";

#[test]
fn without_drafts_the_canvas_saves_straight_to_live() {
    let server = Server::with(&[("SERVICE_DRAFTS", " OFF ")]);
    for kind in KINDS {
        let flow = server.new_draft(kind, "one");
        assert_eq!(server.live_answer(&flow), "one", "a new flow is Live at once");
        let status = server.draft(&flow);
        assert_eq!((&status["enabled"], &status["mode"]), (&json!(false), &json!("live")));
        assert_eq!((&status["reason"], &status["draft"]), (&json!("off"), &Value::Null));
        let first = server.newest(&flow);
        server.write_live(&flow, "two").is(200);
        assert_eq!(server.save_draft(&flow, "three").is_error(409), DRAFTS_OFF);
        assert_eq!(server.publish(&flow).is_error(409), DRAFTS_OFF);
        assert_eq!(server.set_publish_instantly(&flow, true).is_error(409), DRAFTS_OFF);
        assert_eq!(server.set_publish_instantly(&flow, false).is_error(409), DRAFTS_OFF);
        assert_eq!(server.roll_back(&flow, &first).is_error(409), DRAFTS_OFF);
        let discarded = server.owner("DELETE", &format!("/flow-drafts/{flow}")).send();
        assert_eq!(discarded.is_error(409), DRAFTS_OFF);
        let answer = server.restore(&flow, &first).is(200).json();
        assert_eq!((&answer["restoredTo"], &answer["version"]["kind"]), (&json!("live"), &json!("restore")));
        assert_eq!(server.live_answer(&flow), "one");
        assert_eq!(server.kinds(&flow), ["restore", "save", "create"]);
    }
    server.assert_settled();
}

#[test]
fn a_bad_body_is_refused_as_such_though_drafts_are_off() {
    let server = Server::with(&[("SERVICE_DRAFTS", "off")]);
    let flow = server.new_draft("CHATFLOW", "one");
    let cases = [
        ("PUT", "", json!({}), json!({ "flowData": canvas_answering("two") })),
        ("PUT", "", json!({"flowData": "no canvas"}), json!({ "flowData": canvas_answering("two") })),
        ("PUT", "/settings", json!({"publishInstantly": "yes"}), json!({"publishInstantly": true})),
        ("POST", "/publish", json!({"overwriteLiveChanges": 1}), json!({})),
        ("POST", "/rollback", json!({"sha": "not a sha"}), json!({"sha": server.newest(&flow)})),
        ("POST", "/rollback", json!({"sha": ""}), json!({"sha": server.newest(&flow)})),
    ];
    for (method, path, bad, good) in cases {
        let call = server.owner(method, &format!("/flow-drafts/{flow}{path}"));
        call.clone().json(&bad).send().is_error(400);
        assert_eq!(call.json(&good).send().is_error(409), DRAFTS_OFF, "{method} {path}");
    }
    assert_eq!(server.live_answer(&flow), "one");
}

#[test]
fn saved_drafts_return_when_drafts_are_turned_on_again() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    server.save_draft(&flow, "two").is(200);
    let server = server.restart_with(&[("SERVICE_DRAFTS", "no")]);
    assert_eq!(server.draft(&flow)["draft"], Value::Null);
    let body = json!({"question": "hi"});
    let asked = server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).send();
    assert_eq!(asked.is(200).json()["text"], "one");
    server.write_live(&flow, "three").is(200);
    let server = server.restart();
    let draft = server.draft(&flow);
    assert_eq!(
        (answer_of_canvas(&draft["draft"]["flowData"]).as_str(), &draft["draft"]["stale"]),
        ("two", &json!(true))
    );
}

#[test]
fn without_history_everything_else_works() {
    let server = Server::with(&[("SERVICE_VERSIONS", "0")]);
    for kind in KINDS {
        let flow = server.new_draft(kind, "one");
        let answer = server.publish(&flow).is(200).json();
        assert_eq!((&answer["version"], &answer["recorded"]), (&Value::Null, &json!(false)));
        assert_eq!((&answer["historyError"], &answer["unchanged"]), (&Value::Null, &json!(false)));
        assert_eq!(answer["status"]["lastPublished"]["sha"], Value::Null);
        assert!(answer["status"]["lastPublished"]["date"].is_string());
        assert_eq!(server.live_answer(&flow), "one");
        let off = json!({"enabled": false, "versions": [], "lastError": null, "liveSha": null, "lastPublished": null});
        assert_eq!(server.history(&flow), off);
        let sha = "0123456789";
        let wanted = format!("Version {sha} was not found for this flow");
        for path in [format!("/flow-versions/{flow}/{sha}"), format!("/flow-versions/{flow}/{sha}/diff")] {
            assert_eq!(server.owner("GET", &path).send().is_error(404), wanted);
        }
        assert_eq!(server.restore(&flow, sha).is_error(409), HISTORY_OFF);
        assert_eq!(server.roll_back(&flow, sha).is_error(409), HISTORY_OFF);
        server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    }
    assert_eq!(server.read("/flow-versions/status"), json!({"enabled": false}));
    assert!(!server.repository().exists(), "nothing was made");
    assert_eq!(server.unrecorded_count(), 0);
}

#[test]
fn history_is_left_as_it_is_while_it_is_off() {
    let server = Server::start();
    assert_eq!(server.read("/flow-versions/status"), json!({"enabled": true}));
    let flow = server.new_published("CHATFLOW", "one");
    let tip = server.git(&["rev-parse", "main"]);
    let server = server.restart_with(&[("SERVICE_VERSIONS", "False")]);
    server.write_live(&flow, "two").is(200);
    assert_eq!(server.git(&["rev-parse", "main"]), tip);
    let server = server.restart();
    let history = server.history(&flow);
    assert_eq!(history["versions"].as_array().unwrap().len(), 2, "the save made meanwhile is not in it");
    assert_eq!(history["liveSha"], Value::Null);
    server.write_live(&flow, "three").is(200);
    assert_eq!(server.history(&flow)["liveSha"], server.newest(&flow));
    server.assert_settled();
}

#[test]
fn a_folder_of_its_own_holds_the_history() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("elsewhere");
    let server = Server::with(&[("SERVICE_VERSIONS_DIR", place.to_str().unwrap())]);
    server.new_published("CHATFLOW", "one");
    assert!(!server.repository().exists());
    crate::editor::assert_sound_repository(&place);
    assert_eq!(crate::editor::git(&place, &["rev-list", "--count", "main"]).trim(), "3");
}

#[test]
fn a_flow_posted_with_publish_instantly_is_live_at_once() {
    let server = Server::start();
    for kind in KINDS {
        let body =
            json!({"name": "F", "type": kind, "flowData": canvas_answering("one"), "publishInstantly": true});
        let flow = id(&server.post("/chatflows", &body));
        assert_eq!((server.live_answer(&flow).as_str(), server.draft_answer(&flow)), ("one", None));
        assert_eq!(server.draft(&flow)["reason"], "publish-instantly");
        assert_eq!(server.kinds(&flow), ["create"]);
        let empty = id(&server.post("/chatflows", &json!({"name": "F", "type": kind})));
        assert_eq!(server.draft_answer(&empty), None, "an empty canvas makes no draft");
    }
}

#[test]
fn the_canvas_chat_runs_the_draft_and_live_when_told() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "live answer");
    let ask = |source: Value| {
        let mut body = json!({"question": "hi"});
        if !source.is_null() {
            body["source"] = source;
        }
        server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).send()
    };
    let text = |source: Value| ask(source).is(200).json()["text"].as_str().unwrap().to_owned();
    assert_eq!(text(Value::Null), "live answer");
    server.save_draft(&flow, "draft answer").is(200);
    assert_eq!(text(Value::Null), "draft answer");
    assert_eq!(text(json!("draft")), "draft answer");
    assert_eq!(text(json!("live")), "live answer");
    ask(json!("elsewhere")).is_error(400);
    assert_eq!(server.ask(&flow, &json!({"question": "hi"})).is(200).json()["text"], "live answer");
    server.publish(&flow).is(200);
    assert_eq!(text(json!("live")), "draft answer");
}

#[test]
fn the_canvas_chat_runs_a_draft_that_was_never_published() {
    let server = Server::start();
    let flow = server.new_draft("CHATFLOW", "draft answer");
    let body = json!({"question": "hi"});
    let asked = server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).send();
    assert_eq!(asked.is(200).json()["text"], "draft answer");
    let live = json!({"question": "hi", "source": "live"});
    server.owner("POST", &format!("/internal-prediction/{flow}")).json(&live).send().is_error(404);
}

/// A canvas with a card that holds a file a person just chose.
fn with_file(content: &str, text: &str) -> String {
    let mut canvas: Value = serde_json::from_str(&canvas_answering(text)).unwrap();
    let data: String = base64_of(content);
    canvas["nodes"][0]["data"]["inputs"]["txtFile"] =
        json!(format!("data:text/plain;base64,{data},filename:notes.txt"));
    canvas.to_string()
}

fn base64_of(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// The name the file of [`with_file`] got.
fn stored_file_name(canvas: &Value) -> String {
    let canvas: Value = serde_json::from_str(canvas.as_str().unwrap()).unwrap();
    let name = canvas["nodes"][0]["data"]["inputs"]["txtFile"].as_str().unwrap().to_owned();
    name.strip_prefix("FILE-STORAGE::").unwrap_or_else(|| panic!("{name}")).to_owned()
}

#[test]
fn the_files_of_a_draft_are_moved_into_place_by_publish() {
    let server = Server::start();
    for kind in KINDS {
        let flow = server.new_published(kind, "one");
        let status = server.save_canvas(&flow, &with_file("first words", "two")).is(200).json();
        let draft = stored_file_name(&status["draft"]["flowData"]);
        let random = draft.strip_prefix("draft-").unwrap().strip_suffix("-notes.txt").unwrap();
        assert_eq!(random.len(), 24, "16 at random, and the sum of what it holds: {draft}");
        let with = |text: &str| -> Vec<String> { server.file_names(&flow, text) };
        assert_eq!(with("first words"), std::slice::from_ref(&draft));
        server.publish(&flow).is(200);
        let live = stored_file_name(&server.record(&flow)["flowData"]);
        assert_eq!((live.as_str(), with("first words")), (&draft["draft-".len()..], vec![live.clone()]));

        let status = server.save_canvas(&flow, &with_file("other words", "three")).is(200).json();
        let second = stored_file_name(&status["draft"]["flowData"]);
        assert_ne!(second, draft);
        assert_eq!(with("first words"), std::slice::from_ref(&live), "a draft replaces no file of Live");
        server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
        assert_eq!((with("first words").len(), with("other words").len()), (1, 0));
        let first_version = server.newest(&flow);
        server.write_live(&flow, "no file").is(200);
        server.roll_back(&flow, &first_version).is(200);
        assert_eq!(stored_file_name(&server.record(&flow)["flowData"]), live);
        assert_eq!(with("first words").len(), 1, "a version that names a file can still be put Live");
        server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
        assert_eq!(with("first words").len(), 0);
    }
    assert!(!server.git(&["log", "-p", "--all"]).contains(&base64_of("first words")));
}

impl Server {
    /// The names of this flow's stored files that hold `text`.
    fn file_names(&self, flow: &str, text: &str) -> Vec<String> {
        let found =
            self.files_with(text).into_iter().filter(|path| path.contains("/files/") && path.contains(flow));
        found.map(|path| path.rsplit('/').next().unwrap().to_owned()).collect()
    }
}

#[test]
fn publishes_of_one_draft_at_once_leave_live_its_file() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    for round in 0..10 {
        let words = format!("words of {round}");
        server.save_canvas(&flow, &with_file(&words, "two")).is(200);
        let statuses: Vec<u16> = thread::scope(|scope| {
            let publish = || server.publish(&flow).status;
            let all: Vec<_> = (0..3).map(|_| scope.spawn(publish)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(
            statuses.contains(&200) && statuses.iter().all(|status| [200, 409].contains(status)),
            "{statuses:?}"
        );
        let live = stored_file_name(&server.record(&flow)["flowData"]);
        assert_eq!(server.file_names(&flow, &words), [live]);
    }
}

/// A canvas with this card, and one that names a file that is not here.
fn with_a_missing_file(canvas: &str) -> String {
    let mut canvas: Value = serde_json::from_str(canvas).unwrap();
    let nodes = canvas["nodes"].as_array_mut().unwrap();
    let mut other = nodes[0].clone();
    (other["id"], other["data"]["id"]) = (json!("other_0"), json!("other_0"));
    other["data"]["inputs"]["txtFile"] = json!("FILE-STORAGE::draft-0123456789abcdef-gone.txt");
    nodes.push(other);
    canvas.to_string()
}

#[test]
fn what_is_refused_takes_no_file_from_live_and_leaves_none_behind() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let status = server.save_canvas(&flow, &with_file("first words", "two")).is(200).json();
    let of_draft = status["draft"]["flowData"].as_str().unwrap().to_owned();
    server.publish(&flow).is(200);
    let live = stored_file_name(&server.record(&flow)["flowData"]);
    // An editor still holds the names of the draft.
    server.save_canvas(&flow, &with_a_missing_file(&of_draft)).is(200);
    server.publish(&flow).is_error(400);
    server.change(&flow, &json!({"flowData": with_a_missing_file(&of_draft)})).is_error(400);
    assert_eq!(server.file_names(&flow, "first words"), std::slice::from_ref(&live));
    server.save_canvas(&flow, &of_draft.replace("two", "three")).is(200);
    server.publish(&flow).is(200);
    assert_eq!(stored_file_name(&server.record(&flow)["flowData"]), live, "it is the same file");
    assert_eq!(server.file_names(&flow, "first words"), [live]);
    let refused = with_a_missing_file(&with_file("other words", "four"));
    server.change(&flow, &json!({ "flowData": refused })).is_error(400);
    assert!(server.file_names(&flow, "other words").is_empty());
}

#[test]
fn a_draft_may_hold_what_does_not_run() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let broken = json!({"nodes": [{"id": "x"}], "edges": [{"source": "gone"}]}).to_string();
    server.save_canvas(&flow, &broken).is(200);
    assert_eq!(server.draft(&flow)["draft"]["flowData"], broken);
    let prompted = canvases::prompted_chain("Say {x}", "");
    server.save_canvas(&flow, &prompted).is(200);
    assert_eq!(server.draft(&flow)["draft"]["flowData"], prompted, "a canvas is kept to the letter");
}

#[test]
fn a_new_flow_with_notes_alone_keeps_them_in_its_draft() {
    let server = Server::start();
    let mut drawing = canvases::Drawing::default();
    drawing.card("stickyNote", json!({"note": "to do"}));
    let body = json!({"name": "F", "type": "CHATFLOW", "flowData": drawing.text()});
    let flow = id(&server.post("/chatflows", &body));
    assert_eq!(server.draft(&flow)["draft"]["flowData"], drawing.text());
    assert_eq!(server.record(&flow)["flowData"], r#"{"nodes":[],"edges":[]}"#);
}

#[test]
fn live_has_files_of_its_own_even_when_an_editor_sends_those_of_the_draft() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let status = server.save_canvas(&flow, &with_file("first words", "two")).is(200).json();
    let canvas = status["draft"]["flowData"].as_str().unwrap();
    server.change(&flow, &json!({ "flowData": canvas })).is(200);
    let live = stored_file_name(&server.record(&flow)["flowData"]);
    assert!(!live.starts_with("draft-"), "{live}");
    server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
    assert_eq!(server.file_names(&flow, "first words"), [live]);
    let gone = canvas.replace("notes.txt", "other.txt");
    server.change(&flow, &json!({ "flowData": gone })).is_error(400);
    server.save_canvas(&flow, &gone).is(200);
    server.publish(&flow).is_error(400);
}

#[test]
fn a_list_without_canvases_tells_the_state_of_each_flow() {
    let server = Server::start();
    let drafted = server.new_draft("CHATFLOW", "one");
    let published = server.new_published("CHATFLOW", "two");
    let stale = server.new_published("CHATFLOW", "three");
    server.save_draft(&stale, "four").is(200);
    server.write_live(&stale, "five").is(200);
    let straight = server.new_published("CHATFLOW", "six");
    server.set_publish_instantly(&straight, true).is(200);
    let list = server.read("/chatflows?fields=summary");
    let state = |flow: &str| {
        let row = list.as_array().unwrap().iter().find(|row| row["id"] == flow).unwrap();
        assert!(row.get("flowData").is_none() && row["name"] == "Flow", "{row}");
        row["state"].clone()
    };
    for (flow, has_live, has_draft) in
        [(&drafted, false, true), (&published, true, false), (&stale, true, true), (&straight, true, false)]
    {
        let state = state(flow);
        assert_eq!((&state["hasLive"], state["draft"].is_object()), (&json!(has_live), has_draft), "{state}");
        let mut status = server.draft(flow);
        if let Some(draft) = status["draft"].as_object_mut() {
            draft.remove("flowData");
        }
        status["hasLive"] = has_live.into();
        assert_eq!(state, status);
    }
    assert_eq!(state(&stale)["draft"]["stale"], true);
    assert_eq!(state(&straight)["reason"], "publish-instantly");
    let page = server.read("/chatflows?fields=summary&page=1&limit=3");
    assert_eq!((page["data"].as_array().unwrap().len(), &page["total"]), (3, &json!(4)));
    server.owner("GET", "/chatflows?fields=everything").send().is_error(400);
}
