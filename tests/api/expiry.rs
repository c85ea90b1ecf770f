//! Conversations and records that are older than anything is kept.

use crate::support::canvases::scripted_flow_with;
use crate::support::{Server, id};
use flowkeep::base::cancel::CancelToken;
use flowkeep::ops::conversations::expiry::delete_expired;
use flowkeep::ops::predictions::executions;
use serde_json::{Value, json};

const DAY: i64 = 86_400;

fn messages(server: &Server, flow: &str) -> Vec<String> {
    let all = server.read(&format!("/chatmessage/{flow}"));
    let texts = all.as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap().to_owned());
    texts.collect()
}

/// Lets time pass. Nobody stays signed in for so long.
fn pass_seconds(server: &mut Server, seconds: i64) {
    server.app.clock.advance_seconds(seconds);
    server.cookie = server.sign_in();
}

fn expire(server: &Server) -> usize {
    delete_expired(&server.app, &CancelToken::new(None)).unwrap()
}

fn ask(server: &Server, flow: &str, question: &str, chat: Option<&Value>) -> Value {
    let mut body = json!({ "question": question });
    if let Some(chat) = chat {
        body["chatId"] = chat["chatId"].clone();
    }
    server.post(&format!("/internal-prediction/{flow}"), &body)
}

#[test]
fn messages_go_after_the_days_that_they_are_kept_and_a_conversation_with_its_last_one() {
    let mut server = Server::with(&[("SERVICE_KEEP_DAYS", "30")]);
    let flow = server.flow(&scripted_flow_with(json!({"fallback": "said"})));
    ask(&server, &flow, "old and over", None);
    let goes_on = ask(&server, &flow, "old", None);
    pass_seconds(&mut server, 20 * DAY);
    ask(&server, &flow, "newer", Some(&goes_on));
    assert_eq!(expire(&server), 0);
    pass_seconds(&mut server, 11 * DAY);
    assert_eq!(expire(&server), 4);
    assert_eq!(messages(&server, &flow), ["newer", "said"]);
    assert_eq!(server.read(&format!("/conversations/{flow}"))["total"], 1);
    pass_seconds(&mut server, 20 * DAY);
    assert_eq!((expire(&server), messages(&server, &flow).len()), (2, 0));
}

#[test]
fn records_of_runs_go_too_and_everything_stays_where_nothing_is_said() {
    for (days, left) in [(Some("3"), 0), (None, 1)] {
        let mut server = days.map_or_else(Server::start, |days| Server::with(&[("SERVICE_KEEP_DAYS", days)]));
        let reply = json!({"id": "r", "data": {"id": "r", "name": "directReplyAgentflow", "label": "Reply", "inputs": {"directReplyMessage": "Hi"}}});
        let start = json!({"id": "s", "data": {"id": "s", "name": "startAgentflow", "label": "Start", "inputs": {"startInputType": "chatInput"}}});
        let edge = json!({"source": "s", "sourceHandle": "s-output-startAgentflow", "target": "r", "targetHandle": "r"});
        let canvas = json!({"nodes": [start, reply], "edges": [edge]}).to_string();
        let made = json!({"name": "Agent", "type": "AGENTFLOW", "flowData": canvas});
        let flow = id(&server.post("/chatflows", &made));
        server.post(&format!("/internal-prediction/{flow}"), &json!({"question": "a"}));
        pass_seconds(&mut server, 4 * DAY);
        executions::sweep(&server.app, &CancelToken::new(None)).unwrap();
        expire(&server);
        assert_eq!(server.read("/executions")["total"], left);
        assert_eq!(messages(&server, &flow).len(), 2 * left);
    }
}
