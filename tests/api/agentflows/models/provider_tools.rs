//! Tools that OpenAI runs itself, asked for over its Responses, and the files that they make.

use crate::agentflows::steps::{START, Steps, ask, output};
use crate::support::provider::responses::{message, streamed};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Answer, Server};
use serde_json::{Value, json};

/// Two points of a picture.
const PICTURE: &str = "iVBORw0KGgo=";
const TABLE: &[u8] = b"tea,2\n";

fn agent(server: &Server, provider: &Provider, tools: &[&str]) -> Steps {
    let body = json!({"name": "key", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "sk-secret-1"}});
    let credential = crate::support::id(&server.post("/credentials", &body));
    let config = json!({
        "agentModel": "chatOpenAI", "modelName": "gpt-4o", "basepath": format!("{}/v1", provider.base_url()),
        "FLOWISE_CREDENTIAL_ID": credential,
    });
    let row = json!({
        "agentSelectedTool": "calculator", "agentSelectedToolConfig": {"agentSelectedTool": "calculator"},
    });
    let inputs = json!({
        "agentModel": "chatOpenAI", "agentModelConfig": config,
        "agentToolsBuiltInOpenAI": json!(tools).to_string(), "agentTools": [row],
    });
    Steps::begin().card("agentAgentflow_0", "Agent", inputs).edge(START, "agentAgentflow_0")
}

/// A reply whose code left a table in its container, and that drew a picture.
fn with_files() -> Behaviour {
    let cited = json!([{
        "type": "container_file_citation", "container_id": "cntr_1", "file_id": "cfile_1", "filename": "tea.csv",
    }]);
    streamed(&[
        json!({"id": "ci_1", "type": "code_interpreter_call", "status": "completed", "code": "print(1)",
               "container_id": "cntr_1", "outputs": [{"type": "logs", "logs": "1"}]}),
        json!({"id": "ig_1", "type": "image_generation_call", "status": "completed", "result": PICTURE,
               "output_format": "png", "revised_prompt": "A cup."}),
        message("Here they are.", &cited),
    ])
}

fn table() -> Behaviour {
    Behaviour::Bytes { kind: "application/octet-stream", body: TABLE.to_vec(), piece: 3 }
}

/// A server and a flow whose Agent made two files, and its answer.
fn with_answer() -> (Server, String, Value) {
    let (server, provider) = (Server::start(), Provider::start());
    provider.push_behaviour(with_files());
    provider.push_behaviour(table());
    let flow = agent(&server, &provider, &["code_interpreter", "image_generation"]).flow(&server);
    let answer = ask(&server, &flow, "Tea?");
    let fetched = provider.last_request();
    assert_eq!(fetched.path, "/v1/containers/cntr_1/files/cfile_1/content");
    assert_eq!(fetched.header("authorization"), Some("Bearer sk-secret-1"));
    (server, flow, answer)
}

fn open(server: &Server, link: &str) -> Answer {
    server.call_root("GET", link).send()
}

#[test]
fn the_tools_of_openai_are_asked_for_over_its_responses() {
    let (server, provider) = (Server::start(), Provider::start());
    let cited = json!([{"type": "url_citation", "url": "https://tea.example", "title": "Tea", "start_index": 0, "end_index": 3}]);
    provider.push_behaviour(streamed(&[
        json!({"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "tea"}}),
        message("Tea is hot.", &cited),
    ]));
    let flow = agent(&server, &provider, &["web_search_preview"]).flow(&server);
    let answer = ask(&server, &flow, "Tea?");
    assert_eq!(answer["text"], "Tea is hot.");
    let sent = provider.last_request();
    assert_eq!((sent.path.as_str(), &sent.body["store"]), ("/v1/responses", &json!(false)));
    let kinds: Vec<&str> =
        sent.body["tools"].as_array().unwrap().iter().map(|tool| tool["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["function", "web_search_preview"]);
    let made = output(&answer, "Agent");
    assert_eq!(made["usedTools"][0]["tool"], "web_search_preview");
    assert_eq!(made["sourceDocuments"][0]["metadata"]["source"], "https://tea.example");
    assert_eq!(made["usageMetadata"]["total_tokens"], 10);
    assert_eq!(made["responseMetadata"]["model_name"], "gpt-4o-2026");
}

#[test]
fn a_model_with_tools_of_both_kinds_calls_ours_and_goes_on() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.push_behaviour(streamed(&[json!({
        "id": "fc_1", "type": "function_call", "status": "completed", "call_id": "call_1", "name": "calculator",
        "arguments": "{\"input\":\"2+3\"}",
    })]));
    provider.push_behaviour(streamed(&[message("It is 5.", &json!([]))]));
    let flow = agent(&server, &provider, &["web_search_preview"]).flow(&server);
    let answer = ask(&server, &flow, "2+3?");
    assert_eq!(answer["text"], "It is 5.");
    let sent = provider.last_request().body["input"].as_array().unwrap().clone();
    let told = &sent[sent.len() - 2..];
    assert_eq!((&told[0]["type"], &told[0]["id"]), (&json!("function_call"), &json!("fc_1")));
    assert_eq!(told[1], json!({"type": "function_call_output", "call_id": "call_1", "output": "5"}));
    let used = &output(&answer, "Agent")["usageMetadata"];
    assert_eq!((&used["total_tokens"], &used["tool_call_tokens"]), (&json!(20), &json!(10)));
}

#[test]
fn without_tools_of_openai_a_model_is_asked_over_chat_completions() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = agent(&server, &provider, &[]).flow(&server);
    ask(&server, &flow, "Hi");
    assert_eq!(provider.last_request().path, "/v1/chat/completions");
}

#[test]
fn files_that_an_agent_makes_are_answered_with_signed_links() {
    let (server, _, answer) = with_answer();
    let made = output(&answer, "Agent");
    assert_eq!(made["artifacts"][0]["type"], "png");
    assert_eq!(made["fileAnnotations"][0]["fileName"], "tea.csv");
    assert_eq!(answer["artifacts"], made["artifacts"], "the answer names those of its last steps");
    assert_eq!(answer["fileAnnotations"], made["fileAnnotations"]);
    for (link, content) in [
        (&made["artifacts"][0]["data"], &b"\x89PNG\r\n\x1a\n"[..]),
        (&made["fileAnnotations"][0]["filePath"], TABLE),
    ] {
        let link = link.as_str().unwrap();
        assert!(link.starts_with("/api/v1/get-upload-file?") && link.contains("&expires="), "{link}");
        assert_eq!(open(&server, link).is(200).body, content);
    }
}

#[test]
fn strangers_get_nothing_of_a_file_that_an_agent_made() {
    let (server, _, answer) = with_answer();
    let link = output(&answer, "Agent")["fileAnnotations"][0]["filePath"].as_str().unwrap().to_owned();
    let (unsigned, _) = link.split_once("&expires=").unwrap();
    open(&server, unsigned).is(401);
    open(&server, &link.replace("signature=", "signature=0")).is(401);
    let token = answer["sessionToken"].as_str().unwrap();
    let owned = server.call_root("GET", unsigned).header("x-service-session-token", token).send();
    assert_eq!(owned.is(200).body, TABLE);
}

#[test]
fn the_answer_of_a_conversation_names_the_files_that_were_made_for_it() {
    let (server, flow, answer) = with_answer();
    let said = server.read(&format!("/chatmessage/{flow}?chatId={}", answer["chatId"].as_str().unwrap()));
    let reply = said.as_array().unwrap().iter().find(|message| message["role"] == "apiMessage").unwrap();
    let text = reply["fileUploads"].to_string();
    assert!(text.contains("tea.csv") && text.contains("image.png"), "{text}");
}

#[test]
fn a_stream_names_the_files_of_its_last_step() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.push_behaviour(with_files());
    provider.push_behaviour(table());
    let flow = agent(&server, &provider, &["code_interpreter", "image_generation"]).flow(&server);
    let answer = server.ask(&flow, &json!({"question": "Tea?", "streaming": true})).is(200);
    let events = answer.events();
    let place = |name: &str| events.iter().position(|(known, _)| known == name);
    let (usage, pictures) = (place("usageMetadata").unwrap(), place("artifacts").unwrap());
    let files = place("fileAnnotations").unwrap();
    assert!(usage < pictures && pictures < files && files < place("metadata").unwrap());
    assert_eq!(events[files].1[0]["fileName"], "tea.csv");
}

#[test]
fn a_file_that_the_provider_does_not_give_fails_the_step_and_leaves_nothing() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.push_behaviour(with_files());
    provider.push_behaviour(Behaviour::status(404, "{}"));
    let flow = agent(&server, &provider, &["code_interpreter", "image_generation"]).flow(&server);
    let told = server.ask(&flow, &json!({"question": "Tea?"})).is_error(500);
    assert!(told.contains("Agent"), "{told}");
}
