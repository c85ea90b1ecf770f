//! Lists that inputs of cards are chosen from (manual 9.8 r2): built in, longer when the provider can be asked.

use crate::support::canvases::SECRET;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn credential(server: &Server, kind: &str, field: &str) -> String {
    let body = json!({"name": "theirs", "credentialName": kind, "plainDataObj": {field: SECRET}});
    id(&server.post("/credentials", &body))
}

fn load(server: &Server, card: &str, body: &Value) -> Vec<Value> {
    let list = server.post(&format!("/node-load-method/{card}"), body);
    list.as_array().unwrap().clone()
}

fn names(list: &[Value]) -> Vec<&str> {
    list.iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn a_card_suggests_models_without_asking_anybody() {
    let (server, provider) = (Server::start(), Provider::start());
    let inputs = json!({"basepath": format!("{}/v1", provider.base_url())});
    let list = load(&server, "chatOpenAI", &json!({"loadMethod": "listModels", "inputs": inputs}));
    assert_eq!(list[0], json!({"label": "gpt-4o-mini", "name": "gpt-4o-mini"}));
    assert_eq!(provider.served_count(), 0, "a card that needs a key asks nobody without one");
    let list = load(&server, "voyageAIEmbeddings", &json!({"loadMethod": "listModels"}));
    assert!(names(&list).contains(&"voyage-2"));
}

/// Card, credential type and its field, input for the address, path of the base, and a label and a name that only the
/// provider knows.
#[rustfmt::skip]
const PROVIDERS: &[[&str; 7]] = &[
    ["chatOpenAI", "openAIApi", "openAIApiKey", "basepath", "/v1", "theirs", "theirs"],
    ["openAIEmbeddings", "openAIApi", "openAIApiKey", "basepath", "/v1", "embed-theirs", "embed-theirs"],
    ["chatMistralAI", "mistralAIApi", "mistralAIAPIKey", "overrideEndpoint", "", "theirs", "theirs"],
    ["chatCohere", "cohereApi", "cohereApiKey", "basepath", "", "theirs", "theirs"],
    ["chatOllama", "ollamaApi", "ollamaApiKey", "baseUrl", "", "theirs:8b", "theirs:8b"],
    ["googleGenerativeAiEmbeddings", "googleGenerativeAI", "googleGenerativeAPIKey", "baseUrl", "", "embedding-theirs", "embedding-theirs"],
    ["chatAnthropic", "anthropicApi", "anthropicApiKey", "baseUrl", "", "Claude of Theirs", "claude-theirs"],
    ["chatGoogleGenerativeAI", "googleGenerativeAI", "googleGenerativeAPIKey", "baseUrl", "", "Gemini of Theirs", "gemini-theirs"],
];

#[test]
fn the_provider_adds_its_own_models() {
    let (server, provider) = (Server::start(), Provider::start());
    let base = provider.base_url();
    for [card, kind, field, address, path, label, name] in PROVIDERS {
        let mut theirs = json!({"label": label, "name": name});
        if label != name {
            theirs["description"] = json!(name);
        }
        let body = json!({"loadMethod": "listModels", "credential": credential(&server, kind, field),
            "inputs": {*address: format!("{base}{path}")}});
        let asked = provider.served_count();
        for _ in 0..2 {
            let list = load(&server, card, &body);
            assert!(list.contains(&theirs), "{card}: {list:?}");
            let mut once = names(&list);
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), list.len(), "{card}: each once");
        }
        assert_eq!(provider.served_count(), asked + 1, "{card}: its list is kept for a while");
        let request = provider.last_request();
        let key =
            ["authorization", "x-api-key", "x-goog-api-key"].iter().find_map(|name| request.header(name));
        assert_eq!(key.unwrap().trim_start_matches("Bearer "), SECRET, "{card}");
        assert!(!request.path.contains(SECRET), "{card}");
    }
}

#[test]
fn a_provider_that_fails_or_is_silent_leaves_the_built_in_list() {
    let (server, provider) = (Server::start(), Provider::start());
    let credential = credential(&server, "openAIApi", "openAIApiKey");
    let body = |path: &str| {
        json!({"loadMethod": "listModels", "credential": credential,
            "inputs": {"basepath": format!("{}{path}", provider.base_url())}})
    };
    for (path, behaviour) in [
        ("/refused", Behaviour::status(401, r#"{"error":{"message":"no"}}"#)),
        ("/garbled", Behaviour::status(200, "<html>")),
        ("/throttled", Behaviour::rate_limited(Some("60"))),
        ("/silent", Behaviour::Hang),
    ] {
        provider.push_behaviour(behaviour);
        let begun = Instant::now();
        let list = load(&server, "chatOpenAI", &body(path));
        assert_eq!(names(&list)[0], "gpt-4o-mini", "{path}");
        assert!(begun.elapsed() < Duration::from_secs(8), "{path}");
        let asked = provider.served_count();
        load(&server, "chatOpenAI", &body(path));
        assert_eq!(provider.served_count(), asked, "{path}: it is left alone for a while");
    }
}

#[test]
fn who_cannot_draw_a_flow_makes_the_service_ask_nobody() {
    let (server, provider) = (Server::start(), Provider::start());
    let credential = credential(&server, "openAIApi", "openAIApiKey");
    let body = json!({"loadMethod": "listModels", "credential": credential,
        "inputs": {"basepath": format!("{}/v1", provider.base_url())}});
    // Whoever draws chooses the address; to send a stored credential there is another permission.
    let drawing = server.key(&["chatflows:update"])["apiKey"].as_str().unwrap().to_owned();
    server.call("POST", "/node-load-method/chatOpenAI").json(&body).bearer(&drawing).send().is_error(403);
    assert_eq!(provider.served_count(), 0);
    for (permission, asked) in [("chatflows:view", 0), ("documentStores:update", 0), ("chatflows:update", 1)]
    {
        let sending = Some("credentials:update").filter(|_| asked > 0);
        let held: Vec<&str> = [permission].into_iter().chain(sending).collect();
        let key = server.key(&held)["apiKey"].as_str().unwrap().to_owned();
        let call = server.call("POST", "/node-load-method/chatOpenAI").json(&body).bearer(&key);
        let list = call.send().is(200).json();
        assert_eq!(list[0]["name"], "gpt-4o-mini");
        assert_eq!(provider.served_count(), asked, "{permission}");
    }
}

#[test]
fn tools_and_document_stores_are_listed() {
    let server = Server::start();
    let tool = id(&server.post("/tools", &json!({"name": "weather", "description": "The weather"})));
    let store =
        id(&server.post("/document-store/store", &json!({"name": "Handbook", "description": "Ours"})));
    let list = load(&server, "customTool", &json!({"loadMethod": "listTools"}));
    assert_eq!(list, [json!({"label": "weather", "name": tool, "description": "The weather"})]);
    let list = load(&server, "bm25Retriever", &json!({"loadMethod": "listStores"}));
    assert_eq!(list, [json!({"label": "Handbook", "name": store, "description": "Ours"})]);
}

#[test]
fn a_list_that_there_is_not_is_empty_and_a_card_that_there_is_not_is_told() {
    let server = Server::start();
    for (card, method) in
        [("chatOpenAI", "listTools"), ("calculator", "listModels"), ("chatOpenAI", "nonsense")]
    {
        assert!(load(&server, card, &json!({ "loadMethod": method })).is_empty(), "{card} {method}");
    }
    let body = json!({"loadMethod": "listModels"});
    server.owner("POST", "/node-load-method/chatOfTomorrow").json(&body).send().is_error(404);
}

#[test]
fn a_loop_is_offered_the_steps_before_it() {
    let server = Server::start();
    let body = json!({"loadMethod": "listPreviousNodes", "previousNodes": [
        {"id": "llmAgentflow_0", "data": {"id": "llmAgentflow_0", "label": "Writer", "name": "llmAgentflow"}},
        {"id": "agentAgentflow_0", "label": "Agent", "name": "agentAgentflow"},
    ]});
    let list = load(&server, "loopAgentflow", &body);
    assert_eq!(names(&list), ["llmAgentflow_0-Writer", "agentAgentflow_0-Agent"]);
    assert_eq!((&list[0]["label"], &list[0]["description"]), (&json!("Writer"), &json!("llmAgentflow_0")));
    assert!(load(&server, "loopAgentflow", &json!({"loadMethod": "listPreviousNodes"})).is_empty());
    assert!(load(&server, "llmAgentflow", &body).is_empty(), "a card without such an input has no such list");
}

/// The list of arguments for a Tool step that is set so.
fn arguments(server: &Server, inputs: &Value) -> Vec<Value> {
    let current = json!({"id": "toolAgentflow_0", "data": {"label": "Tool", "inputs": inputs}});
    let body = json!({"loadMethod": "listToolInputArgs", "currentNode": current});
    load(server, "toolAgentflow", &body)
}

#[test]
fn a_tool_step_is_offered_the_arguments_of_its_tool() {
    let server = Server::start();
    let list = arguments(
        &server,
        &json!({
            "toolAgentflowSelectedTool": "calculator",
            "toolAgentflowSelectedToolConfig": {"toolAgentflowSelectedTool": "calculator"},
        }),
    );
    assert_eq!(names(&list), ["input"]);
    assert_eq!(list[0]["description"], "The expression.");
}

#[test]
fn a_tool_step_without_a_tool_or_with_one_that_cannot_be_built_is_offered_nothing() {
    let server = Server::start();
    for inputs in [
        json!({}),
        json!({"toolAgentflowSelectedTool": "noSuchCard", "toolAgentflowSelectedToolConfig": {}}),
        json!({"toolAgentflowSelectedTool": "customMCP", "toolAgentflowSelectedToolConfig": {"mcpServerConfig": "{"}}),
    ] {
        assert!(arguments(&server, &inputs).is_empty(), "{inputs}");
    }
}
