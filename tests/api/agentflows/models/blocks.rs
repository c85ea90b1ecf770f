//! Tools that Anthropic and Google run themselves: what they found goes back in the next round (manual 16.8).

use crate::agentflows::steps::{START, Steps, Talk, ask, output, record, with};
use crate::support::Server;
use crate::support::provider::Provider;
use crate::support::provider::blocks::{anthropic, google};
use serde_json::{Value, json};

const CLAUDE: (&str, &str, &str, &str) =
    ("chatAnthropic", "anthropicApi", "anthropicApiKey", "agentToolsBuiltInAnthropic");
const GEMINI: (&str, &str, &str, &str) =
    ("chatGoogleGenerativeAI", "googleGenerativeAI", "googleGenerativeAPIKey", "agentToolsBuiltInGemini");

fn agent(
    server: &Server,
    provider: &Provider,
    (card, kind, field, built_in): (&str, &str, &str, &str),
    (tool, model): (&str, &str),
) -> Value {
    let body = json!({"name": "key", "credentialName": kind, "plainDataObj": {field: "sk-secret-1"}});
    let credential = crate::support::id(&server.post("/credentials", &body));
    let config = json!({
        "agentModel": card, "modelName": model, "baseUrl": provider.base_url(),
        "FLOWISE_CREDENTIAL_ID": credential,
    });
    let row = json!({
        "agentSelectedTool": "calculator", "agentSelectedToolConfig": {"agentSelectedTool": "calculator"},
    });
    json!({
        "agentModel": card, "agentModelConfig": config, "agentTools": [row],
        built_in: json!([tool]).to_string(),
    })
}

fn flow(inputs: Value) -> Steps {
    Steps::begin().card("agentAgentflow_0", "Agent", inputs).edge(START, "agentAgentflow_0")
}

/// A search and what it found, sealed.
fn searched() -> [Value; 2] {
    let found = json!([{
        "type": "web_search_result", "url": "https://tea.example", "title": "Tea", "encrypted_content": "sealed",
    }]);
    [
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tea"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": found}),
    ]
}

fn say(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn sum() -> Value {
    json!({"type": "tool_use", "id": "toolu_1", "name": "calculator", "input": {"input": "2+3"}})
}

/// The messages of the newest request.
fn sent(provider: &Provider) -> Value {
    provider.last_request().body["messages"].clone()
}

#[test]
fn what_claude_found_goes_back_with_the_result_of_our_tool() {
    let (server, provider) = (Server::start(), Provider::start());
    let [asked, found] = searched();
    let round = [say("I look."), asked, found, say("Now the sum."), sum()];
    provider.push_behaviour(anthropic(&round, "tool_use"));
    provider.push_behaviour(anthropic(&[say("Tea for 5.")], "end_turn"));
    let inputs = agent(&server, &provider, CLAUDE, ("web_search_20250305", "claude-x"));
    let answer = ask(&server, &flow(inputs).flow(&server), "Tea?");
    let messages = sent(&provider);
    assert_eq!(messages[1], json!({"role": "assistant", "content": round}));
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "toolu_1");
    let used: Vec<&Value> =
        output(&answer, "Agent")["usedTools"].as_array().unwrap().iter().map(|used| &used["tool"]).collect();
    assert_eq!(used, ["web_search", "calculator"]);
}

#[test]
fn a_turn_that_claude_pauses_goes_on_as_one_answer() {
    let (server, provider) = (Server::start(), Provider::start());
    let [asked, found] = searched();
    provider.push_behaviour(anthropic(&[say("Tea is"), asked.clone()], "pause_turn"));
    provider.push_behaviour(anthropic(&[found, say(" hot.")], "end_turn"));
    let inputs = agent(&server, &provider, CLAUDE, ("web_search_20250305", "claude-x"));
    let answer = ask(&server, &flow(inputs).flow(&server), "Tea?");
    assert_eq!(answer["text"], "Tea is hot.");
    let messages = sent(&provider);
    assert_eq!(messages.as_array().unwrap().len(), 2, "nobody answers what the provider paused: {messages}");
    assert_eq!(messages[1]["content"], json!([say("Tea is"), asked]));
    let made = output(&answer, "Agent");
    assert_eq!(made["usedTools"][0]["toolInput"], json!({"query": "tea"}));
    assert_eq!(made["usedTools"].as_array().unwrap().len(), 1, "{made}");
    assert_eq!(made["usageMetadata"]["total_tokens"], 20);
}

#[test]
fn a_model_that_pauses_for_ever_is_stopped_by_the_bound_of_rounds() {
    let (server, provider) = (Server::start(), Provider::start());
    let [asked, _] = searched();
    provider.set_decision(move |_| anthropic(std::slice::from_ref(&asked), "pause_turn"));
    let inputs = agent(&server, &provider, CLAUDE, ("web_search_20250305", "claude-x"));
    let flow = flow(with(inputs, json!({"agentMaxIterations": 2}))).flow(&server);
    let told = server.ask(&flow, &json!({"question": "Tea?"})).is_error(500);
    assert!(told.starts_with("Agent: Max Iterations: "), "{told}");
    assert_eq!(provider.requests().len(), 3);
}

#[test]
fn what_claude_found_outlives_a_pause_for_a_person() {
    let (server, provider) = (Server::start(), Provider::start());
    let [asked, found] = searched();
    let round = [asked, found, sum()];
    provider.push_behaviour(anthropic(&round, "tool_use"));
    provider.push_behaviour(anthropic(&[say("Tea for 5.")], "end_turn"));
    let mut inputs = agent(&server, &provider, CLAUDE, ("web_search_20250305", "claude-x"));
    inputs["agentTools"][0]["agentSelectedToolRequiresHumanInput"] = true.into();
    let (talk, first) = Talk::begin(&server, &flow(inputs), "Tea?");
    assert_eq!(record(&server, &first)["state"], "STOPPED");
    let answer = talk.try_answer(&json!({"type": "proceed"})).is(200).json();
    assert_eq!(sent(&provider)[1]["content"], json!(round));
    assert_eq!(answer["text"], "Tea for 5.");
}

#[test]
fn what_gemini_did_goes_back_with_the_result_of_our_tool() {
    let (server, provider) = (Server::start(), Provider::start());
    let round = [
        json!({"text": "Hm.", "thought": true}),
        json!({"executableCode": {"language": "PYTHON", "code": "print(1)"}, "thoughtSignature": "czE="}),
        json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}),
        json!({"text": "Now the sum.", "thoughtSignature": "czI="}),
        json!({
            "functionCall": {"id": "f1", "name": "calculator", "args": {"input": "2+3"}}, "thoughtSignature": "czM=",
        }),
    ];
    provider.push_behaviour(google(&round));
    provider.push_behaviour(google(&[json!({"text": "Tea for 5."})]));
    let inputs = agent(&server, &provider, GEMINI, ("codeExecution", "gemini-3-pro"));
    let answer = ask(&server, &flow(inputs).flow(&server), "Tea?");
    let body = provider.last_request().body;
    assert_eq!(body["contents"][1], json!({"role": "model", "parts": round}));
    assert_eq!(body["contents"][2]["parts"][0]["functionResponse"]["id"], "f1");
    assert_eq!(body["toolConfig"]["includeServerSideToolInvocations"], true);
    let used = &output(&answer, "Agent")["usedTools"];
    assert_eq!((&used[0]["tool"], &used[1]["tool"]), (&json!("codeExecution"), &json!("calculator")));
}
