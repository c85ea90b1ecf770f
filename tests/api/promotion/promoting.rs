//! Making a version of Dev Live.

use super::{Pair, input, newest, saying};
use crate::harness::Team;
use crate::support::canvases::Drawing;
use crate::support::id;
use crate::support::provider::Provider;
use serde_json::{Value, json};

#[test]
fn a_flow_that_is_not_here_is_made_under_its_id_on_dev() {
    let (pair, flow) = Pair::with_flow();
    let sha = newest(&pair.dev, &flow);
    let title = pair.shown(&flow)["version"]["title"].as_str().unwrap().to_owned();
    let answer = pair.promote(&flow).is(200).json();
    assert_eq!(
        [
            &answer["created"],
            &answer["hasDraft"],
            &answer["restoredTo"],
            &answer["unchanged"],
            &answer["recorded"]
        ],
        [&json!(true), &json!(false), &json!("live"), &json!(false), &json!(true)]
    );
    assert_eq!((&answer["restoredFrom"], &answer["chatflow"]["id"]), (&json!(sha[..7]), &json!(flow)));
    let version = &answer["version"];
    assert_eq!(
        [&version["kind"], &version["promotedFrom"], &version["published"]],
        [&json!("promote"), &json!(sha), &json!(true)]
    );
    assert_eq!(version["title"], format!("Promoted from Dev: {title} ({})", &sha[..7]));
    let asked = pair.prod.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    assert_eq!(asked["text"], "one");
    let audit = pair.prod.read("/audit?limit=1&page=1");
    assert!(audit.to_string().contains("flow-promoted"), "{audit}");
}

#[test]
fn an_update_takes_name_tags_and_canvas_and_leaves_settings() {
    let (pair, flow) = Pair::with_promoted();
    pair.prod.put(&format!("/chatflows/{flow}"), &json!({"chatbotConfig": "{\"botMessage\": {\"x\": 1}}"}));
    let change = json!({"name": "Renamed", "category": "a;b", "flowData": saying("two"), "isPublic": true});
    pair.dev.put(&format!("/chatflows/{flow}"), &change);
    pair.read_dev();
    assert_eq!(pair.shown(&flow)["diff"]["renamed"], json!({"from": "Flow", "to": "Renamed"}));
    let answer = pair.promote(&flow).is(200).json();
    assert_eq!(answer["created"], false);
    let record = pair.prod.read(&format!("/chatflows/{flow}"));
    assert_eq!([&record["name"], &record["category"]], [&json!("Renamed"), &json!("a;b")]);
    assert!(record["chatbotConfig"].as_str().unwrap().contains("botMessage"), "{record}");
    assert_ne!(record["isPublic"], true);
    assert_eq!(input(&pair.live(&flow), "chatScripted_0", "fallback"), "two");
}

#[test]
fn a_sha_is_forty_lower_case_hex_digits() {
    let (pair, flow) = Pair::with_flow();
    let sha = newest(&pair.dev, &flow);
    for bad in [sha[..39].to_owned(), format!("{sha}0"), sha.to_uppercase(), String::new(), "g".repeat(40)] {
        if bad == sha {
            continue;
        }
        let said = pair.promote_with(&flow, &json!({ "sha": bad })).is_error(400);
        assert!(said.starts_with("Invalid sha"), "{bad}: {said}");
    }
    for body in [json!({}), json!({"sha": 7}), json!({"sha": sha, "digest": 7}), json!({"sha": null})] {
        pair.promote_with(&flow, &body).is_error(400);
    }
    assert_eq!(pair.offers().len(), 1, "nothing was promoted");
    pair.promote_with(&flow, &json!({ "sha": sha })).is(200);
}

#[test]
fn only_the_newest_version_of_dev_is_promoted() {
    let (pair, flow) = Pair::with_flow();
    let older = newest(&pair.dev, &flow);
    let newer = pair.change_on_dev(&flow, &saying("two"));
    let said = pair.promote_with(&flow, &json!({ "sha": older })).is_error(409);
    assert_eq!(said, "Dev has a newer version of this flow by now. Look at that one, then promote it.");
    let said = pair.promote_with(&flow, &json!({"sha": "a".repeat(40)})).is_error(409);
    assert_eq!(said, "This version is not offered any more, so nothing was promoted.");
    pair.promote_with(&flow, &json!({ "sha": newer })).is(200);
    let said = pair.promote_with(&flow, &json!({ "sha": newer })).is_error(409);
    assert_eq!(said, "This version is not offered any more, so nothing was promoted.");
}

#[test]
fn a_draft_here_stays_and_turns_stale() {
    let (pair, flow) = Pair::with_promoted();
    let draft = format!("/flow-drafts/{flow}");
    pair.prod.put(&draft, &json!({"flowData": saying("my draft")}));
    pair.change_on_dev(&flow, &saying("two"));
    assert_eq!(pair.offers()[0]["hasDraft"], true);
    assert_eq!(pair.promote(&flow).is(200).json()["hasDraft"], true);
    let status = pair.prod.read(&draft);
    assert_eq!(status["draft"]["stale"], true);
    assert!(status["draft"]["flowData"].as_str().unwrap().contains("my draft"));
    assert_eq!(pair.prod.ask(&flow, &json!({"question": "Hi"})).json()["text"], "two");
}

#[test]
fn another_type_is_not_promoted_over_a_draft() {
    let (pair, flow) = Pair::with_promoted();
    pair.prod.put(&format!("/flow-drafts/{flow}"), &json!({"flowData": saying("my draft")}));
    pair.dev.put(&format!("/chatflows/{flow}"), &json!({"type": "ETL", "name": "Other"}));
    pair.read_dev();
    assert_eq!(pair.shown(&flow)["checkUnavailable"]["code"], "type");
    let said = pair.promote(&flow).is_error(409);
    assert!(said.starts_with("This flow has unpublished changes."), "{said}");
    assert_eq!(pair.prod.read(&format!("/chatflows/{flow}"))["name"], "Flow");
    pair.prod.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
    pair.promote(&flow).is(200);
    assert_eq!(pair.prod.read(&format!("/chatflows/{flow}"))["type"], "ETL");
}

#[test]
fn a_harness_whose_name_another_one_has_here_is_not_promoted() {
    let (pair, provider) = (Pair::start(), Provider::start());
    let team = Team::of(&provider, &["ann"]);
    let flow = team.flow(&pair.dev);
    let other = Team::of(&provider, &["bob"]).flow(&pair.prod);
    pair.read_dev();
    let said = pair.promote(&flow).is_error(409);
    assert!(said.contains("harness"), "{said}");
    pair.prod.owner("GET", &format!("/chatflows/{flow}")).send().is_error(404);
    let listed = pair.prod.read("/harnesses");
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["flowId"]), (1, &json!(other)));
    // Nothing of it is left in the way of the name once it is free.
    let renamed = Team::of(&provider, &["bob"]).called("other").text();
    pair.prod.put(&format!("/chatflows/{other}"), &json!({ "flowData": renamed }));
    pair.promote(&flow).is(200);
    assert_eq!(pair.prod.read("/harnesses").as_array().unwrap().len(), 2);
}

#[test]
fn a_roll_back_here_stays_until_dev_has_something_newer() {
    let (pair, flow) = Pair::with_promoted();
    let first = newest(&pair.prod, &flow);
    pair.change_on_dev(&flow, &saying("two"));
    pair.promote(&flow).is(200);
    pair.prod.post(&format!("/flow-drafts/{flow}/rollback"), &json!({ "sha": first }));
    assert_eq!(pair.offers(), Vec::<Value>::new(), "what was rolled back is not offered again");
    assert_eq!(pair.prod.ask(&flow, &json!({"question": "Hi"})).json()["text"], "one");
    pair.change_on_dev(&flow, &saying("three"));
    pair.promote(&flow).is(200);
    let kinds: Vec<Value> = pair.prod.read(&format!("/flow-versions/{flow}"))["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["kind"].clone())
        .collect();
    assert_eq!(kinds, ["promote", "rollback", "promote", "promote"]);
}

#[test]
fn a_roll_back_on_dev_is_a_version_to_promote() {
    let (pair, flow) = Pair::with_promoted();
    let first = newest(&pair.dev, &flow);
    pair.change_on_dev(&flow, &saying("two"));
    pair.promote(&flow).is(200);
    pair.dev.post(&format!("/flow-drafts/{flow}/rollback"), &json!({ "sha": first }));
    pair.read_dev();
    let entry = pair.offers().remove(0);
    assert!(entry["version"]["title"].as_str().unwrap().starts_with("Rolled back Live to: "), "{entry}");
    pair.promote(&flow).is(200);
    assert_eq!(pair.prod.ask(&flow, &json!({"question": "Hi"})).json()["text"], "one");
}

#[test]
fn passwords_that_no_history_holds_stay_as_they_are_here() {
    let pair = Pair::start();
    let canvas = |password: &str, prompt: &str| {
        let mut drawing = Drawing::default();
        let model = drawing.card("chatScripted", json!({"fallback": prompt}));
        let chain = drawing.card("conversationChain", json!({}));
        let memory = drawing.card("bufferMemory", json!({}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        let mut canvas: Value = serde_json::from_str(&drawing.text()).unwrap();
        let nodes = canvas["nodes"].as_array_mut().unwrap();
        let memory = nodes.iter_mut().find(|node| node["id"] == "bufferMemory_0").unwrap();
        // An input that the drawing itself declares as a password.
        memory["data"]["inputParams"] = json!([{"name": "pin", "type": "password"}]);
        memory["data"]["inputs"]["pin"] = password.into();
        canvas.to_string()
    };
    let flow = pair.dev.flow(&canvas("of-dev", "one"));
    pair.read_dev();
    pair.promote(&flow).is(200);
    assert_eq!(input(&pair.live(&flow), "bufferMemory_0", "pin"), &Value::Null);
    pair.prod.put(&format!("/chatflows/{flow}"), &json!({"flowData": canvas("of-prod", "one")}));
    pair.change_on_dev(&flow, &canvas("of-dev", "two"));
    pair.promote(&flow).is(200);
    let live = pair.live(&flow);
    assert_eq!(input(&live, "bufferMemory_0", "pin"), "of-prod");
    assert_eq!(input(&live, "chatScripted_0", "fallback"), "two");
}

#[test]
fn one_that_is_no_owner_promotes_nothing() {
    let (pair, flow) = Pair::with_flow();
    let key = id(&pair.prod.key(&["chatflows:view", "chatflows:update", "chatflows:create"])).len();
    assert!(key > 0);
    let value = pair.prod.key(&["chatflows:view", "chatflows:update", "chatflows:create"])["apiKey"].clone();
    for (method, path) in [("GET", ""), ("GET", &*format!("/{flow}")), ("POST", &*format!("/{flow}/promote"))]
    {
        let call = pair.prod.call(method, &format!("/flow-versions/incoming{path}"));
        call.json(&json!({"sha": newest(&pair.dev, &flow)}))
            .bearer(value.as_str().unwrap())
            .send()
            .is_error(403);
    }
    assert_eq!(pair.offers().len(), 1);
}
