//! Passwords and keys typed into cards that are picked inside of others (manual 5.1 r5, 9.1 r2).

use crate::support::steps::{START, Steps};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A flow of the owner's whose draft is one step with these cards picked in it; the path of the draft.
fn draft(server: &Server, (model, tool): (&str, &str)) -> String {
    let inputs = json!({
        "agentModel": model, "agentModelConfig": {"modelName": "m", "openAIApiKey": "typed-into-the-model"},
        "agentTools": [{
            "agentSelectedTool": tool, "agentSelectedToolConfig": {"accessToken": "typed-into-the-tool"},
        }],
    });
    let canvas =
        Steps::begin().card("agentAgentflow_0", "Ask", inputs).edge(START, "agentAgentflow_0").text();
    let body = json!({"name": "Flow", "type": "AGENTFLOW", "flowData": canvas});
    format!("/flow-drafts/{}", id(&server.post("/chatflows", &body)))
}

#[test]
fn a_key_typed_into_a_picked_card_that_takes_a_credential_is_left_out() {
    let server = Server::start();
    let drawn = server.read(&draft(&server, ("chatOpenAI", "jiraTool"))).to_string();
    assert!(drawn.contains("jiraTool") && !drawn.contains("typed-into"), "{drawn}");
}

#[test]
fn a_password_of_a_picked_card_is_a_mark_for_who_may_not_change_the_flow() {
    let server = Server::start();
    // Of cards that nobody knows here nothing is left out.
    let path = draft(&server, ("someModel", "someTool"));
    let key = |permissions: &[&str]| server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
    let (viewer, editor) = (key(&["agentflows:view"]), key(&["agentflows:view", "agentflows:update"]));
    let read = |key: &str| -> Value { server.call("GET", &path).bearer(key).send().is(200).json() };
    let shown = read(&viewer);
    assert!(!shown.to_string().contains("typed-into"), "{shown}");
    // As it was shown, with another label, saved back.
    let sent = json!({"flowData": shown["draft"]["flowData"].as_str().unwrap().replace("Ask", "Told")});
    server.call("PUT", &path).bearer(&editor).json(&sent).send().is(200);
    let saved = read(&editor).to_string();
    for kept in ["typed-into-the-model", "typed-into-the-tool", "Told"] {
        assert!(saved.contains(kept), "{kept}: {saved}");
    }
}
