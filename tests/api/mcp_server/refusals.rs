//! Who and what is refused, in the shape of JSON-RPC.

use super::{Tool, enable, fault, message};
use crate::support::Server;
use crate::support::canvases::{scripted_flow, scripted_flow_with};
use serde_json::json;

#[test]
fn without_the_token_of_the_flow_nothing_is_said() {
    let tool = Tool::greeter();
    let ping = message("ping", &json!({}));
    let path = format!("/mcp/{}", tool.flow);
    let key = crate::access_callers::key(&tool.server, &["chatflows:view", "chatflows:update"]);
    for bearer in [None, Some("fkm_wrong"), Some(key.as_str())] {
        let call = tool.server.call("POST", &path).json(&ping);
        let answer = bearer.iter().fold(call, |call, bearer| call.bearer(bearer)).send();
        assert_eq!(fault(&answer, 401).0, -32001);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    tool.server.owner("POST", &path).json(&ping).send().is(401);
}

#[test]
fn a_flow_that_is_no_tool_or_was_never_published_is_not_there() {
    let server = Server::start();
    let call = |flow: &str, token: &str| {
        let call = server.call("POST", &format!("/mcp/{flow}")).bearer(token);
        call.json(&message("tools/list", &json!({}))).send()
    };
    let no_tool = server.flow(&scripted_flow());
    let empty = server.flow_with(&json!({"nodes": [], "edges": []}).to_string(), &json!({}));
    let token = enable(&server, &empty, "empty");
    for flow in [no_tool.as_str(), &empty, "7bd3a5ac-4f3f-4bb5-8a42-53cf41fbb4f1", "nothing"] {
        assert_eq!(fault(&call(flow, &token), 404).0, -32001, "{flow}");
    }
}

#[test]
fn a_body_that_is_no_message_is_refused() {
    let tool = Tool::greeter();
    let post = |body: &str| tool.post().bytes("application/json", body.as_bytes().to_vec()).send();
    assert_eq!(fault(&post("{"), 400).0, -32700);
    for body in [
        "[]",
        "[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]",
        "5",
        "{}",
        "{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"ping\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 5}",
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": []}",
    ] {
        assert_eq!(fault(&post(body), 400).0, -32600, "{body}");
    }
    let large = format!("{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"{}\"}}", "x".repeat(1 << 20));
    assert_eq!(fault(&post(&large), 413).0, -32600);
    assert_eq!(fault(&tool.post().bytes("text/plain", b"{}".to_vec()).send(), 415).0, -32600);
}

#[test]
fn other_methods_are_refused() {
    let tool = Tool::greeter();
    for path in [format!("/mcp/{}", tool.flow), "/mcp".to_owned()] {
        for method in ["GET", "DELETE"] {
            let answer = tool.server.call(method, &path).bearer(&tool.token).send();
            assert_eq!(fault(&answer, 405).0, -32000);
            assert_eq!(answer.header("allow"), Some("POST"), "{path}");
        }
    }
}

#[test]
fn the_rate_limit_of_the_flow_counts_for_calls_alone() {
    let limit = json!({"rateLimit": {"status": true, "limitMax": "1", "limitDuration": "60", "limitMsg": "Slow down."}});
    let canvas = scripted_flow_with(json!({"fallback": "Hello {question}"}));
    let tool = Tool::of(&canvas, &json!({"apiConfig": limit.to_string()}));
    for _ in 0..3 {
        tool.send("tools/list", &json!({})).is(200);
    }
    let params = json!({"name": "greeter", "arguments": {"question": "Ada"}});
    tool.send("tools/call", &params).is(200);
    let limited = tool.send("tools/call", &params);
    assert_eq!(fault(&limited, 429), (-32000, "Slow down.".to_owned()));
    assert_eq!(limited.json()["id"], 7);
    assert!(limited.header("retry-after").is_some());
}

#[test]
fn pages_are_admitted_by_name_alone() {
    let tool = Tool::greeter();
    let from = |origin: &str| tool.post().header("Origin", origin).json(&message("ping", &json!({}))).send();
    assert_eq!(fault(&from("https://good.example"), 403).0, -32001);
    let chat = json!({"allowedOrigins": ["https://good.example"]}).to_string();
    tool.server.put(&format!("/chatflows/{}", tool.flow), &json!({"chatbotConfig": chat}));
    let good = from("https://good.example").is(200);
    assert_eq!(good.header("access-control-allow-origin"), Some("https://good.example"));
    assert!(good.header("access-control-expose-headers").unwrap().contains("mcp-session-id"));
    let bad = from("https://bad.example");
    assert_eq!((fault(&bad, 403).0, bad.header("access-control-allow-origin")), (-32001, None));
}
