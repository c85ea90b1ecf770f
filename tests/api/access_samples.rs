//! Good requests for the routes around flows: conversations, keys, icons, files of the workspace. As `access::sample`.

use crate::support::Server;
use crate::support::canvases::scripted;
use serde_json::{Value, json};

/// A request: what stands in the path, and the body.
pub type Sample = (Option<String>, Option<Value>);

/// `None` for a route of another group.
pub fn sample(server: &Server, method: &str, pattern: &str, kind: &str) -> Option<Sample> {
    let flow = || server.flow_with(&scripted(), &json!({ "type": kind }));
    Some(match (method, pattern) {
        (
            "GET",
            "/internal-chatmessage/:id"
            | "/conversations/:id"
            | "/stats/:id"
            | "/feedback/:id"
            | "/leads/:id",
        )
        | ("PUT", "/chatmessage/abort/:flow/:chat") => (Some(flow()), None),
        ("POST", "/feedback" | "/feedback/:id") => {
            let (flow, body) = rating(server);
            (Some(flow).filter(|_| pattern.ends_with(":id")), Some(body))
        }
        ("PUT", "/feedback/:feedback") => {
            let (_, body) = rating(server);
            let rated = server.call("POST", "/feedback").json(&body).send().is(200).json();
            (Some(crate::support::id(&rated)), Some(json!({"content": "Good."})))
        }
        ("POST", "/leads") => (None, Some(json!({"chatflowid": server.flow(&scripted()), "name": "Ada"}))),
        _ => return None,
    })
}

/// A flow, and a rating of an answer of it.
fn rating(server: &Server) -> (String, Value) {
    let flow = server.flow(&scripted());
    let told = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let body = json!({
        "chatflowid": flow, "chatId": told["chatId"], "messageId": told["chatMessageId"], "rating": "THUMBS_UP",
    });
    (flow, body)
}
