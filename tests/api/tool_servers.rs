//! Servers of tools that a workspace keeps (manual 8.15).

use crate::mcp::answer;
use crate::support::canvases::Drawing;
use crate::support::client::Answer;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use crate::tools::{call_tool, with_web};
use serde_json::{Value, json};

const MASK: &str = "••••••••";

/// A server of tools at this address, which is asked with a secret header.
fn body(web: &Provider) -> Value {
    json!({
        "name": "Weather", "serverUrl": format!("{}/mcp?key=hidden", web.base_url()), "color": "#123456",
        "authType": "CUSTOM_HEADERS", "authConfig": {"headers": {"X-Key": "secret"}},
    })
}

fn made(server: &Server, web: &Provider) -> String {
    id(&server.post("/custom-mcp-servers", &body(web)))
}

fn authorize(server: &Server, id: &str) -> Answer {
    server.owner("POST", &format!("/custom-mcp-servers/{id}/authorize")).send()
}

#[test]
fn a_server_is_kept_and_shown_without_its_secrets() {
    let (server, web) = with_web();
    web.set_decision(answer);
    let row = server.post("/custom-mcp-servers", &body(&web));
    assert_eq!((&row["status"], &row["toolCount"]), (&json!("PENDING"), &json!(0)));
    assert_eq!(row["serverUrl"], format!("{}/{MASK}", web.base_url()));
    assert_eq!(row["authConfig"], json!({"headers": {"X-Key": MASK}}));
    assert!(web.requests().is_empty(), "saving asks nobody");
    let path = format!("/custom-mcp-servers/{}", id(&row));
    assert_eq!(server.read(&path), row);
    assert_eq!(server.read("/custom-mcp-servers"), json!({"data": [row], "total": 1}));
    assert_eq!(server.read("/custom-mcp-servers?page=2")["data"], json!([]));
    let asked = authorize(&server, &id(&row)).is(200).json();
    assert_eq!((&asked["status"], &asked["toolCount"]), (&json!("AUTHORIZED"), &json!(3)));
    assert_eq!(web.requests()[0].header("x-key"), Some("secret"));
    let tools = server.read(&format!("{path}/tools"));
    assert_eq!(tools[0], json!({"name": "weather", "description": "Tells the weather."}));
    for told in [asked, tools, server.read(&path)] {
        assert!(!told.to_string().contains("secret") && !told.to_string().contains("hidden"), "{told}");
    }
}

#[test]
fn what_is_sent_back_hidden_stays_and_never_goes_to_another_server() {
    let (server, web) = with_web();
    web.set_decision(answer);
    let path = format!("/custom-mcp-servers/{}", made(&server, &web));
    authorize(&server, path.rsplit('/').next().unwrap()).is(200);
    let row = server.read(&path);
    let same = json!({"name": "Rain", "serverUrl": row["serverUrl"], "authConfig": row["authConfig"]});
    let renamed = server.put(&path, &same);
    assert_eq!((&renamed["name"], &renamed["status"]), (&json!("Rain"), &json!("AUTHORIZED")));
    let elsewhere = json!({"serverUrl": "https://other.example/mcp"});
    let told = server.owner("PUT", &path).json(&elsewhere).send().is_error(400);
    assert!(told.contains("'X-Key' is hidden"), "{told}");
    let bare = server.put(&path, &json!({"serverUrl": "https://other.example/mcp", "authType": "NONE"}));
    assert_eq!((&bare["authType"], &bare["status"]), (&json!("NONE"), &json!("PENDING")));
    assert_eq!(bare["toolCount"], 0, "another server has other tools");
}

#[test]
fn a_server_that_does_not_list_its_tools_says_why() {
    let (server, web) = with_web();
    web.set_decision(|_| Behaviour::status(401, "their words"));
    let kept = made(&server, &web);
    let told = authorize(&server, &kept).is_error(400);
    assert!(told.contains("Weather") && told.contains("401") && !told.contains("their words"), "{told}");
    assert_eq!(server.read(&format!("/custom-mcp-servers/{kept}"))["status"], "ERROR");
}

#[test]
fn bad_servers_are_refused_by_field() {
    let server = Server::start();
    let good = json!({"name": "a", "serverUrl": "https://a.example/mcp"});
    for (field, value, says) in [
        ("name", json!(" "), "Invalid name"),
        ("serverUrl", json!("mcp"), "Invalid serverUrl"),
        ("serverUrl", json!("https://u:p@a.example"), "Invalid serverUrl"),
        ("authConfig", json!({"headers": {"A B": "x"}}), "Invalid headers"),
        ("authConfig", json!({"headers": {"A": MASK}}), "is hidden"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let told = server.owner("POST", "/custom-mcp-servers").json(&bad).send().is_error(400);
        assert!(told.contains(says), "{field}: {told}");
    }
    assert_eq!(server.read("/custom-mcp-servers")["total"], 0);
}

#[test]
fn the_card_calls_the_tools_of_a_server_that_was_asked() {
    let (server, web) = with_web();
    web.set_decision(answer);
    let kept = made(&server, &web);
    let settings = json!({"mcpServerId": kept, "mcpActions": "[\"weather\"]"});
    let listed = server.post("/node-load-method/customMcpServerTool", &json!({"loadMethod": "listServers"}));
    assert_eq!((&listed[0]["label"], &listed[0]["name"]), (&json!("Weather"), &json!(kept)));
    let actions = server.post(
        "/node-load-method/customMcpServerTool",
        &json!({"loadMethod": "listActions", "inputs": settings}),
    );
    assert!(actions.as_array().unwrap().iter().any(|action| action["name"] == "weather"), "{actions}");
    authorize(&server, &kept).is(200);
    let (answer, read) =
        call_tool(&server, "customMcpServerTool", settings, "weather", json!({"city": "Ulm"}));
    assert!(read.contains("It rains in"), "{read}");
    assert_eq!(answer["usedTools"][0]["tool"], "weather");
    let told = server.owner("DELETE", &format!("/custom-mcp-servers/{kept}")).send().is_error(409);
    assert!(told.contains("server of tools"), "{told}");
}

#[test]
fn the_card_refuses_a_server_that_was_never_asked() {
    let (server, web) = with_web();
    web.set_decision(answer);
    let kept = made(&server, &web);
    let mut drawing = Drawing::default();
    let tool =
        drawing.card("customMcpServerTool", json!({"mcpServerId": kept, "mcpActions": "[\"weather\"]"}));
    let model = drawing.card("chatScripted", json!({"fallback": "Hi."}));
    let agent = drawing.card("reactAgentChat", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&tool, &agent, "tools");
    let flow = server.flow(&drawing.text());
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("authorize it first"), "{told}");
}
