//! Memories that sum up the messages, and that of Zep, whose server does (manual 9.14).

mod zep;

use crate::support::Server;
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider};
use serde_json::{Value, json};

/// A conversation whose memory has its own model, each at a stand-in of its own.
fn summarizing_flow(
    server: &Server,
    talks: &Provider,
    sums: &Provider,
    memory: &str,
    inputs: Value,
) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &talks.base_url(), json!({}));
    let writer = ProviderFormat::OpenAi.model(&mut drawing, server, &sums.base_url(), json!({}));
    let memory = drawing.card(memory, inputs);
    let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
    drawing.wire(&writer, &memory, "model");
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    drawing.text()
}

/// Asks in the conversation of `last`; its answer.
fn continue_conversation(server: &Server, flow: &str, last: Option<&Value>, question: &str) -> Value {
    let mut body = json!({"question": question});
    if let Some(last) = last {
        body["chatId"] = last["chatId"].clone();
        body["sessionToken"] = last["sessionToken"].clone();
    }
    let mut answer = server.ask(flow, &body).is(200).json();
    if let Some(last) = last {
        answer["sessionToken"] = last["sessionToken"].clone();
    }
    answer
}

fn sent(provider: &Provider) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let messages = provider.last_request().body["messages"].clone();
    messages.as_array().unwrap().iter().map(|m| (text(&m["role"]), text(&m["content"]))).collect()
}

#[test]
fn a_summary_takes_the_place_of_the_messages_and_grows_by_what_is_new() {
    let (server, talks, sums) = (Server::start(), Provider::start(), Provider::start());
    let flow = server.flow(&summarizing_flow(&server, &talks, &sums, "conversationSummaryMemory", json!({})));
    let first = continue_conversation(&server, &flow, None, "I am Ada.");
    assert_eq!((sums.served_count(), first["memoryType"].as_str()), (0, Some("Conversation Summary Memory")));
    sums.push_behaviour(Behaviour::text("Her name is Ada."));
    let second = continue_conversation(&server, &flow, Some(&first), "I like tea.");
    let told = sent(&talks);
    assert_eq!(told.iter().map(|(role, _)| role.as_str()).collect::<Vec<_>>(), ["system", "user", "user"]);
    assert_eq!(told[0].1, "Be kind.", "what a model wrote is no instruction");
    assert!(told[1].1.contains("Her name is Ada."), "{told:?}");
    sums.push_behaviour(Behaviour::text("Ada likes tea."));
    continue_conversation(&server, &flow, Some(&second), "What do I like?");
    let asked = &sent(&sums)[1].1;
    assert!(asked.contains("Her name is Ada.") && asked.contains("I like tea."), "{asked}");
    assert!(!asked.contains("I am Ada."), "what is in the notes is not sent again: {asked}");
    assert!(sent(&talks)[1].1.contains("Ada likes tea."));
    assert_eq!(sums.served_count(), 2);
}

#[test]
fn a_summary_that_was_forgotten_is_made_from_all_messages() {
    let (server, talks, sums) = (Server::start(), Provider::start(), Provider::start());
    let flow = server.flow(&summarizing_flow(&server, &talks, &sums, "conversationSummaryMemory", json!({})));
    let first = continue_conversation(&server, &flow, None, "I am Ada.");
    let second = continue_conversation(&server, &flow, Some(&first), "I like tea.");
    let server = server.restart();
    continue_conversation(&server, &flow, Some(&second), "What do I like?");
    let asked = &sent(&sums)[1].1;
    assert!(asked.contains("I am Ada.") && asked.contains("I like tea."), "{asked}");
}

#[test]
fn a_summary_buffer_sums_up_only_what_no_longer_fits() {
    let (server, talks, sums) = (Server::start(), Provider::start(), Provider::start());
    let inputs = json!({"maxTokenLimit": 38});
    let flow =
        server.flow(&summarizing_flow(&server, &talks, &sums, "conversationSummaryBufferMemory", inputs));
    talks.set_decision(|_| Behaviour::text("Yes."));
    let first = continue_conversation(&server, &flow, None, &"a".repeat(80));
    let second = continue_conversation(&server, &flow, Some(&first), "Two?");
    assert_eq!((sums.served_count(), sent(&talks).len()), (0, 4), "all of it fits");
    sums.push_behaviour(Behaviour::text("Many letters."));
    continue_conversation(&server, &flow, Some(&second), "Three?");
    let told = sent(&talks);
    let texts: Vec<&str> = told.iter().map(|(_, text)| text.as_str()).collect();
    assert!(texts[1].contains("Many letters."), "{texts:?}");
    assert_eq!(texts[2..], ["Yes.", "Two?", "Yes.", "Three?"]);
    assert!(!texts.iter().any(|text| text.contains("aaaa")), "{texts:?}");
}

#[test]
fn a_memory_whose_model_fails_names_that_model() {
    let (server, talks, sums) = (Server::start(), Provider::start(), Provider::start());
    let flow = server.flow(&summarizing_flow(&server, &talks, &sums, "conversationSummaryMemory", json!({})));
    let first = continue_conversation(&server, &flow, None, "Hi");
    sums.push_behaviour(Behaviour::status(401, "{}"));
    let body = json!({"question": "Hi", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    assert!(server.ask(&flow, &body).is_error(500).contains("refused the API key"));
}

/// A conversation whose memory has these inputs.
fn flow_with_memory(server: &Server, talks: &Provider, inputs: Value) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &talks.base_url(), json!({}));
    let memory = drawing.card("bufferMemory", inputs);
    let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    drawing.text()
}

#[test]
fn a_fixed_session_is_one_memory_for_all_who_ask() {
    let (server, talks) = (Server::start(), Provider::start());
    talks.set_decision(|_| Behaviour::text("Yes."));
    let flow = server.flow(&flow_with_memory(&server, &talks, json!({"sessionId": "team"})));
    let first = continue_conversation(&server, &flow, None, "I am Ada.");
    continue_conversation(&server, &flow, None, "I am Bob.");
    continue_conversation(&server, &flow, Some(&first), "Who was here?");
    let told = sent(&talks);
    let texts: Vec<&str> = told.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["Be kind.", "I am Ada.", "Yes.", "I am Bob.", "Yes.", "Who was here?"]);
    assert!(server.messages(&flow).iter().all(|message| message["sessionId"] == "team"));
    assert_eq!(first["sessionId"], "team", "the card goes before every other");
    let other = server.flow(&flow_with_memory(&server, &talks, json!({"sessionId": "team"})));
    continue_conversation(&server, &other, None, "And here?");
    assert_eq!(sent(&talks).len(), 2, "another flow's memory is another one");
}

#[test]
fn a_computed_session_finds_no_conversation_of_another_person() {
    use crate::overrides::override_settings;
    let (server, talks) = (Server::start(), Provider::start());
    let allowed = override_settings(&[("Buffer Memory", &["sessionId"])], &[]);
    let flow = server.flow_with(&flow_with_memory(&server, &talks, json!({})), &allowed);
    let victim = continue_conversation(&server, &flow, None, "My secret is tea.");
    let session = json!({"sessionId": victim["chatId"]});
    let body = json!({"question": "What is the secret?", "overrideConfig": session});
    for _ in 0..2 {
        server.ask(&flow, &body).is(200);
        assert!(!sent(&talks).iter().any(|(_, text)| text.contains("tea")), "{:?}", sent(&talks));
    }
    continue_conversation(&server, &flow, Some(&victim), "And what did I say?");
    let told = sent(&talks);
    assert!(told.iter().any(|(_, text)| text.contains("tea")), "{told:?}");
    assert!(
        !told.iter().any(|(_, text)| text == "What is the secret?"),
        "nobody else speaks in it: {told:?}"
    );
}
