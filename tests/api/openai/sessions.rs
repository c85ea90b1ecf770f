//! Conversations: none goes on without a name.

use super::{Asker, bound_key, user, with_provider};
use crate::support::provider::Behaviour;
use serde_json::{Value, json};

#[test]
fn a_request_without_a_name_is_a_conversation_of_its_own() {
    let asker = Asker::new();
    let (provider, flow) = with_provider(&asker.server, &json!({}));
    asker.chat(&json!({"model": flow, "messages": user("I am Ada")})).is(200);
    asker.chat(&json!({"model": flow, "messages": user("Who am I?"), "user": "ada"})).is(200);
    assert!(!provider.last_request().body["messages"].to_string().contains("I am Ada"));
    let named = asker.server.call("POST", "/openai/v1/chat/completions").bearer(&asker.key);
    // A flow that everybody may ask has no names.
    let body = json!({"model": flow, "messages": user("Who am I?")});
    named.header("x-flowkeep-session", "ada").json(&body).send().is(200);
    assert!(!provider.last_request().body["messages"].to_string().contains("I am Ada"));
}

#[test]
fn a_name_goes_on_with_a_conversation_and_what_the_request_repeats_counts_once() {
    let asker = Asker::new();
    let (key, value) = bound_key(&asker.server, &["chatflows:view"]);
    let fields = json!({"apikeyid": key, "apiConfig": json!({"namedSessions": true}).to_string()});
    let (provider, flow) = with_provider(&asker.server, &fields);
    provider.set_decision(|_| Behaviour::text("Noted."));
    let ask = |name: &str, messages: Value| {
        let call = asker.server.call("POST", "/openai/v1/chat/completions").bearer(&value);
        call.header("x-flowkeep-session", name).json(&json!({"model": flow, "messages": messages})).send()
    };
    let before = json!([
        {"role": "user", "content": "Before"}, {"role": "assistant", "content": "Indeed"},
        {"role": "user", "content": "I am Ada"},
    ]);
    ask("ada", before).is(200);
    assert!(provider.last_request().body["messages"].to_string().contains("Before"));
    let repeated = json!([
        {"role": "user", "content": "I am Ada"}, {"role": "assistant", "content": "changed"},
        {"role": "user", "content": "Who am I?"},
    ]);
    ask("ada", repeated).is(200);
    let sent = provider.last_request().body["messages"].to_string();
    assert_eq!(sent.matches("I am Ada").count(), 1, "{sent}");
    assert!(!sent.contains("changed"), "{sent}");
    let too_long = ask("n".repeat(201).as_str(), user("Hi"));
    assert_eq!(super::fault(&too_long, 400).0, "invalid_request_error");
}
