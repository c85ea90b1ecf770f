//! Each revision of the protocol as its clients speak it.

use super::{NEWEST, Tool, at_once, fault, message};
use serde_json::{Value, json};

#[test]
fn a_client_that_shakes_hands_gets_the_revision_that_it_asks_for() {
    let tool = Tool::greeter();
    for (asked, answered) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let answer = tool.post().json(&message("initialize", &params)).send().is(200);
        let session = answer.header("mcp-session-id").unwrap();
        assert!(session.len() == 32 && session.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let body = answer.json();
        assert_eq!((&body["id"], &body["result"]["protocolVersion"]), (&json!(7), &json!(answered)));
        assert_eq!(body["result"]["capabilities"], json!({"tools": {}}));
        assert_eq!(body["result"]["serverInfo"]["name"], "flowkeep-greeter");
    }
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = tool.post().header("Mcp-Session-Id", "anything").json(&notice).send().is(202);
    assert!(answer.body.is_empty());
    assert_eq!(
        tool.send("ping", &json!({})).is(200).json(),
        json!({"jsonrpc": "2.0", "id": 7, "result": {}})
    );
    assert_eq!(fault(&tool.send("resources/list", &json!({})), 200).0, -32601);
    assert_eq!(fault(&tool.send("server/discover", &json!({})), 200).0, -32601);
}

#[test]
fn a_tool_is_listed_with_what_it_takes() {
    let tool = Tool::greeter();
    let listed = tool.send("tools/list", &json!({})).is(200).json()["result"].clone();
    assert_eq!(
        listed,
        json!({"tools": [{
            "name": "greeter", "description": "Greets whoever asks.",
            "inputSchema": {
                "type": "object", "properties": {"question": {"type": "string", "description": "What to ask."}},
                "required": ["question"], "additionalProperties": false,
            },
        }]})
    );
}

#[test]
fn without_a_handshake_every_request_says_what_it_is() {
    let tool = Tool::greeter();
    let found = tool.send_at_once("server/discover", json!({})).is(200).json()["result"].clone();
    assert_eq!(found["resultType"], "complete");
    assert_eq!(found["supportedVersions"], json!([NEWEST, "2025-11-25", "2025-06-18", "2025-03-26"]));
    assert_eq!((&found["capabilities"], &found["cacheScope"]), (&json!({"tools": {}}), &json!("private")));
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "flowkeep-greeter");
    let listed = tool.send_at_once("tools/list", json!({})).is(200).json()["result"].clone();
    assert_eq!((&listed["resultType"], &listed["ttlMs"]), (&json!("complete"), &json!(0)));
    let called = json!({"name": "greeter", "arguments": {"question": "Ada"}});
    let called = tool.send_at_once("tools/call", called).is(200).json()["result"].clone();
    assert_eq!(
        called,
        json!({"content": [{"type": "text", "text": "Hello Ada"}], "isError": false, "resultType": "complete"})
    );
    for method in ["initialize", "ping", "prompts/list"] {
        assert_eq!(fault(&tool.send_at_once(method, json!({})), 404).0, -32601, "{method}");
    }
}

#[test]
fn what_a_request_says_twice_must_be_the_same() {
    let tool = Tool::greeter();
    let post = || tool.post().header("MCP-Protocol-Version", NEWEST);
    let bare = post().header("Mcp-Method", "tools/list").json(&message("tools/list", &json!({}))).send();
    assert_eq!(fault(&bare, 400).0, -32602);
    let meta = |version: &str| json!({"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}});
    let body = |version: &str| message("tools/list", &json!({"_meta": meta(version)}));
    let other = post().header("Mcp-Method", "tools/list").json(&body("2025-11-25")).send();
    assert_eq!(fault(&other, 400).0, -32020);
    let other = post().header("Mcp-Method", "tools/call").json(&body(NEWEST)).send();
    assert_eq!(fault(&other, 400).0, -32020);
    assert_eq!(fault(&post().json(&body(NEWEST)).send(), 400).0, -32020);
    let params = json!({"name": "greeter", "arguments": {"question": "x"}, "_meta": meta(NEWEST)});
    let call = post().header("Mcp-Method", "tools/call").json(&message("tools/call", &params));
    assert_eq!(fault(&call.clone().header("Mcp-Name", "other").send(), 400).0, -32020);
    // "greeter" in base64.
    call.header("Mcp-Name", "=?base64?Z3JlZXRlcg==?=").send().is(200);
}

#[test]
fn an_unknown_revision_is_told_those_that_are_spoken() {
    let tool = Tool::greeter();
    let call = tool.post().header("MCP-Protocol-Version", "2031-01-01");
    let answer = call.json(&message("tools/list", &json!({}))).send();
    assert_eq!(fault(&answer, 400).0, -32022);
    let data: Value = answer.json()["error"]["data"].clone();
    assert_eq!((&data["requested"], &data["supported"][0]), (&json!("2031-01-01"), &json!(NEWEST)));
    assert_eq!(answer.json()["id"], 7);
}

#[test]
fn the_tools_of_a_key_are_one_server() {
    let tool = Tool::greeter();
    let server = &tool.server;
    let other =
        server.flow(&crate::support::canvases::scripted_flow_with(json!({"fallback": "Bye {question}"})));
    super::enable(server, &other, "farewell");
    let key = crate::access_callers::key(server, &["chatflows:view"]);
    let call = || server.call("POST", "/mcp").bearer(&key);
    let listed = call().json(&message("tools/list", &json!({}))).send().is(200).json();
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["farewell", "greeter"]);
    let params = json!({"name": "farewell", "arguments": {"question": "Ada"}});
    let said = at_once(call(), "tools/call", params).send().is(200).json();
    assert_eq!(said["result"]["content"][0]["text"], "Bye Ada");
    // What a key may not ask it does not see.
    let bound = crate::support::id(&server.key(&["chatflows:view"]));
    server.put(&format!("/chatflows/{other}"), &json!({"apikeyid": bound}));
    let listed = call().json(&message("tools/list", &json!({}))).send().is(200).json();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 1);
    let blind = crate::access_callers::key(server, &["tools:view"]);
    let listed = server.call("POST", "/mcp").bearer(&blind).json(&message("tools/list", &json!({}))).send();
    assert_eq!(listed.is(200).json()["result"]["tools"], json!([]));
    assert_eq!(fault(&server.call("POST", "/mcp").json(&message("ping", &json!({}))).send(), 401).0, -32001);
}
