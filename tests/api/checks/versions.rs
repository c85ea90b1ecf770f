//! Checks that compare versions of the history: with Live, with the draft, with one another.

use super::{end, post, read, save_draft, setup, start};
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use serde_json::{Value, json};

/// A flow that said 10, then 20 and says 30 as Live, with a draft that says 40; its versions, oldest first.
fn flow_with_past(server: &Server) -> (String, Vec<String>) {
    let says = |days: u32| scripted_flow_with(json!({"fallback": format!("It takes {days} days.")}));
    let flow = server.flow(&says(10));
    for days in [20, 30] {
        server.put(&format!("/chatflows/{flow}"), &json!({"flowData": says(days)}));
    }
    save_draft(server, &flow, &says(40));
    let list = server.read(&format!("/flow-versions/{flow}"));
    let shas = list["versions"].as_array().unwrap().iter().map(|one| one["sha"].as_str().unwrap().to_owned());
    let mut shas: Vec<String> = shas.collect();
    shas.reverse();
    (flow, shas)
}

fn compared(server: &Server, flow: &str, (left, right): (Option<&str>, Option<&str>)) -> Value {
    let mut body = json!({"questions": ["How long?"]});
    for (field, side) in [("left", left), ("right", right)] {
        if let Some(side) = side {
            body[field] = side.into();
        }
    }
    end(server, flow, &start(server, flow, &body))
}

#[test]
fn any_two_of_live_the_draft_and_versions_are_compared_by_name() {
    let server = Server::start();
    let (flow, shas) = flow_with_past(&server);
    let (first, second) = (shas[0].as_str(), &shas[1][..7]);
    let short = &first[..7];
    let cases = [
        ((None, Some(first)), format!("Live says 30, version {short} says 10.")),
        ((Some(first), None), format!("Version {short} says 10, the draft says 40.")),
        ((Some(first), Some(second)), format!("Version {short} says 10, version {second} says 20.")),
        ((Some("draft"), Some("live")), "The draft says 40, Live says 30.".to_owned()),
        ((Some("live"), Some("draft")), "Live says 30, the draft says 40.".to_owned()),
    ];
    for (sides, says) in cases {
        let done = compared(&server, &flow, sides);
        assert_eq!((&done["status"], &done["cases"][0]["why"][0]["message"]), (&json!("done"), &json!(says)));
    }
    let done = compared(&server, &flow, (None, Some(second)));
    let named = json!({"from": "version", "sha": shas[1], "name": format!("Version {second}")});
    assert_eq!((&done["left"], &done["right"]), (&json!({"from": "live", "name": "Live"}), &named));
}

#[test]
fn a_check_of_versions_needs_no_draft_and_is_kept_beside_that_of_the_draft() {
    let server = Server::start();
    let (flow, shas) = flow_with_past(&server);
    let of_draft = compared(&server, &flow, (None, None));
    let of_version = compared(&server, &flow, (None, Some(&shas[0])));
    assert_eq!(setup(&server, &flow)["check"]["id"], of_draft["id"], "it shows the check of the draft");
    for check in [&of_draft, &of_version] {
        assert_eq!(read(&server, &flow, check)["id"], check["id"]);
    }
    server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
    assert_eq!(read(&server, &flow, &of_draft)["draftChanged"], true);
    assert_eq!(read(&server, &flow, &of_version)["draftChanged"], false, "no draft was compared");
    assert_eq!(compared(&server, &flow, (None, Some(&shas[1])))["status"], "done");
}

#[test]
fn a_version_of_another_kind_is_asked_as_that_kind() {
    let server = Server::start();
    let (flow, shas) = flow_with_past(&server);
    server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
    let agent = super::flow_of_kind(&server, "AGENTFLOW");
    let canvas = server.read(&format!("/chatflows/{agent}"))["flowData"].clone();
    server.put(&format!("/chatflows/{flow}"), &json!({"type": "AGENTFLOW", "flowData": canvas}));
    let done = compared(&server, &flow, (None, Some(&shas[2])));
    let case = &done["cases"][0];
    assert_eq!(
        (&case["live"]["text"], &case["draft"]["text"]),
        (&json!("a"), &json!("It takes 30 days.")),
        "{done}"
    );
    let key = server.key(&["agentflows:view", "agentflows:update"])["apiKey"].as_str().unwrap().to_owned();
    let body = json!({"questions": ["How long?"], "right": shas[2]});
    let path = format!("/flow-drafts/{flow}/check");
    server.call("POST", &path).bearer(&key).json(&body).send().is(403);
}

#[test]
fn a_canvas_that_the_caller_brings_is_a_side_and_is_kept_nowhere() {
    let server = Server::start();
    let (flow, _) = flow_with_past(&server);
    let before =
        [server.read(&format!("/flow-versions/{flow}")), server.read(&format!("/flow-drafts/{flow}"))];
    let canvas = scripted_flow_with(json!({"fallback": "It takes 50 days."}));
    let body = json!({"questions": ["How long?"], "right": {"flowData": canvas}});
    let done = end(&server, &flow, &start(&server, &flow, &body));
    assert_eq!(done["cases"][0]["why"][0]["message"], "Live says 30, the file says 50.");
    assert_eq!(done["right"], json!({"from": "given", "name": "The file"}));
    let body = json!({"questions": ["How long?"], "left": {"flowData": canvas}});
    let done = end(&server, &flow, &start(&server, &flow, &body));
    assert_eq!(done["cases"][0]["why"][0]["message"], "The file says 50, the draft says 40.");
    let after =
        [server.read(&format!("/flow-versions/{flow}")), server.read(&format!("/flow-drafts/{flow}"))];
    assert_eq!(after, before);
    let refused = |right: Value| {
        post(&server, &flow, &json!({"questions": ["How long?"], "right": right})).is_error(400)
    };
    assert!(refused(json!({"flowData": "{nodes"})).contains("flowData"));
    refused(json!({"canvas": canvas}));
    let both = json!({"flowData": canvas});
    let told = post(&server, &flow, &json!({"questions": ["a"], "left": both, "right": both})).is_error(400);
    assert!(told.contains("nothing to compare"), "{told}");
    let key = server.key(&["chatflows:view"])["apiKey"].as_str().unwrap().to_owned();
    let path = format!("/flow-drafts/{flow}/check");
    server.call("POST", &path).bearer(&key).json(&body).send().is(403);
}

#[test]
fn sides_that_cannot_be_compared_say_why() {
    let server = Server::start();
    let (flow, shas) = flow_with_past(&server);
    let refused = |body: Value, status: u16| {
        let mut asked = json!({"questions": ["How long?"]});
        asked.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        post(&server, &flow, &asked).is_error(status)
    };
    let unknown = "0".repeat(40);
    assert!(refused(json!({"left": "Live"}), 400).starts_with("Invalid left: it must be live, draft or"));
    assert!(refused(json!({"right": "012345"}), 400).starts_with("Invalid right: it must be live, draft or"));
    assert!(refused(json!({"right": "live"}), 400).contains("nothing to compare"));
    assert!(refused(json!({"left": shas[0], "right": shas[0][..7]}), 400).contains("nothing to compare"));
    assert_eq!(
        refused(json!({"right": unknown}), 404),
        format!("Version {unknown} was not found for this flow")
    );
    refused(json!({"right": 7}), 400);
    let server = server.restart_with(&[("SERVICE_VERSIONS", "off")]);
    let body = json!({"questions": ["How long?"], "right": shas[0]});
    assert_eq!(post(&server, &flow, &body).is_error(409), "Version history is off on this server.");
}
