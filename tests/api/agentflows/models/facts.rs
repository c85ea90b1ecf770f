//! What a record tells of the models that its steps asked.

use crate::agentflows::steps::{START, Steps, ask, output};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider, Reply};
use serde_json::{Value, json};
use std::time::Duration;

/// A flow with one LLM of each protocol, in front of a stand-in provider.
fn writer(server: &Server, provider: &Provider, card: &str) -> Steps {
    let (kind, field, address) = match card {
        "chatAnthropic" => ("anthropicApi", "anthropicApiKey", "baseUrl"),
        "chatGoogleGenerativeAI" => ("googleGenerativeAI", "googleGenerativeAPIKey", "baseUrl"),
        _ => ("openAIApi", "openAIApiKey", "basepath"),
    };
    let body = json!({"name": "key", "credentialName": kind, "plainDataObj": {field: "sk-secret-1"}});
    let credential = crate::support::id(&server.post("/credentials", &body));
    let base = provider.base_url();
    let base = if card == "chatOpenAI" { format!("{base}/v1") } else { base };
    let config = json!({
        "llmModel": card, "modelName": "model-1", address: base, "FLOWISE_CREDENTIAL_ID": credential,
    });
    let inputs = json!({"llmModel": card, "llmModelConfig": config});
    Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0")
}

#[test]
fn every_protocol_tells_tokens_and_why_the_model_finished() {
    for (card, reason) in
        [("chatOpenAI", "stop"), ("chatAnthropic", "end_turn"), ("chatGoogleGenerativeAI", "STOP")]
    {
        let (server, provider) = (Server::start(), Provider::start());
        let reply = Reply { input_tokens: Some(7), ..Reply::text("one two three") };
        provider.push_behaviour(Behaviour::Reply(reply));
        let answer = ask(&server, &writer(&server, &provider, card).flow(&server), "Hi");
        let made = output(&answer, "Writer");
        let used = &made["usageMetadata"];
        let told = (&used["input_tokens"], &used["output_tokens"], &used["total_tokens"]);
        assert_eq!(told, (&json!(7), &json!(3), &json!(10)), "{card}: {made}");
        assert_eq!(made["responseMetadata"]["finish_reason"], reason, "{card}: {made}");
        assert_eq!(made.get("artifacts"), None::<&Value>, "{card}");
    }
}

#[test]
fn a_model_that_thinks_tells_what_and_how_long() {
    let (server, provider) = (Server::start(), Provider::start());
    let reply = Reply {
        thinking: vec!["Hm, ".to_owned(), "so.".to_owned()],
        token_delay: Duration::from_millis(600),
        ..Reply::text("Yes")
    };
    provider.push_behaviour(Behaviour::Reply(reply));
    let flow = writer(&server, &provider, "chatOpenAI").flow(&server);
    let answer = server.ask(&flow, &json!({"question": "Hi", "streaming": true})).is(200);
    let thought: String = answer
        .events()
        .iter()
        .filter(|(name, _)| name == "thinking")
        .map(|(_, text)| text.as_str().unwrap())
        .collect();
    assert_eq!(thought, "Hm, so.");
    let told = answer.text();
    assert_eq!(told.matches("\"thinking\",\"data\":\"\",\"duration\":").count(), 1, "{told}");
    let record = crate::agentflows::steps::newest_record(&server);
    let reasoning = &output(&record, "Writer")["reasonContent"];
    assert_eq!(reasoning["thinking"], "Hm, so.");
    assert!(reasoning["thinkingDuration"].as_u64().is_some_and(|seconds| seconds >= 1), "{reasoning}");
}

#[test]
fn what_a_model_costs_is_told_where_the_operator_names_its_prices() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("prices.json");
    std::fs::write(&file, r#"{"model-1": {"input": 2, "output": 8}}"#).unwrap();
    for (prices, cost) in [(Some(&file), json!(0.000_038)), (None, Value::Null)] {
        let prices = prices.map(|file| file.display().to_string());
        let settings: Vec<(&str, &str)> =
            prices.iter().map(|file| ("SERVICE_MODEL_PRICES", file.as_str())).collect();
        let (server, provider) = (Server::with(&settings), Provider::start());
        let reply = Reply { input_tokens: Some(7), ..Reply::text("one two three") };
        provider.push_behaviour(Behaviour::Reply(reply));
        let answer = ask(&server, &writer(&server, &provider, "chatOpenAI").flow(&server), "Hi");
        let used = &output(&answer, "Writer")["usageMetadata"];
        assert_eq!((&used["total_cost"], &used["total_tokens"]), (&cost, &json!(10)));
    }
}
