//! What happens between what the owner was shown and what becomes Live.

use super::{Pair, input, newest, saying};
use crate::support::canvases::Drawing;
use crate::support::id;
use serde_json::{Value, json};
use std::thread;

const CHANGED: &str = "What was shown has changed. Look again before you promote.";

/// A flow of Dev with a credential that Prod has too; the flow, and the credential there.
fn with_credential(pair: &Pair) -> (String, String) {
    let credential = |server: &crate::support::Server| {
        let body =
            json!({"name": "Key", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k-1"}});
        id(&server.post("/credentials", &body))
    };
    let (there, here) = (credential(&pair.dev), credential(&pair.prod));
    let mut drawing = Drawing::default();
    let model = drawing.card("chatOpenAI", json!({"modelName": "gpt"}));
    drawing.credential(&model, &there);
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&model, &chain, "model");
    let flow = pair.dev.flow(&drawing.text());
    pair.read_dev();
    (flow, here)
}

#[test]
fn whatever_changes_after_it_was_shown_is_refused_and_changes_nothing() {
    let (pair, flow) = Pair::with_promoted();
    let path = format!("/chatflows/{flow}");
    pair.change_on_dev(&flow, &saying("two"));
    let first = newest(&pair.prod, &flow);
    let changes: [(&str, &dyn Fn()); 4] = [
        ("a save", &|| drop(pair.prod.put(&path, &json!({"flowData": saying("saved here")})))),
        ("a draft", &|| {
            pair.prod.put(&format!("/flow-drafts/{flow}"), &json!({"flowData": saying("draft")}));
        }),
        ("a publish", &|| {
            drop(
                pair.prod
                    .post(&format!("/flow-drafts/{flow}/publish"), &json!({"overwriteLiveChanges": true})),
            );
        }),
        ("a roll back", &|| {
            pair.prod.post(&format!("/flow-drafts/{flow}/rollback"), &json!({ "sha": first }));
        }),
    ];
    for (what, change) in changes {
        let shown = pair.shown(&flow);
        change();
        let live = pair.live(&flow);
        assert_eq!(pair.promote_shown(&flow, &shown).is_error(409), CHANGED, "{what}");
        assert_eq!(pair.live(&flow), live, "{what}");
    }
    pair.promote(&flow).is(200);
}

#[test]
fn a_newer_version_after_it_was_shown_is_told() {
    let (pair, flow) = Pair::with_flow();
    let shown = pair.shown(&flow);
    pair.change_on_dev(&flow, &saying("two"));
    let said = pair.promote_shown(&flow, &shown).is_error(409);
    assert!(said.starts_with("Dev has a newer version of this flow"), "{said}");
    pair.prod.owner("GET", &format!("/chatflows/{flow}")).send().is_error(404);
}

#[test]
fn versions_of_other_flows_after_it_was_shown_change_nothing() {
    let (pair, flow) = Pair::with_flow();
    let shown = pair.shown(&flow);
    pair.dev.flow(&saying("another flow"));
    pair.read_dev();
    pair.promote_shown(&flow, &shown).is(200);
}

#[test]
fn a_flow_that_was_deleted_after_it_was_shown_is_not_made_anew() {
    let (pair, flow) = Pair::with_promoted();
    pair.change_on_dev(&flow, &saying("two"));
    let shown = pair.shown(&flow);
    pair.prod.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(pair.promote_shown(&flow, &shown).is_error(409), CHANGED);
    pair.prod.owner("GET", &format!("/chatflows/{flow}")).send().is_error(404);
    assert_eq!(pair.promote(&flow).is(200).json()["created"], true);
}

#[test]
fn a_credential_that_was_deleted_after_it_was_shown_is_missed() {
    let pair = Pair::start();
    let (flow, credential) = with_credential(&pair);
    let shown = pair.shown(&flow);
    let sha = shown["version"]["sha"].clone();
    pair.prod.owner("DELETE", &format!("/credentials/{credential}")).send().is(200);
    assert_eq!(pair.promote_shown(&flow, &shown).is_error(409), CHANGED);
    let said = pair.promote_with(&flow, &json!({ "sha": sha })).is_error(409);
    assert!(said.contains("'Key' (openAIApi)"), "{said}");
    let made = json!({"name": "Key", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k-2"}});
    pair.prod.post("/credentials", &made);
    assert_eq!(pair.promote_shown(&flow, &shown).is_error(409), CHANGED, "it is another credential");
    pair.promote(&flow).is(200);
}

#[test]
fn a_label_that_was_taken_away_ends_it() {
    let (pair, flow) = Pair::with_flow();
    let shown = pair.shown(&flow);
    super::label(&pair.prod, None);
    let said = pair.promote_shown(&flow, &shown).is_error(409);
    assert!(said.starts_with("Only a server that is labeled Prod"), "{said}");
}

#[test]
fn of_two_promotions_at_once_one_counts() {
    for is_new in [true, false] {
        let (pair, flow) = if is_new { Pair::with_flow() } else { Pair::with_promoted() };
        if !is_new {
            pair.change_on_dev(&flow, &saying("two"));
        }
        let shown = pair.shown(&flow);
        for digest in [true, false] {
            let mut body = json!({"sha": shown["version"]["sha"]});
            if digest {
                body["digest"] = shown["digest"].clone();
            }
            let statuses: Vec<u16> = thread::scope(|scope| {
                let calls: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| pair.promote_with(&flow, &body).status)).collect();
                calls.into_iter().map(|call| call.join().unwrap()).collect()
            });
            let good = statuses.iter().filter(|status| **status == 200).count();
            assert_eq!(good, usize::from(digest), "{statuses:?}");
            assert!(statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
        }
        let versions = pair.prod.read(&format!("/flow-versions/{flow}"));
        let promotions =
            versions["versions"].as_array().unwrap().iter().filter(|version| version["kind"] == "promote");
        assert_eq!(promotions.count(), if is_new { 1 } else { 2 });
    }
}

#[test]
fn saves_and_promotions_at_once_leave_what_the_history_says() {
    let (pair, flow) = Pair::with_promoted();
    let path = format!("/chatflows/{flow}");
    for round in 0..6 {
        let sha = pair.change_on_dev(&flow, &saying(&format!("dev {round}")));
        thread::scope(|scope| {
            let save = scope.spawn(|| {
                for at in 0..4 {
                    pair.prod.put(&path, &json!({"flowData": saying(&format!("here {round} {at}"))}));
                }
            });
            let promoted = pair.promote_with(&flow, &json!({ "sha": sha })).status;
            assert!([200, 409].contains(&promoted), "{promoted}");
            save.join().unwrap();
        });
        let newest = newest(&pair.prod, &flow);
        let held = pair.prod.read(&format!("/flow-versions/{flow}/{newest}"));
        let held: Value = serde_json::from_str(held["flowData"].as_str().unwrap()).unwrap();
        let live = pair.live(&flow);
        assert_eq!(input(&held, "chatScripted_0", "fallback"), input(&live, "chatScripted_0", "fallback"));
    }
}
