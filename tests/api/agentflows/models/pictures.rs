//! Pictures in the results of tools of MCP servers (manual 16.8).

use crate::agentflows::steps::{START, Steps, ask, output, ruled_llm};
use crate::mcp;
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::tools::with_web;
use serde_json::{Value, json};

/// The start of a PNG, and that in base64.
pub const PICTURE: (&[u8], &str) = (b"\x89PNG\r\n\x1a\n", "iVBORw0KGgo=");

/// A server whose tool draws.
pub fn drawing(request: &RecordedRequest) -> Behaviour {
    if request.body["method"] != "tools/call" {
        return mcp::answer(request);
    }
    let content = json!([
        {"type": "text", "text": "Rain."},
        {"type": "image", "data": PICTURE.1, "mimeType": "image/png"},
        {"type": "image", "data": "PHN2Zz4=", "mimeType": "image/svg+xml"},
    ]);
    let result = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": {"content": content}});
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Behaviour::Status { status: 200, body: result.to_string(), headers }
}

/// The inputs of a Tool step, and of an Agent whose model calls the tool once.
fn steps(web: &Provider) -> [(&'static str, Value); 2] {
    let mut config = mcp::config(web, json!(["weather"]));
    config["toolAgentflowSelectedTool"] = "customMCP".into();
    let rows = json!([{"inputArgName": "city", "inputArgValue": "Ulm"}]);
    let tool = json!({
        "toolAgentflowSelectedTool": "customMCP", "toolAgentflowSelectedToolConfig": config, "toolInputArgs": rows,
    });
    let mut config = mcp::config(web, json!(["weather"]));
    config["agentSelectedTool"] = "customMCP".into();
    let llm = ruled_llm(&json!([
        {"after": "tool", "reply": "It rains."},
        {"toolCalls": [{"name": "weather", "arguments": {"city": "Ulm"}}]},
    ]));
    let agent = json!({
        "agentModel": llm["llmModel"], "agentModelConfig": llm["llmModelConfig"], "agentEnableMemory": true,
        "agentTools": [{"agentSelectedTool": "customMCP", "agentSelectedToolConfig": config}],
    });
    [("toolAgentflow_0", tool), ("agentAgentflow_0", agent)]
}

/// The settings of a model of Anthropic's protocol that may read pictures, or may not.
pub fn vision(server: &Server, model: &Provider, allows: bool) -> Value {
    let key = json!({"name": "key", "credentialName": "anthropicApi", "plainDataObj": {"anthropicApiKey": "sk-secret-1"}});
    let credential = crate::support::id(&server.post("/credentials", &key));
    json!({
        "modelName": "claude-x", "baseUrl": model.base_url(), "allowImageUploads": allows,
        "FLOWISE_CREDENTIAL_ID": credential,
    })
}

/// An Agent whose model may read pictures, as this provider has it, and calls the tool once.
pub fn seeing(server: &Server, web: &Provider, model: &Provider, allows: bool) -> Steps {
    let mut tool = mcp::config(web, json!(["weather"]));
    tool["agentSelectedTool"] = "customMCP".into();
    let inputs = json!({
        "agentModel": "chatAnthropic", "agentModelConfig": vision(server, model, allows),
        "agentTools": [{"agentSelectedTool": "customMCP", "agentSelectedToolConfig": tool}],
    });
    Steps::begin().card("agentAgentflow_0", "Draw", inputs).edge(START, "agentAgentflow_0")
}

fn open(server: &Server, link: &Value) -> Vec<u8> {
    server.call_root("GET", link.as_str().unwrap()).send().is(200).body
}

#[test]
fn a_picture_that_a_tool_of_a_server_draws_is_kept_and_named_by_the_answer() {
    let (server, web) = with_web();
    web.set_decision(drawing);
    for (id, inputs) in steps(&web) {
        let answer =
            ask(&server, &Steps::begin().card(id, "Draw", inputs).edge(START, id).flow(&server), "Hi");
        let made = &output(&answer, "Draw")["artifacts"];
        assert_eq!((made.as_array().unwrap().len(), &made[0]["type"]), (1, &json!("png")), "{id}: {answer}");
        assert_eq!(&answer["artifacts"], made, "{id}");
        assert_eq!(open(&server, &made[0]["data"]), PICTURE.0, "{id}");
    }
}

#[test]
fn a_model_that_may_read_pictures_is_shown_those_of_its_tools_and_another_is_not() {
    for allows in [true, false] {
        let (server, web) = with_web();
        web.set_decision(drawing);
        let model = Provider::start();
        model.push_behaviour(Behaviour::call("weather", json!({"city": "Ulm"})));
        model.push_behaviour(Behaviour::text("It rains."));
        let answer = ask(&server, &seeing(&server, &web, &model, allows).flow(&server), "Hi");
        assert_eq!(answer["text"], "It rains.");
        let result = model.last_request().body["messages"][2]["content"][0]["content"].clone();
        let shown = json!({
            "type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE.1},
        });
        if allows {
            assert_eq!((result.as_array().unwrap().len(), &result[1]), (2, &shown));
        } else {
            assert!(result.as_str().unwrap().contains("Rain."), "{result}");
        }
    }
}
