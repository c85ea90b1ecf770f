//! Every row of the table of Live and drafts (manual 5.9), for chatflows and agentflows, in the order of the table.

use crate::editor::{KINDS, canvas_answering};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// Runs a row for each kind of flow that has drafts.
fn each(row: impl Fn(&Server, &str)) {
    let server = Server::start();
    for kind in KINDS {
        row(&server, kind);
    }
    server.assert_settled();
}

#[test]
fn a_new_flow_serves_nothing_before_its_first_publish() {
    each(|server, kind| {
        let flow = server.new_draft(kind, "one");
        assert_eq!(server.record(&flow)["flowData"], r#"{"nodes":[],"edges":[]}"#);
        assert_eq!(server.draft_answer(&flow).as_deref(), Some("one"));
        assert_eq!(server.kinds(&flow), ["create"]);
        assert_eq!(server.draft(&flow)["lastPublished"], Value::Null);
        let unpublished = server.ask(&flow, &json!({"question": "hi"})).is_error(404);
        assert!(unpublished.contains(&flow), "{unpublished}");

        let answer = server.publish(&flow).is(200).json();
        assert_eq!(answer["version"]["kind"], "publish");
        assert_eq!((server.live_answer(&flow).as_str(), server.draft_answer(&flow)), ("one", None));
        assert_eq!(server.kinds(&flow), ["publish", "create"]);
        if kind == "CHATFLOW" {
            assert_eq!(server.ask(&flow, &json!({"question": "hi"})).is(200).json()["text"], "one");
        }
    });
}

#[test]
fn saving_a_draft_leaves_live_untouched() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        let before = server.record(&flow);
        let status = server.save_draft(&flow, "two").is(200).json();
        assert_eq!(status, server.draft(&flow));
        assert_eq!(server.record(&flow), before);
        assert_eq!((&status["mode"], &status["reason"]), (&json!("draft"), &Value::Null));
        assert_eq!((&status["enabled"], &status["publishInstantly"]), (&json!(true), &json!(false)));
        assert_eq!(status["draft"]["stale"], false);
        assert!(status["draft"]["updatedBy"].is_string() && status["draft"]["updatedDate"].is_string());
        assert_eq!(server.draft_answer(&flow).as_deref(), Some("two"));
        assert_eq!(server.kinds(&flow), ["publish", "create"], "a draft is no version");
    });
}

#[test]
fn a_draft_that_equals_live_goes() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        server.save_draft(&flow, "two").is(200);
        let status = server.save_draft(&flow, "one").is(200).json();
        assert_eq!(status["draft"], Value::Null);
        assert_eq!(server.kinds(&flow).len(), 2);
    });
}

#[test]
fn discarding_a_draft_leaves_live_untouched() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        server.save_draft(&flow, "two").is(200);
        let discard = || server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200).json();
        assert_eq!(discard()["draft"], Value::Null);
        assert_eq!(discard()["draft"], Value::Null, "discarding nothing is no error");
        assert_eq!(server.live_answer(&flow), "one");
        server.publish(&flow).is_error(409);
    });
}

#[test]
fn publishing_makes_the_draft_live_and_records_the_caller() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        server.save_draft(&flow, "two").is(200);
        let answer = server.publish(&flow).is(200).json();
        let version = &answer["version"];
        assert_eq!((&answer["unchanged"], &answer["recorded"]), (&json!(false), &json!(true)));
        assert_eq!(answer["historyError"], Value::Null);
        assert_eq!((&version["kind"], &version["published"]), (&json!("publish"), &json!(true)));
        assert_eq!((&version["author"], &version["authorKind"]), (&json!("Ada"), &json!("user")));
        assert!(version["title"].as_str().unwrap().starts_with("Published: "), "{version}");
        let record = server.record(&flow);
        let brief = json!({"id": flow, "name": "Flow", "type": kind, "updatedDate": record["updatedDate"]});
        assert_eq!(answer["chatflow"], brief);
        assert_eq!(answer["status"], server.draft(&flow));
        assert_eq!(answer["status"]["draft"], Value::Null);
        assert_eq!(answer["status"]["lastPublished"]["sha"], version["sha"]);
        assert_eq!(server.live_answer(&flow), "two");
        assert_eq!(server.history(&flow)["liveSha"], version["sha"]);
    });
}

#[test]
fn a_stale_draft_is_not_published_by_mistake() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        server.save_draft(&flow, "two").is(200);
        server.write_live(&flow, "other").is(200);
        assert_eq!(server.draft(&flow)["draft"]["stale"], true);
        let body = json!({"overwriteLiveChanges": false});
        server.publish(&flow).is_error(409);
        server.owner("POST", &format!("/flow-drafts/{flow}/publish")).json(&body).send().is_error(409);
        assert_eq!(
            (server.live_answer(&flow).as_str(), server.draft_answer(&flow).as_deref()),
            ("other", Some("two"))
        );
        assert_eq!(server.kinds(&flow), ["save", "publish", "create"]);
    });
}

#[test]
fn a_stale_draft_is_published_when_the_caller_says_so() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        server.save_draft(&flow, "two").is(200);
        server.write_live(&flow, "other").is(200);
        let answer = server.publish_over(&flow).is(200).json();
        assert_eq!((&answer["recorded"], &answer["version"]["kind"]), (&json!(true), &json!("publish")));
        assert_eq!((server.live_answer(&flow).as_str(), server.draft_answer(&flow)), ("two", None));
    });
}

#[test]
fn publishing_what_is_live_clears_the_draft_and_records_nothing() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        server.save_draft(&flow, "two").is(200);
        server.write_live(&flow, "two").is(200);
        let before = server.kinds(&flow);
        let answer = server.publish(&flow).is(200).json();
        assert_eq!(
            (&answer["unchanged"], &answer["recorded"], &answer["version"], &answer["historyError"]),
            (&json!(true), &json!(false), &Value::Null, &Value::Null)
        );
        assert_eq!(answer["status"]["draft"], Value::Null);
        assert_eq!((server.draft_answer(&flow), server.kinds(&flow)), (None, before));
    });
}

#[test]
fn rolling_back_brings_name_category_and_canvas_and_keeps_the_draft_fresh() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        let first = server.newest(&flow);
        server
            .change(&flow, &json!({"name": "Renamed", "category": "b", "flowData": canvas_answering("two")}))
            .is(200);
        server.save_draft(&flow, "three").is(200);
        let answer = server.roll_back(&flow, &first).is(200).json();
        assert_eq!((&answer["restoredTo"], &answer["unchanged"]), (&json!("live"), &json!(false)));
        assert_eq!(answer["restoredFrom"], first[..7]);
        assert_eq!((&answer["recorded"], &answer["version"]["kind"]), (&json!(true), &json!("rollback")));
        let title = answer["version"]["title"].as_str().unwrap();
        assert!(title.starts_with("Rolled back Live to: Published: "), "{title}");
        assert!(title.ends_with(&format!(" ({})", &first[..7])), "{title}");
        let record = server.record(&flow);
        assert_eq!((&record["name"], &record["category"]), (&json!("Flow"), &Value::Null));
        assert_eq!(server.live_answer(&flow), "one");
        assert_eq!(answer["status"], server.draft(&flow));
        assert_eq!(answer["status"]["draft"]["stale"], false);
        assert_eq!(answer["status"]["lastPublished"]["sha"], answer["version"]["sha"]);
        assert_eq!(server.draft_answer(&flow).as_deref(), Some("three"));
        server.publish(&flow).is(200);
        assert_eq!(server.live_answer(&flow), "three");
    });
}

#[test]
fn rolling_back_to_what_is_live_changes_nothing() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        let before = server.record(&flow);
        let answer = server.roll_back(&flow, &server.newest(&flow)).is(200).json();
        assert_eq!((&answer["unchanged"], &answer["recorded"]), (&json!(true), &json!(false)));
        assert_eq!((&answer["version"], &answer["historyError"]), (&Value::Null, &Value::Null));
        assert_eq!(server.record(&flow), before);
    });
}

#[test]
fn rolling_back_brings_the_type_back_when_nothing_is_unpublished() {
    each(|server, kind| {
        let other = KINDS.into_iter().find(|other| *other != kind).unwrap();
        let flow = server.new_published(kind, "one");
        let first = server.newest(&flow);
        server.change(&flow, &json!({ "type": other })).is(200);
        assert_eq!(server.history(&flow)["liveSha"], server.newest(&flow));
        let answer = server.roll_back(&flow, &first).is(200).json();
        assert_eq!(
            (&answer["chatflow"]["type"], &server.record(&flow)["type"]),
            (&json!(kind), &json!(kind))
        );
    });
}

#[test]
fn a_save_through_the_chatflow_api_makes_the_draft_stale() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        server.write_live(&flow, "two").is(200);
        assert_eq!(server.draft(&flow)["draft"], Value::Null);
        server.save_draft(&flow, "draft").is(200);
        server.change(&flow, &json!({"chatbotConfig": {"title": "x"}})).is(200);
        assert_eq!(server.draft(&flow)["draft"]["stale"], false, "settings are not part of a draft");
        server.write_live(&flow, "three").is(200);
        assert_eq!(server.draft(&flow)["draft"]["stale"], true);
        server.save_draft(&flow, "draft again").is(200);
        assert_eq!(server.draft(&flow)["draft"]["stale"], true, "another save hides nothing");
        server.write_live(&flow, "two").is(200);
        assert_eq!(server.draft(&flow)["draft"]["stale"], false, "Live is again what the draft started from");
    });
}

#[test]
fn publish_instantly_sends_edits_straight_to_live() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        let status = server.set_publish_instantly(&flow, true).is(200).json();
        assert_eq!((&status["mode"], &status["reason"]), (&json!("live"), &json!("publish-instantly")));
        assert_eq!(status["publishInstantly"], true);
        assert_eq!(server.kinds(&flow)[0], "save");
        assert_eq!(server.versions(&flow)[0]["title"], "The setting Publish instantly changed");
        server.save_draft(&flow, "two").is_error(409);
        server.write_live(&flow, "two").is(200);
        assert_eq!((server.live_answer(&flow).as_str(), server.draft_answer(&flow)), ("two", None));
        let status = server.set_publish_instantly(&flow, false).is(200).json();
        assert_eq!((&status["mode"], &status["reason"]), (&json!("draft"), &Value::Null));
    });
}

#[test]
fn publish_instantly_is_not_turned_on_over_unpublished_changes() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        server.save_draft(&flow, "two").is(200);
        server.set_publish_instantly(&flow, true).is_error(409);
        server.change(&flow, &json!({"publishInstantly": true})).is_error(409);
        server.set_publish_instantly(&flow, false).is(200);
        assert_eq!(server.draft(&flow)["mode"], "draft");
        assert_eq!(server.draft_answer(&flow).as_deref(), Some("two"));
    });
}

#[test]
fn restoring_in_draft_mode_touches_the_draft_only() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        let first = server.newest(&flow);
        server.change(&flow, &json!({"name": "Renamed", "flowData": canvas_answering("two")})).is(200);
        server.save_draft(&flow, "three").is(200);
        let (before, kinds) = (server.record(&flow), server.kinds(&flow));
        let answer = server.restore(&flow, &first).is(200).json();
        assert_eq!((&answer["restoredTo"], &answer["unchanged"]), (&json!("draft"), &json!(false)));
        assert_eq!((&answer["version"], &answer["recorded"]), (&Value::Null, &json!(false)));
        assert_eq!(answer["draft"], server.draft(&flow));
        assert_eq!(server.draft_answer(&flow).as_deref(), Some("one"));
        assert_eq!((server.record(&flow), server.kinds(&flow)), (before, kinds));
        server.publish(&flow).is(200);
        assert_eq!(
            (server.live_answer(&flow).as_str(), &server.record(&flow)["name"]),
            ("one", &json!("Renamed"))
        );
    });
}

#[test]
fn restoring_what_is_live_into_the_draft_says_unchanged() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        let answer = server.restore(&flow, &server.newest(&flow)).is(200).json();
        assert_eq!((&answer["restoredTo"], &answer["unchanged"]), (&json!("draft"), &json!(true)));
        assert_eq!(answer["draft"]["draft"], Value::Null, "what is Live leaves nothing to publish");
    });
}

#[test]
fn restoring_in_live_mode_writes_live() {
    each(|server, kind| {
        let flow = server.new_published(kind, "one");
        let first = server.newest(&flow);
        server.set_publish_instantly(&flow, true).is(200);
        server.change(&flow, &json!({"name": "Renamed", "flowData": canvas_answering("two")})).is(200);
        let answer = server.restore(&flow, &first[..7]).is(200).json();
        assert_eq!((&answer["restoredTo"], &answer["version"]["kind"]), (&json!("live"), &json!("restore")));
        assert_eq!(answer["version"]["published"], false);
        assert!(answer.get("draft").is_none() && answer.get("status").is_none());
        let title = answer["version"]["title"].as_str().unwrap();
        assert!(
            title.starts_with("Restored: ") && title.ends_with(&format!(" ({})", &first[..7])),
            "{title}"
        );
        assert_eq!(
            (server.live_answer(&flow).as_str(), &server.record(&flow)["name"]),
            ("one", &json!("Flow"))
        );
        assert_eq!(server.record(&flow)["publishInstantly"], true, "settings are never restored");
        let again = server.restore(&flow, &first).is(200).json();
        assert_eq!((&again["unchanged"], &again["recorded"]), (&json!(true), &json!(false)));
    });
}

#[test]
fn a_save_of_settings_alone_is_a_version_that_names_them() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let key = id(&server.key(&["chatflows:view"]));
    for (body, title) in [
        (
            json!({"apiConfig": json!({"rateLimit": {"status": true}}).to_string()}),
            "The setting rate limit changed",
        ),
        (json!({ "apikeyid": key }), "The setting API key changed"),
        (json!({"isPublic": true}), "The setting sharing changed"),
    ] {
        server.change(&flow, &body).is(200);
        assert_eq!(server.versions(&flow)[0]["title"], title);
        server.change(&flow, &body).is(200);
        assert_ne!(server.versions(&flow)[1]["title"], title, "the same again is no version");
    }
    server.assert_settled();
}
