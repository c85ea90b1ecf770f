//! Good requests for the routes around flows: conversations, keys, icons, files of the workspace. As `access::sample`.

use crate::assistants;
use crate::executions::{record, waiting};
use crate::harness::scripted_team;
use crate::permission_limits::{CREDENTIAL, FLOW, marked_canvas};
use crate::schedules::scheduled;
use crate::support::canvases::Drawing;
use crate::support::{Server, id};
use flowkeep::domain::ids::ChatId;
use serde_json::{Value, json};

/// A request: what stands in the path, and the body.
pub type Sample = (Option<String>, Option<Value>);

/// As `access::sample`, for routes of document stores: the whole path, and the body.
pub fn sample_of_store(server: &Server, method: &str, pattern: &str, whole: &str) -> (String, Option<Value>) {
    let store = id(&server.post("/document-store/store", &json!({"name": "s"})));
    let text = json!({"loader": {"name": "plainText", "config": {"text": "Some text."}}});
    let loader = server.post(&format!("/document-store/upsert/{store}"), &text)["docId"].clone();
    let loader = loader.as_str().unwrap();
    let page = server.read(&format!("/document-store/chunks/{store}/{loader}/1"));
    let chunk = page["chunks"][0]["id"].as_str().unwrap();
    let plain = json!({"storeId": store, "loaderId": "plainText", "loaderConfig": {"text": "Some text."}});
    let body = match (method, pattern) {
        ("PUT", "/document-store/store/:id") => Some(json!({"name": "t"})),
        ("POST", "/document-store/loader/preview" | "/document-store/loader/save") => Some(plain),
        ("POST", "/document-store/loader/process/:loader") => Some(json!({"storeId": store})),
        ("POST", "/document-store/generate-tool-desc/:id") => Some(
            json!({"selectedChatModel": {"name": "chatScripted", "inputs": {"fallback": "For parcels."}}}),
        ),
        ("PUT", path) if path.ends_with("/:chunk") => Some(json!({"pageContent": "Other text."})),
        ("GET" | "DELETE", _) | ("POST", "/document-store/refresh/:id") => None,
        (method, pattern) => panic!("{method} {pattern} has no line here: say what a good request is"),
    };
    let segment = |part| match part {
        ":id" => store.as_str(),
        ":loader" => loader,
        ":chunk" => chunk,
        ":page" => "1",
        ":group" => "loaders",
        other => other,
    };
    let path = whole.split('/').map(segment).collect::<Vec<_>>().join("/");
    let query = if pattern.contains("/chunk-search/") { "?text=text" } else { "" };
    (format!("{path}{query}"), body)
}

/// `None` for a route of another group.
#[allow(clippy::too_many_lines, reason = "a line or two for each route")]
pub fn sample(server: &Server, method: &str, pattern: &str, kind: &str, held: &str) -> Option<Sample> {
    let flow = || server.flow_with(&marked_canvas(), &json!({ "type": kind }));
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
        ("POST", "/leads") => {
            let flow = server.flow_asking_visitors(&marked_canvas(), &json!({}));
            (None, Some(json!({"chatflowid": flow, "name": "Ada"})))
        }
        ("GET", "/chatflows/has-changed/:id/:iso" | "/public-chatflows/:id") => {
            let fields = json!({"type": kind, "isPublic": true});
            (Some(server.flow_with(&marked_canvas(), &fields)), None)
        }
        ("GET", "/chatflows/apikey/:apikey" | "/verify/apikey/:apikey") => {
            server.flow(&marked_canvas());
            (server.key(&["chatflows:view"])["apiKey"].as_str().map(str::to_owned), None)
        }
        ("GET", "/chatflows/:id/schedule/status" | "/chatflows/:id/schedule/trigger-logs") => {
            (Some(flow()), None)
        }
        // Flows of other kinds have no schedule.
        ("PATCH", "/chatflows/:id/schedule/enabled") if held == "agentflows:update" => {
            (Some(scheduled("0 9 * * *").flow(server)), Some(json!({"enabled": true})))
        }
        ("PATCH", "/chatflows/:id/schedule/enabled") => (Some(flow()), Some(json!({"enabled": true}))),
        ("DELETE", "/chatflows/:id/schedule/trigger-logs") => {
            (Some(flow()), Some(json!({"logIds": ["7bd3a5ac-4f3f-4bb5-8a42-53cf41fbb4f1"]})))
        }
        (
            "GET",
            "/harnesses"
            | "/server"
            | "/server/log"
            | "/conversations"
            | "/conversations/count"
            | "/leads"
            | "/usage",
        ) => (None, None),
        // Without a flow it would mean those of other kinds too, which the holder may not change.
        ("DELETE", "/conversations") => (Some(format!("?flowId={}", flow())), None),
        ("POST", "/harnesses/:name/runs") => {
            let name = format!("desk-{}", server.read("/harnesses").as_array().unwrap().len());
            let team = scripted_team().replace("\"desk\"", &format!("\"{name}\""));
            server.flow_with(&team, &json!({"type": "HARNESS"}));
            (Some(name), Some(json!({"question": "Hi"})))
        }
        ("GET", "/executions") => (None, None),
        ("GET" | "DELETE", "/executions/:id") | ("GET", "/executions/:id/events") => {
            (Some(record(server, &flow(), FLOW)), None)
        }
        ("POST", "/executions/:id/stop") => (Some(waiting(server, &flow())), None),
        ("PUT", "/executions/:id") => (Some(record(server, &flow(), FLOW)), Some(json!({"isPublic": true}))),
        ("DELETE", "/executions") => (None, Some(json!({"executionIds": [record(server, &flow(), FLOW)]}))),
        ("GET", "/public-executions/:id") => {
            let run = record(server, &flow(), FLOW);
            let path = format!("/executions/{run}");
            server.owner("PUT", &path).json(&json!({"isPublic": true})).send().is(200);
            (Some(run), None)
        }
        (method, "/webhook/:id") => {
            let flow = crate::webhooks::echo(json!({"webhookMethod": ""})).flow(server);
            (Some(flow), (method != "GET").then(|| json!({"name": "Ada"})))
        }
        ("GET" | "POST", "/mcp-server/:id") => {
            let flow = flow();
            let body = json!({"toolName": format!("tool-{flow}"), "description": "Finds orders."});
            (Some(flow), (method == "POST").then_some(body))
        }
        ("PUT" | "DELETE", "/mcp-server/:id") | ("POST", "/mcp-server/:id/refresh" | "/mcp/:id") => {
            let flow = flow();
            crate::mcp_server::enable(server, &flow, &format!("tool-{flow}"));
            let body = if pattern == "/mcp/:id" {
                Some(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
            } else {
                (method == "PUT").then(|| json!({"enabled": false}))
            };
            (Some(flow), body)
        }
        ("POST", "/mcp") => (None, Some(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))),
        ("GET", "/openai/v1/models") => (None, None),
        ("GET", "/openai/v1/models/:model") => (Some(flow()), None),
        ("POST", "/openai/v1/chat/completions") => {
            (None, Some(json!({"model": flow(), "messages": [{"role": "user", "content": "Hi"}]})))
        }
        ("POST", "/openai/v1/responses") => (None, Some(json!({"model": flow(), "input": "Hi"}))),
        ("POST", "/chatflows/:id/webhook-secret" | "/webhook-listener/:id/register") => (Some(flow()), None),
        ("DELETE", "/chatflows/:id/webhook-secret") => {
            let flow = flow();
            crate::webhooks::generate_secret(server, &flow);
            (Some(flow), None)
        }
        (_, "/webhook-listener/:id/stream/:listener" | "/webhook-listener/:id/listener/:listener") => {
            let flow = flow();
            let listener = crate::webhooks::register(server, &flow);
            crate::webhooks::end_when_read(server, &flow, &listener);
            (Some(format!("{flow} {listener}")), None)
        }
        (method, "/etl/:id/runs" | "/etl/:id/runs/:run" | "/etl/:id/runs/:run/events") => {
            let text = ("plainText", json!({"text": "Some text."}));
            let flow = crate::etl::pipeline(server, &crate::etl::line(text, &[], "append"));
            if pattern.ends_with("/runs") {
                (Some(flow), (method == "POST").then(|| json!({"dryRun": true})))
            } else {
                let run = crate::etl::start(server, &flow, &json!({}));
                crate::etl::end(server, &flow, &run);
                (Some(format!("{flow} {run}")), None)
            }
        }
        (_, "/etl/:id/files" | "/etl/:id/files/:file") => {
            let flow = crate::etl::pipeline(server, &crate::etl::into_file("rows.jsonl"));
            if pattern.ends_with("/files") {
                (Some(flow), None)
            } else {
                crate::etl::run(server, &flow);
                (Some(format!("{flow} rows.jsonl")), None)
            }
        }
        ("GET", "/custom-mcp-servers") => (None, None),
        ("POST", "/custom-mcp-servers") => (None, Some(tool_server())),
        ("PUT", "/custom-mcp-servers/:id") => {
            (Some(id(&server.post("/custom-mcp-servers", &tool_server()))), Some(json!({"color": "red"})))
        }
        (
            _,
            "/custom-mcp-servers/:id" | "/custom-mcp-servers/:id/tools" | "/custom-mcp-servers/:id/authorize",
        ) => (Some(id(&server.post("/custom-mcp-servers", &tool_server()))), None),
        (
            "GET",
            "/assistants"
            | "/assistants/components/chatmodels"
            | "/assistants/components/tools"
            | "/assistants/components/docstores",
        ) => (None, None),
        ("POST", "/assistants") => (None, Some(assistants::body(&assistants::saying("a", "Hi")))),
        ("POST", "/assistants/generate/instruction") => {
            let model = json!({"name": "chatScripted", "inputs": {"fallback": "You sort the mail."}});
            (None, Some(json!({"task": "Sorts the mail", "selectedChatModel": model})))
        }
        ("PUT", "/assistants/:id") => {
            let assistant = assistants::make(server, &assistants::saying("a", FLOW));
            (Some(assistant), Some(json!({"iconSrc": "i"})))
        }
        ("GET" | "DELETE", "/assistants/:id") => {
            (Some(assistants::make(server, &assistants::saying("a", FLOW))), None)
        }
        ("POST", "/node-config") => (None, Some(json!({"name": "chatOpenAI", "inputs": {}}))),
        ("POST", "/node-custom-function") => (None, Some(json!({"javascriptFunction": "return 1"}))),
        ("POST", "/node-answer-schema") => (None, Some(json!({"rows": [{"key": "a"}]}))),
        ("GET", "/node-icon/:name") => (Some("chatOpenAI".to_owned()), None),
        ("GET", "/components-credentials-icon/:name") => (Some("openAIApi".to_owned()), None),
        ("GET", "/used-by/:kind") => (held.split(':').next().map(str::to_owned), None),
        ("GET", "/credentials/:id/reveal") => {
            let body = json!({"name": CREDENTIAL, "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "x"}});
            (Some(crate::support::id(&server.post("/credentials", &body))), None)
        }
        ("POST", "/oauth2-credential/authorize/:id" | "/oauth2-credential/refresh/:id") => {
            // Nobody has signed in to it, so renewing it asks nobody.
            let fields = json!({"clientId": "x", "clientSecret": "y"});
            let body = json!({"name": CREDENTIAL, "credentialName": "gmailOAuth2", "plainDataObj": fields});
            (Some(crate::support::id(&server.post("/credentials", &body))), None)
        }
        ("GET", "/oauth2-credential/callback") => (Some("?error=access_denied".to_owned()), None),
        ("GET", "/settings" | "/ip") => (None, None),
        ("POST", "/export-import/export") => (None, Some(json!({}))),
        ("POST", "/export-import/import") => {
            (None, Some(json!({"name": "f", "type": kind, "flowData": marked_canvas()})))
        }
        ("POST", "/export-import/chatflow-messages") => (None, Some(json!({ "chatflowId": flow() }))),
        ("GET", "/marketplaces/templates" | "/marketplaces/custom") => (None, None),
        ("POST", "/marketplaces/custom") if held == "templates:toolexport" => {
            (None, Some(json!({"name": "t", "tool": {"name": "t"}})))
        }
        ("POST", "/marketplaces/custom") => (None, Some(json!({"name": "t", "chatflowId": flow()}))),
        ("PUT", "/marketplaces/custom/:id") => {
            let source = match held {
                "templates:flowexport" => json!({"name": "t", "chatflowId": flow()}),
                _ => json!({"name": "t", "tool": {"name": "t"}}),
            };
            let change = match held {
                "templates:custom-share" => json!({"shared": true}),
                _ => json!({"name": "renamed"}),
            };
            (Some(crate::support::id(&server.post("/marketplaces/custom", &source))), Some(change))
        }
        ("DELETE", "/marketplaces/custom/:id") => {
            let body = json!({"name": "t", "tool": {"name": "t"}});
            (Some(crate::support::id(&server.post("/marketplaces/custom", &body))), None)
        }
        _ => return None,
    })
}

/// A flow, and a rating of an answer of it.
fn rating(server: &Server) -> (String, Value) {
    let flow = server.flow(&marked_canvas());
    let told = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let body = json!({
        "chatflowid": flow, "chatId": told["chatId"], "messageId": told["chatMessageId"], "rating": "THUMBS_UP",
    });
    (flow, body)
}

/// An upsert of a flow, whose kind may be one that is run otherwise.
pub fn upserted_flow(server: &Server, kind: &str) -> String {
    let is_assistant = kind == "ASSISTANT";
    let flow = server
        .flow_with(&upsertable_canvas(), &json!({"type": if is_assistant { kind } else { "CHATFLOW" }}));
    server.post(&format!("/vector/upsert/{flow}"), &json!({}));
    let filling = id(&server.read(&format!("/upsert-history/{flow}"))[0]);
    let moved = json!({ "type": kind });
    server.owner("PUT", &format!("/chatflows/{flow}")).json(&moved).send().is(200);
    filling
}

/// A document store with vectors.
pub fn embedded_store(server: &Server) -> String {
    let store = id(&server.post("/document-store/store", &json!({"name": "s"})));
    let body = json!({"storeId": store, "embeddingName": "hashingEmbeddings"});
    server.owner("POST", "/document-store/vectorstore/insert").json(&body).send().is(200);
    store
}

/// The query that names a file of a conversation.
pub fn stored_file_query(server: &Server) -> String {
    let (flow, chat) = (server.flow(&marked_canvas()), ChatId::random());
    let name = server.store_file(&flow, &chat, "txt", b"hello");
    format!("?chatflowId={flow}&chatId={chat}&fileName={name}")
}

/// A canvas with a vector store.
pub fn upsertable_canvas() -> String {
    let mut drawing = Drawing::default();
    let store = drawing.card("memoryVectorStore", json!({}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    drawing.wire(&embeddings, &store, "embeddings");
    drawing.text()
}

/// A server of tools that nobody reaches.
fn tool_server() -> Value {
    json!({"name": "t", "serverUrl": "http://127.0.0.1:9/mcp"})
}
