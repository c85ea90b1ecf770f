//! Every action of the Jira tool, in the cloud and on servers of one's own.

use super::google::{action_inputs, actions, cases, holds, tool};
use super::service::OAuthFixture;
use crate::support::canvases::Drawing;
use crate::support::id;
use crate::support::internet::StandInAnswer;
use crate::tools::call_tool_in;
use serde_json::{Value, json};

/// What the model reads when it calls an action of the card.
fn asks(house: &OAuthFixture, credential: &str, action: &str, more: &Value, given: Value) -> String {
    let mut inputs = action_inputs(house, "jiraTool", action);
    inputs.insert("jiraHost".to_owned(), "https://acme.atlassian.net/".into());
    inputs.extend(more.as_object().cloned().unwrap());
    let mut drawing = Drawing::default();
    let card = drawing.card("jiraTool", inputs.into());
    drawing.credential(&card, credential);
    call_tool_in(&house.server, drawing, &card, &tool(action), given).1
}

/// Tries every case; the actions of the card that have none.
fn run_cases(credential: &Value, proof: &str, base: &str, text: &str) -> Vec<String> {
    let house = OAuthFixture::open();
    let credential = id(&house.server.post("/credentials", credential));
    // The stand-in of Google takes any request that is signed like this.
    *house.google.access.lock().unwrap() = proof.to_owned();
    let mut left = actions(&house, "jiraTool");
    for case in cases(text) {
        house.internet.forget();
        let read = asks(&house, &credential, &case.action, &case.card, case.given.clone());
        holds(&case, base, proof, &house.internet.seen(), &read);
        left.remove(&case.action);
    }
    left.into_iter().collect()
}

fn cloud() -> Value {
    let fields = json!({"username": "ada@x.org", "accessToken": "hush-jira"});
    json!({"name": "Our Jira", "credentialName": "jiraApi", "plainDataObj": fields})
}

#[test]
fn jira_in_the_cloud_is_asked_as_it_wants_to_be() {
    let proof = "Basic YWRhQHgub3JnOmh1c2gtamlyYQ==";
    let base = "acme.atlassian.net/rest/api/3";
    let left = run_cases(&cloud(), proof, base, include_str!("cases/jira_cloud.json"));
    assert_eq!(left, ["updateUser"], "the cloud lets nobody do that");
}

#[test]
fn jira_on_a_server_of_ones_own_is_asked_as_it_wants_to_be() {
    let fields = json!({"bearerToken": "hush-jira"});
    let own = json!({"name": "Our Jira", "credentialName": "jiraApiBearerToken", "plainDataObj": fields});
    let base = "acme.atlassian.net/rest/api/2";
    let left = run_cases(&own, "Bearer hush-jira", base, include_str!("cases/jira_server.json"));
    // These are the same rows as in the cloud.
    let same = ["deleteComment", "deleteIssue", "getComment", "getIssue", "listComments", "transitionIssue"];
    assert_eq!(left, same);
}

#[test]
fn what_jira_refuses_is_told_with_card_and_credential() {
    let house = OAuthFixture::open();
    let credential = id(&house.server.post("/credentials", &cloud()));
    let asks = |action: &str, given: Value| asks(&house, &credential, action, &json!({}), given);
    let read = asks("getIssue", json!({"issueKey": "P-1"}));
    assert_eq!(read, "Jira: Jira does not accept the credential 'Our Jira'. Check its values.");
    assert_eq!(house.internet.seen().len(), 1, "there is nothing to renew");
    *house.google.access.lock().unwrap() = "Basic YWRhQHgub3JnOmh1c2gtamlyYQ==".to_owned();
    for (answer, told) in [
        (StandInAnswer::Json(403, json!({"errorMessages": ["their words"]})), "its account may not do this"),
        (
            StandInAnswer::With(429, "retry-after", "30"),
            "asked too often with the credential 'Our Jira'. Try again in 30 seconds.",
        ),
        (StandInAnswer::Json(404, json!({})), "knows nothing of this id"),
    ] {
        let once = std::sync::Mutex::new(Some(answer));
        *house.google.gives.lock().unwrap() =
            Some(Box::new(move |_| once.lock().unwrap().take().unwrap_or(StandInAnswer::Close)));
        let read = asks("getIssue", json!({"issueKey": "P-1"}));
        assert!(read.starts_with("Jira: Jira ") && read.contains(told) && !read.contains("their"), "{read}");
    }
    house.internet.forget();
    assert!(asks("listIssues", json!({})).contains("Give projectKey or jql."));
    assert!(asks("updateUser", json!({"accountId": "u"})).contains("users change their accounts themselves"));
    assert!(house.internet.seen().is_empty());
    super::assert_nothing_leaked(&house);
}

#[test]
fn jira_goes_nowhere_the_guard_does_not_let_it() {
    let house = OAuthFixture::open();
    let credential = id(&house.server.post("/credentials", &cloud()));
    for host in ["http://127.0.0.1:9", "http://169.254.169.254", "http://192.168.0.1"] {
        let read =
            asks(&house, &credential, "getIssue", &json!({ "jiraHost": host }), json!({"issueKey": "P-1"}));
        assert!(read.contains("refused by policy"), "{read}");
    }
}
