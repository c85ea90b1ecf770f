//! What is offered, and what is shown of it.

use super::{Pair, codes, git, label, newest, repository, saying};
use crate::support::{Server, id};
use flowkeep::domain::remote::environment::Environment;
use serde_json::{Value, json};

#[test]
fn the_newest_version_of_each_flow_of_dev_is_offered() {
    let (pair, flow) = Pair::with_flow();
    let sha = pair.change_on_dev(&flow, &saying("two"));
    let list = pair.prod.read("/flow-versions/incoming");
    assert_eq!((&list["enabled"], list["flows"].as_array().unwrap().len()), (&json!(true), 1));
    let entry = &list["flows"][0];
    let version = &entry["version"];
    assert_eq!(
        [
            &entry["flowId"],
            &entry["name"],
            &entry["type"],
            &entry["status"],
            &version["sha"],
            &version["shortSha"]
        ],
        [&json!(flow), &json!("Flow"), &json!("CHATFLOW"), &json!("new"), &json!(sha), &json!(sha[..7])]
    );
    assert_eq!(
        [&entry["hasDraft"], &entry["lastPromoted"], &entry["moreChanges"]],
        [&json!(false), &Value::Null, &json!(false)]
    );
    assert!(
        version["author"] == "Ada" && version["title"].is_string() && version["date"].is_string(),
        "{entry}"
    );
}

#[test]
fn a_draft_of_dev_is_offered_once_it_is_published() {
    let pair = Pair::start();
    let flow = id(&pair
        .dev
        .post("/chatflows", &json!({"name": "New", "type": "CHATFLOW", "flowData": saying("a")})));
    pair.read_dev();
    assert_eq!(pair.offers(), Vec::<Value>::new(), "it was never published");
    pair.dev.post(&format!("/flow-drafts/{flow}/publish"), &json!({}));
    pair.read_dev();
    assert_eq!(pair.offers().len(), 1);
    let sha = newest(&pair.dev, &flow);
    pair.dev.put(&format!("/flow-drafts/{flow}"), &json!({"flowData": saying("b")}));
    pair.read_dev();
    assert_eq!(pair.offers()[0]["version"]["sha"], sha);
}

#[test]
fn versions_since_the_last_promotion_are_listed_up_to_twenty() {
    let pair = Pair::start();
    let flow = id(&pair
        .dev
        .post("/chatflows", &json!({"name": "New", "type": "CHATFLOW", "flowData": saying("0")})));
    let publish = |says: &str| {
        pair.dev
            .owner("PUT", &format!("/flow-drafts/{flow}"))
            .json(&json!({"flowData": saying(says)}))
            .send()
            .is(200);
        pair.dev.post(&format!("/flow-drafts/{flow}/publish"), &json!({}));
        newest(&pair.dev, &flow)
    };
    let first = publish("1");
    pair.read_dev();
    assert_eq!(pair.offers()[0]["changes"].as_array().unwrap().len(), 1, "the empty beginning is no change");
    pair.promote(&flow).is(200);
    let shas: Vec<String> = (2..=22).map(|at| publish(&at.to_string())).collect();
    pair.read_dev();
    let entry = pair.offers().remove(0);
    let listed: Vec<&str> =
        entry["changes"].as_array().unwrap().iter().map(|one| one["sha"].as_str().unwrap()).collect();
    assert_eq!(listed, shas.iter().rev().take(20).map(String::as_str).collect::<Vec<_>>());
    assert_eq!((&entry["moreChanges"], &entry["status"]), (&json!(true), &json!("update")));
    assert_eq!(entry["lastPromoted"]["sha"], first);
}

#[test]
fn what_is_live_here_already_is_not_offered() {
    let (pair, flow) = Pair::with_promoted();
    assert_eq!(pair.offers(), Vec::<Value>::new(), "it was promoted");
    pair.dev.put(&format!("/chatflows/{flow}"), &json!({"apiConfig": "{\"rateLimit\": {}}"}));
    pair.read_dev();
    assert_eq!(pair.offers(), Vec::<Value>::new(), "settings do not travel");
    pair.change_on_dev(&flow, &saying("two"));
    pair.prod.put(&format!("/chatflows/{flow}"), &json!({"flowData": saying("two")}));
    assert_eq!(pair.offers(), Vec::<Value>::new(), "somebody made the same change here");
    pair.prod.owner("GET", &format!("/flow-versions/incoming/{flow}")).send().is_error(404);
}

#[test]
fn what_dev_deleted_is_not_offered() {
    let (pair, flow) = Pair::with_flow();
    let sha = newest(&pair.dev, &flow);
    pair.dev.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    pair.read_dev();
    assert_eq!(pair.offers(), Vec::<Value>::new());
    pair.prod.owner("GET", &format!("/flow-versions/incoming/{flow}")).send().is_error(404);
    let said = pair.promote_with(&flow, &json!({ "sha": sha })).is_error(409);
    assert_eq!(said, "This version is not offered any more, so nothing was promoted.");
}

#[test]
fn an_id_of_another_workspace_is_not_offered() {
    let (pair, flow) = Pair::with_promoted();
    let here = pair.prod.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let sha = pair.change_on_dev(&flow, &saying("two"));
    let there = pair.prod.new_workspace("There");
    let is_offered_there = |is: &str| {
        pair.prod.enter(&there);
        assert_eq!(pair.offers(), Vec::<Value>::new(), "{is}");
        pair.prod.owner("GET", &format!("/flow-versions/incoming/{flow}")).send().is_error(404);
        pair.promote_with(&flow, &json!({ "sha": sha })).is_error(409);
        pair.prod.enter(&here);
    };
    is_offered_there("the flow is in the other one");
    assert_eq!(pair.offers().len(), 1);
    pair.prod.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    is_offered_there("the flow was in the other one");
    assert_eq!(pair.offers()[0]["status"], "new");
}

#[test]
fn only_prod_is_offered_anything() {
    let (pair, flow) = Pair::with_flow();
    for environment in [None, Some(Environment::Dev)] {
        label(&pair.prod, environment);
        assert_eq!(pair.offers(), Vec::<Value>::new());
        pair.prod.owner("GET", &format!("/flow-versions/incoming/{flow}")).send().is_error(404);
        let said = pair.promote_with(&flow, &json!({"sha": newest(&pair.dev, &flow)})).is_error(409);
        assert!(said.starts_with("Only a server that is labeled Prod promotes versions."), "{said}");
    }
    label(&pair.prod, Some(Environment::Prod));
    assert_eq!(pair.offers().len(), 1);
}

#[test]
fn a_server_without_history_offers_nothing() {
    let server = Server::with(&[("SERVICE_VERSIONS", "off")]);
    let list = server.read("/flow-versions/incoming");
    assert_eq!((&list["enabled"], &list["flows"]), (&json!(false), &json!([])));
    let flow = server.flow(&saying("a"));
    let sha = json!({"sha": "a".repeat(40)});
    let said = server.owner("POST", &format!("/flow-versions/incoming/{flow}/promote")).json(&sha).send();
    assert_eq!(said.is_error(409), "Version history is off on this server.");
}

#[test]
fn what_would_change_is_shown_as_a_comparison_shows_it() {
    let (pair, flow) = Pair::with_flow();
    let new = pair.shown(&flow);
    assert_eq!((new["diff"]["added"].as_array().unwrap().len(), &new["diff"]["against"]), (3, &Value::Null));
    assert_eq!(new["checkUnavailable"]["code"], "new-flow");
    pair.promote(&flow).is(200);
    let sha = pair.change_on_dev(&flow, &saying("two"));
    let shown = pair.shown(&flow);
    let diff = &shown["diff"];
    assert_eq!((&diff["sha"], &diff["against"]), (&json!(sha), &json!("current")));
    assert_eq!(diff["changed"][0]["fields"], json!(["fallback"]));
    assert!(diff["added"] == json!([]) && diff["removed"] == json!([]), "{diff}");
    assert_eq!((&shown["checkUnavailable"], &shown["hiddenSecrets"]), (&Value::Null, &json!(0)));
    assert!(codes(&shown).is_empty() && shown["digest"].as_str().is_some_and(|digest| digest.len() == 64));
}

#[test]
fn a_strange_file_keeps_nobody_from_the_other_flows() {
    let (pair, flow) = Pair::with_flow();
    let work = tempfile::tempdir().unwrap();
    let from = repository(&pair.dev);
    git(work.path(), &["clone", "-q", from.to_str().unwrap(), "copy"]);
    let copy = work.path().join("copy");
    let strange = |id: &str, about: &Value, canvas: &str| {
        let folder = copy.join("flows").join(&id[..2]).join(id);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("flow.json"), about.to_string()).unwrap();
        std::fs::write(folder.join("canvas.json"), canvas).unwrap();
    };
    let about = |id: &str, name: &str| json!({"id": id, "name": name, "type": "CHATFLOW", "settings": {}});
    let ids: Vec<String> = (0..4).map(|_| uuid::Uuid::new_v4().to_string()).collect();
    strange(&ids[0], &about(&ids[0], ""), &saying("no name"));
    strange(&ids[1], &about(&ids[1], &"x".repeat(5_000)), &saying("long name"));
    strange(&ids[2], &about(&ids[2], "No canvas"), "[1, 2]");
    strange(&ids[3], &about(&ids[3], "Foreign"), &saying("fine"));
    git(&copy, &["add", "-A"]);
    git(&copy, &["commit", "-q", "-m", "By hand"]);
    git(&copy, &["push", "-q", "origin", "HEAD:main"]);
    pair.read_dev();
    let offered: Vec<Value> = pair.offers().iter().map(|entry| entry["flowId"].clone()).collect();
    assert_eq!(offered, [json!(ids[3]), json!(flow)]);
}

#[test]
fn a_server_that_never_was_prod_and_lost_its_history_is_offered_nothing() {
    let server = Server::start();
    server.flow(&saying("one"));
    std::fs::remove_dir_all(repository(&server)).unwrap();
    assert_eq!(server.read("/flow-versions/incoming")["flows"], json!([]));
}
