//! What a request says of its model counts where the owner listed it.

use super::{Asker, user, with_provider};
use crate::support::canvases::SECRET;
use crate::support::id;
use crate::support::provider::Provider;
use crate::support::steps::{START, Steps};
use serde_json::{Value, json};

fn listed(label: &str, names: &[&str]) -> Value {
    let row = |name: &&str| json!({"label": name, "name": name, "type": "string", "enabled": true});
    let rows: Vec<Value> = names.iter().map(row).collect();
    let config = json!({"overrideConfig": {"status": true, "nodes": {label: rows}, "variables": []}});
    json!({"apiConfig": config.to_string()})
}

#[test]
fn sampling_counts_where_its_owner_listed_it() {
    let asker = Asker::new();
    let body = |flow: &str| {
        json!({"model": flow, "messages": user("Hi"), "temperature": 0.25, "top_p": 0.5,
            "max_completion_tokens": 77, "presence_penalty": 1, "stop": ["END", "STOP"], "seed": 5, "user": "ada"})
    };
    let (provider, flow) = with_provider(&asker.server, &json!({}));
    asker.chat(&body(&flow)).is(200);
    let sent = provider.last_request().body;
    assert!(sent["temperature"] != 0.25 && sent["top_p"].is_null(), "{sent}");
    let names = ["temperature", "topP", "maxTokens", "presencePenalty", "stopSequence"];
    let (provider, flow) = with_provider(&asker.server, &listed("OpenAI", &names));
    asker.chat(&body(&flow)).is(200);
    let sent = provider.last_request().body;
    assert_eq!((&sent["temperature"], &sent["top_p"]), (&json!(0.25), &json!(0.5)), "{sent}");
    let most = sent.get("max_completion_tokens").or_else(|| sent.get("max_tokens"));
    assert_eq!((most, &sent["stop"]), (Some(&json!(77)), &json!(["END", "STOP"])), "{sent}");
}

#[test]
fn a_system_message_counts_where_its_owner_listed_it() {
    let asker = Asker::new();
    let messages = json!([{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]);
    for (fields, expected) in
        [(json!({}), "Be kind."), (listed("Conversation Chain", &["systemMessagePrompt"]), "Be brief.")]
    {
        let (provider, flow) = with_provider(&asker.server, &fields);
        asker.chat(&json!({"model": flow, "messages": messages})).is(200);
        assert_eq!(provider.last_request().body["messages"][0]["content"], expected);
        asker.send("/responses", &json!({"model": flow, "input": "Hi", "instructions": "Be brief."})).is(200);
        assert_eq!(provider.last_request().body["messages"][0]["content"], expected);
    }
}

#[test]
fn a_value_that_a_listed_setting_cannot_hold_is_refused() {
    let asker = Asker::new();
    let (_provider, flow) = with_provider(&asker.server, &listed("OpenAI", &["temperature"]));
    let answer = asker.chat(&json!({"model": flow, "messages": user("Hi"), "temperature": 9}));
    let (kind, _, message) = super::fault(&answer, 400);
    assert_eq!(kind, "invalid_request_error");
    assert!(message.contains("between 0 and 2"), "{message}");
}

#[test]
fn sampling_reaches_the_model_that_a_step_picks_where_its_owner_listed_it() {
    let asker = Asker::new();
    let provider = Provider::start();
    let key = json!({"name": "key", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": SECRET}});
    let key = id(&asker.server.post("/credentials", &key));
    let model = json!({"basepath": format!("{}/v1", provider.base_url()), "modelName": "gpt", "FLOWISE_CREDENTIAL_ID": key});
    let step = json!({"llmModel": "chatOpenAI", "llmModelConfig": model});
    let steps = Steps::begin().card("llmAgentflow_0", "Thinker", step).edge(START, "llmAgentflow_0");
    for (names, expected) in [(&["temperature"][..], json!(0.25)), (&[][..], Value::Null)] {
        let mut fields = listed("Thinker", names);
        fields["type"] = "AGENTFLOW".into();
        let flow = asker.server.flow_with(&steps.text(), &fields);
        asker
            .chat(&json!({"model": flow, "messages": user("Hi"), "temperature": 0.25, "top_p": 0.5}))
            .is(200);
        let sent = provider.last_request().body;
        assert_eq!(
            sent.get("temperature").filter(|sent| **sent == 0.25).unwrap_or(&Value::Null),
            &expected,
            "{sent}"
        );
        assert!(sent["top_p"].is_null(), "{sent}");
    }
}
